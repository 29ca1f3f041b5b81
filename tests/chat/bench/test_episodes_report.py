"""A report: no text of a world is taken for markup; the papers' figures as printed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from chat.bench.episodes.report import page, published, summary
from tools.worlds import simulator

CONFIG: dict[str, Any] = {
    "world": "scienceworld",
    "strategy": "swift",
    "split": "test",
    "protocol": {"name": "swiftsage", "says": "`easy`, 300 steps", "simplifications": ["easy"]},
    "weights": {"swift.safetensors": "abc"},
    "without": ["guard"],
    "model": None,
    "about": {
        "python": "3.11",
        "packages": {"numpy": "2"},
        "rules": [
            {"name": "guard", "says": "A `focus on` needs trust.", "on": False},
            {"name": "tiring", "says": "What was done tires.", "on": True},
        ],
    },
}
EVIL = "<script>alert('the engine said this')</script>"


def episode(name: str, kind: str, scores: list[float]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    steps = [
        {
            "step": i,
            "action": f"act {i}",
            "said": EVIL,
            "score": s,
            "policy_ms": 2.0,
            "processor_ms": 1.0,
            "simulator_ms": 5.0,
        }
        for i, s in enumerate(scores, 1)
    ]
    counts = {"final": scores[-1], "highest": max(scores), "clamped": scores[-1], "stop_rule": scores[-1]}
    row = {"id": name, "type": kind, "goal": EVIL, "steps": len(scores), "won": scores[-1] == 100, "ended": "steps"}
    return {**row, **counts, "said": "", "tries": 1, "tokens": 0}, steps


def made() -> str:
    both = [episode("boil/21", "boil", [0.0, 100.0]), episode("grow-fruit/93", "grow-fruit", [0.0, 30.0, 30.0])]
    rows, steps = [row for row, _ in both], {row["id"]: steps for row, steps in both}
    figures = summary(rows, [s for one in steps.values() for s in one], 1.0, 0)
    return page(CONFIG, figures, rows, steps, [{"commit": "abc123"}, {"commit": "def456"}])


def test_no_text_of_a_world_is_taken_for_markup() -> None:
    text = made()
    assert "\\<script>" in text and re.search(r"(?<!\\)<", text) is None


def test_it_shows_what_was_measured() -> None:
    text = made()
    assert text.startswith("# `swift` plays ScienceWorld\n\n2 episodes of test; protocol swiftsage (`easy`, 300 steps)")
    assert text.count("\n### ") == 1, "one failure"
    assert "1 of 2 episodes" in text and "| 3 | act 3 |" in text
    assert "| 1-1 boil | 100.0 | 15.0 | 33.1 | 3.5 |" in text
    assert "- guard (off): A `focus on` needs trust.\n- tiring: What was done tires." in text
    assert "abc123, def456" in text, "every commit it was played at"
    for printed in ("49.2", "65.4", "84.7", "757"):
        assert printed in text


def test_other_worlds_are_not_set_beside_papers_about_scienceworld() -> None:
    row, steps = episode("household/x/1", "look", [100.0])
    figures = summary([row], steps, 1.0, 0)
    text = page({**CONFIG, "world": "alfworld"}, figures, [row], {row["id"]: steps}, [])
    assert "SwiftSage (" not in text and "84.7" not in text and "None: every episode was won." in text


def test_a_run_without_an_episode_still_has_a_page() -> None:
    assert "0 episodes; 3 could not be played yet" in page(CONFIG, {"episodes": 0, "unplayed": 3}, [], {}, [])


def test_the_papers_rows_add_up_to_what_they_print() -> None:
    rows = {row["task"]: row for row in published()["rows"]}
    assert set(rows) == {task.name for task in simulator("scienceworld").tasks()}
    for column in published()["columns"]:
        mean = sum(row[column["key"]] for row in rows.values()) / 30
        printed = 66.0 if column["key"] == "subgoals" else column["overall"]  # that paper's own rows average 66.00
        assert mean == pytest.approx(printed, abs=0.011), column["name"]
    assert sum(row["length"] for row in rows.values()) / 30 == pytest.approx(49.26, abs=0.01)
