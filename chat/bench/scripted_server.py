"""A Duet that is really served, in a process of its own, with a model that follows a script and a world that stands in.

For benchmarks of what surrounds the minds: kills and load. With accounts in the home, it asks who is there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import BaseMessage

from chat.bench.plain_model import STRONG, PlainModel
from chat.bench.standin import Situation, StandIns
from chat.settings import Settings
from minds.models.language import LanguageModel, Said, ToolCall
from minds.models.spec import ModelSettings, Role
from tools.worlds.world import Simulator

SPEC = "openai:scripted@http://127.0.0.1:9"
"""Needs no weights; nobody is called there."""
DELAY = 0.01
"""Seconds before each word."""
WORDS = "This is what I would say to that, word by word, so that there is time in which something can happen."
FOUND = "The answer is 42."
ACTION = "look around"


def command(home: Path) -> list[str]:
    """Starts it."""
    root = Path(__file__).parents[2]
    start = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from chat.bench.scripted_server import run; run(sys.argv[1])"
    )
    return [sys.executable, "-P", "-c", start, str(home)]


def run(folder: str) -> None:
    """Serves until it is ended."""
    from chat.access.accounts import Accounts, has_accounts
    from chat.access.limits import more_files
    from chat.app import build
    from chat.server import keeper, listen, make_app, server_of
    from chat.services import Swaps

    home = Path(folder)
    more_files()
    accounts = Accounts(home) if has_accounts(home) else None
    settings = Settings(home=home, user="" if accounts else "anna", fast_model=SPEC, slow_model=SPEC)
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        duet = build(settings, swaps=Swaps(models=_opened, worlds=_world))
        duet.embedder.warm = lambda: None  # type: ignore[method-assign]
        address = duet.home.announce(f"http://127.0.0.1:{port}")
        server_of(make_app(duet, address, keeper(settings, port, accounts))).run(sockets=[listener])


def _opened(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    return PlainModel(_fast if role == "fast" else lambda _: Said(FOUND), STRONG, role, DELAY)


def _fast(messages: Sequence[BaseMessage]) -> Said:
    """Calls the slow mind for what is multiplied, and words what it found."""
    last = str(messages[-1].text)
    if FOUND in last or " times " not in last:
        return Said(FOUND if FOUND in last else WORDS)
    return Said("One moment.", calls=(ToolCall("think", {"request": last[-200:]}),))


def _world(name: str) -> Simulator:
    return StandIns(name, [Situation("A room with a door.", (ACTION, "open door"))])
