"""The whole of it on the suite that `evaluate init` makes: ideal minds get the best grades, broken ones do not."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from sqlalchemy import select

from chat import command_line
from chat.evaluation import command
from chat.evaluation.command import EXAMPLE
from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import Grading, by_program
from chat.evaluation.record import Exchange, graded, played, to_row
from chat.evaluation.report.pages import page
from chat.evaluation.result import Result, keep_suite
from chat.evaluation.rubric import FOLDER as RUBRICS
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import Plan, perform
from chat.evaluation.suite_reader import load
from chat.evaluation.systems import System, named
from chat.faults import ChatFault
from chat.settings import Settings
from chat.tables import sessions
from chat.transcript import Transcript
from minds.models.language import BadSpec, Refused
from tests.chat.evaluation.ideal import ideal
from tests.scripted import ScriptedModel

RETURN = EXAMPLE.parent / "housing_return_dev"


def invents_prices(turn: Exchange) -> Exchange:
    return replace(turn, reply=re.sub(r"\b\d+(?:,\d{3})+", lambda price: f"{price[0]}0", turn.reply))


def never_invokes(turn: Exchange) -> Exchange:
    return replace(turn, invoked=False, calls=(), changes=())


def silent_tool(turn: Exchange) -> Exchange:
    silent = tuple(replace(call, observation="Done.", facts={}, changes=(), hollow=True) for call in turn.calls)
    return replace(turn, calls=silent, changes=(), reply="Done." if silent else turn.reply)


def books_unasked(turn: Exchange) -> Exchange:
    made = ({"kind": "viewing", "key": "H-0001", "done": "made"},) if any(call.asks for call in turn.calls) else ()
    return replace(turn, changes=(*turn.changes, *made))


BROKEN: dict[str, tuple[Callable[[Exchange], Exchange], str]] = {
    "invents-prices": (invents_prices, "house_expertise"),
    "never-invokes": (never_invokes, "tool_calling"),
    "always-invokes": (lambda turn: replace(turn, invoked=True), "invoking"),
    "silent-tool": (silent_tool, "tool_calling"),
    "books-unasked": (books_unasked, "tool_calling"),
}
"""An assistant broken on purpose -> what becomes of each turn of an ideal one, and the metric on which it must drop."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a finished run, and the databases."""
    home = tmp_path_factory.mktemp("home")
    bases = command.Command(Settings(home=home), {}).bases
    suite = load(EXAMPLE, bases)
    sound = Plan(suite, read_rubric(), named(["dual"]), (0,), suite.dialogues, Settings(home=home))
    plan = replace(sound, systems=(*sound.systems, *(System(name) for name in BROKEN)))
    folder = RunFolder.open(home / "run", plan.config())
    asyncio.run(perform(sound, folder, **ideal()))
    for dialogue in list(played(folder).values()):
        for name, (breaks, _) in BROKEN.items():
            turns = tuple(breaks(turn) for turn in dialogue.turns)
            folder.append("dialogues", to_row(replace(dialogue, key=replace(dialogue.key, system=name), turns=turns)))
    by_program(Grading(suite, plan.rubric), folder)
    keep_suite(suite, folder.path)
    folder.close()
    return folder.path, bases


def means(run: tuple[Path, Path], system: str) -> dict[str, Any]:
    found: dict[str, Any] = Result.read(*run).figures["systems"][system]["metrics"]
    return {name: each["mean"] for name, each in found.items() if each}


def test_ideal_minds_get_the_best_of_every_grade(run: tuple[Path, Path]) -> None:
    assert set(means(run, "dual").values()) == {2.0}


@pytest.mark.slow
def test_who_comes_back_begins_a_new_conversation_at_the_same_desk(tmp_path: Path) -> None:
    """Each script is another person's."""
    home, bases = tmp_path / "home", command.Command(Settings(home=tmp_path), {}).bases
    suite = load(RETURN, bases)
    plan = Plan(suite, read_rubric(), named(["dual"]), (0,), suite.dialogues, Settings(home=home))
    with closing(RunFolder.open(home / "run", plan.config())) as folder:
        asyncio.run(perform(plan, folder, **ideal()))
        by_program(Grading(suite, plan.rubric), folder)
        keep_suite(suite, folder.path)
        dialogues = {d.key.script: d for d in played(folder).values()}
    asked = {script.id: [turn.later for turn in script.turns] for script in suite.dialogues}
    assert {script: [turn.later for turn in d.turns] for script, d in dialogues.items()} == asked
    assert "comes back later" in page(Result.read(folder.path, bases))
    with closing(Transcript(folder.path / "home" / "duet.sqlite")) as kept:
        conversations = Counter(str(row[0]) for row in kept._read(select(sessions.c.user)))
    assert sorted(conversations.values()) == sorted(1 + sum(later) for later in asked.values())


@pytest.mark.slow
@pytest.mark.parametrize("system", BROKEN)
def test_what_is_broken_is_seen(run: tuple[Path, Path], system: str) -> None:
    metric = BROKEN[system][1]
    assert means(run, system)[metric] <= means(run, "dual")[metric] - 0.5


def given(*arguments: str) -> dict[str, Any]:
    return vars(command_line.parser().parse_args(["evaluate", *arguments]))


@pytest.mark.slow
def test_the_report_is_made_again_with_an_exit_code(
    run: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Settings(home=run[0].parent)
    junit = tmp_path / "junit.xml"
    assert command.evaluate(home, "report", [str(run[0])], given("report", "x", "--junit", str(junit))) == 0
    assert junit.is_file() and (run[0] / "report.html").is_file()
    scripts = len([*EXAMPLE.glob("*.yaml")]) - 1
    assert json.loads((run[0] / "summary.json").read_text())["dialogues"] == scripts * (1 + len(BROKEN))
    assert command.evaluate(home, "report", [str(run[0])], given("report", "x", "--fail-under", "1.9")) == 1
    told = capsys.readouterr()
    assert "never-invokes" in told.err and "dual: " not in told.err


def test_two_runs_are_compared(run: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "both.html"
    assert (
        command.evaluate(Settings(home=run[0].parent), "diff", [str(run[0])] * 2, given("diff", "--out", str(out))) == 0
    )
    assert "Means of both runs" in out.read_text()


def test_init_check_and_what_they_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Settings(home=tmp_path)
    assert command.evaluate(home, "init", ["mine"], given("init", "mine", "--out", str(tmp_path))) == 0
    suite = tmp_path / "mine"
    assert command.evaluate(home, "check", [str(suite)], given("check", "x")) == 0
    (suite / "broken.yaml").write_text("id: broken\nturns: 3\n")
    assert command.evaluate(home, "check", [str(suite)], given("check", "x")) == 1
    assert "broken.yaml:1: " in capsys.readouterr().out


@pytest.mark.parametrize("what", [("report",), ("diff", "a"), ("pool", "a"), ("init", "a", "b"), ("folder", "more")])
def test_what_is_too_much_or_too_little_is_told(what: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(ChatFault):
        command.evaluate(Settings(home=tmp_path), what[0], what[1:], given(*what))


@pytest.mark.slow
def test_a_suite_is_played_graded_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = command.init("mine", tmp_path)
    (suite / "rubric.yaml").write_text((RUBRICS / "duma.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    head = (suite / "suite.yaml").read_text(encoding="utf-8")
    (suite / "suite.yaml").write_text(head.replace("rubric: duma", "rubric: rubric.yaml"), encoding="utf-8")
    monkeypatch.setattr(command, "perform", lambda *plan: perform(*plan, **ideal()))
    asked = given(str(suite), "--systems", "dual", "--out", str(tmp_path / "run"), "--fail-under", "1.9")
    for first in (True, False):
        assert command.evaluate(Settings(home=tmp_path / "home"), str(suite), (), asked) == 0
        told = capsys.readouterr()
        assert told.out.endswith(f"{tmp_path / 'run' / 'report.html'}\n") and "paper's six 2.00" in told.out
        assert ("The fast mind: about" in told.err) is first
    assert len((tmp_path / "run" / "dialogues.jsonl").read_text().splitlines()) == 2


def test_a_run_inside_its_suite_is_refused(tmp_path: Path) -> None:
    """Its copy of the suite would hold itself."""
    suite = command.init("mine", tmp_path)
    asked = given(str(suite), "--out", str(suite / "result"))
    with pytest.raises(ChatFault, match="lies in the suite's folder"):
        command.evaluate(Settings(home=tmp_path / "home"), str(suite), (), asked)
    assert not (suite / "result").exists()


def test_a_judge_that_there_is_not_is_told_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "perform", lambda *_: pytest.fail("it was played"))
    suite = command.init("mine", tmp_path)
    asked = given(str(suite), "--out", str(tmp_path / "run"), "--judge", "nosuch:model")
    with pytest.raises(ChatFault, match="nosuch"):
        command.evaluate(Settings(home=tmp_path / "home"), str(suite), (), asked)


def test_grades_by_people_of_another_rubric_are_not_promised(tmp_path: Path) -> None:
    suite = command.init("mine", tmp_path)
    (suite / "rubric.yaml").write_text((RUBRICS / "duma.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    head = (suite / "suite.yaml").read_text(encoding="utf-8")
    (suite / "suite.yaml").write_text(head.replace("rubric: duma", "rubric: rubric.yaml"), encoding="utf-8")
    asked = given(str(suite), "--out", str(tmp_path / "run"), "--judge", "openai:x", "--calibrate")
    with pytest.raises(ChatFault, match="by the rubric `duma` alone"):
        command.evaluate(Settings(home=tmp_path / "home"), str(suite), (), asked)


def test_grades_are_given_beside_the_page_or_where_one_says(
    run: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = list[int]()

    def serve(_: Path, __: Path, port: int) -> int:
        ports.append(port)
        return 0

    monkeypatch.setattr(command, "serve", serve)
    home = Settings(home=run[0].parent, port=8000)  # of the page: DUET_PORT
    for more in ((), ("--port", "7860")):
        assert command.evaluate(home, "grade", [str(run[0])], given("grade", "x", *more)) == 0
    assert ports == [7861, 7860]


def test_a_taken_port_is_told_before_grading_is_promised(
    run: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        with pytest.raises(ChatFault, match="choose another with --port"):
            command.evaluate(Settings(home=run[0].parent), "grade", [str(run[0])], given("grade", "x", "--port", taken))
    assert "Grade at" not in capsys.readouterr().out


def test_a_judge_that_comes_later_is_held_against_people_too(
    run: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held = list[bool]()

    @asynccontextmanager
    async def opened_model(_: Settings, __: str) -> AsyncIterator[None]:
        yield None

    async def calibrated(*_: Any, asking: bool) -> None:
        held.append(asking)

    monkeypatch.setattr(command, "opened_model", opened_model)
    monkeypatch.setattr(command, "calibrated", calibrated)
    copy, home = shutil.copytree(run[0], tmp_path / "run"), Settings(home=run[0].parent)
    with pytest.raises(ChatFault, match="--judge SPEC"):
        command.evaluate(home, "report", [str(copy)], given("report", "x", "--calibrate"))
    command.evaluate(home, "report", [str(copy)], given("report", "x", "--judge", "openai:x", "--calibrate"))
    assert held == [True] and "The judge on what people graded: about" in capsys.readouterr().err


@pytest.mark.slow
def test_a_judge_is_added_to_a_finished_run(
    run: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def grades(messages: Sequence[BaseMessage]) -> dict[str, Any]:
        said = str(messages[1].content).partition("1. Assistant: ")[2].partition("\n")[0]
        return {"quote": said, "reason": "It is kind.", "score": 2}

    @asynccontextmanager
    async def opened_model(_: Settings, spec: str) -> AsyncIterator[ScriptedModel | None]:
        if spec == "openai:mistyped":
            raise BadSpec("There is no such model.")
        answers: Any = [Refused("It does not accept the key.")] if spec == "openai:refused" else grades
        yield ScriptedModel(answers) if spec else None

    monkeypatch.setattr(command, "opened_model", opened_model)
    copy, home = shutil.copytree(run[0], tmp_path / "run"), Settings(home=run[0].parent)
    for unusable in ("mistyped", "refused"):
        with pytest.raises(ChatFault, match=r"no such model|the key"):
            command.evaluate(home, "report", [str(copy)], given("report", "x", "--judge", f"openai:{unusable}"))
    capsys.readouterr()
    for judge, left in (((), False), (("--judge", "openai:x"), True), (("--judge", "openai:x"), False)):
        assert command.evaluate(home, "report", [str(copy)], given("report", "x", *judge)) == 0
        told = capsys.readouterr()
        assert ("Not graded without a judge: Service Attitude" in told.out) is (not judge)
        many = len(played(RunFolder(copy, {})))
        assert (f"The judge: about {many} calls of openai:x" in told.err) is left, "before it is asked, what is left"
    judged = [grade for grade in graded(RunFolder(copy, {})) if grade.by == "judge"]
    assert len(judged) == len(played(RunFolder(copy, {}))) and {grade.score for grade in judged} == {2}
    assert Result.read(copy, run[1]).judge == "openai:x"
    with pytest.raises(ChatFault, match="its `judge` is"):
        command.evaluate(home, "report", [str(copy)], given("report", "x", "--judge", "openai:other"))


def test_a_run_graded_by_what_there_is_no_more_is_told(run: tuple[Path, Path], tmp_path: Path) -> None:
    config = json.loads((run[0] / "config.json").read_text())
    config["rubric"]["metrics"][0]["program"] = "timing"
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ChatFault, match="can no longer be read"):
        Result.read(tmp_path, run[1])


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="no folder of an evaluation"):
        command.evaluate(Settings(home=tmp_path), "report", [str(tmp_path)], given("report", "x"))
