"""What a small model may write in the arguments of the estate agency's tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.desk import Desk, Exchange
from tools.domains import prepare
from tools.housing.desk import choices, make
from tools.named import alike, sums
from tools.typed import narrowed


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("H-0012 for at most 260,000", [260_000]),
        ("about 260k, 1.2 million if need be", [260_000, 1_200_000]),
        ("up to 260", [260, 260_000]),
        ("4.5% over 8 years", [4.5, 8]),
        ("nothing yet", []),
    ],
)
def test_sums_are_the_figures_that_were_named(said: str, named: list[float]) -> None:
    assert sums(said) == named


def test_no_tool_gets_a_sum_or_a_home_that_nobody_named(tmp_path: Path) -> None:
    place = prepare("housing", tmp_path)
    desk = Desk("s", datetime(2026, 11, 22, tzinfo=UTC), said="what can I afford?")
    nothing, _ = narrowed(make(desk, place)["affordability"], choices(desk, place)) or ({}, [])
    assert not {"income", "deposit", "debts", "home"} & nothing.keys()
    told = Desk("s", desk.now, said="2900 a month", past=(Exchange("what does H-0421 cost?", "245,000 euros"),))
    fields, _ = narrowed(make(told, place)["affordability"], choices(told, place)) or ({}, [])
    assert fields["income"] == {"enum": [2900]} and fields["home"] == {"enum": ["H-0421"]}


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Sothbank or the old town", ["Southbank", "Old Town"]),
        ("somewhere by the river", []),
        ("HARBOR QUARTER!", ["Harbour Quarter"]),
    ],
)
def test_districts_are_those_that_were_named_also_misspelt(said: str, named: list[str]) -> None:
    assert alike(["Riverside", "Southbank", "Old Town", "Harbour Quarter"], said) == named
