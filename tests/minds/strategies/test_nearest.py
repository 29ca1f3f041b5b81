"""What a model wrote as an action of what is possible."""

from __future__ import annotations

import pytest

from minds.dialogue import Step, in_world
from minds.strategies.nearest import InSight, taken, valid
from tools.worlds.actions import ActionSpace

SPACE = InSight(
    (
        "look around",
        "go to kitchen",
        "focus on jug",
        "pour cup containing red paint in jug",
        "use thermometer on substance in pot",
    ),
    "In it, you see: a thermometer, a metal pot (containing a substance called water), unknown substance B",
)


@pytest.mark.parametrize("wrote", ["go to kitchen", "> Go  to Kitchen.", "`go to kitchen`", '- "go to kitchen"'])
def test_case_blanks_and_marks_around_it_do_not_matter(wrote: str) -> None:
    assert valid(wrote, SPACE) == "go to kitchen" and taken("", wrote, SPACE) == in_world("", "go to kitchen")


def test_names_on_the_screen_are_understood_though_they_are_not_listed() -> None:
    for action in ("use thermometer on water", "focus on unknown substance b", "use thermometer on water in metal pot"):
        assert valid(action, SPACE) == action
    for action in ("focus on lemon", "focus on", "dance on water", "move water"):
        assert valid(action, SPACE) == ""


def test_while_the_laboratory_asks_which_thing_is_meant_only_its_numbers_are_answers() -> None:
    asking = InSight(("0", "1"), "In it, you see: water")
    assert valid("0", asking) == "0" and valid("focus on water", asking) == ""


@pytest.mark.parametrize(
    ("wrote", "nearest"),
    [("goto kitchen", "go to kitchen"), ("walk", "look around"), ("", "look around")],
)
def test_what_is_not_possible_is_replaced_by_what_is_at_the_smallest_distance(wrote: str, nearest: str) -> None:
    assert valid(wrote, SPACE) == "" and taken("", wrote, SPACE) == in_world("", nearest, wrote=wrote)


@pytest.mark.parametrize(
    ("wrote", "nearest"),
    [
        ("switch on stove", "move stove"),
        ("boil water", "move stove"),
        ("task completed", "look around"),
        ("focus on stovee", "focus on stove"),
        ("Eat an apple", "eat apple"),
    ],
)
def test_what_nothing_takes_back_is_done_only_where_it_was_written(wrote: str, nearest: str) -> None:
    listed = ("look around", "focus on stove", "focus on water", "eat apple", "flush toilet", "move stove")
    assert taken("", wrote, ActionSpace(listed)).action == nearest


def test_words_for_an_action_that_a_laboratory_understands_are_possible() -> None:
    listed = ("look around", "focus on stove", "activate stove", "pick up pot")
    space = InSight(listed, "In it, you see: a stove, a pot")
    for action in ("turn on stove", "turn off stove", "pick up the pot"):
        assert valid(action, space) == action
    for action in ("put pot on stove", "take pot", "teleport to stove"):
        assert valid(action, space) == "", "its parser knows no such verb, or not here"


def test_where_nothing_is_listed_the_world_answers_what_was_written() -> None:
    assert taken("", "dance with the stove", ActionSpace(())) == in_world("", "dance with the stove")


def test_where_nothing_is_listed_the_form_is_no_part_of_the_action() -> None:
    for wrote in ("1. go to fridge 1", "**Action:** go to fridge 1", "Action: go to fridge 1."):
        assert taken("", wrote, ActionSpace(())) == in_world("", "go to fridge 1")


def test_the_same_deed_with_other_things_is_farther_than_another_with_the_same() -> None:
    possible = ("go to shelf 1", "go to shelf 4", "examine shelf 3", "move egg 2 to table 1", "move egg 1 to table 1")
    space = ActionSpace(possible)
    assert taken("", "go to shelf 3", space).action == "examine shelf 3"
    assert taken("", "put egg 2 in/on table 1", space).action == "move egg 2 to table 1"


def test_what_names_a_thing_that_was_not_named_is_farther_than_what_does_not() -> None:
    possible = (
        "look",
        "move book 1 to bed 1",
        "go to sidetable 1",
        "take pen 2 from garbagecan 1",
        "examine garbagecan 1",
    )
    space = ActionSpace(possible)
    assert taken("", "put book on sidetable", space).action == "go to sidetable 1"
    assert taken("", "think: I will look into garbagecan 1.", space).action == "examine garbagecan 1"


def test_where_the_world_asks_which_one_the_answer_is_what_was_meant_and_nothing_was_replaced() -> None:
    asked = "Ambiguous request: which?\n0:\tpick up apple (in bowl)\n1:\tpick up apple (in fridge)\n"
    steps = (Step(in_world("", "pick up apple"), asked),)
    for listed in (("0", "1"), ()):
        assert taken("", "the apple in the fridge", ActionSpace(listed), steps) == in_world("", "1")


def test_what_is_open_already_may_be_opened_in_a_laboratory() -> None:
    """Its list has no `open` where all in sight is open: Swift, which opens it to be sure, would close it instead."""
    space = InSight(("close blast furnace", "activate blast furnace"), "In it, you see: a blast furnace")
    assert taken("", "open blast furnace", space) == taken("", "open blast furnace", InSight((), ""))
    assert valid("teleport to blast furnace", space) == ""


def test_what_is_not_possible_never_becomes_a_cry_for_help() -> None:
    listed = ActionSpace(("go to desk 1", "help", "inventory", "look"))
    assert taken("", "go to lamp", listed).action == "look" and taken("", "help", listed) == in_world("", "help")
