"""InterAct (Chen and Chang 2023, III.B and appendix A): one chat model in several roles around a ReAct agent.

The base agent writes ReAct's transcript and marks what has to be found, `[[egg]]`. The sorter then says in which order
to search the places; the checker looks at every place that is arrived at and says `egg is not here.` in its stead where
that is so (a pot is no pan). Where two objects are wanted the exemplars plan the second search on from where the first
object was found: the order is not asked for again. A mark asks sorters and checker at the same time.

Beside the paper: the order holds every place there is, those that the sorter forgot behind; a thing that lies where the
agent stands puts that place first; what the agent cannot do becomes the nearest that it can.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage, HumanMessage

from minds.dialogue import Step
from minds.models.language import Garbled, Usage
from minds.policies.trained import leaving_out, rule
from minds.slow import Workbench
from minds.strategies.examples import MARKED, PLACES, exemplars
from minds.strategies.line_agent import LineAgent
from minds.strategies.steps import closed, shown
from minds.strategies.transcript import one_line
from prompts import render
from tools.worlds.actions import Parts, bare, parts_of, refused
from tools.worlds.world import World

SORTING = re.compile(r"sorting\((.+)\)", re.IGNORECASE)
GOES = ("go to {object}", "teleport to {object}", "go {object}")
EXAMINE = "examine {object}"
SHOWS = {"alfworld": (*GOES, "open {object}", EXAMINE), "scienceworld": ("look around", "look in {object}")}
"""World -> the actions whose observation shows a place."""
HERE, ABSENT = "yes", "no"
FOUND = closed({"here": {"enum": [HERE, ABSENT]}})
SORT_TOKENS, CHECK_TOKENS = 300, 200


@dataclass(frozen=True)
class Roles:
    """The helpers, each can be left out (Table I: ReAct with a checker, with a sorter)."""

    checker: bool = rule(True, "Where a thing is searched, the checker says of each place that it is not here.")
    sorter: bool = rule(True, "Before a thing is searched, the sorter says in which order to search the places.")


ALL_ROLES = Roles()


@dataclass
class Search:
    """What is looked for."""

    sought: list[str] = field(default_factory=list)
    """What the agent marked last and the checker has not found yet."""
    orders: dict[str, list[str]] = field(default_factory=dict)
    """Thing -> the places, the likeliest first, once they were sorted for it."""
    place: str = ""
    """Where the agent stands, where that was seen, and what was seen there."""
    view: str = ""
    handled: set[str] = field(default_factory=set)
    """What the agent acted on since: of these the view says no more what is there."""


class InterAct(LineAgent):
    """One episode's strategy: the base agent, with its helpers."""

    def __init__(self, bench: Workbench) -> None:
        """Raises UnknownRule."""
        super().__init__(bench)
        self._roles, self._search = leaving_out(ALL_ROLES, bench.trained.without), Search()

    def _system(self) -> str:
        world, roles = self._world.spec.world, self._roles
        shown = exemplars(world, self._world.goal, checker=roles.checker, sorter=roles.sorter)
        place, marks = PLACES.get(world, "world"), self._marks()
        return render("strategies/interact/system", place=place, marks=marks, exemplars=shown)

    def _marks(self) -> str:
        """What the agent is told of marks: what the helpers that there are say to one."""
        there = [name for name in ("sorter", "checker") if getattr(self._roles, name)]
        told = ", and ".join(render(f"strategies/interact/{name}_told") for name in there)
        return f" {render('strategies/interact/marks', told=told)}" if told else ""

    async def _no_action(self, line: str, usage: Usage) -> list[str] | None:
        """Of a thought, what it marks is looked for."""
        if asked := SORTING.fullmatch(line):
            name = asked[1].strip("[ ]")  # as it is marked in a thought
            known = name in self._search.orders
            sorted_now = await self._mark([name], usage)
            return [self._ordered(name)] if known else sorted_now
        said = await super()._no_action(line, usage)
        return said if said is None else said + await self._mark(MARKED.findall(line), usage)

    # -- its helpers

    async def _mark(self, marks: Sequence[str], usage: Usage) -> list[str]:
        """The agent marked what it looks for: at once, the checker is asked about the place where the agent stands, and
        the sorters, but for what was sorted before."""
        search, roles = self._search, self._roles
        places = await asyncio.to_thread(searchable, self._world) if marks else []
        known = {*places, *map(bare, places)}  # where a place is, is known
        names = [name for name in dict.fromkeys(marks) if name not in known]
        if not names:
            return []
        new = [name for name in names if name not in search.orders] if roles.sorter else []
        looks = [name for name in names if bare(name) not in search.handled] if search.view and roles.checker else []
        sorts = asyncio.gather(*(self._sort(name, places, usage) for name in new))
        checks = asyncio.gather(*(self._check(name, search.view, usage) for name in looks))
        orders, found = await asyncio.gather(sorts, checks)
        here = [name for name, is_here in zip(looks, found, strict=True) if is_here]
        search.sought = [name for name in names if name not in here]
        said = []
        for name, order in zip(new, orders, strict=True):
            search.orders[name] = sorted(order, key=lambda p: p != search.place) if name in here else order
            said.append(self._ordered(name))
        return said

    def _ordered(self, name: str) -> str:
        """Tells the agent the order for a thing; the same for the log."""
        listed = f"[{', '.join(self._search.orders[name])}]"
        self._transcript.add(f"sorting({name})", listed)
        return f"sorting({name}): {listed}"

    async def _sort(self, name: str, places: Sequence[str], usage: Usage) -> list[str]:
        """The places, those first where the thing is likeliest."""
        kinds = ", ".join(dict.fromkeys(bare(place) for place in places))
        asked = [*shown("strategies/interact/sorter"), HumanMessage(f"Object: {name}\nPlaces: {kinds}")]
        try:
            return in_order(await self._bench.written(asked, usage, max_tokens=SORT_TOKENS, temperature=0.0), places)
        except Garbled:
            return list(places)

    async def _told(self, step: Step, usage: Usage) -> tuple[str, list[str]]:
        """What the agent is told of a step, and what the log is."""
        seen, search = one_line(step.observation), self._search
        parts = parts_of(step.action)
        if refused(seen):  # the agent stands where it stood, and saw nothing new
            return seen, []
        if parts.verb in GOES:
            search.place, search.view = parts.object, ""
        if not await asyncio.to_thread(self._shows, parts, seen):
            search.handled.add(bare(parts.object))
            return seen, []
        search.view, search.handled = seen, set()
        if not (self._roles.checker and search.sought):
            return seen, []
        found = await asyncio.gather(*(self._check(name, seen, usage) for name in search.sought))
        if any(found):
            search.sought = [name for name, here in zip(search.sought, found, strict=True) if not here]
            return seen, []
        said = " ".join(f"{name} is not here." for name in search.sought)
        # A laboratory's room shows its doors too, a piece of furniture nothing that matters now.
        return (said if self._world.spec.world == "alfworld" else f"{said} {seen}"), [f"Checker: {said}"]

    def _shows(self, parts: Parts, seen: str) -> bool:
        """Whether the action showed a place; of a closed one nothing is seen, which is told where no actions are
        listed, too."""
        world = self._world
        shut = bool(parts.object) and f"{parts.object} is closed." in seen  # not any container that stands in a room
        if shut or parts.verb not in SHOWS.get(world.spec.world, SHOWS["alfworld"]):
            return False
        is_place = parts.verb != EXAMINE or parts.object in world.scene().exits
        return is_place and f"open {parts.object}" not in world.admissible()

    async def _check(self, name: str, seen: str, usage: Usage) -> bool:
        """Whether the thing is among what is seen. An answer that cannot be read hides nothing from the agent."""
        asked = [*shown("strategies/interact/checker"), HumanMessage(f"Required: {name}\nSeen: {seen}")]
        try:
            words = re.findall(rf"\b(?:{HERE}|{ABSENT})\b", await self._word(asked, usage))
        except Garbled:
            return True
        return not words or words[-1] == HERE

    async def _word(self, asked: list[BaseMessage], usage: Usage) -> str:
        bench, how = self._bench, {"max_tokens": CHECK_TOKENS, "temperature": 0.0}
        if bench.model.abilities.schema:
            return str((await bench.formed(asked, FOUND, usage, **how)).get("here", ""))
        return (await bench.written(asked, usage, **how)).lower()


def searchable(world: World) -> list[str]:
    """Everywhere that can be gone to; places of one kind together, by number."""
    ways = [parts_of(action) for action in world.admissible()]
    far = [way.object for way in ways if way.verb == "teleport to {object}"]
    places = list(dict.fromkeys(far or world.scene().exits))
    kinds = list(dict.fromkeys(map(bare, places)))
    return sorted(places, key=lambda place: (kinds.index(bare(place)), _number(place)))


def _number(place: str) -> int:
    number = place.rpartition(" ")[2]
    return int(number) if number.isdigit() else 0


def in_order(said: str, places: Sequence[str]) -> list[str]:
    """The places as a sorter named them, one by one or by their kind; what it left out comes behind."""

    def first(place: str) -> int:
        whole, kind = re.escape(place), re.escape(bare(place))
        found = re.search(rf"\b{whole}\b", said, re.I) or re.search(rf"\b{kind}s?\b(?! ?\d)", said, re.I)
        return found.start() if found else len(said)

    return sorted(places, key=first)
