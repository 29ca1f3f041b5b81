"""Reads the terms of a loan out of words: rate, years, deposit, debts, income, and which sum is the loan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from tools.desk import ToolFault
from tools.housing.listings import Home
from tools.housing.ranges import Words

RATE, YEARS = Decimal("3.9"), 30
"""Where nothing is said: percent a year, years."""


@dataclass(frozen=True)
class Terms:
    """What was read of rate, years and deposit, and what was assumed instead."""

    rate: Decimal
    years: Decimal
    deposit: Decimal | None
    deposit_percent: Decimal | None
    assumed: tuple[str, ...]

    @property
    def months(self) -> int:
        return int(self.years * 12)


SUM = r"(\d{3,9}(?:\.\d{1,2})?)(?: (?:euros?|eur)\b)?"


def loan_words(text: str, home: Home | None) -> Words:
    words = Words(text)
    while home and words.take(rf"\b{home.id.lower()}\b|\b{home.address.lower()}\b"):
        pass
    return words


def read_terms(words: Words) -> Terms:
    """Takes rate, years and deposit out of the words."""
    assumed: list[str] = []
    share = words.take(r"(\d{1,2}(?:\.\d+)?) ?(?:%|percent) (?:deposit|down(?: ?payment)?|equity|own money|own funds)")
    share = share or words.take(
        r"(?:deposit|down ?payment|equity|own (?:money|funds))(?: of| is)? (\d{1,2}(?:\.\d+)?) ?(?:%|percent)"
    )
    deposit = None if share else _own(words)
    rate = words.take(r"(\d{1,2}(?:\.\d+)?) ?(?:%|percent)") or words.take(
        r"\b(?:interest(?: rate)?|rate)(?: of| is| at)? (\d{1,2}(?:\.\d+)?)(?!\w)"
    )
    years = words.take(r"(\d{1,2}(?:\.5)?)[ -]?(?:years?|yrs?|y)\b") or words.take(
        r"\b(?:term|years?|over)(?: of| is)? (\d{1,2})\b"
    )
    months = None if years else words.take(r"(\d{2,3}) months\b")
    if not rate:
        assumed.append(f"a rate of {as_written(RATE)}% a year fixed")
    if not years and not months:
        assumed.append(f"{YEARS} years")
    length = Decimal(years[1]) if years else Decimal(months[1]) / 12 if months else Decimal(YEARS)
    terms = Terms(
        Decimal(rate[1]) if rate else RATE, length, deposit, Decimal(share[1]) if share else None, tuple(assumed)
    )
    if not 1 <= terms.years <= 40 or terms.rate > 25:
        raise ToolFault("Loans run for 1 to 40 years at 0 to 25% a year; give other terms.")
    return terms


def _sums(text: str) -> Words:
    """The words without the numbers of homes, which are no sums."""
    words = loan_words(text, None)
    while words.take(r"\bh-\d{4}\b"):
        pass
    return words


def understood_terms(text: str) -> dict[str, str]:
    """Deposit, rate and years that the words give, each in words that are read again; what is not said is left out."""
    words = _sums(text)
    try:
        terms = read_terms(words)
    except ToolFault:
        return {}
    found: dict[str, str] = {}
    if terms.deposit_percent is not None:
        found["deposit"] = f"with {as_written(terms.deposit_percent)}% deposit"
    elif terms.deposit is not None:
        found["deposit"] = f"with {as_written(terms.deposit)} deposit" if terms.deposit else "with no deposit"
    if not any("years" in each for each in terms.assumed):
        found["years"] = f"over {as_written(terms.years)} years"
    if not any("rate" in each for each in terms.assumed):
        found["rate"] = f"at {as_written(terms.rate)}%"
    return found


def price_in(text: str) -> str:
    """A price or a loan that the words name, beside the terms; empty where they name none."""
    words = _sums(text)
    try:
        read_terms(words)
    except ToolFault:
        return ""
    found = words.take(r"(?<![\w.])(\d{5,8})(?![\w.]\d)")
    return found[1] if found else ""


def borrowed(text: str) -> bool:
    """Whether the sum that the words name is the loan itself, and not the price of a home."""
    words = loan_words(text, None)
    read_terms(words)
    return bool(re.search(_BORROWED, words.rest))


def read_debts(words: Words) -> Decimal:
    """A month, for other loans."""
    paid = words.take(
        r"\bpay(?:ing|s)? (\d{2,4})(?: euros?)?(?: (?:a|per|each|every) month| monthly)?(?: off)? (?:for|on) (?:a |"
        r"the |my |our )?"
        r"(?:\w+ )?(?:car|loan|credit|leasing|lease|bike|studies|student|debts?)\w*"
    )
    return Decimal(paid[1]) if paid else _amount(words, _DEBTS)


_DEBTS = r"(?:debts?|other loans?|car loan|monthly loans?|obligations)"


def debts_in(text: str) -> str:
    """What goes into other loans a month, in words that are read again; empty where nothing is said of it."""
    words = loan_words(text, None)
    try:
        read_terms(words)
    except ToolFault:
        return ""
    debts = read_debts(words)
    return f"debts {as_written(debts)}" if debts else ""


def income_in(text: str) -> bool:
    """Whether a sum is named beside the terms of a loan."""
    words = _sums(text)
    try:
        read_terms(words)
    except ToolFault:
        return False
    read_debts(words)
    return read_income(words)[0] is not None


_BORROWED = (
    r"\b(?:loan|mortgage|credit|borrow\w*|lends?|lent)\b(?: \w+){0,4}? \d{5,8}\b|"
    r"\b\d{5,8}(?: euros?)?(?: \w+){0,2} (?:loan|mortgage|credit|borrowed|from (?:the|my|a) bank)\b|"
    r"\btake (?:out )?(?:a |an )?\d{5,8}\b"
)
_OWN = r"(?:deposit|down ?payment|down|equity|savings?|saved|own (?:money|funds)|cash)"


def _own(words: Words) -> Decimal | None:
    if words.take(r"\b(?:no|without(?: any| a)?|zero) (?:deposit|down ?payment|savings)\b"):
        return Decimal(0)
    kept = (
        r"(?:on|in) (?:the |my |our )?(?:bank|side|savings|account)|(?:put |set )?aside|put by|in hand|"
        r"(?:my|our) own"
    )
    found = (
        words.take(rf"\b{_OWN}(?: of| is| with)? {SUM}(?!\w)")
        or words.take(rf"\b(?<![\d.]){SUM} (?:of |in |as |as a )?(?:{_OWN}|{kept})\b")
        or words.take(rf"\b{_OWN}(?: (?:i|we|have|has|is|there|are|about|of|around)){{1,4}} {SUM}(?!\w)")
    )
    return Decimal(found[1]) if found else None


def _amount(words: Words, names: str) -> Decimal:
    number = r"(\d{2,6}(?:\.\d{1,2})?)(?: (?:euros?|eur)\b)?"
    found = words.take(rf"\b{names}(?: of| is| are)? {number}(?!\w)") or words.take(rf"{number} (?:of |in )?{names}\b")
    return Decimal(found[1]) if found else Decimal(0)


def read_income(words: Words) -> tuple[Decimal | None, bool]:
    """A sum, and whether it is a year's."""
    kinds = "(?:net |monthly |yearly |annual |household )*"
    names = rf"(?:{kinds}(?:income|salary|earnings|wages?)|(?:i|we) (?:earn|make))"
    period = r"(?:,? (?:net )?(?:a|per|each|every) (\w+)|,? (monthly|yearly|annually))?"
    number = r"(\d{3,7}(?:\.\d{1,2})?)(?: (?:euros?|eur)\b)?(?: net)?"
    found = words.take(rf"\b({names})(?: of| is|:)? {number}{period}") or words.take(
        rf"\b(){number}{period}(?: (?:net )?(?:income|salary))?"
    )
    if not found:
        return None, False
    said = f"{found[1]} {found[3] or ''} {found[4] or ''}"
    yearly = bool(re.search(r"year|annu", said)) or (Decimal(found[2]) >= 20_000 and "month" not in said)
    return Decimal(found[2]), yearly


def as_written(number: Decimal) -> str:
    return f"{number.normalize():f}"
