"""Benchmarks: each is one `python main.py bench NAME`, its last line one JSON object with its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, InstanceOf, ValidationError
from pydantic.dataclasses import dataclass

from chat import command_line
from chat.bench.figures import rounded
from chat.evaluation.folder import RunFolder
from chat.faults import ChatFault, one_of
from chat.settings import Options, Settings
from minds.models.language import ModelFault
from tools.worlds.world import WorldFault

WORLDS = ("scienceworld", "alfworld")
"""What is left out of these is a policy's; of others an aid of minds/small_model."""
BENCHES = {name: f"chat.bench.{'episodes.run' if name in WORLDS else name}" for name in command_line.BENCHES}
"""A benchmark is a module with `run(ask: Ask) -> dict of figures`."""
GIVE_OTHER_ROWS = ("fast_model", "slow_model", "strategy", "without", "temperature")
"""Settings that are another run's where they differ, whatever the benchmark; other data are, too."""
UNUSUAL = ("memory", "minds", "instructions", "length")
"""The same of these, which a config holds where they are not as usual: folders of before they were told go on."""
Count = Annotated[int, Field(ge=1)]
File = Annotated[Path, AfterValidator(Path.expanduser)]


def digest(file: Path) -> str:
    """By which a folder knows what it was played with."""
    return sha256(file.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Ask:
    """What a benchmark is asked for: the options of its command, None where one was not given; each is said in
    chat/command_line/commands.toml."""

    settings: InstanceOf[Settings]
    limit: Count | None = None
    out: File | None = None
    split: str | None = None
    data: File | None = None
    bare: bool = False
    embedded: bool = False
    users: Count | None = None
    locomo: File | None = None
    pairs: File | None = None
    repeats: File | None = None
    lives: File | None = None
    scale: tuple[Count, ...] | None = None
    """Empty for the usual sizes."""

    world: str = ""
    strategy: str = "swift"
    protocol: str = "swiftsage"
    jobs: Annotated[int, Field(ge=0)] = 1
    weights: File | None = None
    without: tuple[str, ...] = ()
    steps: Count | None = None
    trials: Count | None = None
    type: tuple[str, ...] = ()
    reworded: str = ""
    goals: str = "odds"

    def file(self, example: str) -> Path:
        """Of --data. Raises ChatFault where none was named, with an `example` of a file or a line."""
        if self.data is None:
            raise ChatFault(f"Name the cases with --data FILE, a JSON object a line, such as {example}.")
        return self.data

    def folder(self, name: str, **config: Any) -> RunFolder:
        """Where its rows are kept and gone on with: --out, or a new one in the home. Raises ChatFault."""
        own = self.settings.home / "bench" / f"{name}-{datetime.now():%Y-%m-%d-%H%M%S}"
        of = {setting: getattr(self.settings, setting) for setting in GIVE_OTHER_ROWS}
        usual = Options()
        unlike = (name for name in UNUSUAL if getattr(self.settings, name) != getattr(usual, name))
        of |= {name: str(getattr(self.settings, name)) for name in unlike}  # off, too, is said
        of["data"] = digest(self.data) if self.data else None
        return RunFolder.open(self.out or own, {"bench": name, **config, **of})


def run_bench(settings: Settings, name: str, given: Mapping[str, Any]) -> int:
    """Runs one as the command line asks; its figures are the last line, as JSON. The exit code is 1 where episodes are
    left that could not be played. Raises ChatFault."""
    module = BENCHES[one_of(name, BENCHES, "benchmark")]
    try:
        figures: dict[str, object] = import_module(module).run(asked(settings, name, given))
    except (ModelFault, WorldFault) as fault:
        raise ChatFault(str(fault)) from fault
    print(json.dumps(rounded({"bench": name, **figures})), flush=True)
    return int(bool(figures.get("unplayed")))


def asked(settings: Settings, name: str, given: Mapping[str, Any]) -> Ask:
    """Raises ChatFault for a count that is none."""
    options = {field.name for field in fields(Ask)} - {"settings", "world"}
    said = {key: value for key, value in given.items() if key in options and value is not None}
    if name not in WORLDS and "without" in said:
        settings = replace(settings, without=" ".join(said["without"]))
    try:
        return Ask(settings, world=name, **said)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise ChatFault(f"--{wrong['loc'][0]} counts: name a number from {wrong['ctx']['ge']} on.") from None
