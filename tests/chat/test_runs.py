"""Runs belong to the server: who follows, stops, edits, kills it or fills its disk."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest
from sqlalchemy import text as sql

from chat.faults import ChatFault, DiskFull, UnknownSession, sentence
from minds.dialogue import Event
from minds.models.language import ToolCall
from tests.chat.ground import Talk, a_talk, name, names, reply, small_talk, solve, times
from tests.fakes import Heard
from tools.plain import readable

SUM = "What is 387 times 46?"
PRODUCT = "387 * 46 = 17802"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as opened:
        yield opened


async def held_reply(talk: Talk, session: str, first: str = "Hel") -> tuple[int, asyncio.Event]:
    """A fast reply that stopped after its first piece; (turn, the event that lets it go on)."""
    held = asyncio.Event()
    talk.fast.says = lambda _: [first, held, "lo"]
    turn = await talk.runs.submit(session, "hello")
    await talk.until(lambda: f"{turn}:delta" in talk.view(session))
    return turn, held


async def held_step(talk: Talk, session: str) -> tuple[int, asyncio.Event]:
    """A slow run that waits after its first step."""
    held = asyncio.Event()
    talk.slow.steps = lambda heard: [held, PRODUCT] if heard.found else [times(SUM)]
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and talk.slow.heard[-1].found)
    return turn, held


# -- what is taken


@pytest.mark.parametrize("text", ["", "   ", "\n\t ", "\x00\x1b\x07", "\ud800"])
async def test_an_empty_message_is_refused(talk: Talk, text: str) -> None:
    session = talk.session()
    with pytest.raises(ChatFault, match="message is empty"):
        await talk.runs.submit(session, text)
    assert talk.transcript.events(session) == []


async def test_a_long_message_is_refused_and_the_limit_named(talk: Talk) -> None:
    session = talk.session()
    with pytest.raises(ChatFault, match="100,000 characters and the limit is 2,000"):
        await talk.runs.submit(session, "x" * 100_000)
    assert talk.transcript.events(session) == []
    await talk.say(session, "x" * 2000)


async def test_control_characters_go_and_the_rest_stays(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "\x1b[31mred\x1b[0m\r\nnext\tline\x00 <b>日本語</b> \ud83d🦉\x9b")
    assert talk.transcript.turn(session, 1).said == "[31mred[0m\nnext\tline <b>日本語</b> 🦉"


def test_readable_text_stays_as_it_is() -> None:
    for text in ("", "Größe 日本語 🦉 e\u0301", "a\nb\tc", "x" * 100_000):
        assert readable(text) == text


@pytest.mark.parametrize("session", ["nowhere", "", "'; DROP TABLE turns; --", "x" * 1000])
async def test_an_unknown_conversation_is_said_so(talk: Talk, session: str) -> None:
    acts = [
        talk.runs.submit(session, "hello"),
        talk.runs.retry(session, 1),
        talk.runs.delete(session),
        talk.runs.set_feedback(session, 1, 1),
        talk.runs.add_document(session, "a.txt", b"text"),
        anext(talk.runs.follow(session)),
    ]
    for act in acts:
        with pytest.raises(ChatFault) as caught:
            await act
        assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)


async def test_a_document_that_cannot_be_read_is_one_sentence(talk: Talk) -> None:
    session = talk.session()
    for file, data in (("a.pdf", b"%PDF-1.4 broken"), ("a.exe", b"MZ\x00\x01"), ("a.txt", b"")):
        with pytest.raises(ChatFault) as caught:
            await talk.runs.add_document(session, file, data)
        assert "\n" not in str(caught.value)
    assert talk.transcript.documents(session) == []


# -- stop


async def test_stop_keeps_what_was_said(talk: Talk) -> None:
    session = talk.session()
    await held_reply(talk, session)
    await talk.runs.stop(session)
    events = talk.transcript.events(session)
    assert names(events) == ["turn", "reply", "run-stopped", "end-stopped"]
    assert events[1].data["text"] == "Hel" and events[1].data["stopped"] is True
    assert talk.fast.cancelled == 1 and talk.runs.state(session) == "idle"
    talk.fast.says = small_talk
    await talk.say(session, "and now?")
    assert [str(m.content) for m in talk.fast.heard[-1].messages][1:3] == ["hello", "Hel"]


async def test_stop_before_anything_was_said(talk: Talk) -> None:
    session = talk.session()
    turn = await talk.runs.submit(session, "hello")
    await talk.runs.stop(session)
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"
    assert talk.runs.state(session) == "idle" and talk.transcript.turn(session, turn).state == "stopped"


async def test_stop_where_nothing_runs_is_no_fault(talk: Talk) -> None:
    await talk.runs.stop(talk.session())
    await talk.runs.stop("nowhere")


async def test_stop_is_of_one_conversation_only(talk: Talk) -> None:
    one, other = talk.session(), talk.session()
    turn, held = await held_reply(talk, one)
    await talk.runs.stop(other)
    held.set()
    assert reply(await talk.ended(one, turn))["text"] == "Hello"


# -- pause


async def test_pause_and_resume(talk: Talk) -> None:
    session = talk.session()
    turn, held = await held_step(talk, session)
    for _ in range(2):  # twice is once
        await talk.runs.pause(session)
    held.set()
    await asyncio.sleep(0.05)
    assert talk.runs.state(session) == "paused" and f"{turn}:reply" not in talk.view(session)
    for _ in range(2):
        await talk.runs.resume(session)
    await talk.ended(session, turn)
    states = [v.partition("-")[2] for v in talk.view(session) if ":run-" in v]
    assert states == ["started", "paused", "resumed", "finished"]


async def test_a_paused_run_can_be_stopped(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_step(talk, session)
    await talk.runs.pause(session)
    await talk.runs.stop(session)
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"


# -- edit, retry, undo


async def test_an_edit_answers_the_new_words_and_forgets_the_old(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.say(session, "hello")
    turn = await talk.runs.submit(session, "What is 12 times 12?", edits=1)
    assert "144" in reply(await talk.ended(session, turn))["text"]
    assert {e.turn for e in talk.transcript.events(session)} == {3}
    await talk.remembering.settle()
    assert {note.id.split(":")[1] for note in talk.kept()} == {"3"}
    assert SUM not in talk.fast.heard[-1].everything


async def test_an_edit_ends_what_is_under_way(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_step(talk, session)
    follower = asyncio.create_task(talk.ended(session, turn))
    await asyncio.sleep(0)
    talk.slow.steps = solve
    other = await talk.runs.submit(session, "What is 12 times 12?", edits=turn)
    assert names(await follower)[-1] == "end-stopped"
    assert "144" in reply(await talk.ended(session, other))["text"]
    assert talk.transcript.turns_in("open", "interrupted") == []


async def test_a_turn_whose_words_were_deleted_is_not_asked_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "removed")
    await talk.ended(session, await talk.runs.retry(session, 1))  # somebody said that word
    await talk.say(session, "my ex is called Ingeborg")
    talk.transcript.remove([(session, 3)])
    with pytest.raises(ChatFault, match="were deleted: type anew"):
        await talk.runs.retry(session, 3)
    assert len(talk.fast.heard) == 3 and await talk.runs.undo(session) == ""


async def test_a_retry_asks_the_same_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "hello")
    talk.fast.says = lambda _: ["Good day."]
    turn = await talk.runs.retry(session, 1)
    events = await talk.ended(session, turn)
    assert events[0].data == {"text": "hello", "edits": 1} and reply(events)["text"] == "Good day."
    with pytest.raises(ChatFault, match="no longer in the conversation"):
        await talk.runs.retry(session, 1)


async def test_what_is_said_in_another_tab_while_a_turn_is_taken_back_goes_with_it(talk: Talk) -> None:
    session = talk.session()
    await held_reply(talk, session)
    undo = asyncio.create_task(talk.runs.undo(session))
    await asyncio.sleep(0)
    await talk.runs.submit(session, "and this")
    await undo
    assert talk.runs.under_way() == [] and talk.kept() == []


async def test_who_edits_what_was_edited_in_another_tab_ends_nothing_of_it(talk: Talk) -> None:
    session = talk.session()
    await held_reply(talk, session)
    talk.fast.says = small_talk
    edits = [asyncio.create_task(talk.runs.submit(session, words, edits=1)) for words in ("hello dear", "hello all")]
    done = await asyncio.gather(*edits, return_exceptions=True)
    assert done[0] == 2 and isinstance(done[1], ChatFault)
    assert names(await talk.ended(session, 2))[-2:] == ["reply", "end-done"]


async def test_an_edit_leaves_what_the_turn_was_answered_from(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    assert reply(await talk.say(session, SUM))["by"] == "memory"
    await talk.say(session, "hello dear", edits=1)
    assert reply(await talk.say(talk.session(), SUM))["by"] == "memory"


async def test_an_edit_leaves_what_later_turns_were_answered_from(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    await talk.say(session, "hello")
    assert reply(await talk.say(session, SUM))["by"] == "memory"
    await talk.say(session, "hello dear", edits=1)
    assert reply(await talk.say(talk.session(), SUM))["by"] == "memory"


async def test_undo_takes_back_turn_after_turn(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "one")
    await held_reply(talk, session)
    assert await talk.runs.undo(session) == "hello"
    assert await talk.runs.undo(session) == "one"
    with pytest.raises(ChatFault, match="nothing to undo"):
        await talk.runs.undo(session)
    assert set(names(talk.transcript.events(session))) == {"superseded"}
    await talk.remembering.settle()
    assert talk.notes() == set()


async def test_a_refused_edit_leaves_the_turn_alone(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "hello")
    before = talk.transcript.events(session)
    for text, edits in (("", 1), ("x" * 9999, 1), ("fine", 99)):
        with pytest.raises(ChatFault):
            await talk.runs.submit(session, text, edits=edits)
    assert talk.transcript.events(session) == before


# -- those who follow


async def collected(talk: Talk, session: str, into: list[Event], after: int = 0) -> None:
    async for event in talk.runs.follow(session, after):
        into.append(event)


async def test_two_who_follow_see_the_same_and_leaving_changes_nothing(talk: Talk) -> None:
    session = talk.session()
    seen: tuple[list[Event], list[Event], list[Event]] = ([], [], [])
    tasks = [asyncio.create_task(collected(talk, session, into)) for into in seen[:2]]
    turn, held = await held_step(talk, session)
    last = talk.transcript.events(session)[-1]
    await talk.until(lambda: all(into and into[-1] == last for into in seen[:2]))
    tasks[1].cancel()
    tasks.append(asyncio.create_task(collected(talk, session, seen[2], seen[0][-1].seq)))
    held.set()
    await talk.ended(session, turn)
    await talk.until(lambda: name(seen[0][-1]) == "end-done" and seen[2] and name(seen[2][-1]) == "end-done")
    assert seen[1] + seen[2] == seen[0]
    lasting = [e for e in seen[0] if e.kind not in ("delta", "act")]
    assert lasting == talk.transcript.events(session)
    for task in tasks:
        task.cancel()


async def test_a_late_follower_sees_the_whole_story(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    assert names(await talk.ended(session, 1)) == names(talk.transcript.events(session))


async def test_those_who_follow_hear_of_edits_and_undos(talk: Talk) -> None:
    session = talk.session()
    seen: list[Event] = []
    task = asyncio.create_task(collected(talk, session, seen))
    await talk.say(session, "one")
    await talk.ended(session, await talk.runs.submit(session, "two", edits=1))
    await talk.runs.undo(session)
    await talk.until(lambda: seen[-1].kind == "superseded")
    assert [e.data.get("edits") for e in seen if e.kind == "turn"] == [None, 1]
    assert seen[-1].data == {"from": 2}
    task.cancel()


async def test_a_follower_of_one_conversation_hears_nothing_of_another(talk: Talk) -> None:
    one, other = talk.session(), talk.session("ben")
    seen: list[Event] = []
    task = asyncio.create_task(collected(talk, one, seen))
    await talk.say(other, "a secret")
    await talk.say(one, "hello")
    await talk.until(lambda: seen and seen[-1].kind == "end")
    assert {event.session for event in seen} == {one}
    task.cancel()


async def test_every_event_is_stored_before_it_is_seen(talk: Talk) -> None:
    session = talk.session()
    held = asyncio.create_task(held_reply(talk, session))
    await held
    async for event in talk.runs.follow(session):
        assert event in talk.transcript.events(session)
        if event.kind == "delta":
            break


# -- after the server died


async def test_what_is_sent_again_because_its_answer_was_lost_is_said_once(talk: Talk) -> None:
    session, other = talk.session(), talk.session()
    turn = await talk.runs.submit(session, "hello", sent="a-1")
    assert await talk.runs.submit(session, "hello", sent="a-1") == turn
    await talk.ended(session, turn)
    assert await talk.runs.submit(session, "hello", sent="a-2") == turn + 1
    assert await talk.runs.submit(other, "hello", sent="a-1") == 1 and talk.view(other)
    assert await talk.runs.submit(session, "other words", sent="a-2") == turn + 2
    await talk.runs.idle()
    back = await talk.killed()
    try:
        assert await back.runs.submit(session, "hello", sent="a-1") == turn
    finally:
        await back.close()


async def test_what_a_dead_server_left_is_interrupted_and_resumes_from_its_steps(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "hello")
    turn, _ = await held_step(talk, session)
    back = await talk.killed()
    try:
        assert back.runs.state(session) == "interrupted"
        assert back.view(session)[-2:] == [f"{turn}:run-interrupted", f"{turn}:end-interrupted"]
        assert "1:reply" in back.view(session)
        await back.runs.resume(session)
        assert back.runs.state(session) in ("fast", "slow")
        events = await back.ended(session, turn)
        assert "17802" in reply(events)["text"]
        assert back.slow.heard[0].found == PRODUCT
        assert [e.kind for e in events].count("step") == 1 and [e.kind for e in events].count("end") == 1
        assert [e.data["resumed"] for e in events if name(e) == "run-started"] == [0, 1]
    finally:
        await back.close()


async def test_what_the_person_added_before_the_server_died_is_still_heard(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_step(talk, session)
    talk.fast.says = lambda _: ["Fine.", ToolCall("tell_slow_mind", {"kind": "steer", "words": "in Roman numerals"})]
    await talk.say(session, "Roman, please")
    back = await talk.killed()
    try:
        back.slow.steps = lambda _: ["XVII·DCCCII"]
        await back.runs.resume(session)
        await back.ended(session, turn)
        assert back.slow.heard[0].last == "in Roman numerals"
    finally:
        await back.close()


async def test_what_is_paused_goes_on_alone_and_what_a_dead_server_left_stays_where_it_was(talk: Talk) -> None:
    session = talk.session()
    left, _ = await held_step(talk, session)
    back = await talk.killed()
    try:
        turn, held = await held_step(back, session)
        await back.runs.pause(session)
        held.set()
        await asyncio.sleep(0.05)
        await back.runs.resume(session)
        await back.ended(session, turn)
        assert back.runs.state(session) == "interrupted" and f"{left}:run-resumed" not in back.view(session)
    finally:
        await back.close()


async def test_a_turn_that_is_resumed_is_not_told_what_was_said_behind_it(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_reply(talk, session)
    back = await talk.killed()
    try:
        await back.say(session, "hello, hello penguins")
        await back.until(lambda: any("penguins" in note.text for note in back.kept()))
        await back.runs.resume(session)
        await back.ended(session, turn)
        assert "penguins" not in back.fast.heard[-1].everything
        await back.say(back.session(), "hello")
        assert "penguins" in back.fast.heard[-1].everything
    finally:
        await back.close()


async def test_an_interrupted_fast_turn_is_answered_anew(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_reply(talk, session)
    back = await talk.killed()
    try:
        assert names(back.transcript.events(session)) == ["turn", "run-interrupted", "end-interrupted"]
        await back.runs.resume(session)
        events = await back.ended(session, turn)
        assert reply(events)["text"] == "Hello there."
    finally:
        await back.close()


async def test_an_interrupted_turn_can_be_discarded(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await held_step(talk, session)
    back = await talk.killed()
    try:
        await back.runs.discard(session)
        assert back.runs.state(session) == "idle"
        assert back.view(session)[-1] == f"{turn}:run-discarded"
        await back.runs.resume(session)
        assert back.runs.state(session) == "idle"
        await back.say(session, "hello")
    finally:
        await back.close()


async def test_a_turn_that_was_answered_before_the_death_is_done(talk: Talk) -> None:
    session = talk.session()
    talk.transcript.begin_turn(session, "hello")
    talk.transcript.append(session, 1, "reply", {"by": "fast", "text": "Hi.", "invoke": False, "final": True})
    assert talk.runs.recover() == 1
    assert talk.view(session) == ["1:turn", "1:reply", "1:end-done"]


async def test_a_server_that_ends_in_order_interrupts_and_keeps_no_half_reply(talk: Talk) -> None:
    session, other = talk.session(), talk.session()
    await held_reply(talk, session)
    talk.fast.says = small_talk
    await held_step(talk, other)
    await talk.runs.close()
    assert names(talk.transcript.events(session)) == ["turn", "run-interrupted", "end-interrupted"]
    assert talk.view(other)[-1] == "1:end-interrupted"
    assert talk.runs.state(session) == talk.runs.state(other) == "interrupted"


@pytest.mark.parametrize("ends", ["close", "stop"])
async def test_a_turn_that_is_only_to_be_read_for_facts_is_done(talk: Talk, ends: str) -> None:
    session, listed, told = talk.session(), Signal(), "my dog is called Rex"
    talk.reader.scopes = {told: "telling"}
    talk.remembering.to_read = lambda *_: listed.wait(20)  # type: ignore[method-assign, assignment]
    await talk.runs.submit(session, told)
    await talk.until(lambda: "1:reply" in talk.view(session))
    await (talk.runs.close() if ends == "close" else talk.runs.stop(session))
    listed.set()
    assert talk.view(session)[1:] == ["1:reply", "1:end-done"]


async def test_a_server_that_ends_at_once_leaves_no_turn_open(talk: Talk) -> None:
    session = talk.session()
    await talk.runs.submit(session, "hello")
    late = asyncio.create_task(talk.runs.submit(session, "and this"))
    await talk.runs.close()
    assert [talk.transcript.turn(session, turn).state for turn in (1, await late)] == ["interrupted"] * 2


# -- faults around the run


class FullDisk:
    """The transcript's database, full from now on."""

    def __init__(self, talk: Talk) -> None:
        self._talk, self._append = talk, talk.transcript.append
        talk.transcript.append = self._refuse  # type: ignore[method-assign]

    def _refuse(self, session: str, turn: int, kind: str, data: Mapping[str, object]) -> Event:
        raise DiskFull() from sqlite3.OperationalError("database or disk is full")

    def mended(self) -> None:
        self._talk.transcript.append = self._append  # type: ignore[method-assign]


async def test_a_disk_that_fills_up_in_the_middle_is_told_and_does_not_hang(talk: Talk) -> None:
    session = talk.session()
    turn, held = await held_reply(talk, session)
    follower = asyncio.create_task(talk.ended(session, turn))
    await asyncio.sleep(0)
    disk = FullDisk(talk)
    held.set()
    events = await follower
    assert [e.data["text"] for e in events if e.kind == "error"] == [str(DiskFull())]
    assert name(events[-1]) == "end-failed" and talk.runs.state(session) == "idle"
    disk.mended()
    talk.fast.says = small_talk
    assert reply(await talk.say(session, "and now?"))["text"] == "Hello there."
    assert [name(e) for e in await talk.ended(session, turn + 1)][-1] == "end-done"


async def test_a_disk_that_is_full_refuses_the_message(talk: Talk) -> None:
    session = talk.session()
    pages = talk.transcript._read(sql("PRAGMA page_count"))[0][0]
    talk.transcript._read(sql(f"PRAGMA max_page_count={pages}"))
    with pytest.raises(DiskFull, match="free some space"):
        for _ in range(50):
            await talk.runs.submit(session, "x" * 2000)
    talk.transcript._read(sql("PRAGMA max_page_count=1073741823"))
    await talk.runs.stop(session)
    await talk.say(session, "hello")


def test_faults_become_one_sentence() -> None:
    assert sentence(OSError(errno.ENOSPC, "No space left on device")) == str(DiskFull())
    assert sentence(sqlite3.OperationalError("database or disk is full")) == str(DiskFull())
    assert "RuntimeError" in sentence(RuntimeError("a\nb")) and "a\nb" not in sentence(RuntimeError("a\nb"))
    assert sentence(UnknownSession("x" * 500)).count("x") < 80


async def test_deleting_a_conversation_ends_its_runs(talk: Talk) -> None:
    session = talk.session()
    await held_step(talk, session)
    await talk.runs.delete(session)
    assert talk.slow.cancelled == 1 and talk.runs.state(session) == "idle"
    with pytest.raises(UnknownSession):
        talk.transcript.session(session)
    await talk.remembering.settle()
    assert talk.notes() == set()


async def test_what_is_said_while_a_conversation_is_deleted_goes_with_it(talk: Talk) -> None:
    session, forget = talk.session(), talk.conversation.forget

    async def slowly(session: str) -> None:
        await forget(session)
        if not talk.transcript.turns_from(session, 1):
            await held_reply(talk, session)

    talk.conversation.forget = slowly  # type: ignore[method-assign]
    await talk.runs.delete(session)
    assert talk.runs.under_way() == [] and talk.runs._unstored == {}


async def test_no_word_of_a_deleted_conversation_is_left_on_the_disk(talk: Talk) -> None:
    gone = talk.session()
    await talk.say(talk.session(), "hello")
    await talk.say(gone, "my ex is called Ingeborg")
    await talk.runs.delete(gone)
    files = [path.read_bytes() for path in talk.folder.glob("duet.sqlite*")]
    assert len(files) > 1 and not any(b"Ingeborg" in data for data in files)
    assert [*talk.transcript._read(sql("SELECT count(DISTINCT segid) FROM found_idx"))] == [(1,)]


async def test_all_of_a_persons_conversations_are_deleted_and_nobody_elses(talk: Talk) -> None:
    gone, pinned, other = talk.session(), talk.session(), talk.session("ben")
    await talk.say(gone, "my ex is called Ingeborg")
    await talk.say(other, "hello")
    await held_step(talk, pinned)
    talk.transcript.arrange(pinned, pinned=True)
    assert await talk.runs.delete_all("ada") == 2
    assert talk.slow.cancelled == 1 and talk.transcript.sessions("ada") == []
    assert [one.id for one in talk.transcript.sessions("ben")] == [other]
    await talk.remembering.settle()
    assert talk.notes() == set()
    files = [path.read_bytes() for path in talk.folder.rglob("*.sqlite*")]
    assert files and not any(b"Ingeborg" in data for data in files)


async def test_all_that_there_were_are_deleted_where_one_goes_and_one_comes_elsewhere_meanwhile(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, other = talk.session(), talk.session()
    stop = talk.runs.stop

    async def elsewhere(session: str) -> None:
        monkeypatch.setattr(talk.runs, "stop", stop)
        talk.transcript.delete(other)
        begun.append(talk.session())
        await stop(session)

    begun = list[str]()
    monkeypatch.setattr(talk.runs, "stop", elsewhere)
    assert await talk.runs.delete_all("ada") == 1
    assert [one.id for one in talk.transcript.sessions("ada")] == begun, "nobody asked for that one"


async def test_feedback_is_kept_and_only_of_turns_in_view(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "hello")
    await talk.runs.set_feedback(session, 1, 1)
    assert talk.transcript.marks(session).get(1, 0) == 1
    await talk.runs.undo(session)
    with pytest.raises(ChatFault):
        await talk.runs.set_feedback(session, 1, 1)


# -- many at once


async def test_sixteen_conversations_at_once_never_mix(talk: Talk) -> None:
    def echo(heard: Heard) -> list[Any]:
        if heard.found or "times" not in heard.said:
            return [heard.found or heard.said]
        return ["Let me see.", ToolCall("think", {"request": heard.said})]

    talk.fast.says = echo
    secrets = {talk.session(f"user{n % 4}"): f"{n + 11}{n + 37}" for n in range(16)}

    async def chat(session: str, secret: str) -> None:
        for _ in range(2):
            await talk.say(session, f"My word is w{'x' * int(secret[:2])}.")
            await talk.say(session, f"What is {secret} times 3?")

    await asyncio.gather(*(chat(session, secret) for session, secret in secrets.items()))
    for session, secret in secrets.items():
        told = ("text", "question", "argument", "observation", "slow", "result", "thought")
        text = str([e.data.get(key) for e in talk.transcript.events(session) for key in told])
        assert str(int(secret) * 3) in text
        for other, foreign in secrets.items():
            if other != session:
                assert f"{foreign} times" not in text and f"{foreign} *" not in text
                assert str(int(foreign) * 3) not in text
    await talk.remembering.settle()
    for user in {f"user{n}" for n in range(4)}:
        own = {session for session in secrets if talk.transcript.session(session).user == user}
        assert {note.session for note in talk.kept(user)} == own
