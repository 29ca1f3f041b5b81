"""The real Duet and its server before strong minds that follow a script: what it says of a turn, the page shows.

`python -m tests.chat.ui.strong PORT HOME` serves it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage

from chat.app import build
from chat.home import Address
from chat.server import make_app
from chat.services import Swaps
from chat.settings import Settings
from minds.models.language import Abilities, LanguageModel
from minds.models.spec import ModelSettings, Role
from tests.chat.ui.rich import PROGRAM, REQUEST
from tests.scripted import Line, ScriptedModel

STRONG = Abilities(tools=True, strong=True)


def fast(messages: Sequence[BaseMessage]) -> str | Line:
    """Calls the slow mind without a word, words what it found, knows a dog, and says the time otherwise."""
    last = messages[-1]
    if last.type == "tool":
        return f"It is {last.text}, and no 4711 is in it."
    if "what is my dog called" in str(last.text):
        return "Your dog is called Rex." if "called Rex" in str(last.text) else "I do not know your dog."
    if "program" in str(last.text):
        return Line(tool="think", arguments={"request": REQUEST})
    return f"{time.time()} it is, and the words go on for a while."


def slow(messages: Sequence[BaseMessage]) -> str | Line:
    """Runs a program and gives what it printed."""
    last = messages[-1]
    if last.type == "tool":
        return str(last.text)
    return Line("A loop is enough.", tool="python", arguments={"program": PROGRAM})


def opened(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    script = fast if role == "fast" else slow
    return ScriptedModel(script, abilities=STRONG, delay=0.05, settings=settings, spec=f"scripted:{role}")


async def serve(port: int, home: Path) -> None:
    import uvicorn

    elsewhere = "openai:scripted@http://127.0.0.1:9/v1"  # needs no weights here; `opened` stands in for it
    settings = Settings(home=home, user="ada", fast_model=elsewhere, slow_model=elsewhere)
    duet = build(settings, swaps=Swaps(models=opened))
    app = make_app(duet, Address(f"http://127.0.0.1:{port}", "token", 0))
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)).serve()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
