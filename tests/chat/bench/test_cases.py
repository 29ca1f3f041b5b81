"""Lines of data; shares and their intervals."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chat.app import Duet
from chat.bench import Ask, run_bench
from chat.bench.cases import read_lines
from chat.bench.figures import wilson
from chat.bench.ground import say
from chat.faults import ChatFault
from chat.settings import Settings
from minds.dialogue import Event
from minds.models.language import Refused


def test_wilson_bounds() -> None:
    assert [round(bound, 4) for bound in wilson(8, 10)] == [0.4902, 0.9433]
    assert list(wilson(0, 0)) == [0.0, 1.0]
    assert [round(bound, 4) for bound in wilson(0, 10)] == [0.0, 0.2775]


def test_a_line_ends_at_a_line_feed_alone(tmp_path: Path) -> None:
    texts = ["one\u2028two", "three\x85four"]
    lines = (json.dumps({"says": text}, ensure_ascii=False) for text in texts)
    (tmp_path / "cases.jsonl").write_text("\r\n".join(lines) + "\n", encoding="utf-8", newline="")
    assert read_lines(tmp_path / "cases.jsonl", itemgetter("says"), "a text") == texts


def test_a_line_that_is_no_object_is_named_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("[1, 2]\n")
    with pytest.raises(ChatFault, match=r"Line 1 .* cannot be used \(no object\): give a text"):
        read_lines(tmp_path / "cases.jsonl", itemgetter("says"), "a text")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("error", {"text": "The server does not accept the key.", "unheard": True}),
        ("reply", {"final": True, "text": "23", "note": "It does not accept the key.", "unheard": True}),
    ],
)
async def test_what_a_model_that_could_not_be_asked_left_is_no_answer(kind: str, data: dict[str, Any]) -> None:
    class Refused:
        async def submit(self, session: str, text: str) -> int:
            return 1

        async def wait(self, session: str, turn: int) -> AsyncIterator[Event]:
            yield Event(1, session, turn, kind, data, 0.0)

    with pytest.raises(ChatFault, match="does not accept the key"):  # one sentence, on which the benchmark ends
        await say(cast(Duet, SimpleNamespace(runs=Refused())), "s", "What is 15 + 8?")


def test_a_model_that_there_is_not_ends_any_benchmark_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: Ask) -> dict[str, object]:
        raise Refused("The server does not accept the key.")

    monkeypatch.setattr("chat.bench.gate.run", gone)
    with pytest.raises(ChatFault, match="does not accept the key"):
        run_bench(Settings(home=tmp_path), "gate", {})
