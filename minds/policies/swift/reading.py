"""Reads a room's description and the inventory into things: name, state, what holds what.

The grammar is that of ScienceWorld's `look` and `inventory`; nothing here knows any task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

DOOR = re.compile(r"\. The [^.:()]*? door is (open|closed)\.")
INSIDE = re.compile(r"(?<![ .])[ .]*\b(?:On|In) the [^.:()]{1,200}?(?: is| you see):\s*")
SWITCH = re.compile(r", which is (?:turned )?(on|off|activated|deactivated)\b")
READING = re.compile(r", currently reading a temperature of (-?\d+) degrees celsius")
TICKS = re.compile(r"\. The time reads (\d+) ticks\.")
WIRED = re.compile(r"(?:\. )?its (anode|cathode|terminal \d) is connected to: (.+?)(?=\.? ?its |\.\s|\.?$)")
TITLE = re.compile(r" titled .*$")
PASSAGE = re.compile(r" \(that is (open|closed)\)")
UNWELL = re.compile(r" \(that looks (\w+)\)")
STAGE = re.compile(r" in the (\w+) stage(?: with (.+))?$")
SLIDING = re.compile(r", with:\s*(?:a|an|the)?\s*(.*?) (approximately (\d+)% down|at the bottom of) the plane")
ARTICLE = re.compile(r"^(?:a|an|the|some|A|An|The) ")
STATE = re.compile(r"\{([^{}]*)\}")
ROOM = re.compile(r"(?:room is called the|location is called the) ([a-z ]+?)\.")


@dataclass
class Thing:
    """One thing in view. `name` is what the engine prints (`metal pot`, `pea plant`); `holder` the index of what
    holds it in the same list, or -1; `states` short words (`closed`, `on`, `stage adult`, `tall height`)."""

    name: str
    states: tuple[str, ...] = ()
    holder: int = -1
    held: bool = False
    count: int = 1
    holds: list[int] = field(default_factory=list)
    place: str = ""
    """What it is directly in, in words: the holder, the room, or `inventory`."""


def room_of(look: str) -> str:
    """The name of the room a description is of; empty where it does not say."""
    found = ROOM.search(look)
    return found.group(1) if found else ""


def things(look: str, inventory: str) -> list[Thing]:
    """Everything in view, holders before what they hold; twins in one place are one thing with a count."""
    made: list[Thing] = []
    for text, held in ((look, False), (inventory, True)):
        for line in text.split("\n"):
            if line.startswith("\t"):
                _line(line.strip(), made, held)
    room = room_of(look)
    for thing in made:
        thing.place = made[thing.holder].name if thing.holder >= 0 else "inventory" if thing.held else room
    return made


def _line(line: str, made: list[Thing], held: bool) -> None:
    """Adds the things of one line; a twin of a thing that stands by itself only counts."""
    base = len(made)
    parsed = _parsed(line)
    if len(parsed) == 1:
        for other in made:
            if other.holder < 0 and other.held == held and _twins(other, parsed[0]):
                other.count += parsed[0].count
                return
    for one in parsed:
        holder = one.holder + base if one.holder >= 0 else -1
        holds = [i + base for i in one.holds]
        made.append(Thing(one.name, one.states, holder, held, one.count, holds))


def _twins(one: Thing, other: Thing) -> bool:
    return one.name == other.name and one.states == other.states and not one.holds


@lru_cache(maxsize=16384)
def _parsed(line: str) -> tuple[Thing, ...]:
    made: list[Thing] = []
    _items(_marked(line), 0, -1, made)
    return tuple(made)


def _marked(line: str) -> str:
    """A line with its states in braces and its contents in brackets."""
    line = DOOR.sub(r" {\1}", line)
    line = SWITCH.sub(r" {\1}", line)
    line = READING.sub(r" {reads \1}", line)
    line = TICKS.sub(r" {reads \1}", line)
    line = WIRED.sub(_wire, line)
    line = PASSAGE.sub(r" {\1}", line)
    line = UNWELL.sub(r" {\1}", line).replace(" (on fire)", " {on fire}")
    line = SLIDING.sub(r" {slides \2}[\1]", line)
    return INSIDE.sub("[", line).replace("(containing ", "<")


def _wire(found: re.Match[str]) -> str:
    return f" {{{found.group(1)} free}}" if found.group(2) == "nothing" else f" {{{found.group(1)} wired}}"


def _items(text: str, at: int, holder: int, made: list[Thing]) -> int:
    """Parses a comma-separated list from `at` up to the closer of its bracket; returns the place after it."""
    start, depth = at, 0
    current = -1
    while at < len(text):
        char = text[at]
        if char in "[<":
            current = _add(text[start:at], holder, made, alone=True)
            at = _items(text, at + 1, current, made)
            start = at
            continue
        if char == "(":
            depth += 1
        elif char == ")" and depth:
            depth -= 1
        elif char in ")]" or (char == "." and holder >= 0 and not depth):
            break
        elif char == "," and not depth:
            _close(text[start:at], current, holder, made)
            start, current = at + 1, -1
        at += 1
    _close(text[start:at], current, holder, made)
    return at + 1


def _close(text: str, current: int, holder: int, made: list[Thing]) -> None:
    if current >= 0:
        made[current].states += tuple(STATE.findall(text))
    elif text.strip(" .") and text.strip(" .") != "nothing":
        _add(text, holder, made)


def _add(text: str, holder: int, made: list[Thing], alone: bool = False) -> int:
    """A new thing from its own words, or (unless it is to stand alone) the twin that is there already; its index."""
    bare, states = _worded(text)
    thing = Thing(bare, states, holder)
    for index, other in enumerate(made):
        if not alone and other.holder == holder and _twins(other, thing):
            other.count += 1
            return index
    made.append(thing)
    if holder >= 0:
        made[holder].holds.append(len(made) - 1)
    return len(made) - 1


@lru_cache(maxsize=16384)
def _worded(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and states of a thing's own words."""
    states = STATE.findall(text)
    bare = re.sub(r"(?<!\s)\s*\{[^{}]*\}", "", text).strip(" .")
    bare = TITLE.sub("", ARTICLE.sub("", bare))
    stage = STAGE.search(bare)
    if stage:
        bare = bare[: stage.start()]
        states = [f"stage {stage.group(1)}", *(stage.group(2).split(" and ") if stage.group(2) else []), *states]
    liquid = bare.startswith("substance called ")
    bare = re.sub(r"\s+", " ", bare.removeprefix("substance called "))
    return bare, (*(["substance"] if liquid else []), *states)
