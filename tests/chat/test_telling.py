"""An episode in sentences, and the answers to questions that were asked back."""

from __future__ import annotations

import pytest

from chat.choosing import asked_back, holder_of, spec_of, wish_of
from chat.episodes import Deed, Record
from chat.telling import done_so_far, ending, pick, reason, short_goal, standing, which
from minds.dialogue import Answer, Dialogue, Episode, Task
from minds.requests import NoSuch, Request, Unclear
from tests.toyworld import ToyWorlds
from tools.worlds.world import Observation, Scene, WorldSpec

SPEC = WorldSpec("scienceworld", "boil")
GOAL = "Your task is to boil water. For compounds without a boiling point, combusting is also acceptable."
HALL, LAB = Scene("hallway"), Scene("kitchen", ("stove",))
DEEDS = (
    Deed("go to kitchen", Observation("You move to the kitchen.", score=0.0), LAB, "person"),
    Deed("activate stove", Observation("The stove is now activated.", score=25.0), LAB, "slow", "It must get hot."),
)


def record(*deeds: Deed, number: int = 1, spec: WorldSpec = SPEC) -> Record:
    return Record(number, spec, GOAL, Observation("A hallway.", score=0.0), HALL, deeds)


def test_where_it_stands() -> None:
    assert short_goal(record()) == "boil water"
    assert standing(record(*DEEDS)) == "Goal: boil water. So far 2 steps, score 25 of 100. Place: kitchen."


def test_how_it_went_by_the_engines_word() -> None:
    won = Deed("x", Observation("", score=100.0, done=True, won=True), LAB, "slow")
    lost = Deed("x", Observation("", score=-100.0, done=True), LAB, "slow")
    assert ending(record(won)).startswith("Done: boil water.")
    assert "failed" in ending(record(lost)) and "-100" in ending(record(lost))
    assert "own solution" in ending(record(won), oracle=True)
    answer = Answer("", False, Episode(Task("", "", Dialogue("", ""))), "steps")
    assert "2 steps that I may take" in ending(record(*DEEDS), answer) and "Done" not in ending(record(*DEEDS), answer)


def test_steps_and_reasons_come_from_the_trace() -> None:
    assert done_so_far(record(*DEEDS)).splitlines()[1] == "2. activate stove (me): The stove is now activated."
    assert "It must get hot." in reason(record(*DEEDS), "activate the stove")
    assert "yourself, at step 1" in reason(record(*DEEDS), "go to the kitchen")
    assert "did not do that" in reason(record(*DEEDS), "eat the apple")


@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("the second one", "take mug 2 from desk 1"),
        ("2", "take mug 2 from desk 1"),
        ("mug 3", "take mug 3 from shelf 1"),
        ("the one on the shelf", "take mug 3 from shelf 1"),
        ("last", "take mug 3 from shelf 1"),
        ("mug", ""),
        ("how are you?", ""),
        ("", ""),
    ],
)
def test_a_question_back_is_answered_by_place_name_or_number(said: str, choice: str) -> None:
    options = ["take mug 1 from desk 1", "take mug 2 from desk 1", "take mug 3 from shelf 1"]
    assert pick(said, options) == choice


def test_episodes_are_found_again() -> None:
    house = record(number=2, spec=WorldSpec("alfworld", "mug"))
    both = (record(), house)
    assert which(both, "first") == both[0] and which(both, "2") == house and which(both, "house") == house
    assert which(both, "other") == both[0] and which(both, "third") is None and which((), "1") is None


@pytest.mark.parametrize(
    ("said", "holder"),
    [
        ("boil some water", "slow"),
        ("please put a mug in the fridge", "slow"),
        ("let me try to boil water", "person"),
        ("I want to play boil in scienceworld myself", "person"),
        ("I'd like you to boil some water", "slow"),
        ("please put a clean mug on the desk, let me do it myself", "person"),
        ("boil some water, but let me drive", "person"),
    ],
)
def test_who_drives(said: str, holder: str) -> None:
    assert holder_of(said) == holder


def test_what_is_said_of_the_wheel_behind_a_wish_is_no_part_of_it() -> None:
    wish = "please put a clean mug on the desk in the household"
    assert wish_of(f"{wish}, let me do it myself") == wish and wish_of(f"{wish}. I’ll drive!") == wish
    assert wish_of(wish) == wish and wish_of("let me try to boil water") == "let me try to boil water"


def test_a_wish_becomes_an_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    wish = Request("alfworld", "pick_heat_then_place_in_recep", "Mug", "Shelf")
    assert spec_of(wish, ToyWorlds()).task == "household/pick_heat_then_place_in_recep/Mug/Shelf"
    named = Request("alfworld", "valid_seen/folder/trial", variation=None)
    assert spec_of(named, ToyWorlds()) == WorldSpec("alfworld", "valid_seen/folder/trial")
    assert spec_of(Request("scienceworld", "boil", variation=4), ToyWorlds()) == WorldSpec(
        "scienceworld", "boil", 4, ("easy",)
    )


def test_an_unclear_wish_is_asked_back_and_an_impossible_one_named() -> None:
    wish = Request("alfworld", "x", says="heat a mug")
    assert asked_back(Unclear("Which?", (wish,))) == "Which? I could: heat a mug."
    assert "nearest: heat a mug" in asked_back(NoSuch((wish,)))
    assert "/play" in asked_back(NoSuch(()))
