"""The recorded model behind `main.py ask` and `talk`, as people start it: another process, and another day."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.strong.play import dialogues, everything
from tests.strong.server import StrongModel, serving

pytestmark = pytest.mark.real
MAIN = Path(__file__).parents[2] / "main.py"


def environment(home: Path, model: StrongModel) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DUET_", "OPENAI_"))}
    return {**clean, "DUET_HOME": str(home), "DUET_FAST_MODEL": model.spec, "DUET_SLOW_MODEL": model.spec}


def ask(home: Path, model: StrongModel, text: str, *more: str) -> str:
    """What the terminal shows of one turn."""
    env = environment(home, model)
    command = [sys.executable, str(MAIN), "ask", text, *more]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def talking(home: Path, model: StrongModel) -> Iterator[Callable[[str, str], str]]:
    """`main.py talk`: types a line, and gives what is printed up to these words."""
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "talk"], env=environment(home, model), cwd=home, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    stdin, stdout = process.stdin, process.stdout
    assert stdin and stdout

    def typed(line: str, until: str) -> str:
        stdin.write(f"{line}\n")
        stdin.flush()
        shown = ""
        while until not in shown:
            piece = stdout.readline()
            assert piece, shown
            shown += piece
        return shown

    try:
        yield typed
        stdin.write("/quit\n")
        stdin.close()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        stdout.close()


@pytest.mark.real
def test_a_conversation_with_a_table_and_calls_side_by_side(tmp_path: Path) -> None:
    turns = {one["id"]: one["turns"] for one in everything()}
    with serving(rate=500) as model, talking(tmp_path, model) as typed:
        assert "| Bread rolls | 4 | 12 |" in typed(turns["table-camping"][0], "Sausages | 2 | 6 |")
        assert "| 20 |" in typed(turns["table-camping"][1], "Sausages")
        shown = typed(turns["parallel-and-mended"][1], "520.80 pounds**")
        assert "434.00 pounds" in shown and "python[" in shown
    assert [one for one in model.unmatched if "for the plain mind" not in one] == []


@pytest.mark.real
def test_a_direct_reply_a_sum_and_what_follows_from_it(tmp_path: Path) -> None:
    [dialogue] = [one for one in dialogues() if one["id"] == "currency-yen"]
    with serving(rate=500) as model:
        assert "Mir geht's gut" in ask(tmp_path, model, "Guten Abend! Na, wie geht's dir?")
        shown = ask(tmp_path, model, dialogue["turns"][0], "--json")
        session = shown.partition('"session": "')[2].partition('"')[0]
        further = ask(tmp_path, model, dialogue["turns"][1], "--session", session)
    assert "299.38 euros" in shown and "288.90 euros" in further
    assert model.unmatched == [] and len(model.made) == 7
    assert [one.content for one in model.made if one.asked.who == "fast"][-1] in further
