"""What a model wrote as an action of what is possible."""

from __future__ import annotations

import pytest

from minds.dialogue import in_world
from minds.strategies.nearest import InSight, taken, valid
from tools.worlds.actions import ActionSpace

SPACE = InSight(
    ("look around", "go to kitchen", "pour cup containing red paint in jug", "use thermometer on substance in pot"),
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
    [("go to the kitchen", "go to kitchen"), ("walk", "look around"), ("", "look around")],
)
def test_what_is_not_possible_is_replaced_by_what_is_at_the_smallest_distance(wrote: str, nearest: str) -> None:
    assert valid(wrote, SPACE) == "" and taken("", wrote, SPACE) == in_world("", nearest, wrote=wrote)


def test_where_nothing_is_listed_the_world_answers_what_was_written() -> None:
    assert taken("", "dance with the stove", ActionSpace(())) == in_world("", "dance with the stove")


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
