"""The head of what is meant for an open world is fitted once more, and nothing else of the weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from minds.policies.wishes import WEIGHTS
from minds.training.processes import change
from minds.training.wishes import refit
from minds.training.wishes.data import Lists, Said
from minds.training.wishes.refit import opened, refit_meant

TAKEN = "The old kettle sang on the stove in my grandmother's kitchen."
LISTS = Lists(
    [Said("boil some water in the lab", True, False), *(Said(TAKEN, False, False, worth=2.0) for _ in range(3))],
    [({"says": "open the fridge", "expect": ["open fridge 1"]}, False)],
    [],
)


@pytest.fixture
def fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(refit, "STEPS", 30)
    refit_meant(WEIGHTS, tmp_path / "wishes.safetensors", LISTS)
    return tmp_path / "wishes.safetensors"


def test_only_that_head_changes(fitted: Path) -> None:
    before, after = load_file(WEIGHTS), load_file(fitted)
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert {name.partition(".")[0] for name in changed} == {"meant"}
    assert {name: row.dtype for name, row in before.items()} == {name: row.dtype for name, row in after.items()}


def test_what_it_learns_is_read_as_it_is_run(fitted: Path) -> None:
    wishes = opened(fitted)
    assert wishes.meant("open the fridge")[0] > 0.9 > 0.1 > wishes.meant(TAKEN)[0]


def test_weights_can_be_exchanged_in_place(fitted: Path) -> None:
    change(fitted, fitted, {"thresholds": np.array([0.1, 0.2, 0.3])})
    assert load_file(fitted)["thresholds"].tolist() == pytest.approx([0.1, 0.2, 0.3], abs=1e-3)
