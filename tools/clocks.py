# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Times of day: now in a city, between zones, from one time to another, and some hours later."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from tools.days import long
from tools.desk import ToolFault
from tools.zones import Place, places

_TIME = re.compile(
    r"(?<![\d.:/-])(?:(?P<h>[01]?\d|2[0-4])\s?(?:[:h.]\s?(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d/-])\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|\s*(?P<half2>[ap]\.?m\b\.?)|\s*o'?\s?clock\b(?:\s*(?P<half3>[ap]\.?m\b\.?))?)|(?P<word>noon|midday|midnight)\b"
    r"|(?P<past>half past|quarter past|quarter to)\s(?P<h2>\d{1,2})(?:\s*(?P<half4>[ap]\.?m\b\.?))?)"
)
_PIECE = r"(\d+(?:\.\d+)?)\s*-?(hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?)\b"
_SPAN = re.compile(rf"{_PIECE}(?:\s*(?:,|and)?\s*{_PIECE})?")
_PLACE_ASKED = re.compile(
    r"\b(?:time|now)\b.*?\b(?:in|for|at) (?!the\b|\d)([a-z][a-z .'-]{2,30})|^([a-z .'-]{3,30}) time\b"
)


_OF_THINGS = re.compile(
    r"\bdate\b|\b(?:when|what time|which time) (?:does|do|did|must|should|can|may|are|was|were|will|shall|would)\b"
    r"(?! (?:it be|you have|your|it say))|\bwhat time is (?!it\b|now\b|this\b|right now\b)|\b(?:notes?|guide|file|pdf|document|booklet|leaflet|timetable|according)\b"
)
"""The time of a train or a meal is not what the clock says."""


@dataclass(frozen=True)
class Heard:
    """An answer, and whether the clock or only today's date mattered for it."""

    text: str
    minute: bool = False
    date: bool = False


@dataclass(frozen=True)
class _Named:
    """A time in the text."""

    time: time
    start: int
    end: int
    half: bool
    """It was written with am or pm."""


def answer_clock(text: str, now: datetime) -> Heard | None:
    """The answer where `text` (lower case) is about times of day, else None. Raises ToolFault."""
    text = text.replace(" p.m.", " pm").replace(" a.m.", " am")
    times, where = _times(text), places(text)
    span = _span(text, times)
    if times and where:
        return _between_zones(text, times[0], where, now)
    if len(times) >= 2 and not re.search(r"\d{4}-\d\d", text):
        return _from_to(text, times, now)
    if len(times) == 1 and span:
        return _later(text, times[0], span)
    if len(times) == 1 and re.search(r"\b(?:until|till|before|to|since)\b", text):
        return _until(text, times[0], now)
    if not times and span and re.search(r"\b(?:from now|ago|in|later|after now|before now|hence)\b", text):
        return _from_now(text, span, now)
    if not times and re.search(r"\b(?:time|now|clock|ahead|behind)\b", text):
        return _now_in(text, where, now)
    return None


def _times(text: str) -> list[_Named]:
    found = [_named(m) for m in _TIME.finditer(text)]
    whole = re.search(r"\b(?:from|between) (\d{1,2})\s*(?:to|and|until|till|-)\s", text)
    if len(found) == 1 and whole and int(whole[1]) < 24 and whole.start(1) < found[0].start:
        found.insert(0, _Named(time(int(whole[1])), whole.start(1), whole.end(1), found[0].half))
    tail = re.search(r"(?:to|until|till|and|-)\s?(\d{1,2})$", text)
    if len(found) == 1 and tail and int(tail[1]) < 24 and tail.start(1) > found[0].end:
        found.append(_Named(time(int(tail[1])), tail.start(1), tail.end(1), found[0].half))
    nine_to_five = re.fullmatch(r".*\bfrom (\d{1,2}) (?:to|until|till) (\d{1,2})(?: o'?clock)?", text)
    if not found and nine_to_five and int(nine_to_five[1]) < 24 and int(nine_to_five[2]) < 24:
        found = [_Named(time(int(nine_to_five[n])), nine_to_five.start(n), nine_to_five.end(n), False) for n in (1, 2)]
    return found


def _named(found: re.Match[str]) -> _Named:
    half = found["half"] or found["half2"] or found["half3"] or found["half4"] or ""
    if found["word"]:
        hour, minute = (0 if found["word"] == "midnight" else 12), 0
    elif found["past"]:
        minute = {"half past": 30, "quarter past": 15, "quarter to": 45}[found["past"]]
        hour = (int(found["h2"]) - (minute == 45)) % 24
    else:
        hour, minute = int(found["h"]) % 24, int(found["m"] or 0)
    if half and not 1 <= (hour or 12) <= 12:
        half = ""
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return _Named(time(hour, minute), found.start(), found.end(), bool(half))


def _span(text: str, times: list[_Named]) -> timedelta | None:
    """The first length of time in the text, outside of the times of day."""
    for named in times:
        text = text[: named.start] + "~" * (named.end - named.start) + text[named.end :]
    found = _SPAN.search(text)
    if not found:
        return None
    seconds = 0.0
    for number, unit in ((found[1], found[2]), (found[3], found[4])):
        if number:
            seconds += float(number) * (3600 if unit[0] == "h" else 1 if unit[0] == "s" else 60)
    if seconds > 86400 * 3650:
        raise ToolFault("Times can be moved by at most ten years.")
    return timedelta(seconds=seconds)


def _between_zones(text: str, named: _Named, where: list[Place], now: datetime) -> Heard:
    """The source is the place named right after the time; with one place only, the other is the person's own."""
    here = Place("your time zone", _zone(now), -1)
    after = [place for place in where if place.start >= named.end]
    others = [place for place in where if place.start < named.end]
    if len(where) >= 2:
        source = after[0] if after else others[0]
        target = next((p for p in [*after[1:], *others] if p is not source), here)
    else:
        to_it = re.search(r"\b(?:my|our|local) time\b.*\bto\b|\bhere\b|\bto\s*$", text[: where[0].start])
        source, target = (here, where[0]) if to_it else (where[0], here)
    day = _day_named(text) or now.astimezone(source.zone).date()
    start = datetime.combine(day, named.time, tzinfo=source.zone)
    there = start.astimezone(target.zone)
    moved = (there.date() - start.date()).days
    shift = "" if not moved else f" the {'next' if moved > 0 else 'previous'} day ({long(there.date())})"
    said = f"{_clock(start, named.half)} in {source.name} = {_clock(there, named.half)} in {target.name}{shift}"
    return Heard(said, date=True)


def _day_named(text: str) -> datetime | None:
    found = re.search(r"\b(\d{4}-\d\d-\d\d)\b", text)
    try:
        return datetime.fromisoformat(found[1]) if found else None
    except ValueError as error:
        raise ToolFault(f"{found[1] if found else ''} is no day of the calendar.") from error


def _zone(now: datetime) -> tzinfo:
    """The person's own; the desk's clock always has one."""
    return now.tzinfo or UTC


def _clock(at: datetime | time, half: bool) -> str:
    if not half:
        return f"{at:%H:%M}"
    return f"{(at.hour - 1) % 12 + 1}:{at.minute:02d} {'am' if at.hour < 12 else 'pm'}"


def _from_to(text: str, times: list[_Named], now: datetime) -> Heard:
    first, second = times[0], times[1]
    minutes = _minutes(second.time) - _minutes(first.time)
    note = ""
    if minutes <= 0:
        if not first.half and not second.half and first.time.hour < 12 and minutes > -720:
            minutes, note = minutes + 720, f", {_clock(second.time, False)} read as pm"
        else:
            minutes, note = minutes + 1440, ", ending the next day"
    pause = re.search(r"\b(?:minus|less|without|break|pause|lunch)\b", text)
    rest = _span(text, times) if pause else None
    if rest:
        minutes -= int(rest.total_seconds() // 60)
        note += f", without {_length(int(rest.total_seconds() // 60))}"
    said = f"From {_clock(first.time, first.half)} to {_clock(second.time, second.half)}: {_length(minutes)}"
    return Heard(f"{said} ({minutes} minutes{note})")


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _length(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    parts = [f"{hours} hour{'s' * (hours != 1)}"] * bool(hours) + [f"{rest} minute{'s' * (rest != 1)}"] * bool(rest)
    return " and ".join(parts) or "0 minutes"


_ARRIVES = re.compile(
    r"(?:\b(?:be|arrive|get|am due|are due|starts?|begins?|opens?|ready|eat|serve|lands?|due)\b.*|\bby )\d.*\b(?:when|what time|which time)\b"
    r".*\b(?:leave|set off|go|get up|wake(?: up)?|head off|head out|start|begin|put|set (?:my|the|an) alarm|depart)\b"
)
"""The time told is when something must be done by, the time asked for comes before it."""


def _back(text: str) -> bool:
    """Whether an earlier time is asked for; `take` only where it is a sum: not `when do I take it out`."""
    return bool(
        re.search(r"\b(?:before|minus|earlier|ago|subtract|take(?= \d))\b|\s-\s", text) or _ARRIVES.search(text)
    )


def _later(text: str, named: _Named, span: timedelta) -> Heard:
    start = datetime.combine(datetime(2000, 1, 2), named.time)
    end = start - span if _back(text) else start + span
    days = (end.date() - start.date()).days
    roll = "" if not days else f" ({abs(days)} day{'s' * (abs(days) != 1)} {'later' if days > 0 else 'earlier'})"
    sign = "-" if _back(text) else "+"
    minutes = round(span.total_seconds() / 60)
    length = _length(minutes)
    if minutes > 60 and re.search(rf"\b{minutes}\b", text):  # restated as it was said, to be checked
        length = f"{minutes} minutes ({length})"
    return Heard(f"{_clock(start, named.half)} {sign} {length} = {_clock(end, named.half)}{roll}")


def _until(text: str, named: _Named, now: datetime) -> Heard:
    at = datetime.combine(now.date(), named.time, tzinfo=now.tzinfo)
    since = "since" in text
    if since and at > now:
        at -= timedelta(days=1)
    elif not since and at <= now:
        at += timedelta(days=1)
    minutes = round(abs((at - now).total_seconds()) / 60)
    first, last = ("From", "until now") if since else ("From now", "until")
    clock = _clock(at, named.half)
    ends = f"{first} {clock} {last} ({now:%H:%M})" if since else f"{first} ({now:%H:%M}) {last} {clock}"
    return Heard(f"{ends}: {_length(minutes)}", minute=True)


def _from_now(text: str, span: timedelta, now: datetime) -> Heard:
    at = now - span if re.search(r"\bago\b|before now", text) else now + span
    day = "" if at.date() == now.date() else f" on {long(at.date())}"
    length = _length(round(span.total_seconds() / 60))
    when = f"{length} ago it was" if at < now else f"In {length} it will be"
    return Heard(f"{when} {at:%H:%M}{day} (now it is {now:%H:%M})", minute=True)


def _now_in(text: str, where: list[Place], now: datetime) -> Heard | None:
    if len(where) >= 2:
        return _difference(where[0], where[1], now)
    if where and re.search(r"\bdifference\b|\b(?:ahead|behind)\b", text):
        return _difference(Place("your time zone", _zone(now), -1), where[0], now)
    if where:
        there = now.astimezone(where[0].zone)
        return Heard(f"In {where[0].name} it is {there:%H:%M} on {long(there.date())}", minute=True)
    asked = _PLACE_ASKED.search(text)
    place = (asked[1] or asked[2] or "").strip() if asked else ""
    if place and not re.fullmatch(
        r"(?:the |my |our |this )?(?:now|moment|here|local|current|what|right now|present|today)", place
    ):
        raise ToolFault(f'"{place}" is no city or zone known here; name a large city near it, or a zone: Europe/Paris.')
    if re.search(r"\btime\b|\bclock\b", text) and not _OF_THINGS.search(text):
        return Heard(f"It is {now:%H:%M} on {long(now.date())}", minute=True)
    return None


def _difference(a: Place, b: Place, now: datetime) -> Heard:
    offsets = [now.astimezone(place.zone).utcoffset() or timedelta() for place in (a, b)]
    minutes = round((offsets[1] - offsets[0]).total_seconds() / 60)
    if not minutes:
        return Heard(f"{a.name} and {b.name} have the same time today", date=True)
    ahead = "ahead of" if minutes > 0 else "behind"
    return Heard(f"{b.name} is {_length(minutes)} {ahead} {a.name} today", date=True)
