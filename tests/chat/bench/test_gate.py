"""`bench gate`: the turns it takes, and what it makes of the gate's decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat.bench import Ask
from chat.bench.gate import run
from chat.faults import ChatFault
from chat.settings import Settings

TURN: dict[str, Any] = {"id": "1", "style": "plain", "history": [], "why": "", "text": "hello", "invoke": False}


def ask(folder: Path, *lines: str) -> Ask:
    path = folder / "turns.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Ask(Settings(home=folder), data=path)


@pytest.mark.parametrize(
    "line", ["no JSON", "[]", "{}", json.dumps({**TURN, "invoke": "yes"}), json.dumps({**TURN, "history": 1})]
)
def test_a_line_that_is_no_turn_is_named_with_what_to_give(tmp_path: Path, line: str) -> None:
    with pytest.raises(ChatFault, match=r"Line 2 of .*cannot be used .*: give id, style, history"):
        run(ask(tmp_path, json.dumps(TURN), line))


def test_the_shares_are_of_the_shipped_gates_decisions(tmp_path: Path) -> None:
    work = {**TURN, "id": "2", "text": "What is 64 times 58?", "invoke": True}
    missed = {**TURN, "id": "3", "invoke": True}
    found = run(ask(tmp_path, *map(json.dumps, (TURN, work, missed))))
    assert (found["turns"], found["missed"], found["needless"]) == (3, 0.5, 0.0)
