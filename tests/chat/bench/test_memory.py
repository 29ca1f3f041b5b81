"""`bench memory`: what is measured must be said; scale is timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.bench import Ask, asked
from chat.bench.memory import run
from chat.bench.memory_scale import _filters, _notes, _of_one
from chat.faults import ChatFault
from chat.settings import Settings
from memory.memory import KINDS


def test_what_is_measured_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="--scale, or --locomo with a folder, or --pairs"):
        run(Ask(Settings(home=tmp_path)))
    with pytest.raises(ChatFault, match="--scale counts: name a number from 1 on"):
        asked(Settings(home=tmp_path), "memory", {"scale": [0]})


def test_scale_without_sizes_is_asked_for_all_the_same(tmp_path: Path) -> None:
    assert asked(Settings(home=tmp_path), "memory", {"scale": []}).scale == ()
    assert asked(Settings(home=tmp_path), "memory", {}).scale is None


def test_notes_of_all_kinds_are_recalled_with_every_filter(tmp_path: Path) -> None:
    notes = list(_notes(60))
    assert {note.kind for note in notes} == set(KINDS) and len({note.id for note in notes}) == 60
    found = _of_one(tmp_path, 60)
    assert isinstance(found["recall_ms"], dict) and found["recall_ms"].keys() == _filters(notes).keys()
