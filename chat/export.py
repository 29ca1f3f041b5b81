"""A conversation as a file: Markdown to read, JSON to take elsewhere and back (`from_json`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from chat.imports import FORMAT, VERSION, from_json
from chat.plain import readable
from chat.transcript import Transcript
from minds.dialogue import Event

__all__ = ["from_json", "to_json", "to_markdown"]

_PASSING = ("delta", "act", "status", "superseded")
"""Kinds of events that only tell what goes on at the moment: no file holds them."""


# -- to JSON


def to_json(transcript: Transcript, session: str) -> str:
    """All of the conversation as it is in view: turns, events, options, documents, feedback. Raises UnknownSession."""
    about = transcript.session(session)
    data = {
        "format": FORMAT,
        "version": VERSION,
        "title": about.title,
        "created": about.created,
        "updated": about.updated,
        "options": asdict(transcript.options(session)),
        "turns": [
            {
                "number": number,
                "state": transcript.turn(session, number).state,
                "feedback": transcript.feedback(session, number),
            }
            for number in sorted(transcript.turns_from(session, 1))
        ],
        "events": [
            {"turn": event.turn, "kind": event.kind, "at": event.at, "data": dict(event.data)}
            for event in transcript.events(session)
            if event.kind not in _PASSING
        ],
        "documents": _documents(transcript, session),
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


# -- to Markdown

_BADGES = {"fast": "fast", "slow": "slow", "memory": "from memory"}
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def to_markdown(transcript: Transcript, session: str) -> str:
    """The conversation to read: turns, replies with badges, the slow mind's steps, sources. Raises UnknownSession."""
    about = transcript.session(session)
    events = sorted(transcript.events(session), key=lambda e: (e.turn, e.seq))
    blocks = [f"# {_line(about.title or 'Conversation')}", f"_Duet, {_moment(about.created)}_"]
    for number, of_turn in groupby((e for e in events if e.kind not in _PASSING), key=lambda e: e.turn):
        blocks += _turn_blocks(list(of_turn), transcript.feedback(session, number))
    return "\n\n".join(blocks) + "\n"


def _turn_blocks(events: Sequence[Event], feedback: int) -> list[str]:
    blocks: list[str] = []
    steps = [e.data for e in events if e.kind == "step"]
    for event in events:
        data = event.data
        if event.kind == "turn":
            blocks += [f"## You, {_moment(event.at)}", _quoted(_safe(str(data["text"])))]
        elif event.kind == "reply":
            if data.get("final"):
                blocks += [_steps(steps)] if steps else []
                steps = []
            blocks += _reply_blocks(data, feedback if data.get("final") else 0)
        elif event.kind == "run" and data.get("state") == "steered":
            blocks.append(f"_You added: {_line(str(data.get('text', '')))}_")
        elif event.kind == "error":
            blocks.append(f"_{_line(str(data['text']))}_")
        elif event.kind == "end" and data.get("state") != "done":
            blocks += [_steps(steps)] if steps else []
            steps = []
            blocks.append(f"_This turn was {data['state']}._" if data["state"] != "failed" else "_This turn failed._")
    return blocks


def _reply_blocks(data: Mapping[str, Any], feedback: int) -> list[str]:
    badge = _BADGES.get(str(data["by"]), "") + ("" if data.get("final") else ", interim")
    thumb = {1: " 👍", -1: " 👎"}.get(feedback, "")
    blocks = [f"### Duet ({badge}){thumb}", _safe(str(data["text"]))]
    if sources := data.get("sources"):
        blocks.append("Sources:\n" + "\n".join(f"- {_line(str(source))}" for source in sources))
    if note := data.get("note"):
        blocks.append(f"_{_line(str(note))}_")
    return blocks


def _steps(steps: Sequence[Mapping[str, Any]]) -> str:
    """The slow mind's Reason, Act, Obs (DUMA 2.3) in a block that folds."""
    lines = [f"<details><summary>What the slow mind did: {len(steps)} step{'s' * (len(steps) != 1)}</summary>", ""]
    for step in steps:
        lines += [
            f"{step['number']}. Reason: {_line(str(step['thought']))}  ",
            f"   Act: {_line(str(step['action']))}[{_line(str(step['argument']))}]  ",
            f"   Obs: {_line(str(step['observation']))}  ",
            f"   {float(step['seconds']):.1f} s, {int(step['tokens']):,} tokens",
        ]
    return _quoted("\n".join([*lines, "", "</details>"]))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _line(text: str) -> str:
    return _inert(" ".join(readable(text).split()))


def _safe(text: str) -> str:
    """Markdown in which no tag, picture or heading is more than text; code blocks stay as they are, and are closed."""
    lines, fence = [], ""
    for line in readable(text).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
            lines.append(line)
        elif mark and "`" not in line[mark.end() :]:
            fence = mark[1]
            lines.append(line)
        else:
            lines.append(_inert(line))
    return "\n".join([*lines, fence] if fence else lines)


def _inert(line: str) -> str:
    line = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", line).replace("![", "!\\[")
    return re.sub(r"^(\s*)(#{1,6}(?:\s|$)|={2,}\s*$|-{2,}\s*$)", r"\1\\\2", line)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
