"""Whether a reply rests on what the memory told: on a value, a name or a figure that the person did not just say."""

from __future__ import annotations

from collections.abc import Sequence

from memory.memory import Note
from memory.pairs import anchors, figures, words

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
        marks |= {value} if value and value in reply.casefold() else set()
        if any(mark not in asked for mark in marks):
            found.append(note.id)
    return {"rests_on": found[:MOST]} if found else {}
