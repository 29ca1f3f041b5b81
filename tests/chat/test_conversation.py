"""One turn from words to reply, with scripted minds: memory, both minds, and that it can travel."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from chat.export import to_json
from chat.imports import KINDS
from chat.turn_context import windowed
from minds.dialogue import Dialogue, Turn
from minds.models.language import Abilities, Busy, Garbled, Said, ToolCall
from prompts import render, spoken
from tests.brought import from_json
from tests.chat.ground import (
    PRODUCT,
    SLOWLY,
    SUM,
    TIMES,
    Talk,
    interim,
    names,
    questions,
    reply,
    slow_run,
    small_talk,
    solve,
    tells,
    thinks,
)
from tests.fakes import FORMED, STRONG, Heard, Piece, Sign, answer, in_turn, step

# -- the protocol


async def test_small_talk_is_answered_by_the_fast_mind(either: Talk) -> None:
    events = await either.say(either.session(), "hello")
    assert names(either.transcript.turn_events(events[0].session, 1)) == ["turn", "reply", "end-done"]
    said = reply(events)
    assert (said["by"], said["text"], said["invoke"], said["final"]) == ("fast", "Hello there.", False, True)
    assert (said["answer"], said["doubt"], said["calls"], said["model"]) == ("Hello there.", False, 1, "fast")
    assert said["tokens"] > 0 and either.slow.heard == []


async def test_a_question_goes_through_both_minds(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    events = talk.transcript.events(session)
    assert names(events) == SLOWLY
    first, started, done, said = events[1].data, events[2].data, events[3].data, events[5].data
    assert (first["text"], first["invoke"], first["final"], first["request"]) == ("Let me see.", True, False, SUM)
    assert started["question"] == SUM
    assert (done["action"], done["arguments"], done["failed"]) == ("multiply", {"one": 387, "other": 46}, False)
    assert done["observation"] == PRODUCT
    assert (said["by"], said["solved"], said["slow"], said["answer"]) == ("slow", True, PRODUCT, PRODUCT)
    assert (said["text"], said["doubt"], said["model"]) == (PRODUCT, False, "fast")
    assert said["calls"] == len(talk.fast.heard) + len(talk.slow.heard) == 4
    assert int(str(said["tokens"])) >= 4 * 11 and not {"note", "unsupported", "cut"} & said.keys()


async def test_small_minds_answer_by_program(small: Talk) -> None:
    session, small.slow.odds = small.session(), -4.0  # not sure of the program alone
    await small.say(session, SUM)
    events = small.transcript.events(session)
    assert names(events) == SLOWLY  # the first answer, shown while it was checked, is gone
    waiting = spoken("fast/interim")
    assert (events[1].data["text"], events[1].data["request"], events[1].data["p"]) == (waiting, SUM, 0.9)
    assert (events[3].data["action"], events[3].data["argument"]) == ("python", "print(387 * 46)")
    said = events[5].data
    assert (said["text"], said["answer"], said["doubt"], said["calls"]) == ("17802", "17802", False, 3)
    assert str(events[4].data["thought"]).startswith("387 times 46")


@pytest.mark.parametrize("thought", ["", "Should I ask?\nInvoke[True], for it is a sum.\n</think>\n\n"])
async def test_a_strong_fast_mind_without_tools_speaks_as_in_the_paper(talk: Talk, thought: str) -> None:
    """Its thoughts, which the server's template opened, are no part of what it says."""
    talk.fast.abilities = talk.slow.abilities = FORMED
    talk.fast.says = lambda heard: (
        [*thought, "Invoke[False]\nResponse[It is 17,802.]"]
        if heard.last.startswith("SlowMind[")
        else [*thought, "Invoke[True]\nResponse[Let me see.]\n", "Request[387 * 46]"]
    )
    talk.slow.steps = in_turn(step("multiply", one=387, other=46), answer("387 times 46 is 17802."))
    events = await talk.say(talk.session(), "and times 46?")
    assert (interim(events)["text"], questions(events)) == ("Let me see.", ["387 * 46"])
    said = reply(events)
    assert (said["text"], said["answer"]) == ("It is 17,802.", "387 times 46 is 17802.")


async def test_the_slow_mind_sees_the_request_beside_what_was_said(talk: Talk) -> None:
    thinks(talk, "What is 387 times 46?")
    await talk.say(talk.session(), "and with 46?")
    assert talk.slow.heard[0].last.startswith("and with 46?\n\nRequest: What is 387 times 46?\n\n<context>")


async def test_a_call_without_a_word_is_not_a_silence(talk: Talk) -> None:
    thinks(talk, SUM, interim="")
    assert interim(await talk.say(talk.session(), "hm"))["text"] == spoken("fast/interim")


async def test_the_sentence_in_place_of_a_call_without_words_is_in_the_language_of_the_conversation(talk: Talk) -> None:
    session, waiting = talk.session(), spoken("fast/interim", "German")
    await talk.say(session, "Guten Abend, wie geht es dir denn heute so?")
    thinks(talk, "Wie viele Einwohner hat die Stadt Oslo?", interim="")
    talk.slow.steps = lambda _: ["709.000"]
    assert interim(await talk.say(session, "Und Oslo?"))["text"] == waiting
    await talk.say(session, "danke")
    assert waiting not in talk.fast.heard[-1].everything, "the model did not say it"


async def test_pieces_are_seen_while_they_come(talk: Talk) -> None:
    held = asyncio.Event()
    talk.fast.says = lambda _: ["Hel", held, "lo"]
    session = talk.session()
    turn = await talk.runs.submit(session, "hello")
    await talk.until(lambda: talk.view(session)[-1] == "1:delta")
    assert talk.runs.state(session) == "fast"
    held.set()
    assert reply(await talk.ended(session, turn))["text"] == "Hello"
    assert talk.runs.state(session) == "idle"


async def test_a_wording_is_seen_while_it_comes(talk: Talk) -> None:
    held = asyncio.Event()
    talk.fast.says = lambda heard: ["It is ", held, "17,802."] if heard.found else small_talk(heard)
    session = talk.session()
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: talk.view(session)[-1] == f"{turn}:delta" and f"{turn}:run-finished" in talk.view(session))
    held.set()
    assert reply(await talk.ended(session, turn))["text"] == "It is 17,802."


async def test_the_minds_hear_what_was_said_before(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "my dog is called Rex")
    await talk.say(session, SUM)
    await talk.say(session, "thank you")
    heard = talk.fast.heard[-1]
    texts = [str(m.content) for m in heard.messages]
    assert texts[1:4] == ["my dog is called Rex", "Hello there.", SUM] and heard.said == "thank you"
    called, told = (next(m for m in heard.messages if isinstance(m, kind)) for kind in (ToolMessage, AIMessage))
    assert (called.content == PRODUCT or PRODUCT in texts[-2]) and told
    [call] = [c for m in heard.messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert call["args"] == {"request": SUM}


async def test_a_small_model_hears_what_was_found(small: Talk) -> None:
    session = small.session()
    await small.say(session, SUM)
    await small.say(session, "thank you")
    assert "17802" in small.fast.heard[-1].everything


async def test_results_of_the_session_are_the_slow_minds_history(either: Talk) -> None:
    session = either.session()
    await either.say(session, SUM)
    await either.say(session, "What is 12 times 12?")
    heard = either.slow.heard[-1].everything
    assert "17802" in heard


async def test_a_follow_up_asks_what_the_fast_mind_made_of_it(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    thinks(talk, "What is 387 times 99?")
    events = await talk.say(session, "and times 99?")
    assert questions(events) == ["What is 387 times 99?"] and interim(events)["request"] == "What is 387 times 99?"
    assert "38313" in reply(events)["text"]


async def test_a_small_models_follow_up_is_asked_as_it_was_said_behind_what_was_said_before(small: Talk) -> None:
    session = small.session()
    await small.say(session, SUM)
    events = await small.say(session, "and times 99?")
    assert questions(events) == ["and times 99?"]
    worked = [heard for heard in small.slow.heard if "and times 99?" in heard.last]
    assert worked and all("17802" in heard.everything for heard in worked)


async def test_parallel_calls_are_steps_of_their_own(talk: Talk) -> None:
    both = Said("Both at once.", (TIMES, ToolCall("multiply", {"one": 12, "other": 12})))
    talk.slow.steps = in_turn(both, "17802 and 144.")
    session = talk.session()
    events = await talk.say(session, SUM)
    steps = [e.data for e in talk.transcript.events(session) if e.kind == "step"]
    assert sorted((s["number"], s["observation"]) for s in steps) == [(1, PRODUCT), (2, "12 * 12 = 144")]
    assert sum(int(str(s["tokens"])) for s in steps) == 11 and reply(events)["calls"] == 4


async def test_a_last_call_needs_no_further_move(talk: Talk) -> None:
    talk.slow.steps = in_turn(ToolCall("multiply", {**TIMES.arguments, "last": True}))
    said = reply(await talk.say(talk.session(), SUM))
    assert (said["answer"], said["calls"]) == (PRODUCT, 3)


@pytest.mark.parametrize("able", [STRONG, FORMED])
async def test_the_slow_mind_alone_ends_in_words_of_its_own(talk: Talk, able: Abilities) -> None:
    talk.slow.abilities = able
    native = able == STRONG
    last = ToolCall("multiply", {**TIMES.arguments, "last": True})
    form = step("multiply", last=True, one=387, other=46)
    talk.slow.steps = in_turn(last, "It is 17802.") if native else in_turn(form, answer("It is 17802."))
    assert reply(await talk.say(talk.session(minds="slow"), SUM))["text"] == "It is 17802."
    offered = str([tool for tools in talk.slow.offered for tool in tools])
    assert "'last'" not in offered and ("Set last" in talk.slow.heard[0].everything) is False


async def test_one_mind_alone(either: Talk) -> None:
    said = reply(await either.say(either.session(minds="fast"), SUM))
    assert said["by"] == "fast" and either.slow.heard == []
    assert said["text"] == "Hello there.", "its own answer: that it looks into it would be none"
    heard = len(either.fast.heard)
    events = await either.say(either.session(minds="slow"), SUM)
    said = reply(events)
    assert (said["by"], said["model"], len(either.fast.heard)) == ("slow", "slow", heard)
    assert said["text"] == said["answer"] and "17802" in said["text"] and "interim" not in names(events)


# -- the moment


async def test_both_minds_are_told_the_moment_behind_the_persons_words(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    assert "Now: Saturday, 21 November 2026, 09:00 (UTC)." in talk.fast.heard[0].last
    for heard in (talk.fast.heard[0], talk.slow.heard[0]):
        behind = heard.last.partition("<context>")[2]
        assert "Now: Saturday, 21 November 2026" in behind
        assert "21 November 2026" not in heard.everything.partition("<context>")[0]


async def test_what_the_memory_knows_of_a_turn_is_told_to_both_minds(talk: Talk) -> None:
    await talk.say(talk.session(), "my dog is called Rex")
    session = talk.session()
    await talk.say(session, "What is 387 times 46, the days of my dog?")
    for model in (talk.fast, talk.slow):
        assert "- 2026-" in model.heard[-1].everything
        assert ', the user said: "my dog is called Rex"' in model.heard[-1].everything
    forgetful = talk.session(memory=False)
    await talk.say(forgetful, "hello")
    assert "my dog" not in talk.fast.heard[-1].everything


async def test_what_stands_in_the_dialogue_is_not_told_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "my dog is called Rex")
    await talk.say(session, "thank you")
    assert talk.fast.heard[-1].everything.count("my dog is called Rex") == 1


async def test_a_turn_is_not_told_its_own_words_of_another_conversation(talk: Talk) -> None:
    for _ in range(2):
        await talk.say(talk.session(), "my dog is called Rex")
    assert talk.fast.heard[-1].everything.count("my dog is called Rex") == 1
    assert 'you said: "Hello there."' in talk.fast.heard[-1].everything


# -- long conversations


def lines(count: int, size: int = 100) -> Dialogue:
    said = (Turn("user" if n % 2 == 0 else "fast", f"{n:03} ".ljust(size, "x"), float(n)) for n in range(count))
    return Dialogue("s", "ada", tuple(said))


def test_the_window_holds_the_newest_turns_and_moves_by_halves() -> None:
    seen = [windowed(lines(count), 1000) for count in range(2, 80, 2)]
    first = [len(left_out) for left_out, _ in seen]
    moved = [after - before for before, after in pairwise(first) if after != before]
    assert first == sorted(first) and moved and min(moved) >= 4, "a prefix cache must hold for several turns"
    for count, (left_out, kept) in zip(range(2, 80, 2), seen, strict=True):
        assert (*left_out, *kept.turns) == lines(count).turns
        assert sum(len(t.text) for t in kept.turns) <= 1000 and kept.turns[0].speaker == "user"
        assert kept.turns[-1].text.startswith(f"{count - 1:03}") and (count <= 10) == (not left_out)


def test_a_turn_that_is_larger_than_the_window_does_not_hang_it() -> None:
    left_out, kept = windowed(Dialogue("s", "ada", (*lines(4).turns, Turn("user", "y" * 5000))), 1000)
    assert [t.text[0] for t in kept.turns] == ["y"] and len(left_out) == 4
    assert windowed(Dialogue("s", "ada"), 1000) == ((), Dialogue("s", "ada"))


LETTER, SUMMED = Turn("user", "é" * 3000), Turn("fast", "It is about letters. " * 10)


@pytest.mark.parametrize("reply", [SUMMED, Turn("fast", "r" * 5000)])
def test_the_last_exchange_stays_where_it_is_too_large(reply: Turn) -> None:
    dialogue = Dialogue("s", "ada", (*lines(4).turns, LETTER, reply))
    left_out, kept = windowed(dialogue, 1000)
    assert len(left_out) == 4 and [t.speaker for t in kept.turns] == ["user", "fast"]
    assert sum(len(t.text.encode()) for t in kept.turns) <= 1000 + 2 * len(" […]".encode())
    assert kept.turns[0].text.endswith("[…]") and kept.turns[1].text.startswith(reply.text[:900])


async def test_a_small_model_hears_its_reply_to_a_pasted_letter(small: Talk) -> None:
    session = small.session()
    small.fast.says = lambda _: ["It asks for the rent."]
    await small.say(session, "Summarise: " + "家賃が遅れています。" * 180)
    small.fast.says = lambda _: ["The rent is late."]
    await small.say(session, "make that summary shorter")
    assert "It asks for the rent." in small.fast.heard[-1].everything


async def chatter(talk: Talk, session: str, turns: int, size: int = 600) -> None:
    for number in range(turns):
        await talk.say(session, f"Topic number {'abcdefghijklmnopqrstuvwxyz'[number]}: {'x' * size}")


def summaries(heard: Sequence[Heard]) -> list[Heard]:
    return [one for one in heard if one.last.startswith(render("fast/summary", before="", said="")[:60])]


async def test_a_strong_model_is_told_what_no_longer_fits_in_one_summary_for_every_move(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=4000)  # 6000 characters of conversation
    made: list[str] = []

    def says(heard: Heard) -> Sequence[Piece]:
        if summaries([heard]):
            made.append(f"Summary {len(made)}.")
            return [made[-1]]
        return ["Fine. ", "y" * 300]

    talk.fast.says = says
    session = talk.session()
    await chatter(talk, session, 20)
    asked = summaries(talk.fast.heard)
    firsts = [str(heard.messages[1].content)[:14] for heard in talk.fast.heard if heard not in asked]
    assert 2 <= len(asked) == len({*firsts}) - 1 < 6, "one for every move of the window, and no more"
    assert f"Earlier in this conversation: {made[-1]}" in talk.fast.heard[-1].last
    assert made[0] in asked[1].last and "Topic number a" in asked[0].last and "Topic number a" not in asked[1].last
    assert len(talk.fast.heard[-1].everything) < 4000 * 3 and "Topic number t" in talk.fast.heard[-1].last
    await talk.say(session, "short")
    assert len(summaries(talk.fast.heard)) == len(asked), "the window has not moved"


async def test_what_was_said_while_a_slow_run_worked_is_in_a_summary(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=2000)
    held, session = asyncio.Event(), talk.session()

    def says(heard: Heard) -> Sequence[Piece]:
        slowly = heard.free and heard.said.startswith("Look it up")
        return ["Wait.", ToolCall("think", {"request": "look"})] if slowly else [heard.found or "Fine."]

    talk.fast.says, talk.slow.steps = says, in_turn((held, "Found."))
    await chatter(talk, session, 1, 1250)
    asked = await talk.runs.submit(session, "Look it up: " + "x" * 1250)
    await talk.until(lambda: f"{asked}:run-started" in talk.view(session))
    await talk.say(session, "The key lies under the pot. " + "x" * 1250)
    held.set()
    await talk.ended(session, asked)
    await chatter(talk, session, 4, 1250)
    assert any("under the pot" in heard.last for heard in summaries(talk.fast.heard))


async def test_a_summary_holds_what_a_file_brought_that_dates_all_turns_alike(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=4000)
    talk.fast.says = lambda heard: ["A summary."] if summaries([heard]) else ["Fine."]
    session = talk.session()
    await chatter(talk, session, 20)
    file = json.loads(to_json(talk.transcript, session))
    events = [event | {"at": 1000.0} for event in file["events"] if event["kind"] != "summary"]
    brought = from_json(talk.transcript, "ben", json.dumps(file | {"events": events})).id
    talk.fast.heard.clear()
    for _ in range(3):
        await chatter(talk, brought, 4)
    told = "".join(heard.last for heard in summaries(talk.fast.heard))
    assert [letter for letter in "abcdefghijklmnopqrst" if f"Topic number {letter}" not in told] == []


async def test_a_summary_that_fails_costs_no_turn_and_is_asked_for_again(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=4000, limit=9000)
    talk.fast.says = lambda heard: [Garbled("thinking on and on")] if summaries([heard]) else ["y" * 300]
    session = talk.session()
    await chatter(talk, session, 14)
    asked = summaries(talk.fast.heard)
    assert len(asked) > 1 and {heard.limit for heard in asked} == {9000}
    assert len([event for event in talk.transcript.events(session) if event.data.get("final")]) == 14


async def test_a_summary_of_a_turn_that_is_taken_back_is_made_anew(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=4000)
    talk.fast.says = lambda heard: ["They spoke of letters."] if summaries([heard]) else ["y" * 300]
    session = talk.session()
    while talk.transcript.summary(session) is None:
        await chatter(talk, session, 1)
    assert await talk.runs.undo(session)
    assert talk.transcript.summary(session) is None


async def test_a_small_model_is_not_made_to_wait_for_a_summary(small: Talk) -> None:
    session = small.session()
    await chatter(small, session, 12)
    assert summaries(small.fast.heard) == [] and len(small.fast.heard) == 12
    last = small.fast.heard[-1].everything
    assert "Topic number a" not in last.replace('the user said: "Topic number a', "")
    assert "Topic number k" in last and "Earlier in this conversation" not in last


async def test_a_small_model_is_told_what_the_person_said_some_turns_before(small: Talk) -> None:
    session, said = small.session(), "The spare key lies under the red pot"
    for text in (said, "Where does the key lie?", "Nice weather", "Good soup", "Where does the spare key lie?"):
        await small.say(session, text)
        await small.remembering.settle()
    soon, *_, late = (heard.last for heard in small.fast.heard[1:])
    assert "You remember" not in soon and f'the user said: "{said}"' in late
    assert "you said" not in late, "nor what it said itself, which may be wrong"


async def test_what_a_small_model_no_longer_sees_is_recalled_even_with_the_memory_off(small: Talk) -> None:
    session = small.session(memory=False)
    await chatter(small, session, 12)
    assert "You remember" not in small.fast.heard[0].everything


async def test_a_conversation_with_a_summary_can_travel(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = replace(STRONG, context=4000)
    talk.fast.says = lambda heard: ["They spoke of letters."] if summaries([heard]) else ["y" * 300]
    session = talk.session()
    await chatter(talk, session, 8)
    brought = from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id
    assert talk.transcript.summary(brought) == talk.transcript.summary(session) is not None


# -- what is stored can travel


async def test_everything_a_conversation_stores_can_be_exported_and_imported(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    tells(talk, "steer", "use metric units")
    await talk.say(session, "use metric units")
    talk.fast.says = lambda heard: ["It is 17,812.", Sign.CUT] if heard.found else small_talk(heard)
    held.set()
    await talk.ended(session, turn)
    talk.slow.steps = solve
    await talk.say(session, SUM)
    await talk.say(session, "hello")
    talk.fast.says = lambda _: [Busy("It is busy: wait.")]
    await talk.say(session, "hello?")
    small = talk.made_small()
    talk.fast.says = small_talk
    await small.say(session, "What is 12 times 12?")
    stored = talk.transcript.events(session)
    known = {kind: set(form.model_fields) for kind, form in KINDS.items()}
    unknown = {(e.kind, field) for e in stored for field in e.data if field not in known.get(e.kind, set())}
    assert unknown <= {("reply", "remember"), ("end", "said")}
    assert {"unsupported", "cut", "request", "model", "p"} <= {field for e in stored for field in e.data}
    brought = talk.transcript.events(from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id)
    assert names(brought) == names(stored)
    for before, after in zip(stored, brought, strict=True):
        marks = {"remember": None, "imported": None, "said": None}
        assert {**before.data, **marks} == {**after.data, **marks}
