"""Swift's policy is told what was done, by whomever, as it looked before each step."""

from __future__ import annotations

from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from chat.bench.episodes.stage import ShownWorld
from minds.dialogue import Dialogue, Episode, Step, Task, in_world
from minds.slow import Workbench
from minds.strategies import swift
from minds.strategies.swift import Swift
from tests.fakes import FakeModel
from tests.toyworld import GOAL, GOLD, INTRO, ToyWorlds
from tools.worlds.running import RunningWorld
from tools.worlds.world import World, WorldFault, WorldSpec

TASK = Task(GOAL, "finish it", Dialogue("s", "ada"))
SPEC = WorldSpec("alfworld", "mug")


class Policy:
    """Wishes for one action after the other, and keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.pending: object = None
        self.memory = SimpleNamespace(score=0.0)

    def act(self, look: str, inventory: str) -> tuple[str, float]:
        self.pending = "an act"
        return GOLD[2], 0.9

    def told(self, said: str, score: float) -> None:
        self.heard.append(("told", said))

    def settle(self) -> None:
        self.heard.append("settled")
        self.pending = None


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> Policy:
    made = Policy()
    monkeypatch.setattr(Swift, "_start", lambda _: made)
    monkeypatch.setattr(swift, "witness", lambda play, *seen: play.heard.append(seen[:3]))
    return made


def done(world: World, *actions: str) -> tuple[Step, ...]:
    return tuple(Step(in_world("", a), (seen := world.step(a)).text, seen=seen) for a in actions)


def strategy(world: World) -> Swift:
    return Swift(Workbench(FakeModel(lambda _: [""]), world=world))


async def test_behind_others_each_step_is_read_in_the_view_that_it_was_taken_in(policy: Policy) -> None:
    world = RunningWorld(ToyWorlds(), SPEC)
    world.reset()
    await strategy(world).act(Episode(TASK, done(world, *GOLD[:2])))
    empty, desk = "You are not carrying anything.", "On the desk 1, you see a mug 1."
    assert policy.heard == [(INTRO, empty, GOLD[0]), (desk, empty, GOLD[1])]
    assert tuple(world.actions) == GOLD[:2] and world.look() == "On the desk 1, you see nothing."


async def test_who_acts_while_it_looks_back_acts_where_the_world_stood(policy: Policy) -> None:
    class Shared(RunningWorld):
        """Somebody acts as soon as it was looked back."""

        other: Thread | None = None

        def inventory(self) -> str:
            seen = super().inventory()
            if self.other is None:
                self.other = Thread(target=self.step, args=("drop mug 1",))
                self.other.start()
                self.other.join(0.2)
            return seen

    world = Shared(ToyWorlds(), SPEC)
    world.reset()
    await strategy(world).act(Episode(TASK, done(world, *GOLD[:2])))
    assert world.other
    world.other.join()
    assert tuple(world.actions) == (*GOLD[:2], "drop mug 1") and world.seen.text == "The mug breaks."


async def test_a_world_that_cannot_be_looked_at_is_led_back_all_the_same(policy: Policy) -> None:
    class Dark(RunningWorld):
        def look(self) -> str:
            raise WorldFault("It is dark.")

    world = Dark(ToyWorlds(), SPEC)
    world.reset()
    with pytest.raises(WorldFault, match="dark"):
        await strategy(world).act(Episode(TASK, done(world, *GOLD[:2])))
    assert tuple(world.actions) == GOLD[:2]


async def test_a_world_that_cannot_be_led_back_is_read_as_it_is_now(policy: Policy) -> None:
    world = ToyWorlds().open(SPEC)
    world.reset()
    await strategy(world).act(Episode(TASK, done(world, GOLD[0])))
    assert policy.heard == [("On the desk 1, you see a mug 1.", "You are not carrying anything.", GOLD[0])]


async def test_in_a_benchmark_too_each_step_that_was_watched_is_read_in_its_own_view(policy: Policy) -> None:
    world = ShownWorld(ToyWorlds().open(SPEC))
    world.reset()
    acts, steps = strategy(world), list[Step]()
    for number, action in enumerate(GOLD[:2]):
        acts.watch(number)
        steps += done(world, action)
    await acts.act(Episode(TASK, tuple(steps)))
    empty, desk = "You are not carrying anything.", "On the desk 1, you see a mug 1."
    assert policy.heard == [(INTRO, empty, GOLD[0]), (desk, empty, GOLD[1])]


async def test_its_own_step_is_told_once_and_counts_before_what_others_do(policy: Policy) -> None:
    world = RunningWorld(ToyWorlds(), SPEC)
    world.reset()
    acts = strategy(world)
    move = await acts.act(Episode(TASK))
    steps = done(world, move.action)
    await acts.act(Episode(TASK, steps))
    assert policy.heard == [("told", "The drawer 1 is closed.")]
    steps += done(world, GOLD[2], "look")
    await acts.act(Episode(TASK, steps))
    assert [heard[0] for heard in policy.heard[:2]] == ["told", "told"]
    assert policy.heard[2] == "settled" and policy.heard[3][2] == "look"
