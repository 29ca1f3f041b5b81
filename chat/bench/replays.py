"""`bench replays`: the simulators' own solutions, replayed through our adapters, must reach the engine's full score."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from chat.bench import Ask
from tools.worlds import simulator
from tools.worlds.world import Simulator, WorldFault, WorldSpec

ALFWORLD = 50


def run(ask: Ask) -> dict[str, object]:
    """Figures for each world: episodes, those that reached the full score, those that did not by name."""
    return {name: _all(name, ask.limit) for name in ("scienceworld", "alfworld")}


def _all(name: str, limit: int | None) -> dict[str, object]:
    worlds = simulator(name)
    try:
        specs = list(science(worlds) if name == "scienceworld" else household(worlds))[:limit]
        return _replayed(worlds, specs)
    except WorldFault as fault:
        return {"skipped": str(fault)}
    finally:
        worlds.close()


def science(worlds: Simulator) -> Iterator[WorldSpec]:
    """Two variations of each task: one of train with no simplification, one of test with `easy`."""
    for task in worlds.tasks():
        yield worlds.variations(task.name, "train")[0]
        chosen = worlds.variations(task.name, "test")[0]
        yield WorldSpec(chosen.world, chosen.task, chosen.variation, ("easy",))


def household(worlds: Simulator) -> Iterator[WorldSpec]:
    """Every so many of the data set's games, so that all kinds of tasks are among them."""
    games = [spec for task in worlds.tasks() for spec in worlds.variations(task.name, "valid_seen")]
    every = max(1, len(games) // ALFWORLD)
    yield from games[::every][:ALFWORLD]


def _replayed(worlds: Simulator, specs: list[WorldSpec]) -> dict[str, object]:
    failing = []
    for number, spec in enumerate(specs, 1):
        outcome = _outcome(worlds, spec)
        print(f"{number}/{len(specs)} {spec.task} {spec.variation}: {outcome or 'full'}", file=sys.stderr, flush=True)
        if outcome:
            failing.append(f"{spec.task} {spec.variation} {','.join(spec.options)}: {outcome}")
    return {"episodes": len(specs), "full": len(specs) - len(failing), "failing": failing}


def _outcome(worlds: Simulator, spec: WorldSpec) -> str:
    """Nothing where it was won with the full score."""
    world = worlds.open(spec)
    try:
        seen = world.reset()
        for action in world.gold():
            seen = world.step(action)
            if seen.done:
                break
        return "" if seen.won and seen.score == 100 else f"score {seen.score} after {world.steps} steps"
    except WorldFault as fault:
        return str(fault)
    finally:
        world.close()
