"""Units: a quantity in one unit, told in another (pint), with the reading named where a word has several."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tools.arithmetic import rounded
from tools.asides import tidy
from tools.desk import Artifact, Desk, ToolFault
from tools.measures import Measure, measure, registry
from tools.numerals import digits
from tools.plain import clean, plain_tool, without_courtesy

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Part = tuple[Fraction, Measure]

_HOW = "Write a quantity and the unit wanted, for example: 5 miles in km."
_NUMBER = r"[-+]?(?:\d+ \d+/\d+|\d+/\d+|\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?|\.\d+)"
_MONEY = re.compile(
    r"[$€£¥₹]|\b(?:usd|eur|gbp|jpy|inr|cny|chf|aud|cad|dollars?|euros?|pounds? sterling|yen|rupees?|yuan|"
    r"francs?|pesos?|bitcoins?|btc|krona|kroner?|zloty|lira|rubles?|roubles?|cents|currency)\b",
    re.I,
)


def make(desk: Desk) -> BaseTool:
    return plain_tool("units", "Converts units of measure. Input: 5 miles in km, or 72 F to C", convert)


def convert(text: str) -> tuple[str, Artifact]:
    """`5 miles in km` -> `5 miles = 8.04672 kilometres`. Raises ToolFault."""
    asked = _spelled(without_courtesy(tidy(clean(text, "units"))))
    if _MONEY.search(asked):
        raise ToolFault("Exchange rates are not available offline; only units of measure can be converted.")
    parts, target, substance = _read(asked)
    parts, target = _same_kind(parts, target)
    value = _converted(parts, target, substance)
    left = " ".join(_shown(float(amount), unit) for amount, unit in parts)
    return f"{left} = {_shown(value, target)}{_note(parts, target)}", {}


def _spelled(text: str) -> str:
    """Words in lower case and numbers in digits; the case of symbols (`MW`, `Mb`) stays."""
    text = re.sub(r"[A-Za-z]{3,}", lambda m: m[0] if _is_symbol(m[0]) else m[0].lower(), text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = digits(re.sub(r"(?<=\d),(?=\d)", ".", text))
    text = re.sub(r"\b(\d+) and (?:a |one |1 )?(half|quarter|third)\b", _and_a_part, text)
    text = re.sub(r"\b(?:a )?(half|quarter|third) (?:of )?(?:an? )?(?=[a-z])", _part, text)
    return " ".join(text.split())


def _is_symbol(word: str) -> bool:
    return word.endswith("bps") or (len(word) < 6 and not word.islower() and not word.istitle())


_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}


def _and_a_part(found: re.Match[str]) -> str:
    whole = int(found[1]) + _PARTS[found[2]]
    return f"{whole.numerator}/{whole.denominator}"


def _part(found: re.Match[str]) -> str:
    return f"1/{_PARTS[found[1]].denominator} "


def _read(text: str) -> tuple[list[Part], Measure, str]:
    """The quantity, the unit wanted, and the substance (`of flour`) if one is named."""
    asked = text
    text = re.sub(r"^how (?:far|long|heavy|tall|hot|cold|warm|big|fast|high|deep|wide|old) (?:is|are) ", "", text)
    text = re.sub(r"^(?:convert|change|turn|express|translate|conversion of)\s+", "", text, flags=re.I)
    text = _told(text)
    from_to = re.fullmatch(rf"({_NUMBER}) from (.+?) (?:to|into|in) (.+)", text)
    if from_to:
        text = f"{from_to[1]} {from_to[2]} to {from_to[3]}"
    how_many = re.fullmatch(
        r"(?:how many|how much|number of) (.+?) (?:(?:are |is )?(?:there )?(?:in|per|makes?(?: up)?|for|to)|is|"
        r"are|equals?|do i need for|would be|does) (?:equal to )?(.+?)(?: have| contain| make| equal)?",
        text,
    )
    if how_many:
        candidates = [(how_many[2], how_many[1])]
    else:
        equals = r"\s*(?:=|\bis|\bequals?(?: to)?)\s*(?:\?\s*)?(?:how many|what in|in|\?)?\s+"
        text = re.sub(equals, " to ", text, count=1)
        text = re.sub(r"\bhow many\b|^from ", "", text)
        splits = reversed(list(re.finditer(r"\s(?:to|in|into|as|->|>|2)(?=\s)", text)))
        candidates = [(text[: m.start()], text[m.end() :]) for m in splits]
    try:
        return _first_readable(candidates)
    except ToolFault as fault:
        found = _anywhere(asked)
        if not found:
            raise fault from None
        return found


_WANTED = re.compile(
    r"\b(?:how many|how much|what in|in|into|to) ((?:square |cubic |us |uk |nautical |fluid )?[a-z°][a-z/°²³]*)\b", re.I
)


def _anywhere(text: str) -> tuple[list[Part], Measure, str] | None:
    """The one quantity of a longer sentence, and the one unit asked for: `my kid is 4 ft 7, how many cm is that`."""
    targets = {}
    for wanted in _WANTED.finditer(text):
        with suppress(ToolFault):
            targets[wanted[1]] = measure(wanted[1])
    told = re.search(rf"(?<![\w.])({_NUMBER}.*?)(?=[,;:?!]|\.(?!\d)|$)", _WANTED.sub(",", text))
    if len(targets) != 1 or not told or re.search(r"\d", text[text.find(told[1]) + len(told[1]) :]):
        return None
    words = told[1].split()
    for size in range(min(len(words), 6), 0, -1):
        if re.search(r"\d", " ".join(words[size:])):
            break
        with suppress(ToolFault):
            return _quantity(" ".join(words[:size])), next(iter(targets.values())), ""
    return None


_ASKED = re.compile(
    rf"(\D*?)(?<![\w.])({_NUMBER}\s*[^.;!?]*?)[.;,!?:]*\s(?:and |so )?"
    r"(?:what|how \w+)(?:'s|s| is| are| was| would)?"
    r"(?: (?:that|it|this|they|be)\b)+(?: be)? (?:in|into|to) ([^.?!]+)",
    re.I,
)


def _told(text: str) -> str:
    """`A room has 540 square feet. How big is it in square metres?` as `540 square feet in square metres`."""
    told = re.sub(r"\bhow many ([a-z ]+?) (?:is|are|would) (?:that|it|this)(?: be)?$", r"what is that in \1", text)
    asked = _ASKED.fullmatch(told)
    words = asked[2].split() if asked else []
    for size in range(min(len(words), 6), 0, -1):
        try:
            _quantity(" ".join(words[:size]))
        except ToolFault:
            continue
        if asked and not re.search(r"\d", " ".join(words[size:])):
            return f"{' '.join(words[:size])} in {asked[3]}"
    return text


def _first_readable(candidates: list[tuple[str, str]]) -> tuple[list[Part], Measure, str]:
    fault = ToolFault(_HOW)
    for left, right in candidates:
        left, _, substance = left.partition(" of ")
        if not left.strip() or not right.strip():
            continue
        try:
            return _quantity(left), measure(re.sub(r"^(?:the |an? )", "", right.strip())), substance
        except ToolFault as unreadable:
            fault = unreadable
    raise fault


def _quantity(text: str) -> list[Part]:
    """`5 miles`, `a mile`, `6 ft 2 in`, `6'2"`, `2h 30m`, `72F` as parts; no number means one."""
    text = re.sub(r"(\d)\s*'\s*(\d+(?:\.\d+)?)\s*(?:\"|'')?", r"\1 ft \2 in", text.strip())
    text = re.sub(r'(\d)\s*"', r"\1 in", re.sub(r"(\d)\s*'(?!\w)", r"\1 ft ", text))
    text = re.sub(r"\b(?:minus|negative) (?=\d)", "-", re.sub(r"^(?:an?|the|one|each|every) ", "1 ", text))
    whole = re.fullmatch(rf"({_NUMBER})?\s*(.*[^\d\s].*)", text)
    try:
        if whole:
            return [(_amount(whole[1] or "1"), measure(whole[2]))]
    except ToolFault:
        if not re.search(r"\d.*[a-z].*\d", text):
            raise
    return _mixed(text)


def _mixed(text: str) -> list[Part]:
    """Several parts; a last number without a unit after feet is inches, after stones pounds."""
    pieces = re.findall(rf"({_NUMBER})\s*([^\d\s,+-][^\d,+]*)?", re.sub(r"\band\b|,", " ", text))
    if not 1 < len(pieces) < 6:
        raise ToolFault(_HOW)
    smaller = {"foot": "in", "stone": "lb"}
    if not pieces[-1][1] and (unit := smaller.get(measure(pieces[-2][1]).unit)):
        pieces[-1] = (pieces[-1][0], unit)
    hours = measure(pieces[0][1] or "?").unit == "hour"
    named = [(number, "min" if hours and unit.strip() == "m" else unit) for number, unit in pieces]
    return [(_amount(number), measure(unit or "?")) for number, unit in named]


def _amount(text: str) -> Fraction:
    try:
        return sum((Fraction(part) for part in text.split()), Fraction(0))
    except ZeroDivisionError as error:
        raise ToolFault(_HOW) from error


def _same_kind(parts: list[Part], target: Measure) -> tuple[list[Part], Measure]:
    """Reads ounces beside a volume as fluid ounces, and bare degrees beside a temperature as the other scale."""
    fluid, units = measure("fl oz"), registry()
    kinds = {str(units.parse_units(m.unit).dimensionality) for m in (*(p[1] for p in parts), target)}
    if "[length] ** 3" in kinds:
        parts = [(amount, fluid if unit.unit == "ounce" else unit) for amount, unit in parts]
        target = fluid if target.unit == "ounce" else target
    other = {"degC": measure("f"), "degF": measure("c")}.get(target.unit)
    if other and parts[0][1].unit == "degree":
        parts = [(parts[0][0], other)]
    return parts, target


def _converted(parts: list[Part], target: Measure, substance: str) -> float:
    import pint

    units = registry()
    try:
        quantities: list[Any] = [units.Quantity(float(n), units.parse_units(m.unit)) for n, m in parts]
        total, wanted = sum(quantities[1:], quantities[0]), units.parse_units(target.unit)
        if _data(total.units) != _data(wanted):
            raise ToolFault(_mismatch(parts, target, substance))
        kinds = {str(total.dimensionality), str(wanted.dimensionality)}
        if kinds == {"[length] ** 2", "1 / [length] ** 2"}:  # fuel a distance, and distance a fuel
            total = 1 / total
        if kinds == {"[temperature]"} and total.to("kelvin").magnitude < 0:
            raise ToolFault("That is below absolute zero (0 K = -273.15 °C = -459.67 °F).")
        return float(total.to(wanted).magnitude)
    except pint.DimensionalityError as error:
        raise ToolFault(_mismatch(parts, target, substance)) from error
    except pint.OffsetUnitCalculusError as error:
        raise ToolFault("Temperatures are converted one at a time, for example: 72 F to C.") from error
    except (OverflowError, ZeroDivisionError) as error:
        raise ToolFault("This quantity cannot be converted; give a smaller, non-zero number.") from error


def _data(unit: Any) -> bool:
    """Whether bits are in it: pint counts them as plain numbers, like angles."""
    return "bit" in str(registry().get_root_units(unit)[1])


def _mismatch(parts: list[Part], target: Measure, substance: str) -> str:
    kinds = {_kind(parts[0][1]), _kind(target)}
    said = f"{parts[0][1].many} cannot be converted to {target.many}"
    if kinds == {"mass", "volume"}:
        return f"{said}: one is a volume, the other a weight, and that depends on {substance or 'the substance'}."
    names = f": one measures {_kind(parts[0][1])}, the other {_kind(target)}" if None not in kinds else ""
    return f"{said}{names}."


def _kind(unit: Measure) -> str | None:
    parsed = registry().parse_units(unit.unit)
    return "data" if _data(parsed) else _KINDS.get(str(parsed.dimensionality))


_KINDS = {
    "[length]": "length", "[mass]": "mass", "[time]": "time", "[temperature]": "temperature",
    "[length] ** 3": "volume", "[length] ** 2": "area", "[length] / [time]": "speed",
    "[length] ** 2 * [mass] / [time] ** 2": "energy", "[length] ** 2 * [mass] / [time] ** 3": "power",
    "[mass] / [length] / [time] ** 2": "pressure", "dimensionless": "angles",
}  # fmt: skip


def _shown(value: float, unit: Measure) -> str:
    text = rounded(value)
    if len(text.partition(".")[2]) == 6 and abs(value) >= 1 and abs(float(text) - value) > 1e-9 * abs(value):
        text = f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{text} {unit.one if text in ('1', '-1') else unit.many}"


def _note(parts: list[Part], target: Measure) -> str:
    """What was assumed, where a person may have meant something else."""
    used = {unit.unit for _, unit in parts} | {target.unit}
    decimal = {"kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"}
    if used & decimal and not any("bibyte" in unit or "bit" in unit for unit in used):
        return " (decimal: 1 GB = 1000 MB)"
    if "year" in used and used & {"day", "hour", "minute", "second", "week"}:
        return " (a year taken as 365.25 days)"
    if "month" in used and not used & {"year", "decade", "century"}:
        return " (a month taken as 30.44 days)"
    return ""
