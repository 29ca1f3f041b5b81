"""From rows to figures, reports, JUnit, diffs, and a person's grades."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest
from fastapi.testclient import TestClient

from chat.evaluation.command import _failures
from chat.evaluation.figures import Scores, figures
from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import Grading, by_program, calibrate
from chat.evaluation.grading_page import build
from chat.evaluation.judge import Judge
from chat.evaluation.record import Exchange, Grade, latest, to_row
from chat.evaluation.record import graded as kept_grades
from chat.evaluation.record import played as kept
from chat.evaluation.report.pages import changed, junit, page, pooled, tables, write, write_diff, write_pool
from chat.evaluation.result import Result
from chat.evaluation.rubric import AS_DATA, Rubric, read_rubric
from chat.evaluation.turns import Expect
from chat.faults import ChatFault
from tests.chat.evaluation.made import exchange, grade, played, script, suite
from tests.scripted import ScriptedModel

RUBRIC = read_rubric("duma")
NASTY = "</details><script>alert('x')</script> & \"quotes\""


def scores(**systems: tuple[int | None, ...]) -> Scores:
    """`dual=(2, 1)`: house expertise of scripts s0 and s1."""
    dialogues, grades = {}, list[Grade]()
    for system, given in systems.items():
        for number, each in enumerate(given):
            first = exchange(1, "Hello", tokens=10, invoked=True, needed=True, seconds=1.9)
            turns = (first, exchange(2, NASTY, needed=False))
            one = played(*turns, script=f"s{number}", system=system.replace("_", "-"), seconds=2.0)
            dialogues[str(one.key)] = one
            grades.append(grade("house_expertise", each, key=str(one.key), reason="why", turn=1))
    return Scores(RUBRIC, dialogues, latest(grades))


def told(found: Scores) -> Result:
    scripts = [
        replace(script(Expect(), name=name), intent=intent) for name, intent in (("s0", "search"), ("s1", "loan"))
    ]
    folder = RunFolder(Path("none"), {"seeds": [0], "judge": ""})
    return Result(folder, Grading(suite(*scripts), RUBRIC), found, figures(found), None)


def test_means_passes_and_costs() -> None:
    found = figures(scores(dual=(2, 1, 0), react=(0, 0, None)))
    dual = found["systems"]["dual"]
    assert dual["metrics"]["house_expertise"]["mean"] == 1.0 and dual["pass"]["1"] == pytest.approx(2 / 3)
    assert found["systems"]["react"]["metrics"]["house_expertise"]["n"] == 2
    assert dual["invoke"] == {"precision": 1.0, "recall": 1.0, "turns": 6}
    assert dual["cost"]["slow_avoided"] == 0.5 and dual["cost"]["tokens"] == 10
    assert found["overhead"] == pytest.approx(0.05)
    tests = [test for test in found["pairs"] if test["metric"] == "house_expertise"]
    assert tests[0]["difference"] == 1.5 and tests[0]["n"] == 2


def test_what_a_slow_run_was_for_counts_for_its_precision_and_recall() -> None:
    ways = ((True, True), (True, False), (False, True), (False, None))
    turns = [exchange(n, "Hm.", invoked=invoked, needed=needed) for n, (invoked, needed) in enumerate(ways, 1)]
    one, none = played(*turns), played(exchange(1, "Hm.", invoked=True, needed=True, by="memory"), system="react")
    found = figures(Scores(RUBRIC, {str(d.key): d for d in (one, none)}, {}))["systems"]
    assert found["dual"]["invoke"] == {"precision": 0.5, "recall": 0.5, "turns": 3}
    assert found["react"]["invoke"] == {"precision": None, "recall": None, "turns": 0}


def test_several_runs_are_counted_as_one() -> None:
    first, second = scores(dual=(2, 1), react=(0,)), scores(dual=(0, 2), react=(1, 1))
    found = figures(pooled([("one", first), ("other", second)]))
    dual = found["systems"]["dual"]
    assert (found["dialogues"], found["scripts"], found["shared_scripts"]) == (7, 4, 3)
    assert dual["metrics"]["house_expertise"]["mean"] == pytest.approx(5 / 4) and dual["cost"]["tokens"] == 10
    assert dual["invoke"]["turns"] == 8
    test = next(t for t in found["pairs"] if t["metric"] == "house_expertise")
    assert test["n"] == 3 and test["difference"] == pytest.approx(2 / 3, abs=1e-4)
    assert "What it costs on all its scripts" in tables(found, RUBRIC)
    with pytest.raises(ChatFault, match="two runs of `one`"):
        pooled([("one", first), ("one", second)])
    with pytest.raises(ChatFault, match="`other` was graded by another rubric"):
        pooled([("one", first), ("other", replace(second, rubric=replace(RUBRIC, title="Another")))])


def test_an_error_is_never_a_pass() -> None:
    made = scores(dual=(2,))
    broken = grade("house_expertise", None, error="no grade")
    worse = replace(made, grades={next(iter(made.grades)): broken})
    system = figures(worse)["systems"]["dual"]
    assert system["metrics"]["house_expertise"]["mean"] == 0 and system["pass"]["1"] == 0
    assert system["grade_errors"] == 1
    said = "1 grades could not be given; they count as 0"
    assert said in told(worse).lines()[0] and f"dual: {said}." in tables(figures(worse), RUBRIC)
    assert list(_failures(told(worse), None)) == [f"dual: {said}; start the command again."]
    gone = {key: replace(dialogue, fault="no key", void=True) for key, dialogue in made.dialogues.items()}
    broken_off = told(replace(made, dialogues=gone))
    assert list(_failures(broken_off, None)) == ["dual: 1 dialogues broke off (no key); start the command again."]
    assert "grades" not in told(made).lines()[0] and not [*_failures(told(made), None)]


def test_a_rubric_of_ones_own_is_told_metric_by_metric_and_without_what_it_lacks() -> None:
    metric = RUBRIC["service_attitude"]
    own = replace(metric, name="warmth", title="Warmth", paper=False, scores=dict.fromkeys(range(1, 6), "x"))
    rubric = Rubric(scale=(1, 2, 3, 4, 5), metrics=(own,), pass_at=3)
    made = scores(dual=(2, 2), react=(2, 2))
    judged = [grade("warmth", 2 + number // 2, "judge", key=key) for number, key in enumerate(made.dialogues)]
    found = replace(made, rubric=rubric, grades=latest([*judged[:3], replace(judged[3], score=None, error="no")]))
    result = replace(told(found), grading=Grading(suite(), rubric))
    assert "Warmth 2.00, 1.0 slow runs" in result.lines()[0]
    assert "Warmth 2.00" in result.lines()[1], "what could not be graded is the lowest score there is: 1, beside a 3"
    shown = tables(figures(found), rubric)
    assert "paper" not in shown and "by program" not in shown and "| Warmth | dual less react | +0.00" in shown
    assert "| 2.00 *n 2* |" in shown, "where all scored alike an interval would promise too much"
    assert "2.00 *1.00 to 3.00, n 2*" in shown


def test_what_no_judge_was_asked_is_told_with_the_command_that_adds_it() -> None:
    found = told(scores(dual=(2,)))
    assert found.lines()[-1] == (
        "Not graded without a judge: Service Attitude. `evaluate report DIR --judge SPEC` adds it."
    )
    judged = replace(found, folder=RunFolder(Path("none"), {"seeds": [0], "judge": "openai:x"}))
    assert not judged.unjudged


def test_a_programs_grade_that_was_taken_back_hides_no_judges() -> None:
    made = scores(dual=(2,))
    judged = grade("house_expertise", 1, "judge", key="s0|dual|0")
    found = replace(made, grades=latest([grade("house_expertise", None, key="s0|dual|0"), judged]))
    assert found.grade(found.dialogues["s0|dual|0"], "house_expertise") == judged
    metrics = figures(found)["systems"]["dual"]["metrics"]
    assert metrics["house_expertise"]["mean"] == 1 and metrics["program"] is None


def test_a_dialogue_that_broke_off_has_errors_only_where_its_script_expects_something() -> None:
    one = script(Expect(must_mine=("size",)), Expect(invoke=True))
    grades = Grading(suite(one), RUBRIC).by_program(played(exchange(1, "Hm."), fault="gone"))
    assert {given.metric for given in grades if given.error} == {"demand_mining", "invoking"}


def test_after_a_replay_the_judge_decides_what_a_program_could_not(tmp_path: Path) -> None:
    one = script(Expect(trade=True))
    grading, folder = Grading(suite(one), RUBRIC), RunFolder(tmp_path, {})
    folder.append("grades", asdict(grade("industry_familiarity", None, error="the dialogue broke off")))
    folder.append("dialogues", to_row(played(exchange(1, "It depends."))))
    by_program(grading, folder)
    assert not latest(kept_grades(folder))["one|dual|0", "industry_familiarity", "program", 0].counts


def test_a_person_stands_over_the_program() -> None:
    made = scores(dual=(2,))
    given = grade("house_expertise", 0, "human", key="s0|dual|0")
    overruled = replace(made, grades=latest([*made.grades.values(), given]))
    assert figures(overruled)["systems"]["dual"]["metrics"]["house_expertise"]["mean"] == 0


def test_scores_are_compared_on_the_scripts_that_all_have() -> None:
    found = figures(scores(dual=(2, 2, 0, 0), react=(1, 1)))
    dual = found["systems"]["dual"]
    assert found["shared_scripts"] == 2 and dual["shared"]["house_expertise"]["mean"] == 2
    assert (dual["pass"]["1"], dual["shared_pass"]["1"]) == (0.5, 1.0)
    assert (dual["invoke"]["turns"], dual["shared_invoke"]["turns"]) == (8, 4)
    on_shared, on_all = (line for line in tables(found, RUBRIC).splitlines() if line.startswith("| dual *"))
    assert on_shared.endswith("| 1.00 |") and on_all.endswith("| 0.50 |")


class Reader(HTMLParser):
    """Tags that are opened and closed rightly, and what the page would load."""

    VOID = frozenset({"meta", "input", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [str(value) for name, value in attrs if name in ("src", "href") and value != "#"]
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None: ...

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "li"):
            return
        while self.open and self.open[-1] in ("p", "li") and tag not in ("p", "li"):
            self.open.pop()
        assert self.open and self.open.pop() == tag


def test_the_report_is_one_whole_file_and_what_was_said_cannot_break_it() -> None:
    html = page(told(scores(dual=(2, 1), react=(0, None))))
    reader = Reader()
    reader.feed(html)
    assert reader.loads == [] and reader.scripts == 1
    assert "alert(&#39;x&#39;)" in html and "<script>alert" not in html
    assert "0.733" in html and "DUMA, stage I" in html
    assert html.count("<details class=d") == 4
    assert "NaN" not in html


def test_a_run_without_dialogues_still_has_a_report() -> None:
    assert "Every dialogue" in page(told(Scores(RUBRIC, {}, {})))


def test_junit_tells_failures_from_errors() -> None:
    made = scores(dual=(2, 0, 1))
    broken = replace(made.dialogues["s2|dual|0"], fault="gone \x00\uffff")
    made = replace(made, dialogues={**made.dialogues, "s2|dual|0": broken})
    root = Tree.fromstring(junit(made, "made").split("\n", 1)[1])
    (found,) = root.findall("testsuite")
    assert (found.get("tests"), found.get("failures"), found.get("errors")) == ("3", "1", "1")


def test_where_no_program_decides_nothing_fails() -> None:
    made = scores(dual=(2, 1))
    judged = replace(made, grades=latest(replace(given, by="judge") for given in made.grades.values()))
    (found,) = Tree.fromstring(junit(judged, "made").split("\n", 1)[1]).findall("testsuite")
    assert (found.get("failures"), found.get("errors")) == ("0", "0")
    assert figures(judged)["systems"]["dual"]["pass"] == {}


# -- a run's folder


def result(path: Path, reply: str = "84,000.", rubric: Rubric = RUBRIC) -> Result:
    from chat.evaluation.turns import Fact

    one = script(Expect(facts=(Fact("B-001.price", 84000),), invoke=True))
    grading = Grading(suite(one), rubric)
    config = {
        "seeds": [0],
        "systems": ["dual"],
        "scripts": ["one"],
        "judge": "",
        "rubric": AS_DATA.dump_python(rubric, mode="json"),
    }
    folder = RunFolder.open(path, config)
    dialogue = played(exchange(1, reply, invoked=True))
    folder.append("dialogues", to_row(dialogue))
    for found in grading.by_program(dialogue):
        folder.append("grades", asdict(found))
    folder.close()
    return read(path, grading)


def read(path: Path, grading: Grading) -> Result:
    folder = RunFolder(path, json.loads((path / "config.json").read_text()))
    dialogues = kept(folder)
    made = Scores(grading.rubric, dialogues, latest(kept_grades(folder)))
    return Result(folder, grading, made, figures(made), None)


def test_a_result_writes_its_files(tmp_path: Path) -> None:
    found = result(tmp_path / "run")
    write(found, tmp_path / "out" / "junit.xml")
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["dialogues"] == 1
    assert "| System |" in (tmp_path / "run" / "report.md").read_text()
    assert (tmp_path / "run" / "report.html").stat().st_size > 5000 and (tmp_path / "out" / "junit.xml").exists()
    assert found.lines()[0].startswith("dual")


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    first, second = result(tmp_path / "a"), result(tmp_path / "b", "85,000.")
    (change,) = [c for c in changed(first, second) if c.metric == "house_expertise"]
    assert (change.before.score, change.after.score, change.by) == (1, 0, -1)
    assert "| Metric | First run |" in write_diff(first, second, tmp_path / "diff.html")
    html = (tmp_path / "diff.html").read_text()
    assert "does not say B-001.price" in html and "-1.00" in html


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    found = result(tmp_path / "run")
    beside = tmp_path / "run" / "config.json" / "beside"
    with pytest.raises(ChatFault, match="cannot be written"):
        write(found, beside)
    with pytest.raises(ChatFault, match="cannot be written"):
        write_diff(found, found, beside)
    with pytest.raises(ChatFault, match="cannot be written"):
        write_pool([found], beside)


def test_a_rubric_that_no_program_decides_may_have_another_scale(tmp_path: Path) -> None:
    marks = {score: f"{score} of 5" for score in range(6)}
    judged = tuple(replace(metric, scores=marks, by="judge") for metric in RUBRIC.metrics)
    found = result(tmp_path / "run", rubric=replace(RUBRIC, scale=tuple(marks), metrics=judged))
    for score, by in ((2, "judge"), (5, "human")):
        found.folder.append("grades", asdict(grade("house_expertise", score, by)))
    again = read(tmp_path / "run", found.grading)
    assert again.people()["house_expertise"]["agreement"] == 0
    assert "House Expertise below 5" in page(again)


def test_a_person_grades_and_sees_the_agreement(tmp_path: Path) -> None:
    first = result(tmp_path / "run")
    page_ = TestClient(build(lambda: read(tmp_path / "run", first.grading), "secret"), base_url="http://127.0.0.1:7861")
    shown = page_.get("/")
    assert shown.status_code == 200 and 'data-token="secret"' in shown.text and "<form class=grading" in shown.text
    grade_ = {"key": "one|dual|0", "metric": "house_expertise", "of": 0, "score": 0, "reason": "too short"}
    assert page_.post("/grade", json=grade_).status_code == 403
    head = {"x-duet-token": "secret"}
    for wrong in ({"score": 3}, {"score": True}, {"metric": "wit"}, {"key": "none"}, {"of": 9}, {"of": "x"}):
        assert page_.post("/grade", json={**grade_, **wrong}, headers=head).status_code == 422
    answer = page_.post("/grade", json=grade_, headers=head)
    assert answer.status_code == 200 and "House Expertise" in answer.json()["agreement"]
    again = read(tmp_path / "run", first.grading)
    assert again.figures["systems"]["dual"]["metrics"]["house_expertise"]["mean"] == 0
    page_.post("/grade", json={**grade_, "of": 1, "score": 1}, headers=head)
    people = read(tmp_path / "run", first.grading).people()
    assert people["house_expertise"]["n"] == 2
    assert "too short" in page_.get("/").text


def test_grades_by_people_of_what_the_suite_no_longer_has_are_said_to_be_left_out(tmp_path: Path) -> None:
    found = result(tmp_path / "run")
    for key in ("gone|dual|0", "one|dual|0"):
        found.folder.append("grades", asdict(grade("house_expertise", 2, "human", key=key)))
    again = read(tmp_path / "run", found.grading)
    said = "1 grade by a person is left out: the suite no longer has what was graded."
    assert again.people()["house_expertise"]["n"] == 1
    assert again.lines()[0] == said and said in page(again) and said not in page(found)


def test_a_dialogue_that_the_suite_no_longer_has_is_not_graded(tmp_path: Path) -> None:
    grading, folder = Grading(suite(script(Expect(), name="kept")), RUBRIC), RunFolder(tmp_path, {})
    folder.append("dialogues", to_row(played(exchange(1, "Hm."), script="gone")))
    by_program(grading, folder)
    assert kept_grades(folder) == []


# -- calibration


def graded(path: Path, *turns: Exchange, grades: tuple[tuple[str, int], ...]) -> RunFolder:
    path.mkdir()
    folder = RunFolder(path, {})
    folder.append("dialogues", to_row(played(*turns)))
    for name, score in grades:
        folder.append("grades", asdict(grade(name, score, "human", of=1)))
    return folder


async def test_hand_grades_are_compared_and_the_judges_bias_is_measured(tmp_path: Path) -> None:
    found = result(tmp_path / "run")
    hand = graded(
        tmp_path / "hand", exchange(1, "84,000 euros."), grades=(("house_expertise", 1), ("service_attitude", 2))
    )
    folder = RunFolder.open(tmp_path / "again", found.folder.config)

    def says(messages: list[object]) -> dict[str, object]:
        listed = str(messages[0])
        backwards = listed.index("2: Have strong") < listed.index("0: Not like")
        return {"quote": "84,000 euros", "reason": "so", "score": 1 if backwards else 2}

    model = ScriptedModel(says)  # type: ignore[arg-type]
    figures_ = await calibrate(found.grading, folder, Judge(model), hand)
    folder.close()
    assert figures_["turns"] == 2 and figures_["by"]["program"]["agreement"] == 1.0
    assert figures_["by"]["judge"]["agreement"] == 1.0
    assert figures_["bias"]["backwards"] == {"n": 1, "same": 0.0, "shift": -1}


def test_grades_of_turns_do_not_stand_for_the_dialogue() -> None:
    made = scores(dual=(1,))
    of_turn = grade("house_expertise", 0, "human", key="s0|dual|0", of=1)
    found = replace(made, grades=latest([*made.grades.values(), of_turn]))
    assert figures(found)["systems"]["dual"]["metrics"]["house_expertise"]["mean"] == 1
