"""Numbers that a program printed, as small charts with their table. What is a chart is decided by the output's
structure as JSON or a Python literal: labels with numbers, or numbers alone. Mermaid draws (static/diagrams.js)."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import dataclass
from typing import Any

from chat.ui.language import _, ngettext
from chat.ui.markup import escape

LEAST, MOST, SERIES, LONGEST = 3, 40, 3, 20_000
"""Points of a chart; of several columns so many are drawn; characters of an output that is read."""
LARGEST = 1e15
"""Beyond it a drawing's numbers are no more what was printed."""
BARS = 16
"""More points are a line; so is what goes below 0."""
LABEL = 18


@dataclass(frozen=True)
class Table:
    """One column of labels and some of numbers."""

    labels: tuple[str, ...]
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    """Name ("" where it has none) and numbers."""


def table(output: str) -> Table | None:
    """What can be drawn of it; None for everything else."""
    if len(output) > LONGEST:
        return None
    rows = _rows(_literal(output))
    if rows is None or not LEAST <= len(rows) <= MOST:
        return None
    names, width = list(rows[0]), len(rows[0])
    if any(len(row) != width or (isinstance(row, dict) and list(row) != names) for row in rows):
        return None
    cells = [list(row.values()) if isinstance(row, dict) else list(row) for row in rows]
    heads = [str(name) for name in names] if isinstance(rows[0], dict) else [""] * width
    labels = [str(row[0]) for row in cells]
    numbers = [at for at in range(1, width) if all(_number(row[at]) for row in cells)]
    if not all(isinstance(row[0], str | int | float) for row in cells) or not numbers or len(numbers) < width - 1:
        return None
    columns = tuple((heads[at], tuple(float(row[at]) for row in cells)) for at in numbers)
    return Table(tuple(labels), columns)


def _literal(output: str) -> Any:
    """The whole output, or a list of its lines where each is one."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(output.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    try:
        return [ast.literal_eval(line.strip()) for line in output.strip().splitlines()]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _rows(value: Any) -> list[Any] | None:
    """Rows whose first cell is a label; numbers alone are counted from 1."""
    if isinstance(value, dict):
        return [list(pair) for pair in value.items()]
    if not isinstance(value, list | tuple) or not value:
        return None
    if all(_number(one) for one in value):
        return [[n, one] for n, one in enumerate(value, 1)]
    good = all(isinstance(row, dict | list | tuple) and len(row) > 1 for row in value)
    return list(value) if good and len({type(row) is dict for row in value}) == 1 else None


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) < LARGEST


def draw(output: str) -> str:
    """The charts and their table as HTML; empty where nothing can be drawn."""
    found = table(output)
    if found is None:
        return ""
    charts = "".join(_chart(found.labels, name, numbers) for name, numbers in found.columns[:SERIES])
    heads = "".join(f'<th scope="col" dir="auto">{escape(name)}</th>' for name, _numbers in found.columns)
    head = f"<thead><tr><td></td>{heads}</tr></thead>" if any(name for name, _numbers in found.columns) else ""
    rows = "".join(
        f'<tr><th scope="row" dir="auto">{escape(label)}</th>'
        f"{''.join(f'<td>{numbers[at]:.12g}</td>' for _name, numbers in found.columns)}</tr>"
        for at, label in enumerate(found.labels)
    )
    body = f'<div class="rows"><table>{head}<tbody>{rows}</tbody></table></div>'
    return f'<div class="chart">{charts}<details><summary>{_("As a table")}</summary>{body}</details></div>'


def _chart(labels: tuple[str, ...], name: str, numbers: tuple[float, ...]) -> str:
    told = ngettext("Chart of {n} number", "Chart of {n} numbers", len(numbers))
    caption = f'<b dir="auto">{escape(name)}</b>' if name else ""
    code = escape(_mermaid(labels, numbers))
    return f'{caption}<div class="diagram" data-own data-code="{code}" data-alt="{told}"></div>'


def _mermaid(labels: tuple[str, ...], numbers: tuple[float, ...]) -> str:
    shown = ", ".join(f'"{_plain(label)}"' for label in labels)
    bars = len(numbers) <= BARS and min(numbers) >= 0  # Mermaid's bars begin at the lowest number, not at 0
    wide = " horizontal" if bars and max(map(len, labels)) > 6 else ""
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    values = ", ".join(f"{number:.12f}".rstrip("0").rstrip(".") for number in numbers)
    axes = f"x-axis [{shown}]\ny-axis {low:f} --> {high if high > low else 1:f}"
    return f"xychart-beta{wide}\n{axes}\n{'bar' if bars else 'line'} [{values}]"


def _plain(label: str) -> str:
    """Without what Mermaid reads as more than a label."""
    short = label if len(label) <= LABEL else f"{label[: LABEL - 1]}…"
    return " ".join(short.replace('"', "”").replace("`", "’").replace("%%", "%").split()) or "–"
