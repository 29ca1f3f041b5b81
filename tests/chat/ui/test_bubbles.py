"""Events become bubbles; each test reads as a short log."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from chat.ui.bubbles import Bubble, bubbles
from chat.ui.language import speaking
from minds.dialogue import Event

Line = tuple[int, str, dict[str, Any]]
SAID: Line = (1, "turn", {"text": "What is 387 times 46?"})
INTERIM: Line = (
    1,
    "reply",
    {"by": "fast", "text": "One moment.", "invoke": True, "final": False, "seconds": 0.8, "tokens": 31},
)
STARTED: Line = (1, "run", {"state": "started"})
ACT: Line = (1, "act", {"number": 1, "thought": "a product", "action": "calculator", "argument": "387*46"})
STEP: Line = (
    1,
    "step",
    {**ACT[2], "observation": "17802", "failed": False, "seconds": 1.94, "tokens": 231, "sources": ["a.md"]},
)
FINISHED: Line = (1, "run", {"state": "finished"})
FINAL: Line = (
    1,
    "reply",
    {"by": "slow", "text": "17,802", "invoke": True, "final": True, "sources": ["a.md"], "note": "as found"},
)
END: Line = (1, "end", {"state": "done"})


def log(*lines: Line) -> list[Event]:
    """Events with growing seq and a second between them."""
    return [Event(seq, "s", turn, kind, data, 100.0 + seq) for seq, (turn, kind, data) in enumerate(lines, 1)]


def parts(found: list[Bubble]) -> list[str]:
    return [b.part for b in found]


def only(found: list[Bubble], part: str) -> Bubble:
    matching = [b for b in found if b.part == part]
    assert len(matching) == 1, parts(found)
    return matching[0]


def test_nothing_said_nothing_shown() -> None:
    assert bubbles([]) == []


def test_a_turn_without_a_reply_is_waiting() -> None:
    found = bubbles(log(SAID, (1, "status", {"text": "reading"})))
    assert parts(found) == ["user", "status"]
    assert found[0].content == "What is 387 times 46?"
    assert found[1].content == "reading" and found[1].pending


def test_what_a_model_is_waited_for_is_told_beside_its_steps_until_it_goes_on() -> None:
    waiting = log(SAID, INTERIM, STARTED, STEP, (1, "status", {"text": "the limit is reached"}))
    assert bubbles(waiting)[-1].content == "the limit is reached"
    assert "status" not in parts(bubbles([*waiting, Event(9, "s", 1, "act", {**ACT[2], "number": 2}, 109.0)]))


@pytest.mark.parametrize("news", [("reply", INTERIM[2]), ("delta", {"by": "fast", "text": " "})])
def test_what_a_model_was_waited_for_is_over_once_it_speaks(news: tuple[str, dict[str, Any]]) -> None:
    waiting = (1, "status", {"text": "the limit is reached"})
    assert bubbles(log(SAID, waiting, (1, *news)))[-1].content != "the limit is reached"


def test_a_limit_is_told_in_the_language_of_the_page() -> None:
    limit = (1, "status", {"text": "h says that ...", "host": "api.example", "seconds": 1090})
    with speaking("de"):
        told = bubbles(log(SAID, limit))[-1].content
    assert "api.example" in told and "1.090 s" in told and "says" not in told


def test_what_a_failed_turn_took_stands_beside_its_fault() -> None:
    took = {"text": "It is busy.", "tokens": 42, "calls": 1, "price": 0.5, "currency": "EUR"}
    error = only(bubbles(log(SAID, (1, "error", took), (1, "end", {"state": "failed"}))), "error")
    assert (error.content, error.log) == ("It is busy.", "42 tokens · 1 call · EUR 0.50")


def test_deltas_add_up_and_go_with_the_reply() -> None:
    coming = log(SAID, (1, "delta", {"by": "fast", "text": "Hel"}), (1, "delta", {"by": "fast", "text": "lo"}))
    reply = only(bubbles(coming), "reply")
    assert reply.content == "Hello" and reply.pending
    whole = [*coming, Event(9, "s", 1, "reply", {"by": "fast", "text": "Hello!", "final": True}, 109.0)]
    reply = only(bubbles(whole), "reply")
    assert reply.content == "Hello!" and not reply.pending


def test_the_final_wording_streams_under_the_interim_reply() -> None:
    found = bubbles(log(SAID, INTERIM, STARTED, STEP, FINISHED, (1, "delta", {"by": "slow", "text": "17"})))
    assert parts(found) == ["user", "reply", "run", "step", "reply"]
    assert [b.final for b in found if b.part == "reply"] == [False, True]
    assert found[-1].by == "slow" and found[-1].pending


def test_the_slow_minds_own_words_stream_and_become_a_thought_where_a_step_follows() -> None:
    def piece(move: int, words: str) -> Line:
        return (1, "delta", {"by": "slow", "move": move, "text": words})

    said: list[Line] = [SAID, INTERIM, STARTED, piece(1, "A pro"), piece(1, "duct.")]
    assert only(bubbles(log(*said))[2:], "reply").content == "A product."
    assert parts(bubbles(log(*said, ACT))) == ["user", "reply", "run", "step"]
    again = bubbles(log(*said, ACT, STEP, piece(2, "It is"), piece(2, " 17,802")))
    assert parts(again)[-1] == "reply" and again[-1].content == "It is 17,802"
    assert again[-1].by == "slow"
    steered = bubbles(log(*said, piece(2, "Well")))
    assert steered[-1].content == "Well", "what was said before the person steered is no answer"


def test_a_slow_run_is_a_nested_trace_with_cost() -> None:
    found = bubbles(log(SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END))
    assert parts(found) == ["user", "reply", "run", "step", "reply"]
    run, step, final = found[2], found[3], found[4]
    assert step.parent_id == run.id
    assert (run.pending, run.log, run.duration) == (False, "1 step · 231 tokens", 2.0)
    assert (step.action, step.argument, step.log) == ("calculator", "387*46", "1.9 s · 231 tokens")
    assert step.seconds == 1.94 and found[3].content == "17802"
    assert final.by == "slow" and final.sources == ["a.md"] and final.note == "as found"
    assert found[1].final is False


def test_the_trace_fills_while_it_works() -> None:
    run = only(bubbles(log(SAID, INTERIM, STARTED)), "run")
    assert run.pending and run.at == 103.0
    found = bubbles(log(SAID, INTERIM, STARTED, ACT))
    assert only(found, "step").pending and only(found, "step").content == ""
    found = bubbles(log(SAID, INTERIM, STARTED, ACT, STEP))
    assert not only(found, "step").pending


def test_ids_are_unique() -> None:
    steer = (1, "run", {"state": "steered", "text": "in words"})
    second = (1, "step", {**STEP[2], "number": 2})
    later = (2, "turn", {"text": "and?"})
    error = (2, "error", {"text": "no server"})
    found = bubbles(log(SAID, INTERIM, STARTED, STEP, steer, second, steer, FINISHED, FINAL, END, later, error, error))
    ids = [b.id for b in found]
    assert len(set(ids)) == len(ids)


def test_steering_is_shown_in_the_trace_and_changes_no_state() -> None:
    found = bubbles(log(SAID, INTERIM, STARTED, (1, "run", {"state": "steered", "text": "use metric units"})))
    assert only(found, "run").pending
    assert only(found, "steer").content == "use metric units"
    assert only(found, "steer").parent_id == only(found, "run").id


def test_states_of_a_run() -> None:
    for state, title in (("paused", "Paused"), ("queued", "Waiting for its turn"), ("resumed", "Thinking it through")):
        run = only(bubbles(log(SAID, INTERIM, STARTED, (1, "run", {"state": state}))), "run")
        assert (run.title, run.pending) == (title, True)
    for state, title in (("stopped", "Stopped"), ("failed", "The slow mind could not finish")):
        found = bubbles(log(SAID, INTERIM, STARTED, (1, "run", {"state": state}), (1, "end", {"state": "stopped"})))
        assert only(found, "run").title == title
        assert not only(found, "run").pending


def test_a_turn_that_was_handed_back_has_no_trace_and_its_words_stream() -> None:
    back = (1, "run", {"state": "finished", "result": "", "solved": True})
    coming = [SAID, INTERIM, STARTED, back, (1, "delta", {"by": "fast", "text": "The capital"})]
    found = bubbles(log(*coming))
    assert parts(found) == ["user", "reply", "reply"]
    assert [b.content for b in found[1:]] == ["One moment.", "The capital"]
    whole = {"by": "fast", "text": "The capital is Ljubljana.", "invoke": False, "final": True}
    found = bubbles(log(*coming, (1, "reply", whole), END))
    assert [b.content for b in found[1:]] == ["One moment.", "The capital is Ljubljana."]


def test_a_fast_turn_that_was_stopped_has_no_trace() -> None:
    found = bubbles(log(SAID, (1, "run", {"state": "stopped"}), (1, "end", {"state": "stopped"})))
    assert parts(found) == ["user", "end"]
    assert found[1].state == "stopped"


def test_an_interrupted_turn_can_be_resumed_or_discarded() -> None:
    cut: list[Line] = [
        SAID,
        INTERIM,
        STARTED,
        STEP,
        (1, "run", {"state": "interrupted", "heard": 104.0}),
        (1, "end", {"state": "interrupted"}),
    ]
    found = bubbles(log(*cut))
    assert only(found, "end").state == "interrupted"
    assert only(found, "run").title == "Interrupted"
    assert only(found, "run").duration == 1.0, "until it was last heard of, not until the next start"
    resumed = bubbles(log(*cut, (1, "run", {"state": "resumed"})))
    assert "end" not in parts(resumed)
    assert only(resumed, "run").pending
    discarded = bubbles(log(*cut, (1, "run", {"state": "discarded"})))
    assert only(discarded, "end").state == "discarded"
    assert only(discarded, "run").duration == 1.0


def test_a_turn_that_failed_says_so_until_it_is_taken_up() -> None:
    failed: list[Line] = [SAID, INTERIM, STARTED, STEP, (1, "error", {"text": "busy"}), (1, "end", {"state": "failed"})]
    found = bubbles(log(*failed))
    assert only(found, "error").content == "busy" and only(found, "run").title == "The slow mind could not finish"
    resumed = bubbles(log(*failed[:-1], (1, "run", {"state": "resumed"})))
    assert "error" not in parts(resumed) and only(resumed, "run").pending


def test_what_came_until_a_turn_failed_is_shown_and_gone_when_it_is_taken_up() -> None:
    came, more = (1, "delta", {"by": "fast", "text": "Once upon"}), (1, "delta", {"by": "fast", "text": "Twice"})
    failed: list[Line] = [SAID, came, (1, "error", {"text": "gone"}), (1, "end", {"state": "failed"})]
    shown = bubbles(log(*failed))
    assert parts(shown) == ["user", "reply", "error"]
    assert shown[1].content == "Once upon" and not (shown[1].pending or shown[1].final)
    taken_up = bubbles(log(*failed, (1, "run", {"state": "resumed"}), more))
    assert parts(taken_up) == ["user", "reply"] and taken_up[1].content == "Twice"


def test_a_paused_run_goes_on_amid_its_words() -> None:
    said = [(1, "delta", {"by": "slow", "text": text}) for text in ("The answer is ", "forty", "-two.")]
    halted: list[Line] = [(1, "run", {"state": "paused"}), said[1], (1, "run", {"state": "resumed"})]
    assert bubbles(log(SAID, STARTED, said[0], *halted, said[2]))[-1].content == "The answer is forty-two."


def test_an_interrupted_fast_turn_waits_again_when_resumed() -> None:
    cut: list[Line] = [SAID, (1, "run", {"state": "interrupted"}), (1, "end", {"state": "interrupted"})]
    assert parts(bubbles(log(*cut))) == ["user", "end"]
    assert parts(bubbles(log(*cut, (1, "run", {"state": "resumed"})))) == ["user", "status"]


def test_errors_are_shown_and_a_failed_end_needs_a_word() -> None:
    found = bubbles(log(SAID, (1, "error", {"text": "No server."}), (1, "end", {"state": "failed"})))
    assert parts(found) == ["user", "error"] and found[1].content == "No server."
    assert parts(bubbles(log(SAID, (1, "end", {"state": "failed"})))) == ["user", "end"]


def test_feedback_belongs_to_the_final_reply() -> None:
    found = bubbles(log(SAID, INTERIM, STARTED, STEP, FINISHED, FINAL, END), {1: -1})
    replies = [b for b in found if b.part == "reply"]
    assert [r.feedback for r in replies] == [0, -1]


def test_turns_are_in_order_even_where_their_events_mix() -> None:
    found = bubbles(
        log(
            SAID,
            INTERIM,
            STARTED,
            (2, "turn", {"text": "hi"}),
            STEP,
            (2, "reply", {"by": "fast", "text": "hello", "final": True}),
        )
    )
    assert [b.turn for b in found] == [1, 1, 1, 1, 2, 2]


def test_a_turn_taken_out_of_the_view_leaves_nothing() -> None:
    assert bubbles(log((3, "superseded", {"from": 3}))) == []


def test_strange_data_does_not_break_the_view() -> None:
    strange: list[dict[str, Any]] = [
        {},
        {"text": None},
        {"text": 3, "final": "yes", "sources": "x", "seconds": "fast"},
        {"number": None},
    ]
    kinds = ("turn", "status", "delta", "reply", "run", "act", "step", "error", "end", "unheard-of")
    for kind, data in itertools.product(kinds, strange):
        assert parts(bubbles(log(SAID, (1, kind, data))))[0] == "user"


def test_what_a_tool_did_in_a_world_stands_before_the_tools_own_step() -> None:
    opened: Line = (1, "act", {"number": 1, "thought": "", "action": "world_open", "argument": ""})
    steps = [
        (1, "step", {"number": n, "action": "look", "observation": "", "episode": 2, "by": "slow"}) for n in (1, 2)
    ]
    done: Line = (1, "step", {**opened[2], "observation": "Done."})
    shown = bubbles(log(SAID, STARTED, opened, *steps, done))
    found = [b for b in shown if b.part == "step"]
    assert [b.id for b in found] == ["1-step-2-1", "1-step-2-2", "1-step-1"]
    [run] = [b for b in shown if b.part == "run"]
    assert run.log.startswith("2 steps"), "the call that took them is none of the world's"
    assert [b.episode for b in found] == [2, 2, 0]


def test_a_command_shows_the_words_of_its_button() -> None:
    [bubble, _] = bubbles(log((1, "turn", {"text": "/world go on"})))
    assert bubble.content == "Go on" and bubble.said == "/world go on"
    with speaking("de"):
        [bubble, _] = bubbles(log((1, "turn", {"text": "/world take"})))
    assert bubble.content == "Lass mich"
