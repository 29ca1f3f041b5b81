"""Choices that learned odds and a model make together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from minds.choosing import Lines, Reader, likeliest, together
from minds.models.language import Usage
from minds.strategies.steps import shown
from tests.fakes import FakeModel, in_turn


def small(*written: str) -> FakeModel:
    return FakeModel(lambda _: ["any"], in_turn(*written))


async def test_without_trained_layers_the_prompt_and_its_examples_are_read() -> None:
    model = small("go on")
    reader = await Reader.trained(model, shown("small/world_act"))
    assert await reader.chosen("Said: on", {"go on": 0.5, "stop": 0.5}, Usage()) == "go on"
    assert len(model.heard[0].messages) > 4


async def test_trained_layers_need_no_examples() -> None:
    model, trained = small(), small("stop")
    model.trained = trained
    reader = await Reader.trained(model, shown("small/world_act"))
    assert await reader.chosen("Said: no", {"go on": 0.5, "stop": 0.5}, Usage()) == "stop"
    assert len(trained.heard[0].messages) == 2, "one sentence, and what is asked"
    assert not model.heard


async def test_lines_go_on_from_what_was_begun() -> None:
    model = small(" kettle\n")
    lines = Lines(await Reader.of(model, shown("small/world_wish", kinds="boil")), "Wish: tea", Usage(), "kind: boil\n")
    assert await lines.chosen("thing", {"kettle": 0.5, "pot": 0.5}) == "kettle"
    assert model.heard[0].prefix == "kind: boil\nthing:"


class Weighs:
    """A model that gives each choice this probability."""

    def __init__(self, odds: Mapping[str, float]) -> None:
        self._odds = odds

    async def weigh(self, *_: object) -> dict[str, float]:
        return {one: math.log(p) for one, p in self._odds.items()}


async def test_two_that_differ_in_a_number_alone_are_as_likely_as_one_of_them_would_be() -> None:
    one_sink: Any = Weighs({"go to sinkbasin 1": 0.6, "UNCLEAR": 0.4})
    two: Any = Weighs({"go to sinkbasin 1": 0.25, "go to sinkbasin 2": 0.35, "UNCLEAR": 0.4})
    alone = await together(one_sink, [], "", {"go to sinkbasin 1": 0.8, "UNCLEAR": 0.2}, Usage())
    split = await together(two, [], "", {"go to sinkbasin 1": 0.4, "go to sinkbasin 2": 0.4, "UNCLEAR": 0.2}, Usage())
    assert sum(split.values()) == pytest.approx(1.0)
    best, p = likeliest(split)
    assert best == "go to sinkbasin 2" and p == pytest.approx(alone["go to sinkbasin 1"], abs=1e-4)


def test_actions_that_differ_in_their_numbers_alone_count_together() -> None:
    odds = {"go to sinkbasin 1": 0.3, "UNCLEAR": 0.35, "go to sinkbasin 2": 0.34, "open drawer 1": 0.01}
    best, p = likeliest(odds)
    assert best == "go to sinkbasin 2" and p == pytest.approx(0.64)
    apart = {"move egg b to box": 0.45, "move egg c to box": 0.55}
    assert likeliest(apart) == ("move egg c to box", 0.55), "letters mark different things in a laboratory"
    assert likeliest({"0": 0.3, "1": 0.7}) == ("1", 0.7), "numbers to choose among are no likes of one another"
