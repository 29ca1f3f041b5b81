"""Games on disk and by name, without starting an engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tools.worlds.game_files import write
from tools.worlds import alfworld as games
from tools.worlds.alfworld import AlfWorlds, load
from tools.worlds.alfworld_engine import UNKNOWN, Game
from tools.worlds.household import KINDS, game
from tools.worlds.world import UnknownTask, WorldFault, WorldSpec

FOLDER = "pick_two_obj_and_place-Newspaper-None-Drawer-224"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set of one split with two games of ours."""
    for trial in ("trial_1", "trial_2"):
        folder = tmp_path / "json_2.1.1" / "valid_seen" / FOLDER / trial
        folder.mkdir(parents=True)
        write(game("pick_two_obj_and_place", 1, "Newspaper", "Drawer"), folder / "game.tw-pddl")
        told = {"turk_annotations": {"anns": [{"task_desc": " Put the papers away. "}, {"task_desc": "Tidy up."}]}}
        (folder / "traj_data.json").write_text(json.dumps(told))
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    return tmp_path


def test_a_written_game_is_read_back(tmp_path: Path) -> None:
    made = game("look_at_obj_in_light", 5)
    write(made, tmp_path / "game.tw-pddl")
    assert games.read(tmp_path / "game.tw-pddl") == made
    assert made.goal not in made.grammar
    assert f"Your task is to: {UNKNOWN}" in made.grammar
    assert (
        load(WorldSpec("alfworld", str(tmp_path)))
        == made
        == load(WorldSpec("alfworld", str(tmp_path / "game.tw-pddl")))
    )


def test_the_data_set_is_found_by_name(data: Path) -> None:
    first, second = AlfWorlds().variations("pick_two_obj_and_place", "valid_seen")
    assert first == WorldSpec("alfworld", f"valid_seen/{FOLDER}/trial_1")
    assert games.parts(second) == ("pick_two_obj_and_place", "Newspaper", "Drawer")
    assert load(first).goal in ("put two newspaper in drawer", "find two newspaper and put them in drawer")
    assert AlfWorlds().variations("pick_and_place_simple", "valid_seen") == ()
    assert games.splits() == ("valid_seen",)


def test_people_s_words_come_with_their_games(data: Path) -> None:
    trials = [WorldSpec("alfworld", f"valid_seen/{FOLDER}/trial_{number}") for number in (1, 2)]
    words = ("Put the papers away.", "Tidy up.")
    assert [*games.descriptions("valid_seen")] == [(trial, said) for trial in trials for said in words]


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ("valid_seen/pick_two_obj_and_place-Newspaper-None-Drawer-22/trial_1", FOLDER),
        ("train/x/y", "There is no split 'train' here; there are valid_seen"),
        ("pick_heat", "pick_heat_then_place_in_recep"),
        ("household/pick_heat", "pick_heat_then_place_in_recep"),
        ("household/pick_heat_then_place_in_recep/Mug/Desk/Room", "household/TASK_TYPE/OBJECT/PLACE"),
    ],
)
def test_an_unknown_task_is_answered_with_the_nearest(data: Path, task: str, says: str) -> None:
    with pytest.raises(UnknownTask) as told:
        load(WorldSpec("alfworld", task))
    assert says in str(told.value)


def test_without_a_data_set_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for value in ("", str(tmp_path), str(tmp_path / "nowhere")):
        monkeypatch.setenv("ALFWORLD_DATA", value)
        with pytest.raises(UnknownTask, match=r"ALFWORLD_DATA names no folder.*household"):
            AlfWorlds().variations("pick_and_place_simple", "valid_seen")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "no json", '{"pddl_domain": "x"}', "null"])
def test_a_broken_game_file_is_told_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.tw-pddl"
    path.write_text(text)
    with pytest.raises(WorldFault, match="is no ALFWorld game"):
        load(WorldSpec("alfworld", str(path)))
    with pytest.raises(WorldFault, match="cannot be opened"):
        load(WorldSpec("alfworld", str(tmp_path / "none.tw-pddl")))


def test_older_walkthroughs_are_put_in_the_commands_of_today(tmp_path: Path) -> None:
    path = tmp_path / "game.tw-pddl"
    grammar = '"rhs": "Your task is to: put a mug in desk."'
    held = {
        "pddl_domain": "d",
        "grammar": grammar,
        "pddl_problem": "p",
        "walkthrough": ["put mug 1 in/on desk 1", "look"],
    }
    path.write_text(json.dumps(held))
    read = games.read(path)
    assert read == Game("d", grammar.replace("put a mug in desk", UNKNOWN), "p", "put a mug in desk", read.walkthrough)
    assert read.walkthrough == ("move mug 1 to desk 1", "look")


def test_tasks_and_seeds_are_listed_without_an_engine() -> None:
    worlds = AlfWorlds()
    assert [task.name for task in worlds.tasks()] == list(KINDS)
    seeds = worlds.variations("pick_heat_then_place_in_recep", "household")
    assert seeds[7] == WorldSpec("alfworld", "household/pick_heat_then_place_in_recep", 7)
    assert seeds[2:9][1].variation == 3
    assert len(seeds) >= 1000
    with pytest.raises(UnknownTask, match="nearest"):
        worlds.variations("pick_hot", "household")
