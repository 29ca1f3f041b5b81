"""The one place where objects are wired together."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from chat.backups import DAY, LOOK, finish
from chat.conversation import Conversation
from chat.counter import Counters
from chat.faults import ChatFault, HomeLocked, UnknownSession
from chat.fetching import Fetching
from chat.home import Home
from chat.loading import Health, Loading, Models
from chat.notebook import fulfil
from chat.remembering import Remembering
from chat.runs import Runs
from chat.services import Minds, Prices, Services, Swaps, read_prices
from chat.settings import Options, Settings, check_options, choose
from chat.transcript import Transcript
from chat.worlds.worlds import Worlds
from memory.chroma import EMBEDDED, OnServer
from memory.embedder import Embedder
from memory.memory import MemoryFault, MemoryLocked
from memory.store import MemoryStore, UserMemory
from memory.turns import TurnReader
from minds.briefing import Briefing
from minds.dialogue import TurnContext
from minds.fast import FastMind
from minds.gate import Decides, Gate, GateFault
from minds.looking_up import LooksUp
from minds.policies.wishes import Wishes, WishesFault
from minds.slow import Limits, Strategy, Workbench
from minds.small_model import AIDS
from minds.small_model.desk import DeskReAct
from minds.small_model.fast import SmallFast
from minds.small_model.program import ByProgram
from minds.small_model.worlds import Heeding, WorldStep
from minds.strategies import open_strategy
from tools.worlds.running import RunningWorlds

log = logging.getLogger("duet")


class Duet:
    """A running Duet: everything a page, a terminal or a test talks to. Made by `build`."""

    def __init__(
        self,
        settings: Settings,
        home: Home,
        transcript: Transcript,
        store: MemoryStore | _NoStore,
        embedder: Embedder,
        prices: Prices,
        now: Callable[[], datetime] | None = None,
        swaps: Swaps | None = None,
    ) -> None:
        self.settings, self.transcript = settings, transcript
        self.home, self._store, self.embedder = home, store, embedder
        self._gate = Gate.load(embedder.changed)
        self._aids = _aids(settings.without)
        wishes = Wishes.load(embedder.changed)
        heeding = Heeding(wishes, self._gate, self._embed, english="english" in self._aids)
        self._heeding = heeding if "worlds" in self._aids else None
        self.now = now or (lambda: datetime.now(settings.zone))
        """The person's clock."""
        self._swaps = swaps or Swaps()
        self._models = Models(settings, self._swaps)
        self.fetching = Fetching(settings.models_dir, lambda _: self.switch(self.settings.options))
        self.loading = Loading(
            settings.models_dir,
            self._models,
            self.minds,
            lambda *mind: self._conversation.warm(*mind),
            lambda: self.runs.idle(),
        )
        self.readiness = self.loading.readiness
        self._warming: asyncio.Future[Any] | None = None
        self._taking_up: asyncio.Task[None] | None = None
        self._wiping: asyncio.Task[None] | None = None
        self.remembering = Remembering(transcript, store, TurnReader(embedder), self.now)
        self.remembering.fault = str(store.fault) if isinstance(store, _NoStore) else ""
        self.running = RunningWorlds(self._swaps.worlds)
        self.counters = Counters(settings.home / "domains", transcript, self._swaps.tools)
        services = Services(
            transcript,
            self.remembering,
            self.minds,
            partial(strategy, gate=self._gate, heeding=self._heeding, aids=self._aids),
            self._embed,
            self.now,
            Limits(settings.max_steps, settings.max_tokens, settings.max_seconds),
            self.counters,
            prices,
            lambda said, model, usage: heeding.english(said, TurnContext(), model, usage),
            self.readiness.wait,
        )
        far = Limits(settings.max_world_steps, settings.max_world_tokens, settings.max_world_seconds)

        def answering(runs: Runs) -> Conversation:
            self.worlds = Worlds(transcript, runs, self.running, far, embed=self._embed)
            self._conversation = Conversation(services, runs, self.worlds)
            return self._conversation

        self.runs = Runs(transcript, self.remembering, settings.max_message, answering)
        self.rerun, self.forget_keys = self._conversation.rerun, self._models.forget

    def minds(self, options: Options) -> Minds:
        """Both minds for these options. Raises ModelFault."""
        model = self._models.get(options.fast_model, "fast")
        way: dict[str, Any] = {"temperature": options.temperature, "length": options.length}
        if model.abilities.strong or "gate" not in self._aids:
            fast = FastMind(model, **way)
        else:
            fast = SmallFast(model, self._gate, self._heeding, **way)
        return self._swaps.minds(Minds(fast, self._models.get(options.slow_model, "slow")))

    def open_session(self, user: str, session: str | None = None, domain: str | None = None) -> str:
        """A new conversation, or a known one of this user; a `domain` is chosen for it. Raises ChatFault."""
        options = self.settings.options if session is None else self.transcript.options(session)
        if domain is not None:
            options = check_options(replace(options, domain=domain))
        if session is None:
            return self.transcript.new_session(user, options=options).id
        if self.transcript.session(session).user != user:
            raise UnknownSession(session)
        if domain is not None:
            self.transcript.set_options(session, options)
        return session

    async def forget_user(self, user: str) -> int:
        """Deletes all that is kept of a user for good; how many conversations that were. Raises ChatFault."""
        self.transcript.disown(user)  # first: it writes down that it was begun
        gone = 0
        while more := await self.runs.delete_all(user):
            gone += more
        await asyncio.to_thread(self.fulfil, user, "forget", {"all": True, "sure": True})
        await asyncio.to_thread(self.remembering.of(user).undo.end)
        return gone

    def fulfil(self, user: str, wish: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """One wish about what is kept of a user (chat/notebook.py); blocking. Raises ChatFault."""
        try:
            answer = fulfil(self.remembering.of(user), wish, asked)
        except MemoryFault as fault:
            raise ChatFault(str(fault)) from fault
        if wish in ("on", "off"):  # so that it is known where the notes cannot be read
            self.transcript.set_remembered(user, wish == "on")
        return answer

    def start(self, *, warm: bool = True, offering: bool = False) -> None:
        """Marks what a dead process left unfinished, and gets everything ready behind the page.

        `offering`: missing weights can be fetched on it, and a turn waits for them.
        """
        self.readiness.offering = offering
        left = self.runs.recover()
        if left:
            log.info("%d turns were interrupted", left)
        loop = asyncio.get_running_loop()
        self._wiping = loop.create_task(asyncio.to_thread(self.transcript.wipe_rest))
        if warm:  # models load behind a status line; what fails says why and what to do
            models, embedder = self.loading.load(self.settings.options), asyncio.to_thread(self.embedder.warm)
            self._warming = asyncio.gather(models, embedder)

    def take_up(self, session: str) -> None:
        """For a process of one conversation: its models take up what they read at earlier starts.

        Those that keep nothing are left alone: for a single question, reading their prompts beforehand costs a call.
        """
        if self._taking_up is None:
            options = self.transcript.options(session)
            self._taking_up = asyncio.get_running_loop().create_task(self.loading.load(options, keeping=True))

    async def ready(self) -> None:
        """Returns when everything that `start` began has warmed up or failed."""
        if self._warming:
            await self._warming

    async def let_go(self) -> None:
        """While it is served. A temporary conversation that cannot be deleted is tried again, after the others."""
        tried = set[str]()
        while True:
            try:  # each time anew: somebody may have gone on with one while another was deleted
                busy = {session for session, _ in self.runs.under_way()}
                left = self.transcript.outlived(time.time() - DAY)
                if session := next((each for each in left if each not in busy | tried), ""):
                    tried.add(session)
                    await self.runs.delete(session)
                    continue
                tried.clear()
            except Exception:  # whatever it was, it is not to be the last look
                log.exception("A temporary conversation could not be deleted.")
            await asyncio.sleep(LOOK)

    async def settle(self) -> None:
        """Returns when everything that was told is read, and can be found."""
        await self._conversation.idle.settle()
        await self.remembering.settle()

    def health(self, options: Options | None = None) -> list[Health]:
        """A line for each mind (of a conversation's options) and for the memory; no waiting."""
        lines = self.loading.health(options or self.settings.options)
        fault = self.remembering.fault
        return [*lines, Health("memory", "failed" if fault else "ready", fault or "remembers what was found")]

    def choose(self, options: Options) -> None:
        """New conversations begin with these models, and they are loaded now. Raises ChatFault."""
        fast, slow = options.fast_model, options.slow_model
        try:
            choose(self.settings.home, fast, slow)
        except OSError as error:
            raise ChatFault(f"The choice cannot be kept in {self.settings.home} ({error.strerror}).") from error
        self.settings = replace(self.settings, fast_model=fast, slow_model=slow)
        self.switch(options)

    def switch(self, options: Options) -> None:
        """Models that are no longer meant are let go of between turns, and those of these options get ready."""
        self.loading.switch(options, self.settings.options)

    async def close(self) -> None:
        """Ends runs (they can be resumed), models and files, in this order."""
        for task in (self._warming, self._taking_up, self._wiping):
            if task:
                task.cancel()
        self.loading.close()
        await self.fetching.close()
        await self.runs.close()
        self._conversation.idle.give_way()
        await self.running.shut()
        await self._models.close()
        self._store.close()
        self.transcript.close()
        self.home.release()

    def _embed(self, texts: Sequence[str]) -> Any:
        return self.embedder.embed(texts)  # as it is then: a benchmark puts a clock in its place


def strategy(
    name: str,
    bench: Workbench,
    briefing: Briefing | None = None,
    *,
    gate: Decides | None = None,
    heeding: Heeding | None = None,
    aids: Collection[str] = AIDS,
) -> Strategy:
    """The strategy of one slow run: as it is named, but where the model is small what helps it (minds/small_model)."""
    if name == "react" and not bench.model.abilities.strong:
        if briefing and briefing.request:  # a strong fast mind leaves the reading to this one
            return DeskReAct(briefing.request)
        if not briefing and "program" in aids:
            helped = ByProgram(bench, WorldStep(bench, heeding) if heeding else None, check="check" in aids)
            return LooksUp(bench, helped, gate) if gate and "documents" in aids else helped
    return open_strategy(name, bench)


def _aids(without: str) -> frozenset[str]:
    """Those for a small model that are not left out. Raises ChatFault."""
    left_out = set(without.split())
    if unknown := left_out - {*AIDS}:
        raise ChatFault(f"There is no aid `{min(unknown)}` to be left out; there are: {', '.join(AIDS)}.")
    return frozenset(AIDS) - left_out


class _NoStore:
    """Stands in where the memory cannot be opened: every use says why, and the conversation goes on."""

    def __init__(self, fault: MemoryFault) -> None:
        self.fault = fault

    def user(self, name: str) -> UserMemory:
        raise self.fault

    def close(self) -> None:
        """Nothing is open."""


def build(settings: Settings, now: Callable[[], datetime] | None = None, swaps: Swaps | None = None) -> Duet:
    """Takes DUET_HOME and wires everything; loads no model. Raises ChatFault (HomeLocked, DiskFull).

    `now` sets the clock for benchmarks and tests, `swaps` what stands in for minds and tools.
    """
    home = Home(settings.home)
    try:
        prices, embedder = read_prices(settings.prices), Embedder()  # a mistake in them is told before a file is opened
        finish(settings.home)
        with ExitStack() as opened:
            transcript = Transcript(settings.home / "duet.sqlite")
            opened.callback(transcript.close)
            duet = Duet(settings, home, transcript, _store(settings, embedder), embedder, prices, now, swaps)
            opened.pop_all()
        return duet
    except BaseException as fault:
        home.release()  # whoever tries again would find it held by itself
        if isinstance(fault, GateFault | WishesFault):
            raise ChatFault(str(fault)) from fault
        raise


def _store(settings: Settings, embedder: Embedder) -> MemoryStore | _NoStore:
    """Raises HomeLocked where another process has it."""
    try:
        index = OnServer(settings.chroma) if settings.chroma else EMBEDDED
        return MemoryStore(settings.home / "memory", embedder, index, settings.zone)
    except MemoryLocked as locked:
        raise HomeLocked(str(locked)) from locked
    except MemoryFault as fault:
        log.warning("%s", fault)
        return _NoStore(fault)
