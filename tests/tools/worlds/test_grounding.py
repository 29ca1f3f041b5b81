"""Words to actions: what is done, what is asked back, what is refused and why, over lists as the worlds give them."""

from __future__ import annotations

import random
from functools import partial

import pytest

from memory.embedder import Embedder
from tools.worlds import grounding
from tools.worlds.grounding import Actions, Impossible, NotAnAction, Unclear, candidates, pick
from tools.worlds.words.text import parts, singular, spelled
from tools.worlds.world import Scene

ground = partial(grounding.ground, tokens=Embedder().tokens)
GOES = tuple(
    f"go to {place}" for place in ("cabinet 1", "cabinet 2", "drawer 1", "fridge 1", "garbagecan 1", "microwave 1")
)
TABLE = (
    *GOES,
    "examine diningtable 1",
    "take mug 1 from diningtable 1",
    "take mug 2 from diningtable 1",
    "take apple 1 from diningtable 1",
    "take knife 1 from diningtable 1",
    "take butterknife 3 from diningtable 1",
    "take remotecontrol 1 from diningtable 1",
    "look",
    "inventory",
)
AT_TABLE = (
    "You arrive at diningtable 1. On the diningtable 1, you see a mug 1, a mug 2, a apple 1, a knife 1, "
    "a butterknife 3, "
    "and a remotecontrol 1."
)
CLOSED = (
    *(action for action in GOES if action != "go to fridge 1"),
    "open fridge 1",
    "examine fridge 1",
    "examine apple 1",
    "cool apple 1 with fridge 1",
    "look",
    "inventory",
)
LAB = (
    "activate stove",
    "close door to hallway",
    "deactivate sink",
    "go to hallway",
    "look around",
    "look at thermometer",
    "look at metal pot",
    "look at substance in metal pot",
    "look at cup containing orange juice",
    "move metal pot to stove",
    "move metal pot to sink",
    "open door to kitchen",
    "open drawer in counter",
    "open drawer in cupboard",
    "pick up metal pot",
    "pick up red light bulb",
    "pick up blue light bulb",
    "pour substance in metal pot into sink",
    "put down thermometer",
    "use thermometer on substance in metal pot",
    "use thermometer on cup containing orange juice",
    "connect anode in battery to red wire terminal 1",
    "connect anode in battery to red wire terminal 2",
    "connect battery cathode to red wire terminal 1",
    "look at anode in battery",
    "look at battery cathode",
    "look at red wire terminal 1",
    "look at red wire terminal 2",
    "wait",
    "wait1",
)
LAB_TEXT = "This room is called the lab. In it, you see:\n\ta metal pot (containing a substance called water)\n"


def at_table(says: str, *recent: str) -> object:
    return ground(says, "alfworld", TABLE, AT_TABLE, recent=recent)


def in_lab(says: str) -> object:
    return ground(says, "scienceworld", LAB, LAB_TEXT)


def test_what_is_out_of_reach_is_walked_to_first() -> None:
    says = "put the mug in the fridge"
    held = (*(action for action in TABLE if not action.startswith("take")), "move mug 1 to diningtable 1")
    recent = ("go to diningtable 1", "take mug 1 from diningtable 1")
    assert ground(says, "alfworld", held, AT_TABLE, recent=recent) == Actions(("go to fridge 1",), (says,))


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("grab the apple from the table please", "take apple 1 from diningtable 1"),
        ("could u hand me that apple?", "take apple 1 from diningtable 1"),
        ("pick the remote up", "take remotecontrol 1 from diningtable 1"),
        ("take the knife", "take knife 1 from diningtable 1"),
        ("tkae teh aple", "take apple 1 from diningtable 1"),
        ("take the second mug", "take mug 2 from diningtable 1"),
        ("mug two, please", "take mug 2 from diningtable 1"),
        ("head over to the refrigerator", "go to fridge 1"),
        ("walk to cabinet no. 2", "go to cabinet 2"),
        ("i'd like you to go to the trash", "go to garbagecan 1"),
        ("go to drawer", "go to drawer 1"),
        ("TAKE MUG 1 FROM DININGTABLE 1", "take mug 1 from diningtable 1"),
        ("have a look around", "look"),
        ("what about taking the apple", "take apple 1 from diningtable 1"),
        ("winkle the remote off the table", "take remotecontrol 1 from diningtable 1"),
        ("saunter over to the fridge", "go to fridge 1"),
        ("on to the microwave now", "go to microwave 1"),
        ("the microwave, go there", "go to microwave 1"),
        ("fridge", "go to fridge 1"),
        ("the apple is rotten, take it", "take apple 1 from diningtable 1"),
        ("i am after the remote", "take remotecontrol 1 from diningtable 1"),
        ("it would be nice if you took the apple", "take apple 1 from diningtable 1"),
        ("what am i holding?", "inventory"),
        ("where am i?", "look"),
    ],
)
def test_a_wish_in_anyones_words_becomes_an_action(says: str, action: str) -> None:
    assert at_table(says) == Actions((action,))


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("fire up the stove", "activate stove"),
        ("put the pot on the stove", "move metal pot to stove"),
        ("measure the temperature of the water", "use thermometer on substance in metal pot"),
        ("pour the water into the sink", "pour substance in metal pot into sink"),
        ("use the thermometer on the orange juice", "use thermometer on cup containing orange juice"),
        ("open the kitchen door", "open door to kitchen"),
        ("turn the sink off", "deactivate sink"),
        ("take the red bulb", "pick up red light bulb"),
        (
            "hook up the battery's anode to terminal 2 of the red wire",
            "connect anode in battery to red wire terminal 2",
        ),
        ("wait a moment", "wait1"),
        ("drop the thermometer", "put down thermometer"),
        ("nudge the kitchen door open", "open door to kitchen"),
        ("the stove should be on", "activate stove"),
        ("the pot goes on the stove", "move metal pot to stove"),
        ("how hot is the orange juice?", "use thermometer on cup containing orange juice"),
        ("get me a temperature reading for the water", "use thermometer on substance in metal pot"),
    ],
)
def test_the_laboratory_is_understood_too(says: str, action: str) -> None:
    assert in_lab(says) == Actions((action,))


def test_several_steps_become_several_actions_and_what_must_wait_is_given_back() -> None:
    assert at_table("take the apple and go to the microwave") == Actions(
        ("take apple 1 from diningtable 1", "go to microwave 1")
    )
    assert at_table("go to the fridge, open it and take the egg out, then heat it") == Actions(
        ("go to fridge 1",), ("open it", "take the egg out", "heat it")
    )
    assert ground("open it", "alfworld", CLOSED, recent=("go to fridge 1",)) == Actions(("open fridge 1",))


def test_all_and_both_mean_every_one_of_them() -> None:
    both = ("take mug 1 from diningtable 1", "take mug 2 from diningtable 1")
    assert (
        at_table("take both mugs") == at_table("grab all of the mugs") == at_table("take mugs 1 and 2") == Actions(both)
    )


def test_two_that_fit_lead_to_a_question() -> None:
    asked = at_table("take the mug")
    assert isinstance(asked, Unclear)
    assert asked == Unclear(
        "Which mug: mug 1 or mug 2?", ("take mug 1 from diningtable 1", "take mug 2 from diningtable 1")
    )
    assert isinstance(in_lab("open the drawer"), Unclear)
    assert isinstance(in_lab("take the bulb"), Unclear)
    assert pick("the second one", asked.options) == pick("mug 2", asked.options) == asked.options[1]
    assert pick("the sword", asked.options) is None


def test_other_and_pronouns_refer_to_what_was_acted_on() -> None:
    taken = "take mug 1 from diningtable 1"
    assert at_table("now the other mug please", taken) == Actions(("take mug 2 from diningtable 1",))
    holding = (*GOES, "move mug 1 to shelf 3", "examine mug 1")
    assert ground("put it there", "alfworld", holding, recent=(taken, "go to shelf 3")) == Actions(
        ("move mug 1 to shelf 3",)
    )
    scene = Scene("shelf 3", holding=("mug 1",))
    assert ground("put it down", "alfworld", holding, scene=scene) == Actions(("move mug 1 to shelf 3",))


@pytest.mark.parametrize(
    ("says", "why", "possible"),
    [
        ("take the sword", "There is no sword here; I can see mug 1, mug 2, apple 1", "take "),
        ("take mug 7", "There is no mug 7 here", "take "),
        ("dance", "I cannot dance here", ""),
        ("turn on the mug", "is not possible here", ""),
    ],
)
def test_what_is_impossible_gets_a_reason(says: str, why: str, possible: str) -> None:
    done = at_table(says)
    assert isinstance(done, Impossible)
    assert why in done.why and done.why.endswith(".")
    assert all(action in TABLE and action.startswith(possible) for action in done.possible)


def test_what_is_closed_is_to_be_opened_first() -> None:
    done = ground("take the egg from the fridge", "alfworld", CLOSED, "The fridge 1 is closed.")
    assert done == Actions(("open fridge 1",), ("take the egg from the fridge",))
    done = ground("put the apple in the fridge", "alfworld", CLOSED, "The fridge 1 is closed.")
    assert done == Actions(("open fridge 1",), ("put the apple in the fridge",))
    assert in_lab("go to the kitchen") == Actions(("open door to kitchen",), ("go to the kitchen",))


def test_what_is_to_be_done_elsewhere_is_walked_to() -> None:
    assert at_table("open the fridge") == Actions(("go to fridge 1",), ("open the fridge",))
    assert at_table("check the fridge") == Actions(("go to fridge 1",), ("check the fridge",))


def test_what_is_so_already_is_told_and_does_not_stop_the_rest() -> None:
    opened = ("close fridge 1", "take egg 1 from fridge 1", "examine fridge 1")
    done = ground("open the fridge", "alfworld", opened)
    assert isinstance(done, Impossible) and done.already
    assert ground("open the fridge and take the egg", "alfworld", opened) == Actions(("take egg 1 from fridge 1",))


@pytest.mark.parametrize(
    "says",
    ["don't take the apple", "please never open the fridge", "do not go to the fridge", "Don't go to the fridge!"],
)
def test_what_is_forbidden_is_not_done(says: str) -> None:
    assert isinstance(at_table(says), Unclear)


def test_a_prohibition_beside_a_command_leaves_the_command() -> None:
    assert at_table("don't take the knife, take the apple") == Actions(("take apple 1 from diningtable 1",))
    assert at_table("take the apple, not the knife") == Actions(("take apple 1 from diningtable 1",))


@pytest.mark.parametrize(
    "says",
    [
        "how are you?",
        "is the apple hot?",
        "the apple looks nice",
        "thanks",
        "",
        "?!",
        "where is the mug?",
        "my brother took the apple",
        "give it a rest",
        "the knife is dangerous",
        "nice tapestry",
    ],
)
def test_talk_is_no_action(says: str) -> None:
    assert isinstance(at_table(says), NotAnAction)


def test_every_action_is_understood_in_its_own_words() -> None:
    for world, actions in (("alfworld", TABLE), ("scienceworld", LAB)):
        for action in actions:
            assert ground(f" {action.upper()}. ", world, actions) == Actions((action,))
            assert ground(f"please {action}", world, actions, LAB_TEXT) in (Actions((action,)), Actions(("wait1",)))


def test_whatever_is_typed_only_admissible_actions_come_out() -> None:
    rng = random.Random(3)
    words = [
        "take",
        "put",
        "the",
        "a",
        "mug",
        "all",
        "it",
        "from",
        "of",
        ",",
        "and",
        "then",
        "not",
        "open",
        "go",
        "to",
        "with",
        "in",
        "on",
        "2",
        "second",
        "other",
        "no",
        "please",
        "(",
        "'",
        "#",
        "9",
    ]
    for _ in range(400):
        says = " ".join(rng.choices(words, k=rng.randint(1, 12)))
        done = ground(says, "alfworld", TABLE, AT_TABLE, recent=("go to drawer 1",))
        told = done.actions if isinstance(done, Actions) else done.options if isinstance(done, Unclear) else ()
        assert set(told) <= set(TABLE), says
        assert not isinstance(done, Actions) or done.actions, says


def test_a_very_long_sentence_and_an_empty_list_do_no_harm() -> None:
    assert isinstance(ground("take " + "very " * 5000 + "mug", "alfworld", TABLE), Impossible | NotAnAction | Unclear)
    assert isinstance(ground("take the mug", "alfworld", ()), Impossible)


def test_a_stronger_model_gets_the_nearest_actions() -> None:
    near = candidates("lay your hands on the apple", TABLE, 3)
    assert len(near) == 3 and near[0][0] == "take apple 1 from diningtable 1"
    assert [score for _, score in near] == sorted((score for _, score in near), reverse=True)


def test_numbers_are_read_up_to_the_sixties() -> None:
    many = tuple(f"go to cabinet {number}" for number in range(1, 31))
    for says in ("the twenty-sixth cabinet", "cabinet number twenty six", "go to the 26th cabinet", "cabinet 26"):
        assert ground(says, "alfworld", many) == Actions(("go to cabinet 26",)), says


def test_names_are_known_in_another_order_and_the_young_of_animals_by_their_names() -> None:
    here = ("pick up egg parrot", "pick up baby baby wolf", "focus on solid unknown substance o")
    assert ground("get the parrot's egg", "scienceworld", here) == Actions(here[:1])
    assert ground("scoop up the wolf pup", "scienceworld", here) == Actions(here[1:2])
    assert ground("focus on the unknown substance", "scienceworld", here) == Actions(here[2:])


def test_words() -> None:
    assert parts("toiletpaperhanger") == ("toilet", "paper", "hanger")
    assert parts("cupboard") == ("cupboard",)
    assert [singular(word) for word in ("knives", "mugs", "glass", "shelves")] == ["knife", "mug", "glass", "shelf"]
    assert spelled("firdge", {"fridge"}, set()) == "fridge"
    assert spelled("sword", {"wood", "word"}, set()) == "sword"
