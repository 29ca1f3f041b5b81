from __future__ import annotations

from chat.ui import thread
from chat.ui.bubbles import bubbles
from tests.chat.ui.test_bubbles import ACT, END, FINAL, FINISHED, INTERIM, SAID, STARTED, STEP, Line, log

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def html(*lines: Line, last: bool = True, mark: int = 0) -> str:
    return thread.turn(bubbles(log(*lines), {1: mark}), last=last)


def test_a_badge_on_every_reply() -> None:
    shown = html(SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END)
    assert shown.index('data-by="fast"') < shown.index('class="trace"') < shown.index('data-by="slow"')
    assert "interim" in shown
    remembered = html(SAID, (1, "reply", {"by": "memory", "text": "17,802", "final": True}), END)
    assert 'data-by="memory"' in remembered and "from memory" in remembered


def test_the_trace_is_open_while_it_works_and_closed_after() -> None:
    working = html(SAID, INTERIM, STARTED, ACT)
    assert 'data-state="started" open' in working and "step pending" in working
    done = html(SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END)
    assert 'data-state="finished">' in done
    for words in ("Reason", "a product", "Act", "calculator[387*46]", "Obs", "17802", "1.9 s · 231 tokens"):
        assert words in done


def test_every_place_escapes() -> None:
    fields = {"thought": EVIL, "action": EVIL, "argument": EVIL, "observation": EVIL, "sources": [EVIL]}
    shown = html(
        (1, "turn", {"text": EVIL}),
        (1, "reply", {"by": EVIL, "text": EVIL, "final": False}),
        (1, "run", {"state": "started"}),
        (1, "step", {"number": 1, **fields}),
        (1, "run", {"state": "steered", "text": EVIL}),
        (1, "run", {"state": EVIL}),
        (1, "reply", {"by": "slow", "text": EVIL, "final": True, "sources": [EVIL], "note": EVIL}),
        (1, "error", {"text": EVIL}),
        (1, "end", {"state": EVIL}),
    )
    assert "<script" not in shown and "<img" not in shown
    assert shown.count("&lt;script&gt;") >= 10
    waiting = html(SAID, (1, "status", {"text": EVIL}))
    assert "<script" not in waiting and "&lt;script&gt;" in waiting


def test_what_a_turn_offers() -> None:
    finished = (SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END)
    newest, older = html(*finished), html(*finished, last=False)
    for do in ("edit", "copy", "feedback"):
        assert f'data-do="{do}"' in newest and f'data-do="{do}"' in older
    for do in ("undo", "retry"):
        assert f'data-do="{do}"' in newest and f'data-do="{do}"' not in older


def test_thumbs_show_what_was_given_and_take_it_back() -> None:
    up = html(SAID, FINAL, END, mark=1)
    assert up.count('aria-pressed="true"') == 1 and up.count('aria-pressed="false"') == 1
    assert 'data-value="0" aria-label="Good reply"' in up
    assert html(SAID, FINAL, END).count('aria-pressed="true"') == 0


def test_an_interrupted_turn_has_its_two_buttons_wherever_it_stands() -> None:
    cut: tuple[Line, ...] = (SAID, (1, "run", {"state": "interrupted"}), (1, "end", {"state": "interrupted"}))
    for shown in (html(*cut), html(*cut, last=False)):
        assert 'data-do="resume"' in shown and 'data-do="discard"' in shown
    assert 'data-do="resume"' not in html(*cut, (1, "run", {"state": "discarded"}))


def test_a_very_long_message_is_folded() -> None:
    shown = html((1, "turn", {"text": "<b>" * 30_000}), END)
    assert "folded" in shown and 'data-do="unfold"' in shown and "<b>" not in shown
