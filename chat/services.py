"""What a conversation is wired to, and one turn as it is to be answered, with what it costs.

Money is told by prices that the person gave; without a price for each model that had a part nothing is said.

    DUET_PRICES="EUR gpt-4.1=2/8/0.5 qwen3=0.1/0.3"       or a file with such words; what follows a # is a comment

A word is MODEL=READ/WRITTEN, or MODEL=READ/WRITTEN/CACHED, in money for a million tokens; one without `=` is the
currency. A MODEL is named as in its spec, with or without what stands before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from chat.counter import Counters, Tools
from chat.faults import ChatFault
from chat.remembering import Remembering
from chat.runs import Run
from chat.settings import Options, Settings
from chat.transcript import Transcript
from memory.memory import Note
from minds.briefing import Briefing
from minds.dialogue import Dialogue, Picture, TurnContext
from minds.fast import FastMind
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel, Spent, Usage, spent
from minds.models.spec import parse
from minds.slow import Limits, Strategy, Workbench
from tools.worlds import simulator
from tools.worlds.world import Simulator

MILLION = 1_000_000
HERE = ("embedded", "gguf", "hf")
"""Models of this machine: nobody is paid."""


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

    def with_keys(self, settings: Settings) -> Swaps:
        """The same for a Duet in a folder of its own: it has the keys of these settings' home."""
        keys = settings.model_settings.keys
        return replace(self, models=lambda spec, own, role: self.models(spec, replace(own, keys=keys), role))


Price = tuple[float, float, float]
"""In money for a token: read outside the prefix cache, written, cached."""


@dataclass(frozen=True)
class Prices:
    """By the name of a model, or by its whole spec."""

    of: Mapping[str, Price] = field(default_factory=dict)
    currency: str = ""

    def spent(self) -> dict[str, object]:
        """{tokens, calls, price, currency} of all that the turn asked of models; empty where it asked nothing."""
        used = [one.usage for one in spent().values()]
        taken = {"tokens": sum(usage.paid for usage in used), "calls": sum(usage.calls for usage in used)}
        return {**taken, **self.cost(spent())} if taken["calls"] else {}

    def cost(self, spent: Mapping[str, Spent]) -> dict[str, object]:
        """{price, currency} for a reply; empty where a part is not known, or there is nothing to pay."""
        if not self.of:
            return {}
        paid = {spec: one for spec, one in spent.items() if parse(spec).kind not in HERE and one.usage.calls}
        prices = {spec: next((self.of[name] for name in _names(spec) if name in self.of), None) for spec in paid}
        if not paid or not all(prices[spec] and one.told for spec, one in paid.items()):
            return {}
        price = sum(_cost(one.usage, *known) for spec, one in paid.items() if (known := prices[spec]))
        return {"price": round(price, 9), "currency": self.currency}


def _names(spec: str) -> tuple[str, ...]:
    """How a price may name a model, the closest first."""
    kind, name = (parsed := parse(spec)).kind, parsed.name
    return spec, spec.partition("?")[0], f"{kind}:{name}", name, name.partition(":")[2] if kind == "langchain" else name


def _cost(usage: Usage, read: float, written: float, cached: float) -> float:
    return (usage.read - usage.cached) * read + usage.cached * cached + usage.written * written


OpenStrategy = Callable[[str, Workbench, Briefing | None], Strategy]
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
    prices: Prices = Prices()
    english: Callable[[str, LanguageModel, Usage], Awaitable[str]] | None = None
    """Puts words into the language that small learned parts know, where a small model can. Raises ModelFault."""
    ready: Callable[[Callable[[], Options], Callable[[str], object]], Awaitable[Options]] | None = None
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
    usage: Usage = field(default_factory=Usage)
    """What this turn's calls of models cost so far."""
    began: float = field(default_factory=time.monotonic)
    """When the turn was taken up."""
    context: TurnContext = field(default_factory=TurnContext)
    moment: Mapping[str, str] = field(default_factory=dict)
    """The day, and as which the person was known, when the context was read: what is found is found for these."""
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
    def written(self) -> dict[str, object]:
        """What a reply keeps of how its turn was read at a domain's desk, for the turns to come."""
        return {"written": dict(self.briefing.request.written)} if self.briefing and self.briefing.request else {}

    @property
    def said(self) -> str:
        """The person's words."""
        return self.run.turn.said

    @property
    def session(self) -> str:
        """Whose turn it is."""
        return self.run.turn.session

    @property
    def slow_runs(self) -> list[Run]:
        """Runs of the slow mind that are under way for earlier turns."""
        return [run for run in self.others if run.phase != "fast" and not run.over]

    @property
    def unanswered(self) -> list[str]:
        """What the person said before in turns that the fast mind is still answering."""
        return [run.turn.said for run in self.others if run.phase == "fast" and not run.over]

    def cost(self, prices: Prices) -> dict[str, object]:
        """Of the turn so far: seconds, tokens paid (read outside the prefix cache, and written), calls of models, and
        money where that is known."""
        usage = self.usage
        taken = {"seconds": round(time.monotonic() - self.began, 3), "tokens": usage.paid}
        return {**taken, "calls": usage.calls, **prices.cost(spent())}


def read_prices(given: str) -> Prices:
    """Raises ChatFault."""
    words = _words(given)
    table = {name: _price(word, price) for word in words if "=" in word for name, _, price in [word.rpartition("=")]}
    return Prices(table, " ".join(word for word in words if "=" not in word)[:8])


def _words(given: str) -> list[str]:
    if given.strip() and "=" not in given:
        try:
            lines = Path(given.strip()).expanduser().read_text("utf-8").splitlines()
        except (OSError, ValueError, RuntimeError) as error:
            raise ChatFault(
                f"DUET_PRICES is {given!r}, which is no file that can be read, and no MODEL=READ/WRITTEN."
            ) from error
        return [word for line in lines for word in line.partition("#")[0].split()]
    return given.split()


def _price(word: str, given: str) -> Price:
    try:
        read, written, *more = [float(each) / MILLION for each in given.split("/")]
        [cached] = more or [read]
        if not all(math.isfinite(each) and each >= 0 for each in (read, written, cached)):
            raise ValueError(word)
    except (ValueError, TypeError):
        raise ChatFault(
            f"DUET_PRICES has {word!r}: write MODEL=READ/WRITTEN, in money for a million tokens, such as gpt-4.1=2/8."
        ) from None
    return read, written, cached
