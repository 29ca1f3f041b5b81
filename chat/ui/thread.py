"""Bubbles -> the HTML of each turn, by thread.html; and what a program printed as small charts with their table."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from chat.ui.bubbles import Bubble
from chat.ui.drawing import drawn, macros
from chat.ui.fields import lasted, model_name
from chat.ui.language import language
from chat.ui.markup import figure, lined, markdown

LONG = 4_000
"""Characters of a person's message that are shown before it is folded."""
STANDING = 6
"""Words of the reply that are shown beside the place where they stand."""
Source = Callable[[str, str], str]
"""A conversation and the id of a picture in it -> where its bytes are to be had."""
LEAST, MOST, SERIES, LONGEST = 3, 40, 3, 20_000
"""Points of a chart; of several columns so many are drawn; characters of an output that is read."""
LARGEST = 1e15
"""Beyond it a drawing's numbers are no more what was printed."""
BARS = 16
"""More points are a line; so is what goes below 0."""
LABEL = 18
PARTS = 40
"""Of an output that are looked at."""


def picture_src(session: str, id_: str) -> str:
    """Where a picture of the conversation lies, seen from the page."""
    return f"pictures/{quote(session, safe='')}/{quote(id_, safe='')}"


def turn(bubbles: Sequence[Bubble], *, last: bool, versions: Sequence[int] = (), source: Source = picture_src) -> str:
    """The bubbles of one turn as HTML; `last`: no turn comes after it, so it may be taken back.

    `versions`: the numbers of all versions of the turn, where there are several; `source`: where pictures are.
    """
    return str(_parts().turn(bubbles, last, versions, source))


def _finished(bubble: Bubble) -> Markup:
    """A step that changes no more is drawn once in a language: a turn is drawn anew at each of its steps."""
    return _step(bubble.model_dump_json(exclude_unset=True), language())


@lru_cache(maxsize=512)
def _step(told: str, _spoken: str) -> Markup:
    return Markup(_parts().step(Bubble.model_validate_json(told)))  # nosec B704


def _seconds(duration: float) -> str:
    return lasted(duration, 0 if duration >= 10 else 1) if duration >= 0.1 else ""


def _parts() -> Any:
    return macros(
        "thread.html", markdown=markdown, lined=lined, figure=figure, chart=draw, model_name=model_name,
        seconds=_seconds, finished=_finished, LONG=LONG, STANDING=STANDING,
    )  # fmt: skip


# -- charts: what is one is decided by the output's structure, as JSON or a Python literal: labels with numbers, or
# numbers alone. Mermaid draws (static/diagrams.js).


@dataclass(frozen=True)
class Table:
    """One column of labels and some of numbers."""

    labels: tuple[str, ...]
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    """Name ("" where it has none) and numbers."""


def table(output: str) -> Table | None:
    """What can be drawn of it, or else of the first part of it that can; None for everything else."""
    if len(output) > LONGEST:
        return None
    values = chain([_literal(output)], _parts_of(output))
    return next((found for value in values if (found := _table(value))), None)


def _table(value: Any) -> Table | None:
    heads, rows = _rows(value)
    if not LEAST <= len(rows) <= MOST or len(heads) < 2 or any(len(row) != len(heads) for row in rows):
        return None
    labels, *columns = zip(*rows, strict=True)
    if not all(isinstance(label, str) or _number(label) for label in labels) or not all(map(_number, chain(*columns))):
        return None
    named = zip(heads[1:], columns, strict=True)
    return Table(tuple(map(str, labels)), tuple((head, tuple(map(float, numbers))) for head, numbers in named))


def _literal(output: str) -> Any:
    """The whole output, or a list of its lines where each is one."""
    if (whole := _read(output)) is not None:
        return whole
    lines = [_read(line) for line in output.strip().splitlines()]
    return None if None in lines else lines


def _read(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text.strip())
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _parts_of(output: str) -> Iterator[Any]:
    """Lists in a line, behind words or alone, or as JSON from there on; numbers alone may be anything there.

    So may a dict: settings beside a result look no other than a table does.
    """
    for begin in islice(re.finditer(r"^[^\[{\n]*([\[{])", output, re.MULTILINE), PARTS):
        value = _read(output[begin.start(1) :].partition("\n")[0])
        with suppress(ValueError, RecursionError):
            value = value or json.JSONDecoder().raw_decode(output, begin.start(1))[0]
        if isinstance(value, list) and not any(map(_number, value)):
            yield value


def _rows(value: Any) -> tuple[list[str], list[list[Any]]]:
    """Heads, and rows whose first cell is a label; numbers alone are counted from 1. Empty for everything else."""
    value = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(value, list | tuple) or not value:
        return [], []
    if all(_number(one) for one in value):
        value = list(enumerate(value, 1))
    if all(isinstance(row, dict) for row in value) and all(list(row) == list(value[0]) for row in value):
        return list(map(str, value[0])), [list(row.values()) for row in value]
    if all(isinstance(row, list | tuple) for row in value):
        return [""] * len(value[0]), [list(row) for row in value]
    return [], []


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < LARGEST  # which NaN is not, either


def draw(output: str) -> str:
    """The charts and their table as HTML; empty where nothing can be drawn."""
    found = table(output)
    return drawn("chart.html", table=found, most=SERIES, code=_mermaid) if found else ""


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
