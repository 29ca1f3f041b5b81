"""`play`: the words it becomes."""

from __future__ import annotations

import pytest

from chat.play import command
from chat.telling import spec_of_play
from tests.toyworld import ToyWorlds
from tools.worlds.world import WorldFault, WorldSpec


def test_flags_become_words_that_are_read_back() -> None:
    said = command({"world": "alfworld", "task": "a b/mug", "variation": 3, "strategy": "oracle", "human": True})
    assert spec_of_play(said, lambda _: ToyWorlds()) == (WorldSpec("alfworld", "a b/mug", 3, ()), "oracle", True)


def test_scienceworld_is_easy_unless_said_otherwise() -> None:
    spec, strategy, human = spec_of_play("/play scienceworld boil", lambda _: ToyWorlds())
    assert (spec.options, strategy, human) == (("easy",), "", False)
    assert spec_of_play("/play scienceworld boil --options ''", lambda _: ToyWorlds())[0].options == ()


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("/play", "/play WORLD TASK"),
        ("/play alfworld mug more", "/play WORLD TASK"),
        ("/play alfworld 'mug", "/play WORLD TASK"),
        ("/play alfworld mug --fast", "/play WORLD TASK"),
        ("/play alfworld", "mug"),
        ("/play alfworld mug --variation x", "whole number"),
        ("/play alfworld mug --strategy magic", "oracle"),
    ],
)
def test_what_cannot_be_read_is_said(said: str, says: str) -> None:
    with pytest.raises(WorldFault, match=says):
        spec_of_play(said, lambda _: ToyWorlds())
