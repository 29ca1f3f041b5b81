"""Words to actions: what the screen calls a thing, and what was done before, against the names that the actions use."""

from __future__ import annotations

import pytest

from tools.worlds.grounding import Actions, Impossible, Unclear, by_rules
from tools.worlds.words.looks import observed
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.turns import joined

DESK = (
    "This room is called the workshop. In it, you see: \n\ta glass cup (containing red paint, blue paint)\n\t"
    "a desk. On the desk is: a drawer, a tin cup (containing a substance called water), a wood cup "
    "(containing nothing).\n\ta table. On the table is: a tin cup (containing nothing).\n\tunknown substance B\n"
    "\ta blue jay egg\n\ta moth egg\n"
)
PAINTED, WATERED = "cup containing red paint and blue paint", "cup containing water"
EMPTY, OTHER = "cup containing nothing in desk", "cup containing nothing in table"
THINGS = (PAINTED, WATERED, EMPTY, OTHER, "unknown substance", "blue jay", "egg moth")
LISTED = tuple(f"{verb} {thing}" for verb in ("pick up", "focus on") for thing in THINGS)
MEASURED = (
    "use thermometer on liquid lead",
    "use thermometer on metal pot",
    "look at liquid lead",
    "look at metal pot",
    "look at thermometer",
    "pick up metal pot",
    "move soil in flower pot 2 to flower pot 1",
    "move soil in flower pot 1 to flower pot 2",
    "connect anode in battery to red wire terminal 1",
    "connect red wire terminal 1 to anode in battery",
    "go to hallway",
)


def at_desk(says: str) -> object:
    return by_rules(says, Surroundings("scienceworld", LISTED, DESK))


def test_a_cup_is_known_by_what_it_is_made_of_and_a_substance_by_its_letter() -> None:
    found = observed(THINGS, DESK.lower())
    assert {thing: found[thing][0] for thing in (PAINTED, WATERED, EMPTY, OTHER)} == {
        PAINTED: "glass cup", WATERED: "tin cup", EMPTY: "wood cup", OTHER: "tin cup",
    }  # fmt: skip
    assert "b" in found["unknown substance"]
    unclear = DESK.replace("On the table is", "There").lower()
    assert OTHER not in observed(THINGS, unclear), "it may be the one of wood"
    assert observed(("ceramic cup",), "\ta seed jar (containing an apple seed)")["ceramic cup"] == ("seed jar", "jar")


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("pick up the glass cup", f"pick up {PAINTED}"),
        ("take the wood cup", f"pick up {EMPTY}"),
        ("focus on substance B", "focus on unknown substance"),
    ],
)
def test_what_the_screen_calls_it_says_which(says: str, action: str) -> None:
    assert at_desk(says) == Actions((action,))


def test_a_second_thought_is_what_counts() -> None:
    assert at_desk("Pick up the glass cup. On second thoughts, the wood cup.") == Actions((f"pick up {EMPTY}",))


def test_of_several_that_fit_the_person_chooses_and_none_is_made_of_another_stuff() -> None:
    asked = at_desk("focus on the egg")
    assert isinstance(asked, Unclear) and set(asked.options) == {"focus on blue jay", "focus on egg moth"}
    assert not isinstance(at_desk("take the ceramic cup"), Actions)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("use thermometer in inventory on lead", "use thermometer on liquid lead"),
        ("examine lead", "examine liquid lead"),
        ("connect battery anode to red wire terminal 1", "connect anode in battery to red wire terminal 1"),
        ("move soil in inventory to flower pot 2", "move soil in flower pot 2 to flower pot 2"),
        ("pick up axe", "pick up axe"),
        ("go to hallway", "go to hallway"),
        ("look around", "look around"),
    ],
)
def test_earlier_actions_are_told_in_the_names_that_things_have_now(was: str, now: str) -> None:
    assert Surroundings("scienceworld", MEASURED, "", None, (was,)).recent == (now,)


@pytest.mark.parametrize("says", ["check its temp again", "again", "68, still climbing. Another reading please"])
def test_what_was_measured_last_is_measured_once_more(says: str) -> None:
    here = Surroundings("scienceworld", MEASURED, "", None, ("look around", "use thermometer in inventory on lead"))
    assert by_rules(says, here) == Actions(("use thermometer on liquid lead",))


def test_what_cannot_be_done_again_is_told() -> None:
    done = by_rules("again please", Surroundings("scienceworld", MEASURED, "", None, ("pick up axe",)))
    assert isinstance(done, Impossible) and done.why == "That cannot be done again here now: pick up axe."


def test_another_thing_is_not_measured_instead() -> None:
    here = Surroundings("scienceworld", MEASURED, "", None, ("use thermometer in inventory on lead",))
    assert by_rules("measure the metal pot again", here) != Actions(("use thermometer on liquid lead",))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("take the cup . on second thoughts , the mug .", "take the cup , sorry , the mug"),
        ("pick up the knife no sorry i mean the loaf", "pick up the knife , sorry , the loaf"),
        ("pick up the knife on second thought the loaf", "pick up the knife , sorry , the loaf"),
        ("take the cup . then the mug", "take the cup . then the mug"),
        ("open the door . no wait , close the fridge", "open the door . no wait , close the fridge"),
        ("sorry , the mug", "sorry , the mug"),
    ],
)
def test_a_correction_behind_a_full_stop_mends_what_stands_before(text: str, meant: str) -> None:
    assert joined(text) == meant
