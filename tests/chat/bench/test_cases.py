"""Lines of data; shares and their intervals."""

from __future__ import annotations

import json
from pathlib import Path

from chat.bench.cases import read_lines, wilson


def test_wilson_bounds() -> None:
    assert [round(bound, 4) for bound in wilson(8, 10)] == [0.4902, 0.9433]
    assert list(wilson(0, 0)) == [0.0, 1.0]
    assert [round(bound, 4) for bound in wilson(0, 10)] == [0.0, 0.2775]


def test_a_line_ends_at_a_line_feed_alone(tmp_path: Path) -> None:
    texts = ["one\u2028two", "three\x85four"]
    lines = (json.dumps(text, ensure_ascii=False) for text in texts)
    (tmp_path / "cases.jsonl").write_text("\r\n".join(lines) + "\n", encoding="utf-8", newline="")
    assert read_lines(tmp_path / "cases.jsonl", str, "a text") == texts
