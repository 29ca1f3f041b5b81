"""Units by the names people use for them, on top of pint's own; what is shown says which reading was taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.desk import ToolFault


@dataclass(frozen=True)
class Measure:
    """One unit: pint's expression for it, and how one and many of it are called."""

    unit: str
    one: str
    many: str


_TABLE = """
millimetre | mm | millimeter
centimetre | cm | centimeter
decimetre | dm | decimeter
metre | m | meter | mtr
kilometre | km | kilometer | kms | klick
inch/inches | in | inche
foot/feet = foot | ft
yard | yd
mile | mi
nautical mile = nautical_mile | nmi
light year = light_year | ly | lightyear | light-year
astronomical unit = astronomical_unit | au
micrometre | um | micron | micrometer
nanometre | nm | nanometer
milligram | mg | milligramme
gram | g | gm | gr | gramme
kilogram | kg | kilo | kilogramme
tonne = metric_ton | t | metric ton | metric tonne | metrictons
US short ton = short_ton | ton | short ton | us ton | american ton
long ton = long_ton | imperial ton | uk ton | british ton
pound | lb | lbs | pound-mass
ounce | oz | avoirdupois ounce | ounces by weight | weight ounce
stone
carat | ct
grain
millilitre | ml | milliliter | cc | mls
centilitre | cl | centiliter
decilitre | dl | deciliter
litre | l | liter | ltr
US teaspoon = teaspoon | tsp | teaspoon | us tsp
US tablespoon = tablespoon | tbsp | tbs | tablespoon | us tbsp
US fluid ounce = fluid_ounce | fl oz | floz | fl. oz | fluid ounce | us fluid ounce | oz fl
US cup = cup | cup | us cup
US pint = pint | pint | pt | us pint
US quart = quart | quart | qt | us quart
US gallon = gallon | gallon | gal | us gallon | american gallon
imperial gallon = imperial_gallon | uk gallon | british gallon | imp gal
imperial pint = imperial_pint | uk pint | british pint
imperial fluid ounce = imperial_fluid_ounce | uk fluid ounce | imperial fl oz
oil barrel = oil_barrel | barrel | bbl
millisecond | ms | msec
second | s | sec | secs
minute | min | mins
hour | h | hr | hrs
day | d
week | wk | wks
fortnight
month
year | yr | yrs
decade = ten_years
century/centuries
°C/°C = degC | c | celsius | centigrade | degree celsius | degree c | °c | deg c | celcius | degree centigrade
°F/°F = degF | f | fahrenheit | degree fahrenheit | degree f | °f | deg f | farenheit | fahrenheight
K/K = kelvin | k | kelvin | degree kelvin
metre per second/metres per second = meter/second | m/s | mps | meter per second
kilometre per hour/kilometres per hour = kilometer/hour | km/h | kmh | kph | kmph | kilometer per hour | km/hr
mile per hour/miles per hour = mile/hour | mph | mi/h
foot per second/feet per second = foot/second | fps | ft/s
knot | kt | kn | kts
square metre = meter**2 | m2 | sqm | sq m | square meter | sq meter | sq metre
square kilometre = kilometer**2 | km2 | sq km | square kilometer | sqkm
square centimetre = centimeter**2 | cm2 | sq cm | square centimeter
square foot/square feet = foot**2 | ft2 | sq ft | sqft
square inch/square inches = inch**2 | in2 | sq in
square yard = yard**2 | yd2 | sq yd
square mile = mile**2 | mi2 | sq mi
acre = international_acre | ac
hectare | ha
cubic metre = meter**3 | m3 | cubic meter | cu m | cbm
cubic centimetre = centimeter**3 | cm3 | cubic centimeter | ccm
cubic foot/cubic feet = foot**3 | ft3 | cu ft
cubic inch/cubic inches = inch**3 | in3 | cu in
cubic yard = yard**3 | yd3 | cu yd
bit | bits
byte
kilobyte | kb
megabyte | mb | meg
gigabyte | gb | gig
terabyte | tb
petabyte | pb
kibibyte | kib
mebibyte | mib
gibibyte | gib
tebibyte | tib
megabit per second/megabits per second = megabit/second | mbps | mbit/s
gigabit per second/gigabits per second = gigabit/second | gbps | gbit/s
kilobit per second/kilobits per second = kilobit/second | kbps
joule | j
kilojoule | kj
calorie | cal | small calorie
kilocalorie | kcal | food calorie | kilocal
kilowatt hour = kilowatt_hour | kwh | kilowatt-hour | kw h
watt hour = watt_hour | wh | watt-hour
watt | w
kilowatt | kw
horsepower | hp | bhp
newton | n
pascal | pa
kilopascal | kpa
hectopascal | hpa
bar
millibar | mbar
psi/psi = psi | psi | pound per square inch | lb/in2
atmosphere = standard_atmosphere | atm
millimetre of mercury/millimetres of mercury = mmHg | mmhg
degree (angle)/degrees (angle) = degree | degree | deg | ° | degree of arc
radian | rad
turn | revolution
mile per US gallon/miles per US gallon = mile/gallon | mpg | mile per gallon | us mpg
litre per 100 km/litres per 100 km = fuel_use | l/100km | l/100 km | liter per 100 km | liter/100km \
| litre/100km | liter per 100 kilometer | litre per 100 kilometre
kilometre per litre/kilometres per litre = kilometer/liter | km/l | kilometer per liter | kmpl
"""
_EXACT = {
    "Mb": Measure("megabit", "megabit", "megabits"),
    "Gb": Measure("gigabit", "gigabit", "gigabits"),
    "Kb": Measure("kilobit", "kilobit", "kilobits"),
    "Cal": Measure("kilocalorie", "kilocalorie", "kilocalories"),
}
"""Symbols whose case matters."""


@cache
def registry() -> Any:
    """pint's registry, made once (half a second)."""
    import pint

    units: Any = pint.UnitRegistry()
    units.define("fuel_use = 0.01 * liter / kilometer")
    units.define("ten_years = 10 * year")  # pint's decade is a ratio
    units.define("international_acre = 4046.8564224 * meter ** 2")  # pint's is the survey acre
    return units


@cache
def _named() -> dict[str, Measure]:
    measures: dict[str, Measure] = {}
    for line in _TABLE.replace("\\\n", "").strip().splitlines():
        head, *aliases = (part.strip() for part in line.split("|"))
        names, _, unit = (part.strip() for part in head.partition("="))
        one, _, many = names.partition("/")
        many = many or f"{one}s"
        measure = Measure(unit or one, one, many)
        for alias in (*aliases, one.lower(), many.lower()):
            measures.setdefault(alias, measure)
            measures.setdefault(alias + "s", measure)
            measures.setdefault(_per_many(alias), measure)
    return measures


def _per_many(alias: str) -> str:
    """`liter per 100 km` -> `liters per 100 km`."""
    first, per, rest = alias.partition(" per ")
    return f"{first}s{per}{rest}"


def measure(text: str) -> Measure:
    """The unit called `text`: `miles`, `°F`, `km/h`, `pounds per square inch`. Raises ToolFault when unknown."""
    text = " ".join(text.replace("**", "^").strip(" .,?").split())
    found = _EXACT.get(text) or _named().get(_plainest(text)) or _of_pint(text) or _compound(text)
    if not found:
        raise ToolFault(f'"{text[:40]}" is no unit known here; write for example: 5 miles in km.')
    return found


def _plainest(text: str) -> str:
    text = re.sub(r"^(?:degrees?|degs?|°) (?=[a-z])", "degree ", text.lower())
    text = re.sub(r"(?<=[a-z])\^(?=[23]$)", "", text)
    text = re.sub(r"^squared? ", "square ", text)
    return re.sub(r"(?<=\w)(?:\s*/\s*)(?=\w)", "/", text)


def _of_pint(text: str) -> Measure | None:
    """A single unit that only pint knows: `furlong`, `GHz`."""
    if not re.fullmatch(r"[A-Za-zµΩ]{1,30}(?:[ _][A-Za-z]{2,20})?", text):
        return None
    for name in (text, text.lower(), text.rstrip("s").lower()):
        name = name.replace(" ", "_")
        if name in registry():
            called = str(registry().parse_units(name)).replace("_", " ")
            return Measure(name, called, called + "s" if len(called) > 3 and called[-1] != "s" else called)
    return None


def _compound(text: str) -> Measure | None:
    """`A per B`, `A/B`, `square A`, `A^2`, from units known by themselves."""
    powers = re.fullmatch(r"(square|cubic) (.+)|(.+?) ?(?:\^([23])| (squared|cubed))", text, re.I)
    sides = re.fullmatch(r"(.+?)(?:\s*/\s*|\s+per\s+|\s+an?\s+)((?:(?!/| per ).)+)", text)
    if powers and not sides:
        inner = measure(powers[2] or powers[3])
        power = 2 if (powers[1] or powers[4] or powers[5]).lower() in ("square", "2", "squared") else 3
        word = "square" if power == 2 else "cubic"
        return Measure(f"({inner.unit})**{power}", f"{word} {inner.one}", f"{word} {inner.many}")
    if sides and len(text) < 60:
        over, under = measure(sides[1]), measure(sides[2])
        unit = f"({over.unit})/({under.unit})"
        return Measure(unit, f"{over.one} per {under.one}", f"{over.many} per {under.one}")
    return None
