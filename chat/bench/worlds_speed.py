"""`bench worlds`: steps a second through our adapters against the bare packages, side by side; memory over episodes."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from chat.bench import Ask
from chat.bench.bare import Bare, bare
from tools.worlds import simulator
from tools.worlds.jvm import java
from tools.worlds.world import Simulator, Wants, World, WorldSpec

EPISODES, WARM_UP = 500, 0.3
"""Opened and closed for the memory; the share of them that Java warms up on."""
STEPS_EACH, ROUNDS = 3, 3
SCIENCE = ("find-living-thing", "lifespan-longest-lived", "chemistry-mix", "boil", "power-component", "use-thermometer")
HOUSEHOLD = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)


def run(ask: Ask) -> dict[str, object]:
    """Figures for each world: steps a second bare and ours, ratios (medians of episodes), memory in MB."""
    figures: dict[str, object] = {}
    for name, specs in (("scienceworld", science_specs()), ("alfworld", household_specs())):
        worlds = simulator(name)
        if problem := worlds.ready():
            figures[name] = {"skipped": problem}
            continue
        try:
            speed = _speeds(worlds, specs[: min(len(specs), ask.limit or len(specs))])
            memory = _memory(worlds, specs, ask.limit or EPISODES)
        finally:
            worlds.close()
        figures[name] = {**speed, **memory, "java_left": sum(name == "java" for _, name, _ in _family())}
    return figures


def science_specs() -> list[WorldSpec]:
    worlds = simulator("scienceworld")
    each = [worlds.variations(task, "dev")[0] for task in SCIENCE]
    return [WorldSpec(s.world, s.task, s.variation, ("easy",)) for s in each]


def household_specs() -> list[WorldSpec]:
    return [WorldSpec("alfworld", f"household/{task}", 7) for task in HOUSEHOLD]


def _speeds(worlds: Simulator, specs: Sequence[WorldSpec]) -> dict[str, object]:
    """Each episode in turn bare, for its text only, and for all that the package gives at every step."""
    rows: list[tuple[float, float, float]] = []
    with bare(worlds.name) as theirs:
        for number, spec in enumerate([specs[0], *specs]):  # the first twice: once to warm up
            gold = _gold(worlds, spec)
            rounds = [
                (
                    _rate(gold, _bare_start(theirs, spec), theirs.step),
                    _ours(worlds, spec, Wants(), gold, everything=False),
                    _ours(worlds, spec, Wants(admissible=True), gold, everything=True),
                )
                for _ in range(ROUNDS if number else 1)
            ]
            theirs_rate, text_rate, all_rate = (median(r[part] for r in rounds) for part in range(3))
            _tell(f"{spec.task}: {theirs_rate:.0f} steps/s bare, {text_rate:.0f} text only, {all_rate:.0f} all")
            rows += [(theirs_rate, text_rate, all_rate)] if number else []
    return {
        "bare_steps_a_second": round(median(r[0] for r in rows), 1),
        "text_steps_a_second": round(median(r[1] for r in rows), 1),
        "text_ratio": round(median(r[1] / r[0] for r in rows), 2),
        "all_ratio": round(median(r[2] / r[0] for r in rows), 2),
        "worst_all_ratio": round(min(r[2] / r[0] for r in rows), 2),
    }


def _gold(worlds: Simulator, spec: WorldSpec) -> tuple[str, ...]:
    world = worlds.open(spec)
    try:
        return world.gold()[:60]
    finally:
        world.close()


def _bare_start(theirs: Bare, spec: WorldSpec) -> Callable[[], None]:
    return lambda: theirs.start(spec)


def _ours(worlds: Simulator, spec: WorldSpec, wants: Wants, gold: Sequence[str], everything: bool) -> float:
    world = worlds.open(spec, wants)

    def all_of_it(action: str) -> object:
        return world.step(action), world.look(), world.inventory()

    science = worlds.name == "scienceworld"  # whose package looks around and takes stock at every step
    try:
        return _rate(gold, world.reset, all_of_it if everything and science else world.step)
    finally:
        world.close()


def _rate(actions: Sequence[str], start: Callable[[], object], step: Callable[[str], object]) -> float:
    start()
    began = time.perf_counter()
    for action in actions:
        step(action)
    return len(actions) / (time.perf_counter() - began)


def _memory(worlds: Simulator, specs: Sequence[WorldSpec], episodes: int) -> dict[str, object]:
    """MB of this process and its Java after the warm-up and at the end, each after a collection of garbage.

    Between collections Java's memory goes up and down by half of it, and a collection asked for is not always made:
    the median of three looks at either end.
    """
    golds = {spec: _gold(worlds, spec) for spec in specs}
    warm, seen = max(1, int(episodes * WARM_UP)), []
    for number in range(1, episodes + 1):
        spec = specs[number % len(specs)]
        _short(worlds.open(spec), golds[spec])
        if number in (warm, episodes) or number % 50 == 0:
            seen.append((number, _collected()))
            _tell(f"{worlds.name}: {number} episodes, {seen[-1][1]:.0f} MB")
    looks = [mb for number, mb in seen if number >= warm]
    before, after = median(looks[:3]), median(looks[-3:])
    growth = round(100 * (after / before - 1), 1)
    return {"episodes": episodes, "mb_warm": round(before), "mb_end": round(after), "growth_percent": growth}


def _collected() -> float:
    gc.collect()
    binary = java()
    jcmd = binary.with_name("jcmd") if binary else None
    for pid in [pid for pid, name, _ in _family() if name == "java"]:
        if jcmd and jcmd.exists():
            subprocess.run([str(jcmd), str(pid), "GC.run"], check=False, capture_output=True)
    return sum(mb for _, _, mb in _family())


def _short(world: World, gold: Sequence[str]) -> None:
    try:
        world.reset()
        for action in gold[:STEPS_EACH]:
            world.step(action)
    finally:
        world.close()


def _family() -> list[tuple[int, str, float]]:
    """Process id, name and MB of resident memory of this process and its descendants (Linux)."""
    found: dict[int, tuple[int, str, float]] = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines() if ":" in line)
        except OSError:
            continue
        size = int(lines.get("VmRSS", "0 kB").split()[0])
        found[int(status.parent.name)] = int(lines["PPid"]), lines["Name"].strip(), size / 1024
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _, _) in found.items() if parent in ours} - ours:
        ours |= more
    return [(pid, *found[pid][1:]) for pid in ours if pid in found and found[pid][2]]


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
