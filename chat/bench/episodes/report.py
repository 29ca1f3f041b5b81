"""The report of a run: one HTML file that needs nothing else, in the light or the dark as its reader likes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from chat.bench.episodes import published
from chat.bench.episodes.figures import FULL, Type, curve, mean_curve, types
from chat.bench.episodes.play import AFTER
from chat.evaluation.folder import RunFolder
from chat.evaluation.report.pages import render

LAST, LONGEST, MOST = 7, 220, 60
"""Steps shown of a failure, characters of an observation, and failures in all."""
STRATEGIES = {
    **{"swift": "Swift", "subgoals": "Sub-goals", "react": "ReAct", "act": "Act", "oracle": "The oracle"},
    **{"duet": "Duet", "swiftsage": "SwiftSage", "reflexion": "Reflexion", "saycan": "SayCan"},
    **{"interact": "InterAct", "sala": "SALA"},
}
WORLDS = {"scienceworld": "ScienceWorld", "alfworld": "ALFWorld"}
COUNTED = {
    "final": "Final: the last score of an episode that is not negative (SwiftSage, appendix B).",
    "stop_rule": "Stop rule: the final score of the same episode where SwiftSage's repository would have stopped it: "
    f"after {AFTER} actions or more, when the last 30 brought no reward.",
    "highest": "Highest: the best score on the way (as TALES counts).",
    "clamped": "Clamped: the engine's last word; an episode that ends with a failing action counts as 0.",
}
ENDS = {"steps": "out of steps", "lost": "ended by a failing action"}
Row = Mapping[str, Any]


def write_report(folder: RunFolder, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]]) -> None:
    """`report.html` and, for a reader of text, `report.md`; each is replaced in one stroke."""
    starts = [row["about"] or {} for row in folder.rows("starts")]
    for ending in ("html", "md"):
        beside = folder.path / f"report.{ending}.new"
        beside.write_text(page(folder.config, figures, rows, steps, starts, ending), encoding="utf-8")
        beside.replace(folder.path / f"report.{ending}")


def page(
    config: Row,
    figures: Row,
    rows: Sequence[Row],
    steps: Mapping[str, Sequence[Row]],
    starts: Sequence[Row],
    ending: str = "html",
) -> str:
    """The whole of it."""
    science = config["world"] == "scienceworld"
    strategy = STRATEGIES.get(config["strategy"], config["strategy"])
    order = {name: number for number, name in enumerate(published.types())}  # the papers', where they number the types
    each = sorted(types(rows), key=lambda one: (order.get(one.name, len(order)), one.name))
    curves = {row["id"]: [step["score"] or 0.0 for step in steps[row["id"]]] for row in rows}
    return render(
        Path(__file__).with_name(f"report.{ending}"),
        style="report.css",
        title=f"{strategy} plays {WORLDS[config['world']]}",
        config=config,
        figures=figures,
        rows=rows,
        each=each,
        known=published.types() if science else {},
        papers=published.columns() if science else (),
        counted=COUNTED,
        mean=_mean(each, rows, curves) if rows else [],
        stop=AFTER if science and config["protocol"]["name"] == "swiftsage" else None,
        bars=_bars(f"{strategy} (this run)", figures) if rows and science else [],
        small=list(_small(each, rows, curves)),
        lost=sorted((row for row in rows if row["final"] < FULL or not row["won"]), key=lambda row: row["final"]),
        most=MOST,
        last={id_: played[-LAST:] for id_, played in steps.items()},
        longest=LONGEST,
        run=_run(config, starts),
        coded=coded,
        ended=ended,
    )


def _mean(each: Sequence[Type], rows: Sequence[Row], curves: Mapping[str, Sequence[float]]) -> list[float]:
    """Over all types of task, after each action."""
    length = max(row["steps"] for row in rows)
    return mean_curve(
        [mean_curve([curve(curves[r["id"]], length) for r in rows if r["type"] == one.name]) for one in each]
    )


def _bars(name: str, figures: Row) -> list[tuple[str, float, bool]]:
    """(name, score of 100, whether it is ours), the lowest first."""
    others = [(column["name"], column["overall"], False) for column in published.columns()]
    return sorted([*others, (name, float(figures["final"]), True)], key=lambda bar: bar[1])


def _small(
    each: Sequence[Type], rows: Sequence[Row], curves: Mapping[str, Sequence[float]]
) -> Iterator[tuple[str, list[list[float]], list[float]]]:
    """Type of task, the curves of its episodes, their mean."""
    for one in each:
        own = [row for row in rows if row["type"] == one.name]
        length = max(1, *(row["steps"] for row in own))
        lines = [curve(curves[row["id"]], length) for row in own]
        yield one.name, lines, mean_curve(lines)


def ended(row: Row) -> str:
    """How an episode ended, and after how many tries."""
    tries = f", {row['tries']} tries" if row["tries"] > 1 else ""
    return ENDS.get(row["ended"], str(row["ended"])) + tries


def coded(text: str) -> Markup:
    """What stands in backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # nosec B704


def _run(config: Row, starts: Sequence[Row]) -> dict[str, str]:
    """What a run was made with."""
    about = config.get("about") or {}
    commits = list(dict.fromkeys(str(start.get("commit")) for start in starts if start.get("commit")))
    weights = [f"{name} ({checksum})" for name, checksum in config["weights"].items()]
    return {
        "Weights": ", ".join(weights) or "none",
        "Language model": config["model"] or "none",
        "Commit": ", ".join(commits) or "not a checkout",
        "Starts": str(len(starts)),
        "Python": about.get("python", ""),
        "Packages": ", ".join(f"{name} {version}" for name, version in (about.get("packages") or {}).items()),
        "Simplifications": ", ".join(config["protocol"]["simplifications"]) or "none",
    }
