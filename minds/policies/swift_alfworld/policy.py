"""The learned ALFWorld policy as others use it: load once, start an episode, ask for the next action.

It has two rules at inference: what was refused is not tried again before something has changed, and what was done
before in the very same state becomes less likely each time (TIRING). Everything else was learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from minds.policies.arrays import Floats
from minds.policies.swift_alfworld.features import encode, goal_words
from minds.policies.swift_alfworld.goals import Belief, Goal
from minds.policies.swift_alfworld.memory import Action, Memory
from minds.policies.swift_alfworld.network import Network, load
from minds.policies.trained import NoPolicy as NoPolicy

WEIGHTS = Path(__file__).parents[1] / "weights" / "swift_alfworld.safetensors"
TIRING, REFUSED = 2.0, 1e3
"""Taken off the log-probability of an action for each time that it was done, and of one that was refused."""


@dataclass
class Play:
    """One episode: `act` chooses, `told` takes in what was done (by whomever) and what the world said."""

    network: Network
    memory: Memory
    belief: Belief | None = None
    """What is to be done, where the goal was told in words that leave it open."""
    tried: Counter[tuple[object, str]] = field(default_factory=Counter)

    def act(self, admissible: Sequence[str] = ()) -> tuple[str, float]:
        """The next action and the confidence in it, 0 to 1: how likely a searching expert would find it good.

        `admissible` is what can be done now where the world tells; without it memory says what may be possible.
        """
        memory = self.memory
        acts = memory.sees(admissible) if admissible else tuple(map(memory.parse, memory.possible()))
        if self.belief:
            self.pursue(self.belief.likeliest(memory))
        return self._best(acts, *self._scores(acts))

    def _scores(self, acts: Sequence[Action]) -> tuple[Floats, Floats]:
        return self.network.scores(encode(self.memory, acts))

    def pursue(self, goal: Goal) -> None:
        """From here on this is to be done; what was put down for another goal is a thing like others."""
        if goal.words != self.memory.goal:
            self.memory.goal, self.memory.put = goal.words, goal.left(self.memory)

    def told(self, action: str, said: str) -> None:
        """The last action and the world's answer."""
        self.tried[self._state(), action] += 1
        self.memory.did(action, said)

    def _best(self, acts: Sequence[Action], scores: np.ndarray, trust: np.ndarray) -> tuple[str, float]:
        now, memory = self._state(), self.memory
        worth = scores - TIRING * np.array([self.tried[now, act.text] for act in acts], np.float32)
        worth = worth - REFUSED * np.array([act.text in memory.futile for act in acts], np.float32)
        best = int(worth.argmax())
        return acts[best].text, float(trust[best])

    def _state(self) -> tuple[object, ...]:
        return (*self.memory.state(), sum(place.looked for place in self.memory.places.values()))


@dataclass
class SwiftAlfworld:
    """The trained policy; episodes share nothing but its weights."""

    network: Network
    play: Callable[..., Play] = Play

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> SwiftAlfworld:
        """Raises NoPolicy."""
        try:
            return cls(load(path))
        except FileNotFoundError as fault:
            wanted = "python main.py train swift --world alfworld"
            raise NoPolicy(f"There is no trained policy for ALFWorld at {path.name}; train one: {wanted}") from fault

    def start(self, goal: str, opening: str, goals: Mapping[Goal, float] | None = None) -> Play:
        """A new episode, from the goal in the engine's words and the opening text.

        `goals`, each with its odds, take the place of `goal` where a person told the task. Raises NoPolicy.
        """
        if not (goals or goal_words(goal)):
            raise NoPolicy("The policy of households reads English, and this goal has no word of it: choose react.")
        memory = Memory("" if goals else goal)
        memory.begin(opening)
        return self.play(self.network, memory, Belief(goals, memory) if goals else None)
