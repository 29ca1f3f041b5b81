"""ALFWorld's and TextWorld's real engines: the package's own environment says the same, and games can be won."""

from __future__ import annotations

import gc
import json
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from minds.training.swift_alfworld.collect import layout
from tests.tools.worlds.game_files import write
from tools.worlds import alfworld as games
from tools.worlds import alfworld_package as package
from tools.worlds.alfworld import MIDDLE, NOTHING, AlfWorld, AlfWorlds
from tools.worlds.household import KINDS, game
from tools.worlds.textworld import TextWorlds
from tools.worlds.world import Observation, Scene, WorldFault, WorldSpec

pytestmark = pytest.mark.real
HEAT = "household/pick_heat_then_place_in_recep"


@pytest.fixture
def worlds() -> Iterator[AlfWorlds]:
    made = AlfWorlds()
    yield made
    made.close()


def test_the_texts_and_commands_are_those_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))  # the package makes a folder in the home else
    path = tmp_path / "game.tw-pddl"
    write(game("pick_clean_then_place_in_recep", 4), path)
    ours, rng = AlfWorld(WorldSpec("alfworld", str(path)), games.read(path)), random.Random(1)
    theirs = bare(path)
    state, seen = theirs.reset(), ours.reset()
    assert seen == Observation(state.feedback, 0.0, False, False)
    walk = [rng.choice(ours.admissible()), "dance", "", *ours.gold()]
    for number in range(4):
        walk.insert(3 + number, "")
    for command in walk:
        command = command or rng.choice(ours.admissible())
        state, _, done = theirs.step(command)
        seen = ours.step(command)
        assert (seen.text, ours.admissible()) == (state.feedback, tuple(state.admissible_commands)), command
        assert (seen.won, seen.done) == (state.won, done)
    theirs.close()
    ours.close()


def bare(path: Path) -> Any:
    """The package's own environment, with its own names for things."""
    line = sys.argv
    named = import_module("alfworld.agents.environment.alfred_tw_env").AlfredDemangler
    infos = import_module("textworld.core").EnvInfos(won=True, admissible_commands=True)
    made = named(import_module("textworld.envs.pddl").PddlEnv(infos))
    made.load(json.loads(path.read_text()))  # by its name it would leave the file open
    sys.argv = line
    return made


@pytest.mark.parametrize("task_type", KINDS)
def test_generated_games_are_won_by_their_walkthrough_and_by_nothing_less(worlds: AlfWorlds, task_type: str) -> None:
    for seed in range(5):
        world = worlds.open(WorldSpec("alfworld", f"household/{task_type}", seed))
        opening = world.reset()
        assert f"Your task is to: {world.goal}." in opening.text
        assert not opening.won
        seen = [world.step(step) for step in world.gold()]
        assert [(o.score, o.won, o.done) for o in seen[:-1]] == [(0.0, False, False)] * (len(seen) - 1)
        assert (seen[-1].score, seen[-1].won, seen[-1].done) == (100.0, True, True)
        if not seed:
            assert world.reset() == opening
            assert [world.step(step) for step in world.gold()] == seen
        world.close()


def test_trainings_count_what_lies_where_as_the_engine_has_it(worlds: AlfWorlds) -> None:
    spec = WorldSpec("alfworld", HEAT, 4)
    with closing(worlds.open(spec)) as world:
        facts = set(world._running().facts())
        _, inside, places = layout(spec)
        assert {("inreceptacle", *pair) for pair in inside} == {fact for fact in facts if fact[0] == "inreceptacle"}
        assert sorted(places) == sorted(world._running().places)


def test_looking_costs_no_step_and_the_scene_is_what_is_at_hand(worlds: AlfWorlds) -> None:
    world = worlds.open(WorldSpec("alfworld", f"{HEAT}/Mug/Shelf", 3))
    opening = world.reset()
    assert world.look() in opening.text and "fridge 1" in world.look()
    assert (world.scene().place, world.scene().things, world.scene().holding) == (MIDDLE, (), ())
    assert world.inventory() == "You are not carrying anything."
    go, *_ = world.gold()
    assert world.step("sing").text == NOTHING
    assert world.scene().place == MIDDLE
    take = next(step for step in world.gold() if step.startswith("take"))
    for step in world.gold()[: world.gold().index(take)]:
        world.step(step)
    mug, place = take.removeprefix("take ").split(" from ")
    assert world.scene().place == place == go.removeprefix("go to ")
    assert mug in world.scene().things
    world.step(take)
    assert world.inventory() == f"You are carrying: a {mug}."
    scene = world.scene()
    assert scene == Scene(place, scene.things, scene.exits, (mug,))
    assert mug not in scene.things
    assert {exit_.split()[0] for exit_ in scene.exits} >= {"fridge", "microwave", "sinkbasin"}
    assert world.steps == len(world.gold()[: world.gold().index(take)]) + 2


def test_a_closed_receptacle_shows_nothing_until_it_is_opened(worlds: AlfWorlds) -> None:
    world = worlds.open(WorldSpec("alfworld", HEAT, 5))
    world.reset()
    world.step("go to fridge 1")
    assert world.scene().things == ()
    opened = world.step("open fridge 1").text
    assert all(thing in opened for thing in world.scene().things)
    assert world.scene().place == "fridge 1"


def test_loading_leaves_the_process_as_it_was_and_libraries_are_lent(worlds: AlfWorlds) -> None:
    line, out = list(sys.argv), sys.stdout
    before = len(package._LIBRARIES)
    for seed in range(3):
        world = worlds.open(WorldSpec("alfworld", HEAT, seed))
        world.close()
        world.close()
        with pytest.raises(WorldFault, match="closed"):
            world.step("look")
    assert (sys.argv, sys.stdout) == (line, out)
    assert len(package._LIBRARIES) == max(1, before)


def test_closed_games_leave_nothing_in_memory(worlds: AlfWorlds) -> None:
    def held(seed: int) -> int:
        world = worlds.open(WorldSpec("alfworld", HEAT, seed))
        world.reset()
        world.close()
        del world
        gc.collect()
        return len(gc.get_objects())

    held(0)
    before = held(1)
    assert held(2) <= before + 50


def test_worlds_in_threads_see_their_own_room(worlds: AlfWorlds) -> None:
    alone: dict[int, list[str]] = {}
    together: dict[int, list[str]] = {}

    def play(seed: int, told: dict[int, list[str]]) -> None:
        world = worlds.open(WorldSpec("alfworld", "household/pick_and_place_simple", seed))
        told[seed] = [world.reset().text, *(world.step(step).text for step in world.gold())]

    for seed in range(3):
        play(seed, alone)
    threads = [threading.Thread(target=play, args=(seed, together)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_game_that_cannot_be_translated_is_one_sentence_and_the_next_one_works(
    worlds: AlfWorlds, tmp_path: Path
) -> None:
    good = game("pick_and_place_simple", 0)
    for number, problem in enumerate(
        (good.problem[: len(good.problem) // 2], good.problem.replace("agent1", "", 1), "()")
    ):
        path = tmp_path / f"{number}.tw-pddl"
        write(type(good)(good.domain, good.grammar, problem, good.goal), path)
        with pytest.raises(WorldFault) as told:
            worlds.open(WorldSpec("alfworld", str(path)))
        assert "cannot be read" in str(told.value)
        assert "\n" not in str(told.value)
    world = worlds.open(WorldSpec("alfworld", "pick_and_place_simple"))
    assert good.goal in world.reset().text
    assert world.step("x" * 10_000).text == NOTHING


def test_official_games_are_won_by_their_walkthrough(worlds: AlfWorlds) -> None:
    if "valid_seen" not in games.splits():
        pytest.skip("ALFWORLD_DATA names no data set")
    for spec in games.specs("valid_seen")[::35]:
        world = worlds.open(spec)
        world.reset()
        assert [world.step(step).won for step in world.gold()][-1], spec
        world.close()


def test_a_textworld_game_is_played_from_its_file(tmp_path: Path) -> None:
    textworld = import_module("textworld")
    options = textworld.GameOptions()
    options.path, options.seeds, options.nb_rooms, options.nb_objects = str(tmp_path / "hall.z8"), 3, 2, 3
    options.quest_length = 2
    textworld.make(options)
    world = TextWorlds().open(WorldSpec("textworld", options.path))
    opening = world.reset()
    assert world.goal and world.goal in opening.text.replace("\n", " ")
    assert world.scene().place in opening.text
    assert {world.gold()[0], "look"} <= set(world.admissible())
    assert "carrying nothing" in world.inventory()
    *steps, last = world.gold()
    assert not any(world.step(step).won for step in steps)
    seen = world.step(last)
    assert (seen.won, seen.done, seen.score, world.steps) == (True, True, 100.0, len(world.gold()))
    world.close()
    with pytest.raises(WorldFault, match="closed"):
        world.step("look")
