"""The report of a run, in Markdown: scores by type of task and beside the papers', what it cost, what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chat.bench.episodes import published
from chat.bench.episodes.figures import FULL, types
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
    """Writes `report.md`, replaced in one stroke."""
    starts = [row["about"] or {} for row in folder.rows("starts")]
    beside = folder.path / "report.md.new"
    beside.write_text(page(folder.config, figures, rows, steps, starts), encoding="utf-8")
    beside.replace(folder.path / "report.md")


def page(
    config: Row, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]], starts: Sequence[Row]
) -> str:
    """The whole of it; `starts`: what each start was made with."""
    science = config["world"] == "scienceworld"
    order = {name: number for number, name in enumerate(published.types())}  # the papers', where they number the types
    return render(
        Path(__file__).with_name("report.md"),
        title=f"{STRATEGIES.get(config['strategy'], config['strategy'])} plays {WORLDS[config['world']]}",
        config=config,
        figures=figures,
        rows=rows,
        steps=steps,
        each=sorted(types(rows), key=lambda one: (order.get(one.name, len(order)), one.name)),
        known=published.types(),
        papers=published.columns() if science else (),
        counted=COUNTED,
        lost=sorted((row for row in rows if row["final"] < FULL or not row["won"]), key=lambda row: row["final"]),
        most=MOST,
        last=LAST,
        longest=LONGEST,
        rules=(config.get("about") or {}).get("rules", ()),
        run=_run(config, starts),
        ended=ended,
    )


def ended(row: Row) -> str:
    """How an episode ended, and after how many tries."""
    tries = f", {row['tries']} tries" if row["tries"] > 1 else ""
    return ENDS.get(row["ended"], str(row["ended"])) + tries


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
