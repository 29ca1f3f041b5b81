"""Why something cannot be done here, and what can: one sentence for the person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tools.worlds.words.choose import Chooser, in_order
from tools.worlds.words.mentions import Mention, match
from tools.worlds.words.readings import Reading
from tools.worlds.words.surroundings import Surroundings

OPPOSITE = {"open": "close", "close": "open", "activate": "deactivate", "deactivate": "activate"}
ALREADY = {"open": "open", "close": "closed", "activate": "on", "deactivate": "off"}
NAMED = 8
"""So many things are named in one sentence."""


def listed(things: Sequence[str], last: str = "and") -> str:
    """`a, b and c`; what is beyond `NAMED` is only counted."""
    shown = list(dict.fromkeys(things))
    more = len(shown) - NAMED
    if more > 0:
        shown = [*shown[:NAMED], f"{more} more"]
        last = "and"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}" if shown else ""


def reason(here: Surroundings, chooser: Chooser, ways: Sequence[Reading]) -> tuple[str, tuple[str, ...]]:
    """(one sentence, actions that would help). `ways` holds at least one reading."""
    for way in ways:
        for role, what in _mentions(way):
            names = _known(here, chooser, what) or _doors(here, what)
            if not names and not what.pronoun and what.words:
                return _absent(here, way, what)
            if found := _obstacle(here, way, role, names):
                return found
    return _no_such(here, ways[0])


def _mentions(way: Reading) -> Iterable[tuple[str, Mention]]:
    for i in range(max(1, len(way.direct))):
        yield from way.roles(i).items()


def _known(here: Surroundings, chooser: Chooser, what: Mention) -> list[str]:
    """Names that the words may mean, the best only."""
    if what.pronoun:
        return list(chooser.antecedents[:1])
    scored = [(match(what, name), name.text) for name in here.names]
    best = max((score for score, _ in scored), default=0.0)
    return [text for score, text in scored if score and score >= best - 0.03]


def _doors(here: Surroundings, what: Mention) -> list[str]:
    """Doors that lead to what is spoken of."""
    doors = (name for name in here.names if name.base == ("door",))
    return [name.text for name in doors if what.base and set(what.base) <= name.rest]


def _absent(here: Surroundings, way: Reading, what: Mention) -> tuple[str, tuple[str, ...]]:
    said = " ".join((*what.base, *([str(what.number)] if what.number is not None else [])))
    things = _seen(here)
    possible = _possible(here, way)
    seen = f"I can see {listed(things)}" if things else "nothing can be named from here"
    return f"There is no {said} here; {seen}.", possible


def _seen(here: Surroundings) -> list[str]:
    """What can be named, what can be taken first."""
    taken = [act.args[0] for verb in ("take", "pick up") for act in here.acts(verb) if act.args]
    named = {name.text for name in here.names} - {"agent", "air", "inventory", "object"} - set(taken)
    return [*dict.fromkeys(taken), *sorted(named, key=in_order)]


def _the(text: str) -> str:
    """`mug 1` is a name, `sink` needs its article."""
    return text if text[-1:].isdigit() else f"the {text.replace('door to ', 'door to the ')}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _obstacle(here: Surroundings, way: Reading, role: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    actions = set(here.admissible)
    verb = way.intent.name
    for text in names:
        if verb in OPPOSITE and f"{OPPOSITE[verb]} {text}" in actions:
            return f"{_upper(_the(text))} is already {ALREADY[verb]}.", (f"{OPPOSITE[verb]} {text}",)
        if verb == "take" and role == "object" and text in here.holding:
            return f"You already hold {_the(text)}.", _about(here, text)
        if f"open {text}" in actions and verb != "open":
            return f"{_upper(_the(text))} is closed: open it first.", (f"open {text}",)
        if f"open door to {text}" in actions:
            return f"The door to the {text} is closed: open it first.", (f"open door to {text}",)
        if f"open {text} door" in actions:
            return f"The {text} door is closed: open it first.", (f"open {text} door",)
        if f"go to {text}" in actions and verb not in ("go", "teleport"):
            return f"{_upper(_the(text))} is out of reach from here: go to it first.", (f"go to {text}",)
    if role == "object" and names:
        return _out_of_hand(here, way, names)
    return None


def _out_of_hand(here: Surroundings, way: Reading, names: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    verb = way.intent.name
    takes = [a for text in names for v in ("take", "pick up") for a in here.admissible if a.startswith(f"{v} {text}")]
    if takes and verb in ("put", "throw away", "heat", "cool", "clean"):
        return f"You do not hold {_the(names[0])}: take it first.", tuple(takes[:3])
    if verb == "take" and here.holding and here.world == "alfworld" and not any(v == "take" for v in here.verbs):
        return f"Your hands are full: put {_the(here.holding[0])} down first.", _about(here, here.holding[0])
    if verb in ("go", "teleport") and here.place in names:
        return f"You are already at {_the(here.place)}.", ()
    return None


def _about(here: Surroundings, text: str) -> tuple[str, ...]:
    """What can be done with it."""
    handled = (act for verb in here.verbs if verb not in ("connect", "use") for act in here.acts(verb))
    return tuple(act.text for act in handled if act.args[:1] == (text,))[:5]


def _possible(here: Surroundings, way: Reading) -> tuple[str, ...]:
    """What the same verb can do here."""
    verbs = [frame.verb for frame in way.intent.frames]
    return tuple(act.text for verb in verbs for act in here.acts(verb))[:5]


def _no_such(here: Surroundings, way: Reading) -> tuple[str, tuple[str, ...]]:
    possible = _possible(here, way)
    what = " ".join((way.verb, *(piece.said for piece in way.direct[:1])))
    if possible:
        return f"`{what}` is not possible here now; possible are {listed(possible[:3])}.", possible
    return f"`{what}` is not possible here now; I can {listed(here.verbs)}.", ()
