"""A state's admissible actions as verbs and names: 1,089 strings of a laboratory are some 20 verbs with 40 names.

`move metal pot to stove` is the verb `move {object} to {other}` with the object `metal pot` and the other `stove`. A
model chooses verb and names, and gets an admissible action back or is told which ones are near.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from tools.desk import ToolFault
from tools.worlds.world import Scene

FOCUS = "focus on {object}"
"""What may be done once in a task of a laboratory: which of several things is the person's to say."""
LASTING = ("focus on ", "eat ", "flush ")
"""How actions of a laboratory begin that nothing takes back."""
NUMBER = "choose number {object}"
"""Answers a question of ScienceWorld (`Ambiguous request: which one? 0: ... 1: ...`); the action is the number."""
AMBIGUOUS = "Ambiguous request"
"""How that question begins."""
OPTION = re.compile(r"^(\d+):\t(.*)$", re.MULTILINE)
CARRIED, PICK_UP = "in inventory", "pick up "
"""How the laboratory says where a carried thing is; the action that is about others."""
TEMPLATES = (
    *("look", "look around", "look at {object}", "look in {object}", "examine {object}", "read {object}"),
    *("inventory", "help", "wait", "wait1"),
    *("go to {object}", "teleport to {object}", "go {object}", "open {object}", "close {object}"),
    *("take {object} from {other}", "take {object}", "pick up {object}", "put down {object}", "drop {object}"),
    *("move {object} to {other}", "put {object} on {other}", "put {object} in {other}", "insert {object} into {other}"),
    *("pour {object} into {other}", "dunk {object} into {other}", "mix {object}"),
    *("use {object} on {other}", "use {object}", "activate {object}", "deactivate {object}"),
    *("turn on {object}", "turn off {object}"),
    *("connect {object} to {other}", "disconnect {object}", "focus on {object}", "eat {object}", "flush {object}"),
    *("heat {object} with {other}", "cool {object} with {other}", "clean {object} with {other}"),
    *("slice {object} with {other}", "chop {object} with {other}", "dice {object} with {other}"),
    *("cook {object} with {other}", "lock {object} with {other}", "unlock {object} with {other}"),
)
"""What the simulators' own grammars say. An action of none of these is its first word and the rest."""
REFUSALS = (
    "No known action",
    "Unknown action",
    "You can't",
    "can't ",
    "cannot",
    "doesn't",
    "appears broken",
    "It's not",
)
"""Of a laboratory, in its own words."""
IN_VAIN = "Nothing happens"
"""Of a household."""
NEAREST = 4
_SLOT = re.compile(r" ?\{(?:object|other)\}")


def refused(observation: str) -> bool:
    """Whether a simulator says that nothing was done."""
    return any(mark in observation for mark in REFUSALS) or observation.startswith(IN_VAIN)


def meant(question: str, before: str, wrote: str = "") -> str:
    """The number that answers a laboratory's question which one was meant by the action `before`; empty where it asked
    nothing.

    It is the one that was written (`1`, `1: apple (in bowl)`, `number 1`), else that of the option with the most words
    of what was written; of several that of the one that is carried (that is not, to pick up), and the nearest to the
    action.
    """
    options = dict(OPTION.findall(question)) if question.startswith(AMBIGUOUS) else {}
    number = re.match(r"(?:[a-z]+\W{1,3}(?=\d+\W{0,3}$))?(\d+)\b", wrote.lower())
    if number and number[1] in options:
        return number[1]

    def farness(number: str) -> tuple[int, bool, int]:
        option = options[number]
        shared = words(wrote) & words(option)
        return -len(shared), (CARRIED in option) == before.startswith(PICK_UP), Levenshtein.distance(before, option)

    return min(options, key=farness, default="")


def words(text: str) -> frozenset[str]:
    """In lower case, numbers among them."""
    return frozenset(re.findall(r"[a-z0-9]+", text.lower()))


@dataclass(frozen=True)
class Parts:
    """One action, taken apart."""

    verb: str
    """A pattern: `move {object} to {other}`."""
    object: str = ""
    other: str = ""

    @property
    def action(self) -> str:
        if self.verb == NUMBER:
            return self.object
        return self.verb.replace("{object}", self.object).replace("{other}", self.other)


class ActionSpace:
    """What can be done in one state."""

    def __init__(self, admissible: Sequence[str], seen: Sequence[str] = ()) -> None:
        """`seen`: names on the screen that the simulator understands, though its list calls things otherwise."""
        self.admissible = tuple(dict.fromkeys(admissible))
        self._parts = dict(zip(self.admissible, _taken_apart(self.admissible), strict=True))
        self._actions = {_key(parts): action for action, parts in self._parts.items()}
        order = {pattern: number for number, pattern in enumerate(TEMPLATES)}
        used = Counter(parts.verb for parts in self._parts.values())
        self.verbs: tuple[str, ...] = tuple(sorted(used, key=lambda verb: (order.get(verb, len(order)), verb)))
        self._exact, self._begun = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for pattern in self.verbs:
            self._exact[_plain(pattern)].append(pattern)
            for way in {_plain(_SLOT.sub("", pattern)), pattern.split(" {")[0]}:  # `move to`, `move`
                self._begun[way].append(pattern)
        objects, others = ({getattr(p, side) for p in self._parts.values()} - {""} for side in ("object", "other"))
        self._seen = frozenset() if NUMBER in self.verbs else frozenset(seen) - objects
        self.objects: tuple[str, ...] = tuple(sorted(objects | self._seen))
        self.others: tuple[str, ...] = tuple(sorted(others | self._seen)) if others else ()

    def parts(self, action: str) -> Parts:
        """Of one of the admissible actions. Raises KeyError."""
        return self._parts[action]

    def literal(self, said: str) -> str:
        """The admissible action that was written out, whatever its case and blanks; empty for none."""
        wanted = _plain(said)
        return next((action for action in self.admissible if _plain(action) == wanted), "") if wanted else ""

    def action(self, verb: str, object: str = "", other: str = "") -> str:
        """The admissible action of these parts; of a verb its first words are enough where they name but one.

        Raises ToolFault, which names what is nearest and what else can be done with the object.
        """
        for pattern in self._meant(verb):
            parts = Parts(pattern, *_slots(pattern, object, other))
            if action := self._actions.get(_key(parts)) or self._by_sight(parts):
                return action
        raise ToolFault(self._fault(verb, object, other))

    def with_object(self, name: str) -> tuple[str, ...]:
        """The verbs that take this object."""
        taken = {parts.verb for parts in self._parts.values() if _plain(parts.object) == _plain(name)}
        return tuple(verb for verb in self.verbs if verb in taken)

    def nearest(self, said: str, count: int = NEAREST) -> tuple[str, ...]:
        """The admissible actions whose words are most like these."""
        found = process.extract(said, self.admissible, scorer=fuzz.token_sort_ratio, limit=count)
        return tuple(action for action, _, _ in found)

    def _by_sight(self, parts: Parts) -> str:
        """An action with a name that is only on the screen; the simulator says whether it can be done."""
        names = [name for name in (parts.object, parts.other) if name]
        complete = len(names) == parts.verb.count("{")
        known = {*self.objects, *self.others}
        return parts.action if complete and known.issuperset(names) and self._seen.intersection(names) else ""

    def _meant(self, verb: str) -> Sequence[str]:
        plain = _plain(verb)
        return self._exact.get(plain) or self._begun.get(plain) or ()

    def _fault(self, verb: str, object: str, other: str) -> str:
        pattern = next(iter(self._meant(verb)), verb)
        wanted = " ".join(part for part in (verb, object, other) if part)
        if "{" in pattern:
            wanted = Parts(pattern, *_slots(pattern, object, other)).action.strip()
        near = "; ".join(self.nearest(wanted))
        told = f"`{wanted}` cannot be done here now; the nearest that can: {near}."
        if verbs := self.with_object(object) if object else ():
            return f"{told} With `{object}`: {'; '.join(verbs)}."
        return told


def parts_of(action: str) -> Parts:
    """One action taken apart by itself, whatever the state it was done in."""
    return _taken_apart([action])[0]


@lru_cache(maxsize=64)
def action_space(admissible: tuple[str, ...], seen: tuple[str, ...] = ()) -> ActionSpace:
    """The space of a state, made once."""
    return ActionSpace(admissible, seen)


def bare(name: str) -> str:
    """`drawer 12` -> `drawer`."""
    return name.rstrip("0123456789 ") or name


def displayed(scene: Scene) -> tuple[str, ...]:
    """What things are called on the screen: `glass cup` of `glass cup (containing nothing), on the table`.

    A laboratory's list may call that `cup containing nothing in table`; its parser understands both.
    """
    return tuple(dict.fromkeys(re.split(r" \(|,", thing)[0] for thing in (*scene.things, *scene.holding)))


def _taken_apart(admissible: Sequence[str]) -> list[Parts]:
    """Where words could be cut in two ways (`door to hallway to cupboard`), the way that gives known names."""
    ways = [_ways(action) for action in admissible]
    known = Counter(name for each in ways if len(each) == 1 for name in (each[0].object, each[0].other) if name)
    return [max(each, key=lambda parts: _known(parts, known)) for each in ways]


def _known(parts: Parts, known: Counter[str]) -> tuple[int, int]:
    names = [name for name in (parts.object, parts.other) if name]
    return sum(name in known for name in names) - len(names), sum(known[name] for name in names)


@lru_cache(maxsize=8192)
def _ways(action: str) -> tuple[Parts, ...]:
    """Of most actions they were asked for in the state before."""
    return tuple(_read(action))


def _read(action: str) -> Iterator[Parts]:
    """Every way to read an action: those of the templates that begin alike, else its first word and the rest."""
    if action.isdigit():
        yield Parts(NUMBER, action)
        return
    found = False
    first, _, rest = action.partition(" ")
    for pattern, begins in _begins().get(first, ()):
        if action == pattern:
            yield Parts(pattern)
            return
        if begins and action.startswith(f"{begins} "):
            for parts in _fits(pattern, action[len(begins) + 1 :]):
                found = True
                yield parts
            if found:
                return  # the longer template of two that begin alike comes first
    if not found:
        yield Parts(f"{first} {{object}}", rest) if rest else Parts(first)


def _fits(pattern: str, rest: str) -> Iterator[Parts]:
    """Every cut of the words behind the verb."""
    _, _, between = pattern.partition("{object}")
    between = between.partition("{other}")[0]
    if not between:
        yield Parts(pattern, rest)
        return
    for cut in re.finditer(re.escape(between), rest):
        yield Parts(pattern, rest[: cut.start()], rest[cut.end() :])


@lru_cache(maxsize=1)
def _begins() -> Mapping[str, Sequence[tuple[str, str]]]:
    """First word -> each template with the words before its names; the longest first, of those the ones with two."""
    begun = [(pattern, pattern.partition(" {object}")[0] if "{" in pattern else "") for pattern in TEMPLATES]
    by_first: dict[str, list[tuple[str, str]]] = {}
    for one in sorted(begun, key=lambda one: (-len(one[1].split()), "{other}" not in one[0])):
        by_first.setdefault(one[0].partition(" ")[0], []).append(one)
    return by_first


def _slots(pattern: str, object: str, other: str) -> tuple[str, str]:
    """A name that the pattern has no place for is left out."""
    return object if "{object}" in pattern or pattern == NUMBER else "", other if "{other}" in pattern else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _key(parts: Parts) -> tuple[str, str, str]:
    return parts.verb, _plain(parts.object), _plain(parts.other)
