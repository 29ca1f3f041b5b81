"""Events -> bubbles: what a conversation looks like, as data. Pure functions; no Gradio, no HTML.

A bubble has the shape of Gradio's chat messages: `role`, `content` and a `metadata` with title, log, duration, status,
id and parent_id. A slow run is a bubble with a title; its steps are bubbles whose parent_id names it (DUMA, 2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, TypedDict

from chat.world_view import gains
from minds.dialogue import Event

SHOWN = 24
"""Steps in a world that a turn shows, the newest; the panel beside the conversation shows all."""
OVER = {"finished", "failed", "stopped", "discarded", "interrupted"}
"""States of a run in which nothing is being worked on."""


class Metadata(TypedDict, total=False):
    """Gradio's own keys first, then what the page needs besides."""

    id: str
    parent_id: str
    title: str
    log: str
    duration: float
    status: Literal["pending", "done"]
    turn: int
    part: Literal["user", "reply", "run", "step", "note", "steer", "status", "error", "end"]
    by: str
    """fast, slow or memory: the badge."""
    final: bool
    state: str
    since: float
    feedback: int
    sources: list[str]
    note: str
    thought: str
    action: str
    argument: str
    failed: bool
    episode: int
    """The world episode that a reply, a run or a step belongs to."""
    solved: bool
    """Of the slow mind's reply about an episode: the world says that its goal is reached."""
    gained: float
    """By how much the step changed the world's score."""
    earlier: int
    """Steps of the run that came before those that are shown."""


class Bubble(TypedDict):
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    content: str
    metadata: Metadata


@dataclass
class _Turn:
    """What the events of one turn add up to."""

    number: int
    said: str = ""
    replies: dict[bool, Event] = field(default_factory=dict)
    """final -> the reply."""
    words: dict[str, list[str]] = field(default_factory=dict)
    """by -> pieces of the reply that is being worded."""
    run: list[Event] = field(default_factory=list)
    steps: dict[int, Event] = field(default_factory=dict)
    status: str = ""
    errors: list[str] = field(default_factory=list)
    end: str = ""
    episode: int = 0
    """The world episode that it belongs to."""
    gained: Mapping[int, float] = field(default_factory=dict)
    """A step's seq -> what it brought."""


def bubbles(
    events: Iterable[Event], feedback: Mapping[int, int] | None = None, gained: Mapping[int, float] | None = None
) -> list[Bubble]:
    """All bubbles of a session's current events, turn by turn.

    `feedback`: turn -> 1 or -1. `gained`: what steps in worlds brought (chat/world_view.py), where these are not all
    of the session's events.
    """
    marks = feedback or {}
    ordered = sorted(events, key=lambda e: (e.turn, e.seq))
    brought = gains(ordered) if gained is None else gained
    turns = [_gather(number, group, brought) for number, group in groupby(ordered, key=lambda e: e.turn)]
    return [bubble for turn in turns if turn.said for bubble in _show(turn, marks.get(turn.number, 0))]


def _gather(number: int, events: Iterable[Event], gained: Mapping[int, float]) -> _Turn:
    turn = _Turn(number, gained=gained)
    for event in events:
        _take(turn, event)
    return turn


def _take(turn: _Turn, event: Event) -> None:
    data = event.data
    turn.episode = _int(data, "episode") or turn.episode
    if event.kind == "turn":
        turn.said = _text(data) or " "
    elif event.kind == "status":
        turn.status = _text(data)
    elif event.kind == "delta":
        turn.words.setdefault(str(data.get("by", "fast")), []).append(_text(data))
    elif event.kind == "reply":
        turn.replies[bool(data.get("final"))] = event
        turn.words.clear()
    elif event.kind == "run":
        turn.run.append(event)
        turn.end = {"resumed": "", "discarded": "discarded"}.get(str(data.get("state")), turn.end)
    elif event.kind in ("act", "step"):
        turn.steps[_int(data, "number")] = event
    elif event.kind == "error":
        turn.errors.append(_text(data))
    elif event.kind == "end":
        turn.end = str(data.get("state", "done"))


def _show(turn: _Turn, feedback: int) -> list[Bubble]:
    shown = [_bubble(turn, "user", turn.said, role="user")]
    if interim := turn.replies.get(False):
        shown.append(_reply(turn, interim))
    if _traced(turn):
        shown += _trace(turn)
    if final := turn.replies.get(True):
        shown.append(_reply(turn, final, feedback=feedback))
    elif not turn.end:
        shown += _unfinished(turn)
    shown += [_bubble(turn, "error", text, id=f"{turn.number}-error-{n}") for n, text in enumerate(turn.errors)]
    if turn.end in ("stopped", "interrupted", "discarded") or (turn.end == "failed" and not turn.errors):
        shown.append(_bubble(turn, "end", "", state=turn.end))
    return shown


def _unfinished(turn: _Turn) -> list[Bubble]:
    """The words that are coming in, or what is going on until they do."""
    if turn.words:
        by, pieces = list(turn.words.items())[-1]
        return [_bubble(turn, "reply", "".join(pieces), by=by, final=True, status="pending")]
    if not (_traced(turn) and _working(turn)):
        return [_bubble(turn, "status", turn.status, status="pending")]
    return []


def _reply(turn: _Turn, event: Event, feedback: int = 0) -> Bubble:
    data, final = event.data, bool(event.data.get("final"))
    bubble = _bubble(
        turn, "reply", _text(data), id=f"{turn.number}-{'reply' if final else 'interim'}", status="done", final=final,
        by=str(data.get("by", "fast")), feedback=feedback, sources=_sources(data), note=str(data.get("note") or ""),
        log=_cost(data), episode=_int(data, "episode"),
    )  # fmt: skip
    if isinstance(solved := data.get("solved"), bool):
        bubble["metadata"]["solved"] = solved
    return bubble


def _trace(turn: _Turn) -> list[Bubble]:
    working = _working(turn)
    state = _run_state(turn) or ("started" if _doer(turn) == "slow" else "finished")
    events = [event for _, event in sorted(turn.steps.items())]
    shown = events[-SHOWN:] if turn.episode else events
    steps = [_step(turn, event, working) for event in shown]
    run = _bubble(
        turn, "run", "", title=_headline(turn, state, working), log=_total(turn), state=state, episode=turn.episode,
        status="pending" if working else "done", by=_doer(turn), earlier=len(events) - len(shown),
    )  # fmt: skip
    if turn.run:
        run["metadata"]["since"] = turn.run[0].at
        run["metadata"]["duration"] = max(0.0, (turn.run[-1].at if not working else turn.run[0].at) - turn.run[0].at)
    steers = [_steer(turn, n, e) for n, e in enumerate(turn.run) if e.data.get("state") == "steered"]
    return [run, *steps, *steers]


def _step(turn: _Turn, event: Event, working: bool) -> Bubble:
    data = event.data
    done = event.kind == "step"
    action = str(data.get("action") or "")
    return _bubble(
        turn, "step", str(data.get("observation") or ""), id=f"{turn.number}-step-{_int(data, 'number')}",
        parent_id=f"{turn.number}-run", title=action or "finish", log=_cost(data) if done else "",
        duration=_float(data, "seconds"), status="pending" if working and not done else "done",
        thought=str(data.get("thought") or ""), action=action, argument=str(data.get("argument") or ""),
        failed=bool(data.get("failed")), sources=_sources(data), by=str(data.get("by") or "slow"),
        episode=turn.episode, gained=turn.gained.get(event.seq, 0.0),
    )  # fmt: skip


def _steer(turn: _Turn, number: int, event: Event) -> Bubble:
    text = _text(event.data)
    return _bubble(
        turn, "steer", text, id=f"{turn.number}-steer-{number}", parent_id=f"{turn.number}-run", title="you added"
    )


def _bubble(
    about: _Turn, part: Any, content: str, *, role: Literal["user", "assistant"] = "assistant", **extra: Any
) -> Bubble:
    metadata = Metadata(id=f"{about.number}-{part}", turn=about.number, part=part)
    metadata.update(extra)  # type: ignore[typeddict-item]
    return Bubble(role=role, content=content, metadata=metadata)


_HEADLINES = {
    "queued": "Waiting for its turn",
    "paused": "Paused",
    "failed": "The slow mind could not finish",
    "stopped": "Stopped",
    "discarded": "Discarded",
    "interrupted": "Interrupted",
}


def _headline(turn: _Turn, state: str, working: bool) -> str:
    if _doer(turn) == "person":
        return "You acted in the world"
    if turn.episode:
        return _HEADLINES.get(state) or ("Acting in the world" if working else "Acted in the world")
    return _HEADLINES.get(state) or ("Thinking it through" if working else "Thought it through")


def _doer(turn: _Turn) -> str:
    """person, where all that was done in the turn was done in the person's own words; else slow."""
    return "person" if turn.steps and all(e.data.get("by") == "person" for e in turn.steps.values()) else "slow"


def _traced(turn: _Turn) -> bool:
    """A fast turn that was stopped has a run event too, but nothing to trace."""
    return bool(turn.steps) or any(e.data.get("state") in ("queued", "started") for e in turn.run)


def _working(turn: _Turn) -> bool:
    return bool(turn.run) and _run_state(turn) not in OVER and not turn.end and True not in turn.replies


def _run_state(turn: _Turn) -> str:
    """The state of the run; being steered does not change what it was before."""
    states = [str(e.data.get("state", "")) for e in turn.run if e.data.get("state") != "steered"]
    return states[-1] if states else ""


def _total(turn: _Turn) -> str:
    done = [e.data for e in turn.steps.values() if e.kind == "step"]
    tokens = sum(_int(d, "tokens") for d in done)
    words = [f"{len(done)} step{'' if len(done) == 1 else 's'}"] if done else []
    return " · ".join(words + ([f"{tokens:,} tokens"] if tokens else []))


def _cost(data: Mapping[str, object]) -> str:
    """`1.2 s · 214 tokens`."""
    seconds, tokens = _float(data, "seconds"), _int(data, "tokens")
    words = [f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"] if seconds else []
    return " · ".join(words + ([f"{tokens:,} tokens"] if tokens else []))


def _text(data: Mapping[str, object]) -> str:
    return str(data.get("text") or "")


def _int(data: Mapping[str, object], key: str) -> int:
    return int(_float(data, key))


def _float(data: Mapping[str, object], key: str) -> float:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _sources(data: Mapping[str, object]) -> list[str]:
    value = data.get("sources")
    return [str(source) for source in value] if isinstance(value, list | tuple) else []
