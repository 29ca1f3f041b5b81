"""JUnit XML: one test case a dialogue, for machines that wait for a run."""

from __future__ import annotations

from chat.evaluation.figures import Scores
from chat.evaluation.record import Played
from chat.evaluation.report.pages import HERE, render


def junit(scores: Scores, name: str) -> str:
    """A dialogue that does not pass is a failure, one that broke off or could not be graded an error."""
    systems = {system: [(d, *_outcome(scores, d)) for d in scores.of(system)] for system in scores.systems}
    return render(HERE / "junit.xml", name=name, systems=systems)


def _outcome(scores: Scores, dialogue: Played) -> tuple[str, list[str]]:
    """`error`, `failure` or nothing, and why."""
    grades = [(m.title, g) for m in scores.rubric.metrics if (g := scores.grade(dialogue, m.name))]
    wrong = [f"{title}: {grade.error}" for title, grade in grades if grade.error]
    if dialogue.fault or wrong:
        return "error", [dialogue.fault, *wrong] if dialogue.fault else wrong
    low = [f"{t} {g.score}: {g.reason}" for t, g in grades if g.score is not None and g.score < scores.rubric.pass_at]
    return ("", []) if scores.passed(dialogue) else ("failure", low)
