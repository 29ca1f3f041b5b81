"""ALFWorld's rules in plain Python, a thousand times faster than its engine and checked against it step by step.

For collecting training data and quick trials of learned policies. Results that are reported, and conversations, use
the package's own engine.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from tools.worlds.alfworld import AlfWorld, load
from tools.worlds.alfworld_engine import UNKNOWN, Game, names
from tools.worlds.world import WorldFault, WorldSpec

NOTHING = "Nothing happens."
STATES = (  # as the grammar of the package orders them
    (("isclean", "ishot", "issliced"), "This is a hot and clean sliced {}."),
    (("isclean", "iscool", "issliced"), "This is a cool and clean sliced {}."),
    (("isclean", "issliced"), "This is a clean sliced {}."),
    (("ishot", "issliced"), "This is a hot sliced {}."),
    (("iscool", "issliced"), "This is a cool sliced {}."),
    (("isclean", "ishot"), "This is a hot and clean {}."),
    (("isclean", "iscool"), "This is a cool and clean {}."),
    (("ishot",), "This is a hot {}."),
    (("isclean",), "This is a clean {}."),
    (("iscool",), "This is a cold {}."),
    (("toggleable", "istoggled"), "This {} is on."),
    (("toggleable",), "This {} is off."),
    (("sliceable", "issliced"), "This is a sliced {}."),
)
CHANGES = (  # (verb, receptacle, what it works on, what it makes, what it undoes, past text)
    ("clean", "sinkbasintype", "cleanable", "isclean", "", "You clean the {} using the {}."),
    ("heat", "microwavetype", "heatable", "ishot", "iscool", "You heat the {} using the {}."),
    ("cool", "fridgetype", "coolable", "iscool", "ishot", "You cool the {} using the {}."),
)
KNIVES = ("knifetype", "butterknifetype")
Action = Callable[[], str]


def open_fast(spec: WorldSpec) -> AlfWorld:
    """What `AlfWorlds.open` opens, in the engine of this file. Raises UnknownTask, WorldFault."""
    return AlfWorld(spec, load(spec), FastEngine)


class FastEngine:
    """A loaded game; the same methods as `Engine`. Raises WorldFault for a goal of another form."""

    def __init__(self, game: Game) -> None:
        facts, _, goal = game.problem.lower().partition("(:goal")
        self._game, self._goal = game, _goal(goal)
        found = [fact.split() for fact in re.findall(r"\(([a-z]+ [^()?]+)\)", facts.partition("(:init")[2])]
        named = names({id_ for _, *arguments in found for id_ in arguments})
        self._marks, self._pairs = list[tuple[str, str]](), defaultdict[str, list[tuple[str, str]]](list)
        for name, first, *second in sorted(found):
            if second:
                self._pairs[name].append((first, second[0]))
            else:
                self._marks.append((name, first))
        self._name = {id_: name.strip() for id_, name in named.items()}
        self._help = _help(game.grammar)
        self._now: dict[str, Action] | None = None
        self._begin()
        self.places = tuple(self._name[id_] for id_ in self._location)

    def restart(self) -> str:
        self._begin()
        task = f"Your task is to: {self._game.goal}." if UNKNOWN in self._game.grammar else ""
        return f"-= Welcome to TextWorld, ALFRED! =-\n\n{self._around()}\n\n{task}"

    def act(self, command: str) -> str:
        action = self._possible().get(command.strip())
        if action is None:
            return NOTHING
        text = action()
        self._now = None
        return text

    def peek(self, command: str) -> str:
        """Only for `look`, `inventory` and `examine`, which change nothing."""
        action = self._possible().get(command)
        return action() if action else ""

    def overview(self) -> str:
        return self._look() if self._here else self._around()

    def commands(self) -> tuple[str, ...]:
        return tuple(sorted(self._possible()))

    def won(self) -> bool:
        return self._goal(self)

    def lit(self, lamp: str) -> bool:
        """Whether a lamp of that kind, within reach, has been used."""
        near = (thing for place in self._here for thing in self._inside[place] if self.kind[thing] == lamp)
        return any(self._is[thing].issuperset(("toggleable", "istoggled")) for thing in near)

    def filled(self, place: str, kind: str, states: set[str], count: int) -> bool:
        """Whether so many things of a kind, in those states, lie in one receptacle of a kind."""
        return any(
            sum(self.kind[thing] == kind and states <= self._is[thing] for thing in things) >= count
            for where, things in self._inside.items()
            if self.kind.get(where) == place
        )

    def facts(self) -> Iterator[tuple[str, ...]]:
        for id_, kinds in self._is.items():
            yield from ((kind, self._name[id_]) for kind in kinds)
        for place, things in self._inside.items():
            yield from (("inreceptacle", self._name[thing], self._name[place]) for thing in things)
        yield from (("receptacleatlocation", self._name[place], at) for place, at in self._location.items())
        if self.held:
            yield ("holds", "agent1", self._name[self.held])

    def close(self) -> None:
        """Nothing is held."""

    def _begin(self) -> None:
        pairs = self._pairs
        self.kind = dict(pairs["receptacletype"] + pairs["objecttype"])
        self._location, self._lies_at = dict(pairs["receptacleatlocation"]), dict(pairs["objectatlocation"])
        self._fits, self._taken_from = set(pairs["cancontain"]), set[tuple[str, str]]()
        self._is: defaultdict[str, set[str]] = defaultdict(set)
        for name, thing in self._marks:
            self._is[thing].add(name)
        self._inside: defaultdict[str, set[str]] = defaultdict(set)
        for thing, place in pairs["inreceptacle"]:
            self._inside[place].add(thing)
        for place in self._location:
            self._inside.setdefault(place, set())
        self._nested: defaultdict[str, list[str]] = defaultdict(list)
        for inner, outer in pairs["inreceptacleobject"]:
            self._nested[outer].append(inner)
        self.held, self._at = "", pairs["atlocation"][-1][1]
        self._here = [place for place, at in self._location.items() if at == self._at]
        self._now = None

    # -- what can be done

    def _possible(self) -> dict[str, Action]:
        now = self._now
        if now is None:
            now = self._now = dict(self._actions())
        return now

    def _actions(self) -> Iterator[tuple[str, Action]]:
        yield "look", self._look
        yield "inventory", self._inventory
        yield "help", lambda: self._help
        for place, at in self._location.items():
            if at != self._at:
                yield f"go to {self._name[place]}", lambda place=place: self._go(place)  # type: ignore[misc]
        for place in self._here:
            yield from self._at_place(place, self._name[place])
        if self.held:
            yield f"examine {self._name[self.held]}", lambda: self._examined(self.held)
            if self.kind[self.held] in KNIVES:
                yield from self._slices(self._name[self.held])

    def _at_place(self, place: str, name: str) -> Iterator[tuple[str, Action]]:
        yield f"examine {name}", lambda: self._seen(place)
        if "openable" in self._is[place]:
            opened = "opened" in self._is[place]
            yield f"{'close' if opened else 'open'} {name}", lambda: self._open(place, not opened)
        for thing in self._inside[place]:
            if "toggleable" in self._is[thing]:
                yield f"use {self._name[thing]}", lambda thing=thing: self._use(thing)  # type: ignore[misc]
            if self._reachable(place) and not self.held and "pickupable" in self._is[thing]:
                yield f"take {self._name[thing]} from {name}", lambda t=thing: self._take(t, place)  # type: ignore[misc]
        if self.held:
            if self._reachable(place) and (self.kind[place], self.kind[self.held]) in self._fits:
                yield f"move {self._name[self.held]} to {name}", lambda: self._put(place)
            for verb, kind, able, made, undone, text in CHANGES:
                if self.kind[place] == kind and able in self._is[self.held]:
                    said = text.format(self._name[self.held], name)
                    action = lambda m=made, u=undone, s=said: self._change(m, u, s)  # noqa: E731
                    yield f"{verb} {self._name[self.held]} with {name}", action

    def _slices(self, knife: str) -> Iterator[tuple[str, Action]]:
        for thing, at in self._lies_at.items():
            if at == self._at and "sliceable" in self._is[thing]:
                name = self._name[thing]
                yield f"slice {name} with {knife}", lambda t=thing, n=name: self._slice(t, n, knife)  # type: ignore[misc]

    def _reachable(self, place: str) -> bool:
        return "openable" not in self._is[place] or "opened" in self._is[place]

    # -- doing it

    def _go(self, place: str) -> str:
        self._at = self._location[place]
        self._here = [other for other, at in self._location.items() if at == self._at]
        return f"You arrive at {self._name[place]}. {self._seen(place)}"

    def _open(self, place: str, opened: bool) -> str:
        if not opened:
            self._is[place].discard("opened")
            return f"You close the {self._name[place]}."
        self._is[place].add("opened")
        return f"You open the {self._name[place]}. {self._seen(place)}"

    def _take(self, thing: str, place: str) -> str:
        self._inside[place].discard(thing)
        self._taken_from.add((thing, place))
        if self._lies_at.get(thing) == self._at:
            del self._lies_at[thing]
        self.held = thing
        return f"You pick up the {self._name[thing]} from the {self._name[place]}."

    def _put(self, place: str) -> str:
        thing, self.held = self.held, ""
        self._inside[place].add(thing)
        self._taken_from.discard((thing, place))
        self._lies_at[thing] = self._at
        return f"You move the {self._name[thing]} to the {self._name[place]}."

    def _use(self, thing: str) -> str:
        self._is[thing].add("istoggled")
        return f"You turn on the {self._name[thing]}."

    def _change(self, made: str, undone: str, text: str) -> str:
        self._is[self.held].add(made)
        self._is[self.held].discard(undone)
        return text

    def _slice(self, thing: str, name: str, knife: str) -> str:
        self._is[thing].add("issliced")
        return f"You sliced the {name} with the {knife}."

    # -- telling it

    def _around(self) -> str:
        seen = _listed(f"a {self._name[place]}" for place in self._location)
        return f"You are in the middle of a room. Looking quickly around you, you see {seen}."

    def _look(self) -> str:
        if not self._here:
            return "You are in the middle of a room. Looking quickly around you, you see nothing."
        beside = [
            f"a {self._name[thing]}"
            for thing, at in sorted(self._lies_at.items())
            if at == self._at
            for place in self._here
            if (thing, place) in self._taken_from
        ]
        facing = _listed(self._name[place] for place in self._here)
        return f"You are facing the {facing}. Next to it, you see {_listed(beside)}."

    def _inventory(self) -> str:
        return f"You are carrying: a {self._name[self.held]}." if self.held else "You are not carrying anything."

    def _seen(self, place: str) -> str:
        name = self._name[place]
        if not self._reachable(place):
            return f"The {name} is closed."
        things = _listed(f"a {self._name[thing]}" for thing in sorted(self._inside[place]))
        return (
            f"The {name} is open. In it, you see {things}."
            if "openable" in self._is[place]
            else (f"On the {name}, you see {things}.")
        )

    def _examined(self, thing: str) -> str:
        name, so = self._name[thing], self._is[thing]
        if "isreceptacleobject" in so:
            inside = _listed(f"a {self._name[inner]}" for inner in self._nested[thing])
            return f"This is a normal {name}. In it, you see {inside}."
        return next(
            (text.format(name) for all_, text in STATES if so.issuperset(all_)),
            f"There's nothing special about {name}.",
        )


def _help(grammar: str) -> str:
    """The grammar's list of commands."""
    found = re.search(r'(?:\\n)?(Available commands:[^"]*)"', grammar)
    return found[1].replace("\\n", "\n") if found else ""


def _listed(words: Iterable[str]) -> str:
    *most, last = [*words] or ["nothing"]
    return f"{', '.join(most)}, and {last}" if most else last


def _goal(text: str) -> Callable[[FastEngine], bool]:
    """The goal of a problem as a question to an engine. Raises WorldFault for one that is none of the six."""
    things = re.findall(r"\(objecttype \?(\w+) (\w+)\)", text)
    places = re.findall(r"\(receptacletype \?\w+ (\w+)\)", text)
    states = re.findall(r"\((is(?:clean|hot|cool)|cleanable|heatable|coolable) \?", text)
    if "istoggled" in text and "holds" in text and len(things) == 2:
        lamp = next(kind for name, kind in things if re.search(rf"\(istoggled \?{name}\)", text))
        held = next(kind for _, kind in things if kind != lamp)
        return lambda engine: engine.lit(lamp) and engine.kind.get(engine.held) == held
    if not places or not things or "issliced" in text or len({kind for _, kind in things}) != 1:
        raise WorldFault("This game's goal is none that the fast engine knows; use the package's own engine.")
    count = len(things)
    return lambda engine: engine.filled(places[0], things[0][1], set(states), count)
