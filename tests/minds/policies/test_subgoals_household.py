"""Sub-goals in a household: cut where the expert gets something done, said by one network, done by another."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minds.dialogue import Dialogue, Task
from minds.policies.subgoals.household import HouseholdPlay, done, policy, subgoals, worded
from minds.policies.subgoals.play import AIMS, DEEDS
from minds.policies.swift.policy import WEIGHTS
from minds.policies.swift_alfworld.network import load
from minds.policies.swift_alfworld.policy import NoPolicy, SwiftAlfworld
from minds.slow import Limits, Workbench, think
from minds.strategies import open_strategy
from minds.training import Unready
from minds.training.subgoals import household
from minds.training.subgoals.household import ASTRAY, aims, deeds, segmented
from minds.training.swift_alfworld import command
from minds.training.swift_alfworld.collect import Told
from tests.fakes import FakeModel
from tests.minds.policies.test_swift_alfworld import ANSWERS, GOAL, OPENING, guesses, record, remembered
from tests.minds.test_world_strategies import Silent, silent
from tests.toyworld import GOAL as TOY
from tests.toyworld import INTRO, ToyWorlds
from tools.worlds.world import WorldSpec

NAMES = ["take(mug)"] * 3 + ["clean(mug, sinkbasin)"] * 2 + ["move(mug, shelf)"] * 2


def test_a_segment_ends_where_something_gets_done() -> None:
    assert segmented(record()) == NAMES
    assert segmented(record(4)) == [*NAMES[:3], ""], "nothing is reached behind the last one"


def test_what_comes_before_something_else_that_was_done_serves_no_sub_goal() -> None:
    stray = Told(("take pen 1 from drawer 1",), ("take mug 2 from drawer 1",), "take pen 1 from drawer 1", "You do it.")
    back = Told((), ("move pen 1 to drawer 1",), "move pen 1 to drawer 1", "You do it.")
    first, second, *others = record().steps
    astray = replace(record(), steps=(first, second, stray, back, *others))
    assert segmented(astray) == [ASTRAY] * 3 + ["move(pen, drawer)"] + NAMES[2:]
    assert len(list(deeds(astray))) == 6 and sum(one.good.any() for one in aims(astray)) == 5


def test_a_sub_goal_is_reached_by_its_own_act_where_it_works() -> None:
    memory = remembered(3)
    assert done(memory, "take mug 2 from drawer 1", "You pick it up.") == "take(mug)"
    assert done(memory, "clean mug 2 with sinkbasin 1", "Nothing happens.") == ""
    assert [done(memory, action, "Well.") for action in ("go to shelf 1", "open drawer 1", "look")] == ["", "", ""]


def test_sub_goals_are_named_by_what_is_held_and_what_the_goal_says() -> None:
    empty, held = ({one.text for one in subgoals(remembered(steps))} for steps in (2, 3))
    assert {"take(mug)", "use(mug)"} <= empty and not any(text.startswith("move") for text in empty)
    assert {"clean(mug, sinkbasin)", "move(mug, shelf)", "cool(mug, fridge)"} <= held and "take(mug)" not in held


def test_the_planner_says_what_is_next_and_the_actor_does_it() -> None:
    play = policy(WEIGHTS).start(GOAL, OPENING)
    assert isinstance(play, HouseholdPlay)
    for number, (action, said) in enumerate(ANSWERS):
        acts = guesses(remembered(number))
        chosen, _ = play.act(acts)
        assert play.current == NAMES[number] and play.worded() == worded(NAMES[number])
        assert action == chosen or number < 2, "where it lies was not seen yet"
        play.told(action, said)
        assert play.reached == (worded(NAMES[number]) if number in (2, 4, 6) else "")


def test_a_person_reads_a_sub_goal_in_words() -> None:
    forms = ("heat(mug, microwave)", "move(mug, shelf)", "use(desklamp)", "")
    assert list(map(worded, forms)) == [
        "heat the mug in the microwave",
        "move the mug to the shelf",
        "use the desklamp",
        "",
    ]


@pytest.mark.parametrize("goal", ["", "123", "\u628a\u676f\u5b50\u653e\u8fdb\u67dc\u5b50"])
def test_a_goal_without_a_word_that_it_reads_is_a_fault_of_its_own(goal: str) -> None:
    for learned in (policy(WEIGHTS), SwiftAlfworld.load()):
        with pytest.raises(NoPolicy, match="English"):
            learned.start(goal, OPENING)


@pytest.mark.parametrize(
    ("current", "action"), [("take(pen)", "take pen 1 from drawer 1"), ("take(mug)", "take mug 2 from drawer 1")]
)
def test_the_actor_follows_the_sub_goal_and_not_the_task(
    current: str, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = policy(WEIGHTS).start(GOAL, OPENING)
    for told in ANSWERS[:2]:
        play.told(*told)
    monkeypatch.setattr("minds.policies.subgoals.household.subgoals", lambda memory: [memory.parse(current)])
    assert play.act(guesses(remembered(2)))[0] == action


async def test_a_small_household_is_played_by_sub_goals() -> None:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    strategy = open_strategy("subgoals", Workbench(FakeModel(silent), dict, world=world, opening=INTRO))
    answer = await think(
        Task(TOY, "finish it", Dialogue("s", "ada")), strategy, dict, Silent(), Limits(steps=12), world=world
    )
    moves = [step.move for step in answer.episode.steps]
    assert answer.solved and moves[0].thought.startswith("My sub-goal is to take the mug. I")
    assert [move.reached for move in moves if move.reached] == ["take the mug"]
    assert moves[-1].thought.startswith("My sub-goal is to move the mug to the drawer. ")


@pytest.mark.slow
def test_training_writes_both_networks_and_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUET_HOME", str(tmp_path))
    asked = ["--out", str(tmp_path), "--epochs", "150", "--jobs", "1", "--seed", "3"]
    with pytest.raises(Unready, match="train swift --world alfworld --collect"):
        household.main(asked)
    monkeypatch.setattr(household, "demonstrations", lambda _: [record()] * 9)
    monkeypatch.setattr(command, "apart", lambda _: [record()])
    household.main(asked)
    card = (tmp_path / "subgoals_alfworld.md").read_text(encoding="utf-8")
    assert all(f'- {name.format(world="alfworld")}: {{"seed": 3, "epochs": 150' in card for name in (AIMS, DEEDS))
    play = policy(tmp_path).start(GOAL, OPENING)
    for number, (action, said) in enumerate(ANSWERS):
        assert play.act(guesses(remembered(number)))[0] == action and play.current == NAMES[number]  # type: ignore[attr-defined]
        play.told(action, said)


def test_what_is_learned_does_not_hang_on_the_number_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "apart", lambda _: [record()])
    monkeypatch.setattr(command, "mapped", lambda _, work, *rows: map(work, *rows))
    records = [record(length) for length in (3, 7, 5)]
    for jobs in (1, 2):
        asked = command.learning(argparse.ArgumentParser()).parse_args(["--epochs", "1", "--jobs", str(jobs)])
        command.fit(records, asked, tmp_path / str(jobs))
    one, other = (load(tmp_path / name).arrays for name in ("1", "2"))
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_without_weights_it_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(NoPolicy, match="train subgoals --world alfworld"):
        policy(tmp_path)
