"""Rooms as ALFWorld's package describes them: floor plans, what stands in them, and what may lie where;
and a household in one as a planning problem in PDDL, in the form of the official games."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

ROOMS = {0: "kitchen", 2: "living room", 3: "bedroom", 4: "bathroom"}
"""Hundreds of a floor plan's number -> room."""
LEFT_OUT = {"StoveBurner": (4, 4), "HandTowelHolder": (1, 2), "TowelHolder": (1, 2)}
"""How many stand in a room of those that the package's plans name without a place (else one)."""
DECOR = ("DeskLamp", "HousePlant", "Television", "TeddyBear")
"""Seen on furniture, but nothing to carry."""
ON_THE_FLOOR = {"BaseballBat", "BasketBall", "TennisRacket", "Plunger"}
"""In the official games these never lie in anything, so no text speaks of them."""
FLAT = ("Desk", "SideTable", "Dresser", "CounterTop", "DiningTable", "CoffeeTable", "TVStand", "Shelf")
"""Where decor stands."""


@dataclass(frozen=True)
class Receptacle:
    """A piece of furniture, or a part of one."""

    id: str
    """`Drawer|+01.63|+00.18|-01.21`."""
    kind: str
    """`Drawer`."""
    location: str
    """Where one stands to use it: some share it. `loc|3|-2|1|60`."""


@dataclass(frozen=True)
class FloorPlan:
    """One room."""

    number: int
    room: str
    receptacles: tuple[Receptacle, ...]
    things: tuple[str, ...]
    """Kinds of what can lie in it, decor included."""

    def kinds(self) -> set[str]:
        return {r.kind for r in self.receptacles}


@dataclass(frozen=True)
class Thing:
    """One thing and where it lies."""

    id: str
    kind: str
    within: Receptacle


@dataclass(frozen=True)
class Household:
    """A room, what lies in it, and what is to be done."""

    task_type: str
    object: str
    """The kind of thing the task is about: `Mug`."""
    place: str
    """The kind of receptacle it goes to, or the lamp: `Desk`."""
    goal: str
    plan: FloorPlan
    things: tuple[Thing, ...]


def mangled(id_: str) -> str:
    """An id as the planner can read it."""
    for sign, word in (("|", "_bar_"), ("-", "_minus_"), ("+", "_plus_"), (".", "_dot_")):
        id_ = id_.replace(sign, word)
    return id_


def package_folder() -> Path:
    """Where ALFWorld's package keeps its files, without importing it. Raises ImportError."""
    found = find_spec("alfworld")
    if found is None or not found.submodule_search_locations:
        raise ImportError("alfworld")
    return Path(next(iter(found.submodule_search_locations)))


@cache
def logic() -> tuple[str, str]:
    """(domain, grammar) of the package, the goal still unknown."""
    folder = package_folder() / "data"
    return tuple((folder / name).read_text(encoding="utf-8") for name in ("alfred.pddl", "alfred.twl2"))  # type: ignore[return-value]


@cache
def constants() -> Any:
    """The package's tables: what holds what, what can be cleaned, ..."""
    return import_module("alfworld.gen.constants")


@cache
def holds(receptacle: str) -> frozenset[str]:
    """Kinds of things that a kind of receptacle may hold."""
    table = constants().VAL_RECEPTACLE_OBJECTS
    return frozenset(table.get(receptacle, ())) & frozenset(constants().OBJECTS)


@cache
def can_be(how: str) -> frozenset[str]:
    """Kinds of things that are `Cleanable`, `Heatable`, `Coolable`, `Sliceable`, `Toggleable`."""
    return frozenset(constants().VAL_ACTION_OBJECTS[how])


@cache
def plans(room: str) -> tuple[FloorPlan, ...]:
    """Every plan of a kind of room, in order of number."""
    wanted = [n for n in sorted(constants().SCENE_NUMBERS) if ROOMS[n // 100] == room]
    return tuple(plan for n in wanted if (plan := _plan(n)).receptacles)


def _plan(number: int) -> FloorPlan:
    layouts = package_folder() / "gen" / "layouts"
    placed: dict[str, list[float]] = _json(layouts / f"FloorPlan{number}-openable.json")
    kinds: list[str] = _json(layouts / f"FloorPlan{number}-objects.json")
    standing = [Receptacle(id_, _kind(id_), location(where)) for id_, where in sorted(placed.items())]
    standing = [r for r in standing if r.kind in constants().VAL_RECEPTACLE_OBJECTS]
    rng = random.Random(number)  # the room is the same in all its games
    known = constants()
    furniture = set(known.RECEPTACLES) & set(known.VAL_RECEPTACLE_OBJECTS) - set(known.MOVABLE_RECEPTACLES)
    for kind in sorted(set(kinds) & furniture - {r.kind for r in standing}):
        standing += _more(kind, rng)
    held = {thing for r in standing for thing in holds(r.kind)}
    things = tuple(
        sorted(thing for thing in set(kinds) if (thing in held or thing in DECOR) and thing not in ON_THE_FLOOR)
    )
    return FloorPlan(number, ROOMS[number // 100], tuple(standing), things)


def _more(kind: str, rng: random.Random) -> list[Receptacle]:
    count = rng.randint(*LEFT_OUT.get(kind, (1, 1)))
    where = [location([rng.randint(-12, 12) / 4, rng.randint(-12, 12) / 4, 90 * k, 45]) for k in range(2)]
    return [Receptacle(somewhere(kind, rng), kind, where[k // 2 % 2]) for k in range(count)]


def somewhere(kind: str, rng: random.Random) -> str:
    """An id with a place: `Mug|+01.84|+00.79|-01.15`."""
    return f"{kind}|" + "|".join(f"{rng.uniform(-low, 3):+06.2f}" for low in (3, 0, 3))


def location(where: list[float]) -> str:
    """`[x in m, z in m, turned by degrees, looking down by degrees]` as the package names it, in quarter metres."""
    x, z, turned, down = where
    return f"loc|{round(x * 4)}|{round(z * 4)}|{round(turned / 90)}|{round(down)}"


def _kind(id_: str) -> str:
    first, *_, last = id_.split("|")
    return last if last.endswith("Basin") else {"Sink": "SinkBasin", "Bathtub": "BathtubBasin"}.get(first, first)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


START = "loc|0|0|0|0"
"""Where the agent begins: the middle of the room, where no receptacle is (one looks down to all of them)."""


def problem(home: Household) -> str:
    """The whole problem, by household.jinja: objects, facts, and the goal in the package's own wording."""
    goal: str = import_module("alfworld.gen.goal_library").gdict[home.task_type]["pddl"]
    goal = goal.format(obj=home.object, recep=home.place, toggle=home.place).replace("#", "-")
    kinds, places = sorted({thing.kind for thing in home.things}), sorted(home.plan.kinds())
    return _template().render(home=home, kinds=kinds, places=places, goal=goal)


@cache
def _template() -> Template:
    made = Environment(loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True)  # nosec B701
    made.filters["mangled"] = mangled
    made.globals.update(known=constants(), holds=holds, can_be=can_be, decor=DECOR, start=START)
    return made.get_template("household.jinja")
