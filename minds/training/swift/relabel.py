"""Learning from one's own mistakes: the policy plays a while on a train variation, then the oracle's plan takes over.

What the policy did itself is not learned from; how the oracle goes on from there is. Aims the policy has reached
already are left out of the plan. Episodes that do not end with the full score are thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from minds.policies.swift.encoding import Lexicon
from minds.policies.swift.network import Network
from minds.policies.swift.play import Play, Rules
from minds.policies.swift.wording import Act
from minds.training.swift.oracle import Aim, Player, Replay, finish, idle
from tools.worlds.world import World

FOCUS = "focus on {}"


def relabelled(
    world: World,
    goal: str,
    aims: Sequence[Aim],
    network: Network,
    known: Lexicon,
    steps: int,
    dice: random.Random,
) -> Replay:
    """The policy for some steps (never a critical act the oracle would not do), then the rest of the plan."""
    player = Player(world)
    play = Play(network, known, goal, Rules())
    left = list(aims)
    for _ in range(steps):
        if player.replay.done or not left:
            break
        play.memory.see(player.look, player.inventory)
        best = sampled(play, dice)
        if best.pattern == FOCUS and not _is_next_focus(best, player, left):
            break
        said = player.do(best, learn=False)
        play.said, play.score, play.pending = said, player.replay.score, best
        play.names = tuple("" for _ in best.args)
        play.settle()
        _strike(best, player, left, said)
    return finish(player, left)


def sampled(play: Play, dice: random.Random) -> Act:
    """One act drawn from the proposals, likely ones more often than their share."""
    proposals = play.propose()[:8]
    weights = [p.chance**1.5 for p in proposals]
    return dice.choices(proposals, weights)[0].act


def _names(act: Act, player: Player) -> tuple[str, ...]:
    return tuple(player.before[i].name for i in act.args)


def _is_next_focus(act: Act, player: Player, left: Sequence[Aim]) -> bool:
    aim = next((a for a in left if a.pattern == FOCUS), None)
    return aim is not None and aim.things[0].name == player.seen[act.args[0]].name and left[0] is aim


def _strike(act: Act, player: Player, left: list[Aim], said: str) -> None:
    """Takes the first matching aim off the plan where the act succeeded."""
    if idle(said) or act.room:
        return
    names = _names(act, player)
    for index, aim in enumerate(left[:12]):
        if aim.pattern == act.pattern and tuple(t.name for t in aim.things) == names:
            del left[index]
            return
