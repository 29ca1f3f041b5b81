"""Game files that a person names: what can go wrong before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.worlds import simulator
from tools.worlds.textworld import TextWorlds
from tools.worlds.textworld_game import _plain
from tools.worlds.world import UnknownTask, WorldSpec


def test_one_line_makes_it_a_world() -> None:
    assert isinstance(simulator("textworld"), TextWorlds)


def test_files_that_are_not_there_or_cannot_be_played_are_named_with_those_that_can(tmp_path: Path) -> None:
    (tmp_path / "castle.z8").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UnknownTask, match=r"castle\.z8"):
        TextWorlds().open(WorldSpec("textworld", str(tmp_path / "casle.z8")))
    with pytest.raises(UnknownTask, match="is no game file"):
        TextWorlds().open(WorldSpec("textworld", str(tmp_path / "notes.txt")))


def test_big_letters_and_status_lines_are_left_out() -> None:
    assert _plain("\n  ____\n |$$ |\n  \\$$\n\nYou wake up.\n\n-= Hall =-\nCold.\n\n>      -= Hall =-0/1") == (
        "You wake up.\n\n-= Hall =-\nCold."
    )
