"""Demonstrations of searching, built from oracle paths: the oracle knows where everything is, a policy does not.

The goal of an episode is changed to ask for a thing that lies elsewhere; the demonstration goes through rooms in
random order, opens what is closed, and when it first sees that thing it goes on as the oracle did with its own. The
critical act (`focus on`) is written down but not sent to the engine, which still judges by the old goal.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from minds.policies.swift.mentions import Text
from minds.policies.swift.play import CRITICAL
from minds.policies.swift.reading import Thing
from minds.policies.swift.wording import ROOMS, Act, references, words
from minds.training.swift.oracle import Aim, Player, Replay, follow, idle, noted
from tools.worlds.world import World

PURSUED = 8
"""How many of the oracle's steps with the thing are followed once it is found."""
FIXED = ("agent", "air", "ground", "picture", "painting", "drawing")


def target(goal: str, aims: Sequence[Aim]) -> int:
    """The index of the first aim that focuses on a thing the goal names in full, with no device used before; or -1."""
    text = Text(goal, "goal")
    for index, aim in enumerate(aims):
        if aim.pattern.startswith(("activate", "connect", "use")):
            return -1
        if aim.pattern == CRITICAL:
            return index if text.mention(aim.things[0].name)[0] == "full" else -1
    return -1


def search(
    world: World, goal: str, aims: Sequence[Aim], rng: random.Random, rooms: Sequence[str]
) -> tuple[str, Replay]:
    """The changed goal and the demonstration; its fault is set where none could be made."""
    at = target(goal, aims)
    player = Player(world)
    sought = aims[at].things[0].name
    first = next(i for i, aim in enumerate(aims) if any(t.name == sought for t in aim.things))
    opened = rng.random() < 0.3
    for aim in aims[:first]:
        if aim.pattern == "open {}" and aim.things[0].name != "cupboard" and not opened:
            continue
        if not follow(player, aim):
            return goal, player.replay
    found = _wander(player, rng, rooms)
    if found is None:
        player.replay.fault = "nothing new to look for"
        return goal, player.replay
    name = player.seen[found].name
    act, text = Act(CRITICAL, (found,)), f"focus on {references(found, player.seen)[0]}"
    view, said = (player.look, player.inventory), f"You focus on the {name}."
    player.replay.rows.append(noted(view, act, text, said, player.replay.score))
    _pursue(player, found, aims[at + 1 :], sought)
    return re.sub(rf"\b{re.escape(sought)}\b", name, goal), player.replay


def _wander(player: Player, rng: random.Random, rooms: Sequence[str]) -> int | None:
    """Goes on until it has chosen a thing it had not seen before; its index."""
    known = {t.name for t in player.seen}
    order = [r for r in rooms if r != player.room]
    rng.shuffle(order)
    until = rng.randint(0, 6)
    for number, room in enumerate([player.room, *order]):
        if room != player.room:
            player.do(Act(ROOMS, (), room), learn=True)
        for _ in range(6):
            fresh = [i for i, t in enumerate(player.seen) if t.name not in known and _may_be_sought(t)]
            if fresh and number >= until:
                return rng.choice(fresh)
            known |= {t.name for t in player.seen}
            closed = [i for i, t in enumerate(player.seen) if "closed" in t.states and not t.name.startswith("door")]
            if not closed or rng.random() < 0.25:
                break
            if idle(player.do(Act("open {}", (rng.choice(closed),)), learn=True)):
                player.replay.rows[-1]["learn"] = False
                break
    return None


def _may_be_sought(thing: Thing) -> bool:
    return not thing.held and not thing.holds and thing.name not in FIXED and not {"closed", "open"} & set(thing.states)


def _pursue(player: Player, found: int, aims: Sequence[Aim], sought: str) -> None:
    """What the oracle did with its thing, done with this one, as far as the engine allows."""
    thing, room = player.seen[found], player.room
    holder = player.seen[thing.holder] if thing.holder >= 0 else None
    poured = (
        holder is not None and words(holder.name)[-1] in ("cup", "jug", "bowl", "jar", "pot") and len(holder.holds) == 1
    )
    brought = False
    if poured != any(aim.pattern.startswith("pour") for aim in aims[:PURSUED]):
        return  # a liquid is not handled as a solid is
    for aim in aims[:PURSUED]:
        things = tuple(thing if t.name == sought else t for t in aim.things)
        if not brought and aim.pattern in ("move {} to {}", "pour {} into {}") and aim.things[1].held:
            pattern = "pour {} into {}" if poured else "move {} to {}"
            aim = Aim(pattern, room, (holder if poured and holder else thing, aim.things[1]), ((), ()))
            brought = True
        else:
            aim = replace(aim, things=tuple(replace(t, place="") if t is thing else t for t in things))
        before = len(player.replay.rows)
        if player.replay.done or not follow(player, aim) or not player.replay.rows[-1]["learn"]:
            del player.replay.rows[before:]
            return
