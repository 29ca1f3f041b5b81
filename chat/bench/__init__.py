"""Benchmarks: each is one `python main.py bench NAME`, its last line one JSON object with its figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from chat.faults import ChatFault
from chat.settings import Settings

BENCHES = {
    "first": "chat.bench.first",
    "answers": "chat.bench.questions",
    "smalltalk": "chat.bench.smalltalk",
    "gate": "chat.bench.gate",
    "speed": "chat.bench.speed",
    "kills": "chat.bench.kills",
    "sessions": "chat.bench.sessions",
    "worlds": "chat.bench.worlds_speed",
    "replays": "chat.bench.replays",
    "rooms": "chat.bench.rooms",
    "grounding": "chat.bench.grounding",
    "requests": "chat.bench.requests",
}
"""A benchmark is a module with `run(ask: Ask) -> dict of figures`."""
TRAININGS = {
    "gate": "minds.policies.train_gate",
    "requests": "minds.policies.train_requests",
    "swift": "minds.policies.train_swift",
}


@dataclass(frozen=True)
class Ask:
    """What a benchmark is asked for."""

    settings: Settings
    limit: int | None = None
    out: Path | None = None
    split: str = "test"
    data: Path | None = None
    """JSON lines of somebody else, in place of the benchmark's own."""


def run_bench(
    settings: Settings, name: str, limit: int | None, out: str | None, split: str, data: str | None = None
) -> int:
    """Runs one; its figures are the last line, as JSON. Raises ChatFault on an unknown name."""
    if name not in BENCHES:
        raise ChatFault(f"There is no benchmark `{name}`; choose one of: {', '.join(BENCHES)}.")
    folder = _folder(out) if out else None
    ask = Ask(settings, limit, folder, split, Path(data) if data else None)
    figures: dict[str, object] = import_module(BENCHES[name]).run(ask)
    print(json.dumps({"bench": name, **figures}), flush=True)
    return 0


def _folder(out: str) -> Path:
    """Raises ChatFault where it cannot be made."""
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ChatFault(f"The folder `{out}` cannot be made ({error.strerror}): name another one.") from error
    return Path(out)


def run_training(name: str, rest: Sequence[str]) -> int:
    """Runs one. Raises ChatFault on an unknown name."""
    if name not in TRAININGS:
        raise ChatFault(f"There is no training `{name}`; choose one of: {', '.join(TRAININGS)}.")
    code: int = import_module(TRAININGS[name]).main(list(rest))
    return code
