"""A small model's ways to an answer, each kept with whether it is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat.bench import Ask, ways
from chat.faults import ChatFault
from chat.settings import Settings
from tests.fakes import SMALL, STRONG, FakeModel, Heard

SUM = {"id": "a", "kind": "money", "turns": ["What is 387 times 46?"], "expect": {"number": 17802, "tolerance": 0}}


def played(folder: Path, item: dict[str, Any], model: FakeModel) -> tuple[dict[str, object], dict[str, Any]]:
    """The figures, and the row that is kept."""
    (folder / "items.jsonl").write_text(json.dumps(item))
    settings = Settings(home=folder, fast_model="openai:fake", slow_model="openai:fake")
    ask = Ask(settings, data=folder / "items.jsonl", out=folder / "out")
    figures = ways.run(ask, lambda *_: model)
    return figures, json.loads((folder / "out" / "ways.jsonl").read_text())


def writes(*programs: str, words: str) -> FakeModel:
    left = iter(programs)
    return FakeModel(lambda heard: [next(left) if heard.prefix else words], abilities=SMALL)


def test_each_way_is_kept_with_whether_it_is_right(tmp_path: Path) -> None:
    figures, row = played(tmp_path, SUM, writes("print(387 * 46)", "print(387 + 46)", words="It is 17802."))
    assert [(way["kind"], way["answer"]) for way in row["ways"]] == [
        ("program", "17802"), ("again", "433"), ("words", "It is 17802."),
    ]  # fmt: skip
    assert row["right"] == [True, False, True] and figures["again"] == 0 and not row["behind"]


@pytest.mark.slow
def test_the_turns_before_are_said_to_duet_and_heard(tmp_path: Path) -> None:
    def says(heard: Heard) -> list[str]:
        program = "print(17802 - 2)" if "minus" in heard.last else "print(387 * 46)"
        return [program if heard.prefix else "It is 17802."]

    model = FakeModel(says, abilities=SMALL)
    item = {**SUM, "turns": [*SUM["turns"], "and minus 2?"], "expect": {"number": 17800, "tolerance": 0}}
    _, row = played(tmp_path, item, model)
    assert row["right"] == [True, True, False] and row["behind"]
    *before, last = [str(message.content) for message in model.heard[-1].messages]
    assert "What is 387 times 46?" in before and "17802" in before[-1] and last.startswith("and minus 2?")


@pytest.mark.slow
def test_a_program_that_works_out_nothing_is_no_way(tmp_path: Path) -> None:
    def says(heard: Heard) -> list[str]:
        return ["print('Biscuit')" if heard.prefix else "It is Biscuit."]

    item = {"id": "b", "kind": "earlier", "turns": ["The dog is Biscuit.", "His name?"], "expect": {"any": ["Biscuit"]}}
    _, row = played(tmp_path, item, FakeModel(says, abilities=SMALL))
    assert "program" not in [way["kind"] for way in row["ways"]] and row["ways"][-1]["kind"] == "words"


def test_a_strong_model_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="strong model, which has no such ways"):
        played(tmp_path, SUM, FakeModel(lambda _: ["17802"], abilities=STRONG))
