from __future__ import annotations

from chat.ui import thread
from chat.ui.bubbles import bubbles
from chat.ui.language import speaking
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


def test_a_finished_step_is_drawn_once() -> None:
    thread._step.cache_clear()
    again = (1, "act", {**ACT[2], "number": 2})
    shown = [html(SAID, INTERIM, STARTED, STEP, *more) for more in ((), (again,), (FINISHED, FINAL, END))]
    assert thread._step.cache_info().misses == 1
    assert all("17802" in turn for turn in shown) and "step pending" in shown[1]


def test_a_step_is_drawn_in_the_language_that_is_spoken() -> None:
    with speaking("de"):
        assert "Überlegt" in html(SAID, INTERIM, STARTED, STEP)
    assert "Reason" in html(SAID, INTERIM, STARTED, STEP)


def test_what_was_deleted_is_not_offered_to_be_asked_again() -> None:
    gone = {"text": "removed", "removed": True}
    shown = html((1, "turn", gone), (1, "reply", {**gone, "by": "fast", "final": True}), END)
    assert 'data-do="undo"' in shown and "edit" not in shown and "retry" not in shown


def test_every_place_escapes() -> None:
    fields = {"thought": EVIL, "action": EVIL, "argument": EVIL, "observation": EVIL, "sources": [EVIL]}
    shown = html(
        (1, "turn", {"text": EVIL}),
        (1, "reply", {"by": EVIL, "text": EVIL, "final": False}),
        (1, "run", {"state": "started"}),
        (1, "step", {"number": 1, **fields}),
        (1, "run", {"state": "steered", "text": EVIL}),
        (1, "run", {"state": EVIL}),
        (
            1,
            "reply",
            {"by": "slow", "text": EVIL, "final": True, "sources": [EVIL], "places": {EVIL: [EVIL]}, "note": EVIL},
        ),
        (1, "error", {"text": EVIL}),
        (1, "end", {"state": EVIL}),
    )
    assert "<script" not in shown and "<img" not in shown
    assert shown.count("&lt;script&gt;") >= 10
    waiting = html(SAID, (1, "status", {"text": EVIL}))
    assert "<script" not in waiting and "&lt;script&gt;" in waiting


def test_a_place_says_what_of_the_reply_stands_there() -> None:
    places = {"a.md, Pay": ["1,250", "Anna Schmidt"]}
    shown = html(SAID, (1, "reply", {**FINAL[2], "sources": ["a.md, Pay", "b.md"], "places": places}), END)
    assert "a.md, Pay<mark>1,250</mark><mark>Anna Schmidt</mark></li>" in shown and "b.md</li>" in shown
    odd = (1, "reply", {**FINAL[2], "places": {"a.md": 7, "b": None}})
    assert "<mark>" not in html(SAID, odd, END)


def test_what_a_turn_offers() -> None:
    finished = (SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END)
    newest, older = html(*finished), html(*finished, last=False)
    for do in ("edit", "copy", "feedback", "retry", "retry-with"):
        assert f'data-do="{do}"' in newest and f'data-do="{do}"' in older
    assert 'data-do="undo"' in newest and 'data-do="undo"' not in older


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


# -- what a turn says of itself


def reply(**data: object) -> Line:
    return 1, "reply", {"by": "fast", "text": "It has 1,280 parts.", "final": True, **data}


def test_what_may_have_been_meant_is_said_by_a_click() -> None:
    shown = html(SAID, reply(choices=["open fridge 1", 'say "<b>"']), END)
    assert 'data-do="say" data-words="open fridge 1">open fridge 1</button>' in shown
    assert "<b>&quot;" not in shown and "&lt;b&gt;" in shown
    assert 'class="choose"' not in html(SAID, reply(choices=["open fridge 1"]), END, last=False), "only of the newest"


def test_a_reply_that_was_cut_offers_to_go_on() -> None:
    shown = html(SAID, reply(cut=True), END)
    assert "The model’s limit ended this reply here." in shown
    assert 'data-do="say" data-words="Go on."' in shown
    assert "Go on." not in html(SAID, reply(cut=True), END, last=False), "only the newest can"
    assert "limit" not in html(SAID, reply(), END)


def test_doubt_and_unfounded_figures_are_seen() -> None:
    shown = html(SAID, reply(doubt=True, unsupported=["1,280"]), END)
    assert ">not sure<" in shown and '">1,280</mark>' in shown
    assert "not sure" not in html(SAID, reply(doubt=False), END)


def test_who_worded_a_reply_and_what_it_took() -> None:
    spec = "openai:qwen3@http://127.0.0.1:8000/v1?strong=1"
    shown = html(SAID, reply(model=spec, seconds=1.23, tokens=2140, calls=3), END)
    assert ">qwen3</bdi> · 1.2 s · 2,140 tokens · 3 calls</span>" in shown
    assert f"Worded by {spec}" in shown


def test_a_reply_keeps_its_source_for_copying() -> None:
    text = 'a "b" $x$ <c>'
    assert 'data-source="a &quot;b&quot; $x$ &lt;c&gt;"' in html(SAID, reply(text=text), END)


def test_the_request_is_shown_where_the_person_said_it_otherwise() -> None:
    asked = (1, "reply", {**INTERIM[2], "request": "What is 387 * 46, times 2?"})
    shown = html(SAID, asked, STARTED, STEP)
    assert "Asked the slow mind: <bdi>What is 387 * 46, times 2?</bdi>" in shown
    same = (1, "reply", {**INTERIM[2], "request": "what is 387 times 46"})
    assert "Asked the slow mind" not in html(SAID, same, STARTED, STEP)


def test_an_interim_reply_without_words_is_no_bubble() -> None:
    silent = (1, "reply", {**INTERIM[2], "text": " "})
    assert "interim" not in html(SAID, silent, STARTED) and 'class="trace"' in html(SAID, silent, STARTED)
    assert "reply waiting" in html(SAID, (1, "delta", {"by": "fast", "text": "\n"}))


def test_steering_says_when_it_counts() -> None:
    steer: Line = (1, "run", {"state": "steered", "text": "in metres"})
    shown = html(SAID, INTERIM, STARTED, STEP, steer, (1, "act", {**ACT[2], "number": 2}))
    assert "You added: <bdi>in metres</bdi>" in shown and "counts from the next step on" in shown
    assert shown.index("17802") < shown.index("in metres") < shown.index("step pending")
    assert "counts from" not in html(SAID, INTERIM, STARTED, STEP, steer, FINISHED, FINAL, END)


def test_a_program_is_shown_as_code_with_its_output() -> None:
    program = "for n in range(3):\n    print('<b>', n)"
    call = {"number": 1, "thought": "", "action": "python", "argument": program}
    begun = html(SAID, INTERIM, STARTED, (1, "act", call))
    assert (
        '<figcaption>python<button type="button" data-do="copy-code"' in begun and '<span class="k">for</span>' in begun
    )
    done = html(
        SAID, INTERIM, STARTED, (1, "step", {**call, "arguments": {"program": program}, "observation": "<b> 0"})
    )
    assert "<figcaption>output<" in done and "&lt;b&gt; 0" in done and "<b> 0" not in done


# -- in a world


DEED = {"thought": "", "argument": "", "failed": False, "seconds": 0.0, "tokens": 0, "sources": []}
OPENED = (1, "world", {"episode": 1, "state": "opened", "score": 0.0})


def in_world(number: int, action: str, score: float | None, by: str = "slow", **more: str) -> Line:
    data = {**DEED, "number": number, "action": action, "observation": f"seen {number}", **more}
    return 1, "step", {**data, "episode": 1, "by": by, "score": score, "done": False, "won": False}


def test_replies_about_a_world_have_badges_of_their_own() -> None:
    told = html(SAID, (1, "reply", {"by": "fast", "text": "Your turn.", "final": True, "episode": 1}), END)
    assert "in the world</b>" in told and "solved" not in told
    for solved, word in ((True, ">solved<"), (False, ">not solved<")):
        final = {"by": "slow", "text": "So it went.", "final": True, "episode": 1, "solved": solved}
        assert word in html(SAID, STARTED, FINISHED, (1, "reply", final), END)
        assert word not in html(SAID, STARTED, FINISHED, (1, "reply", {**final, "episode": 0}), END), "at the desk"


def test_steps_in_a_world_show_the_action_as_it_is_and_what_it_brought() -> None:
    act: Line = (1, "act", {"number": 3, "thought": "", "action": "wait", "argument": ""})
    steps = (in_world(1, "go to fridge 1", 10.0), in_world(2, "open fridge 1", 5.0))
    shown = html(SAID, OPENED, STARTED, *steps, act)
    assert "<code>go to fridge 1</code>" in shown and "[]" not in shown
    assert '<span class="gain up">+10</span>' in shown and '<span class="gain off">-5</span>' in shown
    assert "Acting in the world" in shown and "step pending" in shown
    assert "Acted in the world" in html(SAID, OPENED, STARTED, *steps, FINISHED, FINAL, END)


def test_the_persons_own_steps_are_theirs() -> None:
    shown = html(SAID, OPENED, in_world(1, "go to fridge 1", None, "person"), FINAL, END)
    assert "You acted in the world" in shown and 'class="trace own"' in shown and "Reason" not in shown
    assert 'data-state="finished"><summary>' in shown and 'class="gain' not in shown


def test_a_long_run_in_a_world_shows_its_newest_steps() -> None:
    steps = [in_world(n, f"go to cabinet {n}", 0.0) for n in range(1, 101)]
    shown = html(SAID, OPENED, STARTED, *steps, FINISHED, FINAL, END)
    assert shown.count('class="step done"') == 24 and "cabinet 100" in shown and "cabinet 76<" not in shown
    assert "The first 76 steps are in the world panel" in shown and "100 steps" in shown
