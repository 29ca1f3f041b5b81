"""What verbs of people are made of: phrases, and the actions of the worlds that they may mean.

A phrase may hold a gap `_` for its object (`turn _ on`). A frame is a verb of the worlds with the roles of its
arguments in order; an intent tries its frames in order, so the first world verb that fits best wins ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.worlds.words.nouns import phrases

SHAPES: dict[str, tuple[str, ...]] = {
    "take": ("from",),
    "heat": ("with",),
    "cool": ("with",),
    "clean": ("with",),
    "slice": ("with",),
    "unlock": ("with",),
    "lock": ("with",),
    "move": ("to",),
    "connect": ("to",),
    "use": ("on",),
    "pour": ("into", "in"),
    "dunk": ("into", "in"),
    "insert": ("into",),
    "put": ("into", "onto", "in", "on"),
    "pick up": (),
    "put down": (),
    "go to": (),
    "teleport to": (),
    "look at": (),
    "look in": (),
    "look around": (),
    "focus on": (),
    "reset task": (),
}
"""World verb -> what may stand between its two arguments. A verb that is not here is one word with one argument."""


@dataclass(frozen=True)
class Frame:
    """A world verb and the roles of its arguments."""

    verb: str
    roles: tuple[str, ...] = ("object",)
    penalty: float = 0.0
    needs: str = ""
    """This frame is for sentences that fill that role (`take X to Y` puts it there)."""
    only_without: str = ""
    """This frame is for sentences that leave that role open (`put down X` has no place)."""


@dataclass(frozen=True)
class Intent:
    """What a verb of the person may mean."""

    name: str
    phrases: tuple[str, ...]
    frames: tuple[Frame, ...]
    prepositions: dict[str, str] = field(default_factory=dict)
    """Preposition -> role of what follows."""
    given: dict[str, str] = field(default_factory=dict)
    """Role -> what the verb says by itself: `microwave the potato` names the tool."""
    direct: str = "object"
    """The role of what stands right behind the verb."""


def roles(role: str, prepositions: str) -> dict[str, str]:
    return dict.fromkeys(prepositions.split(), role)


INTO = "down in into inside on onto to at under over atop within upon against beside near by"
WITH = "with in using on inside at under by via through from"
PUT = (
    Frame("move", ("object", "place")),
    Frame("put", ("object", "place")),
    Frame("insert", ("object", "place")),
    Frame("pour", ("object", "place"), 0.1, needs="place"),
    Frame("put down", only_without="place"),
    Frame("drop", only_without="place"),
)
TAKE = (
    Frame("take", ("object", "place")),
    Frame("pick up"),
)
GO = (Frame("go to"), Frame("teleport to", penalty=0.01), Frame("go", penalty=0.02))
EXAMINE = (Frame("examine"), Frame("look at"))
USE = Frame("use", ("tool", "object"), 0.05, needs="tool")
HEAT = (Frame("heat", ("object", "tool")), USE, Frame("activate", penalty=0.1))
COOL = (Frame("cool", ("object", "tool")),)
POUR = (Frame("pour", ("object", "place")),)

MOTIONS = phrases(
    "hop, mosey, swing, trot, shuffle, stroll, wander, jog, sprint, dash, race, zoom, scoot, march, rush, "
    "hurry, step, run,"
    "walk, head, go, pop, skip, stride, tiptoe, sneak, roll, drive, journey, trek, cross, climb, crawl, "
    "bounce, fly, slide,"
    "advance, proceed, nip, amble, saunter, creep, pace, bolt, speed, hike, ride, jump, drift, waltz, slip, "
    "roam, cruise,"
    "move, return, travel, navigate, get, come, venture, scurry, wheel, steer, veer, migrate, strut, plod, "
    "hobble, hustle"
)
TO = phrases(
    "to, on to, into, toward, towards, back to, back into, on over to, up to, back over to, right to, "
    "straight to, directly to"
)
"""Every way to move, with every way to say where to."""
