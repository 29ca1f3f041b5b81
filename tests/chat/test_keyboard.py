"""Typing on a terminal while something is printed there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from chat.faults import ChatFault
from chat.keyboard import Keyboard, paths_of, read_file


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    """What is sent there is typed."""
    with create_pipe_input() as pressed, create_app_session(input=pressed, output=DummyOutput()):
        yield pressed


async def test_a_paste_of_many_lines_is_one_text(keys: PipeInput) -> None:
    keys.send_text("What does it print? \x1b[200~def f():\r    return 1\r\rprint(f())\x1b[201~\r")
    assert await Keyboard().read() == "What does it print? def f():\n    return 1\n\nprint(f())"


@pytest.mark.slow
async def test_a_text_longer_than_a_terminals_line_is_whole_and_can_be_mended(keys: PipeInput) -> None:
    keys.send_text("ä" * 9000 + "x\x7fö\x1b[D\x1b[D!\r")
    assert await Keyboard().read() == "ä" * 8999 + "!äö"


async def test_what_is_half_typed_outlives_what_is_printed(keys: PipeInput, capsys: pytest.CaptureFixture[str]) -> None:
    board = Keyboard()
    reading = asyncio.create_task(board.read())
    keys.send_text("half")
    board.write("[fast] one\ntwo, be")
    await asyncio.sleep(0.05)
    assert capsys.readouterr().out == "[fast] one\n", "a line that is begun stands above the prompt"
    board.write("gun\n")
    assert capsys.readouterr().out == "two, begun\n"
    keys.send_text(" typed\r")
    assert await reading == "half typed"


async def test_the_end_and_ctrl_c(keys: PipeInput) -> None:
    board = Keyboard()
    keys.send_text("\x04")
    assert await board.read() is None
    keys.send_text("half typed\x03")
    assert await board.read() == "", "what was half typed is dropped, and nothing ends"
    keys.send_text("\x03")
    with pytest.raises(KeyboardInterrupt):
        await board.read()


async def test_files_as_they_are_typed_or_dropped(tmp_path: Path) -> None:
    file = tmp_path / "Anna's lease.md"
    file.write_text("A lease.", encoding="utf-8")
    for typed in (str(file), str(file).replace("'", "\\'").replace(" ", "\\ "), f'"{file}"'):
        assert paths_of(typed) == [str(file)]
    assert paths_of("a.md 'b c.md'") == ["a.md", "b c.md"] and paths_of("Anna's.md") == ["Anna's.md"]
    assert await read_file(str(file)) == b"A lease."
    with pytest.raises(ChatFault, match="Which file"):
        paths_of("")
    os.mkfifo(tmp_path / "pipe")
    for path in (
        str(tmp_path),
        str(tmp_path / "none.md"),
        "a\0b",
        "~nobody-at-all/x.md",
        "x" * 300,
        f"{tmp_path}/pipe",
    ):
        assert paths_of(path) == [path]
        with pytest.raises(ChatFault, match=r"cannot be read: .*[^.]\.$"):
            await read_file(path)
