"""Everyday sums in sentences: what is read, and what must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.calculator import calculate
from tools.desk import ToolFault
from tools.word_problems import read_problem

DATA = Path(__file__).parent / "data"


def _rows(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", _rows("word_problems.txt"))
def test_a_wording_that_fixes_the_sum_is_read(row: str) -> None:
    asked, _, wanted = row.partition(" => ")
    assert calculate(asked)[0] == wanted


@pytest.mark.parametrize("said", _rows("no_word_problems.txt"))
def test_whatever_leaves_a_doubt_is_refused(said: str) -> None:
    assert read_problem(said) is None
    with pytest.raises(ToolFault):
        calculate(said)


@pytest.mark.parametrize("row", _rows("word_problems.txt"))
def test_one_more_figure_is_not_ignored(row: str) -> None:
    asked = row.partition(" => ")[0]
    assert read_problem(f"There were 77 dogs. {asked}") is None
    assert read_problem(f"{asked} I also have 77 dogs.") is None


def test_days_are_not_cut_into_pieces() -> None:
    with pytest.raises(ToolFault, match="no whole number"):
        calculate("Tom reads 38 pages a day. How many days will he need for a book of 650 pages?")
