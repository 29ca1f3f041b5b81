"""What a loan costs, and what an income carries. Own formulae, exact to the cent; every assumption is said.

The monthly payment of an annuity over n months at the monthly rate r: P r / (1 - (1 + r)^-n), rounded to the cent;
what is paid in all is that payment n times, and the interest is what it is more than the loan.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk, ToolFault
from tools.housing.listings import Home, Listings, money
from tools.housing.ranges import Words
from tools.ledger import Findings
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

RATE, YEARS, DEPOSIT, SHARE = Decimal("3.9"), 30, Decimal(20), Decimal(35)
"""Where nothing is said: percent a year, years, percent of the price, and the percent of an income that may go
into payments."""
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Loan:
    """A loan with equal monthly payments."""

    amount: Decimal
    rate: Decimal
    """Percent a year."""
    months: int

    @property
    def payment(self) -> Decimal:
        """A month, to the cent."""
        with localcontext() as context:
            context.prec = 40
            return (self.amount * self._share()).quantize(_CENT, ROUND_HALF_UP)

    @property
    def interest(self) -> Decimal:
        """In all."""
        return max(Decimal(0), self.payment * self.months - self.amount)

    def carried_by(self, payment: Decimal) -> Decimal:
        """The largest loan of these terms for a payment a month, in whole euros."""
        with localcontext() as context:
            context.prec = 40
            return (payment / self._share()).quantize(Decimal(1), "ROUND_FLOOR")

    def _share(self) -> Decimal:
        """The part of the loan that is paid each month."""
        r = self.rate / 1200
        return r / (1 - (1 + r) ** -self.months) if r else 1 / Decimal(self.months)


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


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    listings = Listings(folder)
    return [
        plain_tool(
            "mortgage",
            "Monthly payment of a loan. Input: H-0421 with 50000 deposit over 25 years at 3.5%",
            lambda text: mortgage(text, listings),
        ),
        plain_tool(
            "affordability",
            "What price an income allows. Input: income 4200 a month, deposit 40000, debts 300",
            lambda text: affordability(text, listings),
        ),
    ]


def mortgage(text: str, listings: Listings) -> tuple[str, Findings]:
    """The payment for a home or a price. Raises ToolFault."""
    asked = clean(text, "mortgage")
    home = next(iter(listings.named(asked, 1)), None)
    words = _words(asked, home)
    terms = _terms(words)
    loan_only = words.take(rf"\b(?:loan|mortgage|borrow(?:ing)?)(?: of| amount| over)?\s+{_SUM}(?!\w)")
    bare = (
        loan_only or words.take(rf"(?:(?:price|home|flat|house)(?: of| at| for)? )?{_SUM}(?!\w)") if not home else None
    )
    if not home and not bare:
        raise ToolFault("Say for which home or sum, for example: 250000 with 50000 deposit over 25 years at 3.5%.")
    price = Decimal(home.price if home else bare[1] if bare else 0)
    deposit, assumed = (Decimal(0), terms.assumed) if loan_only and terms.deposit is None else _deposit(price, terms)
    if deposit >= price:
        raise ToolFault(f"A deposit of {money(float(deposit))} covers the whole price: no loan is needed.")
    loan = Loan(price - deposit, terms.rate, terms.months)
    of = (
        f"{home.id}, price {money(home.price)}" if home else f"{'Loan' if loan_only else 'Price'} {money(float(price))}"
    )
    less = f", deposit {_sum(deposit)}, loan {_sum(loan.amount)}" if deposit else ""
    said = (
        f"{of}{less}, {_plain(terms.rate)}% a year fixed over {_plain(terms.years)} years: "
        f"{_sum(loan.payment)} a month, total interest {_sum(loan.interest)}.{_assumptions(assumed)}"
    )
    facts = {"loan.monthly": float(loan.payment), "loan.amount": float(loan.amount), "loan.rate": float(terms.rate),
             "loan.years": float(terms.years), "loan.deposit": float(deposit), "loan.price": float(price),
             "loan.interest": float(loan.interest)}  # fmt: skip
    return said, _found(listings, home, facts)


def affordability(text: str, listings: Listings) -> tuple[str, Findings]:
    """The largest loan and price for an income. Raises ToolFault."""
    asked = clean(text, "affordability")
    home = next(iter(listings.named(asked, 1)), None)
    words = _words(asked, home)
    terms, debts = _terms(words), _debts(words)
    income, yearly = _income(words)
    if income is None:
        raise ToolFault("Say the net income, for example: income 4200 a month, deposit 40000.")
    monthly = income / 12 if yearly else income
    room = (monthly * SHARE / 100 - debts).quantize(_CENT, ROUND_HALF_UP)
    if room <= 0:
        raise ToolFault(f"Debts of {_sum(debts)} a month leave nothing of this income for a loan.")
    loan = Loan(Decimal(0), terms.rate, terms.months).carried_by(room)
    deposit = terms.deposit or Decimal(0)
    assumed = [
        *terms.assumed,
        f"at most {_plain(SHARE)}% of the net income goes into payments",
        "buying costs not included",
    ]
    said = (
        f"An income of {_sum(monthly)} a month allows payments of {_sum(room)} a month: a loan of {_sum(loan)} over "
        f"{_plain(terms.years)} years at {_plain(terms.rate)}% a year, and with a deposit of {_sum(deposit)} "
        f"a price of {_sum(loan + deposit)}.{_against(home, loan + deposit)}{_assumptions(assumed)}"
    )
    facts = {"afford.payment": float(room), "afford.loan": float(loan), "afford.price": float(loan + deposit),
             "afford.income": float(monthly), "loan.rate": float(terms.rate), "loan.years": float(terms.years),
             "loan.deposit": float(deposit)}  # fmt: skip
    if home:
        facts[f"{home.id}.affordable"] = home.price <= loan + deposit
    return said, _found(listings, home, facts)


def _found(listings: Listings, home: Home | None, facts: dict[str, float]) -> Findings:
    if home is None:
        return {"facts": facts}
    facts[f"{home.id}.price"] = home.price
    return {"facts": facts, "sources": [home.source], "depends": {"listings": listings.version()}}


def _against(home: Home | None, most: Decimal) -> str:
    if home is None:
        return ""
    gap = most - home.price
    how = f"is {_sum(gap)} below that" if gap > 0 else "is exactly that" if not gap else f"is {_sum(-gap)} above that"
    return f" {home.id} at {money(home.price)} {how}."


# -- reading

_SUM = r"(\d{3,9}(?:\.\d{1,2})?)(?: (?:euros?|eur)\b)?"


def _words(text: str, home: Home | None) -> Words:
    words = Words(text)
    while home and words.take(rf"\b{home.id.lower()}\b|\b{home.address.lower()}\b"):
        pass
    return words


def _terms(words: Words) -> Terms:
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
        assumed.append(f"a rate of {_plain(RATE)}% a year fixed")
    if not years and not months:
        assumed.append(f"{YEARS} years")
    length = Decimal(years[1]) if years else Decimal(months[1]) / 12 if months else Decimal(YEARS)
    terms = Terms(
        Decimal(rate[1]) if rate else RATE, length, deposit, Decimal(share[1]) if share else None, tuple(assumed)
    )
    if not 1 <= terms.years <= 40 or terms.rate > 25:
        raise ToolFault("Loans run for 1 to 40 years at 0 to 25% a year; give other terms.")
    return terms


def understood_terms(text: str) -> dict[str, str]:
    """Deposit, rate and years that the words give, each in words that are read again; what is not said is left out."""
    words = _words(text, None)
    while words.take(r"\bh-\d{4}\b"):
        pass
    try:
        terms = _terms(words)
    except ToolFault:
        return {}
    found: dict[str, str] = {}
    if terms.deposit_percent is not None:
        found["deposit"] = f"with {_plain(terms.deposit_percent)}% deposit"
    elif terms.deposit is not None:
        found["deposit"] = f"with {_plain(terms.deposit)} deposit" if terms.deposit else "with no deposit"
    if not any("years" in each for each in terms.assumed):
        found["years"] = f"over {_plain(terms.years)} years"
    if not any("rate" in each for each in terms.assumed):
        found["rate"] = f"at {_plain(terms.rate)}%"
    return found


def price_in(text: str) -> str:
    """A price or a loan that the words name, beside the terms; empty where they name none."""
    words = _words(text, None)
    while words.take(r"\bh-\d{4}\b"):
        pass
    try:
        _terms(words)
    except ToolFault:
        return ""
    found = words.take(r"(?<![\w.])(\d{5,8})(?![\w.]\d)")
    return found[1] if found else ""


def borrowed(text: str) -> bool:
    """Whether the sum that the words name is the loan itself, and not the price of a home."""
    words = _words(text, None)
    _terms(words)
    return bool(re.search(_BORROWED, words.rest))


def _debts(words: Words) -> Decimal:
    """A month, for other loans."""
    paid = words.take(
        r"\bpay(?:ing|s)? (\d{2,4})(?: euros?)?(?: (?:a|per|each|every) month| monthly)?(?: off)? (?:for|on) (?:a |the |my |our )?"
        r"(?:\w+ )?(?:car|loan|credit|leasing|lease|bike|studies|student|debts?)\w*"
    )
    return Decimal(paid[1]) if paid else _amount(words, _DEBTS)


_DEBTS = r"(?:debts?|other loans?|car loan|monthly loans?|obligations)"


def debts_in(text: str) -> str:
    """What goes into other loans a month, in words that are read again; empty where nothing is said of it."""
    words = _words(text, None)
    try:
        _terms(words)
    except ToolFault:
        return ""
    debts = _debts(words)
    return f"debts {_plain(debts)}" if debts else ""


def income_in(text: str) -> bool:
    """Whether a sum is named beside the terms of a loan."""
    words = _words(text, None)
    try:
        _terms(words)
    except ToolFault:
        return False
    _debts(words)
    return _income(words)[0] is not None


_BORROWED = (
    r"\b(?:loan|mortgage|credit|borrow\w*|lends?|lent)\b(?: \w+){0,4}? \d{5,8}\b|"
    r"\b\d{5,8}(?: euros?)?(?: \w+){0,2} (?:loan|mortgage|credit|borrowed|from (?:the|my|a) bank)\b|"
    r"\btake (?:out )?(?:a |an )?\d{5,8}\b"
)
_OWN = r"(?:deposit|down ?payment|down|equity|savings?|saved|own (?:money|funds)|cash)"


def _own(words: Words) -> Decimal | None:
    if words.take(r"\b(?:no|without(?: any| a)?|zero) (?:deposit|down ?payment|savings)\b"):
        return Decimal(0)
    kept = r"(?:on|in) (?:the |my |our )?(?:bank|side|savings|account)|(?:put |set )?aside|put by|in hand|(?:my|our) own"
    found = (
        words.take(rf"\b{_OWN}(?: of| is| with)? {_SUM}(?!\w)")
        or words.take(rf"\b(?<![\d.]){_SUM} (?:of |in |as |as a )?(?:{_OWN}|{kept})\b")
        or words.take(rf"\b{_OWN}(?: (?:i|we|have|has|is|there|are|about|of|around)){{1,4}} {_SUM}(?!\w)")
    )
    return Decimal(found[1]) if found else None


def _amount(words: Words, names: str) -> Decimal:
    number = r"(\d{2,6}(?:\.\d{1,2})?)(?: (?:euros?|eur)\b)?"
    found = words.take(rf"\b{names}(?: of| is| are)? {number}(?!\w)") or words.take(rf"{number} (?:of |in )?{names}\b")
    return Decimal(found[1]) if found else Decimal(0)


def _income(words: Words) -> tuple[Decimal | None, bool]:
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


def _deposit(price: Decimal, terms: Terms) -> tuple[Decimal, tuple[str, ...]]:
    if terms.deposit is not None:
        return terms.deposit, terms.assumed
    percent = terms.deposit_percent if terms.deposit_percent is not None else DEPOSIT
    assumed = () if terms.deposit_percent is not None else (f"a deposit of {_plain(percent)}% of the price",)
    return (price * percent / 100).quantize(_CENT, ROUND_HALF_UP), (*terms.assumed, *assumed)


def _assumptions(assumed: list[str] | tuple[str, ...]) -> str:
    return f" Assumed: {', '.join(assumed)}." if assumed else ""


def _sum(amount: Decimal) -> str:
    return money(float(amount))


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"
