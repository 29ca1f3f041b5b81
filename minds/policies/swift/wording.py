"""Actions as patterns with pointers: `move {} to {}` and two things in view; in and out of the engine's words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from minds.policies.swift.reading import Thing
from tools.worlds.actions import AMBIGUOUS as AMBIGUOUS
from tools.worlds.actions import OPTION, REFUSALS

ROOMS, MOVES = "teleport to {}", "move {} to {}"
FILLER = frozenset(["in", "on", "the", "a", "an", "of", "and", "containing", "stage", "with", "inventory", "to"])
TERMINAL = re.compile(r"^(?:(anode|cathode|terminal \d) in (.+)|(.+) (anode|cathode|terminal \d))$")
SPLITS = {
    "move": ("move {} to {}", (" to ",)),
    "pour": ("pour {} into {}", (" into ", " in ")),
    "use": ("use {} on {}", (" on ",)),
    "dunk": ("dunk {} in {}", (" in ", " into ")),
}
WAY = re.compile(r"\(([^()]*)\)")
ALONE = "open close activate deactivate drop read mix examine eat flush"
SINGLE = ("pick up", "focus on", "put down", "look at", "look in", *ALONE.split())


@dataclass(frozen=True)
class Act:
    """A pattern and the indices of the things (or the names of the rooms) that fill it."""

    pattern: str
    args: tuple[int, ...] = ()
    room: str = ""

    @classmethod
    def of(cls, stored: Sequence[Any]) -> Act:
        """From a line of a demonstration."""
        pattern, args, room = stored
        return cls(pattern, tuple(args), room)


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words and numbers of a text."""
    return tuple(re.findall(r"[a-z]+|-?\d+(?:\.\d+)?", text.lower()))


def references(index: int, seen: Sequence[Thing]) -> list[str]:
    """How a thing may be named to the engine, the likeliest first; the others are for when it did not understand."""
    thing = seen[index]
    name = thing.name.lower().replace("door to the ", "door to ")
    place = thing.place.lower()
    twins = [other for i, other in enumerate(seen) if other.name == thing.name and i != index]
    held = " and ".join(dict.fromkeys(seen[i].name.lower() for i in thing.holds)) or "nothing"
    filled = f"{name} containing {held}" if thing.holds or any(other.holds for other in twins) else name
    if twins and sum(other.name.lower() == place for other in seen) > 1:
        forms = [filled, f"{name} in {place}", name]  # the place has twins, too: the engine is to ask which is meant
    elif twins and all(other.place != thing.place for other in twins):
        forms = [f"{name} in {place}", filled, name]
    elif twins:
        forms = [f"{filled} in {place}", filled, f"{name} in {place}", name]
    else:
        forms = [name, f"{name} in {place}", filled]
    if stage := next((s.removeprefix("stage ") for s in thing.states if s.startswith("stage ")), ""):
        forms.append(f"{name} in the {stage} stage in {place}")
    if "substance" in thing.states:
        forms.append(f"substance in {place}")
    if " " in name:
        forms.insert(1, name.partition(" ")[2])
    return list(dict.fromkeys(forms))


def wordings(act: Act, seen: Sequence[Thing], worked: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """An action in the engine's words, the likeliest first, each with what it calls its things.

    `worked` says which reference was understood before for a thing of that name.
    """
    if act.room:
        return [(act.pattern.format(act.room), ())]
    forms = []
    for index in act.args:
        own = references(index, seen)
        before = worked.get(seen[index].name, "")
        forms.append(sorted(own, key=lambda form: form != before) if before in own else own)
    picks = sorted(product(*(range(len(own)) for own in forms)), key=lambda pick: (sum(pick), max(pick, default=0)))
    called = [tuple(own[i] for own, i in zip(forms, pick, strict=True)) for pick in picks]
    return [(act.pattern.format(*names), names) for names in called]


def in_place(act: Act, seen: Sequence[Thing]) -> bool:
    """Whether a thing would be put where it is."""
    return act.pattern == MOVES and seen[act.args[0]].holder == act.args[1]


def failed(text: str) -> bool:
    """Whether a laboratory's observation says that nothing was done: what Swift learned from."""
    return any(mark in text for mark in REFUSALS)


def choice(text: str, args: Sequence[int], seen: Sequence[Thing]) -> str:
    """The number that answers an ambiguous request: the option that says where the things meant are, or nearly so."""
    options = OPTION.findall(text)
    bag = set(words(" ".join(name for i in args for name in place_words(i, seen))))
    ways = [_way(i, seen) for i in args]
    if not options:
        return "0"

    def likeness(option: tuple[str, str]) -> tuple[int, int, int, int]:
        said = [[w.strip().removeprefix("in ") for w in way.split(",")][:-1] for way in WAY.findall(option[1])]
        right = sum(one == other for one, other in zip(said, ways, strict=False))
        return right, len(bag & set(words(option[1]))), -len(words(option[1])), -int(option[0])

    return str(max(options, key=likeness)[0])


def _way(index: int, seen: Sequence[Thing]) -> list[str]:
    """What holds a thing, from within to without, in the engine's words, but for the room."""
    thing, *around = _from_within(index, seen)
    return [*(one.name for one in around), *(["inventory", "agent"] if thing.held else [])]


def place_words(index: int, seen: Sequence[Thing]) -> list[str]:
    """The names of a thing and of all that holds it."""
    around = _from_within(index, seen)
    return [word for one in around for word in (one.name, *(["inventory agent"] if one.held else []))]


def _from_within(index: int, seen: Sequence[Thing]) -> list[Thing]:
    """A thing and all that holds it."""
    found = [seen[index]]
    while found[-1].holder >= 0:
        found.append(seen[found[-1].holder])
    return found


# --- from an engine's action string back to an Act (oracle paths) ---


def parse(action: str, seen: Sequence[Thing], said: str) -> Act | None:
    """The Act an oracle's string stands for, given what was in view and what the engine answered; None if unclear."""
    if action in ("wait", "wait1"):
        return Act(action)
    if action.startswith("connect "):
        return _parse_connect(action, seen, said)
    verb = action.split()[0]
    if verb in SPLITS:
        return _parse_two(action, seen, said)
    for verb in SINGLE:
        if action.startswith(verb + " "):
            found = resolve(action[len(verb) + 1 :], seen, said, 0)
            pattern = {"put down": "drop", "look at": "examine"}.get(verb, verb) + " {}"
            return Act(pattern, (found[0],)) if found else None
    return None


def _parse_two(action: str, seen: Sequence[Thing], said: str) -> Act | None:
    verb, _, rest = action.partition(" ")
    pattern, cuts = SPLITS[verb]
    found: list[tuple[float, Act]] = []
    for match in (match for cut in cuts for match in re.finditer(re.escape(cut), rest)):
        first, second = resolve(rest[: match.start()], seen, said, 0), resolve(rest[match.end() :], seen, said, 1)
        if first and second and first[0] != second[0]:
            found.append((first[1] + second[1], Act(pattern, (first[0], second[0]))))
    return max(found, key=lambda one: one[0])[1] if found else None


def _parse_connect(action: str, seen: Sequence[Thing], said: str) -> Act | None:
    ends, args = [], []
    for text in action.removeprefix("connect ").partition(" to ")[::2]:
        match = TERMINAL.match(text)
        found = resolve(match[2] or match[3], seen, "", 0) if match else None
        if not match or not found:
            return None
        ends.append(match[1] or match[4])
        args.append(found[0])
    return Act(f"connect {{}} {ends[0]} to {{}} {ends[1]}", tuple(args))


def printed(said: str, slot: int) -> str:
    """The name an engine's answer prints for the first or second argument; empty where it prints none."""
    rules = (
        r"^0:\t\w+(?: up| on)? (?P<a>[^()]+?) \([^()]*\)(?: (?:to|into|in|on) (?P<b>[^()]+?) \([^()]*\))?$",
        r"You (?:move|pour the contents of) the (?P<a>.+?) (?:to|into) the (?P<b>.+?)\.",
        r"You focus on the (?P<a>.+?)\.",
        r"The (?P<a>.+?) is now ",
    )
    found = next(filter(None, (re.search(rule, said, re.MULTILINE) for rule in rules)), None)
    return (found.groupdict().get("ab"[slot]) or "") if found else ""


def resolve(ref: str, seen: Sequence[Thing], said: str, slot: int) -> tuple[int, float] | None:
    """The thing in view a reference most likely names, and how sure (higher is surer)."""
    scores = _scores(ref, seen, said, slot)
    best = max(range(len(scores)), key=scores.__getitem__, default=-1)
    return (best, scores[best]) if best >= 0 and scores[best] >= 2.0 else None


def _scores(ref: str, seen: Sequence[Thing], said: str, slot: int) -> list[float]:
    ref_words = words(ref)
    head, _, place = ref.partition(" in ")
    wanted, place_bag = set(words(head.partition(" containing ")[0])) - FILLER, set(words(place)) - FILLER
    digits = {w for w in place_bag if w.isdigit()}
    name = " ".join(words(printed(said, slot)))
    scores = []
    for index, thing in enumerate(seen):
        own = words(thing.name)
        score = _closeness(wanted, ref_words, own, thing, seen)
        if name:
            score += 6.0 if " ".join(own) == name else 2.0 if " ".join(own).endswith(name) else 0.0
        if place_bag:
            around = set(words(" ".join(place_words(index, seen)[1:]))) | set(words(" ".join(thing.states)))
            score += 2.0 * len(place_bag & around) / len(place_bag) + (3.0 if digits and digits <= around else 0.0)
        if "inventory" in ref_words and thing.held:
            score += 1.5
        scores.append(score)
    return scores


def _closeness(
    wanted: set[str], ref_words: Sequence[str], own: Sequence[str], thing: Thing, seen: Sequence[Thing]
) -> float:
    shared = len(wanted & set(own))
    score = 3.0 * shared / max(1, len(wanted)) + 1.0 * shared / max(1, len(own))
    holds = set(words(" ".join(seen[i].name for i in thing.holds))) or {"nothing"}
    if "containing" in ref_words:
        score += 1.5 * len(set(ref_words[ref_words.index("containing") + 1 :]) & holds) / len(holds)
    states = set(words(" ".join(thing.states)))
    score += 0.8 * len(set(ref_words) & states)
    if own and own[-1] in wanted:
        score += 0.5
    return score
