"""Events -> bubbles: what a conversation looks like, as data. Pure functions; no Gradio, no HTML.

A slow run is a bubble with a title; its steps are bubbles whose parent_id names it (DUMA, 2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from chat.ui.fields import Told, cost, in_steps, in_tokens
from chat.ui.language import N_, _
from chat.worlds.commands import shown as command_shown
from chat.worlds.view import gains
from minds.dialogue import Event

SHOWN = 24
"""Steps in a world that a turn shows, the newest; the panel beside the conversation shows all."""
OVER = {"finished", "failed", "stopped", "discarded", "interrupted"}
"""States of a run in which nothing is being worked on."""
Part = Literal["user", "reply", "run", "step", "steer", "status", "error", "end"]


class Bubble(Told):
    """One message of the conversation: what its event told, and what the page needs besides."""

    id: str
    turn: int
    part: Part
    content: str
    parent_id: str = ""
    title: str = ""
    log: str = ""
    duration: float = 0.0
    pending: bool = False
    said: str = ""
    """What was said, where a command's bubble shows its button's words."""
    feedback: int = 0
    checked: bool = False
    """A first answer, which is being checked."""
    gained: float = 0.0
    """By how much the step changed the world's score."""
    earlier: int = 0
    """Steps of the run that came before those that are shown."""


@dataclass
class _Turn:
    """What the events of one turn add up to."""

    number: int
    gained: Mapping[int, float]
    """A step's seq -> what it brought."""
    asked: Told = field(default_factory=Told)
    replies: dict[bool, Told] = field(default_factory=dict)
    """final -> the reply."""
    words: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By whom, and in which move of the slow mind, -> pieces of the reply that is being worded."""
    run: list[Told] = field(default_factory=list)
    steps: dict[tuple[int, int], Told] = field(default_factory=dict)
    """By episode (0: the slow mind's own tools) and number: a tool that opens a world acts there in between."""
    status: str = ""
    errors: list[Told] = field(default_factory=list)
    end: str = ""
    episode: int = 0
    """The world episode that it belongs to."""

    def take(self, event: Event) -> None:
        if event.kind == "delta":  # there are very many
            by, move, text = (str(event.data.get(name) or "") for name in ("by", "move", "text"))
            self.words.setdefault((by or "fast", move), []).append(text)
            self.status = ""
            return
        data = Told.of(event)
        self.episode = data.episode or self.episode
        match event.kind:
            case "turn":
                self.asked = data
            case "status":
                self.status = data.awaited
            case "reply":
                self.status = ""
                self.replies[data.final] = data
                self.words.clear()
            case "run":
                self.status = ""
                self.run.append(data)
                if data.state == "resumed":  # one that was paused goes on amid its words
                    self.errors, self.words = [], {} if self.end else self.words
                self.end = {"resumed": "", "discarded": "discarded"}.get(data.state, self.end)
            case "act" | "step":  # the slow mind's words were a step's thought
                self.status = ""
                self.words = {by: pieces for by, pieces in self.words.items() if by[0] != "slow"}
                self.steps[data.episode, data.number] = data
            case "error":
                self.errors.append(data)
            case "end":
                self.end = data.state or "done"

    @property
    def state(self) -> str:
        """Of the run; being steered does not change what it was before."""
        return next((line.state for line in reversed(self.run) if line.state != "steered"), "")

    @property
    def doer(self) -> str:
        """person, where all that was done in the turn was done in the person's own words; else slow."""
        return "person" if self.steps and all(step.by == "person" for step in self.steps.values()) else "slow"

    @property
    def traced(self) -> bool:
        """A fast turn that was stopped, and a run that handed its turn back, have events too, but nothing to trace."""
        handed_back = any(line.state == "finished" and not line.result.strip() for line in self.run)
        begun = any(line.state in ("queued", "started") for line in self.run)
        return bool(self.steps) or (begun and not handed_back)

    @property
    def working(self) -> bool:
        return bool(self.run) and self.state not in OVER and not self.end and True not in self.replies


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
    shown: list[Bubble] = []
    for number, of_turn in groupby(ordered, key=lambda e: e.turn):
        turn = _Turn(number, brought)
        for event in of_turn:
            turn.take(event)
        shown += _show(turn, marks.get(number, 0)) if turn.asked.kind else []
    return shown


def _show(turn: _Turn, feedback: int) -> list[Bubble]:
    said = turn.asked.text or " "
    words = command_shown(said, _)
    shown = [_bubble(turn, "user", turn.asked, content=words, said=said if words != said else "")]
    if (interim := turn.replies.get(False)) and interim.text.strip():
        shown.append(_reply(turn, interim))
    if turn.traced:
        shown += _trace(turn)
    if final := turn.replies.get(True):
        shown.append(_reply(turn, final, feedback))
    elif turn.end in ("", "failed"):
        shown += _unfinished(turn)
    for number, what in enumerate(turn.errors):
        id_ = f"{turn.number}-error-{number}"
        shown.append(_bubble(turn, "error", what, id=id_, log=cost(what), model=turn.asked.model))
    if turn.end in ("stopped", "interrupted", "discarded") or (turn.end == "failed" and not turn.errors):
        shown.append(_bubble(turn, "end", state=turn.end))
    return shown


def _unfinished(turn: _Turn) -> list[Bubble]:
    """The words that are coming in, or came until the turn failed; or what is going on until they do."""
    if turn.words:
        (by, _move), pieces = list(turn.words.items())[-1]
        if words := "".join(pieces).strip():
            first = by == "first"
            by = "slow" if turn.traced else by  # the fast mind words what the slow one found
            coming = not turn.end
            return [_bubble(turn, "reply", content=words, by=by, final=coming, pending=coming, checked=first)]
    return (
        []
        if turn.end or (turn.traced and turn.working and not turn.status)
        else [_bubble(turn, "status", content=turn.status, pending=True)]
    )


def _reply(turn: _Turn, told: Told, feedback: int = 0) -> Bubble:
    id_ = f"{turn.number}-{'reply' if told.final else 'interim'}"
    return _bubble(turn, "reply", told, id=id_, by=told.by or "fast", feedback=feedback, log=cost(told))


def _trace(turn: _Turn) -> list[Bubble]:
    state = turn.state or ("started" if turn.doer == "slow" else "finished")
    state = "failed" if turn.end == "failed" and state not in OVER else state
    steps = sorted(turn.steps.values(), key=lambda step: step.seq)
    shown = steps[-SHOWN:] if turn.episode else steps
    steered = (line for line in turn.run if line.state == "steered")
    inner = [_step(turn, step) for step in shown]
    inner += [_inner(turn, "steer", f"steer-{n}", line, pending=turn.working) for n, line in enumerate(steered)]
    inner += [_inner(turn, "step", "end", line) for line in turn.run if _concludes(line)]
    run = _bubble(
        turn, "run", title=_headline(turn, state), log=_total(turn), state=state, episode=turn.episode,
        pending=turn.working, by=turn.doer, earlier=len(steps) - len(shown), request=_request(turn),
        at=turn.run[0].at if turn.run else 0.0, duration=_lasted(turn),
    )  # fmt: skip
    return [run, *sorted(inner, key=lambda bubble: bubble.seq)]


def _lasted(turn: _Turn) -> float:
    """Seconds of a run that is over; of one that a dead server left, until it was last heard of."""
    if not turn.run or turn.working:
        return 0.0
    last = next((line for line in reversed(turn.run) if line.state != "discarded"), turn.run[-1])
    return max(0.0, (last.heard or last.at) - turn.run[0].at)


def _request(turn: _Turn) -> str:
    """What the slow mind was asked; empty where it is what the person said."""
    request = turn.replies[False].request.strip() if False in turn.replies else ""
    return request if _bare(request) != _bare(turn.asked.text) else ""


def _bare(words: str) -> str:
    return " ".join(words.casefold().split()).rstrip(".?!")


def _step(turn: _Turn, told: Told) -> Bubble:
    """Its id is as `3-step-2`, of a step in a world `3-step-1-2`."""
    name = f"step-{told.episode}-{told.number}" if told.episode else f"step-{told.number}"
    done, gained = told.kind == "step", turn.gained.get(told.seq, 0.0)
    pending, log = turn.working and not done, cost(told) if done else ""
    return _inner(turn, "step", name, told, content=told.observation, pending=pending, log=log, gained=gained)


def _concludes(line: Told) -> bool:
    """Whether a run's end has a thought of its own, such as a working in words beside a program's."""
    return line.state == "finished" and bool(line.thought) and _bare(line.thought) != _bare(line.result)


def _inner(turn: _Turn, part: Part, name: str, told: Told, **more: Any) -> Bubble:
    """Of what the run consists of."""
    return _bubble(turn, part, told, id=f"{turn.number}-{name}", parent_id=f"{turn.number}-run", **more)


def _bubble(turn: _Turn, part: Part, told: Told | None = None, **more: Any) -> Bubble:
    known = told.model_dump(exclude_unset=True) if told else {}
    known |= {"id": f"{turn.number}-{part}", "turn": turn.number, "part": part, "content": known.get("text", "")}
    return Bubble.model_validate(known | more)


_HEADLINES = {
    "queued": N_("Waiting for its turn"),
    "paused": N_("Paused"),
    "failed": N_("The slow mind could not finish"),
    "stopped": N_("Stopped"),
    "discarded": N_("Discarded"),
    "interrupted": N_("Interrupted"),
}


def _headline(turn: _Turn, state: str) -> str:
    if turn.doer == "person":
        return _("You acted in the world")
    if state in _HEADLINES:
        return _(_HEADLINES[state])
    if turn.episode:
        return _("Acting in the world") if turn.working else _("Acted in the world")
    return _("Thinking it through") if turn.working else _("Thought it through")


def _total(turn: _Turn) -> str:
    """In a world its steps count, as its panel counts them, and not the calls that asked for them."""
    done = [step for step in turn.steps.values() if step.kind == "step"]
    tokens, steps = sum(step.tokens for step in done), sum(1 for step in done if step.episode) or len(done)
    return " · ".join([in_steps(steps)] * bool(steps) + [in_tokens(tokens)] * bool(tokens))
