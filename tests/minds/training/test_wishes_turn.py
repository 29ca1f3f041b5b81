"""What a turn is while a task stands is fitted beside all the other weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from minds.policies.wishes import TURNS, WEIGHTS
from minds.training.wishes import own_layers, turn
from minds.training.wishes.data import Behind, Lists, Said, texts_of
from minds.training.wishes.figures import opened

TEXTS = {"you do the rest now": "ASSISTANT", "let us get out of here": "LEAVE", "my cat is ill": "TALK"}


@pytest.fixture
def fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def texts_of(_: Lists, *, apart: bool) -> tuple[list[str], list[str]]:
        return list(TEXTS) * 8, list(TEXTS.values()) * 8

    monkeypatch.setattr(turn, "texts_of", texts_of)
    monkeypatch.setattr(own_layers, "SIZE", 6)
    monkeypatch.setattr(own_layers, "WARM", 1)
    turn.refit(WEIGHTS, tmp_path / "wishes.safetensors", Lists([], [], []))
    return tmp_path / "wishes.safetensors"


def test_only_what_a_turn_is_is_heard_otherwise(fitted: Path) -> None:
    before, after = load_file(WEIGHTS), load_file(fitted)
    changed = {name for name in after if name not in before or not np.array_equal(before[name], after[name])}
    assert {name.partition(".")[0] for name in changed} == {"turn"}
    wishes = opened(fitted)
    assert {text: max(of := wishes.turn(text), key=lambda one: of[one]) for text in TEXTS} == TEXTS
    assert wishes.meant("my cat is ill")[0] < wishes.meant("you do the rest now")[0]


def test_turns_come_from_their_authors_from_worlds_and_from_talk() -> None:
    talk, wish = Said("what a day", False, False), Said("boil some water", True, False)
    acts = [
        ({"says": "open it", "expect": ["open fridge 1"]}, False),
        ({"says": "no", "expect": [], "control": "UNDO"}, False),
    ]
    lists = Lists([talk, wish], acts, [Behind("again", "AGAIN", False), Behind("go on", "ON", False)])
    ours, theirs = (dict(zip(*texts_of(lists, apart=apart), strict=True)) for apart in (False, True))
    assert {ours["what a day"], ours["open it"], ours["no"], ours["again"]} == {"TALK", "ACTION", "UNDO", "AGAIN"}
    assert "go on" not in ours, "who goes on is not told" and "boil some water" not in ours
    assert set(ours.values()) <= set(TURNS) and len(ours) > 400 and len(theirs) > 100 and not {*ours} & {*theirs}
