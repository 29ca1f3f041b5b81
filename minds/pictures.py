"""Pictures among a model's messages: parts beside the words, and for a model that cannot see a word of them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from minds.dialogue import Picture, bytes_of
from prompts import render

ROOM = 4_500
"""Bytes of words that a picture is reckoned as: about 1,500 tokens."""


def heard(words: str, pictures: Sequence[Picture] = ()) -> HumanMessage:
    """What a person said, with the pictures that they showed; those whose bytes are not at hand are only named."""
    if not pictures:
        return HumanMessage(words)
    named = f"{words}\n\n{render('fast/pictures', names=', '.join(picture.name for picture in pictures))}"
    shown = [b64encode(picture.data).decode() for picture in pictures if picture.data]
    # As every OpenAI-compatible server takes them.
    parts = [{"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}} for data in shown]
    return HumanMessage([_words(named), *parts] if parts else named)


def joined(one: BaseMessage, other: BaseMessage) -> str | list[Any]:
    """The content of two messages as that of one."""
    if isinstance(one.content, str) and isinstance(other.content, str):
        return f"{one.content}\n\n{other.content}"
    return [part for message in (one, other) for part in _parts(message)]


def size(message: BaseMessage) -> int:
    """Bytes of its words, and ROOM for each picture."""
    shown = sum(part.get("type") == "image_url" for part in _parts(message))
    return bytes_of(str(message.text)) + int(shown) * ROOM


def unseen(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages for a model that sees nothing: words alone, which say so."""
    return [_unseen(message) if not isinstance(message.content, str) else message for message in messages]


def _unseen(message: BaseMessage) -> BaseMessage:
    words = str(message.text)
    shown = any(part.get("type") == "image_url" for part in _parts(message))
    return message.model_copy(update={"content": f"{words}\n{render('fast/unseen')}" if shown else words})


def _parts(message: BaseMessage) -> list[dict[str, Any]]:
    if isinstance(message.content, str):
        return [_words(message.content)]
    return [part if isinstance(part, dict) else _words(part) for part in message.content]


def _words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
