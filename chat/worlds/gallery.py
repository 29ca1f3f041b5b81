"""A task of each kind as it looks at its beginning, for the page's gallery: opened once, then kept in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

from chat.worlds.episodes import Record, opened, opened_data
from tools.worlds.goal import Goal, find
from tools.worlds.kinds import KINDS, KindName, World
from tools.worlds.world import Simulator

SIMULATORS: dict[World, str] = {"household": "alfworld", "laboratory": "scienceworld"}


class Gallery:
    """Thread-safe; no simulator is started for what the file has."""

    def __init__(self, file: Path, home: Callable[[str], Simulator]) -> None:
        """`home`: a simulator by its name."""
        self._file, self._home, self._lock = file, home, Lock()
        try:
            self._kept: dict[str, dict[str, Any]] = dict(json.loads(file.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            self._kept = {}

    def fault(self, world: World) -> str:
        """Why its tasks cannot be played here; empty where they can."""
        return self._home(SIMULATORS[world]).ready()

    def known(self, kind: KindName) -> Record | None:
        """The task of this kind, where it was opened before."""
        try:
            return opened(0, self._kept[kind])
        except (KeyError, TypeError, ValueError):
            return None  # not yet, or of another version

    def task(self, kind: KindName) -> Record:
        """Blocking, one after the other. Raises WorldFault, ToolFault."""
        with self._lock:
            if found := self.known(kind):
                return found
            spec = find(Goal(world=KINDS[kind].world, kind=kind), self._home)
            with closing(self._home(spec.world).open(spec)) as world:
                seen = world.reset()
                data = {**opened_data(0, spec, world.goal, seen, world.scene()), "by": "person"}
            self._kept[kind] = data
            self._write()
            return opened(0, data)

    def _write(self) -> None:
        """A disk that is full costs no more than opening it again next time."""
        new = self._file.with_suffix(".new")
        try:
            new.write_text(json.dumps(self._kept, ensure_ascii=False), "utf-8")
            new.replace(self._file)
        except OSError:
            new.unlink(missing_ok=True)
