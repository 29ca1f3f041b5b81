"""Whether a reply, or what was worked out for it, rests on what was told before: on a value, a name or a figure that
was not just said."""

from __future__ import annotations

from collections.abc import Sequence

from memory.memory import Note
from memory.pairs import anchors, figures, within, words
from minds.dialogue import Step
from minds.figures import handed

MOST = 3
"""Notes that a reply names, the best first."""


def resting(reply: str, said: str, told: Sequence[Note]) -> dict[str, list[str]]:
    """`rests_on`: ids of the notes that the reply has something of that the person did not just say; else nothing."""
    replied, asked = {word.casefold() for word in words(reply)} | set(figures(reply)), said.casefold()
    found = []
    for note in told:
        text = f"{note.text} {note.answer}"
        marks = (anchors(words(text)) | set(figures(text))) & replied
        value = note.about.get("value", "").casefold()
        marks |= {value} if within(value, reply) else set()
        if any(mark not in asked for mark in marks):
            found.append(note.id)
    return {"rests_on": found[:MOST]} if found else {}


def leans(steps: Sequence[Step], question: str, before: Sequence[str]) -> bool:
    """Whether steps worked with a figure or a name of what was told before that the question does not hold: what they
    found is no answer to that question elsewhere."""
    used = set[str]()
    for step in steps:
        used |= anchors(words(step.observation)) | set(figures(f"{step.observation} {step.argument}"))
        used |= _all(" ".join(handed(step.argument)))
    return bool(used & _all("\n".join(before)) - _all(question))


def _all(text: str) -> set[str]:
    """Its words and figures."""
    return {word.casefold() for word in words(text)} | set(figures(text))
