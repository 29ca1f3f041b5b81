"""The rubric is data: DUMA's own words, and clear errors in one of a user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.evaluation.figures import Scores, figures
from chat.evaluation.marked_yaml import FileFault
from chat.evaluation.report.pages import tables
from chat.evaluation.rubric import AS_DATA, read_rubric
from chat.faults import ChatFault

OWN = """\
name: mine
title: My own
scale: [0, 1, 2]
metrics:
  - name: wit
    asks: Is it witty?
    scores: {0: no, 1: a bit, 2: very}
    by: judge
"""


def test_duma_has_the_papers_six_metrics_and_one_of_our_own() -> None:
    rubric = read_rubric("duma")
    assert len([metric for metric in rubric.metrics if metric.paper]) == 6
    assert [metric.name for metric in rubric.metrics if not metric.paper] == ["invoking"]
    assert rubric["promote_invitation"].scores[1].endswith("do not invite randomly.")


def test_the_papers_table_agrees_with_its_text() -> None:
    """Section 3.4 tells the differences of the two DUMAs."""
    rubric = read_rubric("duma")
    rows = [
        line for line in tables(figures(Scores(rubric, {}, {})), rubric).splitlines() if "the paper, table 2" in line
    ]
    first, second = (list(map(float, row.split("|")[2:8])) for row in rows[1:])
    differ = {0: 0.724, 1: -0.064, 3: 0.239, 4: -0.050, 5: 0.257}
    assert {place: round(second[place] - first[place], 3) for place in differ} == differ


def test_a_rubric_survives_json() -> None:
    import json

    rubric = read_rubric("duma")
    assert AS_DATA.validate_python(json.loads(json.dumps(AS_DATA.dump_python(rubric, mode="json")))) == rubric


def test_a_rubric_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(OWN)
    assert read_rubric(file.name, tmp_path)["wit"].scores[2] == "very"


@pytest.mark.parametrize(
    ("change", "line", "word"),
    [
        (("by: judge", "by: nobody"), 8, "by"),
        (("by: judge", "by: program"), 5, "program"),
        (("0: no, ", ""), 7, "criterion"),
        (("    asks: Is it witty?\n", ""), 5, "asks"),
        (("    by: judge", "    bye: judge\n    by: judge"), 8, "bye"),
        (("scale: [0, 1, 2]", "scale: low to high"), 3, "scale"),
        (("scale: [0, 1, 2]", "scale: [0, 1, 2]\npass_at: 9"), 4, "within the scale, 0 to 2"),
        (("scale: [0, 1, 2]", "scale: [0]\npass_at: 0"), 3, "two scores, from 0 on"),
        (("scale: [0, 1, 2]", "scale: [-1, 0]\npass_at: 0"), 3, "two scores, from 0 on"),
        (("scale: [0, 1, 2]", "scale: []"), 3, "two scores, from 0 on"),
        (("metrics:\n", "metrics: [\n"), 5, "YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, word: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(OWN.replace(*change))
    with pytest.raises(FileFault) as fault:
        read_rubric(file.name, tmp_path)
    (found,) = fault.value.problems
    assert found.line == line and word in found.sentence


def test_a_program_decides_on_its_own_scale_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    own = OWN.replace("[0, 1, 2]", "[0, 1]").replace(", 2: very", "")
    file.write_text(own)
    assert read_rubric(file.name, tmp_path)["wit"].best == 1
    file.write_text(own.replace("by: judge", "by: program\n    program: facts"))
    with pytest.raises(FileFault, match="A program gives 0, 1 or 2"):
        read_rubric(file.name, tmp_path)


def test_an_unknown_rubric_names_those_that_there_are() -> None:
    with pytest.raises(ChatFault, match="duma"):
        read_rubric("nothing")


def test_the_rubric_of_the_docs_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "new_suite.md").read_text(encoding="utf-8")
    (tmp_path / "rubric.yaml").write_text(page.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    assert read_rubric("rubric.yaml", tmp_path)["patience"].by == "judge"
