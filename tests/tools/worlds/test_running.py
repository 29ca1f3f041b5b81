"""A world that loses its engine: it gets another one, led to where the world stands, whenever it happens."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from tests.toyworld import GOLD, INTRO, ToyWorld, ToyWorlds
from tools.worlds.running import A_SESSION, RunningWorld, RunningWorlds
from tools.worlds.world import Observation, WorldLost, WorldSpec


@dataclass
class Mortal(ToyWorld):
    """Its engine dies at the actions that its home names, and stays dead."""

    home: Mortals
    dead: bool = False

    def reset(self) -> Observation:
        self._lives()
        return super().reset()

    def step(self, action: str) -> Observation:
        if action == next(iter(self.home.deaths), ""):
            self.home.deaths.pop(0)
            self.dead = True
        self._lives()
        return super().step(action)

    def _lives(self) -> None:
        if self.dead:
            raise WorldLost("The engine ended.")


@dataclass
class Mortals(ToyWorlds):
    deaths: list[str] = field(default_factory=list)

    def open(self, spec: WorldSpec) -> Mortal:
        world = Mortal(self, spec)
        self.opened.append(world)
        return world


def begun(*deaths: str) -> tuple[Mortals, RunningWorld]:
    toys = Mortals()
    live = RunningWorld(toys, WorldSpec("alfworld", "mug"))
    live.lead_to(GOLD[:2])
    toys.deaths = [*deaths]
    return toys, live


def test_a_world_whose_engine_died_begins_anew() -> None:
    toys, live = begun("look")
    with pytest.raises(WorldLost):
        toys.opened[0].step("look")
    assert live.lead_to(()).text == INTRO
    assert [world.closed for world in toys.opened] == [True, False]


def test_an_engine_that_dies_while_it_is_led_back_is_not_gone_on_with() -> None:
    toys, live = begun(GOLD[2], GOLD[1])
    with pytest.raises(WorldLost):
        live.step(GOLD[2])
    second = toys.opened[1]
    assert isinstance(second, Mortal)
    second.dead = False  # as an adapter that gets itself another engine
    assert live.lead_to(GOLD[:2]).text == "You pick up the mug 1 from the desk 1."
    assert toys.opened[-1].steps == 2 and [world.closed for world in toys.opened] == [True, True, False]


def test_two_who_open_the_first_world_at_once_share_its_simulator() -> None:
    def make(_: str) -> ToyWorlds:
        time.sleep(0.1)
        return ToyWorlds()

    worlds = RunningWorlds(make)
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(worlds.home, ["scienceworld", "scienceworld"])
    assert one is other


class Slow(ToyWorld):
    """Takes its time to close."""

    def close(self) -> None:
        time.sleep(0.1)
        super().close()


class Slows(ToyWorlds):
    def open(self, spec: WorldSpec) -> Slow:
        world = Slow(self, spec)
        self.opened.append(world)
        return world


@pytest.mark.parametrize("all_", [False, True])
async def test_worlds_that_are_closed_meanwhile_keep_nobody_from_closing_others(all_: bool) -> None:
    toys = Slows()
    worlds = RunningWorlds(lambda _: toys)
    for number in range(A_SESSION + 2):
        await worlds.open("mine", number, WorldSpec("alfworld", "mug"))
    others = worlds.shut() if all_ else worlds.park("mine")
    await asyncio.gather(others, worlds.close("mine", 1), worlds.close("mine"), worlds.close("mine"))
    await worlds.shut()
    assert all(world.closed for world in toys.opened)
