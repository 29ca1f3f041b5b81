"""Makes the demonstrations: the expert plays train games with slips, then judges the learner's own play (DAgger).

A game takes about a second, most of it to open it. Only the train split and household seeds from `SEEDS` on are
played; some train games are held out, to see when to stop.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from minds.policies.swift_alfworld.memory import Action, Memory, Place, kind_of, room_number
from minds.policies.swift_alfworld.policy import Play, SwiftAlfworld
from minds.training.processes import say
from minds.training.rows import Key, Row, collected
from minds.training.swift_alfworld.expert import Expert, Prior, wanted
from tools.worlds import simulator
from tools.worlds.household import KINDS
from tools.worlds.world import Simulator, WorldLost, WorldSpec

STEPS = 50
SEEDS = 100_000
"""Household games of this seed and later are trained on; on some from `DEV_SEEDS` the confidence is fitted; lower
ones never."""
DEV_SEEDS = 50_000
HELD_OUT = 200
"""Train games that are not trained on."""
SLIPS = (0.0, 0.05, 0.15, 0.3)
"""Share of the expert's actions that something else is done instead; one of these an episode."""
UNLISTED = 0.3
"""Share of the episodes that are played without the engine's list of possible actions."""
OFTEN = 0.35
"""Share of slips that are anything but walking."""
COUNTED = 1500
"""Household games in which it is counted what lies where."""
HOPELESS = 0.5
"""Share of the long searches in which there is nothing to be found."""


class Told(NamedTuple):
    """One step of a record."""

    possible: tuple[str, ...]
    good: tuple[str, ...]
    action: str
    said: str


@dataclass(frozen=True)
class Record:
    """One episode: all that the policy may see at each step, and which actions the expert calls good there."""

    task: str
    variation: int
    goal: str
    opening: str
    listed: bool
    """Whether `possible` was the engine's list (else the agent's own guess)."""
    won: bool
    steps: tuple[Told, ...]


def official() -> tuple[list[WorldSpec], list[WorldSpec]]:
    """(train games to learn from, those held out); none where there is no data set."""
    from tools.worlds import alfworld as games

    if "train" not in games.splits():
        return [], []
    specs = list(games.specs("train"))
    random.Random(0).shuffle(specs)
    return specs[HELD_OUT:], specs[:HELD_OUT]


def households(first: int, count: int) -> list[WorldSpec]:
    """So many generated games, the kinds of tasks in turn."""
    kinds = list(KINDS)
    return [WorldSpec("alfworld", f"household/{kinds[i % len(kinds)]}", first + i // len(kinds)) for i in range(count)]


def collect(file: Path, specs: Sequence[WorldSpec], learner: Path | None, jobs: int, hard: float = 0.0) -> None:
    """Plays each game once into the file. `learner`: weights of who plays, without them the expert does; `hard`: the
    share of the episodes in which the search is long (`_made_hard`)."""
    collected(file, [(spec.task, spec.variation, 0) for spec in specs], partial(_row, learner, hard), jobs)


def _row(learner: Path | None, hard: float, name: Key) -> Row | None:
    record = played(WorldSpec("alfworld", *name[:2]), learner, hard)
    return asdict(record) if record else None


def played(spec: WorldSpec, learner: Path | None = None, hard: float = 0.0) -> Record | None:
    """One episode; None where the engine cannot play this game, which is told."""
    dice = random.Random(f"{spec.task} {spec.variation}")
    policy = _policy(learner) if learner else None
    try:
        with closing(simulator("alfworld")) as worlds:
            return play(worlds, spec, policy, dice, dice.random() < hard)
    except WorldLost as fault:
        say(f"{spec.task} {spec.variation}: {fault}")
        return None


_policy = cache(SwiftAlfworld.load)
"""Of each process one."""


def play(
    worlds: Simulator, spec: WorldSpec, policy: SwiftAlfworld | None, dice: random.Random, hard: bool = False
) -> Record:
    """One episode, by the learner or (without) by the expert, with slips; every state judged by the expert."""
    world = worlds.open(spec)
    seen = world.reset()
    known = prior(spec.task.startswith("household/"))
    goal, guide = _made_hard(spec, world.goal, known, dice) if hard else (world.goal, known)
    expert, player = Expert(known, wanted(goal)), Expert(guide, wanted(goal))
    memory = Memory(goal)
    memory.begin(seen.text)
    learner = Play(policy.network, memory) if policy else None
    listed, slips, opening = dice.random() >= UNLISTED, dice.choice(SLIPS), seen.text
    steps: list[Told] = []
    while not seen.done and world.steps < STEPS:
        possible = world.admissible() if listed else ()
        acts = memory.sees(possible) if listed else tuple(map(memory.parse, memory.possible()))
        good = expert.good(memory, acts)
        if goal != world.goal and all(place.looked for place in memory.places.values()):
            break
        if dice.random() < (slips / 2 if learner else slips):
            action = _slip(acts, dice)
        elif learner:
            action = learner.act(possible)[0]
        else:
            action = dice.choice(player.good(memory, acts))
        seen = world.step(action)
        steps.append(Told(tuple(act.text for act in acts), tuple(good), action, seen.text))
        (learner.told if learner else memory.did)(action, seen.text)
    world.close()
    return Record(spec.task, spec.variation, goal, opening, listed, seen.won, tuple(steps))


def _made_hard(spec: WorldSpec, goal: str, known: Prior, dice: random.Random) -> tuple[str, Prior]:
    """(goal, what the player believes): a thing that is not there at all, or a player who looks anywhere."""
    if dice.random() < HOPELESS:
        there = {kind_of(thing) for thing, _ in layout(spec)[1]}
        absent = sorted({str(key[0]) for key in known.holds if len(key) == 2} - there)
        return re.sub(rf"\b{wanted(goal).thing}\b", dice.choice(absent), goal), known
    return goal, Blind(seed=dice.random())


@dataclass
class Blind(Prior):
    """Believes in places at random, but stays with it."""

    seed: float = 0.0

    def chance(self, thing: str, room: int, place: Place) -> float:
        return random.Random(f"{self.seed} {place.name}").random()


def _slip(acts: Sequence[Action], dice: random.Random) -> str:
    """Walking somewhere, or something else that is possible."""
    walks, others = ([act.text for act in acts if (act.verb == "go to") is walk] for walk in (True, False))
    return dice.choice(others if (others and dice.random() < OFTEN) or not walks else walks)


@cache
def prior(generated: bool) -> Prior:
    """What lies where, counted in games that are trained on."""
    counted = Prior(rooms=not generated)  # in generated rooms things lie by kind of receptacle only
    for spec in households(SEEDS, COUNTED) if generated else official()[0]:
        counted.count(*layout(spec))
    return counted


def layout(spec: WorldSpec) -> tuple[int, Iterable[tuple[str, str]], Sequence[str]]:
    """The room's number, ((thing, receptacle), ...), every receptacle: as the game's text begins."""
    from tools.worlds.alfworld import load
    from tools.worlds.alfworld_engine import names

    begins = load(spec).problem.lower().partition("(:goal")[0].partition("(:init")[2]
    facts = [fact.split() for fact in re.findall(r"\(([a-z]+ [^()?]+)\)", begins)]
    named = names({id_ for _, *ids in facts for id_ in ids})
    inside = [(named[fact[1]], named[fact[2]]) for fact in facts if fact[0] == "inreceptacle"]
    places = [named[fact[1]] for fact in facts if fact[0] == "receptacleatlocation"]
    return room_number(places), inside, places
