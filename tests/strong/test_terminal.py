"""The recorded model behind `main.py ask`, as people start it: another process, and another day."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.strong.play import dialogues
from tests.strong.server import StrongModel, serving

pytestmark = pytest.mark.real
MAIN = Path(__file__).parents[2] / "main.py"


def ask(home: Path, model: StrongModel, text: str, *more: str) -> str:
    """What the terminal shows of one turn."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DUET_", "OPENAI_"))}
    env = {**clean, "DUET_HOME": str(home), "DUET_FAST_MODEL": model.spec, "DUET_SLOW_MODEL": model.spec}
    command = [sys.executable, str(MAIN), "ask", text, *more]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


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
