"""Questions that an action of the world answers: what is carried, what is in the bowl, how hot it is."""

from __future__ import annotations

import re

CARRIED = re.compile(
    r"^(?:do|have) (?:i|you|we) (?:have |got |hold )?(?:anything|something) (?:in (?:my|your|our) hands?|"
    r"on (?:me|you|us))|"
    r"^(?:so |and )?(?:(?:what|which)(?: (?:all|exactly|else|things|items|stuff|objects))? )?(?:(?:am i|are we|are you|"
    r"is the agent) (?:still |now |currently )?"
    r"(?:holding|carrying)(?: anything| something)?(?: around| with (?:me|you|us)| on (?:me|you|us)| right now| "
    r"now| at the "
    r"moment)*$|(?:do|have) (?:i|we|you) (?:still |now |"
    r"currently )?(?:got|have|hold|carry)(?: on (?:me|you|us)| with (?:me|you|us)| in (?:my|your|our) hands?)?$|"
    r"is in (?:my|your|our|the) (?:hands?|inventory|pockets?|bag|possession))"
)
ANYTHING = re.compile(r"^is there (?:anything|something|stuff) (?:in|inside|on|within) ((?!here|this room|there).+)")
INSIDE = re.compile(
    r"^(?:so |and )?what (?:is|are|do we have|else is|all is)(?: there)?(?: hiding| lurking| stored| kept| lying| "
    r"sitting| waiting)? (?:in|inside|on|within) ((?!here|"
    r"this room|there).+)"
)
WARM = re.compile(
    r"^(?:and |so )?(?:how (?:hot|warm|cold|cool) is|what is the temperature of|"
    r"what temperature is) ((?!it$).+)|^what is (the .+) temperature$"
)
AROUND = re.compile(
    r"^(?:so |and )?(?:where (?:am i|are we|are you)|(?:so )?what (?:do|have) we (?:have|got)(?: (?:out |in |over "
    r")?here)?|"
    r"what (?:kinds? of )?(?:animals?|things|objects|stuff|rooms?|doors?|exits|plants|items|furniture) (?:is|are|"
    r"do we have|can (?:you|i|we) see)"
    r"(?: there)?(?: (?:out |in |over |around )?here)?|what (?:is|all is|else is)(?: there)? (?:around|here|"
    r"nearby)(?: (?:me|us|you|here))?|"
    r"what (?:can|do) (?:you|i|we) see(?: here| around(?: here| you| me| us)?)?)(?: now| right now)?$"
)
LOOKS = re.compile(r"^what does (.+) look like$")


def shown(question: str) -> tuple[str, ...]:
    """The clause that shows what was asked: `what am i holding`, `what is in the bowl`; empty where there is none."""
    if CARRIED.search(question):
        return ("inventory",)
    if AROUND.search(question):
        return ("look", "around")
    if looks := LOOKS.search(question):
        return ("examine", *looks[1].split())
    if found := ANYTHING.search(question):
        return ("look", "in", *found[1].split())
    if warm := WARM.search(question):
        return ("measure", *(warm[1] or warm[2]).split())
    found = INSIDE.search(question)
    return ("look", "in", *found[1].split()) if found else ()
