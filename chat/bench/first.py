"""`bench first`: what a newcomer tries first, on the command line: a sum, the same from memory, another user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from chat.bench import Ask

MAIN = Path(__file__).parents[2] / "main.py"
QUESTION, AGAIN = "What is 387 times 46?", "what's 387 multiplied by 46"


def run(ask: Ask) -> dict[str, object]:
    """Figures: whether each of the three asks went as it should, and its seconds, start of the process included."""
    with tempfile.TemporaryDirectory(prefix="duet-bench-") as folder:
        env = {**os.environ, "DUET_HOME": folder, "DUET_MODELS": str(ask.settings.models_dir)}
        first, first_s = ask_cli(env, "anna", QUESTION)
        again, again_s = ask_cli(env, "anna", AGAIN)
        other, other_s = ask_cli(env, "ben", AGAIN)
    return {
        "slow_run_right": _invoked(first) and "python" in _actions(first) and _has_result(first),
        "again_from_memory": not _invoked(again)
        and not _actions(again)
        and _by(again) == "memory"
        and _has_result(again),
        "other_user_thinks_himself": _by(other) != "memory" and bool(_actions(other)) and _has_result(other),
        "seconds": [round(s, 1) for s in (first_s, again_s, other_s)],
    }


def ask_cli(env: dict[str, str], user: str, text: str) -> tuple[list[dict[str, Any]], float]:
    """The JSON lines of one `ask`, and its seconds."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(MAIN), "ask", text, "--user", user, "--json"], env=env, capture_output=True, text=True
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    print(f"{user}: {text!r} -> {_by(events)}: {_text(events)!r} {done.stderr.strip()}")
    return events, time.monotonic() - began


def _finals(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [e for e in events if e["event"] == "reply" and e["final"]]


def _text(events: list[dict[str, Any]]) -> str:
    return str(_finals(events)[-1]["text"]) if _finals(events) else ""


def _by(events: list[dict[str, Any]]) -> str:
    return str(_finals(events)[-1]["by"]) if _finals(events) else ""


def _has_result(events: list[dict[str, Any]]) -> bool:
    return "17802" in _text(events).replace(",", "")


def _invoked(events: list[dict[str, Any]]) -> bool:
    return any(e["event"] == "reply" and e["invoke"] for e in events)


def _actions(events: list[dict[str, Any]]) -> list[str]:
    return [e["action"] for e in events if e["event"] == "step"]
