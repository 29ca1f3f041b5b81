"""Units of measure: values, the names that people write, and what cannot be converted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tools.convert import _ALIASES, _EXACT, convert, make
from tools.desk import Desk, ToolFault

VALUES = [
    (5, "miles", "km", 8.04672),
    (6, "ft", "cm", 182.88),
    (1, "Inches", "mm", 25.4),
    (3, "nautical miles", "km", 5.556),
    (1, "fathom", "m", 1.8288),
    (1, "furlong", "m", 201.168),
    (2, "decades", "years", 20),
    (5, "NM", "km", 9.26),
    (5, "nm", "km", 5e-12),
    (5, "KM", "MILES", 3.10685596119),
    (5, "KG", "LB", 11.0231131092),
    (5, "CM", "IN", 1.96850393701),
    (1, "MI", "FT", 5280),
    (5, "MPH", "KMH", 8.04672),
    (1, "light year", "km", 9460730472580.8),
    (3, "stone", "kg", 19.05087954),
    (150, "lbs", "kilograms", 68.0388555),
    (1, "tonne", "kg", 1000),
    (2, "tons", "pounds", 4000),
    (16, "oz", "pound", 1),
    (2, "cups", "ml", 473.176473),
    (1, "metric cup", "ml", 250),
    (3, "tsp", "tbsp", 1),
    (1, "pint", "fl oz", 16),
    (1, "UK pint", "ml", 568.26125),
    (10, "litres", "US gallons", 2.64172052358),
    (72, "F", "°C", 22.2222222222),
    (-40, "degrees Celsius", "fahrenheit", -40),
    (0, "K", "C", -273.15),
    (60, "mph", "km/h", 96.56064),
    (10, "m/s", "kilometres per hour", 36),
    (20, "knots", "kph", 37.04),
    (100, "square feet", "m²", 9.290304),
    (1, "acre", "sq m", 4046.8564224),
    (2, "hectares", "square kilometres", 0.02),
    (1, "m^3", "litres", 1000),
    (1, "cubic foot", "cu in", 1728),
    (8, "l/100km", "mpg", 29.4018229167),
    (3000, "rpm", "Hz", 50),
    (50, "Hz", "rpm", 3000),
    (1, "Hz", "radian/second", 6.28318530718),
    (180, "degrees", "radian", 3.14159265359),
    (100, "MBps", "Mbps", 800),
    (1, "GBps", "MB/s", 1000),
    (50, "mbit", "MB", 6.25),
    (30, "mpg", "l/100 km", 7.84048611111),
    (30, "miles per gallon", "liters per 100 kilometers", 7.84048611111),
    (30, "UK mpg", "litres per 100 km", 9.41603121106),
    (15, "km/l", "l/100km", 6.66666666667),
    (1, "GB", "MB", 1000),
    (1, "GiB", "MiB", 1024),
    (100, "Mbps", "MB/s", 12.5),
    (8, "Mb", "MB", 1),
    (90, "min", "hours", 1.5),
    (2, "weeks", "days", 14),
    (1, "year", "d", 365.25),
    (2000, "kcal", "kJ", 8368),
    (1, "kWh", "MJ", 3.6),
    (1, "atm", "hPa", 1013.25),
    (32, "psi", "bar", 2.20632233494),
    (180, "degrees", "radians", 3.14159265359),
    (5, "kg per m^3", "g/cm3", 0.005),
    (5, "kN", "N", 5000),
    (20, "kn", "kph", 37.04),
    (2, "Nm", "J", 2),
    (250, "ML", "ml", 250),
    (500, "Calories", "kJ", 2092),
    (1, "kw", "W", 1000),
    (1, "kpa", "Pa", 1000),
    (1, "hz", "rpm", 60),
    (1, "kj", "J", 1000),
    (1, "btu", "J", 1055.056),
    (1, "mhz", "Hz", 1_000_000),
    (1, "cfm", "cubic feet per hour", 60),
    (0, "km", "miles", 0),
]


@pytest.mark.parametrize(("amount", "unit", "to", "value"), VALUES)
def test_values(amount: float, unit: str, to: str, value: float) -> None:
    assert convert(amount, unit, to) == pytest.approx(value, rel=1e-9)


def test_every_name_in_the_tables_is_a_unit() -> None:
    for name in [*_ALIASES, *_EXACT]:
        assert convert(0 if "fahr" in name else 1, name, name) is not None


@pytest.mark.parametrize(
    ("amount", "unit", "to", "said"),
    [
        (1, "kg", "km", "kg measures mass, km length: one cannot be converted to the other."),
        (2, "cups", "grams", "cups measures volume, grams mass.*without the density"),
        (1, "degree", "byte", "angle, byte data"),
        (1, "l/100km", "m2", "fuel per distance, m2 area"),
        (100, "eur", "usd", '"eur" is no unit of measure known here .no currencies.'),
        (1, "bananas", "km", '"bananas" is no unit'),
        (5, "NS", "s", '"NS" is no unit'),
        (5, "NG", "g", '"NG" is no unit'),
        (5, "mw", "W", '"mw" is no unit'),
        (1, "km", "", "cannot be read"),
        (1, "m" * 200, "km", "cannot be read"),
        (1, "m**9**9**9", "km", "no unit"),
        (1, "9**9**9", "km", "no unit"),
        (1, "__import__('os')", "km", "no unit"),
        (-300, "C", "F", "below absolute zero"),
        (0, "mpg", "l/100km", "cannot be converted"),
        (float("nan"), "km", "m", "finite"),
        (float("inf"), "km", "m", "finite"),
    ],
)
def test_what_cannot_be_converted_is_named(amount: float, unit: str, to: str, said: str) -> None:
    with pytest.raises(ToolFault, match=said):
        convert(amount, unit, to)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"amount": 5, "unit": "miles", "to": "km"}, "5 miles = 8.04672 km"),
        ({"amount": 2, "unit": "cups", "to": "ml"}, "2 cups = 473.176473 ml (US measures)"),
        ({"amount": 1, "unit": "ton", "to": "kg"}, "1 ton = 907.18474 kg (US short ton)"),
        ({"amount": 500, "unit": "calories", "to": "J"}, "500 calories = 2092 J (small calories; food has kcal)"),
        ({"amount": 1, "unit": "year", "to": "days"}, "1 year = 365.25 days (a year taken as 365.25 days)"),
        ({"amount": "1e6", "unit": "byte", "to": "MB"}, "1000000 byte = 1 MB (decimal: 1 GB = 1000 MB)"),
    ],
)
def test_the_tool_says_what_it_took(arguments: dict[str, object], text: str) -> None:
    assert make(Desk("s1", datetime(2026, 11, 21, tzinfo=UTC))).invoke(arguments) == text
