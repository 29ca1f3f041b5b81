"""A conversation, or an episode in a text world, as a file: Markdown to read, JSON to work with or to take elsewhere
and back (chat/imports.py)."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from itertools import groupby, islice
from typing import Any

from chat.plain import code, line, quoted, safe, said
from chat.transcript import Transcript, siblings
from chat.uploads import pictures_of
from chat.worlds.episodes import Record, step_data
from chat.worlds.telling import outcome
from chat.worlds.view import gains
from chat.worlds.view import lines as steps_with_gains
from minds.dialogue import Event

FORMAT, VERSION = "duet conversation", 2
"""Version 1 knew no turns beside those in view: each follows the one before."""
_PASSING = ("delta", "act", "status", "superseded", "branch")
"""Kinds of events that only tell what goes on at the moment: no file holds them."""


# -- to JSON


def to_json(transcript: Transcript, session: str) -> str:
    """All of the conversation: turns with their other versions, events, options, documents, feedback.

    Raises UnknownSession.
    """
    about, places, marks = transcript.session(session), transcript.places(session), transcript.marks(session)
    stored, events = transcript.everything(session)
    data = {
        "format": FORMAT,
        "version": VERSION,
        "title": about.title,
        "created": about.created,
        "updated": about.updated,
        "options": asdict(transcript.options(session)),
        "turns": [
            {"number": turn.number, "state": turn.state, "feedback": marks.get(turn.number, 0)}
            | asdict(places[turn.number])
            for turn in stored
        ],
        "events": [
            {"turn": event.turn, "kind": event.kind, "at": event.at, "data": dict(event.data)}
            for event in events
            if event.kind not in _PASSING
        ],
        "documents": _documents(transcript, session),
        "pictures": _pictures(transcript, session, events),
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _documents(transcript: Transcript, session: str) -> list[dict[str, object]]:
    chunks = iter(transcript.chunks(session))
    return [
        {
            "name": document.name,
            "digest": document.digest,
            "chunks": [{"place": c.place, "text": c.text} for c in islice(chunks, document.chunks)],
        }
        for document in transcript.documents(session)
    ]


def _pictures(transcript: Transcript, session: str, events: Sequence[Event]) -> list[dict[str, object]]:
    shown = {each["id"]: each for event in events for each in event.data.get("pictures", ())}  # type: ignore[attr-defined]
    data = transcript.picture_data(session, [*shown])
    return [{"name": shown[id_]["name"], "id": id_, "data": b64encode(data[id_]).decode()} for id_ in data]


# -- to Markdown

_BADGES = {"fast": "fast", "slow": "slow", "memory": "from memory"}


def to_markdown(transcript: Transcript, session: str, zone: tzinfo | None = None) -> str:
    """The conversation to read, as it is in view: turns, replies with badges, the slow mind's steps, sources.

    `zone`: the person's; without one this machine's.

    Raises UnknownSession.
    """
    about = transcript.session(session)
    events = sorted(transcript.events(session), key=lambda e: (e.turn, e.seq))
    blocks = [f"# {line(about.title or 'Conversation')}", f"_Duet, {_moment(about.created, zone)}_"]
    gained, versions = gains(transcript.world_events(session)), siblings(transcript.places(session))
    marks = transcript.marks(session)
    for number, of_turn in groupby((e for e in events if e.kind not in _PASSING), key=lambda e: e.turn):
        blocks += _turn_blocks(list(of_turn), marks.get(number, 0), gained, zone)
        if others := versions.get(number):
            blocks.append(f"_Version {others.index(number) + 1} of {len(others)}: the others are in the JSON._")
    return "\n\n".join(blocks) + "\n"


def _turn_blocks(events: Sequence[Event], feedback: int, gained: Mapping[int, float], zone: tzinfo | None) -> list[str]:
    blocks: list[str] = []
    steps = [e for e in events if e.kind == "step"]
    for event in events:
        data = event.data
        if event.kind == "turn":
            shown = [f"_Picture: {line(name)}_" for name in (picture.name for picture in pictures_of(data))]
            blocks += [f"## You, {_moment(event.at, zone)}", *shown, quoted(safe(str(data["text"])))]
        elif event.kind == "world":
            blocks += _world_blocks(data)
        elif event.kind == "reply":
            if data.get("final"):
                blocks += _steps(steps, gained)
                steps = []
            blocks += _reply_blocks(data, feedback if data.get("final") else 0)
        elif event.kind == "run" and data.get("state") == "steered":
            blocks.append(f"_You added: {line(str(data.get('text', '')))}_")
        elif event.kind == "error":
            blocks.append(f"_{line(str(data['text']))}_")
        elif event.kind == "end" and data.get("state") != "done":
            blocks += _steps(steps, gained)
            steps = []
            blocks.append(f"_This turn was {data['state']}._" if data["state"] != "failed" else "_This turn failed._")
    return blocks


def _world_blocks(data: Mapping[str, Any]) -> list[str]:
    """What was opened, taken over, taken back or closed; that a world was parked says nothing to a reader."""
    number, state = data["episode"], data["state"]
    if state == "opened":
        named = f"{code(str(data['task']))}, variation {data['variation']}"
        head = f"### World {number}: {line(str(data['goal']))}"
        return [head, f"{line(str(data['world']))}, {named}", said(str(data["text"]))]
    back = f"World {number} went back to step {data.get('to')}."
    if "learnt" in data:
        back = f"Trial {data.get('trial')} failed; world {number} was begun anew. {line(str(data['learnt']))}".rstrip()
    words = {
        "wheel": "You took the wheel." if data.get("by") == "person" else "The slow mind took the wheel.",
        "undone": back,
        "reopened": f"World {number} was taken up again.",
        "closed": f"World {number} was closed.",
    }
    return [f"_{words[state]}_"] if state in words else []


def _reply_blocks(data: Mapping[str, Any], feedback: int) -> list[str]:
    badge = _BADGES.get(str(data["by"]), "") + ("" if data.get("final") else ", interim")
    thumb = {1: " 👍", -1: " 👎"}.get(feedback, "")
    blocks = [f"### Duet ({badge}){thumb}", safe(str(data["text"]))]
    if sources := data.get("sources"):
        blocks.append("Sources:\n" + "\n".join(_source(str(source), data.get("places")) for source in sources))
    if note := data.get("note"):
        blocks.append(f"_{line(str(note))}_")
    return blocks


def _source(source: str, places: object) -> str:
    """A place, with what of the reply stands there."""
    words = places.get(source, ()) if isinstance(places, Mapping) else ()
    standing = ", ".join(line(str(each)) for each in words)
    return f"- {line(source)}" + (f": {standing}" if standing else "")


def _steps(steps: Sequence[Event], gained: Mapping[int, float]) -> list[str]:
    """The slow mind's Reason, Act, Obs (DUMA 2.3), and what was done in a world, in a block that folds."""
    if not steps:
        return []
    who = "you" if all(step.data.get("by") == "person" for step in steps) else "the slow mind"
    lines = [f"<details><summary>What {who} did: {len(steps)} step{'s' * (len(steps) != 1)}</summary>", ""]
    for step in steps:
        lines += _deed(step.data, gained.get(step.seq, 0.0)) if "episode" in step.data else _step(step.data)
    return [quoted("\n".join([*lines, "", "</details>"]))]


def _step(step: Mapping[str, Any]) -> list[str]:
    return [
        f"{step['number']}. Reason: {line(str(step['thought']))}  ",
        f"   Act: {line(str(step['action']))}[{line(str(step['argument']))}]  ",
        f"   Obs: {line(str(step['observation']))}  ",
        f"   {float(step['seconds']):.1f} s, {int(step['tokens']):,} tokens",
    ]


def _deed(step: Mapping[str, Any], gained: float) -> list[str]:
    """A step in a world: no thought where nobody worded one."""
    score = f" ({gained:+g} to a score of {step['score']:g})" if gained else ""
    thought = [f"   Reason: {line(str(step['thought']))}  "] if step["thought"] else []
    obs = [f"   {line(part)}  " for part in str(step["observation"]).split("\n") if part.strip()]
    return [f"{step['number']}. {code(str(step['action']))}{score}  ", *thought, *obs]


def _moment(at: float, zone: tzinfo | None) -> str:
    return datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")


# -- an episode


def episode_json(record: Record) -> str:
    """Goal, spec, and of each step the action, the observation, the score and who did it."""
    data = {
        "format": "duet episode",
        "version": 1,
        "spec": asdict(record.spec),
        "goal": record.goal,
        "score": record.last.score,
        "done": record.last.done,
        "won": record.last.won,
        "opening": {
            "observation": record.opening.text,
            "score": record.opening.score,
            "scene": asdict(record.scene),
        },
        "steps": [
            {"number": number, "action": deed.action, "observation": deed.seen.text, "thought": deed.thought}
            | step_data(deed.seen, deed.scene, deed.by)
            for number, deed in enumerate(record.deeds, 1)
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def episode_markdown(record: Record) -> str:
    """The episode to read."""
    spec = record.spec
    head = [
        f"# {line(record.goal)}",
        f"- World: {line(spec.world)}",
        f"- Task: {code(spec.task)}, variation {spec.variation}",
        *([f"- Options: {line(', '.join(spec.options))}"] if spec.options else []),
        f"- Outcome: {outcome(record)}",
    ]
    blocks = ["\n".join([head[0], "", *head[1:]]), said(record.opening.text)]
    for deed, step in zip(record.deeds, steps_with_gains(record), strict=True):
        who = "you" if deed.by == "person" else "slow mind"
        score = f", {step.gained:+g}" if step.gained else ""
        thought = [f"_{line(deed.thought)}_"] if deed.thought else []
        blocks += [f"**{step.step}. {code(deed.action)}** ({who}{score})", *thought, said(deed.seen.text)]
    return "\n\n".join(blocks) + "\n"


def file_stem(record: Record) -> str:
    """`scienceworld-boil-3`."""
    return stem(f"{record.spec.world}-{record.spec.task}-{record.spec.variation}"[-80:])


def stem(name: str) -> str:
    """Safe as the name of a file."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in name).strip("-")
