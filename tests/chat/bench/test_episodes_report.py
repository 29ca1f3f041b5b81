"""A report: one file, nothing fetched, no text of a world taken for markup; the papers' figures as printed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from chat.bench.episodes import published
from chat.bench.episodes.figures import curve, mean_curve, summary
from chat.bench.episodes.report import page
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


class Reader(HTMLParser):
    """Tags that are open, and what fetches something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.wrong += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href")]
        if tag not in ("meta", "br", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")


def test_it_is_whole_and_fetches_nothing() -> None:
    text = made()
    reader = Reader()
    reader.feed(text)
    assert (reader.open, reader.wrong) == ([], [])
    assert "http" not in text and "url(" not in text and "script" not in reader.tags
    assert "prefers-color-scheme: dark" in text


def test_it_shows_what_was_measured() -> None:
    text = made()
    assert "Swift plays ScienceWorld" in text and "&lt;script&gt;" in text
    assert text.count("<figure>") == 2 and text.count("<details>") == 1, "one failure"
    assert "1 of 2 episodes" in text and "act 3" in text
    assert '<li class="off"><code>guard</code><span>A <code>focus on</code> needs trust.' in text
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
    rows = published.types()
    assert set(rows) == {task.name for task in simulator("scienceworld").tasks()}
    for column in published.columns():
        mean = sum(row[column["key"]] for row in rows.values()) / 30
        printed = 66.0 if column["key"] == "subgoals" else column["overall"]  # that paper's own rows average 66.00
        assert mean == pytest.approx(printed, abs=0.011), column["name"]
    assert sum(row["length"] for row in rows.values()) / 30 == pytest.approx(49.26, abs=0.01)


def test_curves_last_and_skip_negative_scores() -> None:
    assert curve([10.0, -100.0], 4) == [0.0, 10.0, 10.0, 10.0, 10.0]
    assert curve([], 2) == [0.0, 0.0, 0.0]
    assert mean_curve([[0.0, 100.0], [0.0, 50.0]]) == [0.0, 75.0]


def test_charts_stay_in_their_frames() -> None:
    drawn = re.findall(r'<path class="(?:mean|one)" d="([^"]+)"', made())
    assert len(drawn) == 1 + 2 * 2, "the large one, and of each type an episode and the mean"
    assert all(0 <= float(n) <= 720 for path in drawn for n in re.findall(r"[MHV ](\d+(?:\.\d+)?)", path))
    assert drawn[0].startswith("M46 240.0H") and drawn[0].endswith("H702")
