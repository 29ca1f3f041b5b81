from __future__ import annotations

from dataclasses import dataclass

from chat.ui.drawing import macros
from chat.uploads import Document

panels = macros("panels.html")
EVIL = '"><script>alert(1)</script>'


@dataclass(frozen=True)
class Line:
    part: str
    state: str
    text: str


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
    shown = panels.health(lines)
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
