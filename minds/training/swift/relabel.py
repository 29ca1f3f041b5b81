"""Learning from one's own mistakes: the policy plays a while on a train variation, then the oracle's plan takes over.

What the policy did itself is not learned from; how the oracle goes on from there is. Aims the policy has reached
already are left out of the plan. Episodes that do not end with the full score are thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from minds.policies.swift.play import CRITICAL, Play
from minds.policies.swift.policy import SwiftPolicy
from minds.policies.swift.wording import Act
from minds.training.swift.oracle import Aim, Player, Replay, finish, idle
from tools.worlds.world import World

NEAR = 12
"""How many of the plan's next aims the policy may have reached before their turn."""


def relabelled(
    world: World, policy: SwiftPolicy, goal: str, aims: Sequence[Aim], steps: int, dice: random.Random
) -> Replay:
    """The policy for some steps (never a critical act the oracle would not do), then the rest of the plan."""
    player, play, left = Player(world), policy.start(goal), list(aims)
    for _ in range(steps):
        if player.replay.done or not left:
            break
        play.memory.see(player.look, player.inventory)
        best = sampled(play, dice)
        if best.pattern == CRITICAL and not _is_next_focus(best, player, left):
            break
        said = player.do(best, learn=False)
        play.pending, play.names = best, tuple("" for _ in best.args)
        play.told(said, player.replay.score)
        play.settle()
        _strike(best, player, left, said)
    return finish(player, left)


def sampled(play: Play, dice: random.Random) -> Act:
    """One act drawn from the proposals, likely ones more often than their share."""
    proposals = play.propose()[:8]
    return dice.choices(proposals, [p.chance**1.5 for p in proposals])[0].act


def _is_next_focus(act: Act, player: Player, left: Sequence[Aim]) -> bool:
    return left[0].pattern == CRITICAL and left[0].things[0].name == player.seen[act.args[0]].name


def _strike(act: Act, player: Player, left: list[Aim], said: str) -> None:
    """Takes the first matching aim off the plan where the act succeeded."""
    if idle(said) or act.room:
        return
    names = tuple(player.before[i].name for i in act.args)
    for aim in left[:NEAR]:
        if aim.pattern == act.pattern and tuple(t.name for t in aim.things) == names:
            left.remove(aim)
            return
