"""The event log on a terminal: as lines for a person, and as JSON for a program."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from chat import keyboard, terminal
from chat.faults import ChatFault
from chat.line import Line, LocalLine
from chat.settings import Settings
from chat.terminal import Printer, ask, command, json_printer, play, talk
from chat.worlds.commands import spec_of_play
from minds.dialogue import Event
from minds.models.language import Unreachable
from tests.chat.ground import Talk, a_talk
from tests.chat.test_line import SUM, Duet
from tests.toyworld import INTRO, ToyWorlds
from tools.worlds.world import WorldSpec

NASTY = "\x1b[2Jred\x1b]0;title\x07 \x9b31m \x7f bell\x08 日本 \u2028 end"


def event(kind: str, **data: object) -> Event:
    return Event(1, "s", 1, kind, data, 0.0)


def printed(*events: Event, steps: bool = True) -> str:
    out = io.StringIO()
    show = Printer(out, steps=steps)
    for one in events:
        show(one)
    return out.getvalue()


@pytest.fixture
async def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    """A talk that `ask` and `talk` find when they open a line."""
    async with a_talk(tmp_path) as opened:

        @asynccontextmanager
        async def line(_: Settings, flags: Sequence[str] = ()) -> AsyncIterator[Line]:
            yield LocalLine(Duet(opened))  # type: ignore[arg-type]

        monkeypatch.setattr(terminal, "open_line", line)
        yield opened


# -- printers


def test_a_doubt_is_told_beside_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    reply = event("reply", by="slow", text="615.00 are left.", final=True, doubt=True)
    assert printed(reply) == "[slow] 615.00 are left.\n  (not sure of this: check it)\n"
    assert printed(reply, steps=False) == "[slow] 615.00 are left.\n", "the answer alone"
    assert capsys.readouterr().err == "not sure of this: check it\n"


def test_what_the_page_shows_below_a_reply_is_told_beside_it() -> None:
    reply = event("reply", by="fast", text="I cannot.", final=True, doubt=False, note="Ich habe hier kein Internet.")
    assert printed(reply) == "[fast] I cannot.\n  (Ich habe hier kein Internet.)\n"


def test_a_trial_that_failed_is_told_with_what_was_learnt() -> None:
    back = event("world", episode=1, state="undone", to=0, trial=1, why="lost", learnt="I must not drop it.")
    assert printed(back) == "  (trial 1 failed, the task begins anew: I must not drop it.)\n"
    assert printed(event("world", episode=1, state="undone", to=2)) == ""


def test_pieces_run_on_and_the_whole_reply_is_not_said_twice() -> None:
    text = printed(
        event("delta", by="fast", text="Hel"),
        event("delta", by="fast", text="lo"),
        event("reply", by="fast", text="Hello"),
        event("reply", by="memory", text="17802"),
    )
    assert text == "[fast] Hello\n[memory] 17802\n"


def test_steps_errors_and_states_stand_on_lines_of_their_own() -> None:
    text = printed(
        event("delta", by="fast", text="Hel"),
        event("step", thought="why", action="calculator", argument="1+1", observation="2"),
        event("error", text="It is busy."),
        event("run", state="paused"),
        event("run", state="started"),
        event("end", state="done"),
    )
    assert text == "[fast] Hel\n  · why\n    calculator[1+1] -> 2\nIt is busy.\n  (paused)\n"


def test_a_step_of_ones_own_is_shown_once_and_a_later_reply_that_begins_so_whole() -> None:
    step = event("step", thought="", number=1, action="look", observation="A room.", episode=1, score=None, by="person")
    reply = event("reply", by="fast", text="**look**\n\nA room.\n\nYou act.")
    shown = "  1. look\n    A room.\n"
    said = "[fast] **look**\n\nA room.\n\nYou act.\n"
    assert printed(step, reply, reply) == f"{shown}You act.\n{said}"
    assert printed(step, event("turn", text="and now?"), reply) == f"{shown}{said}"


@pytest.mark.parametrize("kind", ["delta", "reply", "step", "error"])
def test_escape_sequences_do_not_reach_the_terminal(kind: str) -> None:
    data: dict[str, Any] = {"by": "fast", "text": NASTY, "thought": NASTY, "action": NASTY, "argument": NASTY}
    text = printed(event(kind, **data, observation=NASTY, state="paused"))
    assert not [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
    assert "日本" in text


@pytest.mark.parametrize("text", [NASTY, "a\nb\r\nc", '"quoted" \\', "half \ud83d", "\x85\u2029"])
def test_json_is_one_clean_line_an_event_and_loses_nothing(text: str) -> None:
    out = io.StringIO()
    show = json_printer(out)
    show(event("reply", by="fast", text=text, final=True, invoke=False))
    show(event("end", state="done"))
    lines = out.getvalue().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["reply", "end"]
    assert json.loads(lines[0])["text"] == text
    assert not [c for line in lines for c in line if ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000]


def test_turns_of_another_day_or_place_stand_before_their_replies() -> None:
    out, typed = io.StringIO(), ["and now?"]
    show = Printer(out, steps=True, typed=typed)
    for said in ("hello", "and now?", "and now?"):
        show(event("turn", text=said))
        show(event("reply", by="fast", text="Yes."))
    assert out.getvalue() == "> hello\n[fast] Yes.\n[fast] Yes.\n> and now?\n[fast] Yes.\n", "typed here it stands here"


async def test_what_came_while_the_server_was_gone_is_shown_once_it_is_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = [
        Event(3, "s", 1, "turn", {"text": "hello"}, 0),
        Event(4, "s", 1, "reply", {"by": "slow", "text": "Late."}, 0),
    ]

    class Coming:
        gone = True

        async def act(self, *_: object) -> str:
            raise ChatFault("It is gone.")

        async def submit(self, *_: object) -> int:
            self.gone = False
            return 0

        async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
            for one in log[:1] if self.gone else log:
                if one.seq > after:
                    yield one
            raise ChatFault("The server ended.")

    monkeypatch.setattr("sys.stdin", io.StringIO("/help\n\n/stop\n/stop\nback?\n"))
    with keyboard.keyboard() as keys:
        await terminal.talk_in(Coming(), "s", Settings(), keys)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert said.partition("[slow]")[0].count("The server ended.") == 1 and said.count("It is gone.") == 2
    assert said.count("> hello\n") == 1 and said.index("The server ended.") < said.index("[slow] Late.")


# -- ask


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


async def test_ask_as_json_prints_events_and_nothing_else(room: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    assert await ask(Settings(user="ada"), SUM, None, True) == 0
    events = lines(capsys.readouterr().out)
    assert events[0]["event"] == "session" and events[-1] | {"event": "end", "state": "done"} == events[-1]
    [first, last] = [e for e in events if e["event"] == "reply"]
    assert (first["by"], first["invoke"], first["final"]) == ("fast", True, False)
    assert (last["by"], last["final"]) == ("slow", True) and "17802" in last["text"]
    [taken] = [e for e in events if e["event"] == "step"]
    assert {"thought", "action", "observation"} <= set(taken) and taken["action"] == "multiply"
    assert await ask(Settings(user="ada"), "thanks", events[0]["session"], True) == 0
    again = lines(capsys.readouterr().out)
    assert {e["turn"] for e in again} == {2} and again[0]["session"] == events[0]["session"]


async def test_ask_in_words(room: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    assert await ask(Settings(user="ada"), SUM, None, False) == 0
    assert "17802" in capsys.readouterr().out


async def test_a_turn_that_fails_is_told_by_the_exit_code(room: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    room.fast.says = lambda _: ["Hel", Unreachable("It is gone: start it.")]
    assert await ask(Settings(user="ada"), "hello", None, False) == 1
    assert "It is gone: start it." in capsys.readouterr().out


async def test_a_reply_that_breaks_off_ends_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dying:
        async def open_session(self, *_: object) -> str:
            return "s"

        async def submit(self, *_: object) -> int:
            return 1

        async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
            yield event("delta", by="fast", text="Half a senten")
            raise ChatFault("The server ended.")

    @asynccontextmanager
    async def line(_: Settings, flags: Sequence[str] = ()) -> AsyncIterator[Any]:
        yield Dying()

    monkeypatch.setattr(terminal, "open_line", line)
    with pytest.raises(ChatFault):
        await ask(Settings(user="ada"), "hello", None, False)
    assert capsys.readouterr().out == "[fast] Half a senten\n"


async def test_ask_refuses_before_anything_is_stored(room: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    other = room.session("ben")
    for text, session in (("", None), ("hello", "nowhere"), ("hello", other)):
        with pytest.raises(ChatFault):
            await ask(Settings(user="ada"), text, session, True)
    assert capsys.readouterr().out == "" and not room.transcript.places(other)


# -- talk


async def test_a_conversation_on_the_terminal(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["hello", "  ", "/help", "/nonsense", "x" * 9999, "/undo", "/undo", "/stop", "/new", "hello", "/quit"]
    seen = iter([f"{line}\n" for line in typed])

    class Keyboard:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return next(seen)

    monkeypatch.setattr("sys.stdin", Keyboard())
    assert await talk(Settings(user="ada"), None) == 0
    out, beside = capsys.readouterr()
    for part in (
        "/help says more",
        "/stop  /pause",
        "There is no /nonsense",
        "9,999 characters",
        "(taken back: hello)",
    ):
        assert part in out, part
    assert "nothing to undo" in out and "Conversation" in out
    sessions = room.transcript.sessions("ada")
    assert f"talk --session {sessions[0].id}" in beside, "the one that was open last"
    assert len(sessions) == 2 and [len(room.transcript.turns_from(s.id, 1)) for s in sessions] == [1, 0]


async def test_after_ctrl_c_the_hint_names_the_conversation_that_was_open_and_whose_it_is(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened, typed = list[int](), iter(["/new"])

    @contextmanager
    def board() -> Iterator[keyboard.Keys]:
        async def read() -> str:
            for text in typed:
                return text
            raise KeyboardInterrupt

        opened.append(1)
        yield sys.stdout, read

    monkeypatch.setattr(terminal, "keyboard", board)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    whose = ["--home", "a b", "--user", "ada"]
    with pytest.raises(KeyboardInterrupt):
        await talk(Settings(user="ada"), None, whose=whose)
    out, beside = capsys.readouterr()
    [_, last] = [line.split()[-1].rstrip(".") for line in out.replace(" /help says more.", "").splitlines()]
    assert f"talk --session {last} {shlex.join(whose)}\n" in beside
    assert opened == [1], "what was typed before /new can be called back"


async def test_ctrl_c_stops_what_is_under_way_and_then_ends() -> None:
    done, told = list[str](), asyncio.Queue[Event]()

    class Busy:
        async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
            while True:
                yield await told.get()

        async def act(self, session: str, wish: str) -> str:
            done.append(wish)
            return ""

    async def read() -> str:
        await asyncio.sleep(0.01)
        raise KeyboardInterrupt

    async def talked(*events: Event) -> None:
        for one in events:
            told.put_nowait(one)
        with pytest.raises(KeyboardInterrupt):
            await terminal.talk_in(Busy(), "s", Settings(), (io.StringIO(), read))  # type: ignore[arg-type]

    begun, ended = event("turn", text="hello"), event("end", state="done")
    await talked(begun, ended)
    assert done == [], "nothing was under way"
    await talked(begun)
    assert done == ["stop"], "once more, it ends Duet though the server told no end"


async def test_who_goes_on_with_a_conversation_reads_what_was_asked(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    await talk(Settings(user="ada"), None)
    assert "> hello" not in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("thanks\n"))
    await talk(Settings(user="ada"), room.transcript.sessions("ada")[0].id)
    said = capsys.readouterr().out
    assert "> hello\n[fast] Hello there.\n" in said and "> thanks" not in said


async def test_files_are_given_on_the_terminal(
    room: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lease, notes = tmp_path / "lease.md", tmp_path / "notes.txt"
    lease.write_text("Parking is free after six.", encoding="utf-8")
    notes.write_text("Ask for a key.", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"/file {tmp_path}/none.md {lease}\nhello\n"))
    assert await talk(Settings(user="ada"), None) == 0
    [session] = room.transcript.sessions("ada")
    said = capsys.readouterr().out
    assert "(lease.md is here)" in said and "none.md cannot be read: No such file" in said and "Hello there." in said
    assert await ask(Settings(user="ada"), "hello", session.id, False, files=[str(notes)]) == 0
    assert [each.name for each in room.transcript.documents(session.id)] == ["lease.md", "notes.txt"]
    for name in ("good.md", "bad.pdf"):
        (tmp_path / name).write_bytes(b"No PDF.")
    for name, why in (("none.md", "cannot be read"), ("bad.pdf", "is not a PDF")):
        for where in (None, session.id):
            with pytest.raises(ChatFault, match=why):
                await ask(
                    Settings(user="ada"), "hello", where, False, files=[f"{tmp_path}/good.md", f"{tmp_path}/{name}"]
                )
    assert len(room.transcript.sessions("ada")) == 1, "nothing was begun"
    assert len(room.transcript.documents(session.id)) == 2, "nothing is left behind"


async def test_what_never_becomes_a_turn_is_not_taken_for_one(room: Talk) -> None:
    typed = list[str]()
    session, line = room.session(), LocalLine(Duet(room))  # type: ignore[arg-type]
    for text in ("/help", "/nonsense", "x" * 9999, "hello"):
        await terminal._say(line, session, text, typed)
    assert typed == ["hello"]


async def test_the_end_of_input_ends_the_talk(room: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert await talk(Settings(user="ada"), None) == 0


async def test_lines_of_a_file_are_answered_one_after_the_other(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"hello\n{SUM}\nhello\n"))
    assert await talk(Settings(user="ada"), None) == 0
    said = capsys.readouterr().out
    assert said.count("[fast] Hello there.") == 2 and said.index("17802") < said.rindex("Hello there.")


def test_flags_become_words_that_are_read_back() -> None:
    said = command({"world": "alfworld", "task": "a b/mug", "variation": 3, "strategy": "oracle", "human": True})
    assert spec_of_play(said, lambda _: ToyWorlds()) == (WorldSpec("alfworld", "a b/mug", 3, ()), "oracle", True, False)


async def test_play_without_a_task_lists_them_and_asks_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert await play(Settings(user="ada"), {"world": "scienceworld"}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 30 and lines[0].split()[0] == "boil" and "/play" not in lines[0]
    assert await play(Settings(user="ada"), {"world": "alfworld", "json": True}) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["name"] == "pick_and_place_simple"
    with pytest.raises(ChatFault, match=r"no world `nowhere`; choose one of: scienceworld"):
        await play(Settings(user="ada"), {"world": "nowhere"})
    with pytest.raises(ChatFault, match=r"play textworld PATH"):
        await play(Settings(user="ada"), {"world": "textworld"})


async def test_who_acts_on_the_terminal_reads_the_opening_once(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("go to desk 1\n"))
    assert await play(Settings(user="ada"), {"world": "alfworld", "task": "mug", "human": True}) == 0
    out = capsys.readouterr().out
    assert out.count(INTRO) == 1 and "1. go to desk 1" in out
    assert "**go to desk 1**" not in out, "what the step tells the reply does not tell again"


async def test_what_is_said_in_a_world_without_a_model_is_said_on_the_terminal_too(
    room: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("go to desk 1\n/world undo\n/world dance\n"))
    assert await play(Settings(user="ada"), {"world": "alfworld", "task": "mug", "human": True}) == 0
    out = capsys.readouterr().out
    assert "Taken back from step 1 on" in out and "Say `/world take`" in out and "There is no /world" not in out


async def test_play_hands_on_which_flags_were_given_and_heeds_a_domain(
    room: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, opened = list[str](), list[str | None]()

    class Heard(LocalLine):
        async def open_session(self, user: str, session: str | None, domain: str | None = None) -> str:
            opened.append(domain)
            return await super().open_session(user, session)

    @asynccontextmanager
    async def line(_: Settings, flags: Sequence[str] = ()) -> AsyncIterator[Line]:
        handed.extend(flags)
        yield Heard(Duet(room))  # type: ignore[arg-type]

    monkeypatch.setattr(terminal, "open_line", line)
    await play(Settings(user="ada"), {"world": "alfworld", "task": "mug", "domain": "library"}, ["--no-memory"])
    assert (handed, opened) == (["--no-memory"], ["library"])


def test_ctrl_c_ends_a_conversation_without_an_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, enter, entered = threading.Event(), threading.Event(), list[bool]()

    def read() -> str:
        reading.set()
        entered.append(enter.wait(5))
        return "/quit"

    class Silent:
        async def follow(self, session: str, after: int = 0) -> AsyncIterator[Event]:
            await asyncio.Event().wait()
            yield event("never")

    async def interrupted() -> None:
        keys = sys.stdout, keyboard.piped
        talking = asyncio.create_task(terminal.talk_in(Silent(), "s", Settings(), keys))  # type: ignore[arg-type]
        while not reading.is_set():
            await asyncio.sleep(0.005)
        talking.cancel()

    monkeypatch.setattr(keyboard, "_read", read)
    asyncio.run(interrupted())
    assert not entered, "it went on before the line was there"
    enter.set()
