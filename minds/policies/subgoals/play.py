"""The two-level policy at play (sub-goal distillation, 3.3): a generator of sub-goals, and one of actions for them.

At every step the sub-goal generator says anew what to reach next, so that a sub-goal that turned out wrong is left;
the action generator chooses for it. Where the next sub-goal is not clear, acts are weighed over several of them, and a
`focus on` is done only for a sub-goal that is one. Everything else (wording, memory, the other rules) is Swift's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from minds.policies.subgoals.segment import ASKED, Progress, Subgoal, overall, part, towards
from minds.policies.swift.features import State
from minds.policies.swift.network import Network, load, together
from minds.policies.swift.play import CRITICAL, Play, Proposal, Rules, beam
from minds.policies.swift.policy import ALL_RULES, WEIGHTS, NoPolicy
from minds.policies.swift.walking import Doors, Walk
from minds.policies.swift.walking import load as known_doors
from minds.policies.swift.wording import Act

AIMS, DEEDS = "subgoals_{world}_aims.safetensors", "subgoals_{world}_deeds.safetensors"
"""Files of the sub-goal generator and of the action generator."""
N = TypeVar("N")
NONE = Subgoal("")
WEIGHED, LIKELY = 3, 0.05
"""How many sub-goals are weighed at most, and how likely the others than the first must be."""


def both(world: str, folder: Path, read: Callable[[Path], N]) -> tuple[N, N]:
    """The networks of a world's two generators: of sub-goals, and of actions. Raises NoPolicy."""
    try:
        aims, deeds = (read(folder / name.format(world=world)) for name in (AIMS, DEEDS))
    except FileNotFoundError as fault:
        known = world in ("scienceworld", "alfworld")
        mend = f"see `main.py train subgoals --world {world} -h`" if known else "choose another strategy, such as react"
        raise NoPolicy(f"There is no policy with sub-goals for `{world}`: {mend}.") from fault
    return aims, deeds


def likely(planner: Network, now: State) -> list[tuple[Subgoal, float]]:
    """Sub-goals with their probabilities, the likeliest first."""
    chances = np.exp(together(planner.patterns(planner.tokens(now))))
    return [(Subgoal.of(planner.known.patterns[i]), float(chances[i])) for i in np.argsort(-chances)]


@dataclass
class SubgoalPlay(Play):
    """One episode: Swift's, but that an action is proposed for the sub-goal that seems next."""

    planner: Network | None = None
    progress: Progress = field(default_factory=Progress)
    current: Subgoal = NONE
    serves: dict[Act, list[tuple[float, Subgoal]]] = field(default_factory=dict)
    """Of every proposed act: the sub-goals it would serve, and how likely with each."""
    reached: str = ""
    """The sub-goal, in words, that the last step reached."""

    def propose(self) -> list[Proposal]:
        """Acts for the sub-goals that seem next, the likeliest first: sums over sub-goals of both probabilities."""
        chances: Counter[Act] = Counter()
        self.serves = {}
        for current, hope in self._next():
            seen = towards(self._overall(), self.memory, current)
            for act, chance in beam(self.network, seen):
                if act.pattern != CRITICAL or current.pattern == CRITICAL:
                    chances[act] += hope * chance  # type: ignore[assignment]
                    self.serves.setdefault(act, []).append((hope * chance, current))
        return [Proposal(act, float(chance)) for act, chance in chances.most_common()]

    def _next(self) -> list[tuple[Subgoal, float]]:
        """The sub-goals that are weighed, with shares that sum to 1."""
        assert self.planner is not None
        first, *others = likely(self.planner, self._overall())
        wide = [pair for pair in others[: WEIGHED - 1] if pair[1] >= LIKELY]
        total = sum(hope for _, hope in (first, *wide))
        return [(one, hope / total) for one, hope in (first, *wide)]

    def _overall(self) -> State:
        return overall(self.memory, self.progress, self.network.known.rooms)

    def choose(self, proposals: list[Proposal]) -> Proposal:
        """The best act; the sub-goal it serves most becomes the current one."""
        best = super().choose(proposals)
        self.current = max(self.serves[best.act], key=lambda pair: pair[0])[1]
        return best

    def remember(self, act: Act, said: str, score: float) -> None:
        done = self.progress.took(act, said, score, self.memory, self.current.name)
        names = (act.room,) if act.room else tuple(self.memory.seen[i].name for i in act.args)
        self.reached = act.pattern.format(*names) if done else ""
        super().remember(act, said, score)

    def worded(self) -> str:
        """The sub-goal in words: `focus on gallium`, or `focus on what is asked for` where that was not seen yet."""
        names = [thing.name for thing in self.memory.seen] + list(self.memory.places) + list(self.network.known.rooms)
        return self.current.pattern.format(*(self._called(one, names) for one in self.current.parts))

    def _called(self, one: str, names: Sequence[str]) -> str:
        if not one.startswith(ASKED):
            return one
        return next((name for name in names if part(name, self.memory.goal) == one), "what is asked for")


@dataclass(frozen=True)
class SubgoalPolicy:
    """Both generators; episodes share nothing but their weights."""

    planner: Network
    actor: Network
    rules: Rules = ALL_RULES
    doors: Doors = field(default_factory=dict)

    @classmethod
    def load(cls, world: str = "scienceworld", folder: Path = WEIGHTS, rules: Rules = ALL_RULES) -> SubgoalPolicy:
        """The trained policy of a world. Raises NoPolicy."""
        return cls(*both(world, folder, load), rules, known_doors(world, folder, WEIGHTS))

    def start(self, goal: str, teleports: bool = True) -> SubgoalPlay:
        """A new episode, like SwiftPolicy's."""
        walk = None if teleports else Walk(self.doors)
        return SubgoalPlay(self.actor, goal, self.rules, walk=walk, planner=self.planner)
