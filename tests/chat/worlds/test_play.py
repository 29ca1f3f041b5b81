"""The commands that need no model."""

from __future__ import annotations

import pytest

from chat.worlds.commands import Control, control, is_command, shown, spec_of_play
from tests.toyworld import ToyWorlds
from tools.worlds.textworld import TextWorlds
from tools.worlds.world import WorldFault


def test_scienceworld_is_easy_unless_said_otherwise() -> None:
    spec, strategy, human, game = spec_of_play("/play scienceworld boil --game", lambda _: ToyWorlds())
    assert (spec.options, strategy, human, game) == (("easy",), "", False, True)
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


def test_a_world_without_a_list_of_tasks_wants_a_file() -> None:
    with pytest.raises(WorldFault, match=r"textworld lists no tasks: .*/play textworld PATH.* path of a game file"):
        spec_of_play("/play textworld", lambda _: TextWorlds())


def test_commands_are_read_literally() -> None:
    assert control("/world take") == Control("take") and control("/world  GO on") == Control("go on")
    assert control("/world undo 3") == Control("undo", 3) and control("/world return 2") == Control("return", 2)
    assert is_command(" /world x") and is_command("/play") and not is_command("/worlds") and not is_command("")
    for said in ("/world", "/world go", "/world undo many", "/world return", "/world take it"):
        with pytest.raises(WorldFault, match="/world take"):
            control(said)


def test_a_bubble_shows_the_words_of_the_button() -> None:
    assert shown("/world take") == "Let me" and shown("/world return 2") == "Take up again (2)"
    assert shown("/world dance") == "/world dance" and shown("take the mug") == "take the mug"
