"""Admissible actions as verbs and names: toy states here, every kind of task of both simulators in tests/real."""

from __future__ import annotations

import pytest

from tests.toyworld import ToyWorld, ToyWorlds
from tools.desk import ToolFault
from tools.worlds.actions import NUMBER, ActionSpace, Parts, action_space, displayed, meant
from tools.worlds.world import Scene, WorldSpec

LABORATORY = (
    *("look around", "wait", "wait1", "inventory", "go to hallway", "teleport to greenhouse"),
    *("look at door to hallway", "look at drawer in counter", "look in cupboard", "look at metal pot"),
    *("open door to hallway", "close cupboard", "pick up metal pot", "put down orange in inventory"),
    *("focus on substance in metal pot", "focus on counter", "look at counter", "look at living room"),
    *("move metal pot to stove", "move instructions to make rust to stove", "pour metal pot into sink"),
    *("look at instructions to make rust", "read instructions to make rust", "look at stove", "look at sink"),
    *("connect door to hallway to cupboard", "connect anode in battery to cathode in red light bulb"),
    *("disconnect anode in battery", "disconnect cathode in red light bulb", "look at cupboard"),
    *(
        "use thermometer on substance in metal pot",
        "dunk cup containing orange juice into sink",
        "use lighter on stove",
    ),
)
HOUSEHOLD = (
    *("go to desk 1", "go to drawer 2", "take mug 1 from desk 1", "open drawer 2", "examine mug 1", "use desklamp 1"),
    *("move mug 1 to drawer 2", "heat mug 1 with microwave 1", "slice apple 1 with knife 1", "look", "inventory"),
)
TEXTWORLD = (
    "go north",
    "unlock wooden door with old key",
    "insert old key into chest",
    "prepare meal",
    "put key on bed",
)


@pytest.mark.parametrize("state", [LABORATORY, HOUSEHOLD, TEXTWORLD, ("0", "1", "2")])
def test_every_action_is_taken_apart_and_put_together_again(state: tuple[str, ...]) -> None:
    space = ActionSpace(state)
    for action in state:
        parts = space.parts(action)
        assert parts.action == action
        assert space.action(parts.verb, parts.object, parts.other) == action


@pytest.mark.parametrize(
    ("action", "parts"),
    [
        ("move metal pot to stove", ("move {object} to {other}", "metal pot", "stove")),
        ("connect door to hallway to cupboard", ("connect {object} to {other}", "door to hallway", "cupboard")),
        ("look at drawer in counter", ("look at {object}", "drawer in counter", "")),
        (
            "connect anode in battery to cathode in red light bulb",
            ("connect {object} to {other}", "anode in battery", "cathode in red light bulb"),
        ),
        ("move instructions to make rust to stove", ("move {object} to {other}", "instructions to make rust", "stove")),
        ("look around", ("look around", "", "")),
    ],
)  # fmt: skip
def test_words_that_could_be_cut_in_two_ways_give_known_names(action: str, parts: tuple[str, str, str]) -> None:
    assert ActionSpace(LABORATORY).parts(action) == Parts(*parts)


@pytest.mark.slow
def test_states_of_real_games_are_taken_apart() -> None:
    """Of both simulators, stored with the labelled sentences; every kind of task is in tests/real."""
    from minds.training.wishes.data import rows

    states = {tuple(row["admissible"]): row["world"] for row in rows()[::100]}
    assert len(states) > 40 and set(states.values()) == {"alfworld", "scienceworld"}
    for state in states:
        space = ActionSpace(state)
        for action in space.admissible:
            parts = space.parts(action)
            assert parts.action == action == space.action(parts.verb, parts.object, parts.other)


def test_numbers_answer_a_question_of_the_simulator() -> None:
    space = ActionSpace(("0", "1"))
    assert space.verbs == (NUMBER,) and space.objects == ("0", "1")
    assert space.action(NUMBER, "1") == "1"


def test_names_and_verbs_are_listed_once() -> None:
    space = ActionSpace(HOUSEHOLD)
    assert space.verbs[:3] == ("look", "examine {object}", "inventory") and len(space.verbs) == 10
    assert space.objects == ("apple 1", "desk 1", "desklamp 1", "drawer 2", "mug 1")
    assert space.others == ("desk 1", "drawer 2", "knife 1", "microwave 1")


def test_a_verb_may_be_said_by_its_first_words_and_case_does_not_matter() -> None:
    space = ActionSpace(HOUSEHOLD)
    assert space.action("go to", "Desk 1") == "go to desk 1"
    assert space.action("take", "mug 1", "DESK 1") == "take mug 1 from desk 1"
    assert space.action("look", "mug 1", "desk 1") == "look", "names that a verb has no place for are left out"


def test_what_cannot_be_is_told_with_what_is_near() -> None:
    with pytest.raises(ToolFault) as fault:
        ActionSpace(HOUSEHOLD).action("move {object} to {other}", "mug 1", "desk 1")
    assert "`move mug 1 to desk 1` cannot be done here now" in str(fault.value)
    assert "move mug 1 to drawer 2" in str(fault.value)
    assert "With `mug 1`: examine {object}; take {object} from {other}" in str(fault.value)


def test_an_action_written_out_is_found() -> None:
    space = ActionSpace(HOUSEHOLD)
    assert space.literal("  Go to   DESK 1 ") == "go to desk 1"
    assert space.literal("go to the desk") == "" and space.literal("") == ""


def test_a_name_that_is_only_on_the_screen_is_left_to_the_simulator() -> None:
    scene = Scene(
        "kitchen", ("glass cup (containing nothing), on the table", "cupboard, door open"), (), ("metal pot",)
    )
    assert displayed(scene) == ("glass cup", "cupboard", "metal pot")
    space = ActionSpace(LABORATORY, displayed(scene))
    assert "glass cup" in space.objects and "glass cup" in space.others
    assert space.action("pick up", "glass cup") == "pick up glass cup"
    assert space.action("move", "glass cup", "sink") == "move glass cup to sink"
    for names in (("",), ("teapot",)):
        with pytest.raises(ToolFault):
            space.action("pick up", *names)
    with pytest.raises(ToolFault):
        space.action("pick up", "stove")
    assert ActionSpace(("0", "1"), displayed(scene)).objects == ("0", "1")


def test_a_state_is_taken_apart_once() -> None:
    world = ToyWorld(ToyWorlds(), WorldSpec("alfworld", "mug"))
    world.reset()
    space = action_space(world.admissible())
    assert space is action_space(world.admissible())
    assert space.verbs == ("look", "inventory", "go to {object}")


ASKED = (
    "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n"
    "0:\tpick up apple (in inventory, in agent)\n"
    "1:\tpick up apple (in bowl, in cupboard, in kitchen)\n"
    "2:\tpick up apple (in fridge, in kitchen)\n"
)


@pytest.mark.parametrize(
    ("wrote", "number"),
    [
        ("2", "2"),
        ("0: apple (in inventory)", "0"),
        ("number 1", "1"),
        ("CHOOSE(1)", "1"),
        ("the apple in the bowl", "1"),
        ("pick up apple in fridge", "2"),
        ("apple 7", "2"),
        ("the second one", "2"),
        ("", "2"),
    ],
)
def test_which_one_is_answered_by_number_or_in_words(wrote: str, number: str) -> None:
    assert meant(ASKED, "pick up apple", wrote) == number
    assert meant("You see an apple.", "look around", wrote) == ""
