"""What is said of what the slow mind found: its words, its sources, its doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from minds.dialogue import Episode, Move
from minds.dialogue import talk as plain_talk
from minds.models.language import Abilities, Busy, Garbled, ModelFault, Said, ToolCall
from prompts import spoken
from tests.chat.ground import (
    PRODUCT,
    SUM,
    TIMES,
    Talk,
    a_talk,
    names,
    reply,
    small_talk,
    thinks,
)
from tests.fakes import FORMED, SMALL, STRONG, FakeModel, Heard, Piece, Sign, answer, in_turn, step


async def test_a_doubt_of_the_fast_mind_is_told_below_its_words_and_marked(small: Talk) -> None:
    small.gate.fact, small.fast.odds = 1.0, -3.0
    said = reply(await small.say(small.session(), "hello"))
    assert said["doubt"] is True and said["note"] == spoken("fast/unsure")
    assert said["text"] == "Hello there."


async def test_what_neither_mind_can_do_is_told_below_the_words(small: Talk) -> None:
    small.fast.beyond = FakeModel(lambda _: ["never"], lambda _: ["True"])
    said = reply(await small.say(small.session(), "Will it snow 3 days from now?"))
    assert (said["by"], said["doubt"], said["note"]) == ("fast", False, spoken("fast/cannot"))
    small.fast.beyond = FakeModel(lambda _: ["never"], lambda _: ["False"])
    assert reply(await small.say(small.session(), SUM))["by"] == "slow"


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


@pytest.mark.parametrize(("fault", "unheard"), [(Busy("It is busy: wait."), True), (Garbled("It is dizzy."), False)])
async def test_where_the_wording_fails_the_result_itself_is_shown(
    either: Talk, fault: ModelFault, unheard: bool
) -> None:
    def says(heard: Heard) -> Sequence[Piece]:
        if heard.found or "(This was found: " in heard.last:
            return ["387 times", fault]
        return small_talk(heard)

    either.fast.says = says
    said = reply(await either.say(either.session(), SUM))
    assert said["text"] == said["answer"] and "17802" in said["text"] and said["solved"] is True
    assert said["note"] == f"The result itself is shown: {fault}"
    assert "remember" in said and ("unheard" in said) == unheard


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
    monkeypatch.setattr("tests.chat.ground.strategy", lambda *_, **__: AsksWhich())
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


async def test_the_thought_of_a_call_that_a_stop_broke_off_is_no_reply(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    calling = asyncio.Event()

    async def call(*_: Any, aloud: Callable[[str], None], **__: Any) -> Said:
        for piece in ("I look ", "it up.", ""):
            aloud(piece)
        calling.set()
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(talk.slow, "call", call)
    session = talk.session()
    turn = await talk.runs.submit(session, SUM)
    await asyncio.wait_for(calling.wait(), 20)
    await talk.runs.stop(session)
    assert "reply" not in names(await talk.ended(session, turn))


async def test_an_answer_of_the_slow_minds_that_the_limit_ended_says_so(talk: Talk) -> None:
    talk.fast.spec = talk.slow.spec = "openai:one"
    talk.slow.steps = in_turn(TIMES, Said("It is 17,"))
    talk.slow.cuts = True
    assert reply(await talk.say(talk.session(), SUM))["cut"] is True


async def test_what_a_small_model_found_is_always_worded(small: Talk) -> None:
    small.fast.spec = small.slow.spec = "embedded"
    await small.say(small.session(), SUM)
    assert "(This was found: 17802." in small.fast.heard[-1].last


async def test_what_cannot_be_solved_says_so(talk: Talk) -> None:
    talk.slow.steps = in_turn(ToolCall("give_up", {"why": spoken("slow/gave_up")}))
    said = reply(await talk.say(talk.session(), "Who rang me 3 days ago?"))
    assert said["solved"] is False and said["doubt"] is True and said["answer"] == spoken("slow/gave_up")
    assert said["text"].startswith(spoken("slow/gave_up")) and "DUET_SLOW_MODEL" not in said["text"]
    assert "remember" not in said and "result" not in talk.notes()


async def test_where_a_small_slow_mind_finds_nothing_the_fast_one_speaks_and_what_helps_is_told(
    small: Talk,
) -> None:
    small.slow.says = lambda _: [""]
    said = reply(await small.say(small.session(), "Who rang me 3 days ago?"))
    assert said["by"] == "fast" and said["text"] == said["answer"] and said["doubt"] is True
    assert said["note"].startswith(spoken("fast/unsure")) and "DUET_SLOW_MODEL" in said["note"]
    assert "remember" not in said and "result" not in small.notes()


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
    assert reply(await either.say(either.session(), "hello"))["text"] == spoken("fast/speechless")


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
        name = "handbook.md." if small_fast else '"handbook.md" uploaded 20'
        assert f"Uploaded documents: {name}" in model.heard[0].last


async def test_sources_are_quoted_where_the_wording_failed(talk: Talk) -> None:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", HANDBOOK)
    says = [ToolCall("think", {"request": "parking"})]
    talk.fast.says = lambda heard: [Busy("It is busy: wait.")] if heard.found else says
    talk.slow.steps = in_turn(ToolCall("documents", {"question": "parking"}), "It is free.")
    assert reply(await talk.say(session, "May I park here?"))["text"] == "It is free. [handbook.md, Parking]"


async def test_a_turn_that_the_slow_mind_hands_back_is_the_fast_minds_own(small: Talk) -> None:
    small.gate.fact, small.fast.odds = 1.0, -3.0
    small.slow.says = lambda _: ['print("Ljubljana")']
    events = await small.say(small.session(), "quiz, question 7: the capital of Slovenia")
    said = reply(events)
    assert (said["by"], said["text"], said["answer"]) == ("fast", "Hello there.", "Hello there.")
    assert (said["doubt"], said["note"]) == (True, spoken("fast/unsure"))
    assert "remember" not in said and not [event for event in events if event.kind == "step"]


async def test_a_request_that_reached_the_limit_is_no_reply_that_did(small: Talk) -> None:
    session = small.session()
    await small.say(session, "hello")
    small.fast.says = lambda heard: [SUM, Sign.CUT] if heard.stop else small_talk(heard)
    small.slow.says = lambda heard: (
        ["print(f'387 times 46 is {387 * 46}.')"] if heard.prefix else ["387 times 46 is 17802."]
    )
    said = reply(await small.say(session, SUM))
    assert said["text"] == "387 times 46 is 17802." and "cut" not in said
