"""The report of a run, in Markdown: scores by type of task and beside the papers', what it cost, what failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chat.bench.episodes.figures import FULL, types
from chat.bench.episodes.play import AFTER
from chat.evaluation.folder import RunFolder
from chat.evaluation.report.pages import render

HERE = Path(__file__).parent
Row = Mapping[str, Any]


def published() -> dict[str, list[Row]]:
    """What the papers report on ScienceWorld in SwiftSage's protocol. `columns`: their agents (overall as printed; of
    some what an action cost, nothing cached); `rows`: of each type of task their mean scores, and the length of the
    oracle's paths."""
    read: dict[str, list[Row]] = json.loads((HERE / "published.json").read_text(encoding="utf-8"))
    return read


def write_report(folder: RunFolder, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]]) -> None:
    """Writes `report.md`."""
    starts = [row["about"] or {} for row in folder.rows("starts")]
    (folder.path / "report.md").write_text(page(folder.config, figures, rows, steps, starts), encoding="utf-8")


def page(
    config: Row, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]], starts: Sequence[Row]
) -> str:
    """The whole of it; `starts`: what each start was made with."""
    papers = published()
    known = {row["task"]: row for row in papers["rows"]}
    order = {name: number for number, name in enumerate(known)}  # the papers', where they number the types
    return render(
        HERE / "report.md",
        config=config,
        about=config.get("about") or {},
        commits=list(dict.fromkeys(str(start["commit"]) for start in starts if start.get("commit"))),
        starts=starts,
        figures=figures,
        rows=rows,
        steps=steps,
        each=sorted(types(rows), key=lambda one: (order.get(one["type"], len(order)), one["type"])),
        known=known,
        papers=papers["columns"] if config["world"] == "scienceworld" else (),
        lost=sorted((row for row in rows if row["final"] < FULL or not row["won"]), key=lambda row: row["final"]),
        after=AFTER,
    )
