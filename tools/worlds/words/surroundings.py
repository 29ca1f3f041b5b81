"""What the admissible actions and the last observation say about the place: actions in parts, names, containers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tools.worlds.words.frames import SHAPES
from tools.worlds.words.looks import observed
from tools.worlds.words.mentions import Name, name
from tools.worlds.world import Scene

LONG_FIRST = sorted(SHAPES, key=len, reverse=True)
CONTAINS = re.compile(r"(?:^|[\s,(])(?:a|an|the) ([a-z][a-z0-9 ]*?) \((?:containing|that contains) ([^()]*)\)")
LIES_IN = re.compile(r"\b(?:in|on) the ([a-z][a-z0-9 ]*?) is: ([^\n]*)")
SUBSTANCE = re.compile(r"substance called ([a-z ]+)")
NUMBERED = re.compile(r"\b(?:a|an|the) ([a-z]+ \d+)\b")
YOUNG = re.compile(r"\b(?:a|an) ((?:baby )?[a-z]+(?: [a-z]+)?) (egg|seed|hatchling|juvenile|pup)\b")
SEEDLING = re.compile(r"(?!adult |dead |reproducing |seed )(?:[a-z]+ )+(?:tree|plant) in .*pot.*")
TITLED = re.compile(r"book \(([^()]*)\) titled [^()\n]*? by ([a-z. ]+)")
CLOSED = re.compile(r"\bthe ([a-z ]+?) door is closed")
ROOM = re.compile(r"(?:room|location) is called the ([a-z ]+)\.")
PART = re.compile(r"(?:anode|cathode|terminal \d) in ")
END_OF = re.compile(r"(.+) (anode|cathode|terminal \d)")
WHERE = re.compile(
    r"(?:you arrive at|you open the|you close the|from the|to the|with the|on the|in the|the) ([a-z]+ \d+)"
)


@dataclass(frozen=True)
class Act:
    """An admissible action in its parts."""

    text: str
    verb: str
    args: tuple[str, ...]


VERB = re.compile(rf"(?:{'|'.join(re.escape(verb) for verb in LONG_FIRST)})(?= |$)")


@lru_cache(maxsize=16384)
def verb_of(action: str) -> str:
    """The world's verb: `go to`, `take`, `wait1`."""
    found = VERB.match(action)
    return found.group() if found else action.split(" ")[0]


class Listing:
    """A list of admissible actions in its parts; each part is read once, however many sentences come on the list."""

    def __init__(self, admissible: tuple[str, ...]) -> None:
        self.by_verb: dict[str, list[str]] = {}
        for action in admissible:
            self.by_verb.setdefault(verb_of(action.lower()), []).append(action)
        self._listed = frozenset(admissible)
        self._acts: dict[str, tuple[Act, ...]] = {}
        self._parsed: dict[str, Act] = {}

    @cached_property
    def single(self) -> frozenset[str]:
        """Names that stand alone behind a verb; they tell where an action of two arguments is to be cut."""
        return frozenset(
            action[len(verb) + 1 :]
            for verb, actions in self.by_verb.items()
            if verb not in SHAPES or not SHAPES[verb]
            for action in actions
            if len(action) > len(verb)
        )

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Everything that is acted on."""
        found = dict.fromkeys(sorted(self.single))  # in an order that is the same in every process
        for verb in self.by_verb:
            if SHAPES.get(verb) and verb not in ("connect", "use", "pour", "dunk"):
                found.update((arg, None) for act in self.acts(verb) for arg in act.args)
        return tuple(found)

    @cached_property
    def _acted_on(self) -> frozenset[str]:
        return frozenset(arg for verb in self.by_verb for act in self.acts(verb) for arg in act.args)

    def as_listed(self, action: str) -> str:
        """An earlier action in the names that its things have now: `use thermometer in inventory on lead` -> `use
        thermometer on liquid lead`. What is not here any more keeps its name.
        """
        act = self.parse(action)
        poured = act.verb in ("pour", "dunk") and not set(act.args[1:]) <= self._acted_on
        if action in self._listed or not act.args or poured:
            return action
        second = [self._called(arg) for arg in act.args[1:]]
        first = self._called(act.args[0], second[0] if second and act.verb == "move" else "")
        if not second:
            return f"{act.verb} {first}"
        told = [f"{act.verb} {first} {between} {second[0]}" for between in SHAPES[act.verb]]
        listed = next((one for one in told if one in self._listed), "")
        return listed or told[0]

    def _called(self, arg: str, into: str = "") -> str:
        """What is acted on by another name now; `into`: where it was put."""
        bare, end = re.sub(r" (?:in|on) .*", "", arg), END_OF.fullmatch(arg)
        same = (arg, bare, f"{arg} in inventory", f"{end[2]} in {end[1]}" if end else arg)
        found = next((one for one in same if one in self._acted_on), "")
        if found or bare[-1:].isdigit():
            return found or arg
        like = [one for one in self._acted_on if one.endswith(f" {bare}") and not PART.match(one)]
        like += [one for one in self._acted_on if one.startswith((f"{bare} in ", f"{bare} on "))]
        return min(like, key=lambda one: (not (into and one.endswith(into)), len(one), one), default=arg)

    def acts(self, verb: str) -> tuple[Act, ...]:
        if verb not in self._acts:
            self._acts[verb] = tuple(self.parse(action) for action in self.by_verb.get(verb, ()))
        return self._acts[verb]

    def parse(self, action: str) -> Act:
        if action not in self._parsed:
            self._parsed[action] = self._parse(action)
        return self._parsed[action]

    def _parse(self, action: str) -> Act:
        verb = verb_of(action)
        rest = action[len(verb) + 1 :]
        cuts = [m for between in SHAPES.get(verb, ()) for m in re.finditer(f" {between} ", rest)]
        sides = [(rest[: m.start()], rest[m.end() :]) for m in cuts]
        both = next((pair for pair in sides if pair[0] in self.single and pair[1] in self.single), None)
        best = both or next((pair for pair in sides if pair[0] in self.single or pair[1] in self.single), None)
        pair = best or (sides[0] if sides else None)
        return Act(action, verb, pair or ((rest,) if rest else ()))


listing = lru_cache(maxsize=8)(Listing)
"""The same list comes with every sentence of a turn, and often with the next turn's."""


class Surroundings:
    """A world at one moment, as far as words need it. Built anew for each sentence; parts are read when asked for."""

    def __init__(
        self,
        world: str,
        admissible: Sequence[str],
        observation: str = "",
        scene: Scene | None = None,
        recent: Sequence[str] = (),
    ) -> None:
        self.world, self.observation, self.scene = world, observation.lower(), scene
        self.admissible = tuple(dict.fromkeys(action.strip() for action in admissible if action.strip()))
        self._listing = listing(self.admissible)
        self.recent = tuple(map(self._listing.as_listed, recent)) if world == "scienceworld" else tuple(recent)

    @property
    def verbs(self) -> tuple[str, ...]:
        return tuple(self._listing.by_verb)

    def acts(self, verb: str) -> tuple[Act, ...]:
        return self._listing.acts(verb)

    def parse(self, action: str) -> Act:
        return self._listing.parse(action)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Everything that can be named here: what is acted on, what is seen, what is carried."""
        found = dict.fromkeys(self._listing.named)
        found.update((seen, None) for seen in NUMBERED.findall(self.observation))
        if self.scene:
            found.update((thing, None) for thing in (*self.scene.things, *self.scene.exits, *self.scene.holding))
        return tuple(self.name(text) for text in found)

    def name(self, text: str) -> Name:
        return name(text, self.aliases.get(text, ()))

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """`substance in metal pot` -> water, from `metal pot (containing a substance called water)`."""
        table: dict[str, tuple[str, ...]] = {}
        for holder, inside in (*CONTAINS.findall(self.observation), *LIES_IN.findall(self.observation)):
            substances = tuple(found.strip() for found in SUBSTANCE.findall(inside))
            if substances:
                table[f"substance in {holder}"] = substances
            for part in inside.split(", "):
                said = re.sub(r" in the .*", "", part.strip(" ."))
                for kind in ("paint", "living thing"):
                    if (
                        said not in ("", "nothing")
                        and "(" not in inside
                        and "substance called" not in said
                        and (kind not in ("paint",) or said.endswith("paint"))
                    ):
                        key = f"{kind} in {holder}"
                        table[key] = (*table.get(key, ()), re.sub(r"^(?:a|an|the) ", "", said))
        books = TITLED.findall(self.observation)
        for title, author in books:
            words = (title, author.strip(), author.split()[-1])
            table[f"book ({title})"] = words
            if len(books) == 1:
                table["book"] = words
        for text, told in observed(self._listing.named, self.observation).items():
            table[text] = (*table.get(text, ()), *told)
        for plant in filter(SEEDLING.fullmatch, self._listing.named):
            table[plant] = (*table.get(plant, ()), "seedling", "sapling")
        for young, kind in YOUNG.findall(self.observation):
            table[young] = (*table.get(young, ()), f"{young} {kind}")
        return table

    @cached_property
    def closed(self) -> frozenset[str]:
        """What was seen to be closed: nothing in it can be meant while the like stands in the open."""
        found = frozenset(CLOSED.findall(self.observation))
        return found | {name.split()[-1] for name in found}

    def hidden(self, text: str) -> bool:
        """In something closed, as far as seen: `cup containing red paint in cupboard`."""
        return any(text.endswith(f" in {closed}") for closed in self.closed)

    @cached_property
    def told(self) -> tuple[str, ...]:
        """What the first sentence of the answer to the last action names, the first named first."""
        if ROOM.search(self.observation) or "looking quickly around" in self.observation:
            return ()
        first = re.split(r"[.:\n]", self.observation, maxsplit=1)[0]
        found = sorted((first.find(name.text), -len(name.text), name.text) for name in self.names if name.text in first)
        return tuple(text for i, (at, _, text) in enumerate(found) if not i or at != found[i - 1][0])

    @cached_property
    def place(self) -> str:
        """Where the agent stands, as far as told: `shelf 1`."""
        if self.scene and self.scene.place:
            return self.scene.place
        for action in reversed(self.recent):
            act = self.parse(action)
            if act.verb in ("go to", "open", "close") and act.args:
                return act.args[0]
            if act.verb in ("take", "move", "heat", "cool", "clean") and len(act.args) > 1:
                return act.args[1]
        if room := ROOM.search(self.observation):
            return room[1]
        found = WHERE.search(self.observation)
        return found[1] if found and "looking quickly around" not in self.observation else ""

    @cached_property
    def room(self) -> str:
        """The room that the observation describes, with the word a name has before it: `in art studio`."""
        found = ROOM.search(self.observation)
        return f"in {found[1]}" if found else ""

    @cached_property
    def holding(self) -> tuple[str, ...]:
        """What is carried, as far as the actions tell: what can be put somewhere but is not lying anywhere."""
        if self.scene:
            return self.scene.holding
        down = [act.args[0] for act in self.acts("put down")]
        if down or self.world == "scienceworld":
            return tuple(down)
        taken = {act.args[0] for act in self.acts("take")}
        moved = [
            act.args[0]
            for verb in ("move", "heat", "cool", "clean", "put", "drop")
            for act in self.acts(verb)
            if act.args
        ]
        looked = [act.args[0] for act in self.acts("examine") if act.args and self._loose(act.args[0])]
        return tuple(dict.fromkeys(arg for arg in (*moved, *looked) if arg not in taken))

    def _loose(self, text: str) -> bool:
        """Carried, or at least no place: nothing is taken from it, nobody can go to another of its kind."""
        return text in self._carried() or not (text == self.place or name(text).base in self._places)

    @cached_property
    def _places(self) -> frozenset[tuple[str, ...]]:
        """What is gone to, opened, taken from or put into is a place."""
        first = [act.args[0] for verb in ("go to", "open", "close") for act in self.acts(verb) if act.args]
        second = [act.args[1] for verb in ("take", "move", "use") for act in self.acts(verb) if len(act.args) > 1]
        arrived = re.findall(r"\b(?:on|in|at) the ([a-z]+ \d+)", self.observation)
        return frozenset(name(text).base for text in (*first, *second, *arrived))

    def _carried(self) -> set[str]:
        """Taken earlier and not put down since."""
        have: set[str] = set()
        for action in self.recent:
            act = self.parse(action)
            if act.verb in ("take", "pick up") and act.args:
                have.add(act.args[0])
            elif act.verb in ("move", "put", "put down", "drop") and act.args:
                have.discard(act.args[0])
        return have
