"""The gallery: a card for each kind of task, with the map of the place where it begins. One click opens the task.

A task of each kind is opened once, then kept in a file as it looks at its beginning.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from chat.app import Duet
from chat.faults import ChatFault
from chat.ui import world_map
from chat.ui.answers import UNKNOWN
from chat.ui.drawing import macros
from chat.ui.language import _
from chat.ui.markup import sentence
from chat.worlds.episodes import Record, opened, opened_data
from chat.worlds.telling import short_goal
from chat.worlds.view import map_of
from tools.desk import ToolFault
from tools.worlds.goal import Goal, find
from tools.worlds.kinds import KINDS, KindName, World
from tools.worlds.world import Simulator, WorldFault

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


def add_gallery(router: APIRouter, duet: Duet) -> None:
    """The same for everybody: no conversation is in it."""
    file = duet.settings.home / "gallery.json"

    @cache
    def gallery() -> Gallery:
        return Gallery(file, duet.worlds.running.home)

    @router.get("/gallery", response_class=HTMLResponse)
    def cards() -> str:
        return page(gallery())

    @router.get("/gallery/{kind}", response_class=HTMLResponse)
    def card(kind: str) -> str:
        """What the card lacked: its simulator is started."""
        if kind not in KINDS:
            raise ChatFault(_(UNKNOWN))
        try:
            return task(gallery().task(kind))
        except (WorldFault, ToolFault) as fault:
            return f'<p class="fault">{sentence(fault)}</p>'


def page(gallery: Gallery) -> str:
    """All cards."""
    faults = {world: gallery.fault(world) for world in SIMULATORS}
    records = {name: gallery.known(name) for name, kind in KINDS.items() if not faults[kind.world]}
    tasks = {name: task(record) for name, record in records.items() if record}
    return str(macros("gallery.html").page(SIMULATORS, faults, KINDS, tasks))


def task(record: Record) -> str:
    """What a card shows of a task that was opened."""
    spec = record.spec
    play = shlex.join(["/play", spec.world, spec.task, "--variation", str(spec.variation)])
    return str(macros("gallery.html").task(world_map.draw(map_of(record, 0)), short_goal(record), play))
