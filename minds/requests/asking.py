"""Questions back, and household tasks put into words."""
# ruff: noqa: E501  (one question a line)

from __future__ import annotations

import re
from collections.abc import Sequence

from minds.dialogue import Dialogue
from minds.requests.laboratory import says
from minds.requests.lexicon import tokens
from minds.requests.words import stem

QUESTIONS = {
    "matter": "Shall a substance be boiled, melted, frozen, or changed in whichever way?",
    "measure": "Shall I measure a temperature, the melting point of a known substance, or that of an unknown one?",
    "power": "Shall I power something with a circuit, do so from a renewable or nonrenewable source, or test what conducts?",
    "find": "What shall I find: a living thing, a non-living thing, a plant or an animal?",
    "mix": "Shall I mix substances by a recipe, or paints to a secondary colour (green) or a tertiary one (blue-green)?",
    "lifespan": "Shall I find the animal that lives longest, the one that lives shortest, or first the one and then the other?",
    "stages": "Shall I identify the life stages of an animal or of a plant?",
    "plane": "Shall I find the steeper ramp, or compare the friction of known or of unknown surfaces?",
    "genetics": "Shall I do the genetics with pea plants or with an unknown plant?",
    "science": "What shall I do in the lab: change matter, measure, build a circuit, find things, grow plants, mix substances or something else?",
    "house": "What shall I take, and where shall it go?",
    "world": "Shall I open ScienceWorld (experiments) or ALFWorld (a household), and what shall be done there?",
    "game": "Which of these do you mean?",
}  # fmt: skip
"""What is unclear -> the question for the person."""
_HOW = {
    "look_at_obj_in_light": "look at {thing} under the {place}",
    "pick_and_place_simple": "put {thing} {at} the {place}",
    "pick_clean_then_place_in_recep": "clean {thing} and put it {at} the {place}",
    "pick_cool_then_place_in_recep": "cool {thing} and put it {at} the {place}",
    "pick_heat_then_place_in_recep": "heat {thing} and put it {at} the {place}",
    "pick_two_obj_and_place": "put two of {thing} {at} the {place}",
}
_INSIDE = {"Cabinet", "Drawer", "Fridge", "GarbageCan", "Microwave", "Safe"}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def household_says(kind: str, thing: str, place: str, sliced: bool) -> str:
    """A household task in plain English: `heat a mug and put it on the counter top`."""
    spoken = _HUMP.sub(" ", thing) if thing.isupper() else _HUMP.sub(" ", thing).lower()
    one = f"a slice of {spoken}" if sliced else f"{'an' if spoken[:1] in 'aeiou' else 'a'} {spoken}"
    if kind == "pick_two_obj_and_place":
        one = f"{spoken}, in slices" if sliced else spoken
    at = "in" if place in _INSIDE else "on"
    return _HOW[kind].format(thing=one, at=at, place=_HUMP.sub(" ", place).lower())


_ORDER = (("first", "1", "1st"), ("second", "2", "2nd"), ("third", "3", "3rd"), ("fourth", "4", "4th"), ("last",))
_EMPTY = {
    "a",
    "an",
    "the",
    "of",
    "to",
    "by",
    "such",
    "as",
    "that",
    "then",
    "and",
    "or",
    "whether",
    "two",
    "one",
    "find",
}


def answered(said: str, tasks: Sequence[str]) -> str:
    """Which of the tasks a short answer picks: by its place among them, or by words that only its description has."""
    words = tokens(said)
    if 0 < len(words) <= 10:
        for place, names in enumerate(_ORDER):
            if set(words) & set(names) and set(words) <= {*names, "the", "one", "please", "number", "option", "task"}:
                return tasks[-1] if names == ("last",) else (*tasks, *[""] * 4)[place]
    heard = {stem(word) for word in words} - _EMPTY
    shared = {task: len(heard & {stem(word) for word in tokens(says(task))}) for task in tasks}
    best = max(tasks, key=lambda task: (shared[task], -len(says(task))))
    return best if shared[best] and len(words) <= 10 else ""


def asked_family(dialogue: Dialogue | None) -> str:
    """What the turn before the person's asked about; empty where it was no question of ours."""
    said = dialogue.turns[-1] if dialogue and dialogue.turns else None
    if said is None or said.speaker == "user":
        return ""
    return next((family for family, question in QUESTIONS.items() if question in said.text), "")
