from __future__ import annotations

import time
from dataclasses import dataclass

from chat.transcript import Document, Session
from chat.ui import panels

EVIL = '"><script>alert(1)</script>'


@dataclass(frozen=True)
class Line:
    part: str
    state: str
    text: str


def session(title: str, age_days: float = 0, key: str = "abc") -> Session:
    at = time.time() - age_days * 86400
    return Session(key, "ada", title, at, at)


def test_conversations_stand_under_their_days() -> None:
    shown = panels.conversations([session("new"), session("old", 1), session("older", 400)])
    assert shown.index("Today") < shown.index("new") < shown.index("Yesterday") < shown.index("old")
    assert shown.count("<h3>") == 3


def test_titles_and_ids_are_escaped() -> None:
    shown = panels.conversations([session(EVIL, key=EVIL)])
    assert "<script" not in shown and shown.count('data-do="delete"') == 1
    assert "New conversation" in panels.conversations([session("")])


def test_an_empty_list_says_why() -> None:
    assert "appear here" in panels.conversations([])
    assert "No conversation" in panels.conversations([], "zebra")


def test_documents_can_be_removed_one_by_one() -> None:
    shown = panels.documents([Document("d1", EVIL, "x", 1, 0.0), Document("d2", "b.pdf", "y", 12, 0.0)])
    assert "<script" not in shown
    assert 'data-document="d1"' in shown and 'data-document="d2"' in shown
    assert "1 part<" in shown and "12 parts" in shown


def test_health_puts_what_does_not_work_first_and_says_what_to_do() -> None:
    lines = [
        Line("fast", "ready", "embedded"),
        Line("memory", "idle", "x"),
        Line("slow", "failed", "set `OPENAI_API_KEY`"),
    ]
    shown = panels.health(lines)  # type: ignore[arg-type]
    assert shown.index("slow") < shown.index("memory") < shown.index("fast")
    assert "set <code>OPENAI_API_KEY</code>" in shown and ">embedded<" in shown


def test_the_bar_offers_what_the_state_allows() -> None:
    offers = {state: {do for do in ("stop", "pause", "resume") if f'data-do="{do}"' in panels.bar(state)}
              for state in ("idle", "fast", "slow", "paused", "interrupted")}  # fmt: skip
    assert offers == {
        "idle": set(),
        "fast": {"stop"},
        "slow": {"stop", "pause"},
        "paused": {"stop", "resume"},
        "interrupted": set(),
    }
    assert "type to steer" in panels.bar("slow")
