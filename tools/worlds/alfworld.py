"""ALFWorld: household tasks in text, from the official data set, a generator of ours, or a single game file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from tools.worlds.alfworld_engine import UNKNOWN, Engine, Game
from tools.worlds.household import KINDS
from tools.worlds.household import game as household_game
from tools.worlds.world import (
    SETUP,
    Observation,
    Scene,
    TaskInfo,
    UnknownTask,
    WorldFault,
    WorldLost,
    WorldSpec,
    nearest,
)

MIDDLE = "middle of the room"
NOTHING = "Nothing happens."
HOUSEHOLD = "household"
SEEDS = 1000
"""How many seeds `variations(..., "household")` lists; every other number works as well."""
_TAKEN_AT = re.compile(r"(?:go to|open|close|examine|.+ (?:from|to|with)) (.+)")


class AlfWorlds:
    """Every ALFWorld game that can be played here. Thread-safe: engines work one at a time."""

    name = "alfworld"

    def ready(self) -> str:
        missing = [name for name in ("alfworld", "textworld", "fast_downward") if find_spec(name) is None]
        return f"ALFWorld needs {', '.join(missing)}; run `{SETUP}`." if missing else ""

    def tasks(self) -> tuple[TaskInfo, ...]:
        return tuple(TaskInfo(name, kind.says, 0) for name, kind in KINDS.items())

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        """`split`: one of the data set's (`valid_seen`, ...), or `household`, where the variation is the seed."""
        if task not in KINDS:
            raise UnknownTask(f"There is no kind of task {task!r}; the nearest are {nearest(task, list(KINDS))}.")
        if split == HOUSEHOLD:
            return [WorldSpec(self.name, f"{HOUSEHOLD}/{task}", seed) for seed in range(SEEDS)]
        return specs(split, task)

    def open(self, spec: WorldSpec) -> AlfWorld:
        """Loads a game: a second or two on two busy cores.

        `spec.task` is `SPLIT/FOLDER/TRIAL` of the data set, `household/TASK_TYPE` (or with `/OBJECT/PLACE` what it
        is to be about: `household/pick_heat_then_place_in_recep/Mug/Shelf`), or the path of a game file.
        """
        if missing := self.ready():
            raise WorldFault(missing)
        return AlfWorld(spec, load(spec))

    def close(self) -> None:
        """Each game gives its own engine back."""


class AlfWorld:
    """One episode. The score is 0, or 100 once the goal is reached: the engine knows no halves."""

    def __init__(self, spec: WorldSpec, game: Game) -> None:
        self.spec, self.goal, self.steps = spec, game.goal, 0
        self._gold, self._at = game.walkthrough, ""
        self._engine: Engine | None = None  # closing what did not load
        self._engine = Engine(game)

    def reset(self) -> Observation:
        self.steps, self._at = 0, ""
        return self._seen(self._running().restart())

    def step(self, action: str) -> Observation:
        engine = self._running()
        try:
            text = engine.act(action)
            self.steps += 1
            self._note(action.strip(), text)
            return self._seen(text)
        except Exception as fault:
            raise WorldLost(f"The game broke at {action[:60]!r}; open it again and replay the actions.") from fault

    def admissible(self) -> tuple[str, ...]:
        return self._running().commands()

    def look(self) -> str:
        """As the opening text puts it; the engine's own `look` sees nothing from the middle of the room."""
        return self._running().peek("look") if self._at else self._running().overview()

    def inventory(self) -> str:
        return self._running().peek("inventory")

    def scene(self) -> Scene:
        """The receptacle that was dealt with last, of those within reach; nothing of a closed one."""
        facts = set(self._running().facts())
        shut = ("openable", self._at) in facts and ("opened", self._at) not in facts
        inside = {fact[1] for fact in facts if fact[0] == "inreceptacle" and fact[2] == self._at and not shut}
        held = {fact[2] for fact in facts if fact[0] == "holds"}
        return Scene(self._at or MIDDLE, _in_order(inside), _in_order(self._running().places), _in_order(held))

    def gold(self) -> tuple[str, ...]:
        if not self._gold:
            raise WorldFault("This game file has no walkthrough; play it, or name another game.")
        return self._gold

    def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def __del__(self) -> None:
        self.close()

    def _running(self) -> Engine:
        if self._engine is None:
            raise WorldFault("This game is closed; open it again.")
        return self._engine

    def _seen(self, text: str) -> Observation:
        won = self._running().won()
        return Observation(text, 100.0 if won else 0.0, won, won)

    def _note(self, action: str, text: str) -> None:
        """Remembers where one stands: several receptacles can be within reach, the texts speak of one."""
        named = _TAKEN_AT.fullmatch(action)
        if named and text != NOTHING and not action.startswith("slice") and named[1] in self._running().places:
            self._at = named[1]


def is_named(task: str) -> bool:
    """Whether it is a game of the generator or of the data set; of what is not, a path may be a file's."""
    return task in KINDS or task.split("/")[0] in (HOUSEHOLD, *SPLITS)


def load(spec: WorldSpec) -> Game:
    """The game that a spec names. Raises UnknownTask, WorldFault."""
    source, *rest = spec.task.split("/")
    if spec.task in KINDS:
        return household_game(spec.task, spec.variation)
    if source == HOUSEHOLD:
        task_type, thing, place, *more = [*rest, "", "", ""]
        if any(more):
            raise UnknownTask(f"{spec.task!r} says too much; it goes household/TASK_TYPE/OBJECT/PLACE.")
        return household_game(task_type, spec.variation, thing, place)
    if source in SPLITS:
        return read(path_of(spec.task))
    try:
        path = Path(spec.task).expanduser()
        if path.is_dir() or path.suffix or path.is_absolute():
            return read(path / "game.tw-pddl" if path.is_dir() else path)
    except (OSError, RuntimeError):  # too long, or in the home of nobody
        raise UnknownTask(f"There is no game {spec.task[:80]!r}; give the path of a game.tw-pddl.") from None
    near = nearest(spec.task, [*KINDS, *(f"{HOUSEHOLD}/{name}" for name in KINDS)])
    raise UnknownTask(f"ALFWorld has no task {spec.task[:80]!r}; the nearest are {near}.")


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    """`drawer 2` before `drawer 10`."""
    return tuple(sorted(names, key=lambda name: (name.rpartition(" ")[0], len(name), name)))


# -- games on disk: the data set where ALFWORLD_DATA points, any single file, and people's own words

FOLDER = "json_2.1.1"
SPLITS = ("train", "valid_train", "valid_seen", "valid_unseen")
_GOAL = re.compile(r'Your task is to: ([^"\n]*?)\.?"')


def data_folder() -> Path | None:
    """Where the official games are, if they are."""
    named = os.environ.get("ALFWORLD_DATA")
    folder = Path(named).expanduser() / FOLDER if named else None
    return folder if folder and folder.is_dir() else None


def splits() -> tuple[str, ...]:
    """The splits that are here."""
    folder = data_folder()
    return tuple(name for name in SPLITS if folder and (folder / name).is_dir())


def specs(split: str, task_type: str = "") -> tuple[WorldSpec, ...]:
    """The games of a split, by name. Raises UnknownTask."""
    here = _folder(split)
    found = sorted(path for path in here.glob(f"{task_type}*/*") if (path / "game.tw-pddl").is_file())
    return tuple(WorldSpec("alfworld", path.relative_to(here.parent).as_posix()) for path in found)


def parts(spec: WorldSpec) -> tuple[str, str, str]:
    """(task type, object, receptacle or lamp) as the name of a game of the data set says: `Mug`, `Desk`."""
    kind, thing, _, place, _ = spec.task.split("/")[1].split("-")
    return kind, thing, place


def path_of(task: str) -> Path:
    """The file of `SPLIT/FOLDER/TRIAL`. Raises UnknownTask."""
    split, *rest = task.split("/")
    here = _folder(split)
    if len(rest) == 1:  # a folder of trials: the first
        trials = sorted((here / rest[0]).glob("*/game.tw-pddl"))
        if trials:
            return trials[0]
    path = here.joinpath(*rest, "game.tw-pddl")
    if len(rest) != 2 or ".." in rest or not path.is_file():
        near = nearest(task, [spec.task for spec in specs(split)])
        raise UnknownTask(f"There is no game {task!r} in the data set; the nearest are {near}.")
    return path


def read(path: Path) -> Game:
    """A game file. Raises WorldFault."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        domain, grammar, problem = (str(held[key]) for key in ("pddl_domain", "grammar", "pddl_problem"))
    except OSError as fault:
        raise WorldFault(f"The game file {path} cannot be opened ({fault.strerror}); check the path.") from fault
    except (ValueError, KeyError, TypeError) as fault:
        raise WorldFault(f"{path} is no ALFWorld game (a JSON file `game.tw-pddl`); name another file.") from fault
    found = _GOAL.search(grammar)
    goal = found[1] if found else ""
    grammar = grammar.replace(f"Your task is to: {goal}", f"Your task is to: {UNKNOWN}", 1) if goal else grammar
    steps = tuple(command_of_today(str(step)) for step in held.get("walkthrough") or ())
    return Game(domain, grammar, problem, goal, steps)


def command_of_today(step: str) -> str:
    """Older walkthroughs say `put mug 1 in/on desk 1`; the grammar of today says `move mug 1 to desk 1`."""
    return re.sub(r"^put (.+?) (?:in/on|in|on) (.+)$", r"move \1 to \2", step)


def descriptions(split: str) -> Iterator[tuple[WorldSpec, str]]:
    """What people wrote for the games of a split (three or so a game): `Put two newspapers in the drawer.`

    Raises UnknownTask.
    """
    for spec in specs(split):
        told = json.loads((_folder(split).parent / spec.task / "traj_data.json").read_text(encoding="utf-8"))
        for note in told.get("turk_annotations", {}).get("anns", ()):
            yield spec, note["task_desc"].strip()


def _folder(split: str) -> Path:
    """Of a split's games. Raises UnknownTask."""
    folder = data_folder()
    if folder and split in splits():
        return folder / split
    if splits():
        raise UnknownTask(
            f"There is no split {split!r} here; there are {', '.join(splits())}, and `household` without end."
        )
    raise UnknownTask(
        f"There are no games {split!r} here, for ALFWORLD_DATA names no folder with a `{FOLDER}`; "
        "set it to where the data set lies, or play `household/pick_and_place_simple` and the like."
    )
