"""What a loan costs, and what an income carries. Own formulae, exact to the cent; every assumption is said.

The monthly payment of an annuity over n months at the monthly rate r: P r / (1 - (1 + r)^-n), rounded to the cent;
what is paid in all is that payment n times, and the interest is what it is more than the loan.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path
from typing import TYPE_CHECKING

from tools.desk import Desk, ToolFault
from tools.housing.listings import Home, Listings, money
from tools.housing.terms import SUM, Terms, as_written, loan_words, read_debts, read_income, read_terms
from tools.ledger import Findings
from tools.plain import clean, plain_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

DEPOSIT, SHARE = Decimal(20), Decimal(35)
"""Where nothing is said: percent of the price, and the percent of an income that may go into payments."""
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
    words = loan_words(asked, home)
    terms = read_terms(words)
    loan_only = words.take(rf"\b(?:loan|mortgage|borrow(?:ing)?)(?: of| amount| over)?\s+{SUM}(?!\w)")
    bare = (
        loan_only or words.take(rf"(?:(?:price|home|flat|house)(?: of| at| for)? )?{SUM}(?!\w)") if not home else None
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
        f"{of}{less}, {as_written(terms.rate)}% a year fixed over {as_written(terms.years)} years: "
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
    words = loan_words(asked, home)
    terms, debts = read_terms(words), read_debts(words)
    income, yearly = read_income(words)
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
        f"at most {as_written(SHARE)}% of the net income goes into payments",
        "buying costs not included",
    ]
    said = (
        f"An income of {_sum(monthly)} a month allows payments of {_sum(room)} a month: a loan of {_sum(loan)} over "
        f"{as_written(terms.years)} years at {as_written(terms.rate)}% a year, and with a deposit of {_sum(deposit)} "
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


def _deposit(price: Decimal, terms: Terms) -> tuple[Decimal, tuple[str, ...]]:
    if terms.deposit is not None:
        return terms.deposit, terms.assumed
    percent = terms.deposit_percent if terms.deposit_percent is not None else DEPOSIT
    assumed = () if terms.deposit_percent is not None else (f"a deposit of {as_written(percent)}% of the price",)
    return (price * percent / 100).quantize(_CENT, ROUND_HALF_UP), (*terms.assumed, *assumed)


def _assumptions(assumed: list[str] | tuple[str, ...]) -> str:
    return f" Assumed: {', '.join(assumed)}." if assumed else ""


def _sum(amount: Decimal) -> str:
    return money(float(amount))
