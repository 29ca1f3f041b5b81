"""Fitting the head of the estate agency's desk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from minds.training.desk import held_out
from tools.housing import acts


def near(texts: Sequence[str]) -> list[list[float]]:
    """Vectors that tell green turns from red ones, and nothing else."""
    return [[float("green" in text), float("red" in text), *[0.0] * (acts.WIDTH - 2)] for text in texts]


def test_turns_are_held_out_before_they_are_guessed() -> None:
    alike = [("go", f"green {at}") for at in range(10)] + [("stop", f"red {at}") for at in range(10)]
    right, sure, right_sure = held_out(alike, near)
    assert (right, right_sure) == (1.0, 1.0) and sure > 0.5
    alone = [(f"act{at}", f"nothing {'x' * at}") for at in range(5)]  # whose act is in no other turn
    assert held_out(alone, near)[0] == 0.0


def test_weights_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, weights = acts.fit([("go", "green"), ("stop", "red")], near, rounds=30)
    acts.save(names, weights, tmp_path / "head.safetensors")
    monkeypatch.setattr(acts, "WEIGHTS", tmp_path / "head.safetensors")
    acts._head.cache_clear()
    stored, _, read = acts._head()
    acts._head.cache_clear()
    assert stored == ["go", "stop"] and abs(read - weights).max() < 1e-2
