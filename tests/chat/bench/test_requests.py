"""`bench requests`: its data, and which openings are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.bench.cases import read_cases
from chat.bench.requests import DEV, Case, right
from chat.faults import ChatFault
from minds.dialogue import Event


def opening(world: str, task: str, variation: int = 0) -> list[Event]:
    data = {"state": "opened", "world": world, "task": task, "variation": variation}
    return [Event(1, "s", 1, "world", data, 0.0)]


def test_a_file_that_holds_something_else_gets_one_sentence(tmp_path: Path) -> None:
    assert len(read_cases(DEV, Case)) > 100
    (tmp_path / "other.jsonl").write_text('{"text": "hello"}\n')
    with pytest.raises(ChatFault, match=r"says: .*: give"):
        read_cases(tmp_path / "other.jsonl", Case)


def test_the_task_that_was_opened_must_be_the_one_wished_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    mug = Case("", "alfworld", "pick_and_place_simple", "Mug", "CounterTop")
    assert right(mug, opening("alfworld", "household/pick_and_place_simple/Mug/CounterTop"))
    assert not right(mug, opening("alfworld", "household/pick_and_place_simple/Mug/Desk"))
    assert not right(mug, [])
    anywhere = Case("", "alfworld", "pick_and_place_simple", "mug")
    assert right(anywhere, opening("alfworld", "household/pick_and_place_simple/Mug/Desk")), "where to was left open"
    assert not right(anywhere, opening("alfworld", "household/pick_and_place_simple/Apple/Desk"))
    assert not right(anywhere, opening("scienceworld", "boil")), "the other world"
    assert right(Case("", "scienceworld", "boil"), opening("scienceworld", "boil", 3))
    assert right(Case("", "scienceworld", "boil", "lead"), opening("scienceworld", "boil", 20))
    assert not right(Case("", "scienceworld", "boil", "lead"), opening("scienceworld", "boil", 10))


def test_where_no_task_is_wished_for_none_may_be_opened_nor_asked_for() -> None:
    none, asked = Case("", "none"), Event(1, "s", 1, "step", {"action": "world_open"}, 0.0)
    assert right(none, []) and not right(none, [asked]) and not right(none, opening("scienceworld", "boil"))
