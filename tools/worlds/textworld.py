"""Any TextWorld or Z-machine game file a person names (`game.z8`): the smallest adapter of an engine.

`world.py` says what each method promises. A world without an engine is best begun from `tests/toyworld.py`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tools.worlds.textworld_process import FarGame
from tools.worlds.world import TaskInfo, UnknownTask, WorldFault, WorldSpec

KINDS = (".z3", ".z4", ".z5", ".z6", ".z8")


class TextWorlds:
    """Opens game files. Its tasks are whatever files a person has, so none are listed."""

    name = "textworld"

    def __init__(self) -> None:
        self._open: weakref.WeakSet[FarGame] = weakref.WeakSet()

    def ready(self) -> str:
        return (
            "" if find_spec("textworld") else "TextWorld games need textworld; run `pip install -r requirements.txt`."
        )

    def tasks(self) -> tuple[TaskInfo, ...]:
        return ()

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        """A game file is one episode, in every split."""
        return (WorldSpec(self.name, str(_file(task))),)

    def open(self, spec: WorldSpec) -> FarGame:
        if missing := self.ready():
            raise WorldFault(missing)
        world = FarGame(spec, _file(spec.task))
        self._open.add(world)
        return world

    def close(self) -> None:
        for world in list(self._open):
            world.close()


def _file(task: str) -> Path:
    try:
        return _found(Path(task).expanduser(), task)
    except (OSError, RuntimeError):  # too long, or in the home of nobody
        raise UnknownTask(f"There is no game file {task[:80]!r}; give the path of a .z8.") from None


def _found(path: Path, task: str) -> Path:
    if path.suffix == ".json" and path.with_suffix(".z8").is_file():
        path = path.with_suffix(".z8")
    if not path.is_file():
        near = ", ".join(sorted(str(p) for kind in KINDS for p in path.parent.glob(f"*{kind}"))[:3])
        raise UnknownTask(
            f"There is no game file {task!r}; {f'there are {near}' if near else 'give the path of a .z8'}."
        )
    if path.suffix not in KINDS:
        raise UnknownTask(f"{task!r} is no game file that can be played; name one that ends with {', '.join(KINDS)}.")
    return path
