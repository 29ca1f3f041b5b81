"""`play`: a task in a text world on the terminal, as one turn, or with the person at the wheel as many as they like."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

from chat.line import Line, open_line
from chat.settings import Settings
from chat.terminal import Printer, json_printer, show_turn, talk_in
from minds.dialogue import Event


async def play(settings: Settings, asked: Mapping[str, Any]) -> int:
    """0 when the task was won, or the person left. Raises ChatFault."""
    human, as_json = bool(asked.get("human")), bool(asked.get("json"))
    async with open_line(settings) as line:
        session = await line.open_session(settings.user, asked.get("session"))
        show = json_printer() if as_json else Printer(sys.stdout, steps=True)
        won, last = await _turn(line, session, command(asked), show)
        if human and as_json:
            for said in sys.stdin:
                if said.strip():
                    won = (await _turn(line, session, said, show))[0] or won
        elif human:
            await talk_in(line, session, settings, last)
    return 0 if won or human else 1


def command(asked: Mapping[str, Any]) -> str:
    """The words that the conversation understands."""
    words = ["/play", str(asked["world"]), *([str(asked["task"])] if asked.get("task") else [])]
    for flag in ("variation", "strategy"):
        if asked.get(flag) is not None:
            words += [f"--{flag}", str(asked[flag])]
    return shlex.join([*words, *(["--human"] if asked.get("human") else [])])


async def _turn(line: Line, session: str, said: str, show: Callable[[Event], None]) -> tuple[bool, int]:
    """One turn to its end: whether the world was won in it, and the number of its last event."""
    won, last = False, 0

    def seen(event: Event) -> None:
        nonlocal won, last
        won, last = won or (event.kind == "step" and bool(event.data.get("won"))), event.seq
        show(event)

    turn = await line.submit(session, said)
    await show_turn(line, session, turn, seen)
    return won, last
