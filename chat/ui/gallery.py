"""The gallery: a card for each kind of task, with the map of the place where it begins. One click opens the task."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from chat.faults import ChatFault
from chat.ui import world_map
from chat.ui.answers import UNKNOWN
from chat.ui.drawing import macros
from chat.ui.language import N_, _
from chat.ui.markup import sentence
from chat.worlds.episodes import Record
from chat.worlds.gallery import SIMULATORS, Gallery
from chat.worlds.telling import short_goal
from chat.worlds.view import map_of
from tools.desk import ToolFault
from tools.worlds.kinds import KINDS, KindName, World
from tools.worlds.world import WorldFault

if TYPE_CHECKING:
    from chat.app import Duet

WORLDS: dict[World, str] = {"household": N_("Household"), "laboratory": N_("Laboratory")}
TITLES: dict[KindName, str] = {
    "put_somewhere": N_("Put a thing in its place"),
    "put_two_somewhere": N_("Put two things in one place"),
    "clean_and_put": N_("Clean a thing, then put it away"),
    "heat_and_put": N_("Heat a thing, then put it somewhere"),
    "cool_and_put": N_("Cool a thing, then put it somewhere"),
    "look_at_under_lamp": N_("Look at a thing under a lamp"),
    "boil": N_("Boil a substance"),
    "melt": N_("Melt a substance"),
    "freeze": N_("Freeze a substance"),
    "change_state_of_matter": N_("Change a state of matter"),
    "measure_temperature": N_("Measure a temperature"),
    "melting_point_known": N_("Find a melting point"),
    "melting_point_unknown": N_("Find an unknown substance’s melting point"),
    "power_component": N_("Build a circuit"),
    "power_by_kind_of_energy": N_("Build a circuit with the right energy"),
    "conductivity_known": N_("Does it conduct electricity?"),
    "conductivity_unknown": N_("Does an unknown substance conduct?"),
    "find_living": N_("Find a living thing"),
    "find_nonliving": N_("Find a thing that is not alive"),
    "find_plant": N_("Find a plant"),
    "find_animal": N_("Find an animal"),
    "grow_plant": N_("Grow a plant"),
    "grow_fruit": N_("Grow a fruit"),
    "mix_chemicals": N_("Mix chemicals"),
    "mix_paint_secondary": N_("Mix a secondary colour"),
    "mix_paint_tertiary": N_("Mix a tertiary colour"),
    "longest_lived": N_("Which animal lives longest?"),
    "shortest_lived": N_("Which animal lives shortest?"),
    "longest_then_shortest_lived": N_("Longest life, then shortest"),
    "life_stages_plant": N_("A plant’s stages of life"),
    "life_stages_animal": N_("An animal’s stages of life"),
    "steeper_plane": N_("Which ramp is steeper?"),
    "friction_named": N_("Which surface has more friction?"),
    "friction_unnamed": N_("Friction of unknown surfaces"),
    "genetics_known": N_("Dominant or recessive?"),
    "genetics_unknown": N_("Dominant or recessive, in an unknown plant"),
}


def add_gallery(router: APIRouter, duet: Duet) -> None:
    """The same for everybody: no conversation is in it."""
    file = duet.settings.home / "gallery.json"
    made: list[Gallery] = []

    def gallery() -> Gallery:
        if not made:
            made.append(Gallery(file, duet.worlds.running.home))
        return made[0]

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
    worlds = []
    for world, name in WORLDS.items():
        fault = gallery.fault(world)
        kinds = [kind for kind in TITLES if KINDS[kind].world == world and not fault]
        known = ((kind, gallery.known(kind)) for kind in kinds)
        cards = [(kind, TITLES[kind], task(record) if record else "") for kind, record in known]
        worlds.append((name, SIMULATORS[world], fault, cards))
    return str(macros("gallery.html").page(worlds))


def task(record: Record) -> str:
    """What a card shows of a task that was opened."""
    spec = record.spec
    play = shlex.join(["/play", spec.world, spec.task, "--variation", str(spec.variation)])
    return str(macros("gallery.html").task(world_map.draw(map_of(record, 0)), short_goal(record), play))
