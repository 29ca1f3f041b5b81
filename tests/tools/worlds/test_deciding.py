"""What is done in the end: signs, pieces, candidates and the learned choice among them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import pytest

from memory.embedder import Embedder
from tools.worlds import grounding
from tools.worlds.grounding import Actions, NotAnAction, Unclear
from tools.worlds.words.deciding import verdict
from tools.worlds.words.options import Option, options
from tools.worlds.words.scorer import chances, stored, verbal
from tools.worlds.words.signs import Heard, Verdict, candidates
from tools.worlds.words.spans import MOST, spans
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings

ground = partial(grounding.ground, tokens=Embedder().tokens)
ROOM = (
    "go to desk 1",
    "go to safe 1",
    "go to drawer 1",
    "go to drawer 2",
    "take mug 1 from bed 1",
    "look",
    "inventory",
)
HERE = Surroundings("alfworld", ROOM)


def found(says: str, here: Surroundings = HERE) -> list[Option]:
    return options(heard(says, here), here)


@pytest.mark.parametrize(
    ("says", "action"),
    [
        ("The party shall now approach drawer two.", "go to drawer 2"),
        ("Proceed to the sole desk within these premises.", "go to desk 1"),
        ("we'll want that mug so get it", "take mug 1 from bed 1"),
    ],
)
def test_the_action_is_found_in_talk(says: str, action: str) -> None:
    assert ground(says, "alfworld", ROOM) == Actions((action,))


@pytest.mark.parametrize(
    "says", ["the weather is lovely", "take the kettle", "don't take the mug, love", "what is 12 times 7?"]
)
def test_nothing_is_done_where_nothing_is_asked_for(says: str) -> None:
    assert not isinstance(ground(says, "alfworld", ROOM), Actions)


def test_names_numbers_and_verbs_are_heard_anywhere() -> None:
    said = heard("well love, the drawer number two, would you open it comma please", HERE)
    assert [list(spot.fits) for spot in said.spots] == [["drawer 2"]]
    assert "open" in {cue.intent.name for cue in said.cues}
    assert "comma" not in said.words


def test_options_say_what_tells_siblings_apart() -> None:
    signs = {option.action: option.features for option in found("let us use the second drawer")}
    assert signs["go to drawer 2"]["arg0 number said"] == 1 and signs["go to drawer 1"]["arg0 other number"] == 1
    assert "only of its kind" in signs["go to desk 1"] and "only of its kind" not in signs["go to drawer 1"]
    assert signs[""]["nothing"] == 1
    highest = {option.action: option.features for option in found("the highest drawer")}
    assert "highest" in highest["go to drawer 2"] and "highest" not in highest["go to drawer 1"]
    assert "forbidden" in {n for o in found("never take the mug") if o.action.startswith("take") for n in o.features}


def test_options_say_what_is_spared_what_will_do_and_what_comes_again() -> None:
    room = ("take fork 1 from desk 1", "take fork 2 from desk 1", "take mug 1 from desk 1", "open drawer 1")
    here = Surroundings("alfworld", room, "", None, ("open drawer 1",))
    fork, _, mug, opened = room

    def signs(says: str, action: str) -> set[str]:
        return {name for option in found(says, here) if option.action == action for name in option.features}

    assert "arg0 spared" in signs("leave the mug, take a fork", mug)
    assert "arg0 spared" not in signs("leave the mug, take a fork", fork) | signs("do leave, but take the mug", mug)
    assert {"arg0 some", "tie, some"} <= signs("take a fork", fork) and "arg0 some" in signs("any of the forks", fork)
    assert "tie, the" in signs("take the fork", fork) and "arg0 some" not in signs("take the fork", fork)
    assert "arg0 odd" in signs("take the chipped mug", mug) and "arg0 odd" not in signs("take the mug", mug)
    assert "same as last, again" in signs("do it once more", opened)
    assert "same as last, again" not in signs("open the drawer", opened)


@pytest.mark.parametrize("says", ["heat it up", "open it again", "take it", "put it down here"])
def test_what_lasts_is_not_guessed_for_another_verb(says: str) -> None:
    fridge = ("cool potato 1 with fridge 1", "close fridge 1", "move potato 1 to fridge 1", "go to microwave 1", "look")
    recent = ("go to fridge 1", "open fridge 1", "take potato 1 from fridge 1")
    done = ground(says, "alfworld", fridge, "You pick up the potato 1 from the fridge 1.", recent=recent)
    assert not isinstance(done, Actions) or "cool potato 1 with fridge 1" not in done.actions
    assert ground("chill it", "alfworld", fridge, recent=recent) == Actions(("cool potato 1 with fridge 1",))


def test_a_sentence_is_read_in_pieces_too() -> None:
    runs = spans("we need that mug, so please grab it and look")
    assert [run.text for run in runs if run.first == run.last] == ["we need that mug", "please grab it", "look"]
    assert {(run.first, run.last) for run in runs} == {(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)}
    assert spans("take the mug") == [] and spans("...") == []
    assert max(run.count for run in spans("a, b, c, d, e, f, g, h")) == MOST


def test_verdicts_become_candidates_with_their_rest() -> None:
    whole = verdict(Unclear("Which?", ("go to drawer 1", "go to drawer 2")))
    piece = Verdict("did", ("go to desk 1",), ("take it",))
    run = spans("first, second")[0]
    likely = {"": -1.0, "go to drawer 1": -2.0, "go to drawer 2": -9.0, "go to desk 1": -3.0}
    reads = {one.steps: one for one in candidates(Heard(whole, ((run, piece),)), likely, "alfworld")}
    assert set(reads) == {(), ("go to drawer 1",), ("go to desk 1",)}, "what is too unlikely is none"
    assert reads[("go to desk 1",)].rest == ("take it",)
    assert reads[("go to drawer 1",)].signs["asked, of few"] == 0.5
    assert reads[()].signs["nothing: whole ask"] == 1 and "nothing: bias" not in reads[("go to desk 1",)].signs
    assert verdict(NotAnAction()) == Verdict("none")


def test_names_are_compared_word_by_word() -> None:
    listed = ("close door to hallway", "close door to outside", "close door to kitchen")
    here = Surroundings("scienceworld", listed)
    signs = {o.action: o.features for o in found("close door to hallway please, the kitchen can wait", here)}
    assert signs[listed[0]]["arg0 own word"] == 1 and "arg0 outdone" in signs[listed[1]]
    assert signs[listed[0]]["arg0 share"] > signs[listed[1]]["arg0 share"] > 0


def test_chances_are_chances_and_paraphrase_needs_no_table() -> None:
    import math

    says = "relocate over by drawer 2"
    likely = chances(None, found(says), HERE, None, stored())
    assert math.isclose(sum(map(math.exp, likely.values())), 1.0, abs_tol=1e-3)
    assert max(likely, key=lambda action: likely[action]) == "go to drawer 2"
    assert verbal("stoveburner 2") == "stove burner"


def test_names_come_in_the_same_order_in_every_process() -> None:
    """Not in that of a set of texts, which is another one each time: the fit and the questions hang on it."""
    says = (
        "from tools.worlds.words.surroundings import Surroundings; "
        "print(Surroundings('alfworld', [f'go to {n} 1' for n in ('shelf', 'bed', 'desk', 'safe', 'sofa')]).names)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", says], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] and b"shelf" in runs[0]
