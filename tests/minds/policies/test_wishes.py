"""The weights for wishes: they load, rank a large state quickly, and what two texts share needs no language."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from minds.policies.wishes import NAMED, Floats, Wishes, WishesFault, bare, likenesses, nearest, pieces
from tools.worlds.actions import ActionSpace


def vectors(texts: Sequence[str]) -> Floats:
    rows = np.random.default_rng(0).normal(size=(len(texts), 384)).astype(np.float32)
    found: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def test_missing_weights_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(WishesFault, match="train wishes"):
        Wishes.load(tmp_path / "none.safetensors")


def test_what_is_near_comes_first_and_numbers_count() -> None:
    rows = likenesses("nimm die seifenschale 2", ["soap 1", "seifenschale 2", "seifenschale 3"], ["go to soap 1"])
    assert rows.shape == (3, NAMED)
    assert rows[1, 1] > rows[0, 1] and rows[1, 3] == 1 and rows[2, 4] == 1 and rows[0, 5] == 1
    assert bare("drawer 12") == "drawer"


def test_pieces_have_one_length_whatever_is_said() -> None:
    for said in ("", "!", "mug", "mug mug", "日本語の文"):
        assert np.isclose(np.linalg.norm(pieces(said)[1]), 1)


def test_as_few_as_hold_nearly_all() -> None:
    scores = np.array([0.0, 9.0, 1.0, 0.5], np.float32)
    assert nearest(("a", "b", "c", "d"), scores) == ("b", "c")
    assert len(nearest(tuple("abcdefgh"), np.zeros(8, np.float32))) == 5


def test_a_large_state_is_ranked_in_time() -> None:
    wishes = Wishes.load()
    names = [f"{thing} {n}" for thing in ("mug", "drawer", "gizmo") for n in range(11)]
    space = ActionSpace([f"move {one} to {other}" for one in names for other in names if one != other])
    assert len(space.admissible) > 1000
    began = time.process_time()
    found = wishes.ranked("put mug 3 into drawer 4", vectors(["x"])[0], space, ("look",), vectors)
    assert time.process_time() - began < 0.15
    assert sorted(found.actions) == sorted(space.admissible)
    assert sum(found.p) + found.none == pytest.approx(1, abs=1e-4)


def test_decisions_are_probabilities() -> None:
    wishes, [vector] = Wishes.load(), vectors(["x"])
    likely, (p, _) = wishes.wish("boil some water", vector), wishes.meant("take the mug", vector)
    assert 0 <= likely.p <= 1 and 0 <= p <= 1
    assert 2 <= len(likely.kinds) <= 5
