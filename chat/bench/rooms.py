"""`bench rooms`: 12 conversations with worlds open at once; what each sees must be what its own world shows alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from chat.app import Duet
from chat.bench import Ask
from chat.bench.ground import a_duet, say
from chat.worlds.episodes import Record
from tools.worlds import simulator
from tools.worlds.world import WorldSpec

SESSIONS, STEPS = 12, 6
TASKS = ("boil", "melt", "find-animal", "grow-plant", "chemistry-mix", "power-component")
KINDS = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)


def run(ask: Ask) -> dict[str, object]:
    """Figures: sessions, steps taken, steps that showed anything but the session's own world, java processes left."""
    records = asyncio.run(_together(ask, specs()[: ask.limit or SESSIONS]))
    foreign = sum(_foreign(record) for record in records)
    steps = sum(len(record.deeds) for record in records)
    return {"sessions": len(records), "steps": steps, "foreign": foreign, "java_left": _java()}


def specs() -> list[WorldSpec]:
    """Both worlds in turn."""
    labs = [WorldSpec("scienceworld", task, 0, ("easy",)) for task in TASKS]
    houses = [WorldSpec("alfworld", f"household/{kind}", 11) for kind in KINDS]
    return [spec for pair in zip(labs, houses, strict=True) for spec in pair]


async def _together(ask: Ask, wanted: list[WorldSpec]) -> list[Record]:
    async with a_duet(ask.settings, warm=False) as duet:
        return list(await asyncio.gather(*(_walked(duet, number, spec) for number, spec in enumerate(wanted))))


async def _walked(duet: Duet, number: int, spec: WorldSpec) -> Record:
    """One session: the first steps of the simulator's own solution, typed. Two sessions share each user."""
    session = duet.open_session(f"user-{number // 2}")
    await say(duet, session, f"/play {spec.world} {spec.task} --variation {spec.variation} --human")
    live = await duet.worlds.running.at(session, duet.worlds.records(session)[-1])
    for action in (await asyncio.to_thread(live.gold))[:STEPS]:
        await say(duet, session, action)
    return duet.worlds.records(session)[-1]


def _foreign(record: Record) -> int:
    """Steps that showed something else than the same actions show in a world that runs alone."""
    home = simulator(record.spec.world)
    try:
        world = home.open(record.spec)
        alone = [world.reset().text, *(world.step(action).text for action in record.actions)]
        world.close()
    finally:
        home.close()
    seen = [record.opening.text, *(deed.seen.text for deed in record.deeds)]
    wrong = sum(one != other for one, other in zip(alone, seen, strict=True))
    print(f"{record.spec.task}: {len(record.deeds)} steps, {wrong} foreign", file=sys.stderr, flush=True)
    return wrong


def _java() -> int:
    """Java processes that this process started and that still run."""
    import os

    listed = subprocess.run(["ps", "-eo", "ppid,comm"], capture_output=True, text=True, check=False).stdout
    return sum(line.split() == [str(os.getpid()), "java"] for line in listed.splitlines())
