"""`bench chat`: items are played by a fake model alone and by Duet, kept as they come, graded and summed up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chat.bench import Ask, asked
from chat.bench.chat import (
    Item,
    Reply,
    alone,
    conclusion,
    figures,
    moment,
    read_items,
    reply_of,
    run,
)
from chat.bench.figures import rounded
from chat.evaluation.folder import RunFolder
from chat.faults import ChatFault
from chat.settings import Settings
from minds.dialogue import Event
from minds.models.language import Unreachable
from tests.fakes import FakeModel, Heard
from tests.scripted import opening

SUM: dict[str, Any] = {
    "id": "sum",
    "kind": "money",
    "turns": ["Three tickets at 7?", "And with a fee of 2?"],
    "expect": {"number": 23, "tolerance": 0},
    "today": "2026-03-14",
}
DAY: dict[str, Any] = {
    "id": "day",
    "kind": "dates",
    "turns": ["What day is it?"],
    "expect": {"any": ["Monday"]},
    "today": "2025-06-02",
}
ITEM, ON_MONDAY = Item(**SUM), Item(**DAY)
REPLY = Reply("sum", "23", False, "It is 23.", "fake", 2.0, 100, 3)


def event(kind: str, **data: object) -> Event:
    return Event(1, "session", 1, kind, data, 0.0)


def data(folder: Path, *items: Mapping[str, Any]) -> Path:
    file = folder / "items.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return file


def script(folder: Path, *lines: str) -> str:
    file = folder / f"script{len(list(folder.glob('script*')))}.yaml"
    file.write_text(json.dumps(list(lines)), encoding="utf-8")
    return f"scripted:{file}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", timezone="Europe/Berlin")


# -- a model alone


async def test_a_model_alone_hears_the_day_the_turns_and_its_own_replies(settings: Settings) -> None:
    model = FakeModel(lambda heard: ["First 21.\n\nSo ", "it is 23."] if len(heard.messages) > 2 else ["21"])
    reply = await alone(settings, model, "sum", ITEM)
    assert [(m.type, m.content) for m in model.heard[1].messages] == [
        (
            "system",
            "You are a helpful assistant. Today is Saturday, 14 March 2026. Think step by step, then give the answer.",
        ),
        ("human", "Three tickets at 7?"),
        ("ai", "21"),
        ("human", "And with a fee of 2?"),
    ]
    assert (reply.answer, reply.text, reply.doubt) == ("So it is 23.", "First 21.\n\nSo it is 23.", False)
    assert (reply.model, reply.calls, reply.tokens) == ("bare fake", 2, 33)


async def test_where_a_text_is_asked_for_all_of_it_is_the_answer(settings: Settings) -> None:
    letter = "Dear Ada,\n\nall is well. Come soon.\n\nYours,\nBen"
    reply = await alone(settings, FakeModel(lambda _: [letter]), "day", replace(ON_MONDAY, kind="talk"))
    assert reply.answer == reply.text == letter


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("One. Two! Three? Four.", "Three? Four."),
        ("A long way.\n\nThe end.\n\n", "The end."),
        ("The answer is\n\n\\[\n\\boxed{5}\n\\]\n\n---\n", "\\[\n\\boxed{5}\n\\]"),
        ("It costs 3.50 in all", "It costs 3.50 in all"),
        ("", ""),
    ],
)
def test_a_model_alone_asserts_its_last_words(text: str, answer: str) -> None:
    assert conclusion(text) == answer


def test_the_whole_benchmark_with_a_model_alone(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = replace(settings, slow_model=script(tmp_path, "21", "It is 23.", "Sunday"))
    out = tmp_path / "new" / "run"
    found = run(Ask(settings, data=data(tmp_path, SUM, DAY), out=out, bare=True), opening)
    assert found["accuracy"] == 0.5 and found["by_kind"] == {"dates": "0/1", "money": "1/1"}
    assert found["wrong_and_sure"] == 0.5 and found["replies"] == str(out)
    assert [reply.answer for reply in kept(out)] == ["It is 23.", "Sunday"]
    assert "right sum" in capsys.readouterr().out


# -- Duet


@pytest.mark.slow
def test_the_whole_benchmark_with_duet(settings: Settings, tmp_path: Path) -> None:
    hello = {**DAY, "turns": ["hello there"], "expect": {"any": ["hello"]}}
    fast, slow = script(tmp_path, *["Invoke[False]\nResponse[Hello!]"] * 9), script(tmp_path)
    out = tmp_path / "run"
    found = run(Ask(replace(settings, fast_model=fast, slow_model=slow), data=data(tmp_path, hello), out=out), opening)
    [reply] = kept(out)
    assert found["accuracy"] == 1.0 and reply.answer == reply.text and reply.model == f"{fast} + {slow}"


def test_a_part_that_does_not_start_ends_the_benchmark(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="nowhere"):
        run(
            Ask(replace(settings, fast_model="scripted:nowhere"), data=data(tmp_path, DAY), out=tmp_path / "o"),
            opening,
        )


def test_only_what_the_last_turn_asserts_is_kept() -> None:
    first = [event("reply", final=True, text="21", answer="21", tokens=5, calls=1)]
    last = [
        event("reply", final=False, text="Let me see.", tokens=7, calls=1),
        event("reply", final=True, text="It is 23, not 21.", answer="23", doubt=True, slow="x", tokens=11, calls=2),
        event("end", state="done"),
    ]
    reply = reply_of("sum", [first, last], "fake", 1.234)
    assert reply == Reply("sum", "23", True, "It is 23, not 21.", "fake", 1.23, 16, 3)


@pytest.mark.parametrize(
    ("final", "answer"),
    [
        ({"text": "You see a mug."}, "You see a mug."),
        ({"text": "It is 23.", "slow": "23", "answer": ""}, ""),
    ],
)
def test_a_world_asserts_all_that_it_says_and_the_minds_their_answer(final: dict[str, Any], answer: str) -> None:
    reply = reply_of("sum", [[event("reply", final=True, **final)]], "fake", 1)
    assert (reply.answer, reply.doubt, reply.calls) == (answer, False, 0)


def test_a_turn_that_fails_asserts_nothing() -> None:
    failed = reply_of("sum", [[event("error", text="Something broke inside Duet.")]], "fake", 1)
    assert (failed.answer, failed.text) == ("", "Something broke inside Duet.")


# -- clock, file, figures


def kept(out: Path) -> list[Reply]:
    return [Reply(**row) for row in RunFolder(out, {}).rows("replies")]


def test_it_is_ten_on_the_items_day(settings: Settings) -> None:
    assert moment(ON_MONDAY.today, settings).isoformat() == "2025-06-02T10:00:00+02:00"
    here = moment(ON_MONDAY.today, replace(settings, timezone=""))
    assert here.tzinfo and here.replace(tzinfo=None) == datetime(2025, 6, 2, 10)
    assert abs((moment(None, settings) - datetime.now(UTC)).total_seconds()) < 60


def test_a_file_of_replies_is_gone_on_with(settings: Settings, tmp_path: Path) -> None:
    spec = script(tmp_path, "Monday")
    out = tmp_path / "run"
    out.mkdir()
    (out / "replies.jsonl").write_text(
        json.dumps(asdict(replace(REPLY, model=f"bare {spec}"))) + '\n{"id": "day", "ans'
    )
    ask = Ask(replace(settings, slow_model=spec), data=data(tmp_path, SUM, DAY), out=out, bare=True)
    assert run(ask, opening)["accuracy"] == 1.0
    assert [reply.id for reply in kept(out)] == ["sum", "day"]
    assert run(ask, opening)["n"] == 2  # nothing is left to be asked
    with pytest.raises(ChatFault, match="name another folder with --out"):
        run(replace(ask, bare=False), opening)


def test_a_folder_of_other_models_settings_or_data_is_refused(settings: Settings, tmp_path: Path) -> None:
    settings = replace(settings, slow_model=script(tmp_path, "Monday"))
    ask = Ask(settings, data=data(tmp_path, DAY), out=tmp_path / "run", bare=True)
    run(ask, opening)
    others: list[dict[str, Any]] = [{"temperature": 0.5}, {"without": "program"}, {"fast_model": "scripted:other"}]
    others += [{"strategy": "plain"}, {"length": 50}, {"instructions": "Be brief."}, {"memory": False}]
    others += [{"minds": "fast"}]
    for other in others:
        with pytest.raises(ChatFault, match=f"its `{next(iter(other))}` is .* name another folder with --out"):
            run(replace(ask, settings=replace(settings, **other)), opening)
    data(tmp_path, DAY, SUM)
    with pytest.raises(ChatFault, match="its `data` is"):
        run(replace(ask, limit=1), opening)


def test_who_stays_silent_is_asked_again_and_then_the_benchmark_stops(settings: Settings, tmp_path: Path) -> None:
    silent = [False, True]

    def says(_: Heard) -> list[Any]:
        return [Unreachable("It was silent.")] if silent.pop() else ["Monday"]

    def asked(item: dict[str, Any]) -> dict[str, object]:
        given = Ask(settings, data=data(tmp_path, item), out=tmp_path / item["id"], bare=True)
        return run(given, lambda *_: FakeModel(says))

    assert asked(DAY)["accuracy"] == 1.0
    silent[:] = [True] * 3
    with pytest.raises(ChatFault, match="goes on there"):
        asked({**DAY, "id": "next"})
    assert not kept(tmp_path / "next")


def test_figures_are_shares_of_the_items() -> None:
    replies = [REPLY, replace(REPLY, answer="24"), replace(REPLY, doubt=True), replace(REPLY, answer="", doubt=True)]
    assert rounded(figures([ITEM] * 4, replies)) == {
        "accuracy": 0.5,
        "accuracy_95": [0.15, 0.85],
        "wrong_and_sure": 0.25,
        "right_and_doubted": 0.25,
        "seconds_an_item": 2.0,
        "tokens_an_item": 100,
        "by_kind": {"money": "2/4"},
        "n": 4,
    }


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": "a"}',
        json.dumps(DAY | {"expect": {}}),
        json.dumps(DAY | {"expect": {"any": "Monday"}}),
        json.dumps(DAY | {"expect": {"any": ["Monday"], "not": "Sunday"}}),
        json.dumps(DAY | {"expect": {"any": ["2"], "number": 2}}),
        json.dumps(DAY | {"today": "x"}),
        json.dumps(DAY | {"turns": "What day is it?"}),
    ],
)
def test_a_file_that_holds_no_items_is_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "items.jsonl").write_text(line)
    with pytest.raises(ChatFault, match=r"Line 1 of .*items\.jsonl. cannot be used"):
        read_items(tmp_path / "items.jsonl")


def test_an_id_that_is_there_twice_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match=r"Line 3 of .* \(the id 'sum' is there twice\)"):
        read_items(data(tmp_path, SUM, DAY, SUM))


def test_out_is_a_folder_and_bare_a_flag(settings: Settings, tmp_path: Path) -> None:
    ask = asked(settings, "chat", {"out": str(tmp_path / "deep"), "bare": True, "data": "x.jsonl"})
    assert ask.bare and ask.out == tmp_path / "deep"
    with pytest.raises(ChatFault, match="--data"):
        run(Ask(settings))


def test_what_the_environment_leaves_out_is_left_out_unless_the_command_names_others(settings: Settings) -> None:
    settings = replace(settings, without="gate")
    assert asked(settings, "chat", {}).settings.without == "gate"
    assert asked(settings, "chat", {"without": ["check", "program"]}).settings.without == "check program"


@pytest.mark.parametrize("half", ["dev", "final"])
def test_our_own_items_can_be_read(half: str) -> None:
    assert len(read_items(Path(__file__).parents[2] / "data" / "chat" / f"{half}.jsonl")) == 168


LEASE: dict[str, Any] = {
    "id": "key",
    "kind": "asked",
    "turns": ["what does a lost key cost"],
    "expect": {"any": ["45"]},
    "documents": ["lease.md"],
}


def test_documents_are_read_beside_the_data(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match=r"Line 1 .*documents.*not point to a file"):
        read_items(data(tmp_path, LEASE))
    (tmp_path / "lease.md").write_text("# Keys\n\nA lost key costs 45 euros.")
    [item] = read_items(data(tmp_path, LEASE)).values()
    assert item.documents == (tmp_path / "lease.md",)


async def test_a_model_alone_has_the_whole_document_before_the_first_turn(tmp_path: Path) -> None:
    (tmp_path / "lease.md").write_text("# Keys\n\nA lost key costs 45 euros.")
    [item] = read_items(data(tmp_path, {**LEASE, "turns": ["hello", "what does a lost key cost"]})).values()
    model = FakeModel(lambda heard: ["45"])
    await alone(Settings(), model, "key", item)
    first, second = (heard.messages for heard in model.heard)
    assert str(first[1].content) == "lease.md:\n\nA lost key costs 45 euros.\n\nhello"
    assert second[-1].content == "what does a lost key cost"
