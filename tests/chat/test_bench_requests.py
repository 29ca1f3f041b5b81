"""What counts as right in `bench requests`."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat.bench.requests import DEV, Case, fits, read_cases
from chat.faults import ChatFault
from minds.requests import Request, Unclear


def test_names_are_compared_without_case_and_blanks_and_any_lamp_will_do() -> None:
    put = Case("", "alfworld", "pick_and_place_simple", "mug", "Counter Top")
    assert fits(put, Request("alfworld", "pick_and_place_simple", "Mug", "CounterTop"))
    assert not fits(put, Request("alfworld", "pick_and_place_simple", "Mug", "Desk"))
    look = Case("", "alfworld", "look_at_obj_in_light", "Book", "")
    assert fits(look, Request("alfworld", "look_at_obj_in_light", "Book", "FloorLamp"))


def test_a_question_back_is_neither_chat_nor_a_task() -> None:
    assert not fits(Case("", "none"), Unclear("Which?", ()))
    assert not fits(Case("", "scienceworld", "boil"), Unclear("Which?", ()))
    assert fits(Case("", "none"), None)


def test_a_file_that_holds_something_else_gets_one_sentence(tmp_path: Path) -> None:
    assert len(read_cases(DEV)) > 100
    (tmp_path / "other.jsonl").write_text('{"text": "hello"}\n')
    with pytest.raises(ChatFault, match="no file of requests"):
        read_cases(tmp_path / "other.jsonl")
