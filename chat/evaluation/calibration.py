"""How far the grades can be trusted: agreement with people, and how far the order of the scores moves the judge.

hand_graded/ has the dialogues and people's grades of them, as a run's folder has. What a judge gives to them is kept
for later runs, in a folder of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from chat.evaluation import statistics as stats
from chat.evaluation.folder import RunFolder, save_json
from chat.evaluation.grading import Grading, by_judge, for_judge
from chat.evaluation.judge import Judge
from chat.evaluation.record import At, Grade, graded, latest, played
from chat.evaluation.rubric import Rubric

HERE = Path(__file__).parent
HAND = RunFolder(HERE / "hand_graded", {})
GRADED_SUITE, RUBRIC = HERE / "suites" / "housing_dev", "duma"
"""What they are of. They say as much of every suite with the same rubric."""
PROMPTS = HERE.parents[1] / "prompts" / "judge"
Pairs = Sequence[tuple[Grade, Grade | None]]
"""People's grades, each with ours where there is one."""


def graded_turns(rubric: Rubric) -> int:
    """How many grades of people the judge can be held against, at most."""
    judged = {metric.name for metric in rubric.metrics if metric.by != "program"}
    return sum(grade.metric in judged for grade in latest(graded(HAND)).values())


def kept_for(judges: Path, spec: str, rubric: Rubric, hand: RunFolder = HAND) -> RunFolder:
    """Where a judge's grades of these dialogues are kept: they cost an hour, and are the same for every suite."""
    judged = [[each.name, each.asks, sorted(each.scores.items())] for each in rubric.metrics if each.by != "program"]
    read = [*sorted(PROMPTS.glob("*.txt")), hand.path / "dialogues.jsonl"]
    config = {"judge": spec, "metrics": judged, "read": [sha256(each.read_bytes()).hexdigest() for each in read]}
    path = judges / sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:12]
    save_json(path / "config.json", config)
    return RunFolder(path, config)


async def calibrate(grading: Grading, kept: RunFolder, judge: Judge | None, hand: RunFolder = HAND) -> dict[str, Any]:
    """Programs are asked anew, they cost nothing; the judge what is not yet kept, with the scores in either order.

    `grading`: of the suite whose dialogues were graded.
    """
    rubric, dialogues = grading.rubric, played(hand)
    given = [grade for grade in graded(hand) if grade.metric in {metric.name for metric in rubric.metrics}]
    last = latest(given).values()
    asked = [(rubric[each.metric], dialogues[each.key], each.of) for each in last]
    wanted = [each for each in asked if for_judge(each[0], grading.case(each[1]))]
    for one in (judge, replace(judge, by="backwards")) if judge else ():
        await by_judge(one, wanted, kept)
    known = latest(graded(kept))
    return summed(given, {each.at: grading.ours(each, dialogues[each.key], known) for each in last}, known)


def summed(given: Sequence[Grade], ours: Mapping[At, Grade | None], judged: Mapping[At, Grade]) -> dict[str, Any]:
    """Kappa and agreement by metric and by who decides; and how far the order of the scores moves the judge.

    `given`: by people, the oldest first; where there are two of a turn, the first was a slip. `ours`: by theirs.
    """
    last, first = latest(given), latest(reversed(given))
    both = [(grade, our) for at, grade in last.items() if (our := ours[at])]
    before = [(first[grade.at], our) for grade, our in both]
    return {
        "turns": len(last),
        "by": {by: agreed([(g, our) for g, our in both if our.by == by]) for by in ("program", "judge")},
        "corrected": len(given) - len(last),
        "first": {by: agreed([(g, our) for g, our in before if our.by == by]) for by in ("program", "judge")},
        "metrics": by_metric(both),
        "bias": {"backwards": _moved(judged)},
    }


def by_metric(both: Pairs) -> dict[str, Any]:
    """Their agreement, metric by metric."""
    metrics = dict.fromkeys(grade.metric for grade, _ in both)
    return {name: agreed([pair for pair in both if pair[0].metric == name]) for name in metrics}


def agreed(both: Pairs) -> dict[str, Any]:
    """People's scores beside ours. What we could not grade is left out of kappa and told beside it."""
    sound = [(g.score, our.score) for g, our in both if our and g.score is not None and our.score is not None]
    kappa = stats.kappa([score for score, _ in sound], [our for _, our in sound])
    return {
        "n": len(both),
        "ungraded": len(both) - len(sound),
        "kappa": None if kappa is None else round(kappa, 3),
        "agreement": round(fmean(score == our for score, our in sound), 3) if sound else None,
    }


def _moved(judged: Mapping[At, Grade]) -> dict[str, Any]:
    """The judge against itself: the share of equal grades, and the mean shift."""
    back = [grade for grade in judged.values() if grade.by == "backwards" and grade.score is not None]
    both = [(grade.score or 0, judged.get(replace(grade, by="judge").at)) for grade in back]
    gaps = [score - plain.score for score, plain in both if plain and plain.score is not None]
    same, shift = (round(fmean(each), 3) if gaps else None for each in ([gap == 0 for gap in gaps], gaps))
    return {"n": len(gaps), "same": same, "shift": shift}
