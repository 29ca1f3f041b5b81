"""DUET_HOME belongs to one process, which says who it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chat.faults import ChatFault, HomeLocked
from chat.home import Home, find_server

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from chat.home import Home
home = Home(Path(sys.argv[1]))
print("held", flush=True)
input()
"""


def test_a_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(HomeLocked, match=rf"process {holder.pid}\b") as caught:
            Home(tmp_path)
        assert "\n" not in str(caught.value) and "DUET_HOME" in str(caught.value)
        holder.kill()
        holder.wait()
    Home(tmp_path).release()  # the dead hold nothing


def test_who_starts_a_second_server_is_told_where_the_first_one_is(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.announce("http://127.0.0.1:7860")
    with pytest.raises(HomeLocked, match=rf"already, at http://127\.0\.0\.1:7860: .* process {os.getpid()}\."):
        Home(tmp_path)
    home.release()


def test_what_was_released_can_be_taken_again(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(HomeLocked, match=str(os.getpid())):
        Home(tmp_path)
    home.release()
    Home(tmp_path).release()


def test_the_address_is_for_the_owner_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    home = Home(tmp_path / "new" / "home")
    assert find_server(home.folder) is None
    address = home.announce("http://127.0.0.1:1")
    assert find_server(home.folder) == address and address.pid == os.getpid() and len(address.token) >= 24
    assert (home.folder / "server.json").stat().st_mode & 0o077 == 0
    assert home.folder.stat().st_mode & 0o077 == 0
    assert home.announce("http://127.0.0.1:2").token != address.token
    home.release()
    assert find_server(home.folder) is None


def test_a_dead_servers_address_is_removed_by_the_next_owner(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"url": "http://127.0.0.1:9", "token": "t", "pid": 1}')
    assert find_server(tmp_path) is not None
    home = Home(tmp_path)
    assert find_server(tmp_path) is None
    home.release()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"url": 1}', '{"url": "u", "token": "t", "pid": 1, "x": 2}'])
def test_a_broken_address_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)
    assert find_server(tmp_path) is None


def test_a_home_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ChatFault, match="DUET_HOME") as caught:
        Home(tmp_path / "file" / "home")
    assert "\n" not in str(caught.value)
