"""Conversations taken in again, as tests need them: one of a file, without a child process."""

from __future__ import annotations

from chat.imports import _taken
from chat.sessions import Session
from chat.settings import Options
from chat.transcript import Transcript


def from_json(transcript: Transcript, user: str, text: str, defaults: Options | None = None) -> Session:
    """The conversation of an exported file as a new one of `user`. Raises ChatFault."""
    [session], _ = _taken(transcript, user, text, defaults or Options(), lambda options: options)
    return session
