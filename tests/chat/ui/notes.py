"""A memory that was lived with for long: thousands of notes of ada's, with vectors that mean nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

from memory.bert import WIDTH
from memory.embedder import Embedder
from memory.memory import Note
from memory.notes import Notes
from memory.store import MemoryStore

DAY = 86_400.0
LAST = 1_790_000_000.0
_WORDS = ("tea with Ben", "the boat at Crete", "a piano lesson", "my garden in spring", "the train to Oslo")


def fill(home: Path, many: int) -> None:
    """`many` notes of ada's, ten a day until LAST: one result, one fact (every second one former) and eight turns."""
    with closing(MemoryStore(home / "memory", Embedder(), None)) as store:
        notes = store.user("ada").notes
        notes.keep(_note(number, LAST - (many - 1 - number) // 10 * DAY) for number in range(many))
        notes.set_meta("embedder", Embedder.name)
        _give_vectors(notes)


def _note(number: int, at: float) -> Note:
    words, session, turn = _WORDS[number % 5], f"s{number // 10}", number % 10 + 1
    if number % 10 == 0:
        return Note(f"{session}:{turn}:found", "result", f"How long is {words}, {number}?", at, "42", session, turn)
    if number % 10 == 5:
        until = "2026-01-01" if number % 20 == 5 else ""
        about = {"subject": "user", "attribute": "likes", "value": words, "quote": f"I like {words}", "until": until}
        return Note(f"{session}:{turn}:fact0", "fact", f"I like {words}", at, "", session, turn, "user", {}, about)
    return Note(f"{session}:{turn}:said", "turn", f"Today {words} {number}.", at, "", session, turn, "user")


def _give_vectors(notes: Notes) -> None:
    chance = np.random.default_rng(1)
    while todo := notes.unindexed(500):
        rows = chance.normal(size=(len(todo), WIDTH))
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
        notes.indexed((seq, note.text, row.tobytes()) for (seq, note, _), row in zip(todo, rows, strict=True))
    notes.reindex(embedded=True)
