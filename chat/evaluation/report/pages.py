"""Reports, by the jinja2 templates beside this module: one HTML file that needs no network, and Markdown. All in them
is escaped; the tables are written once, as Markdown, and stand in the HTML too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from chat.evaluation.figures import Scores, titles
from chat.evaluation.folder import save
from chat.evaluation.record import Played
from chat.evaluation.result import Result
from chat.evaluation.rubric import Rubric

HERE = Path(__file__).parent
ESCAPED = True


def write(result: Result, junit_file: Path | None = None) -> None:
    """summary.json, report.html, report.md and, where it is wanted, JUnit XML. Raises ChatFault."""
    folder = result.folder
    folder.summary({**result.figures, "judge": folder.config.get("judge"), "calibration": result.calibration})
    save(folder.path / "report.html", page(result))
    save(folder.path / "report.md", markdown(result))
    if junit_file:
        save(junit_file, junit(result.scores, result.suite.name))


def page(result: Result, token: str = "") -> str:
    """The whole file. `token`: of the server that takes a person's grades."""
    body, people = html(run_tables(result)), html(people_table(result))
    return render(HERE / "report.html", told=result, title=result.title, tables=body, people=people, token=token)


def markdown(result: Result) -> str:
    """The tables, for a repository."""
    return render(HERE / "report.md", told=result, tables=run_tables(result) + people_table(result))


def run_tables(result: Result) -> str:
    """Scores, costs and comparisons, and how far the grades agree with those by hand."""
    known = {"titles": titles(result.scores.rubric), "judge": result.folder.config.get("judge") or "none"}
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
    return ("", []) if scores.passed(dialogue) else ("failure", low)


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


def ring(shares: Sequence[float], middle: float = 230, reach: float = 150) -> list[tuple[float, float]]:
    """Points of a radar's polygon: from the middle, each this share of the way out, the first at the top."""
    angles = (2 * pi * place / len(shares) - pi / 2 for place in range(len(shares)))
    ways = zip(angles, shares, strict=True)
    return [(round(middle + reach * s * cos(a), 1), round(middle - 30 + reach * s * sin(a), 1)) for a, s in ways]
