"""What is a wish, who acts and what a turn is are fitted beside all the other weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from minds.policies.wishes import DRIVES, TURNS, WEIGHTS
from minds.training import minilm
from minds.training.rows import Row
from minds.training.wishes.data import BESIDE, Lists, Said
from minds.training.wishes.refit import opened, refit_own, tempered

MINE, YOURS = "put the mug away, let me do it myself", "put the mug away for me, I only watch"
SHARED = "put the mug away, you begin and I take over"
DRIVE = {MINE: "person", YOURS: "assistant", SHARED: "both"}
TASK = {MINE: "WISH", "how is a mug made": "TALK", "my cat is ill": "TALK"}
TURN = {"you do the rest now": "ASSISTANT", "let us get out of here": "LEAVE", "my cat is ill": "TALK"}


@pytest.fixture
def fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def of(labels: dict[str, str]) -> object:
        return lambda _, *, apart: list(labels.items()) * 8

    monkeypatch.setattr(Lists, "wished", of(TASK))
    monkeypatch.setattr(Lists, "drives", of(DRIVE))
    monkeypatch.setattr(Lists, "turns_among_others", of(TURN))
    monkeypatch.setattr(minilm, "SIZE", 6)
    monkeypatch.setattr(minilm, "WARM", 1)
    refit_own(WEIGHTS, tmp_path / "wishes.safetensors", Lists([], [], []))
    return tmp_path / "wishes.safetensors"


@pytest.mark.real  # the embedder's own layers are fitted
def test_only_what_has_layers_of_its_own_is_heard_otherwise(fitted: Path) -> None:
    before, after = load_file(WEIGHTS), load_file(fitted)
    changed = {name for name in after if name not in before or not np.array_equal(before[name], after[name])}
    assert {name.partition(".")[0] for name in changed} == {"task", "drive", "turn"}
    wishes = opened(fitted)
    assert {text: max(of := wishes.turn(text), key=lambda one: of[one]) for text in TURN} == TURN
    assert {text: wishes.wish(text).drive for text in DRIVE} == DRIVE
    assert wishes.wish(MINE).p > 0.5 > wishes.wish("my cat is ill").p
    assert wishes.meant("my cat is ill")[0] < wishes.meant("you do the rest now")[0]


def test_no_surer_than_others_allow() -> None:
    sure = np.array([[0.98, 0.02]] * 8)
    assert tempered(sure, [0] * 7 + [1]) > tempered(sure, [0] * 8)


def test_wishes_and_turns_behind_a_task_are_told_apart_by_their_authors() -> None:
    behind = [
        Said("again, let me", False, False, drive="person", means="AGAIN"),
        Said("again", False, True, drive="assistant", means="AGAIN"),
    ]
    ours, apart = (Lists([], [], behind).drives(apart=far) for far in (False, True))
    assert ("again, let me", "person") in ours and ("again", "assistant") in apart
    assert len(ours) > 200 and len(apart) >= 100 and not {*dict(ours)} & {*dict(apart)}
    assert {drive for _, drive in ours} == {drive for _, drive in apart} == set(DRIVES)


def test_all_that_authors_wrote_as_wishes_or_talk_tells_the_one_from_the_other() -> None:
    told = [Said("melt some tin", True, False, worth=3.0), Said("how hot is tin", False, False, worth=2.0)]
    many = [Said(f"put {n} away", True, False) for n in range(BESIDE + 5)]
    lists = Lists([*told, *many, Said("no such task", True, False, counts=False)], [], [])
    ours = dict(lists.own("task", apart=False))
    assert ours["melt some tin"] == "WISH" and ours["how hot is tin"] == "TALK" and "no such task" not in ours
    assert len(ours) == BESIDE + 2 and not lists.own("task", apart=True)


def test_turns_come_from_their_authors_from_worlds_and_from_talk() -> None:
    talk, wish = Said("what a day", False, False), Said("boil some water", True, False)
    acts: list[tuple[Row, bool]] = [
        ({"says": "open it", "expect": ["open fridge 1"]}, False),
        ({"says": "open it and look", "expect": ["examine fridge 1"], "done": 1}, False),
        ({"says": "no", "expect": [], "control": "UNDO"}, False),
    ]
    lists = Lists(
        [talk, wish], acts, [Said("again", False, False, means="AGAIN"), Said("go on", False, False, means="ON")]
    )
    ours, theirs = (dict(lists.turns_among_others(apart=apart)) for apart in (False, True))
    assert {ours["what a day"], ours["open it"], ours["no"], ours["again"]} == {"TALK", "ACTION", "UNDO", "AGAIN"}
    assert "go on" not in ours, "who goes on is not told"
    assert "boil some water" not in ours and "open it and look" not in ours
    assert set(ours.values()) == set(TURNS) and len(ours) > 400 and len(theirs) > 100 and not {*ours} & {*theirs}
