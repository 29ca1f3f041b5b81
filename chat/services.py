"""What a conversation is wired to, and one turn as it is to be answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from chat.prices import Prices
from chat.remembering import Remembering
from chat.runs import Run
from chat.settings import Options
from chat.transcript import Transcript
from chat.worlds.driving import WorldTurn
from memory.memory import Note
from minds.dialogue import Dialogue, Picture, TurnContext
from minds.fast import FastMind
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel, Usage
from minds.slow import Limits, Strategy, Workbench
from tools.worlds import simulator

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from chat.counter import Counters
    from minds.briefing import Briefing
    from tools.worlds.world import Simulator

Tools = Mapping[str, "BaseTool"]


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
    worlds: Callable[[str], Simulator] = simulator
    """A simulator of text worlds by its name."""


OpenStrategy = Callable[[str, Workbench, "Briefing | None"], Strategy]
"""By name: the strategy of one slow run. What small models need beside is put in by the wiring (chat/app.py)."""


@dataclass(frozen=True)
class Services:
    """What the conversation is wired to."""

    transcript: Transcript
    remembering: Remembering
    minds: Callable[[Options], Minds]
    """Raises ModelFault where a spec cannot be opened."""
    strategy: OpenStrategy
    embed: Callable[[Sequence[str]], Any]
    now: Callable[[], datetime]
    limits: Limits
    counters: Counters
    """The desks of domains."""
    prices: Prices = Prices()  # noqa: RUF009 (frozen)
    ready: Callable[[Callable[[], Options], Callable[[str], None]], Awaitable[Options]] | None = None
    """Waits until the models are here, and gives what the person wants by then (chat/loading.py)."""


@dataclass(frozen=True)
class TurnRequest:
    """One turn as it is to be answered: by whom, with what before it, under which settings."""

    run: Run
    others: Sequence[Run]
    """Runs of the session that are still under way."""
    options: Options
    dialogue: Dialogue
    """The turns before this one, as many as the minds can read."""
    minds: Minds
    usage: Usage
    """What the fast mind's calls of this turn cost."""
    began: float
    """time.monotonic() when the turn was taken up."""
    context: TurnContext = field(default_factory=TurnContext)
    recalled: Sequence[Note] = ()
    """The notes that the context's facts tell of."""
    briefing: Briefing | None = None
    """Of the conversation's domain."""
    pictures: tuple[Picture, ...] = ()
    """What the person shows with it."""

    @property
    def shows(self) -> bool:
        """Whether there are pictures that it may be about."""
        return bool(self.pictures) or any(turn.pictures for turn in self.dialogue.turns)

    @property
    def seeing(self) -> tuple[str, ...]:
        """Those of the minds that answer which see pictures: fast, slow."""
        able = {"fast": self.minds.fast.model.abilities.sees, "slow": self.minds.slow.abilities.sees}
        return tuple(mind for mind, sees in able.items() if sees and self.options.minds in ("both", mind))

    @property
    def said(self) -> str:
        """The person's words."""
        return self.run.turn.said

    @property
    def session(self) -> str:
        """Whose turn it is."""
        return self.run.turn.session

    @property
    def in_worlds(self) -> WorldTurn:
        """The turn as worlds see it."""
        options = self.options
        return WorldTurn(
            self.run, self.minds.slow, self.dialogue, self.others, options.world_strategy, options.temperature
        )

    @property
    def slow_runs(self) -> list[Run]:
        """Runs of the slow mind that are under way for earlier turns."""
        return [run for run in self.others if run.phase != "fast" and not run.over]
