"""What a run will ask of models, told before it asks: about how many calls, and how many tokens they read and write.

Rules of thumb, from runs of our suites: half of the turns call the slow mind, which takes three steps; a call reads and
writes 2,500 tokens in all, the policy of a desk and the tools among them. A provider's cache may make it cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence

from chat.evaluation.calibration import VARIANTS
from chat.evaluation.record import Key
from chat.evaluation.run import Plan

SLOW_SHARE, STEPS, TOKENS, PERSON_TOKENS = {"fast": 0.0, "both": 0.5, "slow": 1.0}, 3, 2_500, 1_000
"""Of a system's turns; of a slow run; of a call; and of a simulated person's, who reads only what was said."""


def expected(plan: Plan, missing: Sequence[Key], hand_graded: int = 0) -> list[str]:
    """A sentence for each model and use, for the dialogues that are `missing`.

    `hand_graded`: turns that the judge is held against.
    """
    shares = {system.name: SLOW_SHARE[system.minds] for system in plan.systems}
    goals = {script.id: [turn.goal for turn in script.turns] for script in plan.scripts}
    fast = slow = person = 0.0
    for key in missing:
        turns = sum(goal.most if goal else 1 for goal in goals[key.script])
        share = shares[key.system]
        slow += turns * share * STEPS
        fast += turns * (1 + share) if share < 1 else 0  # heard, and what the slow mind found is worded
        person += sum(goal.most for goal in goals[key.script] if goal)
    options, judged = plan.settings.options, sum(metric.by != "program" for metric in plan.rubric.metrics)
    calls = [
        ("The fast mind", options.fast_model, round(fast), TOKENS),
        ("The slow mind", options.slow_model, round(slow), TOKENS),
        ("Simulated people", plan.person, round(person), PERSON_TOKENS),
        ("The judge", plan.judge, len(missing) * judged, TOKENS),
        ("The judge on what people graded", plan.judge, hand_graded * len(VARIANTS), TOKENS),
    ]
    return [_sentence(*each) for each in calls if each[1] and each[2]]


def _sentence(doing: str, spec: str, calls: int, tokens: int) -> str:
    """`tokens`: of each call."""
    whole = calls * tokens
    said = f"{whole / 1e6:.1f} million" if whole >= 950_000 else f"{max(1, round(whole / 1000))} thousand"
    return f"{doing}: about {calls:,} calls of {spec}, {said} tokens."
