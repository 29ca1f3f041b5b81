"""SayCan: the model ranks candidates, their likeness to what is possible decides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from minds.dialogue import Episode, Step, in_world
from minds.models.language import Garbled
from minds.strategies import saycan
from minds.strategies.saycan import BEST, SayCan, values_of
from tests.fakes import SMALL, FakeModel
from tests.minds.strategies.toy import CHAT, PLAIN, TASK, bench, model, toy
from tests.toyworld import ToyWorld

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Letters:
    """Texts are alike that have the same letters."""

    def embed(self, texts: list[str]) -> np.ndarray[Any, Any]:
        rows: np.ndarray[Any, Any] = np.array([[text.count(sign) for sign in SIGNS] for text in texts], np.float32)
        lengths: np.ndarray[Any, Any] = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / lengths)


@pytest.fixture(autouse=True)
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saycan, "embedder", Letters)


async def test_a_model_that_can_weigh_ranks_all_that_is_possible_by_its_log_probability() -> None:
    asked = FakeModel(lambda _: [""], lambda _: ["go to drawer 1\n"], abilities=SMALL)
    move = await SayCan(bench(asked)).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to drawer 1", None)
    assert asked.heard[0].prefix == "> " and "go to drawer 1 " in move.thought


@pytest.mark.parametrize("abilities", [PLAIN, CHAT])
async def test_another_model_is_asked_for_a_ranked_list(abilities: object) -> None:
    asked = model("1. go to desk 1\n2. go to drawer 1\n3. look", abilities=abilities)  # type: ignore[arg-type]
    move = await SayCan(bench(asked)).act(Episode(TASK))
    assert move.action == "go to desk 1" and f"Write the {BEST} best" in asked.heard[0].last


async def test_the_number_of_a_line_is_no_part_of_the_action_and_an_answer_may_be_a_number() -> None:
    class Asking(ToyWorld):
        def admissible(self) -> tuple[str, ...]:
            return ("0", "1")

    move = await SayCan(bench(model("1. 1\n2) 0"), toy(Asking))).act(Episode(TASK))
    assert move.thought.startswith("Candidates: 1 ") and (move.action, move.wrote) == ("1", None)


@pytest.mark.parametrize("wrote", ["1: the mug in drawer 1", "1. the mug in drawer 1"])
async def test_which_one_the_world_asks_may_be_answered_in_words(wrote: str) -> None:
    class Asking(ToyWorld):
        def admissible(self) -> tuple[str, ...]:
            return ("0", "1")

    asked = "Ambiguous request: which?\n0:\ttake mug (on desk 1)\n1:\ttake mug (in drawer 1)\n"
    episode = Episode(TASK, (Step(in_world("", "take mug"), asked),))
    move = await SayCan(bench(model(f"{wrote}\n0"), toy(Asking))).act(episode)
    assert (move.action, move.wrote) == ("1", None)


async def test_headings_and_thoughts_are_no_candidates_and_what_is_listed_twice_counts_by_its_first_rank() -> None:
    listed = "Here are the best actions:\n\nthink: a mug\n1. **look**\n2. go to desk 1\nAction 3: look"
    move = await SayCan(bench(model(listed))).act(Episode(TASK))
    assert (move.action, move.wrote) == ("look", None)
    assert move.thought == "Candidates: look 67%; go to desk 1 33%."


async def test_the_value_function_takes_what_is_possible_and_likest_to_the_candidates() -> None:
    asked = model("walk over to the desk\ngo to the desk\nvisit desk 1")
    move = await SayCan(bench(asked)).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to desk 1", "walk over to the desk")


@pytest.mark.parametrize("best", ["Go to desk 1.", "`GO TO DESK 1`", "go to the desk"])
async def test_what_is_possible_however_it_is_written_was_not_replaced(best: str) -> None:
    move = await SayCan(bench(model(best))).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to desk 1", best if "the desk" in best else None)


def test_a_candidate_that_is_likelier_counts_more() -> None:
    values = values_of({"go to desk 1": 0.9, "open drawer 1": 0.1}, ["go to desk 1", "open drawer 1"])
    assert values["go to desk 1"] > values["open drawer 1"]
    assert math.isclose(values_of({"look": 1.0}, ["look"])["look"], 1.0, rel_tol=1e-5)


@pytest.mark.parametrize("nothing", ["", Garbled("All thinking.")])
async def test_where_nothing_can_be_read_nothing_changes(nothing: object) -> None:
    move = await SayCan(bench(model((nothing,)))).act(Episode(TASK))  # type: ignore[arg-type]
    assert (move.action, move.wrote) == ("look", "")


async def test_its_prompt_has_an_example_without_thoughts() -> None:
    asked = model("look")
    await SayCan(bench(asked, toy())).act(Episode(TASK))
    system = str(asked.heard[0].messages[0].content)
    assert "solved task" in system and "think:" not in system
