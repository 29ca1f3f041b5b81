"""ScienceWorld's descriptions of rooms and inventories, read into scenes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.worlds.world import Scene

PLACE = re.compile(r"This (?:room|outside location) is called the ([^.\n]+)\.")
DOOR = re.compile(r"^A door to the (.+?)(?: \(that is (?:open|closed)\))?$")
INSIDE = re.compile(r"\b(In|On) (the [^.,()]+?)(?: \(on fire\))? (?:is|you see): ")
BORNE = re.compile(r"\. (In|On) (the [^.,()]+?) you see: ([^()]*?)\. ?(?=[,)])")
"""What a plant in a pot bears, told within the pot's brackets."""
ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
SUBSTANCE = "a substance called "
NOT_WORTH_NAMING = {"agent", "air"}


def read_scene(look: str, inventory: str) -> Scene:
    """`look` as `look around` gives it, `inventory` as `inventory` does."""
    place = PLACE.search(look)
    seen, _, doors = look.partition("You also see:")
    things = [name for line in _entries(seen) for name in _flat(line) if name not in NOT_WORTH_NAMING]
    exits = [door.group(1) for line in _entries(doors) if (door := DOOR.match(line))]
    others = [_plain(line) for line in _entries(doors) if not DOOR.match(line)]
    holding = [_plain(line) for line in _entries(inventory)]
    return Scene(place.group(1) if place else "", (*things, *others), tuple(exits), tuple(holding))


def _entries(text: str) -> list[str]:
    """The indented lines."""
    return [line.strip() for line in text.splitlines() if line.startswith("\t") and line.strip()]


def _flat(line: str) -> Iterator[str]:
    """A line's thing, then what is in or on it, each with where it is: `bowl (containing nothing), on the counter`."""
    borne, line = BORNE.findall(line), BORNE.sub("", line)
    inside = INSIDE.search(line)
    yield _plain(line[: inside.start()] if inside else line)
    if inside is not None:
        borne.insert(0, (*inside.groups(), line[inside.end() :]))
    for at, where, listed in borne:
        for name in _split(listed.strip().rstrip(".")):
            first, *more = _flat(name)
            if first and first != "nothing":
                yield f"{first}, {at.lower()} {where}"
            yield from more


def _split(listed: str) -> list[str]:
    """At the commas outside brackets, that begin a new thing (`a lamp, which is off, a table` are two)."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(listed):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth and not listed.startswith((", which", ", currently"), at):
            parts.append(listed[start:at].strip())
            start = at + 1
    return [*parts, listed[start:].strip()]


def _plain(name: str) -> str:
    """Without articles and full stops: `a oven, which is turned off. The oven door is closed.` -> `oven, ...`."""
    head, *sentences = [part.strip() for part in re.split(r"\.\s", f"{name.strip()} ")]
    states = [f"door {state.group(1)}" for text in sentences if (state := re.search(r"door is (\w+)", text))]
    return ", ".join([ARTICLE.sub("", head.removeprefix(SUBSTANCE)).rstrip("."), *states])
