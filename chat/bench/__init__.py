"""Benchmarks: each is one `python main.py bench NAME`, its last line one JSON object with its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from chat.evaluation.folder import RunFolder
from chat.faults import ChatFault
from chat.settings import Settings

BENCHES = {
    "chat": "chat.bench.chat",
    "ways": "chat.bench.ways",
    "ordinary": "chat.bench.ordinary",
    "gate": "chat.bench.gate",
    "speed": "chat.bench.speed",
    "streaming": "chat.bench.streaming",
    "kills": "chat.bench.kills",
    "load": "chat.bench.load",
    "replays": "chat.bench.replays",
    "rooms": "chat.bench.rooms",
    "grounding": "chat.bench.grounding",
    "requests": "chat.bench.requests",
    "perturbed": "chat.bench.perturbed",
    "scienceworld": "chat.bench.episodes.run",
    "alfworld": "chat.bench.episodes.run",
    "curve": "chat.bench.curve",
    "memory": "chat.bench.memory",
}
"""A benchmark is a module with `run(ask: Ask) -> dict of figures`."""
WORLDS = {"scienceworld", "alfworld"}
"""What is left out of these is a policy's; of others an aid of minds/small_model."""


@dataclass(frozen=True)
class Ask:
    """What a benchmark is asked for."""

    settings: Settings
    limit: int | None = None
    out: Path | None = None
    split: str = "dev41"
    """Of the labelled sentences."""
    data: Path | None = None
    """JSON lines of somebody else, in place of the benchmark's own."""
    bare: bool = False
    """The model alone is asked, without Duet."""
    embedded: bool = False
    """The embedded model, in place of a server of the benchmark's own."""
    memory: Memory = field(default_factory=lambda: Memory())
    times: int = 200
    """Kills of a server."""
    load: Load = field(default_factory=lambda: Load())
    episodes: Episodes = field(default_factory=lambda: Episodes())

    def folder(self, name: str, **config: Any) -> RunFolder:
        """Where its rows are kept and gone on with: --out, or a new one in the home. Raises ChatFault."""
        own = self.settings.home / "bench" / f"{name}-{datetime.now():%Y-%m-%d-%H%M%S}"
        return RunFolder.open(self.out or own, {"bench": name, **config})


@dataclass(frozen=True)
class Load:
    """Who comes at once."""

    users: int = 50
    conversations: int = 20
    """Of each."""
    hostile: bool = True
    """Once more with one who wants to spoil it."""


@dataclass(frozen=True)
class Memory:
    """What of the memory is measured."""

    paths: Mapping[str, Path] = field(default_factory=dict)
    """locomo: a folder; pairs, repeats, lives: a file of JSON lines."""
    sizes: tuple[int, ...] = ()
    """Notes of one user, at each of which recall is timed."""
    users: int = 1_000


@dataclass(frozen=True)
class Episodes:
    """What a benchmark of a world is asked for besides."""

    world: str = ""
    strategy: str | None = None
    protocol: str | None = None
    split: str | None = None
    """None: the one that is reported."""
    jobs: int = 1
    """Processes, each with a simulator of its own; 0 plays in this one."""
    weights: Path | None = None
    """Folder of other weights than the project's."""
    without: tuple[str, ...] = ()
    """Rules at inference that are left out."""
    steps: int | None = None
    """At most so many in a trial; None: as the protocol says."""
    trials: int | None = None
    """At most so many, where a strategy has trials; None: as its paper says."""
    types: tuple[str, ...] = ()
    """Types of task that are played; empty for all."""
    reworded: str = ""
    """`people`, or a file: tasks are told in these words (chat/bench/episodes/reworded.py)."""
    reader: str = "odds"
    """How these become typed goals."""


def run_bench(settings: Settings, name: str, given: Mapping[str, Any]) -> int:
    """Runs one as the command line asks; its figures are the last line, as JSON. Raises ChatFault."""
    if name not in BENCHES:
        raise ChatFault(f"There is no benchmark `{name}`; choose one of: {', '.join(BENCHES)}.")
    figures: dict[str, object] = import_module(BENCHES[name]).run(asked(settings, name, given))
    print(json.dumps({"bench": name, **figures}), flush=True)
    return 0


def asked(settings: Settings, name: str, given: Mapping[str, Any]) -> Ask:
    """Raises ChatFault."""
    limit, jobs = given.get("limit"), given.get("jobs", 1)
    if (limit is not None and limit < 1) or jobs < 0:
        raise ChatFault("--limit counts cases and --jobs processes: name a number from 1 on.")
    steps, trials = given.get("steps"), given.get("trials")
    if min(steps or 1, trials or 1) < 1 or 0 in (steps, trials):
        raise ChatFault("--steps and --trials count what is done of each episode: name a number from 1 on.")
    folder = {key: Path(given[key]).expanduser() if given.get(key) else None for key in ("data", "weights")}
    episodes = Episodes(
        name,
        given.get("strategy"),
        given.get("protocol"),
        given.get("split"),
        jobs,
        folder["weights"],
        tuple(given.get("without") or ()),
        steps,
        trials,
        tuple(given.get("type") or ()),
        given.get("reworded") or "",
        given.get("goals") or "odds",
    )
    out = Path(given["out"]) if given.get("out") else None
    bare, embedded = bool(given.get("bare")), bool(given.get("embedded"))
    split = given.get("split") or "dev41"
    times = 200 if given.get("times") is None else given["times"]
    load = Load(given.get("users") or 50, given.get("conversations") or 20, not given.get("peaceful"))
    if times < 1 or load.users < 1 or load.conversations < 1:
        raise ChatFault("--times, --users and --conversations count: name a number from 1 on.")
    if name not in WORLDS:
        settings = replace(settings, without=" ".join(episodes.without))
    return Ask(settings, limit, out, split, folder["data"], bare, embedded, _memory(given), times, load, episodes)


def _memory(given: Mapping[str, Any]) -> Memory:
    """Raises ChatFault."""
    paths = {key: Path(given[key]).expanduser() for key in ("locomo", "pairs", "repeats", "lives") if given.get(key)}
    sizes = given.get("scale")
    if sizes is not None and min(sizes, default=1) < 1:
        raise ChatFault("--scale counts notes: name numbers from 1 on, or none.")
    return Memory(paths, () if sizes is None else tuple(sizes) or (10_000, 100_000), given.get("users") or 1_000)
