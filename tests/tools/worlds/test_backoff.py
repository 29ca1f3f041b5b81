"""The back-off: the action in a talkative sentence is found, talk and what is forbidden are left alone."""

from __future__ import annotations

import pytest

from tools.worlds.grounding import Actions, ground
from tools.worlds.words.backoff import find, options
from tools.worlds.words.backoff_fit import fitted
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings

ROOM = (
    "go to desk 1",
    "go to safe 1",
    "go to drawer 1",
    "go to drawer 2",
    "take mug 1 from bed 1",
    "look",
    "inventory",
)


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("The party shall now approach drawer two.", "go to drawer 2"),
        ("Proceed to the sole desk within these premises.", "go to desk 1"),
        ("I need something to drink from, the mug", "take mug 1 from bed 1"),
    ],
)
def test_the_action_is_found_in_talk(says: str, action: str) -> None:
    assert ground(says, "alfworld", ROOM) == Actions((action,))


@pytest.mark.parametrize(
    "says", ["the weather is lovely", "take the kettle", "don't take the mug, love", "peel a grape"]
)
def test_nothing_is_done_where_nothing_is_asked_for(says: str) -> None:
    assert not isinstance(ground(says, "alfworld", ROOM), Actions)


def test_names_numbers_and_verbs_are_heard_anywhere() -> None:
    said = heard("well love, the drawer number two, would you open it comma please", Surroundings("alfworld", ROOM))
    assert [list(spot.fits) for spot in said.spots] == [["drawer 2"]]
    assert "open" in {cue.intent.name for cue in said.cues}
    assert "comma" not in said.words


def test_what_is_forbidden_is_no_option() -> None:
    found = options("please never take the mug", Surroundings("alfworld", ROOM))
    assert "take mug 1 from bed 1" not in {one.action for one in found}


def test_chances_are_chances_and_weights_can_be_fitted() -> None:
    assert 0.0 < find("to the desk with you", Surroundings("alfworld", ROOM)).chance <= 1.0
    example = ([{"nothing": 1.0}, {"act": 1.0}], [False, True], 1.0)
    weights = fitted([example], rounds=60)
    assert weights["act"] > 0 > weights["nothing"]
