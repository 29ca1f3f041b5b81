"""What a run will ask of models, told before it asks: about how many calls, and how many tokens they read and write.

Rules of thumb, from runs of our suites: half of the turns call the slow mind, which takes three steps; a call reads and
writes 2,500 tokens in all, the policy of a desk and the tools among them. A provider's cache may make it cheaper.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from chat.evaluation.calibration import VARIANTS, graded_by_hand, read_graded
from chat.evaluation.run import Plan
from chat.evaluation.scripts import Script

SLOW_SHARE, STEPS, TOKENS = 0.5, 3, 2_500
PERSON_TOKENS = 1_000
"""A simulated person reads only what was said."""


@dataclass(frozen=True)
class Expected:
    """One kind of calls to one model."""

    doing: str
    spec: str
    calls: int
    tokens: int

    def __str__(self) -> str:
        return f"{self.doing}: about {self.calls:,} calls of {self.spec}, {_rounded(self.tokens)} tokens."


def expected(plan: Plan, done: Container[str], hand_graded: int = 0) -> list[Expected]:
    """By model and use, for the dialogues that are not `done`; `hand_graded`: turns that the judge is held against."""
    systems = {system.name: system for system in plan.systems}
    scripts = {script.id: script for script in plan.scripts}
    missing = [key for key in plan.wanted() if str(key) not in done]
    fast = slow = person = 0.0
    for key in missing:
        turns, minds = _turns(scripts[key.script]), systems[key.system].minds
        share = {"fast": 0.0, "both": SLOW_SHARE, "slow": 1.0}[minds]
        slow += turns * share * STEPS
        fast += 0 if minds == "slow" else turns * (1 + share)  # heard, and what the slow mind found is worded
        person += sum(turn.goal.most for turn in scripts[key.script].turns if turn.goal)
    options = plan.settings.options
    judged = len(missing) * sum(metric.by != "program" for metric in plan.rubric.metrics)
    found = [
        _expected("The fast mind", options.fast_model, fast),
        _expected("The slow mind", options.slow_model, slow),
        _expected("Simulated people", plan.person, person, PERSON_TOKENS),
        _expected("The judge", plan.judge, judged),
        _expected("The judge on what people graded", plan.judge, hand_graded * len(VARIANTS)),
    ]
    return [each for each in found if each.calls and each.spec]


def graded_turns(plan: Plan, bases: Path) -> int:
    """How many grades of people the judge can be held against, at most. Raises ChatFault."""
    graded = graded_by_hand(plan.suite, bases)
    judged = {metric.name for metric in plan.rubric.metrics if metric.by != "program"}
    return sum(grade.metric in judged for grade in read_graded(graded.file)[0]) if graded else 0


def _turns(script: Script) -> int:
    return sum(turn.goal.most if turn.goal else 1 for turn in script.turns)


def _expected(doing: str, spec: str, calls: float, tokens: int = TOKENS) -> Expected:
    return Expected(doing, spec, round(calls), round(calls) * tokens)


def _rounded(tokens: int) -> str:
    return f"{tokens / 1e6:.1f} million" if tokens >= 950_000 else f"{max(1, round(tokens / 1000))} thousand"
