"""The day of a moment, and the times that a text names, in whatever words: `in June`, `last year`, `am 3. Mai 2023`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any

LANGUAGES = ["en", "de", "fr", "es", "it", "nl"]
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
AFTERWARDS = timedelta(days=7)
"""What happened in a span is also talked about in the days after it."""


def day_of(at: float, zone: tzinfo | None) -> str:
    """The day of a moment, as 2026-05-01, in a zone or in this machine's."""
    return datetime.fromtimestamp(at, zone).date().isoformat()


def spans(text: str, now: datetime) -> Sequence[tuple[float, float]]:
    """(start, end) in seconds since 1970 of each time named; none where nothing is."""
    try:
        return _spans(text[:500], now.replace(minute=0, second=0, microsecond=0))
    except Exception:  # a text that the library stumbles over names no time
        return ()


@lru_cache(maxsize=256)
def _spans(text: str, now: datetime) -> Sequence[tuple[float, float]]:
    from dateparser.search import search_dates

    settings: Any = {"RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = search_dates(text, languages=LANGUAGES, settings=settings) or []
        return tuple(_span(words, settings, now) for words, _ in found)


def _span(words: str, settings: Any, now: datetime) -> tuple[float, float]:
    from dateparser.date import DateDataParser

    data = DateDataParser(languages=LANGUAGES, settings=settings).get_date_data(words)
    at, period = data.date_obj or now.replace(tzinfo=None), data.period
    start = at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=now.tzinfo)
    if period == "week":
        start -= timedelta(days=start.weekday())
    elif period == "month":
        start = start.replace(day=1)
    elif period == "year":
        start = start.replace(month=1, day=1)
    end = start + timedelta(days=_DAYS.get(period, 1)) + AFTERWARDS
    return start.timestamp(), end.timestamp()
