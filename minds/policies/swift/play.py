"""Swift at play: remembers the episode, proposes acts with calibrated probabilities, words them for the engine.

Its rules at inference are the fields of `Rules`: all general, each with a switch.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from minds.policies.swift.features import State, state
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.network import Floats, Network, together
from minds.policies.swift.walking import ARRIVED, Walk
from minds.policies.swift.wording import AMBIGUOUS, ROOMS, Act, choice, failed, in_place, wordings
from minds.policies.trained import rule

CRITICAL = "focus on {}"
UNLIKELY = -5.0
"""Log-probability below which second pointers are not worked out."""
WIDE = 6
"""How many patterns, and pointers for each, are considered."""


@dataclass(frozen=True)
class Rules:
    """All rules at inference; a new one is a field here (minds/policies/trained.py)."""

    answered: bool = rule(True, "An ambiguous request is answered with the option nearest to what was meant, not by 0.")
    elsewhere: bool = rule(True, "Nobody goes where they are, and nothing is put where it is.")
    tiring: float = rule(0.7, "What was done in this very view without a reward becomes less likely each time.")
    roaming: float = rule(0.7, "A room gone to before without a reward since becomes less likely each time.")
    guard: float = rule(0.5, "A `focus on` is done where that is likelier than not; trying in vain lowers the bar.")
    kind_first: bool = rule(True, "First the likeliest kind of act, then the likeliest of it: many rooms share a kind.")


@dataclass(frozen=True)
class Proposal:
    """An act and how likely the demonstrator would do it now."""

    act: Act
    chance: float


Trust = Callable[[Proposal, Sequence[Proposal]], float]


def said_chance(best: Proposal, proposals: Sequence[Proposal]) -> float:
    """The network's own probability, as it is."""
    return best.chance


@dataclass
class Play:
    """One episode. `propose` reads the view, `act` words the best act, `told` takes in the answer."""

    network: Network
    goal: str
    rules: Rules = field(default_factory=Rules)
    trust: Trust = said_chance
    """How likely a chosen act is right (minds/policies/swift/confidence.py)."""
    pending: Act | None = None
    said: str = ""
    asked: str = ""
    """Somebody else's action of which the world asks what it meant."""
    walk: Walk | None = None
    """Where there is no teleport: how rooms are reached."""
    lost: frozenset[tuple[str, str]] = frozenset()
    """Actions that ended the task unsolved in a view, and were taken back: they are not done there again."""

    def __post_init__(self) -> None:
        self.memory = Memory(Text(self.goal, "goal"))
        self.tried: Counter[tuple[str, Act]] = Counter()
        self.gone: Counter[str] = Counter()
        self.worked: dict[str, str] = {}

    def act(self, look: str, inventory: str) -> tuple[str, float]:
        """The next action in the engine's words, and the confidence in it (0 to 1)."""
        if self.pending and self.said.startswith(AMBIGUOUS):
            meant = choice(self.said, self.pending.args, self.memory.seen)
            return meant if self.rules.answered else "0", 1.0
        if step := self._walked(look, inventory):
            return step, 1.0
        if self.pending:
            self.settle()
        self.memory.see(look, inventory)
        proposals = self.propose()
        best = self.choose(proposals)
        self.pending = best.act
        if step := self._hop(""):
            return step, self.trust(best, proposals)
        text, self.names = wordings(best.act, self.memory.seen, self.worked)[0]
        return text, self.trust(best, proposals)

    def told(self, said: str, score: float) -> None:
        """The world's answer to the last action and the score after it."""
        self.said, self.score = said, score

    def _walked(self, look: str, inventory: str) -> str:
        """The next step of a walk that is not at its end."""
        if self.walk is None or not (self.pending and self.pending.room):
            return ""
        self.memory.see(look, inventory)
        step = self._hop(self.said)
        if not step and self.memory.room == self.pending.room:
            self.said = ARRIVED.format(self.pending.room)
        return step

    def _hop(self, said: str) -> str:
        if self.walk is None or not (self.pending and self.pending.room):
            return ""
        return self.walk.step(self.memory.room, self.memory.seen, self.pending.room, said)

    def settle(self) -> None:
        """Takes the pending act and its answer into memory."""
        assert self.pending is not None
        if not failed(self.said) and self.pending.args:
            self.worked |= {self.memory.seen[i].name: n for i, n in zip(self.pending.args, self.names, strict=True)}
        self.tried[self._view(), self.pending] += 1
        self.gone[self.pending.room] += 1
        if self.score > self.memory.score:
            self.tried.clear()
            self.gone.clear()
        self.remember(self.pending, self.said, self.score)
        self.pending = None

    def remember(self, act: Act, said: str, score: float) -> None:
        """Takes an act (in terms of the view last seen), whoever did it, and its answer into memory."""
        self.memory.did(act, said, score)

    def _view(self) -> str:
        return self.memory.look + self.memory.inventory

    def propose(self) -> list[Proposal]:
        """Likely acts, the likeliest first."""
        now = state(self.memory, self.network.known.rooms)
        return sorted((Proposal(*pair) for pair in beam(self.network, now)), key=lambda p: -p.chance)

    def choose(self, proposals: list[Proposal]) -> Proposal:
        """The best proposal that the rules allow; the very best where they allow none."""
        view = self._view()
        open_ = [p for p in proposals if self._sensible(p.act)]
        if not open_:
            return proposals[0]
        best = self._best(view, open_)
        others = [p for p in open_ if p.act.pattern != CRITICAL]
        if best.act.pattern == CRITICAL and others and self._critical(view, proposals) < self.rules.guard:
            return self._best(view, others)
        return best

    def _critical(self, view: str, proposals: list[Proposal]) -> float:
        """How likely a critical act is due; what is tried in vain in this view adds to it."""
        tries = sum(count for (where, _), count in self.tried.items() if where == view)
        return sum(p.chance for p in proposals if p.act.pattern == CRITICAL) * (1 + tries / 5)

    def _best(self, view: str, open_: list[Proposal]) -> Proposal:
        weights = {p: p.chance * math.exp(-self._weary(view, p.act)) for p in open_}
        if self.rules.kind_first:
            kinds: dict[str, float] = defaultdict(float)
            for proposal, weight in weights.items():
                kinds[proposal.act.pattern] += weight
            kind = max(kinds, key=kinds.__getitem__)
            weights = {p: weight for p, weight in weights.items() if p.act.pattern == kind}
        return max(weights, key=weights.__getitem__)

    def _sensible(self, act: Act) -> bool:
        if self.lost and (self._view(), wordings(act, self.memory.seen, self.worked)[0][0]) in self.lost:
            return False
        here = act.room == self.memory.room if act.room else in_place(act, self.memory.seen)
        return not (self.rules.elsewhere and here)

    def _weary(self, view: str, act: Act) -> float:
        times = max(0, self.tried[view, act] - (3 if act.pattern.startswith("wait") else 1))
        return self.rules.tiring * times + self.rules.roaming * (self.gone[act.room] if act.room else 0)


def beam(network: Network, now: State) -> list[tuple[Act, float]]:
    """The likeliest patterns with their likeliest pointers, and the product of their probabilities."""
    tokens = network.tokens(now)
    every = network.patterns(tokens)
    chances = together(every)
    out: list[tuple[Act, float]] = []
    for pattern in _top(chances):
        name, chance = network.known.patterns[pattern], float(chances[pattern])
        slots = name.count("{}")
        if not slots:
            out.append((Act(name), math.exp(chance)))
            continue
        pairs = every[:, [pattern]] + network.first(tokens, pattern)
        firsts = together(pairs)
        for first in _top(firsts):
            here = float(firsts[first])
            if slots == 1:
                out += [(act, math.exp(here)) for act in _pointed(name, first, now)]
            elif here > UNLIKELY and first <= now.things:
                seconds = together(pairs[:, [first]] + network.second(tokens, pattern, first))
                for second in _top(seconds):
                    if second <= now.things:
                        act = Act(name, (first - 1, second - 1))
                        out.append((act, math.exp(float(seconds[second]))))
    return out


def _top(chances: Floats) -> list[int]:
    return [int(i) for i in np.argsort(-chances)[:WIDE]]


def _pointed(pattern: str, first: int, now: State) -> list[Act]:
    if pattern == ROOMS:
        return [Act(pattern, (), now.rooms[first - 1 - now.things])] if first > now.things else []
    return [Act(pattern, (first - 1,))] if first <= now.things else []
