"""Questions about a world, answered from what was seen there, with the step; never guessed.

Four kinds: where a thing is, what is in or on a thing, whether a thing is in some state, which places were visited.
What was not seen is said to be unseen; a question about things that this world never showed is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.worlds.world import Scene


@dataclass(frozen=True)
class Sight:
    """What was seen at one step of an episode."""

    step: int
    """0 is the opening."""
    action: str
    text: str
    scene: Scene


_THE = r"(?:the|a|an|any|some|that|this|my|our|your)\s+"
_WHERE = re.compile(
    r"^(?:(?:do you (?:know|remember)|can you tell me|tell me|and|so),? )*"
    r"(?:where(?:'s| is| are| was| were| did (?:we|you|i) (?:leave|put|see|find|place|drop|last see|move)"
    r"| have (?:we|you|i) (?:seen|put|left))"
    r"|(?:have|did) (?:we|you|i) (?:seen?|find|found|come across))\s+(?:" + _THE + r")?(?P<thing>[\w' -]+?)"
    r"(?: (?:now|again|so far|yet|anywhere|gone|last|before|already|left))*$",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"^(?:and |so )?(?:what(?:'s| is| was| did (?:we|you|i) (?:see|find)| have (?:we|you|i) (?:seen|found))"
    r"|is there anything|was there anything|anything)"
    r"(?: there)? (?:in|on|inside|into|at)(?: top of)?\s+(?:"
    + _THE
    + r")?(?P<thing>[\w' -]+?)(?: (?:now|again|so far))*$",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"^(?:and |so )?(?:is|are|was|were|did (?:we|you|i)|have (?:we|you|i)|has|isn't)\s+(?P<rest>.+)$", re.IGNORECASE
)
_VISITED = re.compile(
    r"^(?:and |so )?(?:(?:which|what) (?:rooms|places|receptacles)? ?"
    r"(?:have|did) (?:we|you|i) (?:visit(?:ed)?|see[n]?|been (?:to|in))"
    r"|where have (?:we|you|i) been|have (?:we|you|i) been (?:to|in|at)\s+(?:" + _THE + r")?(?P<thing>[\w' -]+?))"
    r"(?: (?:so far|already|yet|before))*$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"^(?:and |so )?(?:what(?:'s| is| was) (?:the )?temperature(?: of)?|how (?:hot|cold|warm) (?:is|was))"
    r"(?:\s+(?:" + _THE + r")?(?P<thing>[\w' -]+?))?(?: (?:now|again))*$",
    re.IGNORECASE,
)
_AT = re.compile(r", (?:in|on) (the [\w ]+)$")
_STATES: tuple[tuple[str, str, str], ...] = (
    # asked with, shown by, ended by
    (r"hot|warm|heated|cooked", r"\bheat\b|\bhot\b|\bwarm\b|\bboil", r"\bcool\b|\bcold\b|\bchill"),
    (r"cold|cool|cooled|chilled|frozen", r"\bcool\b|\bcold\b|\bchill|\bfrozen\b|\bice\b", r"\bheat\b|\bhot\b"),
    (r"clean|cleaned|washed|rinsed", r"\bclean", r"\bdirty\b"),
    (r"open|opened", r"\bopen\b|\bis open\b", r"\bclosed?\b"),
    (r"closed|shut", r"\bclosed?\b", r"\bopen\b"),
    (r"on|turned on|switched on|activated|lit", r"turn(?:ed)? on|activate|is on\b", r"turned off|deactivate|turn off"),
    (r"off|turned off|switched off|deactivated", r"turn(?:ed)? off|deactivate", r"turned on|turn on|\bactivate"),
    (r"sliced|cut", r"\bslice", r"(?!)"),
)


def recollect(question: str, sights: Sequence[Sight]) -> str:
    """The answer in a sentence or two; empty where this is no question about what was seen."""
    asked = " ".join(question.replace("’", "'").split()).rstrip(" ?.!")
    if len(asked) > 160:
        return ""
    if found := _VISITED.match(asked):
        return _visited(found["thing"] or "", sights)
    if found := _MEASURED.match(asked):
        return _measured(found["thing"] or "", sights)
    if found := _INSIDE.match(asked):
        return _inside(found["thing"], sights)
    if found := _WHERE.match(asked):
        return _where(found["thing"], sights, ours=bool(re.search(r"\b(?:we|you|i)\b", asked, re.I)))
    if found := _STATE.match(asked):
        return _state(found["rest"], sights)
    return ""


def _where(thing: str, sights: Sequence[Sight], *, ours: bool) -> str:
    """The latest place of a thing: carried, put somewhere, or seen somewhere."""
    for sight in reversed(sights):
        if held := _naming(thing, sight.scene.holding):
            return f"{_The(_name(held))} is being carried, as of {_at(sights[-1])}."
        if _moves(sight.action, thing):
            return _told(sight)
        if here := _naming(thing, sight.scene.things):
            where = f" ({found[0]})" if (found := re.search(r"\b(?:in|on) the [\w ]+$", here)) else ""
            return f"{_The(_name(here))} was last seen at {_at(sight)}, in: {sight.scene.place}{where}."
        if line := _line(thing, sight.text):
            return f"Last seen at {_at(sight)}, in {sight.scene.place}: “{line}”"
    for sight in reversed(sights):
        if place := _naming(thing, (*sight.scene.exits, sight.scene.place)):
            return f"The {place} is here, seen at {_at(sight)}."
    return f"I have not seen {_a(thing)} here so far." if ours else ""


def _inside(thing: str, sights: Sequence[Sight]) -> str:
    for sight in reversed(sights):
        if place := _naming(thing, (sight.scene.place,)):
            things = ", ".join(_name(name) for name in sight.scene.things) or "nothing"
            return f"At {_at(sight)} I saw in the {place}: {things}."
        inside = [name for name in sight.scene.things if (at := _AT.search(name)) and _mentions(thing, at[1])]
        if inside:
            return f"At {_at(sight)} I saw there: {', '.join(_name(name) for name in inside)}."
        if (line := _line(thing, sight.text)) and re.search(r"\b(?:in|on|contain\w*|see)\b", line, re.I):
            return f"At {_at(sight)} it read: “{line}”"
    known = _naming(thing, [name for sight in sights for name in (*sight.scene.exits, *sight.scene.things)])
    return f"I have not seen what is in the {_name(known)} so far." if known else ""


def _state(rest: str, sights: Sequence[Sight]) -> str:
    """Whether a thing is in a state, by the latest word on it; what was not seen cannot be told."""
    for asked, shown, ended in _STATES:
        found = re.match(
            rf"(?:(?:{_THE})?(?P<thing>.+?) )?(?:been |still |already |now )*(?:{asked})(?: (?P<after>.+))?$",
            rest,
            re.I,
        )
        if not found:
            continue
        thing = re.sub(rf"^{_THE}", "", (found["thing"] or found["after"] or ""), flags=re.I)
        if not thing or not any(_mentions(thing, _all(sight)) for sight in sights):
            continue
        for sight in reversed(sights):
            for line, near in _lines(thing, sight):
                if re.search(ended, near, re.I):
                    return f"No, by the last I saw, at {_at(sight)}: “{line}”"
                if re.search(shown, near, re.I):
                    return f"Yes, by the last I saw, at {_at(sight)}: “{line}”"
        return f"I cannot tell: nothing that I saw in {len(sights) - 1} steps says so of the {thing}."
    return ""


def _measured(thing: str, sights: Sequence[Sight]) -> str:
    if thing and not any(_mentions(thing, _all(sight)) for sight in sights):
        return ""
    for sight in reversed(sights):
        about = not thing or _mentions(thing, f"{sight.action} {sight.text}")
        if about and (line := _line("degrees", sight.text)):
            return f"At {_at(sight)}: “{line}”"
    return "No temperature was measured so far." if thing or len(sights) > 1 else ""


def _visited(thing: str, sights: Sequence[Sight]) -> str:
    places = list(dict.fromkeys(sight.scene.place for sight in sights if sight.scene.place))
    if not thing:
        return f"So far: {', '.join(places)}."
    for sight in sights:
        if place := _naming(thing, (sight.scene.place,)):
            return f"Yes, in {place}, first at {_at(sight)}."
    return f"No, not in {_a(thing)} so far; only in: {', '.join(places)}."


def _told(sight: Sight) -> str:
    return f"At {_at(sight)}: “{' '.join(sight.text.split())[:200]}”"


def _at(sight: Sight) -> str:
    return f"step {sight.step} ({sight.action})" if sight.step else "the beginning"


def _moves(action: str, thing: str) -> bool:
    verb = re.match(r"(?:move|put|drop|pour|place)\b", action)
    return bool(verb) and _mentions(thing, re.split(r"\b(?:to|in|into|on)\b", action)[0])


def _naming(thing: str, names: Sequence[str]) -> str:
    """The first of the names that the thing is called by."""
    return next((name for name in names if _mentions(thing, name)), "")


def _mentions(thing: str, text: str) -> bool:
    words = [re.escape(re.sub(r"s$", "", word)) for word in thing.lower().split()]
    joined = r"s?[\s-]*".join(words)
    return bool(re.search(rf"\b{joined}s?\b", text.lower()))


def _all(sight: Sight) -> str:
    return " ; ".join([sight.action, sight.text, *sight.scene.things, *sight.scene.exits, *sight.scene.holding])


def _lines(thing: str, sight: Sight) -> Iterator[tuple[str, str]]:
    """Sentences of a sight that name the thing, the last one first, each with the part that speaks of it.

    What was read comes before what was done, and that before what lies about.
    """
    for line in reversed(_sentences(sight.text)):
        if _mentions(thing, line):
            yield line, _around(thing, line)
    if _mentions(thing, sight.action):
        yield sight.action, sight.action
    for name in sight.scene.things:
        if _mentions(thing, _name(name)):
            yield name, name


def _line(thing: str, text: str) -> str:
    return next((line for line in _sentences(text) if _mentions(thing, line)), "")


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n+|(?<=[.!?])\s+", text) if part.strip()]


def _around(thing: str, line: str) -> str:
    """The part of a line that speaks of the thing: of a list, its own item."""
    items = re.split(r",(?! which| and which)|;|\band an?\b", line)
    return next((item for item in items if _mentions(thing, item)), line) if len(items) > 1 else line


def _name(name: str) -> str:
    """Without its state: `stove, which is turned off`."""
    return re.split(r",| \(", name)[0]


def _The(name: str) -> str:
    return re.sub(r"^(?:an?|the)\s+", "", name).capitalize() if re.search(r"\d$", name) else f"The {name}"


def _a(thing: str) -> str:
    return thing if re.search(r"\d$|s$", thing) else f"{'an' if thing[0].lower() in 'aeiou' else 'a'} {thing}"
