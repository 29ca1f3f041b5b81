"""Plays one script on one system: says the person's turns, follows each to its end, keeps all that came back."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from chat.app import Duet, build
from chat.evaluation.judge import say
from chat.evaluation.record import Call, Exchange, Key, Played
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.systems import System
from chat.evaluation.turns import Spoken, Turn
from chat.faults import ChatFault
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event
from minds.models.language import LanguageModel, unheard
from tools.domains import changes, fresh
from tools.ledger import Entry

UNCHANGED = Swaps()
PATIENCE = 1800.0
"""Seconds that one turn may take."""


class Starved(ChatFault):
    """A model could not be asked: that is not the system's fault, and the dialogue is void."""


def heed(events: Iterable[Event]) -> None:
    """Raises Starved where a model could not be asked: the turn has no reply, or one without what that model adds."""
    for event in events:
        if event.kind in ("error", "reply") and event.data.get("unheard"):
            raise Starved(str(event.data.get("note") or event.data["text"]))


@asynccontextmanager
async def own_duet(
    settings: Settings, home: Path, now: Callable[[], datetime] | None, swaps: Swaps, *, warm: bool = False
) -> AsyncIterator[Duet]:
    """A Duet in a home of its own, with the weights and the keys of these settings."""
    own = replace(settings, home=home, models=settings.models_dir)
    duet = build(own, now, swaps.with_keys(settings))
    try:
        duet.start(warm=warm)
        yield duet
    finally:
        await duet.close()


Cue = Callable[["Performance", Spoken], None]


@dataclass(frozen=True)
class Theatre:
    """Where dialogues are played: a Duet of its own, and the suite."""

    duet: Duet
    suite: Suite
    desks: Path
    """Where each dialogue gets its copy of its database."""
    person: LanguageModel | None = None
    """Plays simulated people."""
    cue: Cue | None = None
    """Told before every turn what the script expects of it; the tests' minds listen to it."""

    async def play(self, script: Script, system: System, seed: int) -> Played:
        """One dialogue. What fails is its `fault`: the harness goes on with the next."""
        began, fault, void = time.monotonic(), "", False
        performance = Performance(self, script, system, Key(script.id, system.name, seed))
        try:
            await performance.run()
        except Exception as error:  # whatever it is belongs to this dialogue
            void = isinstance(error, Starved) or unheard(error)
            fault = str(error) if void else f"{type(error).__name__}: {error}"
        return Played(performance.key, tuple(performance.done), time.monotonic() - began, fault, void)


class Performance:
    """One dialogue under way, at a desk of its own."""

    def __init__(self, theatre: Theatre, script: Script, system: System, key: Key) -> None:
        self.theatre, self.key, self._script, self._system = theatre, key, script, system
        self.done: list[Exchange] = []
        self.session = ""
        # Nobody else's memory, not even that of the same dialogue played before and broken off.
        play = secrets.token_hex(4)
        self._person, self.desk = f"evaluation {key} {play}", theatre.desks / play

    async def run(self) -> None:
        theatre = self.theatre
        theatre.duet.embedder.forget()  # the system that plays a script second has not heard its words before
        fresh(await asyncio.to_thread(theatre.suite.base, self._script), self.desk)
        self._enter()
        async for turn, spoken in self._spoken():
            if later := turn.later and self.done[-1].turn != turn.number:
                self._enter()
            if theatre.cue:
                theatre.cue(self, spoken)
            exchange = await self._exchange(turn, spoken.person)
            needed = spoken.expect.invoke if turn.goal is None else None
            self.done.append(replace(exchange, later=later, needed=needed))

    def _enter(self) -> None:
        """A new conversation of the same person, at the same desk."""
        duet = self.theatre.duet
        options = self._system.options(duet.settings.options, self.theatre.suite.domain)
        self.session = duet.transcript.new_session(self._person, options=options).id
        duet.counters.give(self.session, self.desk)

    async def _spoken(self) -> AsyncIterator[tuple[Turn, Spoken]]:
        """What the person says, one after the other; each looks at the reply to the one before."""
        for turn in self._script.turns:
            if turn.goal is None:
                last = self.done[-1] if self.done else Exchange(0, 0, "", "")
                yield turn, turn.spoken(last.reply, last.called, self.theatre.suite.signs)
                continue
            if (person := self.theatre.person) is None:
                raise ValueError("this dialogue has a simulated person: name a model for it with --person SPEC")
            began = len(self.done)
            while len(self.done) - began < turn.goal.most:
                words = await say(person, turn.goal, self.done)
                if not words:
                    break
                yield turn, Spoken(words, turn.expect, turn.tells)
            if len(self.done) == began:
                raise ValueError(f"the simulated person of turn {turn.number} said nothing: name another --person")

    async def _exchange(self, turn: Turn, said: str) -> Exchange:
        duet, before = self.theatre.duet, changes(self.desk)
        submitted, events = time.monotonic(), list[Event]()
        number = await duet.runs.submit(self.session, said)
        first = 0.0
        async with asyncio.timeout(PATIENCE):
            async for event in duet.runs.wait(self.session, number):
                events.append(event)
                if event.kind in ("delta", "reply") and not first:
                    first = time.monotonic() - submitted
        seconds = time.monotonic() - submitted
        heed(events)
        exchange = exchange_of(len(self.done) + 1, turn.number, said, events)
        changed = tuple(_changed(before, changes(self.desk)))
        return replace(exchange, first=round(first, 3), seconds=round(seconds, 3), changes=changed)


def exchange_of(number: int, turn: int, said: str, events: Sequence[Event]) -> Exchange:
    """What the events of one turn come to."""
    told, interim = final(events), next((r for r in _replies(events) if not r.get("final")), {})
    errors = ["there was no final reply", *(str(event.data["text"]) for event in events if event.kind == "error")]
    return Exchange(
        number,
        turn,
        said,
        str(told.get("text", "")),
        str(told.get("by", "fast")),
        invoked(events),
        str(interim.get("text", "")),
        str(told.get("slow", "")),
        told.get("solved"),
        tuple(_call(event.data) for event in events if event.kind == "step"),
        tokens=taken(events, "tokens"),
        error="" if told else errors[-1],
    )


def final(events: Sequence[Event]) -> Mapping[str, Any]:
    """The data of the final reply; empty where there is none."""
    return next((reply for reply in reversed(_replies(events)) if reply.get("final")), {})


def invoked(events: Sequence[Event]) -> bool:
    """Whether a slow run was started."""
    return any(event.kind == "run" and event.data.get("state") == "started" for event in events)


def taken(events: Sequence[Event], what: str) -> int:
    """The `tokens` or `calls` of one turn: each of its replies says those of the turn so far."""
    return max((int(reply.get(what, 0)) for reply in _replies(events)), default=0)


def _replies(events: Sequence[Event]) -> list[Mapping[str, Any]]:
    return [event.data for event in events if event.kind == "reply"]


def _call(data: Mapping[str, Any]) -> Call:
    hollow = not any(data.get(held) for held in ("facts", "changes", "asks", "sources", "depends"))
    known = {name: value for name, value in data.items() if value is not None}
    return TypeAdapter(Call).validate_python({**known, "tool": data["action"], "hollow": hollow})


def _changed(before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[Mapping[str, Any]]:
    """What was made and what was cancelled, by the ledger, which only grows."""
    for was, entry in zip_longest(before, after):
        plain = {**entry.details, "kind": entry.kind, "key": entry.key}
        if was is None:
            yield {**plain, "done": "made"}
        if entry.ended and not (was and was.ended):
            yield {**plain, "done": "cancelled"}
