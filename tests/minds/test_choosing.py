"""Choices that learned odds and a model make together."""

from __future__ import annotations

from minds.choosing import Lines, Reader
from minds.models.language import Abilities, Usage
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


async def test_where_a_model_cannot_weigh_the_learned_odds_choose() -> None:
    usage, model = Usage(), FakeModel(lambda _: ["pot"], abilities=Abilities(schema=True))
    lines = Lines(await Reader.of(model, shown("small/world_wish", kinds="boil")), "Wish: tea", usage)
    assert await lines.chosen("thing", {"kettle": 0.3, "pot": 0.7}) == "pot"
    assert await lines.written("place") == "", "it cannot go on with lines that were begun"
    assert not model.heard and usage.calls == 0
