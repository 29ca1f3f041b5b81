"""What a loan costs, and what an income carries. Own formulae, exact to the cent; every assumption is said.

The monthly payment of an annuity over n months at the monthly rate r: P r / (1 - (1 + r)^-n), rounded to the cent;
what is paid in all is that payment n times, and the interest is what it is more than the loan.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Annotated, Literal

from pydantic import Field

from tools.desk import ToolFault
from tools.housing.listings import Home, HomeName, Listings, money
from tools.ledger import Findings

DEPOSIT, SHARE = Decimal(20), Decimal(35)
"""Where nothing is said: percent of the price, and the percent of an income that may go into payments."""
RATE, YEARS = Decimal("3.9"), Decimal(30)
"""Where nothing is said: percent a year, years."""
_CENT = Decimal("0.01")
Euros = Annotated[Decimal, Field(ge=0, le=1_000_000_000)]
Deposit = Annotated[Euros | None, Field(description="Own money, in euros")]
Years = Annotated[Decimal | None, Field(description="1 to 40")]
Rate = Annotated[Annotated[Decimal, Field(ge=0, le=25)] | None, Field(description="Percent a year")]
Price = Annotated[Euros | None, Field(description="Of a home without a number")]
Borrowed = Annotated[Euros | None, Field(description="The sum that is borrowed, where that is what they name")]
Income = Annotated[Euros | None, Field(description="Net, in euros; without it the person is asked for it")]
Debts = Annotated[Euros, Field(description="What they pay a month for other loans")]
Against = Annotated[HomeName | None, Field(description="A home that it is to be held against")]


@dataclass(frozen=True)
class Loan:
    """A loan with equal monthly payments."""

    amount: Decimal
    rate: Decimal
    """Percent a year."""
    years: Decimal

    @classmethod
    def of(cls, amount: Decimal, rate: Decimal | None, years: Decimal | None) -> tuple[Loan, list[str]]:
        """With what was assumed of its terms. Raises ToolFault."""
        said = {f"a rate of {RATE}% a year fixed": rate, f"{YEARS} years": years}
        if years is not None and not 1 <= years <= 40:
            raise ToolFault("Loans run for 1 to 40 years; which term shall it be?")
        return cls(amount, RATE if rate is None else rate, years or YEARS), [it for it in said if said[it] is None]

    @property
    def months(self) -> int:
        return int(self.years * 12)

    @property
    def payment(self) -> Decimal:
        """A month, to the cent."""
        with localcontext(prec=40):
            return (self.amount * self._share()).quantize(_CENT, ROUND_HALF_UP)

    @property
    def interest(self) -> Decimal:
        """In all."""
        return max(Decimal(0), self.payment * self.months - self.amount) if self.rate else Decimal(0)

    def carried_by(self, payment: Decimal) -> Decimal:
        """The largest loan of these terms for a payment a month, in whole euros."""
        with localcontext(prec=40):
            return (payment / self._share()).quantize(Decimal(1), "ROUND_FLOOR")

    def _share(self) -> Decimal:
        """The part of the loan that is paid each month."""
        r = self.rate / 1200
        return r / (1 - (1 + r) ** -self.months) if r else 1 / Decimal(self.months)


def mortgage(
    listings: Listings,
    home: HomeName | None = None,
    price: Price = None,
    loan: Borrowed = None,
    deposit: Deposit = None,
    years: Years = None,
    rate: Rate = None,
) -> tuple[str, Findings]:
    """The payment for a home, a price or a loan. Raises ToolFault."""
    seen = listings.get(home) if home else None
    price = Decimal(seen.price) if seen else price
    if not (whole := loan if price is None else price):
        raise ToolFault("Say for which home, which price or which loan.")
    lacks = whole - loan - deposit if loan and deposit is not None else Decimal(0)
    deposit = max(whole - loan, Decimal(0)) if loan else deposit  # a loan that is named is what is lent
    own = (price * DEPOSIT / 100).quantize(_CENT, ROUND_HALF_UP) if deposit is None and price else deposit or Decimal(0)
    if own >= whole:
        raise ToolFault(f"A deposit of {money(own)} covers the whole price: no loan is needed.")
    lent, assumed = Loan.of(loan or whole - own, rate, years)
    assumed += [f"a deposit of {DEPOSIT}% of the price"] if deposit is None and price else []
    of = f"{seen.id}, price" if seen else "Price" if price else "Loan"
    less = f", deposit {money(own)}, loan {money(lent.amount)}" if lent.amount != whole else ""
    said = (
        f"{of} {money(whole)}{less}, {as_written(lent.rate)}% a year fixed over {as_written(lent.years)} years: "
        f"{money(lent.payment)} a month, total interest {money(lent.interest)}."
    )
    said += f" With your own {money(own - lacks)}, {money(lacks)} of the price are lacking." if lacks > 0 else ""
    said += f" Assumed: {', '.join(assumed)}." if assumed else ""
    facts = {"monthly": lent.payment, "amount": lent.amount, "interest": lent.interest, "price": whole}
    return said, _found(listings, seen, lent, own, {f"loan.{name}": value for name, value in facts.items()})


def affordability(
    listings: Listings,
    deposit: Deposit = None,
    years: Years = None,
    rate: Rate = None,
    income: Income = None,
    per: Literal["month", "year"] = "month",
    debts: Debts = Decimal(0),
    home: Against = None,
) -> tuple[str, Findings]:
    """The largest loan and price for an income. Raises ToolFault."""
    seen = listings.get(home) if home else None
    if not income:
        also = ", and how much have you saved as a deposit" if deposit is None else ""
        raise ToolFault(f"What is your net income a month{also}?")
    monthly, own = income / 12 if per == "year" else income, deposit or Decimal(0)
    room = (monthly * SHARE / 100 - debts).quantize(_CENT, ROUND_HALF_UP)
    if room <= 0:
        raise ToolFault(f"Debts of {money(debts)} a month leave nothing of this income for a loan.")
    loan, assumed = Loan.of(Decimal(0), rate, years)
    most = loan.carried_by(room)
    price = most + own
    assumed += [f"at most {SHARE}% of the net income goes into payments", "buying costs not included"]
    said = (
        f"An income of {money(monthly)} a month allows payments of {money(room)} a month: a loan of {money(most)} over "
        f"{as_written(loan.years)} years at {as_written(loan.rate)}% a year, and with a deposit of {money(own)} "
        f"a price of {money(price)}."
    )
    facts = {"afford.payment": room, "afford.loan": most, "afford.price": price, "afford.income": monthly}
    artifact = _found(listings, seen, loan, own, facts)
    if seen:
        gap = price - seen.price
        artifact["facts"][f"{seen.id}.affordable"] = gap >= 0
        how = f"{money(abs(gap))} {'below' if gap > 0 else 'above'} that" if gap else "exactly that"
        said += f" {seen.id} at {money(seen.price)} is {how}."
    return f"{said} Assumed: {', '.join(assumed)}.", artifact


def _found(listings: Listings, home: Home | None, loan: Loan, own: Decimal, more: dict[str, Decimal]) -> Findings:
    figures = {"loan.rate": loan.rate, "loan.years": loan.years, "loan.deposit": own, **more}
    facts = {name: float(value) for name, value in figures.items()}
    return listings.found([home], {**facts, f"{home.id}.price": home.price}) if home else {"facts": facts}


def as_written(number: Decimal) -> str:
    return f"{number.normalize():f}"
