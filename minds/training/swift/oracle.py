"""From a simulator's own solution to demonstrations a searching agent could follow: plans, replays, detours."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from minds.policies.swift.reading import Thing, room_of, things
from minds.policies.swift.wording import ROOMS, Act, choice, failed, parse, wordings
from tools.worlds.actions import AMBIGUOUS
from tools.worlds.world import World

UNREAD = ("No known action", "Unknown action")
"""How answers begin to what was not understood."""
ATTEMPTS = 5
"""How many wordings are tried."""
WALKS = ("open door", "go to", "look around", "0")
LONG = 8
"""Runs of so many single waits are until something happens; shorter ones are as many as they are."""
PATIENCE = 25
"""How many single waits may end a replay whose last action still needs time."""
View = tuple[str, str]
"""What look and inventory say."""


@dataclass(frozen=True)
class Aim:
    """One step of a plan: a pattern, and what its arguments were in the oracle's view."""

    pattern: str
    room: str
    things: tuple[Thing, ...] = ()
    holds: tuple[tuple[str, ...], ...] = ()
    waits: int = 0
    """Of a long run of waits: how many it was,"""
    until: frozenset[tuple[str, str]] = frozenset()
    """and which states (thing, state) it brought."""


@dataclass
class Replay:
    """One replayed episode: `rows` of plain values ready for JSON, the last score."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    score: float = 0.0
    done: bool = False
    fault: str = ""


class Played(NamedTuple):
    """One step of the oracle's own episode."""

    view: View
    acts: bool
    """Whether it did something, and that no walk and no look."""
    act: Act | None
    """What, if anything that counts."""
    said: str
    after: View
    score: float


def played(first: View, steps: Sequence[Sequence[Any]]) -> Iterator[Played]:
    """The oracle's steps (action, answer, look, inventory, score, ...); what answers an ambiguous request is part of
    the request."""
    view, at = first, 0
    while at < len(steps):
        action, said, look, inventory, score = steps[at][:5]
        if said.startswith(AMBIGUOUS) and at + 1 < len(steps) and steps[at + 1][0] == "0":
            at += 1
            said, (look, inventory, score) = f"{said}\n{steps[at][1]}", steps[at][2:5]
        acts = not action.startswith(WALKS) and not idle(said)
        act = meant(action, said, things(*view)) if acts else None
        yield Played(view, acts, act, said, (look, inventory), score)
        view, at = (look, inventory), at + 1


def plan(first: View, steps: Sequence[Sequence[Any]]) -> list[Aim]:
    """The oracle's steps without walking, looking and failing; a long run of single waits becomes one aim that knows
    what was waited for."""
    every = list(played(first, steps))
    acts = [step for step in every if step.act]
    views = [*(step.view for step in acts), every[-1].after if every else first]
    out, at = list[Aim](), 0
    for waiting, group in groupby(map(_aim, acts), lambda aim: aim.pattern == "wait1"):
        run = list(group)
        end = at + len(run)
        if waiting and len(run) >= LONG:
            brought = _states(things(*views[end])) - _states(things(*views[at]))
            run = [Aim("wait1", run[0].room, waits=len(run), until=frozenset(brought))]
        out += run
        at = end
    return out


def _aim(step: Played) -> Aim:
    assert step.act
    seen = things(*step.view)
    args = tuple(seen[i] for i in step.act.args)
    holds = tuple(tuple(seen[i].name for i in thing.holds) for thing in args)
    return Aim(step.act.pattern, room_of(step.view[0]), args, holds)


def _states(seen: Sequence[Thing]) -> set[tuple[str, str]]:
    return {(t.name, re.sub(r"\d+", "#", state)) for t in seen for state in t.states}


def meant(action: str, said: str, seen: Sequence[Thing]) -> Act | None:
    """One of the oracle's actions as an act; None for one that is none, and for picking up what is in hand."""
    act = parse(action, seen, said)
    if act and act.pattern == "examine {}" and "reads" not in said:
        return Act("wait1")
    return None if act is None or in_hand(act, seen) else act


def in_hand(act: Act, seen: Sequence[Thing]) -> bool:
    """Whether an act picks up what is held."""
    return act.pattern == "pick up {}" and seen[act.args[0]].held and seen[act.args[0]].holder < 0


def idle(said: str) -> bool:
    """Whether an action did nothing and told nothing; that a stove is broken is worth knowing."""
    return failed(said) and "appears broken" not in said


def noted(view: View, act: Act, text: str, said: str, score: float | None, learn: bool = True) -> dict[str, Any]:
    """A step as it is stored."""
    about = {"look": view[0], "inv": view[1], "act": [act.pattern, list(act.args), act.room], "learn": learn}
    return about | {"text": text, "said": said, "score": score}


class Player:
    """Plays Acts in a world and writes down what was in view before each."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.replay = Replay()
        self.worked: dict[str, str] = {}
        world.reset()
        self._view()

    def _view(self) -> None:
        self.look, self.inventory = self.world.look(), self.world.inventory()
        self.seen = things(self.look, self.inventory)
        self.room = room_of(self.look)

    def do(self, act: Act, learn: bool) -> str:
        """Acts, answers ambiguity, tries other wordings; the engine's last answer."""
        for text, names in wordings(act, self.seen, self.worked)[:ATTEMPTS]:
            saw = self.world.step(text)
            if saw.text.startswith(AMBIGUOUS):
                saw = self.world.step(choice(saw.text, act.args, self.seen))
            if not saw.text.startswith(UNREAD):
                self.worked |= {self.seen[i].name: name for i, name in zip(act.args, names, strict=True)}
                break
        self.replay.rows.append(noted((self.look, self.inventory), act, text, saw.text, saw.score, learn))
        self.replay.score, self.replay.done = float(saw.score or 0.0), saw.done
        self._view()
        return saw.text

    def wait(self, most: int, until: Callable[[], bool] = lambda: False) -> None:
        """So many waits at most, none where the episode is over."""
        for _ in range(most):
            if self.replay.done or until():
                break
            self.do(Act("wait1"), learn=True)

    def find(self, aim: Aim) -> tuple[int, ...] | None:
        """Where the things of an aim are in the present view; None where one is missing."""
        out = []
        for thing, holds in zip(aim.things, aim.holds, strict=True):
            best = max(range(len(self.seen)), key=lambda i: self._likeness(i, thing, holds), default=-1)
            if best < 0 or self._likeness(best, thing, holds) < 3.0:
                return None
            out.append(best)
        return tuple(out)

    def _likeness(self, index: int, thing: Thing, holds: tuple[str, ...]) -> float:
        other = self.seen[index]
        score = 4.0 if other.name == thing.name else 0.0
        if not score and (other.name.endswith(thing.name) or thing.name.endswith(other.name)):
            score = 3.0
        if not score and thing.name.split()[1:] and other.name.split()[1:] == thing.name.split()[1:]:
            score = 2.6  # solid and liquid of one substance
        if _stage(other) != _stage(thing):
            score -= 2.0
        score += 0.5 * (other.place == thing.place) + 0.3 * len(set(other.states) & set(thing.states))
        return score + 0.4 * (tuple(self.seen[i].name for i in other.holds) == holds)


def _stage(thing: Thing) -> str:
    return next((state for state in thing.states if state.startswith("stage ")), "")


def replay(world: World, aims: Sequence[Aim], noise: float, rng: random.Random, rooms: Sequence[str]) -> Replay:
    """Follows a plan by teleport and waits for what needs time; often astray at first, with `noise` now and then: those
    steps are not to be learned."""
    player = Player(world)
    if rng.random() < 0.7:
        for _ in range(rng.randint(1, 4)):
            _stray(player, rng, rooms, bold=False)

    for aim in aims:
        if player.replay.done:
            break
        while noise and rng.random() < noise:
            _stray(player, rng, rooms, bold=True)
        if not follow(player, aim):
            return player.replay
    player.wait(PATIENCE)
    return player.replay


def follow(player: Player, aim: Aim) -> bool:
    """One aim, after going to its room and waiting for its things; False where they never came.

    A run of waits that brought no state is left out: the next aim waits for its thing.
    """
    if aim.waits:
        player.wait(3 * aim.waits, lambda: len(aim.until & _states(player.seen)) * 2 >= len(aim.until))
        return True
    if aim.pattern not in ("wait", "wait1") and player.room != aim.room:
        player.do(Act(ROOMS, (), aim.room), learn=True)
    player.wait(PATIENCE, lambda: player.find(aim) is not None)
    args = player.find(aim)
    if args is None or (len(args) == 2 and args[0] == args[1]):
        player.replay.fault = f"not in view: {aim.pattern} {[t.name for t in aim.things]}"
        return False
    if aim.pattern == "open {}" and "open" in player.seen[args[0]].states:
        return True
    act = Act(aim.pattern, args)
    if not in_hand(act, player.seen) and idle(player.do(act, learn=True)):
        player.replay.rows[-1]["learn"] = False
    return True


def _stray(player: Player, rng: random.Random, rooms: Sequence[str], bold: bool) -> None:
    """One harmless step off the path: another room, an opened container, a moment's wait, a thing picked up."""
    closed = [i for i, t in enumerate(player.seen) if "closed" in t.states and not t.name.startswith("door")]
    dice = rng.random()
    if dice < 0.25 and closed:
        player.do(Act("open {}", (rng.choice(closed),)), learn=False)
    elif dice < 0.35 and bold:
        player.do(Act("wait1"), learn=False)
    elif dice < 0.45 and bold:
        loose = [i for i, t in enumerate(player.seen) if not t.held and t.holder >= 0 and not t.holds]
        if loose:
            player.do(Act("pick up {}", (rng.choice(loose),)), learn=False)
    else:
        player.do(Act(ROOMS, (), rng.choice([r for r in rooms if r != player.room])), learn=False)
