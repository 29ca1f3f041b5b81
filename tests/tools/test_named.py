"""What a text names of a desk's: figures, and names also misspelt."""

from __future__ import annotations

import pytest

from tools.named import alike, sums


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("H-0012 for at most 260,000", [260_000]),
        ("about 260k, 1.2 million if need be", [260_000, 1_200_000]),
        ("up to 260", [260, 260_000]),
        ("4.5% over 8 years", [4.5, 8]),
        ("70m2 for 250 000, or 80 m2", [70, 70_000, 250_000, 80, 80_000]),
        ("250.000 €", [250_000]),
        ("nothing yet", []),
    ],
)
def test_sums_are_the_figures_that_were_named(said: str, named: list[float]) -> None:
    assert sums(said) == named


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Sothbank or the old town", ["Southbank", "Old Town"]),
        ("somewhere by the river", []),
        ("HARBOR QUARTER!", ["Harbour Quarter"]),
        ("old", []),
        ("hi", []),
        ("what is rivuerside like", ["Riverside"]),
    ],
)
def test_districts_are_those_that_were_named_also_misspelt(said: str, named: list[str]) -> None:
    assert alike(["Riverside", "Southbank", "Old Town", "Harbour Quarter"], said) == named
