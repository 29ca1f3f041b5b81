"""Two runs side by side: each system of both, metric by metric, and every dialogue whose score changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chat.evaluation import statistics as stats
from chat.evaluation.figures import PAPER, PROGRAM
from chat.evaluation.record import Grade
from chat.evaluation.report.pages import HERE, render
from chat.evaluation.report.tables import NONE, Table, estimate
from chat.evaluation.result import Result


@dataclass(frozen=True)
class Change:
    """One score that is another one in the second run."""

    key: str
    metric: str
    before: Grade
    after: Grade

    @property
    def by(self) -> int:
        return (self.after.score or 0) - (self.before.score or 0)


def changed(first: Result, second: Result) -> list[Change]:
    """The worst first."""
    return sorted(_changed(first, second), key=lambda change: (change.by, change.key))


def _changed(first: Result, second: Result) -> Iterator[Change]:
    for key, dialogue in second.scores.dialogues.items():
        if key not in first.scores.dialogues:
            continue
        for metric in second.scores.rubric.metrics:
            before = first.scores.grade(first.scores.dialogues[key], metric.name)
            after = second.scores.grade(dialogue, metric.name)
            if before and after and (before.score, bool(before.error)) != (after.score, bool(after.error)):
                yield Change(key, metric.name, before, after)


def tables(first: Result, second: Result) -> list[Table]:
    """Means of both with the paired difference, and the scores that changed."""
    rubric = second.scores.rubric
    titles = {m.name: m.title for m in rubric.metrics} | {
        PAPER: "Mean of the paper's six",
        PROGRAM: "Decided by program",
    }
    rows = []
    for system in (name for name in first.scores.systems if name in second.scores.systems):
        for name, title in titles.items():
            before, after = first.scores.by_script(system, name), second.scores.by_script(system, name)
            if test := stats.paired(after, before):
                shift = f"{test.difference:+.2f}\n{test.low:+.2f} to {test.high:+.2f}"
                means = [
                    _mean({k: v for k, v in found.items() if k in before and k in after}) for found in (before, after)
                ]
                rows.append((system, title, *means, shift, f"{test.p:.3f}", str(test.n)))
    head = ("System", "Metric", "First run", "Second run", "Difference", "p", "Scripts")
    moved = [
        (change.key.replace("|", " · "), titles[change.metric], _told(change.before), _told(change.after))
        for change in changed(first, second)
    ]
    return [
        Table("Means of both runs on the scripts they share", head, tuple(rows)),
        Table("Scores that changed, the worst first", ("Dialogue", "Metric", "First run", "Second run"), tuple(moved)),
    ]


def _mean(values: dict[str, float]) -> str:
    found = stats.bootstrap(list(values.values()))
    return estimate(vars(found)) if found else NONE


def _told(grade: Grade) -> str:
    score = "error" if grade.error else NONE if grade.score is None else str(grade.score)
    return f"{score}\n{(grade.error or grade.reason)[:140]}"


def diff_page(first: Result, second: Result, names: tuple[str, str]) -> str:
    """One HTML file; it opens from disk."""
    return render(HERE / "diff.html", title=f"{names[0]} and {names[1]}", tables=tables(first, second))


def write_diff(first: Result, second: Result, file: Path) -> str:
    """Writes the HTML file; the tables as Markdown."""
    names = (first.folder.path.name, second.folder.path.name)
    file.write_text(diff_page(first, second, names), encoding="utf-8")
    return "\n".join(table.markdown() for table in tables(first, second))
