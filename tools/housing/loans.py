"""What a loan costs, and what an income carries. Own formulae, exact to the cent; every assumption is said.

The monthly payment of an annuity over n months at the monthly rate r: P r / (1 - (1 + r)^-n), rounded to the cent;
what is paid in all is that payment n times, and the interest is what it is more than the loan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from tools.desk import ToolFault
from tools.housing.listings import Home, HomeName, Listings, money
from tools.ledger import Findings

DEPOSIT, SHARE = Decimal(20), Decimal(35)
"""Where nothing is said: percent of the price, and the percent of an income that may go into payments."""
RATE, YEARS = Decimal("3.9"), Decimal(30)
"""Where nothing is said: percent a year, years."""
_CENT = Decimal("0.01")
Euros = Annotated[Decimal, Field(ge=0, le=1_000_000_000)]


class Terms(BaseModel):
    """Of a loan; what is left out is assumed, and said to be."""

    deposit: Euros | None = Field(None, description="Own money, in euros")
    years: Annotated[Decimal, Field(ge=1, le=40)] | None = None
    rate: Annotated[Decimal, Field(ge=0, le=25)] | None = Field(None, description="Percent a year")

    def of(self, amount: Decimal) -> Loan:
        return Loan(amount, RATE if self.rate is None else self.rate, self.years or YEARS)

    @property
    def assumed(self) -> list[str]:
        rate = [f"a rate of {as_written(RATE)}% a year fixed"] if self.rate is None else []
        return rate + ([f"{YEARS} years"] if self.years is None else [])


class Bought(BaseModel):
    """What a loan is for: one of these."""

    home: HomeName | None = None
    price: Euros | None = Field(None, description="Of a home without a number")
    loan: Euros | None = Field(None, description="The sum that is borrowed, where that is what they name")


class Mortgage(Terms, Bought):
    """What `mortgage` takes."""


class Affordability(Terms):
    """What `affordability` takes."""

    income: Euros | None = Field(None, description="Net, in euros; without it the person is asked for it")
    per: Literal["month", "year"] = "month"
    debts: Euros = Field(Decimal(0), description="What they pay a month for other loans")
    home: HomeName | None = Field(None, description="A home that it is to be held against")


@dataclass(frozen=True)
class Loan:
    """A loan with equal monthly payments."""

    amount: Decimal
    rate: Decimal
    """Percent a year."""
    years: Decimal

    @property
    def months(self) -> int:
        return int(self.years * 12)

    def terms(self, deposit: Decimal) -> dict[str, Decimal]:
        """As facts."""
        return {"loan.rate": self.rate, "loan.years": self.years, "loan.deposit": deposit}

    @property
    def payment(self) -> Decimal:
        """A month, to the cent."""
        with localcontext(prec=40):
            return (self.amount * self._share()).quantize(_CENT, ROUND_HALF_UP)

    @property
    def interest(self) -> Decimal:
        """In all."""
        return max(Decimal(0), self.payment * self.months - self.amount)

    def carried_by(self, payment: Decimal) -> Decimal:
        """The largest loan of these terms for a payment a month, in whole euros."""
        with localcontext(prec=40):
            return (payment / self._share()).quantize(Decimal(1), "ROUND_FLOOR")

    def _share(self) -> Decimal:
        """The part of the loan that is paid each month."""
        r = self.rate / 1200
        return r / (1 - (1 + r) ** -self.months) if r else 1 / Decimal(self.months)


def mortgage(listings: Listings, **terms: Any) -> tuple[str, Findings]:
    """The payment for a home, a price or a loan. Raises ToolFault."""
    asked = Mortgage(**terms)
    home = listings.get(asked.home) if asked.home else None
    borrowed = asked.loan if not home and asked.price is None else None
    price = Decimal(home.price) if home else asked.price if asked.price is not None else borrowed
    if not price:
        raise ToolFault("Say for which home, which price or which loan.")
    assumed, usual = asked.assumed, Decimal(0)
    if asked.deposit is None and not borrowed:
        assumed.append(f"a deposit of {as_written(DEPOSIT)}% of the price")
        usual = (price * DEPOSIT / 100).quantize(_CENT, ROUND_HALF_UP)
    deposit = usual if asked.deposit is None else asked.deposit
    if deposit >= price:
        raise ToolFault(f"A deposit of {_sum(deposit)} covers the whole price: no loan is needed.")
    loan = asked.of(price - deposit)
    of = f"{home.id}, price {money(home.price)}" if home else f"{'Loan' if borrowed else 'Price'} {_sum(price)}"
    less = f", deposit {_sum(deposit)}, loan {_sum(loan.amount)}" if deposit else ""
    said = (
        f"{of}{less}, {as_written(loan.rate)}% a year fixed over {as_written(loan.years)} years: "
        f"{_sum(loan.payment)} a month, total interest {_sum(loan.interest)}.{_assumptions(assumed)}"
    )
    facts = {"loan.monthly": loan.payment, "loan.amount": loan.amount, "loan.interest": loan.interest}
    return said, _found(listings, home, facts | loan.terms(deposit) | {"loan.price": price})


def affordability(listings: Listings, **terms: Any) -> tuple[str, Findings]:
    """The largest loan and price for an income. Raises ToolFault."""
    asked = Affordability(**terms)
    home = listings.get(asked.home) if asked.home else None
    if asked.income is None:
        also = ", and how much have you saved as a deposit" if asked.deposit is None else ""
        raise ToolFault(f"What is your net income a month{also}?")
    monthly, deposit = asked.income / 12 if asked.per == "year" else asked.income, asked.deposit or Decimal(0)
    room = (monthly * SHARE / 100 - asked.debts).quantize(_CENT, ROUND_HALF_UP)
    if room <= 0:
        raise ToolFault(f"Debts of {_sum(asked.debts)} a month leave nothing of this income for a loan.")
    loan = asked.of(Decimal(0))
    most = loan.carried_by(room)
    share = f"at most {as_written(SHARE)}% of the net income goes into payments"
    said = (
        f"An income of {_sum(monthly)} a month allows payments of {_sum(room)} a month: a loan of {_sum(most)} over "
        f"{as_written(loan.years)} years at {as_written(loan.rate)}% a year, and with a deposit of {_sum(deposit)} "
        f"a price of {_sum(most + deposit)}.{_against(home, most + deposit)}"
        f"{_assumptions([*asked.assumed, share, 'buying costs not included'])}"
    )
    facts = {"afford.payment": room, "afford.loan": most, "afford.price": most + deposit, "afford.income": monthly}
    artifact = _found(listings, home, facts | loan.terms(deposit))
    if home:
        artifact["facts"][f"{home.id}.affordable"] = home.price <= most + deposit
    return said, artifact


def _found(listings: Listings, home: Home | None, figures: dict[str, Decimal]) -> Findings:
    facts = {name: float(value) for name, value in figures.items()}
    return listings.found([home], {**facts, f"{home.id}.price": home.price}) if home else {"facts": facts}


def _against(home: Home | None, most: Decimal) -> str:
    if home is None:
        return ""
    gap = most - home.price
    how = f"is {_sum(gap)} below that" if gap > 0 else "is exactly that" if not gap else f"is {_sum(-gap)} above that"
    return f" {home.id} at {money(home.price)} {how}."


def _assumptions(assumed: Sequence[str]) -> str:
    return f" Assumed: {', '.join(assumed)}." if assumed else ""


def _sum(amount: Decimal) -> str:
    return money(float(amount))


def as_written(number: Decimal) -> str:
    return f"{number.normalize():f}"
