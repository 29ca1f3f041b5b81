"""Modules that monty lacks and that a host can answer for: plain functions and constants, asked one call at a time.

They run in the server's own process: only what takes little of it, whatever is handed to it (runs.py bounds that).
"""

from __future__ import annotations

import calendar
import csv
import statistics
import string
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_monty import ExternalModule

Function = Callable[..., object]
PARTS = 1000
"""That `quantiles` cuts into at most."""
_OFFERED = {
    statistics: "mean fmean median median_low median_high mode multimode stdev pstdev variance pvariance "
    "geometric_mean harmonic_mean correlation covariance",
    calendar: "month monthrange isleap leapdays weekday monthcalendar day_name day_abbr month_name month_abbr MONDAY "
    "TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY",
    textwrap: "dedent fill indent shorten wrap",
    string: "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace hexdigits capwords",
}


def offered(safe: Callable[[str, Function], Function]) -> Mapping[str, ExternalModule]:
    """Module name -> what a program finds in it, its functions made `safe`."""
    from pydantic_monty import ExternalModule

    found = {of.__name__: {name: getattr(of, name) for name in names.split()} for of, names in _OFFERED.items()}
    found["statistics"]["quantiles"] = quantiles
    return {
        module: ExternalModule(
            {name: safe(name, value) if callable(value) else _plain(value) for name, value in names.items()}
        )
        for module, names in found.items()
    }


def quantiles(data: Sequence[Any], *, n: int = 4, method: Any = "exclusive") -> list[Any]:
    """Raises ValueError."""
    if n > PARTS:
        raise ValueError(f"quantiles cuts into at most {PARTS} parts")
    return statistics.quantiles(data, n=n, method=method)


def csv_rows(lines: Sequence[str], **form: Any) -> list[list[str]]:
    """`form`: the delimiter and the like. Raises ValueError."""
    try:
        return list(csv.reader(lines, **form))
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _plain(value: Any) -> object:
    """`calendar.month_name` is no list, and `calendar.MONDAY` may be an enum: only plain values cross."""
    if isinstance(value, str):
        return value
    return int(value) if isinstance(value, int) else list(value)
