"""The demonstrations that Swift's trainings read, as they were collected under DUET_HOME."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minds.training.swift.collect import FULL, stored
from minds.training.swift.retold import effective, retold
from minds.training.swift.revalued import asks_of_a_value, revalued

FILES = ("replays", "searches", "relabelled")


def data_folder(world: str) -> Path:
    """Where the demonstrations of a world are."""
    return Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser() / "swift" / world


def demonstrations(folder: Path, most: int, without: tuple[str, ...]) -> list[dict[str, Any]]:
    """Episodes that reached the full score, at most so many variations of a type; the same choice every time."""
    rows = [row for name in FILES for row in stored(folder / f"{name}.jsonl") if row["score"] >= FULL]
    rows += [row for row in stored(folder / "oracle.jsonl") if row["steps"] and row["steps"][-1][4] >= FULL]
    rows = [row for row in rows if row["task"] not in without]
    chosen = {(row["task"], row["variation"]) for row in rows}
    if most:
        every, chosen = sorted(chosen), set()
        for task in sorted({task for task, _ in every}):
            numbers = [number for name, number in every if name == task]
            random.Random(task).shuffle(numbers)
            chosen |= {(task, number) for number in numbers[:most]}
    rows = [row for row in rows if (row["task"], row["variation"]) in chosen]
    return [told_again(row) if "steps" in row else effective(row) for row in rows]


def by_type(episodes: Sequence[dict[str, Any]]) -> list[str]:
    """For a card: how many variations of each type of task there are, in Markdown."""
    variations = Counter(task for task, _ in {(row["task"], row["variation"]) for row in episodes})
    head = ["| type of task | train variations |", "|---|---|"]
    return head + [f"| {task} | {count} |" for task, count in sorted(variations.items())]


def with_others(episodes: Sequence[dict[str, Any]], times: int) -> list[dict[str, Any]]:
    """The episodes, and those that ask about a value told so many times more in other values."""
    asking = [episode for episode in episodes if asks_of_a_value(episode["goal"])]
    return [*episodes, *(revalued(episode, seed) for episode in asking for seed in range(1, times + 1))]


def told_again(row: dict[str, Any]) -> dict[str, Any]:
    """An oracle's own episode as a demonstration."""
    rows = retold((row["first"]["look"], row["first"]["inv"]), row["steps"])
    about = {"task": row["task"], "variation": row["variation"], "goal": row["desc"]}
    return effective({**about, "rows": rows, "score": FULL})


def rooms(episodes: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Every room that demonstrations go to."""
    return tuple(sorted({row["act"][2] for episode in episodes for row in episode["rows"]} - {""}))
