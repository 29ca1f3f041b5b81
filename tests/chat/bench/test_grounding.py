"""`bench grounding`: anybody's data are counted fairly, and bad lines are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat.bench import Ask
from chat.bench.grounding import run
from chat.faults import ChatFault
from chat.settings import read_settings

LINE = {
    "world": "alfworld",
    "observation": "",
    "admissible": ["take mug 1 from desk 1", "take mug 2 from desk 1", "look"],
}


def bench(folder: Path, *lines: object) -> dict[str, object]:
    file = folder / "data.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return run(Ask(read_settings({"home": folder}), data=file))


def test_accuracy_is_the_share_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = bench(
        tmp_path,
        {**LINE, "says": "take mug 2", "expect": ["take mug 2 from desk 1"]},
        {"says": "take the mug", "expect": []},
        {"says": "take both mugs", "expect": ["take mug 2 from desk 1", "take mug 1 from desk 1"]},
        {**LINE, "says": "look around", "expect": []},
    )
    assert figures["accuracy"] == 0.75
    assert figures["right"] == {"alfworld act": "2/2", "alfworld refuse or ask": "1/2"}
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "word"),
    [("{", "JSON"), ("[]", "object"), ({"says": "x"}, "world"), ({**LINE, "says": "x", "expect": "look"}, "expect")],
)
def test_a_bad_line_is_named(tmp_path: Path, line: object, word: str) -> None:
    with pytest.raises(ChatFault, match=r"Line 2 .*data\.jsonl") as told:
        bench(tmp_path, {**LINE, "says": "look", "expect": ["look"]} if line != {"says": "x"} else "", line)
    assert word in str(told.value)


def test_no_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="no case"):
        bench(tmp_path, "")
    with pytest.raises(ChatFault, match="cannot be read"):
        run(Ask(read_settings({"home": tmp_path}), data=tmp_path / "none.jsonl"))
    with pytest.raises(ChatFault, match="no split `test`: name --split dev to dev41"):
        run(Ask(read_settings({"home": tmp_path})))


def test_our_own_development_sentences() -> None:
    figures = run(Ask(read_settings({}), split="dev", limit=60))
    assert float(str(figures["accuracy"])) >= 0.96
