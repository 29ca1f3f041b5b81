"""Who is to act in a task that is wished for, read by layers of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from minds.policies.wishes import Floats, Wishes
from minds.training.calibrate import platt
from minds.training.wishes.data import Lists
from minds.training.wishes.figures import opened
from minds.training.wishes.heads import change
from minds.training.wishes.own_layers import fitted

EPOCHS = 8
"""How often each text is read."""


def refit(source: Path, target: Path, lists: Lists) -> None:
    """Reads the weights of one file, writes them with those of who acts to another."""
    texts, person = lists.drives(apart=False)
    found = fitted("drive", texts, [int(one) for one in person], 2, EPOCHS)
    change(source, target, found | {"drive.calibration": np.array([1, 0], np.float32)})
    change(target, target, calibrated(opened(target), *lists.drives(apart=True)))


def calibrated(wishes: Wishes, texts: Sequence[str], person: Sequence[bool]) -> dict[str, Floats]:
    """As sure as texts of others, which were kept apart, allow (Platt 1999)."""
    p = np.clip([wishes.person(text) for text in texts], 1e-9, 1 - 1e-9)
    scores = np.log(p / (1 - p))[:, None].astype(np.float32)
    slope, shift = platt(scores, np.array(person, np.float32), 1.0)
    return {"drive.calibration": np.array([slope, shift], np.float32)}
