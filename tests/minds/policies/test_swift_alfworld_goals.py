"""Typed goals of households: what a person's words leave open is settled by the room and by the world's own word."""

from __future__ import annotations

from minds.policies.swift_alfworld.goals import Belief, Goal, odds
from minds.policies.swift_alfworld.memory import Memory
from minds.policies.swift_alfworld.policy import SwiftAlfworld
from minds.policies.wishes import Likely

OPENING = (
    "You are in the middle of a room. Looking quickly around you, you see a desk 1, a shelf 1, a fridge 1, "
    "and a sinkbasin 1.\n\nYour task is to: Put the cup where it belongs."
)
MUG, CUP = (Goal("pick_and_place_simple", thing, "shelf") for thing in ("mug", "cup"))
CLEAN = Goal("pick_clean_then_place_in_recep", "mug", "shelf")
LAMP = Goal("look_at_obj_in_light", "mug", "desklamp")
TWO = Goal("pick_two_obj_and_place", "mug", "shelf")
ON_DESK = "You arrive at desk 1. On the desk 1, you see a mug 1, and a desklamp 1."


def memory(*steps: tuple[str, str]) -> Memory:
    found = Memory("")
    found.begin(OPENING)
    for action, said in steps:
        found.did(action, said)
    return found


CARRIED = (
    ("go to desk 1", ON_DESK),
    ("take mug 1 from desk 1", "You pick up the mug 1 from the desk 1."),
    ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see nothing."),
    ("move mug 1 to shelf 1", "You move the mug 1 to the shelf 1."),
)


def test_a_goal_is_told_in_the_words_that_the_policy_was_trained_on() -> None:
    assert Goal.of("pick_heat_then_place_in_recep", "Mug", "coffee machine").words == "put a hot mug in coffeemachine."
    assert LAMP.words == "look at mug under the desklamp."


def test_a_place_that_does_not_stand_in_the_room_is_not_meant() -> None:
    sofa = Goal("pick_and_place_simple", "mug", "sofa")
    assert Belief({sofa: 0.9, MUG: 0.1}, memory()).likeliest(memory()) == MUG
    assert Belief({sofa: 0.9}, memory()).likeliest(memory()) == sofa, "where nothing fits, what was said stays"


def test_a_heated_thing_needs_what_heats_it() -> None:
    hot = Goal("pick_heat_then_place_in_recep", "mug", "shelf")
    assert Belief({hot: 0.9, MUG: 0.1}, memory()).likeliest(memory()) == MUG


def test_a_thing_that_is_seen_is_meant_rather_than_one_that_is_nowhere() -> None:
    belief = Belief({CUP: 0.6, MUG: 0.4}, memory())
    assert belief.likeliest(memory()) == CUP
    found = memory(CARRIED[0], ("go to shelf 1", CARRIED[2][1]), ("go to sinkbasin 1", "You arrive at sinkbasin 1."))
    assert belief.likeliest(found) == MUG


def test_what_is_reached_without_being_won_was_not_meant_and_stays_so() -> None:
    belief = Belief({MUG: 0.9, CLEAN: 0.1}, memory())
    assert belief.likeliest(memory(*CARRIED)) == CLEAN
    again = (*CARRIED, ("take mug 1 from shelf 1", "You pick up the mug 1 from the shelf 1."))
    assert belief.likeliest(memory(*again)) == CLEAN


def test_a_goal_of_two_is_reached_by_two_in_one_place() -> None:
    assert MUG.reached(memory(*CARRIED)) and not TWO.reached(memory(*CARRIED))
    both = memory(*CARRIED, ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a mug 1, and a mug 2."))
    assert TWO.reached(both)


def test_a_look_in_the_light_is_reached_with_the_thing_in_hand_beside_the_lamp() -> None:
    lit = memory(*CARRIED[:2], ("use desklamp 1", "You turn on the desklamp 1."))
    assert LAMP.reached(lit)
    lit.did(*CARRIED[2])
    assert not LAMP.reached(lit)


def test_what_was_put_down_for_another_goal_counts_as_lying_there() -> None:
    play = SwiftAlfworld.load().start("", OPENING, {MUG: 0.9, Goal("pick_and_place_simple", "mug", "fridge"): 0.1})
    for action, said in CARRIED:
        play.told(action, said)
    play.act(("take mug 1 from shelf 1", "go to fridge 1", "look"))
    assert play.memory.goal == "put a mug in fridge." and play.memory.put == {}


def test_what_no_household_has_is_left_out_of_the_odds() -> None:
    class Wishes:
        def wish(self, said: str, share: float, most: int) -> Likely:
            kinds = {"heat_and_put": 0.5, "boil": 0.3, "look_at_under_lamp": 0.2}
            return Likely(1.0, True, kinds, {"Mug": 0.6, "Pen": 0.4}, {"Shelf": 0.7, "DeskLamp": 0.3})

    found = odds(Wishes(), "warm the mug")  # type: ignore[arg-type]
    assert set(found) == {
        Goal("pick_heat_then_place_in_recep", "mug", "shelf"),
        Goal("look_at_obj_in_light", "mug", "desklamp"),
        Goal("look_at_obj_in_light", "pen", "desklamp"),
    }
    assert found[Goal("pick_heat_then_place_in_recep", "mug", "shelf")] == 0.5 * 0.6 * 0.7


def test_an_open_part_of_a_goal_takes_in_every_name() -> None:
    assert MUG.within(Goal("pick_and_place_simple", "", "shelf")) and MUG.within(MUG)
    assert not MUG.within(Goal("pick_and_place_simple", "", "desk")) and not MUG.within(CLEAN)
