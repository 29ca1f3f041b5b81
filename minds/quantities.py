"""What a text says in figures: numbers in one form each, the units they carry, and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CALENDAR = "january february march april may june july august september october november december"
MONTHS = _CALENDAR.split()

# Spaces and commas belong to a number only where they part thousands: `1, 2, 3` are three numbers.
_NUMBER = re.compile(
    r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[   ]\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?!\d)",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_MONTH = "(" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + r")\.?"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (\d{{4}})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.IGNORECASE)

UNITS = {
    name: line.split()[0]
    for line in """
percent % pct
euro € euros eur
dollar $ dollars usd
pound £ pounds lb lbs gbp quid
yen ¥ jpy
cent cents
thousand thousands
million millions mio mn
billion billions bn
trillion trillions
dozen dozens
per
square sq squared
cubic cubed
millimetre mm millimetres millimeter millimeters
centimetre cm centimetres centimeter centimeters
metre m metres meter meters
kilometre km kms kilometres kilometer kilometers
inch inches
foot ft feet
yard yd yards
mile mi miles
milligram mg milligrams
gram g grams gramme grammes
kilogram kg kgs kilograms kilo kilos
tonne tonnes ton tons
ounce oz ounces
stone stones
millilitre ml millilitres milliliter milliliters
litre l litres liter liters
cup cups
gallon gal gallons
pint pints
celsius c °c
fahrenheit f °f
kelvin
degree ° degrees
millisecond ms milliseconds
second s sec secs seconds
minute min mins minutes
hour h hr hrs hours
day days
weekday weekdays workday workdays
week weeks
month months
year years
am
pm
byte bytes
kilobyte kb kilobytes
megabyte mb megabytes
gigabyte gb gigabytes
watt w watts
kilowatt kw kilowatts
volt v volts
joule j joules
calorie cal calories
kilocalorie kcal kilocalories
""".strip().splitlines()
    for name in line.split()
}
"""Spelling -> unit. `in` is left out: it is seldom an inch."""
_SPELT_OUT = [
    (re.compile(r"\bkm/h\b|\bkph\b|\bkmh\b", re.IGNORECASE), "km per hour"),
    (re.compile(r"\bmph\b", re.IGNORECASE), "miles per hour"),
    (re.compile(r"\b([ap])\.m\.", re.IGNORECASE), r"\1m"),
    (re.compile(r"([a-z]+)²", re.IGNORECASE), r"square \1"),
    (re.compile(r"([a-z]+)³", re.IGNORECASE), r"cubic \1"),
    (re.compile(r"(?<=[a-z])/(?=[a-z])", re.IGNORECASE), " per "),
]
_UNIT_WORD = re.compile(r"[\s-]*(°\s?[CF]\b|[%°€£$¥]|[a-z]+)", re.IGNORECASE)


def figures(text: str) -> list[str]:
    """The numbers of a text in one form each (1,234.50 -> 1234.5), in order; ISO dates and times count part by part."""
    return [_canonical(match) for match in _NUMBER.findall(_spread(text))]


def dates(text: str) -> set[tuple[int, int, int]]:
    """(year, month, day) of all dates that are written with a year, the month as a word or in ISO's order."""
    found = {(int(y), int(m), int(d)) for y, m, d in _ISO.findall(text)}
    found |= {(int(y), _month(m), int(d)) for d, m, y in _DAY_FIRST.findall(text)}
    return found | {(int(y), _month(m), int(d)) for m, d, y in _MONTH_FIRST.findall(text)}


def times(text: str) -> set[tuple[int, int]]:
    """(hour, minute) as they are written: `2:05 pm` is (2, 5)."""
    return {(int(hour), int(minute)) for hour, minute in re.findall(r"(?<![\d:])(\d{1,2}):(\d{2})(?!\d)", text)}


def measures(text: str) -> dict[str, set[str]]:
    """Figure -> the units that stand at it anywhere in the text: `70 lbs`, `£20`, `5 million euros`, `2:05 pm`."""
    for spelling, whole in _SPELT_OUT:
        text = spelling.sub(whole, text)
    text = _spread(text)
    found: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        units = set(_units_after(text, match.end()))
        if sign := re.search(r"([€£$¥])\s*$", text[: match.start()]):
            units.add(UNITS[sign[1]])
        if units & {"celsius", "fahrenheit"}:
            units.discard("degree")
        found.setdefault(_canonical(match.group()), set()).update(units)
    return found


def _units_after(text: str, at: int) -> Iterator[str]:
    while (word := _UNIT_WORD.match(text, at)) and (unit := UNITS.get(word[1].lower().replace(" ", ""))):
        yield unit
        at = word.end()


def month_numbers(text: str) -> set[str]:
    """The numbers of the months that a text names: a reply may say `March` for `-03-`."""
    return {str(i) for i, month in enumerate(MONTHS, 1) if re.search(rf"\b{month[:3]}(?:{month[3:]})?\b", text.lower())}


def _month(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _spread(text: str) -> str:
    """Separates what is written together: 2026-11-21, 14:30, 5km, £20."""
    text = re.sub(r"(?<=\d)[-–/:](?=\d)", " ; ", text)
    text = re.sub(r"(?<=\d)(?!e[+-]?\d)(?=[A-Za-z%°€£$])", " ", text)
    return re.sub(r"(?<=[A-Za-z€£$(\[{])(?<!\de)(?=\d)", " ", text)


def _canonical(number: str) -> str:
    number = re.sub(r"[,\s]", "", number.replace("−", "-"))
    try:
        value = float(number)
    except ValueError:
        return number
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)
