"""The gallery: a card for each kind of task, with the map of the place where it begins. One click opens the task."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from chat.faults import ChatFault
from chat.ui import world_map
from chat.ui.answers import UNKNOWN
from chat.ui.drawing import macros
from chat.ui.language import _
from chat.ui.markup import sentence
from chat.worlds.episodes import Record
from chat.worlds.gallery import SIMULATORS, Gallery
from chat.worlds.telling import short_goal
from chat.worlds.view import map_of
from tools.desk import ToolFault
from tools.worlds.kinds import KINDS
from tools.worlds.world import WorldFault

if TYPE_CHECKING:
    from chat.app import Duet


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
