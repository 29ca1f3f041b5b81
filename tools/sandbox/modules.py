"""Modules that monty lacks and that a host can answer for: plain functions and constants, asked one call at a time."""

from __future__ import annotations

import calendar
import operator
import statistics
import string
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_monty import ExternalModule

_OFFERED = {
    statistics: "mean fmean median median_low median_high mode multimode stdev pstdev variance pvariance quantiles "
    "geometric_mean harmonic_mean correlation covariance",
    calendar: "monthrange isleap leapdays weekday monthcalendar day_name day_abbr month_name month_abbr MONDAY TUESDAY "
    "WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY",
    string: "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace hexdigits capwords",
    operator: "add sub mul truediv floordiv mod pow neg eq ne lt le gt ge xor and_ or_",
}


def offered() -> Mapping[str, ExternalModule]:
    """Module name -> what a program finds in it."""
    from pydantic_monty import ExternalModule

    return {
        module.__name__: ExternalModule({name: _crossing(getattr(module, name)) for name in names.split()})
        for module, names in _OFFERED.items()
    }


def _crossing(value: object) -> object:
    """`calendar.month_name` is no list, and `calendar.MONDAY` may be an enum: only plain values cross."""
    if callable(value) or isinstance(value, str):
        return value
    return int(value) if isinstance(value, int) else list(value)  # type: ignore[call-overload]
