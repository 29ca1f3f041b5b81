"""Plays games with the learned policy and counts: won, steps, time of its own, by kind of task."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from minds.policies.swift_alfworld.policy import SwiftAlfworld
from minds.training.swift_alfworld.collect import STEPS
from tools.worlds.world import Wants, World, WorldSpec

Opener = Callable[[WorldSpec, Wants], World]


@dataclass(frozen=True)
class Outcome:
    """One episode."""

    spec: WorldSpec
    goal: str
    won: bool
    steps: int
    milliseconds: tuple[float, ...]
    """The policy's own, for each step."""
    trusts: tuple[float, ...]
    """Its confidence in each."""
    path: tuple[tuple[str, str], ...]
    """(action, observation)."""

    @property
    def kind(self) -> str:
        """`pick_heat_then_place_in_recep`."""
        return self.spec.task.split("/")[1].partition("-")[0]


def engine(fast: bool) -> Opener:
    """How games are opened: in the plain engine, or (what is reported) in the package's own."""
    if fast:
        from minds.training.swift_alfworld.household_engine import open_fast

        return open_fast
    from tools.worlds.alfworld import AlfWorlds

    return AlfWorlds().open


def episodes(
    policy: SwiftAlfworld, specs: Iterable[WorldSpec], open_: Opener, listed: bool = True
) -> Iterator[Outcome]:
    """Plays each; `listed` gives the policy the engine's list of possible actions."""
    for spec in specs:
        world = open_(spec, Wants(admissible=listed))
        try:
            yield episode(policy, world, listed)
        finally:
            world.close()


def episode(policy: SwiftAlfworld, world: World, listed: bool = True, limit: int = STEPS) -> Outcome:
    """One game, to its end or the limit."""
    seen = world.reset()
    took: list[float] = []
    trusts: list[float] = []
    path: list[tuple[str, str]] = []
    play = policy.start(world.goal, seen.text)
    while not seen.done and world.steps < limit:
        began = time.perf_counter()
        action, trust = play.act(seen.admissible if listed else ())
        took.append((time.perf_counter() - began) * 1e3)
        seen = world.step(action)
        began = time.perf_counter()
        play.told(action, seen.text)
        took[-1] += (time.perf_counter() - began) * 1e3
        trusts.append(trust)
        path.append((action, seen.text))
    return Outcome(world.spec, world.goal, seen.won, world.steps, tuple(took), tuple(trusts), tuple(path))


def table(outcomes: Sequence[Outcome]) -> str:
    """Won and steps by kind of task, as markdown, and the time a step."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.kind].append(outcome)
    lines = ["| kind of task | games | won | mean steps |", "|---|---|---|---|"]
    for kind, found in [*sorted(kinds.items()), ("all", list(outcomes))]:
        won = sum(o.won for o in found)
        steps = statistics.mean(o.steps for o in found)
        lines.append(f"| {kind} | {len(found)} | {won} ({won / len(found):.1%}) | {steps:.1f} |")
    took = sorted(ms for o in outcomes for ms in o.milliseconds)
    lines.append(f"\n{statistics.median(took):.2f} ms a step (p50), {took[int(len(took) * 0.95)]:.2f} ms (p95)")
    return "\n".join(lines)
