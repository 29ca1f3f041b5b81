"""The two-level policy at play (sub-goal distillation, 3.3): a generator of sub-goals, and one of actions for them.

At every step the sub-goal generator says anew what to reach next, so that a sub-goal that turned out wrong is left;
the action generator chooses for it. Everything else (wording, rules, memory) is Swift's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from minds.policies.subgoals.segment import ASKED, Progress, Subgoal, part
from minds.policies.subgoals.views import overall, towards
from minds.policies.swift.dataset import Lexicon, encode
from minds.policies.swift.features import State
from minds.policies.swift.network import Network, load
from minds.policies.swift.play import Play, Proposal, Rules, beam
from minds.policies.swift.policy import ALL_RULES, WEIGHTS, NoPolicy
from minds.policies.swift.wording import Act

AIMS, DEEDS = "subgoals_{world}_aims.safetensors", "subgoals_{world}_deeds.safetensors"
"""Files of the sub-goal generator and of the action generator."""
NONE = Subgoal("")


@dataclass(frozen=True)
class Mind:
    """One of the two networks, and what it knows by number."""

    network: Network
    known: Lexicon

    @classmethod
    def load(cls, path: Path) -> Mind:
        """Raises FileNotFoundError."""
        return cls(*load(path))

    def likely(self, now: State) -> list[tuple[Subgoal, float]]:
        """Sub-goals with their probabilities, the likeliest first."""
        ids, token, _ = encode(now, self.known)
        tokens = self.network.tokens(ids.astype(np.int64), token.astype(np.int64), len(now.tokens))
        chances = np.exp(self.network.patterns(tokens))
        return [(Subgoal.of(self.known.patterns[i]), float(chances[i])) for i in np.argsort(-chances)]


@dataclass
class SubgoalPlay(Play):
    """One episode: Swift's, but that an action is proposed for the sub-goal that seems next."""

    planner: Mind | None = None
    progress: Progress = field(default_factory=Progress)
    current: Subgoal = NONE
    reached: str = ""
    """The sub-goal, in words, that the last step reached."""

    def propose(self) -> list[Proposal]:
        """Acts for the sub-goal, the likeliest first."""
        assert self.planner is not None
        now = overall(self.memory, self.progress, self.known.rooms)
        self.current = self.planner.likely(now)[0][0]
        seen = towards(now, self.memory, self.current)
        chances = Counter(dict(beam(self.networks[0], seen, self.known)))
        return [Proposal(act, chance) for act, chance in chances.most_common()]

    def remember(self, act: Act, said: str, score: float) -> None:
        done = self.progress.took(act, said, score, self.memory, self.current.name)
        names = (act.room,) if act.room else tuple(self.memory.seen[i].name for i in act.args)
        self.reached = act.pattern.format(*names) if done else ""
        super().remember(act, said, score)

    def worded(self) -> str:
        """The sub-goal in words: `focus on gallium`, or `focus on what is asked for` where that was not seen yet."""
        names = [thing.name for thing in self.memory.seen] + list(self.memory.places) + list(self.known.rooms)
        return self.current.pattern.format(*(self._called(one, names) for one in self.current.parts))

    def _called(self, one: str, names: Sequence[str]) -> str:
        if not one.startswith(ASKED):
            return one
        return next((name for name in names if part(name, self.memory.goal) == one), "what is asked for")


@dataclass(frozen=True)
class SubgoalPolicy:
    """Both generators; episodes share nothing but their weights."""

    planner: Mind
    actor: Mind
    rules: Rules = ALL_RULES

    @classmethod
    def load(cls, world: str = "scienceworld", folder: Path = WEIGHTS, rules: Rules = ALL_RULES) -> SubgoalPolicy:
        """The trained policy of a world. Raises NoPolicy."""
        try:
            aims, deeds = (Mind.load(folder / name.format(world=world)) for name in (AIMS, DEEDS))
        except FileNotFoundError as fault:
            says = f"There is no policy with sub-goals for `{world}`"
            raise NoPolicy(f"{says}; ScienceWorld's is trained by: python main.py train subgoals") from fault
        return cls(aims, deeds, rules)

    def start(self, goal: str) -> SubgoalPlay:
        """A new episode: ask it with `act(look, inventory)`, tell it with `told(said, score)`."""
        return SubgoalPlay((self.actor.network,), self.actor.known, goal, self.rules, planner=self.planner)
