"""The running worlds of all sessions: opened when needed, brought to where the log says by replay, parked when many.

Worlds block, so everything here that touches one runs in a thread; a session's worlds are used one at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, RLock
from typing import Protocol, TypeVar

from tools.worlds import WORLDS, simulator
from tools.worlds.actions import ActionSpace, action_space, displayed
from tools.worlds.world import Observation, Scene, Simulator, World, WorldFault, WorldLost, WorldSpec

log = logging.getLogger("duet.worlds")
A_SESSION, A_PERSON, IN_ALL = 3, 6, 16
"""Worlds that are kept running; the longest unused one is parked: its episode stays in the log."""
T = TypeVar("T")
Key = tuple[str, int]


class Played(Protocol):
    """An episode as the log has it: where its world must be."""

    @property
    def number(self) -> int: ...
    @property
    def spec(self) -> WorldSpec: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def last(self) -> Observation: ...


class RunningWorld:
    """A world and the actions that led to where it stands: a `World` that can lose its engine and get it back.

    May be called from any thread: a step that was begun for a run that is stopped is over before the next begins.
    """

    def __init__(self, home: Simulator, spec: WorldSpec) -> None:
        self._home, self.spec = home, spec
        self._world: World | None = None
        self._lock = RLock()
        self.actions: list[str] = []
        self.seen = Observation("")
        self._possible: tuple[str, ...] | None = None
        """What can be done now, once it was asked: a laboratory takes a fifth of a second to tell."""

    @property
    def running(self) -> bool:
        """It holds an engine."""
        return self._world is not None

    @property
    def goal(self) -> str:
        return self._asked(lambda world: world.goal)

    @property
    def steps(self) -> int:
        return len(self.actions)

    def reset(self) -> Observation:
        """Raises WorldFault."""
        with self._lock:
            self.actions, self._possible, self.seen = [], None, Observation("")
            if self._world is None:
                self._restore()
            else:
                self.seen = self._asked(lambda world: world.reset())
            return self.seen

    def step(self, action: str) -> Observation:
        """Raises WorldFault where a dead engine could not be replaced."""
        with self._lock:
            self.seen = self._asked(lambda world: world.step(action))
            self._possible = None
            self.actions.append(action)
            return self.seen

    def lead_to(self, actions: tuple[str, ...]) -> Observation:
        """Brings the world to where these actions lead: goes on where it can, starts anew where it must."""
        with self._lock:
            done = len(self.actions)
            if self._world is None or tuple(self.actions) != actions[:done]:
                self.reset()
                done = 0
            for action in actions[done:]:
                self.step(action)
            return self.seen

    def before_each(self, steps: int) -> list[tuple[str, str]]:
        """What was seen and carried before each of the last steps. The world is led there and back again before
        anybody else acts in it, also where whoever asks is stopped meanwhile."""
        with self._lock:
            actions, views = tuple(self.actions), list[tuple[str, str]]()
            try:
                for number in range(len(actions) - steps, len(actions)):
                    self.lead_to(actions[:number])
                    views.append((self.look(), self.inventory()))
            finally:
                self.lead_to(actions)
            return views

    def admissible(self) -> tuple[str, ...]:
        """Asked of the engine once in each state."""
        with self._lock:
            if self._possible is None:
                self._possible = self._asked(lambda world: world.admissible())
            return self._possible

    def space(self) -> ActionSpace:
        """What can be done now, by verbs and names."""
        seen = displayed(self.scene()) if self.spec.world == "scienceworld" else ()
        return action_space(self.admissible(), seen)

    def look(self) -> str:
        return self._asked(lambda world: world.look())

    def inventory(self) -> str:
        return self._asked(lambda world: world.inventory())

    def scene(self) -> Scene:
        return self._asked(lambda world: world.scene())

    def gold(self) -> tuple[str, ...]:
        return self._asked(lambda world: world.gold())

    def close(self) -> None:
        """Gives the engine back; whoever uses the world again gets it restored."""
        with self._lock:
            world, self._world = self._world, None
            if world is not None:
                world.close()

    def _asked(self, question: Callable[[World], T]) -> T:
        """Of the running world; where the engine died it is started again and led back, once."""
        with self._lock:
            try:
                return question(self._running())
            except WorldLost as lost:
                log.warning("%s: %s", self.spec, lost)
            self._restore()
            return question(self._running())

    def _running(self) -> World:
        if self._world is None:
            self._restore()
        assert self._world is not None
        return self._world

    def _restore(self) -> None:
        """A new engine, led to where the world stands. Raises WorldFault, also where the replay ends elsewhere."""
        self.close()
        world = self._home.open(self.spec)
        try:
            seen = world.reset()
            for action in self.actions:
                seen = world.step(action)
            if self.seen.text and seen.text != self.seen.text:
                raise WorldFault(DIFFERS)
        except WorldFault:
            world.close()
            raise
        self._world, self.seen = world, seen


DIFFERS = (
    "The world could not be brought back to where it was (the replay showed something else): "
    "leave the task and start it again."
)


class RunningWorlds:
    """The worlds of all sessions, by session and episode number. Methods belong to one event loop."""

    def __init__(self, make: Callable[[str], Simulator] = simulator) -> None:
        """`make` opens a simulator by name; another one in tests."""
        self._make = make
        self._homes: dict[str, Simulator] = {}
        self._making = Lock()
        self._live: OrderedDict[Key, RunningWorld] = OrderedDict()
        self._acting: dict[str, asyncio.Lock] = {}
        self.allows: Callable[[str, WorldSpec], None] = lambda session, spec: None
        """Raises WorldFault where this session may not open this world."""
        self.owner: Callable[[str], str] = lambda session: session
        """Whose session it is: nobody's worlds push out those of others before one's own."""

    def home(self, world: str) -> Simulator:
        """The simulator of this name, shared by all; from any thread. Raises WorldFault."""
        if world not in WORLDS:
            raise WorldFault(f"There is no world `{world}`; choose one of: {', '.join(WORLDS)}.")
        with self._making:  # two who come first at once would start two Javas
            if world not in self._homes:
                self._homes[world] = self._make(world)
            return self._homes[world]

    def acting(self, session: str) -> asyncio.Lock:
        """Held from where somebody begins to change a world of the session until the log has it."""
        return self._acting.setdefault(session, asyncio.Lock())

    async def open(self, session: str, number: int, spec: WorldSpec) -> RunningWorld:
        """A new world, just reset. Raises WorldFault."""
        self.allows(session, spec)
        live = RunningWorld(await asyncio.to_thread(self.home, spec.world), spec)
        try:
            await asyncio.to_thread(live.reset)
        except WorldFault:
            await asyncio.to_thread(live.close)
            raise
        self._live[session, number] = live
        return live

    async def at(self, session: str, played: Played) -> RunningWorld:
        """The world where the log ends, replayed and verified where it must be. Raises WorldFault."""
        self.allows(session, played.spec)
        key = (session, played.number)
        live = self._live.get(key)
        if live is None or live.spec != played.spec:  # another version of a turn opened another task of this number
            live = RunningWorld(await asyncio.to_thread(self.home, played.spec.world), played.spec)
        self._live[key] = live
        self._live.move_to_end(key)
        seen = await asyncio.to_thread(live.lead_to, played.actions)
        if seen.text != played.last.text:
            raise WorldFault(DIFFERS)
        return live

    def running(self, session: str, number: int) -> RunningWorld | None:
        """The world of this episode while it holds an engine; nothing is started."""
        live = self._live.get((session, number))
        return live if live is not None and live.running else None

    async def park(self, session: str) -> list[int]:
        """Closes the longest unused worlds beyond the limits; the numbers of the session's own that were closed."""
        running = [key for key, live in self._live.items() if live.running]
        own = [key for key in running if key[0] == session]
        over = own[: max(0, len(own) - A_SESSION)]
        others = [key for key in running if key[0] != session]
        mine = [key for key in others if self._of(key[0]) == self._of(session)]
        over += mine[: max(0, len(own) + len(mine) - len(over) - A_PERSON)]
        others = [key for key in others if key not in over]
        over += others[: max(0, len(running) - len(over) - IN_ALL)]
        for live in [self._live[key] for key in over]:  # meanwhile others close theirs
            await asyncio.to_thread(live.close)
        return [number for holder, number in over if holder == session]

    def _of(self, session: str) -> str:
        try:
            return self.owner(session)
        except Exception:  # the conversation is gone: it is nobody's
            return session

    async def close(self, session: str, number: int | None = None) -> None:
        """Ends one world of the session, or all; safe to repeat."""
        for key in [k for k in self._live if k[0] == session and number in (None, k[1])]:
            if live := self._live.pop(key, None):  # meanwhile somebody else may close it
                await asyncio.to_thread(live.close)

    async def shut(self) -> None:
        """Ends everything."""
        while self._live:
            await asyncio.to_thread(self._live.popitem()[1].close)
        for home in self._homes.values():
            await asyncio.to_thread(home.close)
