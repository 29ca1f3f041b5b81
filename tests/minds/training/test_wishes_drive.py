"""Who acts is fitted beside all the other weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from minds.policies.wishes import WEIGHTS
from minds.training.wishes import drive, own_layers
from minds.training.wishes.data import Behind, Lists
from minds.training.wishes.figures import opened

OURS, THEIRS = "put the mug away, let me do it myself", "put the mug away for me, I only watch"
TEXTS = [(OURS, True), (THEIRS, False)] * 8
APART = [(OURS, True), (THEIRS, False)] * 3 + [(THEIRS, True)]


@pytest.fixture
def fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def drives(_: Lists, *, apart: bool) -> tuple[list[str], list[bool]]:
        rows = APART if apart else TEXTS
        return [text for text, _ in rows], [person for _, person in rows]

    monkeypatch.setattr(Lists, "drives", drives)
    monkeypatch.setattr(own_layers, "SIZE", 4)
    drive.refit(WEIGHTS, tmp_path / "wishes.safetensors", Lists([], [], []))
    return tmp_path / "wishes.safetensors"


def test_only_who_acts_is_heard_otherwise_and_no_surer_than_others_allow(fitted: Path) -> None:
    before, after = load_file(WEIGHTS), load_file(fitted)
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert {name.partition(".")[0] for name in changed} == {"drive"}
    wishes = opened(fitted)
    assert 0.5 <= wishes.person(OURS) < 0.95, "one of seven is heard wrongly"
    assert wishes.person(THEIRS) < wishes.person(OURS)


def test_wishes_and_turns_behind_a_task_are_told_apart_by_their_authors() -> None:
    lists = Lists([], [], [Behind("again, let me", "AGAIN", False, True), Behind("again", "AGAIN", True, False)])
    ours, apart = lists.drives(apart=False), lists.drives(apart=True)
    assert ("again, let me", True) in zip(*ours, strict=True) and ("again", False) in zip(*apart, strict=True)
    assert len(ours[0]) > 200 and len(apart[0]) >= 100 and not {*ours[0]} & {*apart[0]}
