"""Reports, by the jinja2 templates beside this module: one HTML file that needs no network, and Markdown. All in them
is escaped; the tables are written once, as Markdown, and stand in the HTML too. Of one run; of two, with every dialogue
whose score changed; or of several counted as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from chat.evaluation import statistics as stats
from chat.evaluation.figures import Scores, figures, titles
from chat.evaluation.folder import save, save_json
from chat.evaluation.record import At, Grade, Played, latest
from chat.evaluation.result import Result
from chat.evaluation.rubric import Rubric
from chat.faults import ChatFault

HERE = Path(__file__).parent
ESCAPED = True
Means = tuple[str, str, stats.Estimate, stats.Estimate, stats.Paired]


def write(result: Result, junit_file: Path | None = None) -> None:
    """summary.json, report.html, report.md and, where it is wanted, JUnit XML. Raises ChatFault."""
    folder = result.folder
    folder.summary({**result.figures, "judge": folder.config.get("judge"), "calibration": result.calibration})
    save(folder.path / "report.html", page(result))
    save(
        folder.path / "report.md",
        render(HERE / "report.md", told=result, tables=run_tables(result) + people_table(result)),
    )
    if junit_file:
        save(junit_file, junit(result.scores, result.suite.name))


def page(result: Result, token: str = "") -> str:
    """The whole file. `token`: of the server that takes a person's grades."""
    body, people = html(run_tables(result)), html(people_table(result))
    return render(HERE / "report.html", told=result, title=result.title, tables=body, people=people, token=token)


def run_tables(result: Result) -> str:
    """Scores, costs and comparisons, and how far the grades agree with those by hand."""
    known = {"titles": titles(result.scores.rubric), "judge": result.judge or "none"}
    by_hand = render(HERE / "agreement.md", of="calibration", found=result.calibration, **known)
    return tables(result.figures, result.scores.rubric) + by_hand


def people_table(result: Result) -> str:
    """How far the grades agree with those of people in this run; empty where nobody graded."""
    if not result.by_hand:
        return ""
    known = {"titles": titles(result.scores.rubric), "stray": result.stray}
    return render(HERE / "agreement.md", of="people", found=result.people(), **known)


def tables(figures: Mapping[str, Any], rubric: Rubric) -> str:
    """Of one run, or of several as one."""
    return render(HERE / "tables.md", figures=figures, rubric=rubric, titles=titles(rubric))


def junit(scores: Scores, name: str) -> str:
    """XML for machines that wait for a run: a dialogue that does not pass is a failure, one that broke off or could not
    be graded an error."""
    systems = {system: [(d, *_outcome(scores, d)) for d in scores.of(system)] for system in scores.systems}
    return render(HERE / "junit.xml", name=name, systems=systems)


def _outcome(scores: Scores, dialogue: Played) -> tuple[str, list[str]]:
    """`error`, `failure` or nothing, and why."""
    grades = [(m.title, g) for m in scores.rubric.metrics if (g := scores.grade(dialogue, m.name))]
    wrong = [f"{title}: {grade.error}" for title, grade in grades if grade.error]
    if dialogue.fault or wrong:
        return "error", [dialogue.fault, *wrong] if dialogue.fault else wrong
    low = [f"{t} {g.score}: {g.reason}" for t, g in grades if g.score is not None and g.score < scores.rubric.pass_at]
    return ("failure", low) if scores.passed(dialogue) is False else ("", [])


# -- several runs


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


# -- how it is written


def html(markdown: str) -> Any:
    """Tables, headings and emphasis are all that it knows: what was said loads nothing."""
    known = MarkdownIt("zero").enable(["table", "heading", "emphasis", "escape", "entity"])
    known.add_render_rule("table_open", lambda *_: "<div class='card scroll'><table>")
    known.add_render_rule("table_close", lambda *_: "</table></div>")
    return Markup(known.render(markdown))  # nosec B704


def render(template: Path, **values: Any) -> str:
    """A template of this folder or of its own, with the style and the script that stand beside it."""
    loader = FileSystemLoader([template.parent, HERE])
    made = Environment(  # nosec B701
        loader=loader, autoescape=ESCAPED, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"source": lambda name: loader.get_source(made, name)[0], "ring": ring, "zip": zip}
    made.filters |= {"cell": cell, "printable": printable}
    return made.get_template(template.name).render(**values)


def cell(text: str) -> Any:
    """Words in a cell of a Markdown table."""
    return Markup(re.sub(r"([\\|*`<&\[])", r"\\\1", " ".join(text.split())))  # nosec B704


def printable(text: str) -> str:
    """Without what XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)


def ring(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Points of a radar's polygon: from the middle, each this share of the way out, the first at the top."""
    ways = [(2 * pi * place / len(shares) - pi / 2, 150 * share) for place, share in enumerate(shares)]
    return [(round(230 + reach * cos(angle), 1), round(200 + reach * sin(angle), 1)) for angle, reach in ways]
