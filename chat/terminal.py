"""The event log on a terminal: `ask` (one turn), `talk` (a conversation) and `play` (a task in a text world)."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from chat.faults import ChatFault, one_of
from chat.keyboard import Keys, Out, keyboard, paths_of, read_file
from chat.line import Line, open_line
from chat.settings import Settings
from chat.worlds.commands import is_command
from minds.dialogue import Event, clip
from tools.desk import ToolFault
from tools.pictures import is_picture, read_picture
from tools.plain import readable
from tools.reading import read_document
from tools.worlds import WORLDS, simulator

_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON may hold as it is, and a terminal would take for a command or a reader of lines for a break."""
DOUBT = "not sure of this: check it"
HELP = """\
Type and press Enter. While the slow mind works you can go on typing: a question is answered at once, a wish steers it.
/stop  /pause  /resume  /discard  /undo   what is under way, or the last turn
/play  a task in a text world    /world  what can be said there without a model
/file  PATH: a document or a picture of this machine, into the conversation
/new   a new conversation        /quit   the end (Ctrl+D too)
Ctrl+C drops what is half typed, then stops what is under way, then ends Duet."""


async def ask(
    settings: Settings,
    text: str,
    session: str | None,
    as_json: bool,
    domain: str | None = None,
    flags: Sequence[str] = (),
    files: Sequence[str] = (),
) -> int:
    """One turn, until its end; 0 when it was answered. A `domain` is chosen for the conversation, `files` of this
    machine are put into it. Raises ChatFault."""
    read = [await _judged(path) for path in files]
    async with open_line(settings, flags) as line:
        session = await line.open_session(settings.user, session, domain)
        for name, data in read:
            await line.add_file(session, name, data)
        show = json_printer() if as_json else Printer(sys.stdout, steps=False)
        turn = await line.submit(session, text)
        show(Event(0, session, turn, "session", {"user": settings.user}, 0))
        with whole_lines(show):
            state = await show_turn(line, session, turn, show)
    return 0 if state == "done" else 1


async def _judged(path: str) -> tuple[str, bytes]:
    """The name of a file of this machine that can be used, and what is in it. Raises ChatFault."""
    name, data = Path(path).name, await read_file(path)
    try:
        await asyncio.to_thread(read_picture if is_picture(name) else read_document, name, data)
    except ToolFault as fault:
        raise ChatFault(str(fault)) from fault
    return name, data


async def talk(
    settings: Settings,
    session: str | None,
    domain: str | None = None,
    flags: Sequence[str] = (),
    whose: Sequence[str] = (),
) -> int:
    """A conversation on the terminal; `whose`: the words of the command that say so. Raises ChatFault where it cannot
    begin."""
    async with open_line(settings, flags) as line:
        session = await line.open_session(settings.user, session, domain)
        print(f"Duet. Conversation {session}. /help says more.", flush=True)
        if domain:
            from tools.domains import about

            print(about(domain).greeting, flush=True)
        going: str | None = session
        try:
            with keyboard() as keys:
                while going is not None:
                    session = going
                    going = await talk_in(line, session, settings, keys)
        finally:
            if sys.stdin.isatty():
                again = shlex.join(["python", "main.py", "talk", "--session", session, *whose])
                print(f"To go on with it: {again}", file=sys.stderr)
    return 0


async def play(settings: Settings, asked: Mapping[str, Any], flags: Sequence[str] = ()) -> int:
    """As one turn, or with the person acting as many as they like; 0 when the task was won, or the person left.
    Without a task the world's tasks are listed. Raises ChatFault.
    """
    human, as_json = bool(asked.get("human")), bool(asked.get("json"))
    if not asked.get("task"):
        print("\n".join(tasks_of(str(asked["world"]), as_json=as_json)))
        return 0
    async with open_line(settings, flags) as line:
        session = await line.open_session(settings.user, asked.get("session"), asked.get("domain"))
        show = json_printer() if as_json else Printer(sys.stdout, steps=True)
        won, last = await _played(line, session, command(asked), show)
        if human and as_json:
            for said in sys.stdin:
                if said.strip():
                    won = (await _played(line, session, said, show))[0] or won
        elif human:
            with keyboard() as keys:
                await talk_in(line, session, settings, keys, last)
    return 0 if won or human else 1


def tasks_of(world: str, *, as_json: bool = False) -> list[str]:
    """A line for each task. Raises ChatFault for a world that there is not, or that has none of its own."""
    tasks = simulator(one_of(world, WORLDS, "world")).tasks()
    if not tasks:
        raise ChatFault(f"{world} lists no tasks: name a game file, `main.py play {world} PATH`.")
    if as_json:
        return [json.dumps(asdict(task)) for task in tasks]
    width = max(len(task.name) for task in tasks)
    return [f"{task.name:{width}}  {task.says}" for task in tasks]


def command(asked: Mapping[str, Any]) -> str:
    """The words that the conversation understands."""
    words = ["/play", str(asked["world"]), str(asked["task"])]
    for flag in ("variation", "strategy"):
        if asked.get(flag) is not None:
            words += [f"--{flag}", str(asked[flag])]
    return shlex.join([*words, *(["--human"] if asked.get("human") else [])])


async def _played(line: Line, session: str, said: str, show: Callable[[Event], None]) -> tuple[bool, int]:
    """One turn to its end: whether the world was won in it, and the number of its last event."""
    won, last = False, 0

    def seen(event: Event) -> None:
        nonlocal won, last
        won, last = won or (event.kind == "step" and bool(event.data.get("won"))), event.seq
        show(event)

    turn = await line.submit(session, said)
    with whole_lines(show):
        await show_turn(line, session, turn, seen)
    return won, last


async def talk_in(line: Line, session: str, settings: Settings, keys: Keys, after: int = 0) -> str | None:
    """Until another conversation is wanted (its id) or none (None). What comes behind the event `after` is shown."""
    (out, read), typed = keys, list[str]()
    printer = Printer(out, steps=True, typed=typed, last=after)
    follower, stopped = asyncio.create_task(_follow(line, session, printer)), False
    try:
        while True:
            try:
                text = await read()
            except KeyboardInterrupt:
                if stopped or not printer.under_way:
                    raise
                text = "/stop"
            stopped = text == "/stop"
            if text is None or text.strip() in ("/quit", "/exit"):
                return None
            if text.strip() == "/new":
                new = await line.open_session(settings.user, None, settings.domain or None)
                print(f"Conversation {new}.", flush=True)
                return new
            turn = await _say(line, session, text, typed)
            if turn is not None and follower.done():  # the server had ended, and is back
                follower = asyncio.create_task(_follow(line, session, printer))
            if turn and not sys.stdin.isatty():  # nobody who could go on meanwhile: each line is answered in turn
                await show_turn(line, session, turn, lambda _: None)
    finally:
        if not follower.done():
            await asyncio.sleep(0.05)
        follower.cancel()


async def _say(line: Line, session: str, text: str, typed: list[str]) -> int | None:
    """One line typed by the person, and the turn that it is (0 for none, None where it reached no line); a fault is a
    sentence and the conversation goes on."""
    word = text.strip()
    try:
        if word == "/help":
            print(HELP, flush=True)
        elif word in ("/stop", "/pause", "/resume", "/discard", "/undo"):
            if taken := await line.act(session, word[1:]):
                print(f"(taken back: {taken})", flush=True)
            return 0
        elif word.split()[:1] == ["/file"]:
            given = [await _give(line, session, path) for path in paths_of(word.removeprefix("/file").strip())]
            return 0 if any(given) else None
        elif word.startswith("/") and not is_command(word):
            print(f"There is no {word.split()[0]}. /help lists the commands.", flush=True)
        elif word:
            return await _submit(line, session, text, typed)
    except ChatFault as fault:
        print(fault, flush=True)
    return None


async def _give(line: Line, session: str, path: str) -> bool:
    """A file of this machine into the conversation; one that cannot be used leaves the others be."""
    try:
        print(f"({await line.add_file(session, Path(path).name, await read_file(path))} is here)", flush=True)
    except ChatFault as fault:
        print(fault, flush=True)
        return False
    return True


async def _submit(line: Line, session: str, text: str, typed: list[str]) -> int:
    """The turn; among what was `typed` it stands before its event can come, and where there is none not at all."""
    typed.append(said := readable(text))
    try:
        return await line.submit(session, text)
    except ChatFault:
        with suppress(ValueError):  # its event may have come all the same
            typed.remove(said)
        raise


async def _follow(line: Line, session: str, show: Printer) -> None:
    try:
        with whole_lines(show):
            async for event in line.follow(session, show.last):
                show(event)
    except ChatFault as fault:
        print(fault, flush=True)


@contextmanager
def whole_lines(show: Callable[[Event], None]) -> Iterator[None]:
    """What breaks off in the middle of a reply is told on a line of its own."""
    try:
        yield
    finally:
        if isinstance(show, Printer):
            show.end()


async def show_turn(line: Line, session: str, turn: int, show: Callable[[Event], None]) -> str:
    events = line.follow(session)
    async for event in events:
        if event.turn != turn:
            continue
        show(event)
        if event.kind in ("end", "superseded"):
            return str(event.data.get("state", "stopped"))
    return "failed"


def json_printer(out: TextIO | None = None) -> Callable[[Event], None]:
    """One event a line, nothing else; the kind is called `event`."""

    def show(event: Event) -> None:
        data: dict[str, Any] = {
            "event": event.kind,
            "session": event.session,
            "turn": event.turn,
            **event.data,
        }
        text = _HIDDEN.sub(lambda c: f"\\u{ord(c[0]):04x}", json.dumps(data, ensure_ascii=False))
        print(text, file=out or sys.stdout, flush=True)

    return show


def step_line(data: Mapping[str, Any]) -> str:
    """A step of a tool, or of a world with its score."""
    thought = f"  · {data['thought']}\n" if data["thought"] else ""
    if "episode" not in data:
        return f"{thought}    {data['action']}[{data['argument']}] -> {data['observation']}"
    score = f" (score {data['score']:g})" if data["score"] is not None else ""
    seen = str(data["observation"]) if data["by"] == "person" else clip(str(data["observation"]), 240)
    return f"{thought}  {data['number']}. {data['action']}{score}\n    {seen}"


class Printer:
    """Events as lines for a person; deltas of one reply run on."""

    def __init__(self, out: Out, *, steps: bool, typed: list[str] | None = None, last: int = 0) -> None:
        """Where, whether steps are shown, and what was typed there; None where no turns are told. `last`: the number of
        the event that was shown last."""
        self._out, self._steps, self._typed, self.last = out, steps, typed, last
        self._streaming = ""
        """What of a reply stands there already."""
        self._did = ""
        """How a reply begins that tells the step that was shown last."""
        self.under_way = set[int]()
        """Turns that were told and not yet ended."""

    def __call__(self, event: Event) -> None:
        data, self.last = event.data, event.seq or self.last
        if event.kind == "turn":
            self.under_way.add(event.turn)
        elif event.kind == "end":
            self.under_way.discard(event.turn)
        elif event.kind == "superseded":
            self.under_way.clear()
        did = self._did
        if event.kind in ("turn", "reply"):
            self._did = ""
        if event.kind == "turn" and self._typed is not None:
            self._said(str(data["text"]))
        elif event.kind == "delta" and data.get("by") == "first":
            self._line(f"  (first answer, being checked) {data['text']}")
        elif event.kind == "delta" and "move" in data:
            return  # it may be a step's thought: what is printed cannot be taken back
        elif event.kind == "delta":
            self._put(("" if self._streaming else "[fast] ") + str(data["text"]), end="")
            self._streaming += str(data["text"])
        elif event.kind == "reply" and did and str(data["text"]).startswith(did):
            if rest := str(data["text"]).removeprefix(did).strip():
                self._line(rest)
        elif event.kind == "reply":
            self._put(self._rest(str(data["text"])) if self._streaming else f"[{data['by']}] {data['text']}")
            self._streaming = ""
            if note := data.get("note") or (DOUBT if data.get("doubt") else ""):
                self._aside(str(note))
        elif event.kind == "step":
            self._line(step_line(data))
            self._did = f"**{data['action']}**\n\n{data['observation']}" if data.get("by") == "person" else ""
        elif event.kind == "world" and "learnt" in data:
            self._line(f"  (trial {data['trial']} failed, the task begins anew: {data['learnt']})")
        elif event.kind == "error":
            self._line(str(data["text"]))
        elif event.kind == "status":
            self._aside(str(data["text"]))
        elif (
            event.kind == "run"
            and self._steps
            and data["state"] in ("queued", "paused", "resumed", "interrupted", "stopped")
        ):
            self._line(f"  ({data['state']})")

    def _said(self, text: str) -> None:
        """A turn of another day, of the page or of another terminal: what was typed here stands here."""
        if self._typed and text in self._typed:
            self._typed.remove(text)
        else:
            self._line(f"> {text}")

    def _rest(self, text: str) -> str:
        """Of a whole reply what does not stand there yet: its last words may have come as one with it."""
        there = self._streaming.lstrip()
        return text[text.index(there) + len(there) :] if there in text else ""

    def _aside(self, text: str) -> None:
        """What is no part of the answer: where that alone is wanted, it goes elsewhere."""
        if self._steps:
            self._line(f"  ({text})")
        else:
            print(readable(text), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Of a line that was begun."""
        if self._streaming:
            self._put("")
            self._streaming = ""

    def _line(self, text: str) -> None:
        self.end()
        self._put(text)

    def _put(self, text: str, end: str = "\n") -> None:
        # Escape sequences in a model's words must not reach the terminal.
        self._out.write(f"{readable(text)}{end}")
        self._out.flush()
