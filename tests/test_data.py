"""The labelled and the question sets are what the report stands on: their shape, balance and independence."""

from __future__ import annotations

import importlib.util
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chat.bench.answers import normal, right
from minds.training.grounding import sentences

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
DOCUMENTS = DATA / "documents"
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
HUNDRED = {"arithmetic": 30, "dates": 20, "units": 18, "documents": 16, "followup": 12, "recall": 4}
MIX = {  # all devs are tuned on; test is only measured
    "dev": {"arithmetic": 18, "dates": 12, "units": 11, "documents": 10, "followup": 7, "recall": 2},
    "dev2": HUNDRED,
    "dev3": HUNDRED,
    "dev4": HUNDRED,
    "test": HUNDRED,
}
SMALLTALK = {"dev": 50, "test": 100}
# dev2 to dev4 were test sets once; the names of their documents stayed
DOCUMENTS_OF = {"dev": "dev_*", "dev2": "test_*", "dev3": "fresh_*", "dev4": "held_*", "test": "new_*"}
REQUESTS = DATA / "requests_test.jsonl"
GROUNDING = {  # rows of each world, and how many of all are to be refused
    "dev2": (150, 60),
    "dev3": (75, 26),
    "dev4": (150, 60),
    "dev12": (150, 60),
}
FILES = [
    GATE,
    *(DATA / f"questions_{half}.jsonl" for half in MIX),
    *(DATA / f"smalltalk_{half}.jsonl" for half in SMALLTALK),
]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def questions(half: str) -> list[dict[str, Any]]:
    return read(DATA / f"questions_{half}.jsonl")


def smalltalk(half: str) -> list[dict[str, Any]]:
    return read(DATA / f"smalltalk_{half}.jsonl")


def text_of(path: Path) -> str:
    if path.suffix != ".pdf":
        return path.read_text(encoding="utf-8")
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


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


@pytest.mark.parametrize("half", MIX)
def test_questions_have_their_fields_and_their_mix(half: str) -> None:
    items = questions(half)
    assert Counter(item["kind"] for item in items) == MIX[half]
    for item in items:
        assert set(item) - {"number"} == {"id", "kind", "turns", "documents", "expect", "reject"}, item["id"]
        assert item["turns"] and all(turn.strip() for turn in item["turns"]), item["id"]
        assert all(group and all(map(str.strip, group)) for group in item["expect"]), item["id"]
        assert (len(item["turns"]) > 1) == (item["kind"] in {"followup", "recall"}), item["id"]
        assert bool(item["documents"]) or item["kind"] != "documents", item["id"]


@pytest.mark.parametrize("half", MIX)
def test_no_question_is_answered_by_its_own_words_or_by_silence(half: str) -> None:
    for item in questions(half):
        assert not right(item, item["turns"][-1]), item["id"]
        assert not right(item, ""), item["id"]


@pytest.mark.parametrize("half", MIX)
def test_every_question_can_be_answered(half: str) -> None:
    for item in questions(half):
        said = [group[0] for group in item["expect"]]
        if "number" in item:
            said.append(f"{item['number']['value']}")
        assert right(item, "It is " + " and ".join(said) + "."), item["id"]


@pytest.mark.parametrize("half", MIX)
def test_every_document_can_be_read_and_is_asked_about(half: str) -> None:
    named = {name for item in questions(half) for name in item["documents"]}
    assert named == {path.name for path in DOCUMENTS.glob(DOCUMENTS_OF[half])}
    assert {Path(name).suffix for name in named} >= {".md", ".txt"}
    for name in named:
        assert 300 <= len(text_of(DOCUMENTS / name).split()) <= 900, name
        assert (DOCUMENTS / name).stat().st_size < 50_000, name


@pytest.mark.parametrize("half", MIX)
def test_document_answers_stand_in_their_documents(half: str) -> None:
    for item in questions(half):
        if item["documents"]:
            source = " ".join(text_of(DOCUMENTS / name) for name in item["documents"])
            assert right({**item, "reject": []}, source), item["id"]


@pytest.mark.parametrize("half", MIX)
def test_what_is_to_be_recalled_was_told_before(half: str) -> None:
    for item in questions(half):
        if item["kind"] == "recall":
            assert len(item["turns"]) >= 5, item["id"]
            assert right(item, " ".join(item["turns"][:2])), item["id"]
            assert not right(item, " ".join(item["turns"][2:])), item["id"]


@pytest.mark.parametrize(("half", "count"), SMALLTALK.items())
def test_smalltalk_has_its_fields_and_its_count(half: str, count: int) -> None:
    items = smalltalk(half)
    assert len(items) == count
    assert all(set(item) == {"id", "text"} and item["text"].strip() for item in items)


def test_no_text_occurs_twice_within_a_set_or_in_two_sets() -> None:
    sets = {
        **{f"questions {half}": [normal(" | ".join(item["turns"])) for item in questions(half)] for half in MIX},
        **{f"smalltalk {half}": [normal(item["text"]) for item in smalltalk(half)] for half in SMALLTALK},
        "gate": [normal(turn["text"]) for turn in read(GATE) if not turn["history"]],
    }
    for name, texts in sets.items():
        assert [text for text, count in Counter(texts).items() if count > 1] == [], name
    for (one, some), (other, others) in itertools.combinations(sets.items(), 2):
        assert set(some) & set(others) == set(), (one, other)


def test_no_two_question_sets_share_a_question_turn() -> None:
    turns = {half: {normal(turn) for item in questions(half) for turn in item["turns"]} for half in MIX}
    for one, other in itertools.combinations(MIX, 2):
        assert turns[one] & turns[other] == set(), (one, other)


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


def grounding(half: str) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in row.items() if key not in ("file", "id", "recent")}
        for row in sentences.rows(half)
    ]


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
        assert normal(row["says"]) not in map(normal, row["admissible"]) or row["expect"], row["says"]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(GROUNDING, 2)))
def test_no_two_grounding_sets_share_a_state(one: str, other: str) -> None:
    states = [{(row["observation"], *row["admissible"]) for row in grounding(half)} for half in (one, other)]
    assert states[0] & states[1] == set()
