"""What programs ask of the calendar outside: today, the clocks of zones, working days. A day may be `2026-03-01`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

if TYPE_CHECKING:
    from pydantic_monty import TimeZone

LANGUAGES = ["en", "de", "fr", "es", "it"]
"""Of months and weekdays."""
Day = date | str
"""A datetime is a date, too."""
LONGEST = 60
"""Characters of a day that is written out: much longer texts are read for seconds."""
MOST_DAYS = 40_000
"""Looked at one by one, where holidays are left out."""


class Clock:
    """The person's clock as programs may ask it; `asked` says what a result depends on."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self.asked: dict[str, str] = {}
        self._keys: dict[tuple[timedelta | None, str | None], str | None] = {}
        """The zone that an offset and a name such as CET stand for: the sandbox keeps no more of one."""

    @property
    def zone(self) -> str | TimeZone:
        """The person's zone as monty takes it: its name, or the offset alone where it has none."""
        key = getattr(self._now.tzinfo, "key", None)
        return str(key) if key else {"offset_seconds": int((self._now.utcoffset() or timedelta()).total_seconds())}

    def today(self) -> date:
        """The person's day."""
        self.asked["date"] = f"{self._now:%Y-%m-%d}"
        return self._now.date()

    def now(self, zone: str = "") -> datetime:
        """The time on the clocks of a zone, without the zone: two of them can be subtracted."""
        return self.moment(zone_of(zone) if zone else None).replace(tzinfo=None)

    def moment(self, zone: Any = None) -> datetime:
        """Now, with its zone."""
        self.asked["minute"] = f"{self._now:%Y-%m-%dT%H:%M}"
        return self._now.replace(microsecond=0).astimezone(zone) if zone else self._now.replace(microsecond=0)

    def placed(self, when: datetime, zone: str) -> datetime:
        """The same on the clocks of a zone."""
        placed = when.replace(tzinfo=zone_of(zone))
        told, key = (placed.utcoffset(), placed.tzname()), getattr(placed.tzinfo, "key", None)
        self._keys[told] = key if self._keys.setdefault(told, key) == key else None
        return placed

    def moved(self, when: datetime, to: str) -> datetime:
        """A moment with the zone `to`; one without any is the person's, not the server's."""
        there = (self._anew(when) if when.tzinfo else when.replace(tzinfo=self._now.tzinfo)).astimezone(zone_of(to))
        return self.placed(there, to)

    def _anew(self, when: datetime) -> datetime:
        """With its offset as it is on that day: what was added since may have crossed a change of the clocks."""
        if not (key := self._keys.get((when.utcoffset(), when.tzname()))):
            return when
        placed = [when.replace(tzinfo=ZoneInfo(key), fold=fold) for fold in (0, 1)]
        return when if when.utcoffset() in (each.utcoffset() for each in placed) else placed[0]

    def convert_time(self, when: datetime | str, zone: str, to: str) -> datetime:
        """What the clocks in `to` show when those in `zone` show `when`; `09:30` is today."""
        here = zone_of(zone)
        if isinstance(when, str) and len(when.strip()) <= 8 and "-" not in when:
            self.today()
            when = datetime.combine(self._now.astimezone(here).date(), _time(when))
        at = datetime.fromisoformat(when) if isinstance(when, str) else when
        if not isinstance(at, datetime):
            raise TypeError("convert_time needs a datetime or a text such as '2026-03-01 09:30' or '09:30'")
        return self.moved(at if at.tzinfo else at.replace(tzinfo=here), to).replace(tzinfo=None)

    def coming(self, day: str, after: Day = "") -> date:
        """The next `14 January` from today or another day on, or the next `Friday` behind it. Raises ValueError."""
        return named_day(str(day), lambda: day_of(after) if after else self.today(), ahead=True)

    def past(self, day: str, before: Day = "") -> date:
        """The last `14 January` until today or another day, or the last `Friday` before it. Raises ValueError."""
        return named_day(str(day), lambda: day_of(before) if before else self.today(), ahead=False)

    def functions(self) -> dict[str, Callable[..., object]]:
        """What a program can call, by name."""
        clock = (self.today, self.now, self.convert_time, self.coming, self.past)
        return {function.__name__: function for function in (*clock, public_holidays)}


def _time(written: str) -> time:
    """`09:30`, `9:30`, `9am`, `9:30 PM`. Raises ValueError."""
    plain = written.strip().upper().replace(" ", "")
    for form in ("%H:%M", "%H:%M:%S", "%I:%M%p", "%I%p"):
        with suppress(ValueError):
            return datetime.strptime(plain, form).time()
    raise ValueError(f"no time {written!r}; write one such as '09:30', or '2026-03-01 09:30'")


def day_of(value: Any) -> date:
    """Raises ValueError, TypeError."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        return date.fromisoformat(value.strip()[:10])
    raise TypeError(f"a day is date(2026, 3, 1) or '2026-03-01', not {type(value).__name__}")


def named_day(written: str, today: Callable[[], date], *, ahead: bool | None) -> date:
    """`14 January`, `3.5.2027`, `Friday`, `Christmas`, `today`. ahead: where no year is named, the coming day or the
    last one is meant, as seen from `today`, which is no coming Friday itself; None where that is not known. Raises
    ValueError where it is no day, or none of those."""
    import dateparser

    if written.strip().casefold() == "today":
        return today()
    if ahead is not None and (number := _weekdays().get(written.strip(" .").casefold())) is not None:
        here = today()
        away = (number - here.weekday() - 1) % 7 + 1 if ahead else -((here.weekday() - number - 1) % 7 + 1)
        return here + timedelta(away)
    for parts in (["day", "month", "year"], ["day", "month"]) if len(written) <= LONGEST else ():
        settings = {"REQUIRE_PARTS": parts, "PARSERS": ["absolute-time"], "DATE_ORDER": "DMY",
                    "RELATIVE_BASE": datetime(2000, 1, 1)}  # fmt: skip
        iso = {**settings, "DATE_ORDER": "YMD"} if written[:4].isdecimal() else settings
        if not (found := dateparser.parse(written, languages=LANGUAGES, settings=iso)):
            continue
        if "year" in parts:
            return date(found.year, found.month, found.day)
        if ahead is not None:
            return _nearest(found.date(), today(), ahead)
    if ahead is not None and len(written) <= LONGEST and (day := _feast(written, today(), ahead)):
        return day
    raise ValueError(f"no day {written[:40]!r}; write one such as '14 January'")


@cache
def _weekdays() -> dict[str, int]:
    """Their names, each with its number: Monday is 0. Short ones are left out: `mar` is March as well."""
    from babel import Locale

    days = [Locale(of).days["format"]["wide"] for of in LANGUAGES]
    return {str(name).casefold(): int(number) for names in days for number, name in names.items()}


def _nearest(day: date, today: date, ahead: bool) -> date:
    years = range(today.year, today.year + 9) if ahead else range(today.year, today.year - 9, -1)
    return next(on for on in _in(day, years) if (on >= today if ahead else on <= today))


def _feast(written: str, today: date, ahead: bool) -> date | None:
    """The nearest day that a calendar calls so: `Christmas` is `Christmas Day`, but `Easter` no day of theirs."""
    names = {name := written.strip(" .").casefold(), f"{name} day"}
    years = (today.year, today.year + 1) if ahead else (today.year, today.year - 1)
    called = [day for year in years for day, name in _feasts(year) if name in names]
    return (min if ahead else max)((day for day in called if (day >= today if ahead else day <= today)), default=None)


@lru_cache(maxsize=16)
def _feasts(year: int) -> list[tuple[date, str]]:
    """The days of some calendars with their names, of LANGUAGES."""
    import holidays

    of_own = {"en": "GB", "de": "DE", "fr": "FR", "es": "ES", "it": "IT"}
    found = [holidays.country_holidays(of_own[of], years=[year], language=of) for of in LANGUAGES]
    found.append(holidays.country_holidays("US", years=[year], language="en_US", categories=("public", "unofficial")))
    return [(day, one.casefold()) for all_ in found for day in all_ for one in all_.get_list(day) if "(" not in one]


def _in(day: date, years: range) -> Iterator[date]:
    for year in years:
        try:
            yield day.replace(year=year)
        except ValueError:  # 29 February
            continue


def working_days(first: Day, last: Day, country: str = "") -> int:
    """Mondays to Fridays from `first` to `last`, both counted, without a country's holidays (`DE`, `DE-BY`)."""
    start, end = day_of(first), day_of(last)
    if end < start:
        return -working_days(end, start, country)
    whole, rest = divmod((end - start).days + 1, 7)
    number = 5 * whole + sum((start.weekday() + n) % 7 < 5 for n in range(rest))
    if not country:
        return number
    if end.year - start.year > 100:
        raise ValueError("holidays are known for at most 100 years at a time")
    free = (day for year in range(start.year, end.year + 1) for day in _free(country, year))
    return number - sum(start <= day <= end and day.weekday() < 5 for day in free)


def add_working_days(day: Day, number: int, country: str = "") -> date:
    """The working day that comes so many working days after a day (before it where the number is negative)."""
    at, left, step = day_of(day), abs(int(number)), timedelta(1 if number >= 0 else -1)
    if left > MOST_DAYS:
        raise ValueError(f"at most {MOST_DAYS} working days can be counted")
    while left:
        at += step
        left -= at.weekday() < 5 and not (country and at in _free(country, at.year))
    return at


def public_holidays(country: str, year: int) -> list[tuple[date, str]]:
    """A country's holidays in a year, in order; in English where that is known, whatever the server's language."""
    return sorted(_free(country, int(year)).items())


@lru_cache(maxsize=256)
def _free(country: str, year: int) -> Mapping[date, str]:
    import holidays

    name, _, part = country.strip().upper().partition("-")
    try:
        found = holidays.country_holidays(name, subdiv=part or None, years=[year], language="en_US")
    except NotImplementedError as error:
        raise ValueError(f"no holidays known for {country[:20]!r}; write a code such as DE, GB, US or DE-BY") from error
    return dict(found.items())


@cache
def _zones() -> dict[str, str]:
    """Whole names and their last parts (cities), in small letters with spaces; `Etc/GMT+5` is five hours west."""
    known: dict[str, str] = {}
    for zone in sorted(available_timezones(), key=lambda zone: (zone.startswith(("Etc", "US", "SystemV")), zone)):
        for name in (zone,) if zone.startswith("Etc/") else (zone, zone.rpartition("/")[2]):
            known.setdefault(name.lower().replace("_", " "), zone)
    return {name: zone for name, zone in known.items() if not _OFFSET.fullmatch(name)} | _MEANT


_MEANT = {
    "et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles",
    "la": "America/Los_Angeles", "samoa": "Pacific/Apia",
}  # fmt: skip
"""As people write their times: codes of countries would be Ethiopia's, Malta's, Portugal's and Laos's, and
`Pacific/Samoa` is American Samoa's."""


@cache
def _abbreviations() -> Set[str]:
    """`IST`, `BST`: what clocks are called in some zone this year; several mean the same by it, or a city's airport."""
    days, zones = (datetime(2026, 1, 1), datetime(2026, 7, 1)), map(ZoneInfo, available_timezones())
    return {str(zone.tzname(day)) for zone in zones for day in days}


def zone_of(name: str) -> tzinfo:
    """`Asia/Tokyo`, `Tokyo`, `new york`, `UTC+5:30`; a city without a zone of its own is in its country's, a country in
    its capital's where most of its people are. Raises ValueError."""
    said = str(name).strip()
    if found := _OFFSET.fullmatch(said.lower()):
        hours, minutes = int(found[2]), int(found[3] or 0)
        return timezone((1 if found[1] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    zone = _zones().get(said.lower().replace("_", " "))
    return ZoneInfo(zone or _of_place(said))


_OFFSET = re.compile(r"(?:utc|gmt) ?([+-])(\d{1,2})(?::?([0-5]\d))?")


def _of_place(name: str) -> str:
    from tools.sandbox.places import city, zone_of_region

    try:
        if name.lower() != "at" and (zone := zone_of_region(name)):  # Austria's, or Atlantic Time
            return zone
        if len(name) <= 4 and (name.isupper() or name.upper() in _abbreviations()):
            raise ValueError(name)
        return city(name)["zone"]
    except ValueError as error:
        raise ValueError(
            f"no zone {name[:40]!r}; write the city or the country that is meant, or its IANA name"
        ) from error
