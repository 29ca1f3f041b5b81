"""`play` and the commands that need no model."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from chat.line import Line, LocalLine
from chat.settings import Settings
from chat.worlds.commands import Control, control, is_command, shown, spec_of_play
from chat.worlds.play import command, play
from tests.chat.worlds.ground import Ground
from tests.toyworld import INTRO, ToyWorlds
from tools.worlds.textworld import TextWorlds
from tools.worlds.world import WorldFault, WorldSpec


def test_flags_become_words_that_are_read_back() -> None:
    said = command({"world": "alfworld", "task": "a b/mug", "variation": 3, "strategy": "oracle", "human": True})
    assert spec_of_play(said, lambda _: ToyWorlds()) == (WorldSpec("alfworld", "a b/mug", 3, ()), "oracle", True, False)


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


async def test_who_acts_on_the_terminal_reads_the_opening_once(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @asynccontextmanager
    async def line(_: Settings) -> AsyncIterator[Line]:
        duet = SimpleNamespace(runs=ground.runs, open_session=lambda *_: ground.session(), take_up=lambda _: None)
        yield LocalLine(duet)  # type: ignore[arg-type]

    monkeypatch.setattr("chat.worlds.play.open_line", line)
    monkeypatch.setattr("sys.stdin", io.StringIO("go to desk 1\n"))
    assert await play(Settings(user="ada"), {"world": "alfworld", "task": "mug", "human": True}) == 0
    out = capsys.readouterr().out
    assert out.count(INTRO) == 1 and "1. go to desk 1" in out


def test_commands_are_read_literally() -> None:
    assert control("/world take") == Control("take") and control("/world  GO on") == Control("go on")
    assert control("/world undo 3") == Control("undo", 3) and control("/world return 2") == Control("return", 2)
    assert is_command(" /world x") and is_command("/play") and not is_command("/worlds") and not is_command("")
    for said in ("/world", "/world go", "/world undo many", "/world return", "/world take it"):
        with pytest.raises(WorldFault, match="/world take"):
            control(said)


def test_a_bubble_shows_the_words_of_the_button() -> None:
    assert shown("/world take") == "Let me" and shown("/world return 2") == "Take up again (task 2)"
    assert shown("/world dance") == "/world dance" and shown("take the mug") == "take the mug"
