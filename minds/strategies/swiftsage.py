"""SwiftSage (Lin et al. 2023): Swift acts until it should not be trusted; then Sage, a chat model, plans and grounds.

Sage is asked where one of four conditions holds (3.4, C.3), each of which can be left out: five steps of Swift's
without a reward; its next action is not possible; it would decide something critical before Sage was ever asked; its
last action met an exception. One prompt then answers five questions (3.3: what to collect and where, what is missing,
sub-goals, progress, mistakes) over the condensed history with the place of each action and the things seen in rooms
that were left (C.2); a second one, with the answers, the templates of actions and the last ten actions, writes the
next sub-goal's actions in formal style. These are the action buffer. It is run until it is empty, or until two actions
in a row were not possible or met an exception (C.3); then Swift acts again.

Where the paper is silent: steps without a reward count from where Swift took over again; Swift's impossible action, and
the buffer's first, become the nearest possible one once they were counted; which one the buffer meant, where a
laboratory asks, is one that is carried (that is not, to pick up) and the nearest of these; a model that fails leaves
Swift in charge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

from langchain_core.messages import HumanMessage, SystemMessage

from minds.dialogue import Episode, Move, Step, clip, in_world
from minds.models.language import ModelFault, Usage
from minds.policies.swift.play import CRITICAL
from minds.policies.trained import leaving_out, rule
from minds.slow import Workbench
from minds.strategies.formal import templates
from minds.strategies.nearest import NAMES_SHOWN, answer, space_of, taken, valid
from minds.strategies.swift import learned
from minds.strategies.transcript import one_line
from prompts import render
from tools.worlds.actions import AMBIGUOUS, ActionSpace, refused
from tools.worlds.world import Scene, World

STALLED, HALT = 5, 2
"""Steps in a row without a reward (condition 1), and of the buffer without success (C.3)."""
RECENT = 10
"""Actions that the grounding prompt shows (3.3)."""
PLAN_TOKENS, GROUND_TOKENS = 500, 200
NOTHING = "(nothing)"
SEEN, ASKED = 120, 2000
"""Characters of an observation in the condensed history, of a question that still stands."""
FIRST, LAST = 15, 45
"""Lines of the condensed history that are told where it is long."""


@dataclass(frozen=True)
class Conditions:
    """When Sage is asked, and what it is told."""

    stalled: bool = rule(True, "Condition 1: five steps in a row brought no reward.")
    invalid: bool = rule(True, "Condition 2: Swift's next action is not possible.")
    critical: bool = rule(True, "Condition 3: Swift would decide something critical before Sage was ever asked.")
    exception: bool = rule(True, "Condition 4: Swift's last action met an exception.")
    auxiliary: bool = rule(True, "The answers to Q1, Q2 and Q3 go into the grounding prompt, too (C.2).")


ALL_CONDITIONS = Conditions()


class SwiftSage:
    """One episode's strategy."""

    conditions = ALL_CONDITIONS
    halt = HALT
    """Steps of the buffer without success, in a row, that give the wheel back to Swift."""

    def __init__(self, bench: Workbench) -> None:
        """Raises UnknownRule."""
        own, without = {field.name for field in fields(self.conditions)}, bench.trained.without
        self._conditions = leaving_out(self.conditions, [name for name in without if name in own])
        swifts = replace(bench.trained, without=tuple(name for name in without if name not in own))
        self._swift, self._world = learned(replace(bench, trained=swifts)), bench.in_world
        self._sage = Sage(bench, self._conditions.auxiliary)
        self._buffer: list[str] = []
        self._own = -1
        """Number of the step that the buffer gave last."""
        self._left: Sequence[str] = ()
        """Actions of the last plan that were given up."""
        self._bad, self._since = 0, -1
        """Steps of the buffer without success, in a row; and the step from which on Swift acts, -1 before."""

    async def act(self, episode: Episode) -> Move:
        """Raises WorldFault, and ModelFault where there is no Swift for this world."""
        if self._since < 0:
            self._since = len(episode.steps)
        space = await asyncio.to_thread(self._noted, episode)
        if number := self._meant(episode.steps):
            self._own = len(episode.steps)  # what comes of the answer is what came of the action
            return in_world(f"I mean number {number}.", number)
        self._look_back(episode.steps)
        if self._buffer and (move := self._buffered(episode, space, "I follow the plan.")):
            return move
        move = await self._swift.act(episode)
        if move.answer is not None:  # nothing was trained for this world: Sage alone
            return await self._asked(episode, space, move, "nothing was trained for this world")
        why = self._why(move, episode.steps, space)
        return await self._asked(episode, space, move, why) if why else self._swifts(move, space)

    def _why(self, move: Move, steps: Sequence[Step], space: ActionSpace) -> str:
        """Why Sage is asked rather than Swift's move taken, in words; empty where it is taken."""
        if move.action.isdigit():  # what its action before meant, which Sage does not know
            return ""
        return reason(self._conditions, move, steps, self._since, space, self._sage.asked)

    def _beside(self, episode: Episode, swifts: Move, why: str) -> str:
        """What Sage is told beside the paper."""
        return ""

    def _noted(self, episode: Episode) -> ActionSpace:
        self._sage.note(len(episode.steps))
        self._swift.watch(len(episode.steps))
        return space_of(self._world)

    def _meant(self, steps: Sequence[Step]) -> str:
        """The number that answers a question about the buffer's last action, by the option that is nearest to it; empty
        where nothing is asked, or the plan answers."""
        if self._own < 0 or self._own != len(steps) - 1 or (self._buffer and self._buffer[0].isdigit()):
            return ""
        return answer("", steps)

    def _look_back(self, steps: Sequence[Step]) -> None:
        """What came of the buffer's last action."""
        if self._own < 0 or self._own >= len(steps):
            return
        self._bad = self._bad + 1 if refused(steps[self._own].observation) or steps[self._own].move.wrote else 0
        self._own = -1
        if self._bad >= self.halt or not self._buffer:
            self._revert(steps, self._buffer)

    def _buffered(self, episode: Episode, space: ActionSpace, thought: str) -> Move | None:
        """The buffer's next action; None where it is the second in a row that is not possible, or nothing is left but
        answers to what nobody asks: Swift acts again."""
        asked = bool(answer("", episode.steps))
        wrote = next((one for one in self._buffer if asked or not one.isdigit()), "")
        if not wrote or (self._bad + 1 >= self.halt and not possible(wrote, space)):
            self._revert(episode.steps, self._buffer)
            return None
        self._buffer = self._buffer[self._buffer.index(wrote) + 1 :]
        self._own = len(episode.steps)
        return taken(thought, wrote, space, episode.steps)

    def _revert(self, steps: Sequence[Step], left: Sequence[str]) -> None:
        self._buffer, self._left, self._bad, self._since = [], left, 0, len(steps)

    async def _asked(self, episode: Episode, space: ActionSpace, swifts: Move, why: str) -> Move:
        """Sage's first action, or Swift's where Sage gave none."""
        usage = Usage()
        try:
            plan, self._buffer = await self._sage.think(episode, usage, self._beside(episode, swifts, why))
        except ModelFault as fault:
            if swifts.answer is not None:
                raise
            self._since = len(episode.steps)
            alone = self._swifts(replace(swifts, thought=f"{swifts.thought} (Sage failed: {fault})"), space)
            return replace(alone, fault=fault).paid(usage)
        thought = f"I asked Sage because {why}. {plan}"
        self._bad = self.halt - HALT  # the first action always becomes one that is possible
        if self._buffer and (move := self._buffered(episode, space, thought)):
            return move.paid(usage)
        self._since = len(episode.steps)
        if swifts.answer is not None:  # Sage alone: it looks, and is asked again
            return taken(f"{thought} It gave no action.", "", space).paid(usage)
        return self._swifts(replace(swifts, thought=f"{thought} It gave no action."), space).paid(usage)

    def _swifts(self, move: Move, space: ActionSpace) -> Move:
        """Swift's action, or the nearest that is possible."""
        if possible(move.action, space):
            return move
        return replace(taken(move.thought, move.action, space), confidence=move.confidence)


def reason(
    conditions: Conditions, move: Move, steps: Sequence[Step], since: int, space: ActionSpace, asked: bool
) -> str:
    """The condition that holds, in words; empty for none. `since`: the step from which on Swift acts."""
    own = steps[since:]
    if conditions.critical and not asked and move.action.startswith(CRITICAL.partition("{")[0]):
        return f"`{move.action}` is a critical decision"
    if conditions.invalid and not possible(move.action, space):
        return f"`{move.action}` is not possible here"
    if conditions.exception and own and refused(own[-1].observation):
        return f"`{own[-1].action}` met an exception"
    if conditions.stalled and len(own) >= STALLED and not earned(steps, STALLED):
        return f"{STALLED} steps brought no reward"
    return ""


def possible(action: str, space: ActionSpace) -> bool:
    """Whether an action is among those that are listed, or none are."""
    return not space.admissible or bool(valid(action, space))


def earned(steps: Sequence[Step], last: int) -> bool:
    """Whether the score changed in the last so many steps; an episode begins with a score of nothing."""
    scores = [0.0, *((step.seen.score or 0.0) if step.seen else 0.0 for step in steps)]
    return any(after != before for before, after in [*pairwise(scores)][-last:])


class Sage:
    """The chat model's part: what was seen is kept, and asked about in two prompts."""

    def __init__(self, bench: Workbench, auxiliary: bool) -> None:
        self._bench, self._world, self._auxiliary = bench, bench.in_world, auxiliary
        self._rooms: dict[str, tuple[str, ...]] = {}
        """Place -> what was seen there last."""
        self._where: dict[int, str] = {}
        """Number of a step -> where it was taken."""
        self.plan = ""
        """The one that was written last."""
        for number, scene in enumerate(bench.scenes):
            self._saw(number, scene)

    @property
    def asked(self) -> bool:
        """Whether a plan was written: a request that failed decided nothing."""
        return bool(self.plan)

    def note(self, number: int) -> None:
        """Remembers the place before step `number`, and what is seen there. Raises WorldFault."""
        self._saw(number, self._world.scene())

    def _saw(self, number: int, scene: Scene) -> None:
        self._rooms[scene.place] = scene.things
        self._where[number] = scene.place

    async def think(self, episode: Episode, usage: Usage, beside: str = "") -> tuple[str, list[str]]:
        """The plan in words, and the actions of its next sub-goal; `beside` goes with the task. Raises ModelFault."""
        now = await asyncio.to_thread(self._now, self._world)
        task, added = one_line(self._world.goal), [f"The person adds: {word}" for word in episode.task.steering]
        plan = await self._said(
            render("strategies/swiftsage/plan"),
            render(
                "strategies/swiftsage/plan_now",
                task=task,
                history=self.told(episode.steps),
                rooms="\n".join(self._others()) or "(none)",
                now=now,
                steering="\n\n".join(["", *added] if added else []) + (beside if added else beside.strip()),
            ),
            PLAN_TOKENS,
            usage,
        )
        self.plan = plan or NOTHING
        permitted = await asyncio.to_thread(templates, self._world, both=bool(added))  # who acts may be told to walk
        written = await self._said(
            render("strategies/swiftsage/ground", templates=permitted.shown),
            render(
                "strategies/swiftsage/ground_now",
                task="\n\n".join([task, *added]),
                plan=plan if self._auxiliary else _from_fourth(plan),
                history="\n".join(self.history(episode.steps[-RECENT:], len(episode.steps[:-RECENT]))),
                now=now,
            ),
            GROUND_TOKENS,
            usage,
        )
        return plan, permitted.read(written)

    async def _said(self, system: str, now: str, most: int, usage: Usage) -> str:
        return (await self._bench.written([SystemMessage(system), HumanMessage(now)], usage, max_tokens=most)).strip()

    def told(self, steps: Sequence[Step]) -> str:
        """The condensed history (C.2); of a long one its beginning and its end."""
        lines = self.history(steps)
        if (left := len(lines) - FIRST - LAST) > 0:
            lines[FIRST:-LAST] = [f"- ({left} more)"]
        return "\n".join(lines) or "(nothing yet)"

    def history(self, steps: Sequence[Step], before: int = 0) -> list[str]:
        """Each action with its place and what it brought; the same one several times in a row is told once."""
        lines: list[tuple[str, str, int]] = []
        for number, step in enumerate(steps, before):
            place = f" [location: {self._where[number]}]" if number in self._where else ""
            told = f"{step.action}{place}"
            times = lines[-1][2] + 1 if lines and lines[-1][0] == told else 1
            lines = lines[: len(lines) - (times > 1)]
            most = ASKED if step is steps[-1] and step.observation.startswith(AMBIGUOUS) else SEEN
            lines.append((told, clip(one_line(step.observation), most), times))
        return [f"- {told}{f' ({times} times)' if times > 1 else ''} -> {seen}" for told, seen, times in lines]

    def _now(self, world: World) -> str:
        things = self._rooms.get(world.scene().place, ()) if world.spec.world not in NAMES_SHOWN else ()
        here = f"\nHere: {', '.join(things)}" if things else ""  # a look in a household tells what is beside that
        return f"{one_line(world.look())}{here}\nInventory: {one_line(world.inventory())}"

    def _others(self) -> Iterable[str]:
        """What was seen in the rooms that were left."""
        here = self._world.scene().place
        return [f"- {place}: {', '.join(things)}" for place, things in self._rooms.items() if place != here and things]


def _from_fourth(plan: str) -> str:
    """The answers to Q4 and Q5 alone (C.2: less costly)."""
    at = plan.find("Q4")
    return plan[at:] if at >= 0 else plan
