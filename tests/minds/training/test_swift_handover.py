"""A policy begins, the oracle's plan goes on."""

from __future__ import annotations

import random
from typing import Any

from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.play import Play, Proposal
from minds.policies.swift.reading import Thing
from minds.policies.swift.wording import Act
from minds.training.swift.handover import STUCK, handed_over
from minds.training.swift.oracle import Aim
from tools.worlds.world import Observation

EMPTY = "In your inventory, you see:\n\tnothing\n"
ROOMS = ("shed", "yard")


class Rooms:
    """An axe lies in the shed and may be carried; the task is to focus on the stump with it."""

    goal = "focus on the stump"

    def __init__(self) -> None:
        self.said: list[str] = []

    def reset(self) -> None:
        self.room, self.axe = "shed", "shed"

    def look(self) -> str:
        lying = "\tan axe\n" if self.axe == self.room else ""
        stump = "\ta stump\n" if self.room == "yard" else ""
        return f"This room is called the {self.room}. In it, you see: \n{lying}{stump}\ta box\n"

    def inventory(self) -> str:
        return "In your inventory, you see:\n\tan axe\n" if self.axe == "inventory" else EMPTY

    def step(self, action: str) -> Observation:
        self.said.append(action)
        if action.startswith("teleport to "):
            self.room = action.removeprefix("teleport to ")
        elif action == "pick up axe":
            self.axe = "inventory"
        elif action == "drop axe":
            self.axe = self.room
        won = action == "focus on stump" and self.axe in (self.room, "inventory")
        return Observation("You do it.", score=100.0 if won else 0.0, done=action.startswith("focus"))


class Wishing(Play):
    """Proposes one act after the other, then the last one."""

    def __init__(self, *acts: tuple[str, str]) -> None:
        super().__init__(Network({}, 4, 1, Lexicon({}, (), ROOMS)), Rooms.goal)
        self.acts = list(acts)

    def propose(self) -> list[Proposal]:
        pattern, name = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
        if pattern == "teleport to {}":
            return [Proposal(Act(pattern, (), name), 0.9)]
        return [Proposal(Act(pattern, (next(i for i, t in enumerate(self.memory.seen) if t.name == name),)), 0.9)]


GO, TAKE, DROP = ("teleport to {}", "yard"), ("pick up {}", "axe"), ("drop {}", "axe")
BOX, STUMP = ("open {}", "box"), ("focus on {}", "stump")
PLAN = [Aim("pick up {}", "shed", (Thing("axe"),), ((),)), Aim("focus on {}", "yard", (Thing("stump"),), ((),))]


def played(*acts: tuple[str, str], plan: list[Aim] = PLAN, steps: int = 9) -> tuple[list[tuple[str, bool]], float]:
    """What was done, whether it is learned from, and the score."""
    world: Any = Rooms()
    made = handed_over(world, Wishing(*acts), plan, steps, random.Random(3))
    return [(row["text"], row["learn"]) for row in made.rows], made.score


def test_what_a_policy_won_by_itself_is_learned_from() -> None:
    done = [("pick up axe", True), ("teleport to yard", True), ("focus on stump", True)]
    assert played(TAKE, GO, STUMP) == (done, 100.0)
    assert played(TAKE, GO, STUMP, plan=[]) == (done, 100.0)


def test_what_a_policy_won_in_a_roundabout_way_is_not_learned_from() -> None:
    done, score = played(*[BOX] * 6, TAKE, GO, STUMP, steps=12)
    assert (len(done), score, [text for text, learn in done if learn]) == (9, 100.0, [])
    assert played(*[BOX] * 6, TAKE, GO, STUMP, plan=[], steps=12)[0][-1] == ("focus on stump", True)


def test_the_plan_goes_on_where_the_policy_stands_and_only_that_is_learned_from() -> None:
    done = [("pick up axe", False), ("open box", False), ("teleport to yard", True), ("focus on stump", True)]
    assert played(TAKE, BOX, steps=2) == (done, 100.0)


def test_a_critical_act_out_of_turn_hands_over() -> None:
    assert played(("focus on {}", "box")) == (
        [("pick up axe", True), ("teleport to yard", True), ("focus on stump", True)],
        100.0,
    )


def test_what_was_left_elsewhere_is_fetched() -> None:
    plan = [PLAN[0], Aim("open {}", "yard", (Thing("axe"),), ((),)), PLAN[1]]
    texts = [text for text, _ in played(TAKE, DROP, GO, plan=plan, steps=3)[0]]
    assert texts[3:] == ["teleport to shed", "pick up axe", "teleport to yard", "open axe", "focus on stump"]


def test_a_policy_that_is_stuck_gives_up() -> None:
    texts = [text for text, _ in played(BOX, steps=200)[0]]
    assert texts.count("open box") == STUCK + 1 and texts[-1] == "focus on stump"
