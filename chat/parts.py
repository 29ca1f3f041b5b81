"""What a conversation is wired to, and one turn as it is to be answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chat.counter import Counters, Tools
from chat.remembering import Remembering
from chat.runs import Run
from chat.settings import Options
from chat.transcript import Transcript
from minds.briefing import Briefing
from minds.dialogue import Dialogue
from minds.fast import FastMind
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel
from minds.requests import Read
from minds.slow import Limits


@dataclass(frozen=True)
class Minds:
    """The two minds of one conversation."""

    fast: FastMind
    slow: LanguageModel


@dataclass(frozen=True)
class Swaps:
    """What minds and tools are passed through before each use: an evaluation breaks or counts them here."""

    minds: Callable[[Minds], Minds] = lambda minds: minds
    tools: Callable[[Tools], Tools] = dict
    models: Callable[[str, ModelSettings, Role], LanguageModel] = open_model
    """Opens a spec's model for the fast or the slow mind. Raises ModelFault."""


@dataclass(frozen=True)
class Parts:
    """What the conversation is wired to."""

    transcript: Transcript
    remembering: Remembering
    minds: Callable[[Options], Minds]
    """Raises ModelFault where a spec cannot be opened."""
    embed: Callable[[Sequence[str]], Any]
    now: Callable[[], datetime]
    limits: Limits
    requests: Callable[[str, Dialogue], Read]
    """Reads a wish for a task in a world: minds/requests."""
    counters: Counters
    """The desks of domains."""
    tokens: Callable[[str], Any] | None = None
    """A text's token vectors, where sentences can be encoded."""


@dataclass(frozen=True)
class Asked:
    """One turn as it is to be answered: by whom, with what before it, under which settings."""

    run: Run
    others: Sequence[Run]
    """Runs of the session that are still under way."""
    options: Options
    dialogue: Dialogue
    """The turns before this one."""
    minds: Minds
    briefing: Briefing | None = None
    """Of the conversation's domain."""

    @property
    def said(self) -> str:
        """The person's words."""
        return self.run.turn.said

    @property
    def session(self) -> str:
        """Whose turn it is."""
        return self.run.turn.session
