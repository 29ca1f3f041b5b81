"""Two runs side by side: each system of both, metric by metric, and every dialogue whose score changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chat.evaluation import statistics as stats
from chat.evaluation.figures import titles
from chat.evaluation.record import Grade
from chat.evaluation.report.pages import HERE, html, render
from chat.evaluation.result import Result

Means = tuple[str, str, stats.Estimate, stats.Estimate, stats.Paired]


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
    for key in (key for key in second.scores.dialogues if key in first.scores.dialogues):
        for metric in second.scores.rubric.metrics:
            before, after = (run.scores.grade(run.scores.dialogues[key], metric.name) for run in (first, second))
            if before and after and (before.score, bool(before.error)) != (after.score, bool(after.error)):
                yield Change(key, metric.name, before, after)


def means(first: Result, second: Result) -> Iterator[Means]:
    """System, metric, both means on the scripts that both have, and their difference."""
    for system in (name for name in first.scores.systems if name in second.scores.systems):
        for name in titles(second.scores.rubric):
            scores = [run.scores.by_script(system, name) for run in (first, second)]
            shared = sorted(scores[0].keys() & scores[1].keys())
            before, after = (stats.bootstrap([each[script] for script in shared]) for each in scores)
            test = stats.paired(scores[1], scores[0])
            if before and after and test:
                yield system, name, before, after, test


def write_diff(first: Result, second: Result, file: Path) -> str:
    """Writes one HTML file that opens from disk; the tables as Markdown."""
    told = {"means": means(first, second), "changes": changed(first, second), "titles": titles(second.scores.rubric)}
    text = render(HERE / "diff.md", **told)
    title = f"{first.folder.path.name} and {second.folder.path.name}"
    file.write_text(render(HERE / "diff.html", title=title, tables=html(text)), encoding="utf-8")
    return text
