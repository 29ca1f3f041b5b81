"""Faults in the middle of a turn, and turns that were interrupted."""

from __future__ import annotations

import asyncio
from shutil import rmtree
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from chat.deletions import REMOVED
from chat.faults import DiskFull
from chat.settings import Options
from memory.memory import PERSON
from minds.dialogue import Event
from minds.models.language import WAITS, BadSpec, Busy, Garbled, ToolCall, Unreachable, spending, tell
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
from tools import open_tools
from tools.desk import Desk

LIMIT = {"host": "api.example", "seconds": 1}

# -- faults


async def test_a_model_that_fails_in_the_middle_is_one_sentence(talk: Talk) -> None:
    talk.fast.says = lambda _: ["Hel", "lo ", Unreachable("The fast model's server ended: try again.")]
    session = talk.session()
    events = await talk.say(session, "hello")
    assert names(events)[-2:] == ["error", "end-failed"]
    assert events[-2].data == {"text": "The fast model's server ended: try again.", "unheard": True}
    stored = [event.kind for event in talk.transcript.turn_events(session, 1)]
    assert "delta" not in stored, "no deletion of a note would find it"
    talk.fast.says = lambda _: ["Fine."]
    assert reply(await talk.say(session, "and now?"))["text"] == "Fine."


async def test_what_is_told_of_a_limit_breaks_no_turn(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told amid the client's request, which would take a full disk for a connection that failed."""
    append = talk.transcript.append

    def full(session: str, turn: int, kind: str, data: Any) -> Event:
        if kind == "status":
            raise DiskFull
        return append(session, turn, kind, data)

    def asked(_: Heard) -> list[str]:
        tell("limit", **LIMIT)
        return ["Fine."]

    monkeypatch.setattr(talk.transcript, "append", full)
    talk.fast.says = asked
    assert reply(await talk.say(talk.session(), "hello"))["text"] == "Fine."


async def test_what_a_failed_turn_took_is_told(talk: Talk) -> None:
    def asked(_: Heard) -> list[Exception]:
        used = spending("openai:m").usage
        used.read, used.written, used.calls = 40, 2, 1
        tell("limit", **LIMIT)
        return [Busy("It is busy: wait.")]

    talk.fast.says = asked
    events = await talk.say(talk.session(), "hello")
    [told] = [event.data for event in events if event.kind == "status"]
    assert told == {"text": WAITS["limit"].format(**LIMIT), **LIMIT}
    [error] = [event.data for event in events if event.kind == "error"]
    assert (error["tokens"], error["calls"]) == (42, 1)


@pytest.mark.parametrize("fault", [Busy("It is busy: wait."), Garbled("It speaks in tongues: choose another.")])
async def test_a_slow_model_that_fails_keeps_the_trace(talk: Talk, fault: Exception) -> None:
    talk.slow.steps = in_turn(TIMES, fault)
    session = talk.session()
    await talk.say(session, SUM)
    assert talk.view(session)[-3:] == ["1:step", "1:error", "1:end-failed"]
    assert talk.transcript.events(session)[-2].data["text"] == str(fault)
    assert reply(await talk.say(session, "hello"))["by"] == "fast"


async def test_a_turn_that_failed_is_taken_up_from_its_steps_and_what_was_said_in_it(talk: Talk) -> None:
    """Anew it would be paid for twice."""
    talk.slow.steps = in_turn(TIMES, Busy("It is busy: wait."))
    session = talk.session()
    await talk.say(session, SUM)
    talk.slow.steps, before = in_turn("17802"), len(talk.fast.heard)
    await talk.runs.resume(session)
    events = await talk.ended(session, 1)
    assert "17802" in reply(events)["text"] and talk.slow.heard[-1].found == PRODUCT
    assert [e.kind for e in events].count("step") == 1 and events[-1].data["state"] == "done"
    assert len(talk.fast.heard) == before + 1, "it words the result, and is not asked again whether to call"
    await talk.runs.resume(session)
    assert talk.runs.state(session) == "idle" and len(talk.transcript.turn_events(session, 1)) == len(events)


async def test_beside_a_turn_that_was_interrupted_the_failed_one_stays(talk: Talk) -> None:
    """Its own button takes it up: who resumes the one asks for nothing else."""
    session = talk.session()
    for state in ("interrupted", "failed"):
        turn = await talk.runs.submit(session, "hello")
        await talk.ended(session, turn)
        talk.transcript.set_state(session, turn, state)
    await talk.runs.resume(session)
    await talk.ended(session, 1)
    assert talk.transcript.last_turn(session).state == "failed"  # type: ignore[union-attr]
    await talk.runs.resume(session)
    await talk.ended(session, 2)
    assert talk.transcript.last_turn(session).state == "done"  # type: ignore[union-attr]


async def test_only_the_last_turn_that_failed_is_taken_up(talk: Talk) -> None:
    talk.fast.says = lambda _: [Busy("It is busy: wait.")]
    session = talk.session()
    await talk.say(session, "hello")
    talk.fast.says = lambda _: ["Fine."]
    await talk.say(session, "hello again")
    await talk.runs.resume(session)
    assert talk.runs.state(session) == "idle" and "1:end-failed" in talk.view(session)


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


async def test_steps_behind_a_crash_amid_parallel_calls_have_numbers_of_their_own(talk: Talk) -> None:
    session = talk.session()
    back, turn = await interrupted_run(talk, session)
    try:
        [first] = [e for e in back.transcript.events(session) if e.kind == "step"]
        back.transcript.append(session, turn, "step", {**first.data, "number": 3})  # the second was under way
        back.slow.steps = in_turn(ToolCall("multiply", {"one": 12, "other": 12}), PRODUCT)
        await back.runs.resume(session)
        events = await back.ended(session, turn)
        assert [e.data["number"] for e in events if e.kind == "step"] == [1, 3, 4]
        assert [e.data["number"] for e in events if e.kind == "act"][-1:] in ([], [4])
    finally:
        await back.close()


# -- what was said in a turn that failed

TOLD = "Electricity is 78.20, not 87.20"


async def fails(talk: Talk, session: str, said: str = TOLD) -> None:
    """A turn whose endpoint is gone, on both sides."""
    before = talk.fast.says
    talk.fast.says = lambda _: [Unreachable("The fast model's server ended: try again.")]
    assert names(await talk.say(session, said))[-1] == "end-failed"
    talk.fast.says = before


async def test_what_a_person_says_in_a_turn_that_fails_is_remembered(talk: Talk) -> None:
    await fails(talk, talk.session())
    assert [(note.text, note.speaker) for note in talk.kept()] == [(TOLD, PERSON)]
    await talk.say(talk.session(), "what does Electricity cost")
    assert TOLD in talk.fast.heard[-1].everything


async def test_a_turn_that_fails_is_remembered_again_after_a_crash(talk: Talk) -> None:
    await talk.say(talk.session(), "hello")
    await fails(talk, talk.session())
    before = talk.kept()
    memory = talk.store.user("ada")
    talk.remembering.reconcile(memory)
    assert talk.kept() == before
    talk.store._users.pop("ada").close()
    rmtree(talk.store._folder("ada"))
    assert talk.kept() == before and len(before) == 3


async def test_a_turn_that_fails_with_the_memory_off_leaves_nothing(talk: Talk) -> None:
    session = talk.session(memory=False)
    await fails(talk, session)
    talk.transcript.set_options(session, Options(memory=True))
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.kept() == []


async def test_a_turn_that_is_off_the_record_and_fails_leaves_nothing(talk: Talk) -> None:
    def tools(domain: str, desk: Desk) -> Any:
        return open_tools(desk, ["memory"])

    talk.counters.tools = tools  # type: ignore[method-assign]
    thinks(talk)
    wish = ToolCall("memory", {"do": "show"})
    talk.slow.steps = in_turn(wish, Unreachable("The slow model's server ended: try again."))
    assert names(await talk.say(talk.session(), "what do you know of Tom"))[-2:] == ["error", "end-failed"]
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.kept() == []


async def test_a_turn_that_failed_and_is_asked_again_is_remembered_once(talk: Talk) -> None:
    session = talk.session()
    await fails(talk, session)
    await talk.ended(session, await talk.runs.retry(session, 1))
    assert [note.turn for note in talk.kept() if note.speaker == PERSON] == [2]
    await talk.runs.undo(session)
    assert talk.kept() == []


async def test_what_was_said_in_a_turn_that_failed_can_be_deleted_for_good(talk: Talk) -> None:
    session = talk.session()
    await fails(talk, session)
    memory = talk.store.user("ada")
    memory.forget([note.id for note in talk.kept()])
    assert talk.transcript.turn(session, 1).said == REMOVED
    memory.notes.set_meta("transcript", "0")
    talk.remembering.reconcile(memory)
    assert talk.kept() == []
    held = b"".join(path.read_bytes() for path in talk.folder.rglob("*") if path.is_file())
    assert b"78.20" not in held


async def test_a_turn_that_is_stopped_leaves_nothing(talk: Talk) -> None:
    session = talk.session()
    talk.fast.says = lambda _: [asyncio.Event(), "never"]
    turn = await talk.runs.submit(session, TOLD)
    await talk.until(lambda: talk.fast.heard)
    await talk.runs.stop(session)
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.kept() == []
