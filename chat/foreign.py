"""Conversations that ChatGPT (the `conversations.json` of its data export) or Open WebUI (its exported chats) wrote, as
Duet's own files have them: what both sides said, of each conversation the version that was in view last.

What they hold besides (searches, tools' words, pictures, instructions) is left out; imports.py checks what comes of it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from chat.faults import ChatFault

_CITED = re.compile("\ue200[^\ue200\ue201]*\ue201")
"""Where ChatGPT quotes a search, between characters of its own; those that are never closed take no time."""
_ASIDE = re.compile(r'<details type="(?:reasoning|tool_calls|code_interpreter)".*?(?:</details>\s*|\Z)', re.DOTALL)
"""What Open WebUI keeps of thoughts and tools among an assistant's words."""


class _Author(BaseModel):
    role: str


class _Content(BaseModel):
    parts: list[Any] | None = None
    """Texts, and objects in the place of pictures and of what was spoken."""


class _Said(BaseModel):
    author: _Author
    content: _Content | None = None
    create_time: float | None = None
    recipient: str | None = None
    """A tool, or `all`."""


class _Node(BaseModel):
    """ChatGPT's."""

    message: _Said | None = None
    parent: str | None = None

    def told(self) -> tuple[str, str, float | None]:
        if self.message is None or self.message.recipient not in (None, "all"):
            return "", "", None
        parts = self.message.content.parts if self.message.content else None
        return self.message.author.role, _CITED.sub("", _words(parts or [])), self.message.create_time


class _Chat(BaseModel):
    title: str | None = None
    create_time: float | None = None
    update_time: float | None = None
    mapping: dict[str, _Node]
    current_node: str | None = None


class _Entry(BaseModel):
    """Open WebUI's."""

    role: str
    content: str | list[Any] | None = None
    parentId: str | None = None
    timestamp: float | None = None

    @property
    def parent(self) -> str | None:
        return self.parentId

    def told(self) -> tuple[str, str, float | None]:
        text = self.content if isinstance(self.content, str) else _words(self.content or [])
        return self.role, _ASIDE.sub("", text) if self.role == "assistant" else text, self.timestamp


class _History(BaseModel):
    messages: dict[str, _Entry]
    currentId: str | None = None


class _Talk(BaseModel):
    history: _History


class _Web(BaseModel):
    title: str | None = None
    created_at: float | None = None
    updated_at: float | None = None
    chat: _Talk


Kind = TypeVar("Kind", _Node, _Entry)
LATEST = 2.5e11
"""Seconds since the epoch that a calendar can show."""


def conversations(data: Sequence[object]) -> tuple[list[dict[str, Any]], int]:
    """Each that something was said in, and how many cannot be read. Raises ChatFault where there is none."""
    found, odd = list[dict[str, Any]](), 0
    for each in data:
        try:
            found.append(_file(each))
        except ValidationError:
            odd += 1
    if not (found := [file for file in found if file["turns"]]):
        raise ChatFault("This list holds no conversations of ChatGPT or Open WebUI: choose their conversations.json.")
    return found, odd


def _words(parts: Sequence[Any]) -> str:
    return "\n\n".join(filter(None, map(_part, parts)))


def _part(part: object) -> str:
    if not isinstance(part, Mapping):
        return part if isinstance(part, str) else ""
    if isinstance(text := part.get("text"), str):
        return text
    picture = part.get("content_type") == "image_asset_pointer" or part.get("type") == "image_url"
    return "[picture]" if picture else ""


def _dated(*moments: float | None) -> float:
    """The first that a calendar can show (others are in milliseconds, or missing); else now."""
    return next((at for at in moments if at is not None and 0 <= at < LATEST), time.time())


def _file(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping) and "mapping" in value:
        chat = _Chat.model_validate(value)
        made, changed, title = chat.create_time, chat.update_time, chat.title
        lines = [node.told() for node in _path(chat.mapping, chat.current_node)]
    else:
        web = _Web.model_validate(value)
        made, changed, title = web.created_at, web.updated_at, web.title
        lines = [entry.told() for entry in _path(web.chat.history.messages, web.chat.history.currentId)]
    made = _dated(made, changed, *(at for _, _, at in lines))
    turns = list(_turns(lines, made))
    return {
        "version": 1, "title": title or "", "created": made, "updated": _dated(changed, made), "documents": [],
        "options": None,
        "turns": [{"number": number, "state": "done", "feedback": 0} for number, _ in enumerate(turns, 1)],
        "events": [{"turn": number, **event} for number, turn in enumerate(turns, 1) for event in turn],
    }  # fmt: skip


def _path(nodes: Mapping[str, Kind], last: str | None) -> list[Kind]:
    """From the first to the last; where the file does not say which is the last, the last that stands in it."""
    path: dict[str, Kind] = {}
    at = last if last in nodes else next(reversed([*nodes]), None)
    while at is not None and at in nodes and at not in path:
        path[at] = nodes[at]
        at = nodes[at].parent
    return list(reversed(path.values()))


def _turns(lines: Sequence[tuple[str, str, float | None]], made: float) -> Iterator[list[dict[str, Any]]]:
    """The events of each turn; what the assistant said in pieces is one reply."""
    turns = list[tuple[str, float, list[str]]]()
    for role, text, moment in lines:
        if role == "user" and text.strip():
            turns.append((text, _dated(moment, made), []))
        elif role == "assistant" and text.strip() and turns:
            turns[-1][2].append(text)
    for said, at, replies in turns:
        reply = {"by": "fast", "text": "\n\n".join(replies), "invoke": False, "final": True}
        told = [("turn", {"text": said}), *([("reply", reply)] if replies else []), ("end", {"state": "done"})]
        yield [{"kind": kind, "at": at, "data": data} for kind, data in told]
