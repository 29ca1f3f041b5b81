"""What is asked about a world is answered from what was seen, with the step, or said to be unseen."""

from __future__ import annotations

import pytest

from tools.worlds.seen import Sight, recollect
from tools.worlds.world import Scene

EXITS = ("fridge 1", "microwave 1", "desk 1", "countertop 1")
HOUSE = [
    Sight(0, "", "You are in the middle of a room.", Scene("middle of the room", (), EXITS)),
    Sight(
        1, "go to desk 1", "On the desk 1, you see a mug 2, and a pen 1.", Scene("desk 1", ("mug 2", "pen 1"), EXITS)
    ),
    Sight(2, "go to fridge 1", "The fridge 1 is closed.", Scene("fridge 1", (), EXITS)),
    Sight(
        3,
        "open fridge 1",
        "You open the fridge 1. The fridge 1 is open. In it, you see a egg 1.",
        Scene("fridge 1", ("egg 1",), EXITS),
    ),
    Sight(
        4,
        "take egg 1 from fridge 1",
        "You pick up the egg 1 from the fridge 1.",
        Scene("fridge 1", (), EXITS, ("egg 1",)),
    ),
    Sight(5, "close fridge 1", "You close the fridge 1.", Scene("fridge 1", (), EXITS, ("egg 1",))),
    Sight(6, "go to microwave 1", "The microwave 1 is closed.", Scene("microwave 1", (), EXITS, ("egg 1",))),
    Sight(
        7,
        "heat egg 1 with microwave 1",
        "You heat the egg 1 using the microwave 1.",
        Scene("microwave 1", (), EXITS, ("egg 1",)),
    ),
]
LAB = [
    Sight(
        0,
        "",
        "This room is called the kitchen. In it, you see:\n"
        "\ta stove, which is turned off. On the stove is: nothing.\n"
        "\ta thermometer",
        Scene("kitchen", ("stove", "thermometer"), ("hallway",)),
    ),
    Sight(
        1,
        "pick up thermometer",
        "You move the thermometer to the inventory.",
        Scene("kitchen", ("stove",), ("hallway",), ("thermometer",)),
    ),
    Sight(
        2, "activate stove", "The stove is now activated.", Scene("kitchen", ("stove",), ("hallway",), ("thermometer",))
    ),
    Sight(
        3,
        "use thermometer on water",
        "the thermometer measures a temperature of 48 degrees celsius",
        Scene("kitchen", ("stove",), ("hallway",), ("thermometer",)),
    ),
    Sight(
        4,
        "move thermometer to table",
        "You move the thermometer to the table.",
        Scene("kitchen", ("stove",), ("hallway",)),
    ),
    Sight(5, "go to hallway", "You move to the hallway.", Scene("hallway", (), ("kitchen", "workshop"))),
]


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("is the egg hot?", ("Yes", "step 7")),
        ("Is the egg cold?", ("No", "step 7")),
        ("is the fridge open?", ("No", "step 5")),
        ("is the fridge closed", ("Yes", "step 5")),
        ("did you heat the egg?", ()),
        ("where is the egg?", ("Egg 1", "carried")),
        ("where did we see the mug?", ("Mug 2", "step 1", "desk 1")),
        ("where's the pen", ("Pen 1", "step 1")),
        ("what was in the fridge?", ("step 7", "step 6", "step 5", "step 3")[2:3]),
        ("what's on the desk?", ("mug 2, pen 1", "step 1")),
        ("what is on the countertop?", ("not seen what is in",)),
        ("have you seen a knife?", ("not seen a knife",)),
        ("where did we leave the newspapers?", ("not seen newspapers",)),
        ("is the mug clean?", ("cannot tell",)),
        ("where have we been?", ("desk 1", "fridge 1", "microwave 1")),
        ("have we been to the countertop?", ("No",)),
        ("have we been at the desk", ("Yes", "step 1")),
    ],
)
def test_a_household(asked: str, parts: tuple[str, ...]) -> None:
    answer = recollect(asked, HOUSE)
    assert all(part in answer for part in parts), answer


KITCHEN = [
    Sight(
        0,
        "",
        "You are in a kitchen.",
        Scene(
            "kitchen", ("stove, which is turned off", "oven, which is turned off, door closed", "cup, in the cupboard")
        ),
    )
]


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("is the stove on?", ("No", "the beginning")),
        ("is the oven closed?", ("Yes", "door closed")),
        ("what's in the cupboard?", ("cup",)),
        ("where's the cup?", ("The cup", "in the cupboard")),
        ("what is in the oven?", ("not seen what is in the oven",)),
    ],
)
def test_the_states_of_what_lies_about(asked: str, parts: tuple[str, ...]) -> None:
    answer = recollect(asked, KITCHEN)
    assert all(part in answer for part in parts), answer


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("where did we leave the thermometer?", ("step 4", "table")),
        ("is the stove on?", ("Yes", "step 2")),
        ("what's the temperature of the water?", ("48 degrees", "step 3")),
        ("which rooms have we visited?", ("kitchen, hallway",)),
        ("have we been in the workshop yet?", ("No",)),
    ],
)
def test_a_laboratory(asked: str, parts: tuple[str, ...]) -> None:
    answer = recollect(asked, LAB)
    assert all(part in answer for part in parts), answer


@pytest.mark.parametrize(
    "said",
    [
        "how are you?",
        "what is 3 times 4?",
        "is the moon cold?",
        "where is Paris?",
        "what's in a negroni?",
        "open the fridge",
        "what is the capital of France?",
        "is it raining?",
        "thanks!",
        "could you open the drawer?",
        "is this a joke?",
    ],
)
def test_other_talk_is_none_of_ours(said: str) -> None:
    assert recollect(said, HOUSE) == "" == recollect(said, LAB)
