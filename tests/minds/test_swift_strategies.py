"""Strategies with learned policies, in a toy shed: what they say with an action, and what they tell the panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from minds.dialogue import Dialogue, Episode, Task
from minds.policies.subgoals.play import SubgoalPlay
from minds.policies.subgoals.segment import Subgoal
from minds.policies.swift.dataset import Lexicon
from minds.policies.swift.play import Play, Proposal
from minds.policies.swift.wording import Act
from minds.slow import Limits, Workbench, think
from minds.strategies import open_strategy
from minds.strategies.subgoals import Subgoals
from minds.strategies.swift import Swift
from tests.fakes import FakeModel
from tests.minds.test_world_strategies import Silent, silent
from tools.worlds.world import Observation, Scene, WorldSpec

SHED = "This room is called the shed. In it, you see: \n\ta red box\n\ta green box\n"
TASK = Task("Focus on the red box, then open the green box.", "open it", Dialogue("s", "ada"))
RED, GREEN = Act("focus on {}", (0,)), Act("open {}", (1,))


@dataclass
class Shed:
    """Won when the red box was focused on and the green one opened; lost when the green one is focused on."""

    spec: WorldSpec = WorldSpec("scienceworld", "shed")
    goal: str = TASK.question
    done: list[str] = field(default_factory=list)
    steps: int = 0

    def reset(self) -> Observation:
        return Observation(SHED, score=0.0)

    def step(self, action: str) -> Observation:
        self.steps += 1
        self.done.append(action)
        if action not in ("focus on red box", "open green box", "focus on green box"):
            return Observation("No known action matches that input.", score=self.score)
        lost = "focus on green box" in self.done
        return Observation("You do it.", score=-100.0 if lost else self.score, done=lost or self.won, won=self.won)

    @property
    def score(self) -> float:
        return 50.0 * len({"focus on red box", "open green box"} & set(self.done))

    @property
    def won(self) -> bool:
        return self.score == 100.0 and "focus on green box" not in self.done

    def admissible(self) -> tuple[str, ...]:
        return ("focus on red box", "focus on green box", "open green box")

    def look(self) -> str:
        return SHED

    def inventory(self) -> str:
        return "In your inventory, you see:\n\tnothing\n"

    def location(self) -> str:
        return "shed"

    def scene(self) -> Scene:
        return Scene("shed")

    def gold(self) -> tuple[str, ...]:
        raise AssertionError("a policy must not ask for the solution")

    def close(self) -> None: ...


class Certain(Play):
    """Focuses on the red box, then opens the green one."""

    chances = (0.97, 0.3)

    def propose(self) -> list[Proposal]:
        done = len(self.memory.focused) > 0
        return [Proposal(GREEN if done else RED, self.chances[done])]


class Planned(SubgoalPlay):
    """The same, by sub-goals."""

    def propose(self) -> list[Proposal]:
        done = len(self.memory.focused) > 0
        self.current = Subgoal("open {}" if done else "focus on {}", ("box",) if not done else ("@0",))
        return [Proposal(GREEN if done else RED, 0.9)]


def started(play: type[Play], monkeypatch: pytest.MonkeyPatch, *owners: type[Swift]) -> None:
    def start(self: Swift) -> Play:
        return play((), Lexicon({}, (), ("shed",)), self._world.goal)

    for owner in owners:
        monkeypatch.setattr(owner, "_start", start)


def bench(world: Shed, **more: Any) -> Workbench:
    return Workbench(FakeModel(silent), {}, world=world, **more)


async def test_swift_says_how_sure_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Certain, monkeypatch, Swift)
    answer = await think(TASK, Swift(bench(world := Shed())), {}, Silent(), Limits(steps=5), world=world)
    assert answer.solved and answer.episode.steps[0].move.confidence == pytest.approx(0.97)
    assert [step.move.thought for step in answer.episode.steps] == [
        "I have seen this done: 97% sure.",
        "I am not sure of this one: 30%.",
    ]


async def test_subgoals_name_what_they_are_after_and_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Planned, monkeypatch, Subgoals)
    strategy = open_strategy("subgoals", bench(world := Shed()))
    answer = await think(TASK, strategy, {}, Silent(), Limits(steps=5), world=world)
    moves = [step.move for step in answer.episode.steps]
    assert answer.solved and [move.reached for move in moves] == ["", "focus on red box"]
    assert moves[0].thought.startswith("My sub-goal is to focus on box. I have seen this done: 90%")


async def test_where_nothing_was_trained_subgoals_give_up() -> None:
    world = Shed(WorldSpec("alfworld", "shed"))
    move = await Subgoals(bench(world)).act(Episode(TASK))
    assert move.gave_up and "train subgoals" in str(move.answer)
