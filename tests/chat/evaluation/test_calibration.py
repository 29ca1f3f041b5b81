"""Hand grades: whose they are, what a judge said of them before, and how far the program agrees with them."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import CALIBRATION, GRADED_SUITE, HAND, Grading, calibrate, calibrated, kept_for, summed
from chat.evaluation.judge import Judge
from chat.evaluation.record import At, Grade, Played, graded, latest, played, to_row
from chat.evaluation.report.pages import HERE, render
from chat.evaluation.rubric import read_rubric
from chat.evaluation.suite_reader import load
from chat.settings import Settings
from tests.chat.evaluation.made import suite
from tests.scripted import ScriptedModel


def told(found: dict[str, object]) -> str:
    return render(HERE / "agreement.md", of="calibration", titles={}, found=found, judge="one")


@pytest.fixture(scope="module")
def grading(tmp_path_factory: pytest.TempPathFactory) -> Grading:
    """Of the suite whose dialogues people graded."""
    return Grading(load(GRADED_SUITE, tmp_path_factory.mktemp("bases")), read_rubric())


async def test_another_rubric_is_not_calibrated_with_ours(tmp_path: Path) -> None:
    own = replace(suite(folder=tmp_path), rubric="rubric.yaml")
    folder = RunFolder(tmp_path, {"judge": ""})
    await calibrated(Settings(home=tmp_path), Grading(own, read_rubric()), folder, asking=False)
    assert not (tmp_path / CALIBRATION).exists()


def test_a_judges_grades_are_kept_for_the_judge_and_its_rubric(tmp_path: Path) -> None:
    rubric = read_rubric()
    first = kept_for(tmp_path, "one", rubric).path
    assert kept_for(tmp_path, "one", rubric).path == first and kept_for(tmp_path, "another", rubric).path != first
    judged = next(metric for metric in rubric.metrics if metric.by == "judge")
    other = replace(rubric, metrics=(replace(judged, asks="Is it brief?"),))
    assert kept_for(tmp_path, "one", other).path != first


async def test_what_a_judge_read_is_not_read_again_until_it_changes(tmp_path: Path, grading: Grading) -> None:
    one = next(g for g in graded(HAND) if g.metric == "service_attitude" and g.of > 1)
    hand = RunFolder(tmp_path, {})
    hand.append("grades", asdict(one))
    model = ScriptedModel(lambda messages: {"quote": quoted, "reason": "so", "score": 2})

    async def asked(dialogue: Played) -> int:
        (tmp_path / "dialogues.jsonl").unlink(missing_ok=True)
        hand.append("dialogues", to_row(dialogue))
        kept = kept_for(tmp_path / "judges", "one", read_rubric(), hand)
        before = len(model.heard)
        await calibrate(grading, kept, Judge(model), hand)
        return len(model.heard) - before

    dialogue = played(HAND)[one.key]
    quoted = dialogue.turns[one.of - 1].reply
    assert (await asked(dialogue), await asked(dialogue)) == (2, 0)
    turns = tuple(replace(turn, reply=f"{turn.reply} Yes.") for turn in dialogue.turns)
    assert await asked(replace(dialogue, turns=turns)) == 2


@pytest.mark.slow
async def test_the_program_agrees_with_the_projects_hand_grades(grading: Grading, tmp_path: Path) -> None:
    """Asked for is a quadratic kappa of 0.9 on what a program decides; no grade of it may be missing."""
    hand = latest(graded(HAND)).values()
    assert len(hand) >= 120 and {grade.metric for grade in hand} == {m.name for m in read_rubric().metrics if m.paper}
    assert all(grade.reason and grade.score in (0, 1, 2) for grade in hand)
    found = await calibrate(grading, kept_for(tmp_path / "judges", "", read_rubric()), None)
    program = found["by"]["program"]
    assert program["n"] >= 75 and not program["ungraded"] and program["kappa"] >= 0.9
    assert found["corrected"] == 1 and 0.9 <= found["first"]["program"]["kappa"] < program["kappa"]
    assert found["by"]["judge"]["n"] == 0 and len(hand) - program["n"] >= 40


def by_hand(*scores: int, by: Any = "human") -> list[Grade]:
    """Of one turn after the other."""
    return [Grade("m", score, by, key="k", of=turn) for turn, score in enumerate(scores, 1)]


def beside(*scores: int, by: Any) -> dict[At, Grade]:
    """Ours, by people's."""
    return dict(zip(latest(by_hand(*scores)), by_hand(*scores, by=by), strict=True))


def test_a_corrected_slip_is_told() -> None:
    found = summed([*by_hand(0), *by_hand(2, 0, 2)], beside(2, 0, 2, by="program"), {})
    assert found["by"]["program"]["kappa"] == 1 and found["first"]["program"]["kappa"] < 1 == found["corrected"]
    assert "| program: the same, 1 hand grade as first given | 3 |" in told(found)


@pytest.mark.parametrize(("scores", "warned"), [((2, 0, 2), False), ((0, 2, 2), True)])
def test_a_judge_that_people_do_not_agree_with_is_not_to_be_relied_on(scores: tuple[int, ...], warned: bool) -> None:
    found = summed(by_hand(2, 0, 2), beside(*scores, by="judge"), {})
    assert ("do not rest on" in told(found)) is warned
