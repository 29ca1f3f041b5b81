"""Faults in the middle of a turn, and turns that were interrupted."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import AIMessage

from minds.models.language import BadSpec, Busy, Garbled, ToolCall, Unreachable
from tests.chat.ground import (
    PRODUCT,
    SUM,
    TIMES,
    Talk,
    names,
    questions,
    reply,
    slow_run,
    thinks,
)
from tests.fakes import Heard, in_turn

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
