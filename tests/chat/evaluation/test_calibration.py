"""Hand grades: whose they are, what a judge said of them before, and how far the program agrees with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chat.evaluation.calibration import OWN, calibrate, graded_by_hand, kept_for, read_graded
from chat.evaluation.grading import Grading
from chat.evaluation.rubric import read_rubric
from tests.chat.evaluation.made import suite


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bases")


def test_a_suites_own_hand_grades_come_first(tmp_path: Path, bases: Path) -> None:
    (tmp_path / "graded.jsonl").write_text("")
    own = suite(folder=tmp_path)
    assert (found := graded_by_hand(own, bases)) and found.file == tmp_path / "graded.jsonl" and found.suite is own


def test_another_rubric_is_not_calibrated_with_ours(tmp_path: Path, bases: Path) -> None:
    assert graded_by_hand(replace(suite(folder=tmp_path), rubric=tmp_path / "rubric.yaml"), bases) is None


def test_a_judges_grades_are_kept_for_what_it_read(tmp_path: Path) -> None:
    def kept(spec: str = "one") -> Path:
        return kept_for(tmp_path / "judges", spec, {"name": "duma"}, tmp_path / "graded.jsonl").path

    for name in ("graded.jsonl", "graded_dialogues.jsonl"):
        (tmp_path / name).write_text("{}\n")
    first = kept()
    assert kept() == first and kept("another") != first
    (tmp_path / "graded.jsonl").write_text("{}\n{}\n")
    assert kept() != first


async def test_the_program_agrees_with_the_projects_hand_grades(bases: Path, tmp_path: Path) -> None:
    """Asked for is a quadratic kappa of 0.9 on what a program decides; no grade of it may be missing."""
    graded = graded_by_hand(replace(suite(folder=tmp_path), rubric="duma"), bases)
    assert graded and graded.file == OWN
    hand, _ = read_graded(OWN)
    assert len(hand) >= 120 and {grade.metric for grade in hand} == {m.name for m in read_rubric().metrics if m.paper}
    assert all(grade.reason and grade.score in (0, 1, 2) for grade in hand)
    grading = Grading(graded.suite, read_rubric(), bases)
    found = await calibrate(grading, OWN, kept_for(tmp_path / "judges", "", {}, OWN), None)
    program = found["by"]["program"]
    assert program["n"] >= 75 and not program["ungraded"] and program["kappa"] >= 0.9
    assert found["by"]["judge"]["n"] == 0 and len(hand) - program["n"] >= 40
