"""A run's folder: goes on where it was, refuses another run's, loses no row and keeps no half of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat.evaluation.folder import RunFolder, progress, provenance
from chat.evaluation.record import graded, played
from chat.faults import ChatFault

CONFIG: dict[str, Any] = {"split": "test", "seeds": (0, 1), "about": {"commit": "a"}}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    opened = RunFolder.open(tmp_path / "run", CONFIG)
    yield opened
    opened.close()


def again(folder: RunFolder, **changes: object) -> RunFolder:
    folder.close()
    return RunFolder.open(folder.path, {**CONFIG, **changes})


def test_a_run_goes_on_with_what_it_has(folder: RunFolder) -> None:
    folder.append("episodes", {"id": "a", "said": "größer\nzwei"})
    folder.append("episodes", {"id": "b"})
    on = again(folder, about={"commit": "b"})
    assert on.finished("episodes") == {"a", "b"}
    assert next(on.rows("episodes"))["said"] == "größer\nzwei"
    assert on.config["about"] == {"commit": "a"}, "the first start's"
    assert [row["about"]["commit"] for row in on.rows("starts")] == ["a", "b"]
    on.close()


def test_another_config_is_refused_by_the_key_that_differs(folder: RunFolder) -> None:
    with pytest.raises(ChatFault, match=r"its `split` is \"test\", now it would be \"dev\""):
        again(folder, split="dev")
    with pytest.raises(ChatFault, match="`limit` is null"):
        again(folder, limit=3)
    again(folder).close()


def test_a_line_torn_by_a_kill_is_cut_off(folder: RunFolder) -> None:
    folder.append("steps", {"id": "a"})
    with (folder.path / "steps.jsonl").open("a") as file:
        file.write('{"id": "b", "act')
    assert folder.finished("steps") == {"a"}, "left out even before it is mended"
    on = again(folder)
    on.append("steps", {"id": "c"})
    assert [row["id"] for row in on.rows("steps")] == ["a", "c"]
    on.close()


def test_a_file_of_one_torn_line_is_empty(folder: RunFolder) -> None:
    (folder.path / "steps.jsonl").write_text('{"id"')
    on = again(folder)
    assert list(on.rows("steps")) == []
    assert (folder.path / "steps.jsonl").read_bytes() == b""
    on.close()


@pytest.mark.parametrize("line", ["nonsense", "3", "null", '{"ke'])
def test_a_broken_line_in_the_middle_is_told(folder: RunFolder, line: str) -> None:
    (folder.path / "steps.jsonl").write_text(f'{{"id": 1}}\n{line}\n{{"id": 2}}\n')
    with pytest.raises(ChatFault, match="Line 2 of"):
        list(folder.rows("steps"))


@pytest.mark.parametrize(
    "line", ["{}", '{"key": 1, "turns": []}', '{"key": "one", "turns": []}', '{"key": "a|b|0", "turns": 3}']
)
def test_a_row_of_something_else_is_told(folder: RunFolder, line: str) -> None:
    for name, read in (("dialogues", played), ("grades", graded)):
        (folder.path / f"{name}.jsonl").write_text(f"{line}\n")
        with pytest.raises(ChatFault, match="Line 1 of"):
            read(folder)


def test_two_runs_do_not_share_a_folder(folder: RunFolder) -> None:
    with pytest.raises(ChatFault, match="Another run is writing"):
        RunFolder.open(folder.path, CONFIG)


def test_a_place_that_is_no_folder_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ChatFault, match="cannot be used"):
        RunFolder.open(tmp_path / "file", CONFIG)


def test_the_summary_is_replaced(folder: RunFolder) -> None:
    folder.summary({"final": 1.0})
    folder.summary({"final": 2.0})
    assert json.loads((folder.path / "summary.json").read_text()) == {"final": 2.0}
    assert not list(folder.path.glob("*.new"))


def test_what_figures_were_made_with_names_versions_only() -> None:
    about = provenance("pytest", "no-such-package-at-all")
    assert set(about) == {"python", "packages", "commit"}
    assert about["packages"] == {"pytest": pytest.__version__}


def test_progress_tells_how_far_it_is_and_what_was_last(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(4, done=1) as advance:
        for score in (90, 95, 100):
            advance(f"boil: {score}")
    told = capsys.readouterr().err
    assert "1/4" in told and "4/4" in told and "boil: 100" in told
