"""ALFWorld's games on disk: the data set where ALFWORLD_DATA points, any single file, and people's own words."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from tools.worlds.alfworld_engine import UNKNOWN, Game
from tools.worlds.world import UnknownTask, WorldFault, WorldSpec

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


def nearest(word: str, words: list[str]) -> str:
    """The three nearest, to be read."""
    return ", ".join(get_close_matches(word, words, 3, 0) or words[:3])


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
