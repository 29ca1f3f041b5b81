"""Whether a stored question and a new one are the same."""

from __future__ import annotations

import pytest

from minds.alike import BAR, alike
from minds.models.language import Usage
from tests.fakes import FakeModel, in_turn


@pytest.fixture
def model() -> FakeModel:
    return FakeModel(lambda _: ["any"], in_turn())


async def test_a_model_without_layers_for_it_is_not_asked(model: FakeModel) -> None:
    assert await alike(model, "How far is the moon?", "How distant is the moon?") == 0
    assert not model.heard


async def test_they_are_the_same_whichever_stands_first(model: FakeModel) -> None:
    model.trained = FakeModel(lambda _: ["any"], in_turn("same", "same", "same", "different", "different"))
    usage = Usage()
    found = [await alike(model, "How far is the moon?", "The moon's distance?", usage) for _ in range(3)]
    assert found[0] >= BAR > found[1] > found[2]
    asked = [str(heard.messages[-1].content) for heard in model.trained.heard]
    assert asked[0] == "First: The moon's distance?\nSecond: How far is the moon?" and len(asked) == 5
    assert asked[1] == "First: How far is the moon?\nSecond: The moon's distance?"
