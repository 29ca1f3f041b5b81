"""The recorded model behind `main.py evaluate`, as people start it: what it said and called is what is graded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.strong.server import read_recordings, serving
from tests.strong.test_terminal import environment

pytestmark = pytest.mark.real
MAIN, HERE = Path(__file__).parents[2] / "main.py", Path(__file__).parent


@pytest.mark.real
def test_a_suite_is_played_and_graded(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with serving(read_recordings(HERE / "evaluated.jsonl")) as model:
        command = [sys.executable, str(MAIN), "evaluate", str(HERE / "suite"), "--out", str(out)]
        env = environment(tmp_path, model)
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    assert model.unmatched == [] and len(model.made) == 5  # a direct reply twice; invoke, act, reply once
    assert "calls" in done.stderr, "what it will take is said before it starts"
    [dialogue] = [json.loads(line) for line in (out / "dialogues.jsonl").read_text().splitlines()]
    assert "303,000 euros" in json.dumps(dialogue)
    summary = json.loads((out / "summary.json").read_text())
    assert summary["systems"]["dual"]["faults"] == 0 and (out / "report.html").exists()
