"""The learned policy as others use it: load once, start an episode, ask for the next action.

`SwiftPolicy.load().start(goal)` gives an episode that lives beside a world; `witness` takes in what others did there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from minds.policies.swift.confidence import Confidence
from minds.policies.swift.network import Network, load
from minds.policies.swift.play import Play, Rules, Trust, said_chance
from minds.policies.swift.walking import Doors, Walk
from minds.policies.swift.walking import load as known_doors
from minds.policies.swift.wording import AMBIGUOUS, ROOMS, Act, parse
from minds.policies.trained import NoPolicy as NoPolicy

WEIGHTS = Path(__file__).parents[1] / "weights"
NAME = "swift_{world}.safetensors"
ALL_RULES = Rules()
WALK = ("teleport to ", "go to ")


@dataclass(frozen=True)
class SwiftPolicy:
    """One or more networks, run as one: their probabilities are averaged."""

    network: Network
    rules: Rules = ALL_RULES
    trust: Trust = said_chance
    doors: Doors = field(default_factory=dict)
    """The map, for worlds without teleport."""

    @classmethod
    def load(cls, world: str = "scienceworld", folder: Path = WEIGHTS, rules: Rules = ALL_RULES) -> SwiftPolicy:
        """The trained policy of a world. Raises NoPolicy."""
        file = folder / NAME.format(world=world)
        if not file.exists():
            known = world == "scienceworld"
            mend = "see `main.py train swift -h`" if known else "choose another strategy, such as react"
            raise NoPolicy(f"There is no trained policy for `{world}`: {mend}.")
        return cls(load(file), rules, Confidence.load(world, folder).of, known_doors(world, folder, WEIGHTS))

    def start(self, goal: str, teleports: bool = True, lost: frozenset[tuple[str, str]] = frozenset()) -> Play:
        """A new episode: ask it with `act(look, inventory)`, tell it with `told(said, score)`.

        `teleports`: whether the world has that action; where it has not, the policy walks. `lost`: as of Play.
        """
        walk = None if teleports else Walk(self.doors)
        return Play(self.network, goal, self.rules, self.trust, walk=walk, lost=lost)


def witness(play: Play, look: str, inventory: str, action: str, said: str, score: float) -> None:
    """Takes in what somebody else did, with the view before it and what the world said and scored; an action that
    cannot be understood only passes the time. One that the world asked about is one step with its answer, as it was in
    training."""
    play.pending, asked, play.asked = None, play.asked, ""
    play.memory.see(look, inventory)
    if said.startswith(AMBIGUOUS):
        play.asked = action
        return
    action = asked if asked and action.isdigit() else action
    play.remember(_understood(play, action, said) or Act("wait1"), said, score)


def _understood(play: Play, action: str, said: str) -> Act | None:
    """What an action string means in the policy's own terms."""
    for walk in WALK:
        room = action.removeprefix(walk)
        if room != action and room in play.network.known.rooms:
            return Act(ROOMS, (), room)
    return parse(action, play.memory.seen, said)
