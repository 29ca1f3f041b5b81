"""Events -> bubbles: what a conversation looks like, as data. Pure functions; no Gradio, no HTML.

A slow run is a bubble with a title; its steps are bubbles whose parent_id names it (DUMA, 2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, TypedDict

from chat.ui.fields import cost, in_steps, in_tokens, pictures, real, text, texts, texts_by, whole
from chat.ui.language import N_, _
from chat.worlds.commands import shown as command_shown
from chat.worlds.view import gains
from minds.dialogue import Event

SHOWN = 24
"""Steps in a world that a turn shows, the newest; the panel beside the conversation shows all."""
OVER = {"finished", "failed", "stopped", "discarded", "interrupted"}
"""States of a run in which nothing is being worked on."""


class Metadata(TypedDict, total=False):
    """What the page needs of a bubble beside its words."""

    id: str
    parent_id: str
    title: str
    log: str
    duration: float
    status: Literal["pending", "done"]
    turn: int
    part: Literal["user", "reply", "run", "step", "note", "steer", "status", "error", "end"]
    pictures: list[dict[str, Any]]
    """What was shown: {id, name, width, height, session}."""
    said: str
    """What was said, where a command's bubble shows its button's words."""
    by: str
    """fast, slow or memory: the badge."""
    final: bool
    state: str
    since: float
    feedback: int
    sources: list[str]
    places: dict[str, list[str]]
    """Source -> numbers, names and quotes of the reply that stand there."""
    note: str
    from_note: str
    """The memory's note that answered."""
    rests_on: list[str]
    """Notes of the memory that a fast reply rests on."""
    cut: bool
    """The model's limit ended the reply."""
    choices: list[str]
    """What the person may have meant, to say by a button."""
    doubt: bool
    checked: bool
    """A first answer, which is being checked."""
    unfounded: list[str]
    """Figures of the reply that stand nowhere else."""
    model: str
    """The spec of the model that worded the reply."""
    thinker: str
    """The spec of the model that found out what it says, where that is another."""
    small: bool
    """The model that worded it is a small one."""
    request: str
    """Of a run: what the slow mind was asked, where the person said it otherwise."""
    thought: str
    action: str
    argument: str
    program: str
    """Of a step that ran one: its text."""
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

    content: str
    metadata: Metadata


@dataclass
class _Turn:
    """What the events of one turn add up to."""

    number: int
    said: str = ""
    pictures: list[dict[str, Any]] = field(default_factory=list)
    replies: dict[bool, Event] = field(default_factory=dict)
    """final -> the reply."""
    words: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """By whom, and in which move of the slow mind, -> pieces of the reply that is being worded."""
    run: list[Event] = field(default_factory=list)
    steps: dict[tuple[int, int], Event] = field(default_factory=dict)
    """By episode (0: the slow mind's own tools) and number: a tool that opens a world acts there in between."""
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

    `feedback`: turn -> 1 or -1. `gained`: what steps in worlds brought (chat/worlds/view.py), where these are not all
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
    turn.episode = whole(data, "episode") or turn.episode
    if event.kind == "turn":
        turn.said = text(data) or " "
        turn.pictures = pictures(event)
    elif event.kind == "status":
        turn.status = text(data)
    elif event.kind == "delta":
        turn.words.setdefault((str(data.get("by", "fast")), whole(data, "move")), []).append(text(data))
    elif event.kind == "reply":
        turn.replies[bool(data.get("final"))] = event
        turn.words.clear()
    elif event.kind == "run":
        turn.run.append(event)
        turn.end = {"resumed": "", "discarded": "discarded"}.get(str(data.get("state")), turn.end)
    elif event.kind in ("act", "step"):
        turn.words = {by: pieces for by, pieces in turn.words.items() if by[0] != "slow"}  # it was a step's thought
        turn.steps[whole(data, "episode"), whole(data, "number")] = event
    elif event.kind == "error":
        turn.errors.append(text(data))
    elif event.kind == "end":
        turn.end = str(data.get("state", "done"))


def _show(turn: _Turn, feedback: int) -> list[Bubble]:
    words = command_shown(turn.said)
    command = {"said": turn.said} if words != turn.said else {}
    shown = [_bubble(turn, "user", words, pictures=turn.pictures, **command)]
    if (interim := turn.replies.get(False)) and text(interim.data).strip():
        shown.append(_reply(turn, interim))
    if _traced(turn):
        shown += _trace(turn)
    if final := turn.replies.get(True):
        shown.append(_reply(turn, final, feedback=feedback))
    elif not turn.end:
        shown += _unfinished(turn)
    shown += [_bubble(turn, "error", what, id=f"{turn.number}-error-{n}") for n, what in enumerate(turn.errors)]
    if turn.end in ("stopped", "interrupted", "discarded") or (turn.end == "failed" and not turn.errors):
        shown.append(_bubble(turn, "end", "", state=turn.end))
    return shown


def _unfinished(turn: _Turn) -> list[Bubble]:
    """The words that are coming in, or what is going on until they do."""
    if turn.words:
        (by, _), pieces = list(turn.words.items())[-1]
        if words := "".join(pieces).strip():
            first = by == "first"
            by = "slow" if _traced(turn) else by  # the fast mind words what the slow one found
            return [_bubble(turn, "reply", words, by=by, final=True, status="pending", checked=first)]
    if not (_traced(turn) and _working(turn)):
        return [_bubble(turn, "status", turn.status, status="pending")]
    return []


def _reply(turn: _Turn, event: Event, feedback: int = 0) -> Bubble:
    data, final = event.data, bool(event.data.get("final"))
    bubble = _bubble(
        turn, "reply", text(data), id=f"{turn.number}-{'reply' if final else 'interim'}", status="done", final=final,
        by=str(data.get("by", "fast")), feedback=feedback, sources=texts(data, "sources"), note=text(data, "note"),
        log=cost(data), episode=whole(data, "episode"), cut=bool(data.get("cut")), doubt=bool(data.get("doubt")),
        unfounded=texts(data, "unsupported"), model=text(data, "model"), from_note=text(data, "from_note"),
        places=texts_by(data, "places"), rests_on=texts(data, "rests_on"), thinker=text(data, "thinker"),
        small=bool(data.get("small")), choices=texts(data, "choices"),
    )  # fmt: skip
    if isinstance(solved := data.get("solved"), bool):
        bubble["metadata"]["solved"] = solved
    return bubble


def _trace(turn: _Turn) -> list[Bubble]:
    working = _working(turn)
    state = _run_state(turn) or ("started" if _doer(turn) == "slow" else "finished")
    events = sorted(turn.steps.values(), key=lambda event: event.seq)
    shown = events[-SHOWN:] if turn.episode else events
    steered = [e for e in turn.run if e.data.get("state") == "steered"]
    inner = [(e.seq, _step(turn, e, working)) for e in shown]
    inner += [(e.seq, _steer(turn, n, e, working)) for n, e in enumerate(steered)]
    inner += [(e.seq, _last_thought(turn, e)) for e in turn.run if _concludes(e)]
    run = _bubble(
        turn, "run", "", title=_headline(turn, state, working), log=_total(turn), state=state, episode=turn.episode,
        status="pending" if working else "done", by=_doer(turn), earlier=len(events) - len(shown),
        request=_request(turn),
    )  # fmt: skip
    if turn.run:
        run["metadata"]["since"] = turn.run[0].at
        run["metadata"]["duration"] = 0.0 if working else max(0.0, _ended(turn) - turn.run[0].at)
    return [run, *(bubble for _, bubble in sorted(inner, key=lambda pair: pair[0]))]


def _ended(turn: _Turn) -> float:
    """When its run ended; of one that a dead server left, when it was last heard of."""
    last = next((event for event in reversed(turn.run) if event.data.get("state") != "discarded"), turn.run[-1])
    return real(last.data, "heard") or last.at


def _request(turn: _Turn) -> str:
    """What the slow mind was asked; empty where it is what the person said."""
    request = text(turn.replies[False].data, "request").strip() if False in turn.replies else ""
    return request if _bare(request) != _bare(turn.said) else ""


def _bare(words: str) -> str:
    return " ".join(words.casefold().split()).rstrip(".?!")


def _step(turn: _Turn, event: Event, working: bool) -> Bubble:
    data = event.data
    done = event.kind == "step"
    action = text(data, "action")
    return _bubble(
        turn, "step", str(data.get("observation") or ""), id=_step_id(turn.number, data),
        parent_id=f"{turn.number}-run", title=action or _("finish"), log=cost(data) if done else "",
        duration=real(data, "seconds"), status="pending" if working and not done else "done",
        thought=str(data.get("thought") or ""), action=action, argument=str(data.get("argument") or ""),
        failed=bool(data.get("failed")), sources=texts(data, "sources"), by=str(data.get("by") or "slow"),
        episode=whole(data, "episode"), gained=turn.gained.get(event.seq, 0.0), program=program(data),
    )  # fmt: skip


def _concludes(event: Event) -> bool:
    """Whether a run's end has a thought of its own, such as a working in words beside a program's."""
    thought, result = text(event.data, "thought"), text(event.data, "result")
    return event.data.get("state") == "finished" and bool(thought) and _bare(thought) != _bare(result)


def _last_thought(turn: _Turn, event: Event) -> Bubble:
    return _bubble(
        turn, "step", "", id=f"{turn.number}-end", parent_id=f"{turn.number}-run", title=_("finish"), status="done",
        thought=text(event.data, "thought"), action="", argument="", by="slow",
    )  # fmt: skip


def program(data: Mapping[str, object]) -> str:
    """What the tool `python` runs; while it does, the log has it as the lone argument."""
    if data.get("action") != "python":
        return ""
    arguments = data.get("arguments")
    given = arguments.get("program") if isinstance(arguments, Mapping) else None
    return str(given or data.get("argument") or "")


def _step_id(turn: int, data: Mapping[str, object]) -> str:
    """`3-step-2`; of a step in a world `3-step-1-2`."""
    parts = ("episode", "number") if data.get("episode") else ("number",)
    return f"{turn}-step-{'-'.join(str(whole(data, part)) for part in parts)}"


def _steer(turn: _Turn, number: int, event: Event, working: bool) -> Bubble:
    return _bubble(
        turn, "steer", text(event.data), id=f"{turn.number}-steer-{number}", parent_id=f"{turn.number}-run",
        title=_("you added"), status="pending" if working else "done",
    )  # fmt: skip


def _bubble(about: _Turn, part: Any, content: str, **extra: Any) -> Bubble:
    metadata = Metadata(id=f"{about.number}-{part}", turn=about.number, part=part)
    metadata.update(extra)  # type: ignore[typeddict-item]
    return Bubble(content=content, metadata=metadata)


_HEADLINES = {
    "queued": N_("Waiting for its turn"),
    "paused": N_("Paused"),
    "failed": N_("The slow mind could not finish"),
    "stopped": N_("Stopped"),
    "discarded": N_("Discarded"),
    "interrupted": N_("Interrupted"),
}


def _headline(turn: _Turn, state: str, working: bool) -> str:
    if _doer(turn) == "person":
        return _("You acted in the world")
    if state in _HEADLINES:
        return _(_HEADLINES[state])
    if turn.episode:
        return _("Acting in the world") if working else _("Acted in the world")
    return _("Thinking it through") if working else _("Thought it through")


def _doer(turn: _Turn) -> str:
    """person, where all that was done in the turn was done in the person's own words; else slow."""
    return "person" if turn.steps and all(e.data.get("by") == "person" for e in turn.steps.values()) else "slow"


def _traced(turn: _Turn) -> bool:
    """A fast turn that was stopped, and a run that handed its turn back, have events too, but nothing to trace."""
    if any(e.data.get("state") == "finished" and not text(e.data, "result").strip() for e in turn.run):
        return bool(turn.steps)
    return bool(turn.steps) or any(e.data.get("state") in ("queued", "started") for e in turn.run)


def _working(turn: _Turn) -> bool:
    return bool(turn.run) and _run_state(turn) not in OVER and not turn.end and True not in turn.replies


def _run_state(turn: _Turn) -> str:
    """The state of the run; being steered does not change what it was before."""
    states = [str(e.data.get("state", "")) for e in turn.run if e.data.get("state") != "steered"]
    return states[-1] if states else ""


def _total(turn: _Turn) -> str:
    """In a world its steps count, as its panel counts them, and not the calls that asked for them."""
    done = [e.data for e in turn.steps.values() if e.kind == "step"]
    tokens = sum(whole(d, "tokens") for d in done)
    steps = sum(1 for d in done if d.get("episode")) or len(done)
    words = [in_steps(steps)] if steps else []
    return " · ".join(words + ([in_tokens(tokens)] if tokens else []))
