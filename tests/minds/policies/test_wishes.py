"""The weights for wishes: they load, rank a large state quickly, and what two texts share needs no language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memory.embedder import Embedder
from minds.policies.wishes import ASKED, NAMED, Floats, Ranked, Retold, Wishes, WishesFault, likenesses, nearest
from tools.worlds.actions import ActionSpace, bare


def vectors(texts: Sequence[str]) -> Floats:
    rows = np.random.default_rng(0).normal(size=(len(texts), 384)).astype(np.float32)
    found: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


STATES = np.random.default_rng(1).normal(size=(9, 384)).astype(np.float32)


def test_missing_weights_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(WishesFault, match="train wishes"):
        Wishes.load(Embedder().changed, tmp_path / "none.safetensors")


def test_what_is_near_comes_first_and_numbers_count() -> None:
    rows = likenesses("nimm die seifenschale 2", ["soap 1", "seifenschale 2", "seifenschale 3"], ["go to soap 1"])
    assert rows.shape == (3, NAMED)
    assert rows[1, 0] > rows[0, 0] and rows[1, 2] == 1 and rows[2, 3] == 1 and rows[0, 4] == 1
    assert bare("drawer 12") == "drawer"


def test_one_of_several_that_are_called_alike_is_told_from_the_only_one() -> None:
    names = ["drawer 1", "drawer 2", "desk 1"]
    alike = likenesses("open the drawer", names, [])[:, 6].tolist()
    assert alike == [1, 1, 0]
    assert likenesses("open drawer 2", names, [])[:, 6].tolist() == [1, 0, 0], "the number says which"


def test_numbers_count_when_they_are_written_as_words() -> None:
    names = ["drawer 2", "drawer 9", "drawer 13"]
    assert likenesses("see drawer number nine", names, [])[:, 2].tolist() == [0, 1, 0]
    assert likenesses("the thirteenth, please", names, [])[:, 2].tolist() == [0, 0, 1]
    assert likenesses("the second one", names, [])[:, 2].tolist() == [1, 0, 0]
    assert not likenesses("that one, at first", names, [])[:, 2:4].any(), "hardly a name's number"


def test_of_actions_that_differ_in_their_number_alone_one_stands_for_all() -> None:
    sinks = {"go to sinkbasin 1": 0.15, "go to sinkbasin 2": 0.15, "go to bed 1": 0.2, "open drawer 1": 0.1}
    assert Ranked(sinks, {}).near() == pytest.approx(
        {"go to sinkbasin 1": 0.3, "go to bed 1": 0.2, "open drawer 1": 0.1}
    )
    known = {"close drawer 3": 0.6, "close drawer 1": 0.1, "close drawer 2": 0.1, "3": 0.05, "4": 0.05}
    assert list(Ranked(known, {}).near()) == ["close drawer 3", "close drawer 1", "close drawer 2", "3", "4"]
    letters = {"move egg b to box": 0.4, "move egg c to box": 0.4}
    assert Ranked(letters, {}).near() == letters, "in a laboratory they mark different things"


def test_as_few_as_hold_nearly_all() -> None:
    scores = np.array([0.0, 9.0, 1.0, 0.5], np.float32)
    assert list(nearest(("a", "b", "c", "d"), scores)) == ["b", "c"]
    assert len(nearest(tuple("abcdefgh"), np.zeros(8, np.float32))) == 5


def test_a_large_state_is_ranked_whole() -> None:
    wishes = Wishes.load(lambda low: lambda text: STATES)
    names = [f"{thing} {n}" for thing in ("mug", "drawer", "gizmo") for n in range(11)]
    space = ActionSpace([f"move {one} to {other}" for one in names for other in names if one != other])
    assert len(space.admissible) > 1000
    found = wishes.ranked("put mug 3 into drawer 4", space, ("look",), vectors)
    assert sorted(found.actions) == sorted(space.admissible)
    assert sum(found.actions.values()) + sum(found.instead.values()) == pytest.approx(1, abs=1e-4)


def test_what_was_learned_tells_wishes_from_talk_and_actions_apart() -> None:
    wishes = Wishes.load(Embedder().changed)
    wish, talk = wishes.wish("please put a clean mug on the coffee machine"), wishes.wish("I slept badly last night")
    assert wish.p > 0.9 > 0.1 > talk.p
    assert next(iter(wish.kinds)) == "clean_and_put" and next(iter(wish.things)) == "Mug"
    space = ActionSpace(["take mug 1 from shelf 1", "go to shelf 2", "open drawer 1"])
    assert next(iter(wishes.ranked("grab that cup", space, (), Embedder().embed).actions)) == "take mug 1 from shelf 1"
    assert wishes.ranked("oops, undo that", space, ("open drawer 1",), Embedder().embed).instead["UNDO"] > 0.5


def test_what_was_learned_goes_on_where_the_words_ask_for_more_and_ends_where_they_do_not() -> None:
    wishes, embed = Wishes.load(Embedder().changed), Embedder().embed
    moves = ["go to bed 1", "go to drawer 1", "go to fridge 1", "look"]

    def further(said: str, *done: str, here: str) -> str:
        odds = wishes.further(said, ActionSpace([here, *moves]), done, len(done), embed)
        return next((action for action, p in odds.items() if p >= ASKED), "")

    assert further("have a nosy in drawer two", "go to drawer 2", here="open drawer 2") == "open drawer 2"
    assert further("chill the mug", "go to fridge 1", here="cool mug 1 with fridge 1") == "cool mug 1 with fridge 1"
    assert further("drawer 2 please", "go to drawer 2", here="open drawer 2") == ""
    assert further("open it", "open drawer 2", here="take mug 1 from drawer 2") == ""
    assert further("Kindly open the refrigerator, please.", "open fridge 1", here="close fridge 1") == ""


def test_what_was_learned_hears_who_begins_and_that_another_task_was_meant() -> None:
    wishes = Wishes.load(Embedder().changed)
    said = {"both": "could you make a start on boiling some water and then i carry on", "person": "let me boil it"}
    assert {drive: wishes.wish(text).drive for drive, text in said.items()} == {drive: drive for drive in said}
    odds = wishes.turn("no, not the apple, I meant the potato")
    assert max(odds, key=lambda name: odds[name]) == "OTHER"


def test_other_languages_are_heard_in_both_and_another_task_of_the_laboratory_is_told_from_this_one() -> None:
    wishes = Wishes.load(Embedder().changed)
    own, english = "Nee, mach das letzte wieder rückgängig.", "No, put the last one back in the drawer."
    both, each = wishes.turn(Retold(english, own)), [wishes.turn(text) for text in (own, english)]
    assert both["UNDO"] == pytest.approx((each[0]["UNDO"] + each[1]["UNDO"]) / 2, abs=1e-6)
    assert max(both, key=lambda name: both[name]) == "UNDO"
    assert wishes.own("task", Retold(english, own)) == wishes.own("task", english), "a wish is heard worse there"
    goal = "determine if glass jar is electrically conductive"
    assert wishes.another("I want chocolate to melt, I'll do the first steps myself", goal)
    assert not wishes.another("you do the rest of it, I am tired", goal)
    assert not wishes.another("test whether the jar conducts, from the beginning", goal)


def test_another_task_of_a_household_is_told_from_the_same_one_anew() -> None:
    wishes, goal = Wishes.load(Embedder().changed), "heat some mug and put it in cabinet"
    assert wishes.another("alright, next job: two pillows on the sofa", goal)
    assert not wishes.another("the mug once more, heat it and put it away, me first this time", goal)
    assert not wishes.another("again please", goal)


def test_a_task_that_was_left_is_rather_gone_on_with_than_left_or_acted_in() -> None:
    wishes = Wishes.load(Embedder().changed)
    for said in ("pick that up again", "we weren't done, get back in"):
        before, left = wishes.over(said)[0], wishes.over(said, left=True)[0]
        assert max(before, key=lambda one: before[one]) != "ON" == max(left, key=lambda one: left[one])
        assert sum(left.values()) == pytest.approx(sum(before.values()))
    assert wishes.over("where was it?", left=True)[0]["STORY"] > 0.9
    assert (wishes.driver("you do the rest of it", on=True), wishes.driver("pick it up again", on=True)) == (
        "assistant",
        None,
    )
