"""Runs beside each other: two compared, with every dialogue whose score changed; or several counted as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chat.evaluation import statistics as stats
from chat.evaluation.figures import Scores, figures, titles
from chat.evaluation.folder import save, save_json
from chat.evaluation.record import At, Grade, Played, latest
from chat.evaluation.report.pages import HERE, html, render, tables
from chat.evaluation.result import Result
from chat.faults import ChatFault

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
    found = []
    for key in (key for key in second.scores.dialogues if key in first.scores.dialogues):
        for metric in second.scores.rubric.metrics:
            before, after = (run.scores.grade(run.scores.dialogues[key], metric.name) for run in (first, second))
            if before and after and (before.score, bool(before.error)) != (after.score, bool(after.error)):
                found.append(Change(key, metric.name, before, after))
    return sorted(found, key=lambda change: (change.by, change.key))


def means(first: Result, second: Result) -> Iterator[Means]:
    """System, metric, both means on the scripts that both have, and their difference."""
    for system in (name for name in first.scores.systems if name in second.scores.systems):
        for name in titles(second.scores.rubric):
            old, new = (run.scores.by_script(system, name) for run in (first, second))
            shared = sorted(old.keys() & new.keys())
            before, after = (stats.bootstrap(tuple(each[script] for script in shared)) for each in (old, new))
            test = stats.paired(new, old)
            if before and after and test:
                yield system, name, before, after, test


def write_diff(first: Result, second: Result, file: Path) -> str:
    """Writes one HTML file that opens from disk; the tables as Markdown. Raises ChatFault."""
    told = {"means": means(first, second), "changes": changed(first, second), "titles": titles(second.scores.rubric)}
    text = render(HERE / "diff.md", **told)
    title = f"{first.folder.path.name} and {second.folder.path.name}"
    save(file, render(HERE / "diff.html", title=title, tables=html(text)))
    return text


def pooled(runs: Sequence[tuple[str, Scores]]) -> Scores:
    """Every dialogue of all runs; a suite's name goes before its scripts' names, since two may call a script the same.

    Raises ChatFault where the runs have different rubrics, or where two are of one suite.
    """
    rubric = runs[0][1].rubric
    dialogues, grades = dict[str, Played](), dict[At, Grade]()
    for suite, scores in runs:
        if scores.rubric != rubric:
            raise ChatFault(f"`{suite}` was graded by another rubric: pool runs of one rubric.")
        if any(f"{suite}/{key}" in dialogues for key in scores.dialogues):
            raise ChatFault(f"There are two runs of `{suite}`: pool runs of different suites.")
        for key, d in scores.dialogues.items():
            dialogues[f"{suite}/{key}"] = replace(d, key=replace(d.key, script=f"{suite}/{d.key.script}"))
        grades |= latest(replace(grade, key=f"{suite}/{grade.key}") for grade in scores.grades.values())
    return Scores(rubric, dialogues, grades)


def write_pool(results: Sequence[Result], folder: Path | None) -> str:
    """The tables as Markdown; with a folder also pool.md and pool.json in it. Raises ChatFault."""
    scores = pooled([(result.suite.name, result.scores) for result in results])
    found = figures(scores)
    rubric = scores.rubric
    suites = ", ".join(f"{result.suite.name} ({len(result.scores.dialogues)})" for result in results)
    head = f"## {rubric.title or rubric.name}\n\n{found['dialogues']} dialogues of several runs: {suites}.\n\n"
    text = head + tables(found, rubric)
    if folder:
        save(folder / "pool.md", text)
        save_json(folder / "pool.json", found)
    return text
