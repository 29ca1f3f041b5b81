"""The labelled and the question sets are what the report stands on: their shape, balance and independence."""

from __future__ import annotations

import importlib.util
import itertools
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chat.bench.grading_answers import folded as normal
from minds.training.wishes import data as sentences

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
GATE = ROOT / "minds" / "training" / "data" / "gate_test.jsonl"
GATE_FIT = GATE.with_name("gate_fit.jsonl")
STYLES = {
    "slang",
    "non-native",
    "dictated-speech",
    "polite-formal",
    "texting",
    "figurative-wordplay",
    "parent",
    "tradesperson",
    "gamer",
    "history-mixed",
    "history-terse-followup",
}
SMALLTALK = DATA / "smalltalk_test.jsonl"
REQUESTS = DATA / "requests_test.jsonl"
GROUNDING = {  # rows of each world, and how many of all are to be refused
    "dev2": (150, 60),
    "dev3": (75, 26),
    "dev4": (150, 60),
    "dev12": (150, 60),
}
FILES = [GATE, SMALLTALK]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def whole(turn: dict[str, Any]) -> tuple[str, ...]:
    """A labelled turn with all that was said before it: what must not occur twice."""
    return (*(normal(said["text"]) for said in turn["history"]), normal(turn["text"]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_ids_are_unique(path: Path) -> None:
    assert [name for name, count in Counter(item["id"] for item in read(path)).items() if count > 1] == []


def test_labelled_turns_have_their_fields() -> None:
    for turn in read(GATE):
        assert set(turn) == {"id", "style", "history", "text", "invoke", "why"}, turn["id"]
        assert isinstance(turn["invoke"], bool), turn["id"]
        assert turn["text"].strip() and turn["why"].strip(), turn["id"]
        assert turn["style"] in STYLES, turn["id"]


def test_history_alternates_and_ends_with_the_fast_mind() -> None:
    for turn in read(GATE):
        speakers = [said["speaker"] for said in turn["history"]]
        assert set(speakers) <= {"user", "fast"}, turn["id"]
        assert all(one != other for one, other in itertools.pairwise(speakers)), turn["id"]
        assert not speakers or speakers[-1] == "fast", turn["id"]
        assert all(said["text"].strip() for said in turn["history"]), turn["id"]


def test_labelled_turns_are_many_balanced_and_often_in_a_dialogue() -> None:
    turns = read(GATE)
    assert len(turns) >= 400
    assert {turn["style"] for turn in turns} == STYLES
    assert 0.45 <= sum(turn["invoke"] for turn in turns) / len(turns) <= 0.55
    assert sum(bool(turn["history"]) for turn in turns) >= len(turns) / 3
    for style in STYLES:
        mine = [turn["invoke"] for turn in turns if turn["style"] == style]
        assert len(mine) >= 30, style
        assert 0.25 <= sum(mine) / len(mine) <= 0.75, style


def test_mixed_histories_are_three_to_eight_turns() -> None:
    for turn in read(GATE):
        if turn["style"] == "history-mixed":
            assert 3 <= len(turn["history"]) <= 8, turn["id"]


def test_no_labelled_turn_occurs_twice() -> None:
    assert [turn for turn, count in Counter(map(whole, read(GATE))).items() if count > 1] == []


def test_the_halves_of_the_labelled_turns_share_no_turn_and_no_style() -> None:
    fit, held_out = read(GATE_FIT), read(GATE)
    assert set(map(whole, fit)) & set(map(whole, held_out)) == set()
    assert {turn["style"] for turn in fit} & {turn["style"] for turn in held_out} == set()


def test_smalltalk_has_its_fields_and_its_count() -> None:
    items = read(SMALLTALK)
    assert len(items) == 100
    assert all(set(item) == {"id", "text"} and item["text"].strip() for item in items)


def test_no_text_occurs_twice_within_a_set_or_in_two_sets() -> None:
    talk = [normal(item["text"]) for item in read(SMALLTALK)]
    gate = [normal(turn["text"]) for turn in read(GATE) if not turn["history"]]
    assert [text for text, count in Counter((*talk, *gate)).items() if count > 1] == []


def test_requests_name_every_task_of_the_package_and_are_outnumbered_by_talk() -> None:
    where = importlib.util.find_spec("scienceworld")
    assert where is not None and where.origin is not None
    tasks = json.loads(Path(where.origin).with_name("tasks.json").read_text(encoding="utf-8"))
    rows = read(REQUESTS)
    asked = Counter(row["task"] for row in rows if row["world"] == "scienceworld")
    assert set(asked) == {task["task_name"] for task in tasks}
    assert min(asked.values()) >= 3 and asked.total() == 100
    talk = [row for row in rows if row["world"] == "none"]
    assert len(talk) == 200 and all(set(row) == {"says", "world"} for row in talk)
    assert len({normal(row["says"]) for row in rows}) == len(rows) == 300


@cache
def grounding(half: str) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in row.items() if key not in ("file", "id", "recent")}
        for row in sentences.rows()
        if row["file"] == half
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("half", "each", "refused"), [(half, *counts) for half, counts in GROUNDING.items()])
def test_grounding_is_fair_over_both_worlds_and_often_to_be_refused(half: str, each: int, refused: int) -> None:
    rows = grounding(half)
    assert Counter(row["world"] for row in rows) == {"alfworld": each, "scienceworld": each}
    assert sum(not row["expect"] for row in rows) == refused
    for row in rows:
        assert set(row) == {"world", "observation", "admissible", "says", "expect"}, row["says"]
        assert row["observation"].strip() and row["says"].strip()
        assert len(set(row["admissible"])) == len(row["admissible"]) >= 10, row["says"]
        assert not row["expect"] or set(row["expect"]) & set(row["admissible"]), row["says"]  # later steps come to be
        assert row["expect"] or normal(row["says"]) not in map(normal, row["admissible"]), row["says"]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(GROUNDING, 2)))
def test_no_two_grounding_sets_share_a_state(one: str, other: str) -> None:
    states = [{(row["observation"], *row["admissible"]) for row in grounding(half)} for half in (one, other)]
    assert states[0] & states[1] == set()
