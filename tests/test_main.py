"""The command line: what it takes, what it says when it cannot, and that no traceback is ever shown."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copy, which

import pytest

import main
from chat import command_line
from chat.bench import BENCHES
from chat.command_line import option_flags, parser, spoken, whose_flags
from chat.evaluation.systems import SYSTEMS
from chat.faults import ChatFault
from chat.notebook import WISHES
from minds.strategies import STRATEGIES
from minds.training import TRAININGS

ROOT = Path(__file__).parents[1]
COMMANDS = [
    *("serve", "ask", "talk", "play", "memory", "models"),
    *("backup", "restore", "users", "doctor"),
    *("evaluate", "bench", "train"),
]


def run(*arguments: str, home: Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, with a home of its own and nothing configured but `env`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("DUET_", "OPENAI_"))}
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=home,
        env={**clean, "DUET_HOME": str(home / "state"), **env},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    said = done.stderr.strip()
    assert done.stdout == "" and "Traceback" not in said and len(said.splitlines()) == 1, (done.stdout, done.stderr)
    assert said.endswith((".", "?"))
    return said


def test_a_reply_that_the_terminal_cannot_write_is_no_traceback(tmp_path: Path) -> None:
    program = "import main, chat.command_line as c; c.parser = lambda: print('5 \\u20ac') or exit(0); main.main([])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONPATH": str(ROOT)},
        capture_output=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == (b"5 ?\n", 0), done.stderr


def test_a_set_up_without_venv_can_be_repeated(tmp_path: Path) -> None:
    """Debian's python3 without python3-venv makes .venv/bin/python, and fails."""
    if not which("make"):
        pytest.skip("make is not here")
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\nmkdir -p .venv/bin; touch .venv/bin/python; exit 1\n')
    python.chmod(0o700)
    copy(ROOT / "Makefile", tmp_path)
    for _ in range(2):
        command = ["make", f"PYTHON={python}", ".venv/bin/python"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode and "python3-venv" in done.stdout and not (tmp_path / ".venv").exists()


# -- arguments


def parsed(*arguments: str) -> dict[str, object]:
    given = vars(parser().parse_args(arguments))
    return {name: value for name, value in given.items() if value is not None}


def test_serve_is_what_happens_without_a_command() -> None:
    assert parsed() == {}
    assert parsed("--port", "8000") == {"port": 8000}
    assert parsed("--port", "8000", "serve") == {"command": "serve", "port": 8000}
    assert parsed("serve", "--port", "0") == {"command": "serve", "port": 0}


def test_flags_may_stand_before_or_behind_the_command() -> None:
    before = parsed("--user", "ada", "--slow-model", "embedded", "ask", "hello", "--json")
    behind = parsed("ask", "hello", "--json", "--user", "ada", "--slow-model", "embedded")
    assert before == behind
    assert before == {"command": "ask", "text": "hello", "json": True, "user": "ada", "slow_model": "embedded"}


def test_memory_can_be_switched_off() -> None:
    assert parsed("ask", "x", "--no-memory")["memory"] is False
    assert "memory" not in parsed("ask", "x")


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["ask"], ["serve", "--port", "many"], ["models", "eat"], ["ask", "x", "--temperature", "hot"], ["bench"]],
)
def test_wrong_arguments_are_explained(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: main.py")


@pytest.mark.parametrize("said", ["-hello", "-5 + 3", "--what", "-x", "--", "-jsn", "- a", "--x=y"])
def test_what_begins_with_a_dash_is_said(said: str) -> None:
    assert parsed("ask", "--", said)["text"] == said
    if said != "--":
        assert parsed(*spoken(["ask", said]))["text"] == said
        assert parsed(*spoken(["ask", "--session", "x", said]))["text"] == said
        assert parsed(*spoken(["--no-memory", "--user", "talk", "ask", said]))["text"] == said


def test_flags_of_ask_stay_flags() -> None:
    for argv in (["ask", "x", "--json"], ["ask", "x", "--js"], ["ask", "-h"], ["ask", "-"], ["talk", "-x"], ["serve"],
                 ["memory", "forget", "ask", "--yes"], ["--user", "ask", "serve", "--token"],
                 ["evaluate", "ask", "--core"]):  # fmt: skip
        assert spoken(list(argv)) == argv


def test_flags_of_the_minds_are_named_as_they_are_typed() -> None:
    given = parsed("ask", "x", "--no-memory", "--fast-model", "embedded", "--user", "ada", "--domain", "library")
    assert option_flags(given) == ["--fast-model", "--no-memory"]
    assert option_flags(parsed("ask", "x")) == []
    assert whose_flags(parsed("--user", "ben", "talk")) == ["--user", "ben"] and whose_flags(parsed("talk")) == []


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["bench", "--help"]])
def test_help_ends_well(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(arguments)
    assert caught.value.code == 0 and "usage: main.py" in capsys.readouterr().out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["--help"])
    shown = capsys.readouterr().out
    assert re.findall(r"^ {4}(\S+)(?: |$)", shown, re.MULTILINE) == COMMANDS


def test_help_names_what_there_is() -> None:
    assert all(map(find_spec, BENCHES.values())) and {*command_line.TRAININGS} == {*TRAININGS}
    assert {*command_line.MEMORY_ACTIONS} == {*WISHES}
    assert {*STRATEGIES} <= {*re.findall(r"[\w-]+", command_line.QUESTION_STRATEGIES)}
    assert command_line.SYSTEMS.split(", ") == [*SYSTEMS]


# -- exit codes and sentences


@pytest.mark.real
@pytest.mark.parametrize(
    ("arguments", "env", "named"),
    [
        (["ask", "x", "--fast-model", "gpt"], {}, "names no model"),
        (["ask", "x", "--strategy", "magic"], {}, "react"),
        (["ask", "x", "--temperature", "7"], {}, "between 0 and 2"),
        (["serve", "--port", "70000"], {}, "0 to 65535"),
        (["serve", "--host", "0.0.0.0"], {}, "no accounts"),
        (["serve", "--host", ""], {}, "host is empty"),
        (["--host=192.168.0.1"], {}, "no accounts"),
        (["serve"], {"DUET_HOST": "::"}, "no accounts"),
        (["ask", "x"], {"DUET_PORT": "many"}, "DUET_PORT"),
        (["ask", "x", "--session=-x"], {}, "no conversation `-x`"),
        (["bench", "nonsense"], {}, "nonsense"),
        (["bench", "hanoi", "--strategy", "sala"], {}, "no benchmark `hanoi`"),
        (["bench", "chat", "--strategy", "nonsense"], {}, "no strategy `nonsense`"),
        (["train", "nonsense"], {}, "nonsense"),
        (["models", "fetch", "nonsense"], {}, "nonsense"),
        (["models", "fetch", "owner/name/file.gguf"], {}, "gguf:hf:OWNER"),
        (["models", "fetch", "gguf:/file.gguf"], {}, "gguf:hf:OWNER"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_2(
    tmp_path: Path, arguments: list[str], env: dict[str, str], named: str
) -> None:
    done = run(*arguments, home=tmp_path, **env)
    assert done.returncode == 2 and named in one_sentence(done)


@pytest.mark.real
def test_a_home_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    done = run("ask", "hello", home=tmp_path)
    assert done.returncode == 2 and "DUET_HOME" in one_sentence(done)


@pytest.mark.real
def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    from chat.server import listen

    listener = listen("127.0.0.1", 0)
    listener.listen()
    done = run("serve", "--port", str(listener.getsockname()[1]), home=tmp_path)
    listener.close()
    assert done.returncode == 2 and "--port" in one_sentence(done)


def test_the_address_that_is_printed_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.server import reached_at

    def no_route(*_: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr("chat.server.socket.socket.connect", lambda way, to: way.bind(("127.0.0.7", 0)))
    assert reached_at("0.0.0.0") == "127.0.0.7"
    monkeypatch.setattr("chat.server.socket.socket.connect", no_route)
    assert [reached_at("0.0.0.0"), reached_at("::")] == ["127.0.0.1", "::1"]
    monkeypatch.setattr("chat.server.socket.socket.connect", lambda *_: 1 / 0)
    assert [reached_at(host) for host in ("127.0.0.1", "localhost", "::1")] == ["127.0.0.1", "localhost", "::1"]


@pytest.mark.parametrize("host", ["http://0.0.0.0", "*", "203.0.113.77"])
def test_a_host_that_is_none_of_this_machine_is_told_as_such(host: str) -> None:
    from chat.server import listen

    with pytest.raises(ChatFault, match="--host must be an address of this machine"):
        listen(host, 0)


@pytest.mark.real
def test_models_are_listed(tmp_path: Path) -> None:
    done = run("models", "list", home=tmp_path)
    assert done.returncode == 0 and "embedded" in done.stdout and "not here" in done.stdout


@pytest.mark.real
def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    program = f"{sys.executable} {ROOT / 'main.py'} --help | head -c 1"
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_import_that_is_no_export_is_one_sentence(tmp_path: Path) -> None:
    done = run("memory", "import", "-", home=tmp_path, stdin="[]")
    assert done.returncode == 2 and "no export of a memory" in one_sentence(done)


@pytest.mark.slow
def test_forgetting_takes_one_word_to_search_for(tmp_path: Path) -> None:
    done = run("memory", "forget", "Berlin", "--yes", home=tmp_path)
    assert "no note" not in done.stderr, done.stderr
