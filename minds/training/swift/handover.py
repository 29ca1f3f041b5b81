"""Learning from one's own play: the policy plays a while on a train variation, then the oracle's plan takes over.

What the policy did is learned from only where it solved the task by itself (expert iteration), and there only what it
meant to do; else how the oracle goes on from there is (DAgger). What it reached already is left out of the plan, and
what it left elsewhere is fetched.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from minds.policies.swift.play import CRITICAL, Play
from minds.policies.swift.wording import ROOMS, Act
from minds.training.swift.oracle import PATIENCE, Aim, Player, Replay, follow, idle
from tools.worlds.world import World

NEAR = 12
"""How many of the plan's next aims the policy may have reached before their turn."""
STRAY, FLAT = 0.08, 0.35
"""How often an act is drawn in place of the one that the policy would choose, and how far their chances are evened."""
MEANT = 0.2
"""How likely an own act must have been to be learned from,"""
QUIET = ("wait", "use", "read", "focus", "connect", "mix")
"""and which ones may be so though the view stayed as it was; others were in vain."""
ROUNDABOUT = 1.5, 5
"""How many steps for each of the plan's, and how many more, an own way may take to be learned from."""
STUCK = 40
"""Steps without a reward after which the plan takes over."""


class Seeker(Player):
    """Knows where it saw what."""

    def _view(self) -> None:
        super()._view()
        places = {thing.name: self.room for thing in self.seen if not thing.held}
        self.places = {**getattr(self, "places", {}), **places}

    def fetch(self, aim: Aim) -> None:
        """Brings the things of an aim that lie in another room than they should."""
        for thing in aim.things:
            place = self.places.get(thing.name, aim.room)
            if place == aim.room or any(other.name == thing.name and other.held for other in self.seen):
                continue
            if self.room != place:
                self.do(Act(ROOMS, (), place), learn=True)
            found = [i for i, other in enumerate(self.seen) if other.name == thing.name]
            if found and not self.replay.done:
                self.do(Act("pick up {}", (found[0],)), learn=True)


def handed_over(world: World, play: Play, aims: Sequence[Aim], steps: int, dice: random.Random) -> Replay:
    """The policy for so many steps, but no critical act that the plan does not have next; then the rest of the plan.
    Without a plan the policy plays to the end."""
    player, left, rewarded = Seeker(world), list(aims), 0
    for step in range(steps):
        if player.replay.done or (aims and (not left or step - rewarded > STUCK)):
            break
        act, chance = _drawn(play, player, dice)
        if aims and act.pattern == CRITICAL and not _is_next(act, player, left):
            break
        before, score, view = player.seen, player.replay.score, (player.look, player.inventory)
        said = player.do(act, learn=chance >= MEANT)
        if (player.look, player.inventory) == view and not act.pattern.startswith(QUIET) and not player.replay.done:
            player.replay.rows[-1]["learn"] = False
        rewarded = step if player.replay.score > score else rewarded
        play.told(said, player.replay.score)
        play.settle()
        if not idle(said) and not act.room:
            _strike(act.pattern, tuple(before[i].name for i in act.args), left)
    won, planned = player.replay.done or not aims, sum(max(aim.waits, 1) for aim in aims)
    if not won or (aims and len(player.replay.rows) > ROUNDABOUT[0] * planned + ROUNDABOUT[1]):
        for row in player.replay.rows:
            row["learn"] = False
    if not won:
        _finish(player, left)
    return player.replay


def _finish(player: Seeker, left: Sequence[Aim]) -> None:
    for aim in left:
        if player.replay.done:
            return
        player.fetch(aim)
        if not follow(player, aim):
            return
    player.wait(PATIENCE)


def _drawn(play: Play, player: Player, dice: random.Random) -> tuple[Act, float]:
    """What the policy does next, now and then another of its proposals, and how likely it was."""
    play.memory.see(player.look, player.inventory)
    proposals = play.propose()
    best = play.choose(proposals)
    if best.act.pattern != CRITICAL and dice.random() < STRAY:
        others = [p for p in proposals[:8] if p.act.pattern != CRITICAL]
        best = dice.choices(others, [p.chance**FLAT for p in others])[0] if others else best
    play.pending, play.names = best.act, tuple("" for _ in best.act.args)
    return best.act, best.chance


def _is_next(act: Act, player: Player, left: Sequence[Aim]) -> bool:
    name = player.seen[act.args[0]].name
    return next((aim.things[0].name == name for aim in left if aim.pattern == CRITICAL), False)


def _strike(pattern: str, names: tuple[str, ...], left: list[Aim]) -> None:
    """Takes the first aim that has been reached off the plan."""
    for aim in left[:NEAR]:
        if aim.pattern == pattern and tuple(thing.name for thing in aim.things) == names:
            left.remove(aim)
            return
