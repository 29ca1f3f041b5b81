"""Runs: nothing is played twice, nothing is lost, what fails is tried again; and the files made of a run."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.conversation import Conversation
from chat.evaluation import run as runs
from chat.evaluation.command import EXAMPLE, Command
from chat.evaluation.folder import RunFolder
from chat.evaluation.play import Starved
from chat.evaluation.record import DIALOGUES, Key, Played, played, to_row
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import Plan, perform, scripts_of
from chat.evaluation.scripts import Script
from chat.evaluation.suite_reader import load
from chat.evaluation.systems import named
from chat.evaluation.turns import Expect
from chat.faults import ChatFault
from chat.settings import Settings
from minds.models.language import Garbled, ModelFault, OutOfQuota, Refused, TooLong, Unreachable
from tests.chat.evaluation.ideal import ideal
from tests.chat.evaluation.made import call, exchange, script, suite
from tests.chat.evaluation.made import played as dialogue

ROOT = Path(__file__).parents[3]


def plan(*scripts: Script, systems: tuple[str, ...] = ("dual", "react"), **more: Any) -> Plan:
    return Plan(suite(*scripts), read_rubric("duma"), named(systems), (0,), scripts, Settings(), **more)


class Stage:
    """Stands in for a theatre: says what it was asked to play, and fails where it is told to."""

    def __init__(self, fails: tuple[str, ...] = ()) -> None:
        self.played: list[str] = []
        self.fails, self.void = list(fails), False

    async def play(self, script: Script, system: Any, seed: int) -> Played:
        key = Key(script.id, system.name, seed)
        self.played.append(str(key))
        await asyncio.sleep(0)
        if str(key) in self.fails:
            self.fails.remove(str(key))
            return Played(key, (), fault="broke", void=self.void)
        return Played(key, (exchange(1, "hello"),))


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()

    class Opened:
        async def __aenter__(self) -> Stage:
            return made

        async def __aexit__(self, *_: object) -> None: ...

    monkeypatch.setattr(runs, "opened", lambda *_: Opened())
    return made


async def test_what_is_finished_is_not_played_again(tmp_path: Path, stage: Stage) -> None:
    asked = plan(script(Expect(), name="a"), script(Expect(), name="b"))
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    assert stage.played == ["a|dual|0", "a|react|0", "b|dual|0", "b|react|0"]
    folder.close()
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    folder.close()
    assert len(stage.played) == 4 and len(played(folder)) == 4


async def test_a_torn_row_is_played_again_and_only_that(tmp_path: Path, stage: Stage) -> None:
    asked = plan(script(Expect(), name="a"), script(Expect(), name="b"))
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    folder.close()
    file = tmp_path / "run" / f"{DIALOGUES}.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    stage.played.clear()
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    folder.close()
    assert stage.played == ["b|react|0"] and len(played(folder)) == 4


async def test_what_fails_is_tried_again_at_once_and_at_the_next_start(tmp_path: Path, stage: Stage) -> None:
    asked = plan(script(Expect(), name="a"), systems=("dual",))
    stage.fails = ["a|dual|0"]
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    assert len(stage.played) == 2 and not played(folder)["a|dual|0"].fault
    stage.fails = ["b|dual|0"] * 3
    more = replace(asked, scripts=(script(Expect(), name="b"),))
    await perform(more, folder)
    assert played(folder)["b|dual|0"].fault == "broke"
    await perform(more, folder)
    assert not played(folder)["b|dual|0"].fault
    folder.close()


async def test_dialogues_that_never_hear_a_model_end_the_start(tmp_path: Path, stage: Stage) -> None:
    asked = plan(*(script(Expect(), name=f"s{n}") for n in range(7)), jobs=2)
    stage.fails, stage.void = [str(key) for key in asked.wanted() for _ in range(2)], True
    folder = RunFolder.open(tmp_path / "run", asked.config())
    with pytest.raises(Starved, match="broke"):
        await perform(asked, folder)
    assert 3 <= len(played(folder)) <= 4
    stage.fails = []
    await perform(asked, folder)
    folder.close()
    assert len(played(folder)) == 14 and not any(one.fault for one in played(folder).values())


def test_a_judge_may_be_named_once_all_is_played_and_then_stays(tmp_path: Path) -> None:
    asked = plan(script(Expect(), name="a"))
    judged, other = (replace(asked, judge=spec).config() for spec in ("openai:one", "openai:other"))
    out = Command(Settings(home=tmp_path), {}).out
    RunFolder.open(out(asked.config()), asked.config()).close()
    assert out(judged) == out(asked.config()), "what was played is not played again"
    for one in (other, judged, other, judged):
        with closing(RunFolder.open(out(one), one, later=runs.LATER)) as folder:
            assert folder.config["judge"] == one["judge"], "nothing stays of a judge that did not grade"
    folder.settle()
    assert json.loads((out(judged) / "config.json").read_text())["judge"] == "openai:one"
    assert out(other) != out(judged) == out(asked.config())
    with pytest.raises(ChatFault, match="judge"):
        RunFolder.open(out(judged), other, later=runs.LATER)
    with closing(RunFolder.open(out(judged), asked.config(), later=runs.LATER)) as folder:
        assert folder.config["judge"] == "openai:one", "the command that made the run goes on with it"


def test_a_judge_named_at_once_stays_only_once_it_graded(tmp_path: Path) -> None:
    asked = plan(script(Expect(), name="a"))
    judged, other = (replace(asked, judge=spec).config() for spec in ("openai:one", "openai:other"))
    out = Command(Settings(home=tmp_path), {}).out
    RunFolder.open(out(judged), judged, later=runs.LATER).close()
    assert out(other) == out(judged), "what was played is not played again"
    RunFolder.open(out(other), other, later=runs.LATER).close()


def test_a_broken_config_is_told_in_one_sentence(tmp_path: Path) -> None:
    config, out = plan(script(Expect(), name="a")).config(), Command(Settings(home=tmp_path), {}).out
    folder = out(config)
    RunFolder.open(folder, config).close()
    for broken in ("{", "[1]", "3"):
        (folder / "config.json").write_text(broken)
        with pytest.raises(ChatFault, match="cannot be read"):
            out({**config, "judge": "openai:one"})
        with pytest.raises(ChatFault, match="cannot be read"):
            RunFolder.open(folder, config)


async def test_where_nothing_is_left_to_play_silent_models_keep_no_report_back(tmp_path: Path, stage: Stage) -> None:
    asked = plan(*(script(Expect(), name=f"s{n}") for n in range(3)), systems=("dual",))
    stage.fails, stage.void = [str(key) for key in asked.wanted() for _ in range(2)], True
    with closing(RunFolder.open(tmp_path / "run", asked.config())) as folder:
        await perform(asked, folder)
        assert [one.void for one in played(folder).values()] == [True] * 3


async def test_several_at_once_play_each_once(tmp_path: Path, stage: Stage) -> None:
    asked = plan(*(script(Expect(), name=f"s{n}") for n in range(7)), jobs=3)
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder)
    folder.close()
    assert sorted(stage.played) == sorted(set(stage.played)) and len(stage.played) == 14


def test_a_seed_that_is_named_twice_is_played_once() -> None:
    """Its second play would take the place of the first."""
    assert [key.seed for key in plan(script(Expect()), systems=("dual",)).wanted()] == [0]
    assert [key.seed for key in replace(plan(script(Expect()), systems=("dual",)), seeds=(1, 2, 1)).wanted()] == [1, 2]


async def test_a_folder_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path, stage: Stage) -> None:
    asked = plan(*(script(Expect(), name=f"s{n}") for n in range(3)), jobs=2)
    folder = RunFolder.open(tmp_path / "run", asked.config())
    (folder.path / f"{DIALOGUES}.jsonl").mkdir()
    with pytest.raises(ChatFault, match="cannot be written"):
        await perform(asked, folder)
    folder.close()


def test_another_config_is_refused(tmp_path: Path) -> None:
    asked = plan(script(Expect(), name="a"))
    RunFolder.open(tmp_path / "run", asked.config()).close()
    with pytest.raises(ChatFault, match="systems"):
        RunFolder.open(tmp_path / "run", replace(asked, systems=named(["dual"])).config())
    with pytest.raises(ChatFault, match="`suite_sha256` differs: a file was changed; name"):
        RunFolder.open(tmp_path / "run", {**asked.config(), "suite_sha256": "x"})


@pytest.mark.parametrize("other", [{"without": "gate"}, {"instructions": "Be brief."}, {"length": 40}])
def test_an_ablated_run_is_another_one(tmp_path: Path, other: dict[str, Any]) -> None:
    asked = plan(script(Expect(), name="a"))
    ablated = replace(asked, settings=replace(asked.settings, **other)).config()
    RunFolder.open(tmp_path / "run", asked.config()).close()
    with pytest.raises(ChatFault, match=next(iter(other))):
        RunFolder.open(tmp_path / "run", ablated)
    out = Command(Settings(home=tmp_path), {}).out
    assert out(asked.config()) != out(ablated)


def test_a_run_of_before_these_settings_were_told_goes_on(tmp_path: Path) -> None:
    config, out = plan(script(Expect(), name="a")).config(), Command(Settings(home=tmp_path), {}).out
    assert not {*config} & {*runs.SAID}, "the same command has the folder that it had"
    for told in ({**config, "length": 0, "without": ""}, config):
        RunFolder.open(tmp_path / "run", told).close()
    RunFolder.open(out(config), config).close()


def test_rows_read_back_as_they_were(tmp_path: Path) -> None:
    turns = (exchange(1, "x", calls=(call("search", "a", facts={"B-001.price": 1}, changes=({"kind": "k"},)),)),)
    whole, folder = dialogue(*turns, seconds=1.5), RunFolder(tmp_path, {})
    folder.append(DIALOGUES, to_row(whole))
    assert played(folder) == {"one|dual|0": whole}
    assert Key.read("a|dual+memory|3") == Key("a", "dual+memory", 3)


def test_a_limit_takes_from_every_intent() -> None:
    intents = ("search", "search", "loan", "loan", "price")
    made = suite(*(replace(script(Expect(), name=f"s{n}"), intent=i, core=n > 2) for n, i in enumerate(intents)))
    assert [s.id for s in scripts_of(made, core=False, limit=3)] == ["s0", "s2", "s4"]
    assert [s.id for s in scripts_of(made, core=True, limit=None)] == ["s3", "s4"]
    for none in (0, -1):
        with pytest.raises(ChatFault, match="raise --limit"):
            scripts_of(made, core=False, limit=none)


def test_systems_of_the_core_alone() -> None:
    core = replace(script(Expect(), name="c"), core=True)
    asked = plan(script(Expect(), name="a"), core, systems=("dual", "react:core"))
    assert [str(key) for key in asked.wanted()] == ["c|dual|0", "c|react|0", "a|dual|0"]


def test_it_says_at_once_what_could_never_come_of_it(tmp_path: Path) -> None:
    for given, said in (({"calibrate": True}, "--judge SPEC"), ({"limit": -1}, "--limit must be at least 1")):
        with pytest.raises(ChatFault, match=said):
            Command(Settings(home=tmp_path), given).run(str(EXAMPLE))
    assert not list(tmp_path.rglob(f"{DIALOGUES}.jsonl"))


@pytest.mark.parametrize(
    ("fault", "void"),
    [
        (Unreachable("It was silent for 60 seconds; try again."), True),
        (Refused("The model server does not accept the key."), True),
        (OutOfQuota("The account has no credit left."), True),
        (TooLong("What was said is too long for the model."), False),
        (Garbled("The slow model did not write a step that can be read."), False),
    ],
)
async def test_a_model_that_cannot_be_asked_voids_the_dialogue_a_bad_answer_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: ModelFault, void: bool
) -> None:
    async def fails(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(Conversation, "answer", fails)
    example = load(EXAMPLE, tmp_path / "bases")
    asked = Plan(example, read_rubric(), named(["dual"]), (0,), example.dialogues[:1], Settings(home=tmp_path))
    folder = RunFolder.open(tmp_path / "run", asked.config())
    await perform(asked, folder, **ideal())
    (row,) = played(folder).values()
    folder.close()
    assert (str(fault) == row.fault) == void == row.void and bool(row.turns) != void


def test_systems_by_name() -> None:
    with pytest.raises(ChatFault, match="dual"):
        named(["both"])


PROGRAM = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from chat.evaluation.folder import RunFolder
from tests.chat.evaluation import test_run as t
made = t.Stage()
made.slow = True
class Opened:
    async def __aenter__(self): return made
    async def __aexit__(self, *_): ...
t.runs.opened = lambda *_: Opened()
real = made.play
async def slowly(*given):
    await asyncio.sleep(0.02)
    return await real(*given)
made.play = slowly
asked = t.plan(*(t.script(t.Expect(), name=f"s{{n}}") for n in range(40)), systems=("dual",))
folder = RunFolder.open(Path({run!r}), asked.config())
asyncio.run(t.perform(asked, folder))
"""


@pytest.mark.real
def test_kill_9_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    program = textwrap.dedent(PROGRAM).format(root=str(ROOT), run=str(tmp_path / "run"))
    file = tmp_path / "run" / f"{DIALOGUES}.jsonl"
    for _ in range(3):
        before = file.read_bytes().count(b"\n") if file.exists() else 0
        process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if file.exists() and file.read_bytes().count(b"\n") >= before + 5:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            time.sleep(0.01)
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
    keys = [json.loads(line)["key"] for line in file.read_text().splitlines()]
    assert len(keys) == len(set(keys)) == 40
