"""One turn from words to reply, with scripted minds: memory, both minds, steering, and everything that can go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from chat.export import from_json, to_json
from chat.imports import KINDS
from chat.turn_context import windowed
from memory.memory import MemoryFault
from minds.dialogue import Dialogue, Episode, Event, Move, Turn
from minds.dialogue import talk as plain_talk
from minds.models.language import Abilities, BadSpec, Busy, Garbled, Said, ToolCall, Unreachable
from prompts import render
from tests.chat.ground import Talk, a_talk, name, names, reply, small_talk, solve, times
from tests.fakes import FORMED, SMALL, STRONG, FakeModel, Heard, Piece, Sign, answer, in_turn, step

SUM = "What is 387 times 46?"
AGAIN = "what's 387 multiplied by 46"
SLOWLY = ["turn", "interim", "run-started", "step", "run-finished", "reply", "end-done"]
PRODUCT = "387 * 46 = 17802"
TIMES = times(SUM)
CHRISTMAS = "When is Christmas?"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """With strong minds and native tools."""
    async with a_talk(tmp_path) as opened:
        yield opened


@pytest.fixture
async def small(talk: Talk) -> Talk:
    """With two small models and a gate."""
    return talk.made_small()


@pytest.fixture(params=["strong", "small"])
async def either(request: pytest.FixtureRequest, talk: Talk) -> Talk:
    return talk if request.param == "strong" else talk.made_small()


def thinks(talk: Talk, request: str = "", interim: str = "Let me see.") -> None:
    """The fast mind calls the slow one, whatever is said, and words a result as it stands."""

    def says(heard: Heard) -> Sequence[Piece]:
        return [heard.found] if heard.found else [interim, ToolCall("think", {"request": request or heard.said})]

    talk.fast.says = says


def interim(events: Sequence[Event]) -> dict[str, Any]:
    [found] = [event for event in events if event.kind == "reply" and not event.data["final"]]
    return dict(found.data)


def questions(events: Sequence[Event]) -> list[object]:
    return [event.data["question"] for event in events if name(event) == "run-started"]


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
    session = small.session()
    await small.say(session, SUM)
    events = small.transcript.events(session)
    assert names(events) == SLOWLY  # the first answer, shown while it was checked, is gone
    waiting = render("fast/interim")
    assert (events[1].data["text"], events[1].data["request"], events[1].data["p"]) == (waiting, SUM, 0.9)
    assert (events[3].data["action"], events[3].data["argument"]) == ("python", "print(387 * 46)")
    said = events[5].data
    assert (said["text"], said["answer"], said["doubt"], said["calls"]) == ("17802", "17802", False, 3)
    assert str(events[4].data["thought"]).startswith("387 times 46")


async def test_a_strong_fast_mind_without_tools_speaks_as_in_the_paper(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = FORMED
    talk.fast.says = lambda heard: (
        ["Invoke[False]\nResponse[It is 17,802.]"]
        if heard.last.startswith("SlowMind[")
        else ["Invoke[True]\nResponse[Let me see.]\n", "Request[387 * 46]"]
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
    assert interim(await talk.say(talk.session(), "hm"))["text"] == render("fast/interim")


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
    assert called.content == PRODUCT and told
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


async def test_a_small_models_follow_up_asks_what_it_made_of_it(small: Talk) -> None:
    session = small.session()
    await small.say(session, SUM)
    small.fast.says = lambda heard: ["What is 387 times 99?"] if heard.stop else small_talk(heard)
    events = await small.say(session, "and times 99?")
    assert questions(events) == ["What is 387 times 99?"] and reply(events)["text"] == "38313"


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


async def test_one_mind_alone(either: Talk) -> None:
    said = reply(await either.say(either.session(minds="fast"), SUM))
    assert said["by"] == "fast" and either.slow.heard == []
    assert said["text"] == "Hello there.", "its own answer: that it looks into it would be none"
    heard = len(either.fast.heard)
    events = await either.say(either.session(minds="slow"), SUM)
    said = reply(events)
    assert (said["by"], said["model"], len(either.fast.heard)) == ("slow", "slow", heard)
    assert said["text"] == said["answer"] and "17802" in said["text"] and "interim" not in names(events)


# -- what is said of a result


async def test_figures_without_a_source_are_marked_and_not_replaced(talk: Talk) -> None:
    talk.fast.says = lambda heard: ["387 times 46 is 17,812."] if heard.found else small_talk(heard)
    said = reply(await talk.say(talk.session(), SUM))
    assert (said["text"], said["answer"]) == ("387 times 46 is 17,812.", PRODUCT)
    assert said["unsupported"] == ["17,812"]


async def test_figures_of_the_conversation_and_of_the_moment_have_a_source(talk: Talk) -> None:
    session = talk.session()
    talk.fast.says = lambda _: ["Well done."]
    await talk.say(session, "I have 250 euros")
    talk.fast.says = lambda heard: (
        ["17802 is more than your 250, on 21 November 2026."] if heard.found else small_talk(heard)
    )
    assert "unsupported" not in reply(await talk.say(session, SUM))


async def test_where_the_wording_fails_the_result_itself_is_shown(either: Talk) -> None:
    def says(heard: Heard) -> Sequence[Piece]:
        if heard.found or "(This was found: " in heard.last:
            return ["387 times", Busy("It is busy: wait.")]
        return small_talk(heard)

    either.fast.says = says
    said = reply(await either.say(either.session(), SUM))
    assert said["text"] == said["answer"] and "17802" in said["text"] and said["solved"] is True
    assert said["note"] == "The result itself is shown: It is busy: wait."
    assert "remember" in said


async def test_a_wording_of_nothing_is_the_result_itself(talk: Talk) -> None:
    talk.fast.says = lambda heard: ["  "] if heard.found else small_talk(heard)
    assert reply(await talk.say(talk.session(), SUM))["text"] == PRODUCT


LENGTHY = "It is 17,802." + " So it is." * 100


@pytest.mark.parametrize(
    ("able", "steps", "calls"),
    [
        (STRONG, [TIMES, "It is 17,802."], 3),
        (STRONG, [TIMES, LENGTHY], 3),
        (STRONG, [ToolCall("multiply", {**TIMES.arguments, "last": True})], 3),
        (FORMED, [step("multiply", one=387, other=46), answer("It is 17,802.")], 3),
        (FORMED, [step("multiply", one=387, other=46), answer(LENGTHY)], 4),
    ],
    ids=["short", "long", "a tool's words", "short in a form", "long in a form"],
)
async def test_what_the_very_model_has_worded_is_not_worded_again(
    talk: Talk, able: Abilities, steps: list[Any], calls: int
) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    talk.slow.abilities, talk.slow.steps = able, in_turn(*steps)
    said = reply(await talk.say(talk.session(), SUM))
    assert said["calls"] == calls and said["text"] == str(said["answer"]).strip()
    worded = [heard for heard in talk.fast.heard if heard.found]
    assert len(worded) == calls - 1 - len(steps)


class AsksWhich:
    """A slow mind that cannot tell which action is meant."""

    async def act(self, episode: Episode) -> Move:
        return Move("", answer="I am not sure what to do there.", gave_up=True, worded=True, world=True)


async def test_a_question_back_about_a_world_is_none_of_the_talk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.chat.ground.strategy", lambda *_: AsksWhich())
    async with a_talk(tmp_path) as talk:
        session = talk.session()
        said = reply(await talk.say(session, SUM))
        assert said["world"] and said["text"] == "I am not sure what to do there."
        assert not plain_talk(talk.transcript.dialogue(session, before=2)).turns, (
            "a small model would refuse what comes next"
        )


async def test_the_slow_minds_own_words_are_seen_while_they_come(talk: Talk) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    talk.slow.steps = in_turn(Said("A product then.", (TIMES,)), "It is 17,802.")
    session = talk.session()
    seen = [
        (event.kind, event.data.get("move"), event.data.get("text"))
        async for event in talk.runs.wait(session, await talk.runs.submit(session, SUM))
        if event.kind in ("delta", "step") and event.data.get("by") != "fast"
    ]
    thought, spoken = seen.index(("delta", 1, "A ")), seen.index(("delta", 2, "It "))
    assert thought < [kind for kind, _, _ in seen].index("step") < spoken
    assert not [e for e in talk.transcript.events(session) if e.kind == "delta"]


async def test_what_another_model_words_is_not_shown_before(talk: Talk) -> None:
    session = talk.session()
    turn = await talk.runs.submit(session, SUM)
    seen = [event async for event in talk.runs.wait(session, turn)]
    assert {e.data["by"] for e in seen if e.kind == "delta"} == {"fast"}


async def test_what_the_slow_mind_said_before_a_stop_stays(talk: Talk) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    talk.slow.steps = in_turn("It is a product of " + "two numbers and " * 2000)
    session = talk.session()
    turn = await talk.runs.submit(session, SUM)
    async for event in talk.runs.wait(session, turn):
        if event.kind == "delta" and event.data.get("by") == "slow":
            await talk.runs.stop(session)
            break
    said = reply(await talk.ended(session, turn))
    assert said["stopped"] is True and said["by"] == "slow" and said["text"].startswith("It is")


async def test_an_answer_of_the_slow_minds_that_the_limit_ended_says_so(talk: Talk) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    talk.slow.steps = in_turn(TIMES, Said("It is 17,"))
    talk.slow.cuts = True
    assert reply(await talk.say(talk.session(), SUM))["cut"] is True


async def test_what_a_small_model_found_is_always_worded(small: Talk) -> None:
    small.fast.spec = small.slow.spec = "embedded"
    await small.say(small.session(), SUM)
    assert "(This was found: 17802." in small.fast.heard[-1].last


@pytest.mark.parametrize("small_slow", [False, True])
async def test_what_cannot_be_solved_says_so_and_small_models_name_the_setting(talk: Talk, small_slow: bool) -> None:
    if small_slow:
        talk.slow.abilities, talk.slow.says = SMALL, lambda _: [""]
    talk.slow.steps = in_turn(ToolCall("give_up", {"why": render("slow/gave_up")}))
    said = reply(await talk.say(talk.session(), "Who rang me 3 days ago?"))
    assert said["solved"] is False and said["doubt"] is True and said["answer"] == render("slow/gave_up")
    assert said["text"].startswith(render("slow/gave_up")) and ("DUET_SLOW_MODEL" in said["text"]) == small_slow
    assert "remember" not in said and "result" not in talk.notes()


async def test_a_result_in_doubt_is_said_so_and_not_remembered(small: Talk) -> None:
    small.slow.says = lambda heard: ["not a program"] if heard.prefix else ["Well.\n\nIt is 17802."]
    said = reply(await small.say(small.session(), SUM))
    assert (said["answer"], said["doubt"], said["solved"]) == ("It is 17802.", True, True)
    assert said["text"] == "It is 17802." and "remember" not in said, "the page's sign says that it is not sure"


async def test_what_was_not_looked_up_is_not_remembered_as_a_result(talk: Talk) -> None:
    talk.slow.steps = in_turn("It is about 17800.")
    assert "remember" not in reply(await talk.say(talk.session(), SUM))


async def test_a_reply_that_the_limit_ended_says_so(talk: Talk) -> None:
    talk.fast.says = lambda _: ["On and on and", Sign.CUT]
    session = talk.session()
    assert reply(await talk.say(session, "tell me a story"))["cut"] is True
    talk.fast.says = small_talk
    assert "cut" not in reply(await talk.say(session, "hello"))


async def test_a_model_without_words_still_gives_a_sentence(either: Talk) -> None:
    either.fast.says = lambda _: ["  "]
    assert reply(await either.say(either.session(), "hello"))["text"] == render("fast/speechless")


HANDBOOK = b"# Parking\n\nParking is free for staff after 18:00."


@pytest.mark.parametrize("small_fast", [True, False])
async def test_sources_are_quoted_for_a_small_fast_mind_and_told_of_a_strong_one(talk: Talk, small_fast: bool) -> None:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", HANDBOOK)
    thinks(talk)
    if small_fast:
        talk.fast.abilities, talk.fast.says, talk.gate.needs = SMALL, small_talk, lambda _: True
    told = "Parking is free for staff after 18:00."
    talk.slow.steps = in_turn(ToolCall("documents", {"question": "parking"}), told)
    said = reply(await talk.say(session, "May I park here?"))
    assert said["sources"] == ["handbook.md, Parking"]
    assert said["places"] == {"handbook.md, Parking": ["18:00"]}
    assert said["text"] == (f"{told} [handbook.md, Parking]" if small_fast else told)
    for model in (talk.slow,) if small_fast else (talk.fast, talk.slow):  # a small one is not asked before it invokes
        assert "Uploaded documents: handbook.md." in model.heard[0].last


async def test_sources_are_quoted_where_the_wording_failed(talk: Talk) -> None:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", HANDBOOK)
    says = [ToolCall("think", {"request": "parking"})]
    talk.fast.says = lambda heard: [Busy("It is busy: wait.")] if heard.found else says
    talk.slow.steps = in_turn(ToolCall("documents", {"question": "parking"}), "It is free.")
    assert reply(await talk.say(session, "May I park here?"))["text"] == "It is free. [handbook.md, Parking]"


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


# -- memory


async def test_the_same_again_comes_from_memory(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    asked = len(talk.slow.heard)
    events = await talk.say(talk.session(), AGAIN)
    said = reply(events)
    assert (said["by"], said["invoke"]) == ("memory", False) and "17802" in said["text"]
    assert (said["answer"], said["doubt"], said["calls"]) == (said["text"], False, 0)
    assert not [n for n in names(events) if n.startswith(("run", "step"))] and len(talk.slow.heard) == asked


@pytest.mark.parametrize(("found", "by"), [("same", "memory"), ("different", "slow"), (None, "slow")])
async def test_a_likely_result_is_given_again_where_trained_layers_find_it_the_same(
    talk: Talk, found: str | None, by: str
) -> None:
    await talk.say(talk.session(), SUM)
    talk.sameness.chance = 0.8
    if found:
        talk.slow.trained = FakeModel(lambda _: ["any"], in_turn(found, found))
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == by


@pytest.mark.parametrize(("scope", "by"), [("memory", "memory"), ("telling", "memory"), ("moment", "slow")])
async def test_what_asks_the_same_as_a_question_is_one_itself(talk: Talk, scope: str, by: str) -> None:
    await talk.say(talk.session(), SUM)
    talk.sameness.scopes = {AGAIN: scope}
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == by


async def test_the_memory_is_asked_before_the_fast_mind(either: Talk) -> None:
    await either.say(either.session(), SUM)
    heard = len(either.fast.heard)
    assert names(await either.say(either.session(), AGAIN)) == ["turn", "reply", "end-done"]
    assert len(either.fast.heard) == heard and len(either.gate.asked) <= 1


async def test_the_memory_is_asked_again_with_what_the_fast_mind_made_of_the_turn(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    thinks(talk, SUM)
    asked = len(talk.slow.heard)
    events = await talk.say(talk.session(), "and with that number?")
    assert reply(events)["by"] == "memory" and "17802" in reply(events)["text"]
    assert "interim" in names(events) and len(talk.slow.heard) == asked


async def test_what_leans_on_the_conversation_is_not_answered_from_memory(talk: Talk) -> None:
    session = talk.session()
    thinks(talk, SUM)
    await talk.say(session, "and times 46?")
    thinks(talk, "What is 12 times 46?")
    assert "552" in reply(await talk.say(session, "and times 46?"))["text"]


async def test_another_user_and_another_question_do_not_get_it(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    assert reply(await talk.say(talk.session("ben"), SUM))["by"] == "slow"
    assert reply(await talk.say(talk.session(), "What is 387 times 47?"))["by"] == "slow"


async def test_asked_again_on_purpose_the_memory_keeps_silent(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    turn = await talk.runs.retry(session, 1)
    assert reply(await talk.ended(session, turn))["by"] == "slow"
    assert {e.turn for e in talk.transcript.events(session)} == {turn}


async def test_memory_may_be_off_and_nothing_is_kept_even_after_a_restart(talk: Talk) -> None:
    await talk.say(talk.session(memory=False), SUM)
    await talk.say(talk.session(memory=False), "hello")
    assert talk.notes() == set()
    assert reply(await talk.say(talk.session(memory=False), SUM))["by"] == "slow"
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.notes() == set()


async def test_memory_and_transcript_agree_without_mending(talk: Talk) -> None:
    session = talk.session()
    for said in ("hello", SUM, AGAIN, "thanks"):
        await talk.say(session, said)
    await talk.say(session, "gone")
    await talk.runs.undo(session)
    await talk.remembering.settle()
    before = talk.kept()
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.kept() == before and talk.notes() == {"result", "turn"}


async def test_what_a_crash_or_a_lost_folder_took_is_remembered_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.say(session, "taken back")
    before, last = talk.kept(), talk.transcript.last_turn(session)
    assert last is not None
    talk.store.delete_user("ada")
    talk.transcript.supersede(session, last.number)
    assert talk.kept() == [note for note in before if note.turn != last.number]


async def test_what_was_deleted_for_good_does_not_come_back_from_the_transcript(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    memory = talk.store.user("ada")
    memory.forget([note.id for note in talk.kept()])
    memory.notes.set_meta("transcript", "0")
    talk.remembering.reconcile(memory)
    assert talk.kept() == []


async def test_what_was_recalled_is_not_kept_again(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    before = len(talk.kept())
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "memory"
    assert len(talk.kept()) == before


async def test_a_thumb_down_on_a_reply_from_memory_takes_the_note_out_and_it_can_be_brought_back(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    served = reply(await talk.say(session, AGAIN))
    await talk.runs.set_feedback(session, 1, -1)
    assert reply(await talk.say(talk.session(), "What is 387 x 46?"))["by"] == "slow"
    note = talk.store.user("ada").notes.get(served["from_note"])
    assert note is not None and note.out
    talk.store.user("ada").restore([note.id])
    assert note.id in {kept.id for kept in talk.kept()}


async def test_a_retry_of_a_reply_from_memory_takes_the_note_out(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    served = reply(await talk.say(session, AGAIN))
    await talk.ended(session, await talk.runs.retry(session, 1))
    note = talk.store.user("ada").notes.get(served["from_note"])
    assert note is not None and note.out


async def test_a_strong_model_is_not_served_what_a_weak_one_thought(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    memory = talk.store.user("ada")
    found = next(note for note in talk.kept() if note.kind == "result")
    assert found.about["strength"] == "1" and "multiply" in found.about["evidence"]
    memory.edit(found.id, about={**found.about, "strength": "0"})
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "slow"


async def test_what_the_person_tells_makes_results_about_the_person_stale(talk: Talk) -> None:
    thinks(talk)
    asks, tells_it = "How far is my office, 12 or 13 km?", "I have moved to Berlin."
    talk.sameness.scopes = {asks: "person", tells_it: "telling"}
    talk.slow.steps = lambda heard: ["13 km." if heard.found else ToolCall("python", {"program": "print(12 * 13)"})]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"
    await talk.say(talk.session(), tells_it)
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_a_result_of_today_is_no_answer_tomorrow(talk: Talk) -> None:
    thinks(talk)
    asks = "What day is it today?"
    talk.slow.steps = lambda heard: [heard.found or ToolCall("today")]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"
    talk.now += timedelta(days=1)
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_documents_that_change_make_old_results_stale(talk: Talk) -> None:
    session = talk.session()
    thinks(talk)
    talk.slow.steps = lambda heard: [
        "Free after six." if heard.found else ToolCall("documents", {"question": "parking"})
    ]
    asks = "What does the handbook say about parking?"
    await talk.runs.add_document(session, "handbook.md", b"# Parking\n\nParking is free after six.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    assert reply(await talk.say(session, asks))["by"] == "memory"
    added = await talk.runs.add_document(session, "new.md", b"# Parking\n\nParking costs 5 euros now.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    await talk.runs.remove_document(session, added.id)
    assert reply(await talk.say(session, asks))["by"] == "memory"
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_a_thumb_down_forgets(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.runs.set_feedback(session, 1, -1)
    assert talk.notes() == set()
    assert reply(await talk.say(talk.session(), SUM))["by"] == "slow"


async def test_deleting_a_conversation_forgets_what_it_found(talk: Talk) -> None:
    gone, kept = talk.session(), talk.session()
    await talk.say(gone, SUM)
    await talk.say(kept, "hello")
    await talk.runs.delete(gone)
    assert {note.session for note in talk.kept()} == {kept}
    assert reply(await talk.say(kept, SUM))["by"] == "slow"


async def test_a_memory_that_fails_is_in_nobodys_way(talk: Talk) -> None:
    session = talk.session()
    talk.store.fault = MemoryFault("The memory is in use by another process: stop it.")
    assert "17802" in reply(await talk.say(session, SUM))["text"]
    assert reply(await talk.say(session, SUM))["by"] == "slow"
    await talk.runs.undo(session)
    await talk.runs.set_feedback(session, 1, -1)
    assert "another process" in talk.remembering.fault
    await talk.runs.delete(session)


async def test_what_was_steered_is_not_remembered_for_the_question_alone(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    tells(talk, "steer", "in metric units")
    await talk.say(session, "in metric units please")
    talk.fast.says = small_talk
    held.set()
    assert "remember" not in reply(await talk.ended(session, turn))
    assert "result" not in talk.notes()


# -- while the slow mind works


async def slow_run(talk: Talk, session: str) -> tuple[int, asyncio.Event]:
    """A slow run that waits after its first step; (turn, the event that lets it go on)."""
    held = asyncio.Event()

    def steps(heard: Heard) -> Sequence[Any]:
        asked = next(str(m.content) for m in reversed(heard.messages) if "<context>" in str(m.content))
        if SUM not in asked:
            return solve(heard)
        return [held, PRODUCT] if PRODUCT in heard.everything else [TIMES]

    talk.slow.steps = steps
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and len(talk.slow.heard) >= 2)
    return turn, held


async def small_run(talk: Talk, session: str, kind: str) -> tuple[int, asyncio.Event]:
    """A small model's run that waits for its program, with words beside it read as `kind`."""
    held = asyncio.Event()
    talk.slow.says = lambda _: [held, "print(387 * 46)"]
    talk.fast.steps = lambda _: [{"kind": kind}]
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: talk.slow.heard)
    return turn, held


def tells(talk: Talk, kind: str, words: str = "", said: str = "") -> None:
    """The fast mind passes what is said on to the run."""
    talk.fast.says = lambda _: [said, ToolCall("tell_slow_mind", {"kind": kind, "words": words})]


async def test_one_can_go_on_talking(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    assert reply(await talk.say(session, "I like your hat"))["text"] == "Hello there."
    assert talk.runs.state(session) == "slow"
    heard = talk.fast.heard[-1]
    assert heard.tools == ("think", "tell_slow_mind")
    assert "still working on" in heard.last and SUM in heard.last and "17802" in heard.last
    held.set()
    assert "17802" in reply(await talk.ended(session, turn))["text"]
    await talk.say(session, "thanks")
    assert talk.fast.heard[-1].tools == ("think",)


async def test_a_small_mind_goes_on_talking_too(small: Talk) -> None:
    session = small.session()
    turn, held = await small_run(small, session, "talk")
    assert reply(await small.say(session, "I like your hat"))["text"] == "Hello there."
    held.set()
    assert "17802" in reply(await small.ended(session, turn))["text"]


async def test_steering_reaches_the_run(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    tells(talk, "steer", "use metric units")
    told = reply(await talk.say(session, "metric, please"))
    assert told["text"].startswith(render("fast/said_steer", state="")) and SUM in told["text"]
    assert (told["off_record"], told["answer"], told["calls"]) == (True, told["text"], 1)
    held.set()
    talk.fast.says = small_talk
    events = await talk.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["use metric units"]
    assert talk.slow.heard[-1].last == "use metric units"


async def test_the_fast_minds_own_words_acknowledge_what_was_passed_on(talk: Talk) -> None:
    session = talk.session()
    _, held = await slow_run(talk, session)
    tells(talk, "steer", said="Metric it is.")
    assert reply(await talk.say(session, "metric, please"))["text"] == "Metric it is."
    assert [e.data["text"] for e in talk.transcript.events(session) if name(e) == "run-steered"] == ["metric, please"]
    held.set()


async def test_a_small_model_reads_what_is_said_to_the_run(small: Talk) -> None:
    session = small.session()
    turn, held = await small_run(small, session, "steer")
    told = reply(await small.say(session, "with 99 instead"))
    assert told["text"].startswith("Understood") and len(small.gate.asked) == 1
    small.slow.says = lambda heard: (
        ["print(387 * 99)" if heard.prefix else "38313"] if "with 99 instead" in heard.last else ["never"]
    )
    held.set()
    events = await small.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["with 99 instead"]
    assert reply(events)["text"].startswith("38313")


async def test_pause_and_go_on_by_word(either: Talk) -> None:
    session, strong = either.session(), either.fast.abilities.strong
    turn, held = await (slow_run(either, session) if strong else small_run(either, session, "pause"))
    tells(either, "pause") if strong else None
    assert reply(await either.say(session, "wait a moment"))["text"] == render("fast/said_pause")
    assert either.runs.state(session) == "paused"
    held.set()
    await asyncio.sleep(0.05)
    assert f"{turn}:reply" not in either.view(session)
    resumes = [ToolCall("tell_slow_mind", {"kind": "resume"})]
    if strong:
        either.fast.says = lambda heard: resumes if heard.said == "go on" else small_talk(heard)
    either.fast.steps = lambda _: [{"kind": "resume"}]
    assert reply(await either.say(session, "go on"))["text"] == render("fast/said_resume")
    assert names(await either.ended(session, turn))[-1] == "end-done"
    states = [v for v in either.view(session) if v.startswith(f"{turn}:run")]
    assert states == [f"{turn}:run-{s}" for s in ("started", "paused", "resumed", "finished")]


async def test_stop_by_word(either: Talk) -> None:
    session, strong = either.session(), either.fast.abilities.strong
    turn, _ = await (slow_run(either, session) if strong else small_run(either, session, "stop"))
    tells(either, "stop") if strong else None
    assert reply(await either.say(session, "stop please"))["text"] == render("fast/said_stop")
    assert names(await either.ended(session, turn))[-2:] == ["run-stopped", "end-stopped"]
    assert either.runs.state(session) == "idle" and either.slow.cancelled == 1


async def test_taking_over_ends_the_run_and_says_what_there_is_to_act_in(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    tells(talk, "take over", said="It is yours.")
    told = reply(await talk.say(session, "let me do it"))
    assert told["text"] == "No text world is open."
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"


async def test_stopping_and_asking_anew_in_one_breath_does_both(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    both = (ToolCall("tell_slow_mind", {"kind": "stop"}), ToolCall("think", {"request": "What is 12 times 12?"}))
    talk.fast.says = lambda heard: [heard.found] if heard.found else ["Fine.", *both]
    talk.slow.steps = solve
    events = await talk.say(session, "stop that, what is 12 times 12?")
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"
    assert "144" in reply(events)["text"] and interim(events)["text"] == "Fine."


async def test_a_second_question_waits_for_the_first(talk: Talk) -> None:
    session = talk.session()
    one, held = await slow_run(talk, session)
    other = await talk.runs.submit(session, "What is 12 times 12?")
    await talk.until(lambda: f"{other}:run-queued" in talk.view(session))
    held.set()
    assert "17802" in reply(await talk.ended(session, one))["text"]
    assert "144" in reply(await talk.ended(session, other))["text"]
    assert "at work" not in talk.slow.heard[-1].everything, "what it had to wait for is over"


async def test_words_to_a_run_are_plain_talk_when_none_is_there(either: Talk) -> None:
    either.fast.steps = lambda _: [{"kind": "stop"}]
    assert reply(await either.say(either.session(), "stop"))["text"] == "Hello there."


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


# -- faults


async def test_a_model_that_fails_in_the_middle_is_one_sentence(talk: Talk) -> None:
    talk.fast.says = lambda _: ["Hel", "lo ", Unreachable("The fast model's server ended: try again.")]
    session = talk.session()
    events = await talk.say(session, "hello")
    assert names(events)[-2:] == ["error", "end-failed"]
    assert events[-2].data == {"text": "The fast model's server ended: try again."}
    talk.fast.says = lambda _: ["Fine."]
    assert reply(await talk.say(session, "and now?"))["text"] == "Fine."


@pytest.mark.parametrize("fault", [Busy("It is busy: wait."), Garbled("It speaks in tongues: choose another.")])
async def test_a_slow_model_that_fails_keeps_the_trace(talk: Talk, fault: Exception) -> None:
    talk.slow.steps = in_turn(TIMES, fault)
    session = talk.session()
    await talk.say(session, SUM)
    assert talk.view(session)[-3:] == ["1:step", "1:error", "1:end-failed"]
    assert talk.transcript.events(session)[-2].data["text"] == str(fault)
    assert reply(await talk.say(session, "hello"))["by"] == "fast"


async def test_a_model_that_cannot_be_opened_says_why(talk: Talk) -> None:
    talk.fault = BadSpec("`gpt` names no model: write openai:gpt.")
    events = await talk.say(talk.session(), "hello")
    assert [e.data["text"] for e in events if e.kind == "error"] == [str(talk.fault)]


async def test_a_defect_is_told_without_its_traceback(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Heard) -> list[str]:
        raise ZeroDivisionError("secret detail")

    talk.fast.says = broken
    [error] = [e for e in await talk.say(talk.session(), "hello") if e.kind == "error"]
    assert "Something broke inside Duet (ZeroDivisionError)" in str(error.data["text"])
    assert "secret detail" not in str(error.data) and "secret detail" in caplog.text


async def test_a_tool_that_fails_is_in_the_trace_and_the_run_goes_on(talk: Talk) -> None:
    talk.slow.steps = in_turn(ToolCall("multiply", {"one": 387}), TIMES, "17802")
    events = await talk.say(talk.session(), SUM)
    assert [e.data["failed"] for e in talk.transcript.events(events[0].session) if e.kind == "step"] == [True, False]
    assert "17802" in reply(events)["text"]


# -- interrupted


async def interrupted_run(talk: Talk, session: str) -> tuple[Talk, int]:
    """A run that a dying server left behind its first step, and the server that came after it."""
    turn, _ = await slow_run(talk, session)
    return await talk.killed(), turn


async def test_an_interrupted_run_goes_on_with_its_request_and_its_steps(talk: Talk) -> None:
    session = talk.session()
    thinks(talk, SUM)
    held = asyncio.Event()
    talk.slow.steps = lambda heard: [held, "never"] if heard.found else [TIMES]
    turn = await talk.runs.submit(session, "and times 46?")
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and len(talk.slow.heard) >= 2)
    back = await talk.killed()
    try:
        await back.runs.resume(session)
        events = await back.ended(session, turn)
        assert names(events).count("interim") == 1 and questions(events) == [SUM, SUM]
        heard = back.slow.heard[0]
        assert heard.found == PRODUCT and f"Request: {SUM}" in heard.everything
        called = next(m for m in heard.messages if isinstance(m, AIMessage) and m.tool_calls)
        assert called.tool_calls[0]["args"] == TIMES.arguments
        assert [one.found for one in back.fast.heard] == [PRODUCT], "only worded: it had heard the turn before"
        assert reply(events)["text"] == PRODUCT and names(events).count("step") == 1
    finally:
        await back.close()


async def test_the_slow_mind_alone_goes_on_from_its_steps_too(talk: Talk) -> None:
    session = talk.session(minds="slow")
    back, turn = await interrupted_run(talk, session)
    try:
        await back.runs.resume(session)
        events = await back.ended(session, turn)
        assert [e.kind for e in events].count("step") == 1 and reply(events)["text"] == PRODUCT
    finally:
        await back.close()


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
    known = {kind: {name.rstrip("?") for name in fields} for kind, fields in KINDS.items()}
    unknown = {(e.kind, field) for e in stored for field in e.data if field not in known.get(e.kind, set())}
    assert unknown <= {("reply", "remember")}
    assert {"unsupported", "cut", "request", "model", "p"} <= {field for e in stored for field in e.data}
    brought = talk.transcript.events(from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id)
    assert names(brought) == names(stored)
    for before, after in zip(stored, brought, strict=True):
        assert {**before.data, "remember": None} == {**after.data, "remember": None}
