"""ScienceWorld in its real Java: repeatable, side by side, through kills, with no process left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.worlds.scienceworld import ScienceWorlds, split_variations
from tools.worlds.world import Observation, WorldFault, WorldLost, WorldSpec

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
FRUIT = WorldSpec("scienceworld", "grow-fruit", 93, ("easy",))
"""Bees fly about in it, so it shows whether an episode is repeatable."""
LONGEST_LIVED = WorldSpec("scienceworld", "lifespan-longest-lived", 93, ("easy",))


@pytest.fixture(scope="module")
def worlds() -> Iterator[ScienceWorlds]:
    made = ScienceWorlds(cap=3)
    yield made
    made.close()
    assert made.pool.process() is None


def played(worlds: ScienceWorlds, spec: WorldSpec, actions: list[str], lists: bool = False) -> list[Observation]:
    world = worlds.open(spec)
    seen = [world.reset()]
    for action in actions:
        seen.append(world.step(action))
        if lists:
            world.admissible()
    world.close()
    return seen


def test_the_tasks_and_splits_that_we_list_are_the_packages(worlds: ScienceWorlds) -> None:
    world = worlds.open(LONGEST_LIVED)
    world.reset()
    with world._simulator() as engine:
        outer = engine._outer
        assert set(engine._lines(outer.getTaskNames())) == {t.name for t in worlds.tasks()}
        counts = {t.name: int(outer.getTaskMaxVariations(t.name)) for t in worlds.tasks()}
        assert counts == {t.name: t.variations for t in worlds.tasks()}
        named = {"train": outer.getVariationsTrain, "dev": outer.getVariationsDev, "test": outer.getVariationsTest}
        splits = {name: [int(n) for n in listed().toString()[1:-1].split(",") if n] for name, listed in named.items()}
    assert splits == {name: list(part) for name, part in split_variations(125).items()}
    world.close()


def test_a_solution_wins_and_the_episode_is_not_disturbed_by_finding_it(worlds: ScienceWorlds) -> None:
    world = worlds.open(LONGEST_LIVED)
    first = world.reset()
    assert (first.score, first.done, first.won) == (0.0, False, False) and "look around" in world.admissible()
    assert world.goal.startswith("Your task is to") and world.scene().place in first.text
    gold = world.gold()
    assert world.steps == 0 and world.look() == first.text
    for action in gold:
        assert (seen := world.step(action)).won == (seen.score == 100)
    assert (seen.score, seen.done, seen.won) == (100.0, True, True) and world.steps == len(gold)
    again = world.reset()
    assert again == first and world.steps == 0
    world.close()
    with pytest.raises(WorldFault, match="closed"):
        world.look()


def test_failing_is_done_but_not_won(worlds: ScienceWorlds) -> None:
    world = worlds.open(WorldSpec("scienceworld", "find-animal", 225, ("easy",)))
    world.reset()
    seen = world.step("focus on agent")
    assert (seen.score, seen.done, seen.won) == (-100.0, True, False)
    world.close()


def test_an_episode_is_the_same_each_time_also_when_it_is_looked_into(worlds: ScienceWorlds) -> None:
    actions = ["teleport to greenhouse", "open bee hive", *["wait1", "look around"] * 8]
    first = played(worlds, FRUIT, actions)
    assert any("bee" in seen.text for seen in first)
    assert played(worlds, FRUIT, actions, lists=True) == first
    other = ScienceWorlds()
    try:
        played(other, LONGEST_LIVED, ["look around"])
        assert played(other, FRUIT, actions) == first
    finally:
        other.close()


def test_texts_and_scores_are_those_of_the_packages_own_step(worlds: ScienceWorlds) -> None:
    for spec, more in ((FRUIT, ["teleport to greenhouse", *["wait1", "look around"] * 4]), (LONGEST_LIVED, [])):
        world = worlds.open(spec)
        world.reset()
        actions = [
            *more,
            "dance",
            "",
            "help",
            "task",
            "teleport to kitchen",
            "open cupboard",
            "focus on agent",
            "wait1",
        ]
        ours = [world.step(action) for action in actions]
        world.reset()
        with world._simulator() as engine:
            for action, seen in zip(actions, ours, strict=True):
                assert engine._outer.step(action).strip() == seen.text.strip(), action
                score = round(100 * engine._outer.getScore())
                assert (score, engine._outer.getCompleted() or score < 0) == (seen.score, seen.done), action
        world.close()


def test_twelve_episodes_at_once_see_their_own_rooms_only(worlds: ScienceWorlds) -> None:
    specs = [s for task in ("boil", "find-plant", "chemistry-mix") for s in worlds.variations(task, "test")[:4]]
    actions = ["open door to hallway", "go to hallway", "look around", "inventory"]

    def alone(spec: WorldSpec) -> list[Observation]:
        return played(worlds, spec, actions)

    expected = [alone(spec) for spec in specs]
    opened = [worlds.open(spec) for spec in specs]
    with ThreadPoolExecutor(12) as threads:
        seen = [[o] for o in threads.map(lambda w: w.reset(), opened)]
        for action in actions:
            for log, o in zip(seen, threads.map(lambda w, a=action: w.step(a), opened), strict=True):
                log.append(o)
    assert seen == expected
    for world in opened:
        world.close()


@pytest.mark.parametrize(
    "command", ["pour " * 2_000, "x" * 10_000, "look\naround\x00", "", "(((", "\ud800", "look at at at"]
)
def test_any_command_is_answered(worlds: ScienceWorlds, command: str) -> None:
    world = worlds.open(LONGEST_LIVED)
    world.reset()
    assert world.step(command).text and world.step("look around").text.startswith("This ")
    world.close()


def test_an_ambiguous_action_is_asked_back_and_a_number_answers(worlds: ScienceWorlds) -> None:
    world = worlds.open(WorldSpec("scienceworld", "chemistry-mix-paint-secondary-color", 27, ("easy",)))
    world.reset()
    world.step("teleport to art studio")
    assert world.step("pick up wood cup").text.startswith("Ambiguous request")
    assert world.admissible()[:2] == ("0", "1")
    assert "wood cup" in world.step("0").text and any("wood cup" in name for name in world.scene().holding)
    world.close()


def test_a_killed_java_is_told_and_replaced(worlds: ScienceWorlds) -> None:
    world, bystander = worlds.open(FRUIT), worlds.open(LONGEST_LIVED)
    world.reset()
    bystander.reset()
    bystander.step("look around")
    before = world.step("teleport to greenhouse")
    with ThreadPoolExecutor(1) as thread:
        step = thread.submit(world.gold)
        time.sleep(0.3)
        java = worlds.pool.process()
        assert java
        os.kill(java.pid, signal.SIGKILL)
        with pytest.raises(
            WorldLost, match=r"^ScienceWorld's Java process ended in mid-step; open the episode again\.$"
        ):
            step.result()
    again = worlds.open(FRUIT)
    again.reset()
    assert again.step("teleport to greenhouse") == before and worlds.pool.process() not in (None, java)
    assert bystander.steps == 1 and bystander.inventory().startswith("In your inventory")
    for each in (world, again, bystander):
        each.close()


PROGRAM = """
import sys, time
from tools.worlds.scienceworld import ScienceWorlds
from tools.worlds.world import WorldSpec
worlds = ScienceWorlds()
world = worlds.open(WorldSpec("scienceworld", "boil"))
world.reset()
print(worlds.pool.process().pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("killed", [True, False])
def test_no_java_is_left_when_we_are_killed_or_end(killed: bool) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    java = int(process.stdout.readline())
    assert alive(java)
    if killed:
        process.kill()
    _, complaints = process.communicate(b"\n")
    until = time.monotonic() + 20
    while alive(java) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(java) and complaints == b""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
