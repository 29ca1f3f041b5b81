"""Numbers that can be worked out by hand."""

from __future__ import annotations

import pytest

from chat.evaluation import statistics as stats


def test_bootstrap_has_the_mean_inside_its_interval_and_none_of_nothing() -> None:
    found = stats.bootstrap((0, 1, 2, 2, 1, 0, 2, 2))
    assert found and found.mean == 1.25 and found.low < 1.25 < found.high and found.n == 8
    same = stats.bootstrap((2, 2, 2))
    assert same and (same.low, same.mean, same.high) == (2, 2, 2)
    assert stats.bootstrap(()) is None


def test_bootstrap_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    import numpy as np

    draw = np.random.default_rng(3)
    hits = 0
    for turn in range(60):
        found = stats.bootstrap(tuple(draw.normal(1.0, 0.5, 40)), seed=turn)
        assert found
        hits += found.low <= 1.0 <= found.high
    assert hits >= 52


def test_sign_flips_are_counted_out() -> None:
    assert stats.sign_flip([1, 1, 1]) == pytest.approx(2 / 8)
    assert stats.sign_flip([1, 1, 1, 1, 1, 1]) == pytest.approx(2 / 64)
    assert stats.sign_flip([1, -1]) == 1.0
    assert stats.sign_flip([0, 0]) == 1.0
    assert stats.sign_flip([0, 0, 1, 1, 1]) == pytest.approx(2 / 8)


def test_many_pairs_are_drawn_and_agree_with_counting() -> None:
    gaps = [1.0] * 9 + [-1.0] * 3
    counted = stats.sign_flip(gaps)
    drawn = stats.sign_flip([*gaps, *[0.0001, -0.0001] * 2])
    assert drawn == pytest.approx(counted, abs=0.05)


def test_paired_takes_only_shared_scripts() -> None:
    found = stats.paired({"a": 2, "b": 1, "only": 0}, {"a": 1, "b": 1, "other": 2})
    assert found and found.n == 2 and found.difference == 0.5
    assert stats.paired({"a": 1}, {"b": 1}) is None


def test_holm_adjusts_upwards_and_keeps_the_order() -> None:
    assert stats.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert stats.holm([0.9, 0.8]) == [1.0, 1.0]


def test_pass_hat_is_the_chance_that_all_pass() -> None:
    plays = {"a": [True, True, True, True], "b": [True, True, False, False]}
    assert stats.pass_hat(plays, 1) == pytest.approx(0.75)
    assert stats.pass_hat(plays, 2) == pytest.approx((1 + 1 / 6) / 2)
    assert stats.pass_hat(plays, 4) == pytest.approx(0.5)
    assert stats.pass_hat(plays, 5) is None


def test_quadratic_kappa() -> None:
    assert stats.kappa([0, 1, 2, 2], [0, 1, 2, 2]) == 1.0
    assert stats.kappa([0, 0, 2, 2], [2, 2, 0, 0]) == -1.0
    near, far = stats.kappa([0, 1, 2, 2], [0, 1, 2, 1]), stats.kappa([0, 1, 2, 2], [0, 1, 2, 0])
    assert near is not None and far is not None and near > far
    # By hand: disagreement 1, of which chance would bring 5.
    assert stats.kappa([0, 1, 1, 2], [0, 1, 2, 2]) == pytest.approx(1 - 1 / 5)
    assert stats.kappa([2, 2], [2, 2]) is None
    assert stats.kappa([], []) is None
    assert stats.kappa([0, 5, 5, 10], [0, 5, 10, 10]) == pytest.approx(1 - 1 / 5), "on any scale"
