"""Words to actions: corrections, contrasts, asides, choices left open, steps on the way, and what is refused."""

from __future__ import annotations

from functools import partial

import pytest

from memory.embedder import Embedder
from tools.worlds import grounding
from tools.worlds.grounding import Actions, Impossible, NotAnAction, Unclear
from tools.worlds.words.text import tidy
from tools.worlds.words.turns import corrected

ground = partial(grounding.ground, tokens=Embedder().tokens)
PLACES = ("cabinet 1", "cabinet 2", "drawer 1", "fridge 1", "microwave 1", "sinkbasin 1", "toaster 1")
GOES = tuple(f"go to {place}" for place in PLACES)
FORKS = (
    *GOES,
    "take fork 2 from desk 1",
    "take fork 3 from desk 1",
    "take mug 1 from desk 1",
    "examine desk 1",
    "look",
    "help",
)
AT_DESK = "You arrive at desk 1. On the desk 1, you see a fork 3, a fork 2, and a mug 1."
HELD = (*GOES, "move mug 1 to shelf 1", "examine mug 1", "examine shelf 1", "use desklamp 1", "inventory", "look")
AT_SHELF = "You arrive at shelf 1. On the shelf 1, you see a desklamp 1, and a pencil 1."
HEATED = (*GOES, "heat mug 2 with microwave 1", "examine mug 2", "close microwave 1", "look")
AFTER_HEAT = "You heat the mug 2 using the microwave 1."
ROOM = (
    "close door",
    "go to hallway",
    "go to door",
    "pick up axe",
    "move axe to hallway",
    "use axe on wood",
    "pick up cup containing red paint in cupboard",
    "pick up cup containing red paint in desk",
    "focus on paint in bowl",
    "focus on paint in cup",
    "connect anode in battery to red wire terminal 1",
    "connect anode in battery to red wire terminal 2",
    "look at battery",
    "look at red wire",
    "pick up wood",
    "deactivate fridge",
    "put down orange",
    "look around",
    "wait",
    "task",
)
SEEN = (
    "This room is called the workshop. In it, you see: \n\tthe agent\n\ta bowl (containing violet paint)\n\t"
    "a cupboard. The cupboard door is closed. \n\ta desk\n\tan axe\n\ta substance called wood\nYou also see:\n\t"
    "A door to the hallway (that is open)"
)


@pytest.mark.parametrize(
    ("says", "actions"),
    [
        ("fork 3, not fork 2", ["take fork 3 from desk 1"]),
        ("take a fork but not fork 2", ["take fork 3 from desk 1"]),
        ("go to the fridge... sorry, the toaster", ["go to toaster 1"]),
        ("no wait, I meant the toaster, go there", ["go to toaster 1"]),
        ("not the fridge, the toaster", ["go to toaster 1"]),
        ("never mind the fork, grab the mug", ["take mug 1 from desk 1"]),
        ("skip that. cabinet 2", ["go to cabinet 2"]),
        ("move over to the cabinets, the second cabinet", ["go to cabinet 2"]),
    ],
)
def test_corrections_and_contrasts(says: str, actions: list[str]) -> None:
    assert ground(says, "alfworld", FORKS, AT_DESK) == Actions(tuple(actions))


@pytest.mark.parametrize(
    "says", ["grab a fork, doesn't matter which", "a fork please, either one", "fork 2 or fork 3, your choice"]
)
def test_any_will_do(says: str) -> None:
    done = ground(says, "alfworld", FORKS, AT_DESK)
    assert isinstance(done, Actions) and len(done.actions) == 1 and done.actions[0].startswith("take fork")


@pytest.mark.parametrize("says", ["take the fork", "take fork 2 or fork 3", "take any old plate"])
def test_a_choice_is_the_persons(says: str) -> None:
    assert isinstance(ground(says, "alfworld", FORKS, AT_DESK), Unclear | Impossible)


def test_before_and_after_are_put_in_order() -> None:
    done = ground("before you go to the sink take the mug", "alfworld", FORKS, AT_DESK)
    assert done == Actions(("take mug 1 from desk 1", "go to sinkbasin 1"))


@pytest.mark.parametrize(
    ("says", "first"),
    [
        ("I'd like that mug cold please", "go to fridge 1"),
        ("wash this mug for me", "go to sinkbasin 1"),
        ("put the mug next to the pencil", "move mug 1 to shelf 1"),
        ("let's get some light", "use desklamp 1"),
        ("what does the mug say?", "examine mug 1"),
        ("list my belongings", "inventory"),
        ("turn on the lamp, it's rather dark", "use desklamp 1"),
    ],
)
def test_wishes_with_something_in_hand(says: str, first: str) -> None:
    done = ground(says, "alfworld", HELD, AT_SHELF)
    assert isinstance(done, Actions) and done.actions[0] == first


@pytest.mark.parametrize("says", ["do it again", "one more time please"])
def test_once_more(says: str) -> None:
    assert ground(says, "alfworld", HEATED, AFTER_HEAT) == Actions(("heat mug 2 with microwave 1",))
    assert ground(says, "alfworld", GOES, AFTER_HEAT) != Actions(("heat mug 2 with microwave 1",))


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("leave this room", "go to hallway"),
        ("chop the log", "use axe on wood"),
        ("take the cup with the red paint", "pick up cup containing red paint in desk"),
        ("focus on the violet paint", "focus on paint in bowl"),
        ("hook up the battery to the red wire", "connect anode in battery to red wire terminal 1"),
        ("fridge off", "deactivate fridge"),
        ("remind me of the task", "task"),
        ("twiddle your thumbs", "wait"),
    ],
)
def test_in_the_laboratory(says: str, action: str) -> None:
    assert ground(says, "scienceworld", ROOM, SEEN) == Actions((action,))


def test_what_is_carried_to_a_room_is_picked_up_and_walked_there() -> None:
    done = ground("grab the axe and take it to the hallway", "scienceworld", ROOM, SEEN)
    assert done == Actions(("pick up axe", "go to hallway"))


@pytest.mark.parametrize(
    "says",
    [
        "please stay out of the cabinet",
        "the mug is nice, isn't it?",
        "make me a cappuccino",
        "take a nap on the desk",
        "pet the mug",
        "drop it on the floor",
    ],
)
def test_nothing_is_done(says: str) -> None:
    assert isinstance(ground(says, "alfworld", FORKS, AT_DESK), Unclear | Impossible | NotAnAction)


def test_what_mends_takes_the_place_of_what_was_said() -> None:
    for said, meant in (
        ("put it on the desk , no , in the sink", "put it in the sink"),
        ("go to drawer 2 , no 3", "go to drawer 3"),
        ("take the mug , then go", "take the mug , then go"),
    ):
        assert " ".join(corrected(said.split())) == meant


def test_an_owner_is_no_state() -> None:
    assert tidy("the safe's empty") == "the safe is empty"
    assert tidy("the fridge's door") == "the fridge door"
