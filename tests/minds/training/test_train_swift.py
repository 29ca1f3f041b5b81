"""One command trains both worlds' Swift."""

from __future__ import annotations

from pathlib import Path

import pytest

from minds.training import run_training
from minds.training.swift.collect import wanted
from minds.training.swift_alfworld import command
from tools.worlds import simulator


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DUET_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("world", ["scienceworld", "alfworld"])
def test_without_demonstrations_it_says_how_to_make_them(
    world: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_training("swift", ["--world", world]) == 1
    assert f"python main.py train swift --world {world} --collect" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "own", "other"),
    [
        (["--help"], "--leave-out", "--games"),
        (["--world", "alfworld", "--help"], "--games", "--leave-out"),
        (["--help", "--world=alfworld"], "--games", "--leave-out"),
    ],
)
def test_help_shows_the_options_of_the_world(
    arguments: list[str], own: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_training("swift", arguments)
    said = capsys.readouterr().out
    assert ended.value.code == 0 and own in said and other not in said and "main.py train swift" in said


def test_alfworld_gets_the_options_that_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[list[str]] = []

    monkeypatch.setattr(command, "main", got.append)
    assert run_training("swift", ["--collect", "--world", "alfworld", "--games", "30", "--seed", "3"]) == 0
    assert got == [["--collect", "--games", "30", "--seed", "3"]]


def test_an_unknown_world_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_training("swift", ["--world", "narnia"])
    assert "alfworld" in capsys.readouterr().err


def test_types_that_are_left_out_are_not_collected() -> None:
    science = simulator("scienceworld")
    both = {task for task, *_ in wanted(science, 1)}
    assert {task for task, *_ in wanted(science, 1, ["melt", "boil"])} == both - {"melt", "boil"} != both
