"""`bench memory`: repeats and lives are played as whole turns and graded, scale is timed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chat.bench import Ask, asked, memory_scale
from chat.bench.cases import read_cases
from chat.bench.grading_answers import Expect
from chat.bench.memory import Life, Question, Said, known, run
from chat.bench.memory_locomo import conversations, questions
from chat.bench.memory_scale import _filters, _notes, _of_one
from chat.faults import ChatFault
from chat.settings import Settings, read_settings
from memory.memory import KINDS
from tests.real.process import MODEL

DATA = Path(__file__).parents[2] / "data" / "memory"


def test_what_is_measured_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match=r"--scale, or one of --locomo, --pairs, --repeats, --lives"):
        run(Ask(Settings(home=tmp_path)))
    with pytest.raises(ChatFault, match="--scale counts: name a number from 1 on"):
        asked(Settings(home=tmp_path), "memory", {"scale": [0]})


def test_scale_without_sizes_is_asked_for_all_the_same(tmp_path: Path) -> None:
    assert asked(Settings(home=tmp_path), "memory", {"scale": []}).scale == ()
    assert asked(Settings(home=tmp_path), "memory", {}).scale is None


def test_a_line_without_what_is_needed_is_named(tmp_path: Path) -> None:
    (tmp_path / "talks.jsonl").write_text('{"says": "hello"}\n')
    with pytest.raises(ChatFault, match=r"Line 1 of .*talks.jsonl. cannot be used .*give .*say"):
        read_cases(tmp_path / "talks.jsonl", Said)


def test_an_expectation_that_cannot_be_graded_is_told_before_anything_is_played(tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    for expect in ({"anny": ["17802"]}, {"any": "17802"}, {"number": 17802}):
        file.write_text(json.dumps({"say": "What is 387 times 46?", "expect": expect}))
        with pytest.raises(ChatFault, match="Line 1 of"):
            read_cases(file, Said)
        question: dict[str, object] = {"ask": "How much?", "expect": expect, "withdrawn": []}
        file.write_text(json.dumps({"life": "ada", "talks": [], "questions": [question]}))
        with pytest.raises(ChatFault, match="Line 1 of"):
            read_cases(file, Life)
    file.write_text('{"say": "What is 387 times 46?", "expect": {"number": 17802, "tolerance": 0}}')
    assert read_cases(file, Said)[0].expect == Expect(number=17802, tolerance=0)
    assert read_cases(DATA / "lives.jsonl", Life)


def test_locomos_own_file_is_read_as_well_as_single_conversations(tmp_path: Path) -> None:
    file, qa = tmp_path / "locomo10.json", [{"question": "Where?", "category": 4, "evidence": ["D1:1"]}]
    turns = [{"speaker": "Ada", "dia_id": "D1:1", "text": "I live in Rome."}]
    talk = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    published = {"sample_id": "conv-26", "qa": qa, "conversation": talk}
    for form in ([published, published], published, {**talk, "qa": qa}):
        file.write_text(json.dumps(form))
        found = conversations(file)
        assert [*found] == (["locomo10-1", "locomo10-2"] if isinstance(form, list) else ["locomo10"])
        assert all(data["session_1"] == turns and [*questions(data)] for data in found.values())
    for wrong in (talk, {"qa": qa}, [published, {"qa": qa, "conversation": {}}], [1], 1):
        file.write_text(json.dumps(wrong))
        with pytest.raises(ChatFault, match=r"is no conversation of LoCoMo: it needs `qa`"):
            conversations(file)


def test_the_repeats_are_forty_in_a_hundred_and_come_after_what_they_repeat() -> None:
    turns = read_cases(DATA / "repeats.jsonl", Said)
    again = [(number, turn.repeats) for number, turn in enumerate(turns) if turn.repeats is not None]
    assert len(turns) == 120 and len(again) == 48
    assert all(first < number and turns[first].repeats is None for number, first in again)
    assert all(turns[number].expect == turns[first].expect for number, first in again)


def test_notes_of_all_kinds_are_recalled_with_every_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in ("QUESTIONS", "WRITES"):  # how often each is timed
        monkeypatch.setattr(memory_scale, count, 5)
    notes = list(_notes(60))
    assert {note.kind for note in notes} == set(KINDS) and len({note.id for note in notes}) == 60
    found = _of_one(tmp_path, 60)
    assert isinstance(found["recall_ms"], dict) and found["recall_ms"].keys() == _filters(notes).keys()


@pytest.mark.real
def test_repeats_are_played_with_the_memory_on_and_off(tmp_path: Path) -> None:
    lines = [
        {"say": "What is 387 times 46?", "new": True, "expect": {"any": ["17802"]}},
        {"say": "What is 387 times 46?", "repeats": 0, "expect": {"any": ["17802"]}},
    ]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    here = read_settings().models_dir
    settings = replace(Settings(home=tmp_path / "home", models=here), fast_model=MODEL, slow_model=MODEL)
    figures = run(asked(settings, "memory", {"repeats": str(tmp_path / "talks.jsonl")}))
    on, off = figures["on"], figures["off"]
    assert isinstance(on, dict) and isinstance(off, dict)
    assert off["served"] == 0 and on["served"] + on["slow_runs"] <= 2 and figures["n"] == 2


@pytest.mark.parametrize("text, right", [
    ("£15: it was £60, and you gave her £25 and £20.", True), ("Of £60 you gave £45, so £15.", True),
    ("She gave you 60, 15 and 20.", False), ("Nothing.", False),
])  # fmt: skip
def test_a_figure_of_a_life_is_what_an_answer_begins_or_ends_with(text: str, right: bool) -> None:
    assert known(Question("what do I owe?", Expect(number=15, tolerance=0), []), text) is right
