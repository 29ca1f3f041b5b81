"""`bench grounding`: anybody's data are counted fairly, and bad lines are named."""

from __future__ import annotations

import json
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Played, figures, play_all, play_turns
from chat.bench.ground import Situation, StandIns
from chat.bench.grounding import read, run
from chat.faults import ChatFault
from chat.settings import read_settings
from tools.worlds.world import WorldSpec

LINE = {
    "world": "alfworld",
    "observation": "",
    "admissible": ["take mug 1 from desk 1", "take mug 2 from desk 1", "look"],
}


def bench(folder: Path, *lines: object) -> dict[str, object]:
    file = folder / "data.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    settings = read_settings({"home": folder, "fast_model": "embedded:1.5b", "slow_model": "embedded:1.5b"})
    return run(Ask(replace(settings, models=read_settings().models_dir), data=file))


def test_a_stand_in_stays_in_its_situation() -> None:
    world = StandIns("alfworld", [Situation("Here.", ("take mug 1 from desk 1",), ("look",))]).open(
        WorldSpec("alfworld", "0")
    )
    assert world.reset().text != "Here." and world.admissible() == ("look",)
    assert world.step("look").text == "Here." and world.admissible() == ("take mug 1 from desk 1",)


def test_what_was_played_is_kept_and_counted(tmp_path: Path) -> None:
    async def play(_: None, number: int, right: bool) -> Played:
        return Played(number, "x", "alfworld", right, (), (), "", 1.0 + number, 1, 100)

    async def broken(_: None, number: int, right: bool) -> Played:
        raise AssertionError("what was played is not played again")

    cases = dict(enumerate((True, True, False)))
    for turn in (play, broken):
        with closing(Ask(read_settings({"home": tmp_path}), out=tmp_path / "run").folder("grounding")) as folder:
            told = figures(play_all(folder, "grounding", cases, nullcontext(), turn, Played))
    assert (told["cases"], told["right"], told["seconds_p50"]) == (3, 2, 2.0)
    assert told["ci95"] == pytest.approx((0.208, 0.939), abs=0.001)


def test_rows_of_other_data_are_not_taken_for_these(tmp_path: Path) -> None:
    async def play(duet: Duet, number: int, says: str) -> Played:
        return Played(number, says, "alfworld", True, (), (), "", 1.0, 1, 100)

    for says in ("one", "other"):
        (tmp_path / says).write_text(says, encoding="utf-8")
    ask = Ask(read_settings({"home": tmp_path}), out=tmp_path / "run", data=tmp_path / "one")
    for _ in range(2):
        played = play_turns(ask, "grounding", ["one"], nullcontext(cast("Duet", None)), play)
        assert [row.says for row in played] == ["one"]
    with pytest.raises(ChatFault, match="another run: its `data`"):
        play_turns(replace(ask, data=tmp_path / "other"), "grounding", ["other"], nullcontext(cast("Duet", None)), play)


@pytest.mark.real
def test_a_whole_turn_acts_in_the_world(tmp_path: Path) -> None:
    """With the embedded model: from words to the action."""
    right = {**LINE, "says": "take the second mug", "expect": ["take mug 2 from desk 1"]}
    told = bench(tmp_path, {**right, "observation": "On the desk 1, you see a mug 1, and a mug 2."})
    assert told["right"] == 1


@pytest.mark.parametrize(
    ("line", "word"),
    [("{", "JSON"), ("[]", "object"), ({"says": "x"}, "world"), ({**LINE, "says": "x", "expect": "look"}, "expect")],
)
def test_a_bad_line_is_named(tmp_path: Path, line: object, word: str) -> None:
    with pytest.raises(ChatFault, match=r"Line 2 .*data\.jsonl") as told:
        bench(tmp_path, {**LINE, "says": "look", "expect": ["look"]} if line != {"says": "x"} else "", line)
    assert word in str(told.value)


def test_the_example_of_a_case_is_one(tmp_path: Path) -> None:
    with pytest.raises(ChatFault) as told:
        run(Ask(read_settings({"home": tmp_path})))
    file = tmp_path / "data.jsonl"
    file.write_text(str(told.value).partition("such as ")[2].removesuffix("."), encoding="utf-8")
    assert read(file)[0].says


def test_no_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="no case"):
        bench(tmp_path, "")
    with pytest.raises(ChatFault, match="cannot be read"):
        run(Ask(read_settings({"home": tmp_path}), data=tmp_path / "none.jsonl"))


def test_a_benchmark_without_its_weights_says_so_and_counts_nothing(tmp_path: Path) -> None:
    settings = read_settings({"home": tmp_path, "fast_model": "embedded:1.5b", "slow_model": "embedded:1.5b"})
    file = tmp_path / "data.jsonl"
    file.write_text(json.dumps({**LINE, "says": "take the mug", "expect": []}), encoding="utf-8")
    with pytest.raises(ChatFault, match=r"1\.5B is not here yet"):
        run(Ask(replace(settings, models=tmp_path / "none"), data=file, out=tmp_path / "out"))
