"""The server that test_kills.py kills: a model that follows a script, and a world that stands in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage

from chat.bench.ground import PlainModel, Situation, StandIns
from chat.bench.server import DELAY, WORDS, serve
from chat.services import Swaps
from minds.models import ModelSettings, Role
from minds.models.language import LanguageModel, Said, ToolCall

FOUND = "The answer is 42."
ACTION = "look around"


def opened(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    return PlainModel(fast if role == "fast" else lambda _: Said(FOUND), spec=role, delay=DELAY)


def fast(messages: Sequence[BaseMessage]) -> Said:
    """Calls the slow mind for what is multiplied, and words what it found."""
    last = str(messages[-1].text)
    if FOUND in last or " times " not in last:
        return Said(FOUND if FOUND in last else WORDS)
    return Said("One moment.", calls=(ToolCall("think", {"request": last[-200:]}),))


if __name__ == "__main__":
    room = Situation("A room with a door.", (ACTION, "open door"))
    serve(Path(sys.argv[1]), Swaps(models=opened, worlds=lambda name: StandIns(name, [room])))
