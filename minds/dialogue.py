"""The nouns both minds speak in: frozen data, no behaviour beyond reading itself (DUMA, section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.worlds.world import Observation

Speaker = Literal["user", "fast", "slow", "memory"]


@dataclass(frozen=True)
class Turn:
    """One utterance. `slow` turns are results that the slow mind handed back, not seen by the person."""

    speaker: Speaker
    text: str
    at: float = 0.0
    """Seconds since the epoch."""
    invoke: bool = False
    """On a fast turn: it called the slow mind (an interim reply)."""


@dataclass(frozen=True)
class Dialogue:
    """What was said in one session, oldest first, without the turn being answered."""

    session: str
    user: str
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Task:
    """What the slow mind is asked to do: `question` stands alone, `said` is the person's own wording."""

    question: str
    said: str
    dialogue: Dialogue
    steering: tuple[str, ...] = ()
    """What the person added while the run was under way, oldest first."""


@dataclass(frozen=True)
class Move:
    """One decision of a strategy: act with a tool (or in a world), or finish with `answer`."""

    thought: str
    action: str = ""
    """The tool's name, or the whole action where it is one of a world; empty when the move finishes."""
    argument: str = ""
    answer: str | None = None
    tokens: int = 0
    """Tokens read and written by the model to make this move."""
    gave_up: bool = False
    """True when `answer` says that the task could not be done."""
    confidence: float | None = None
    """How likely the action is right, 0 to 1, where the strategy knows."""
    reached: str = ""
    """The sub-goal that the step before this move reached, where the strategy has sub-goals."""


@dataclass(frozen=True)
class Step:
    """A move and what came of it (Reason, Act, Obs in DUMA 2.3)."""

    move: Move
    observation: str
    seconds: float = 0.0
    failed: bool = False
    """The tool refused, broke or found nothing; `observation` is its sentence."""
    sources: tuple[str, ...] = ()
    """Where the observation comes from, ready to be quoted: `handbook.pdf, page 3`."""
    depends: Mapping[str, str] = field(default_factory=dict)
    """What the observation holds for: {"date": "2026-11-21"}, {"session": ...}, {"documents": digest}."""
    seen: Observation | None = None
    """Of a step in a world: all that the world said."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the observation asserts, by name, in a domain: {"H-0421.price": 245000} (tools/ledger.py)."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """What was changed in the domain's database."""
    asks: str = ""
    """The code of the proposal that the person must answer."""
    told: str = ""
    """The observation in words for the person, where it has others for the model."""


@dataclass(frozen=True)
class Episode:
    """The task and the steps taken so far: all that a strategy sees when it acts."""

    task: Task
    steps: tuple[Step, ...] = ()
    notice: str = ""
    """A word of the loop to the strategy: a repeated step, a limit that is near."""


Why = Literal["finished", "gave up", "steps", "tokens", "time", "circles"]
"""Why a slow run ended."""


@dataclass(frozen=True)
class Answer:
    """What the slow mind hands back: `SlowMind[text]` (DUMA, equation 1)."""

    text: str
    solved: bool
    episode: Episode
    why: Why = "finished"
    tokens: int = 0
    """Read and written by the moves of this run, the last one included."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Each source once, in the order of use."""
        return tuple(dict.fromkeys(s for step in self.episode.steps for s in step.sources))

    @property
    def depends(self) -> dict[str, str]:
        """All that the answer holds for; empty when it holds always, for everybody."""
        merged: dict[str, str] = {}
        for step in self.episode.steps:
            merged.update(step.depends)
        return merged


@dataclass(frozen=True)
class Event:
    """One line of a session's log. It is stored before anybody sees it; `seq` grows within the database.

    kind and data:
      turn     {text, edits?}           the person's turn was accepted
      status   {text}                   what is going on, in a few words
      delta    {by, text}               a piece of a reply that is being worded (removed once the reply is whole)
      reply    {by: fast|slow|memory, text, invoke: bool, final: bool, seconds, tokens, sources?, note?, moves?}
               a turn has at most one interim (final false) and exactly one final reply; `by` is `slow` when
               the final reply words (or is) a slow result, `memory` when a stored result answered
      run      {state: started|queued|paused|resumed|steered|stopped|interrupted|finished|failed|discarded, ...}
      act      {number, thought, action, argument}          a step begins
      step     {number, thought, action, argument, observation, failed, seconds, tokens, sources, depends}; in a domain
               also {facts, changes, asks, told}
               a step is done; it replaces the `act` of the same number; a step in a world has also
               {episode, by: person|slow, score, done, won, scene, reached?}
      world    {episode, state: opened|wheel|undone|parked|reopened|closed, ...}; see chat/episodes.py
      error    {text}                   one sentence for the person
      end      {state: done|stopped|interrupted|failed}     nothing more comes for this turn
    """

    seq: int
    session: str
    turn: int
    kind: str
    data: Mapping[str, object]
    at: float


def clip(text: str, limit: int) -> str:
    """The text, or its first characters and a mark that there was more."""
    return text if len(text) <= limit else text[:limit].rstrip() + " […]"
