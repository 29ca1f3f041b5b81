"""A conversation, or an episode in a text world, as a file: Markdown to read, JSON to work with or to take elsewhere
and back (chat/imports.py)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from itertools import groupby, islice
from pathlib import Path
from unicodedata import category

from jinja2 import Environment, FileSystemLoader

from chat.tables import pictures_of
from chat.transcript import Transcript, siblings
from chat.worlds.episodes import Record, step_data
from chat.worlds.telling import outcome
from chat.worlds.view import gains, lines
from minds.dialogue import Event
from tools.plain import readable

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


def to_markdown(transcript: Transcript, session: str, zone: tzinfo | None = None) -> str:
    """The conversation to read, as it is in view: turns, replies with badges, the slow mind's steps, sources.

    `zone`: the person's; without one this machine's.

    Raises UnknownSession.
    """
    events = sorted(transcript.events(session), key=lambda e: (e.turn, e.seq))
    by_turn = groupby((e for e in events if e.kind not in _PASSING), key=lambda e: e.turn)
    return _written(
        "conversation.jinja",
        zone,
        about=transcript.session(session),
        turns=[(number, list(of_turn)) for number, of_turn in by_turn],
        gained=gains(transcript.world_events(session)),
        versions=siblings(transcript.places(session)),
        marks=transcript.marks(session),
        pictures_of=pictures_of,
    )


def _written(template: str, zone: tzinfo | None = None, **values: object) -> str:
    """By the jinja2 template of that name; what people, models and worlds say is words in it and nothing more."""
    folder = FileSystemLoader(Path(__file__).parent)
    made = Environment(loader=folder, trim_blocks=True, lstrip_blocks=True)  # nosec B701: it is no HTML
    words = {word.__name__: lambda said, word=word: word(str(said)) for word in (code, line, quoted, safe, said)}
    made.filters |= {**words, "moment": lambda at: datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")}
    return made.get_template(template).render(values).removesuffix("\n")


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
    steps = list(zip(record.deeds, lines(record), strict=True))
    return _written("episode.jinja", record=record, outcome=outcome(record), steps=steps)


def file_stem(record: Record) -> str:
    """`scienceworld-boil-3`."""
    return stem(f"{record.spec.world}-{record.spec.task}-{record.spec.variation}"[-80:])


def stem(name: str) -> str:
    """Safe as the name of a file: letters and figures of any script."""
    return "".join(c if category(c)[0] in "LMN" else "-" for c in name).strip("-")


# -- what people, models and worlds say, as Markdown in which it is words and nothing more

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def line(text: str) -> str:
    """The text on one line."""
    return inert(" ".join(readable(text).split()))


def code(text: str) -> str:
    """The text between backticks."""
    return "`" + " ".join(readable(text).split()).replace("`", "'") + "`"


def quoted(text: str) -> str:
    return "\n".join(f"> {part}".rstrip() for part in text.split("\n"))


def said(text: str) -> str:
    """What a world says, as a quotation that keeps its lines."""
    lines = map(line, readable(text).strip().split("\n"))
    return quoted("\n".join(f"{part}\\" if part else "" for part in lines).removesuffix("\\"))


def safe(text: str) -> str:
    """Markdown in which no tag, picture or heading is more than text; code blocks stay as they are, and are closed."""
    lines, fence = [], ""
    for part in readable(text).split("\n"):
        mark = _FENCE.match(part)
        if fence:
            closes = mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not part[mark.end() :].strip()
            fence = "" if closes else fence
            lines.append(part)
        elif mark and "`" not in part[mark.end() :]:
            fence = mark[1]
            lines.append(part)
        else:
            lines.append(inert(part))
    return "\n".join([*lines, fence] if fence else lines)


def inert(text: str) -> str:
    """One line in which no tag, picture or heading is more than text."""
    text = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace("![", "!\\[")
    return re.sub(r"^(\s*)(#{1,6}(?:\s|$)|={2,}\s*$|-{2,}\s*$)", r"\1\\\2", text)
