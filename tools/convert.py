"""Units of measure: an amount in one unit, told in another (pint). The python tool has the same function inside."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from decimal import Decimal
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from pydantic import Field

from tools.desk import Artifact, Desk, ToolFault
from tools.plain import normal
from tools.typed import typed_tool

LONGEST = 60
"""Characters of a unit."""
SHORT = 3
"""Letters of an abbreviation; a longer unit is a word, whose capitals say nothing."""
CASED = frozenset({"milli", "nano", "pico"})
"""Prefixes whose letter is another one as a capital, or none."""


Amount = Annotated[float, Field(description="How much, for example 5")]
Unit = Annotated[str, Field(description="The unit it is in: mile, lb, cup, °F, km/h, square feet, mpg, GB")]
Wanted = Annotated[str, Field(description="The unit wanted, of the same kind")]


def make(desk: Desk) -> BaseTool:
    return typed_tool(
        "convert",
        "Converts an amount from one unit of measure to another (length, mass, volume, kitchen, temperature, speed, "
        "area, time, data, energy, pressure, fuel consumption). No currencies.",
        _told,
    )


def _told(amount: Amount, unit: Unit, to: Wanted) -> tuple[str, Artifact]:
    value = convert(amount, unit, to)
    return f"{_plain(amount)} {_called(unit)} = {_plain(value)} {_called(to)}{note(unit, to)}", {}


def convert(amount: float, unit: str, to: str) -> float:
    """`convert(5, "miles", "km")` is 8.04672. Raises ToolFault where a unit is unknown or the kinds differ."""
    import pint

    if not isfinite(amount):
        raise ToolFault("The amount must be a finite number.")
    given, wanted = _unit(unit), _unit(to)
    try:
        quantity = _registry().Quantity(float(amount), given)
        if {_kind(given), _kind(wanted)} == {"fuel per distance", "distance per fuel"}:
            quantity = 1 / quantity
        elif _kind(given) != _kind(wanted):
            raise ToolFault(_mismatch(unit, given, to, wanted))
        quantity *= _turns(given, wanted)
        if _kind(given) == "temperature" and quantity.to("kelvin").magnitude < -1e-9:
            raise ToolFault(f"{_plain(amount)} {_called(unit)} is below absolute zero (-273.15 °C, -459.67 °F).")
        return float(f"{float(quantity.to(wanted).magnitude):.12g}")
    except pint.DimensionalityError as error:
        raise ToolFault(_mismatch(unit, given, to, wanted)) from error
    except (pint.OffsetUnitCalculusError, OverflowError, ZeroDivisionError) as error:
        raise ToolFault(f"{_plain(amount)} {_called(unit)} cannot be converted to {_called(to)}.") from error


def _turns(given: Any, wanted: Any) -> Any:
    """What a turn makes of a rate: pint takes 60 turns a minute for 2 pi hertz."""
    one, other = ("radian" in str(_registry().get_root_units(unit)[1]) for unit in (given, wanted))
    return 1 if one == other or _kind(given) != "frequency" else _registry().Quantity(1, "turn") ** (other - one)


@cache
def _registry() -> Any:
    import pint

    units: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=True, cache_folder=None)
    units.define("international_acre = 4840 * yard ** 2")
    units.define("international_fathom = 6 * foot")
    units.define("international_furlong = 660 * foot")
    units.define("ten_years = 10 * year")
    units.define("metric_cup = 250 milliliter")
    units.define("metric_tablespoon = 15 milliliter")
    units.define("australian_tablespoon = 20 milliliter")
    units.define("liter_per_100km = liter / (100 * kilometer)")
    return units


_WORDS = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))
_ALIASES: dict[str, str] = {alias: unit for unit, aliases in _WORDS["aliases"].items() for alias in aliases}
"""What people write -> pint's name."""
_EXACT: dict[str, str] = _WORDS["exact"]
"""Where capitals make the difference."""
_POWERS = {"square": 2, "sq": 2, "sq.": 2, "cubic": 3, "cu": 3, "cu.": 3, "squared": 2, "cubed": 3}


def _unit(text: str) -> Any:
    """The unit called `text`: `miles`, `km/h`, `square feet`, `kg per m^3`. Raises ToolFault."""
    plain = " ".join(normal(str(text)[:1000]).replace("**", "^").split()).strip(" .")
    if not plain or len(plain) > LONGEST:
        raise ToolFault(f"The unit {text[:40]!r} cannot be read; write one such as mile, kg, cup, °F or km/h.")
    named = _EXACT.get(plain) or _ALIASES.get(plain.lower())
    if named:
        return _registry().parse_units(named)
    over, *under = plain.replace(" per ", "/").split("/")
    unit = _factors(over, text)
    for part in under:
        unit = unit / _factors(part, text)
    return unit


def _factors(text: str, asked: str) -> Any:
    units = _registry()
    product = units.Unit("")
    for part in text.replace("·", "*").split("*"):
        product = product * _power(part.strip(), asked)
    return product


def _power(text: str, asked: str) -> Any:
    """`square feet`, `m^2`, `m2`, `feet squared`, or a plain name."""
    words = text.split()
    for at, rest in ((0, words[1:]), (-1, words[:-1])):
        if len(words) > 1 and words[at].lower() in _POWERS:
            return _name(" ".join(rest), asked) ** _POWERS[words[at].lower()]
    base, caret, power = text.partition("^")
    if not caret and len(text) > 1 and text[-1] in "23" and text[-2].isalpha():
        base, power = text[:-1], text[-1]
    if power and power.strip() not in ("1", "2", "3"):
        raise _unknown(asked)
    return _name(base.strip(), asked) ** int(power or 1)


def _name(text: str, asked: str) -> Any:
    units = _registry()
    if named := _EXACT.get(text) or _ALIASES.get(text.lower()):
        return units.parse_units(named)
    for name in (text, *_lowered(text)):
        name = name.replace(" ", "_").replace("-", "_")
        with suppress(AttributeError):  # pint's word for a name that begins as Python's own do
            if name.isidentifier() and name in units:  # an identifier: nothing that pint would work out
                return units.parse_units(name)
    found: Any = units.parse_unit_name(text, case_sensitive=False) if len(text) <= SHORT else ()
    if len(found) == 1 and found[0][0] not in CASED:  # kw, hz; mw could be milliwatts and megawatts
        return units.parse_units(f"{found[0][0]}{found[0][1]}")
    raise _unknown(asked)


def _lowered(text: str) -> tuple[str, ...]:
    """In small letters, also without a plural's; nothing where they say another prefix, as for NG."""
    low = text.lower()
    parsed = _registry().parse_unit_name(low) if text.isupper() and len(text) <= SHORT and low.isidentifier() else ()
    if any(prefix in CASED for prefix, _, _ in parsed[:1]):
        return ()
    return low, low.removesuffix("s"), low.removesuffix("es")


def _unknown(text: str) -> ToolFault:
    return ToolFault(
        f'"{text[:40]}" is no unit of measure known here (no currencies); write one such as mile, kg, cup or °F.'
    )


@cache
def _kinds() -> dict[Any, str]:
    return {_registry().parse_units(unit).dimensionality: kind for kind, unit in _WORDS["kinds"].items()}


def _kind(unit: Any) -> str:
    """What a unit measures. Pint counts bits as plain numbers like angles, and consumption as an area."""
    root = str(_registry().get_root_units(unit)[1])
    if "bit" in root:
        return "data" if root == "bit" else "data per time" if root == "bit / second" else f"{root}"
    if unit.dimensionless:
        return "angle"
    kind = _kinds().get(unit.dimensionality, str(unit.dimensionality))
    burnt = kind == "area" and any(name.startswith(("lit", "gal", "imperial_gal")) for name in unit._units)
    return "fuel per distance" if burnt else kind


def _mismatch(unit: str, given: Any, to: str, wanted: Any) -> str:
    kinds = _kind(given), _kind(wanted)
    said = f"{_called(unit)} measures {kinds[0]}, {_called(to)} {kinds[1]}: one cannot be converted to the other"
    if set(kinds) == {"mass", "volume"}:
        return f"{said} without the density of the substance (water 1 g/ml, flour about 0.53, sugar 0.85, butter 0.91)."
    return f"{said}."


def _called(unit: str) -> str:
    return " ".join(str(unit).split())[:LONGEST]


def _plain(value: float) -> str:
    text = format(Decimal(f"{value:.10g}"), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def note(unit: str, to: str) -> str:
    """What was assumed, where a person may have meant something else."""
    names = {str(_unit(unit)), str(_unit(to))}
    said = [note for note, units in _WORDS["notes"].items() if names & {str(_unit(each)) for each in units}]
    return f" ({'; '.join(said)})" if said else ""
