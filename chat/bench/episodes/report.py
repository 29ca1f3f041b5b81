"""What a run shows: its rows summed up, by type of task and over all, and its report in Markdown beside the papers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from chat.bench.episodes.play import AFTER, SPENT
from chat.evaluation.report.pages import render

COUNTS = ("final", "highest", "clamped", "stop_rule")
FULL = 100.0
HERE = Path(__file__).parent
Row = Mapping[str, Any]


def types(rows: Sequence[Row]) -> list[Row]:
    """Of each type of task, in order of first appearance: its `type`, how many `episodes`, means of COUNTS, the percent
    `won`, the mean `steps`, and whether it is `solved`: every episode reached the full score."""
    names = dict.fromkeys(row["type"] for row in rows)
    by_type = {name: [row for row in rows if row["type"] == name] for name in names}
    return [
        {
            "type": name,
            "episodes": len(found),
            **{count: fmean(row[count] for row in found) for count in (*COUNTS, "steps")},
            "won": 100 * fmean(row["won"] for row in found),
            "solved": all(row["final"] >= FULL for row in found),
        }
        for name, found in by_type.items()
    ]


def cost(rows: Sequence[Row], steps: Sequence[Row]) -> dict[str, float]:
    """Of all steps. policy_ms, p50_ms and p95_ms are the strategy's own time; processor_p50_ms is what p50_ms would be
    on a machine without other load. Tokens are those read outside the prefix cache and written; `read` counts all, as
    the papers do, which cache nothing, and `reused` is the percentage of it that came from the cache.
    """
    names = ("policy_ms", "simulator_ms", "processor_ms")
    own, engine, processor = ([step[name] for step in steps] or [0.0] for name in names)
    spent = {name: sum(row.get(name, 0) for row in rows) for name in (*SPENT, "replaced")}
    spent["score"] = sum(row["final"] for row in rows)
    return {
        "steps": len(steps),
        "steps_per_episode": len(steps) / len(rows),
        "policy_ms": fmean(own),
        "simulator_ms": fmean(engine),
        "p50_ms": median(own),
        "p95_ms": float(np.percentile(own, 95)),
        "processor_p50_ms": median(processor),
        **{f"{name}_per_action": count / max(1, len(steps)) for name, count in spent.items()},
        "reused": 100 * spent["cached"] / max(1, spent["read"]),
        "seconds_per_action": (fmean(own) + fmean(engine)) / 1000,
    }


def summary(rows: Sequence[Row], steps: Sequence[Row], minutes: float, unplayed: int) -> dict[str, Any]:
    """The figures: scores in percent of the full one as task averages, `episode_average` beside them."""
    if not rows:
        return {"episodes": 0, "unplayed": unplayed}
    each = types(rows)
    died = sum(row.get("ended") == "model" for row in rows)
    unheard = sum(row.get("unheard", 0) for row in rows)
    right = [row["goal_right"] for row in rows if "goal_right" in row]
    worst = min(each, key=lambda one: float(one["final"]))
    return {
        **{count: fmean(one[count] for one in each) for count in COUNTS},
        "success": 100 * fmean(row["won"] for row in rows),
        **({"goals_right": 100 * fmean(right)} if right else {}),
        "episodes": len(rows),
        "unplayed": unplayed,
        **({"model_died": died} if died else {}),
        **({"unheard": unheard} if unheard else {}),
        "episode_average": {count: fmean(row[count] for row in rows) for count in COUNTS},
        "types": len(each),
        "types_solved": sum(one["solved"] for one in each),
        "worst_type": worst["type"],
        "worst_final": worst["final"],
        **cost(rows, steps),
        "trials_per_episode": fmean(len(row.get("trials", (1,))) for row in rows),
        "minutes": minutes,
    }


# -- the report


def published() -> dict[str, list[Row]]:
    """What the papers report on ScienceWorld in SwiftSage's protocol. `columns`: their agents (overall as printed; of
    some what an action cost, nothing cached); `rows`: of each type of task their mean scores, and the length of the
    oracle's paths."""
    read: dict[str, list[Row]] = json.loads((HERE / "published.json").read_text(encoding="utf-8"))
    return read


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
