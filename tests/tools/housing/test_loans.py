"""Loans to the cent, held against a month-by-month account, and the words they are asked for in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.housing.listings import Home
from tools.housing.loans import Loan


@pytest.mark.parametrize(
    ("amount", "rate", "years", "payment"),
    [
        ("200000", "4", 30, "954.83"),
        ("100000", "5", 15, "790.79"),
        ("250000", "3.5", 25, "1251.56"),
        ("120000", "0", 10, "1000.00"),
        ("300000", "6", 30, "1798.65"),
        ("165000", "4.5", 30, "836.03"),
    ],
)
def test_payments_as_in_published_tables(amount: str, rate: str, years: int, payment: str) -> None:
    assert Loan(Decimal(amount), Decimal(rate), years * 12).payment == Decimal(payment)


@pytest.mark.parametrize("rate", ["0.1", "1.25", "3.9", "7", "18"])
@pytest.mark.parametrize("years", [1, 7, 30, 40])
def test_the_last_payment_clears_the_debt(rate: str, years: int) -> None:
    loan = Loan(Decimal(237_500), Decimal(rate), years * 12)
    r, left = Fraction(rate) / 1200, Fraction(237_500)
    for _ in range(years * 12):
        left = left * (1 + r) - Fraction(loan.payment)
    # Rounding to the cent each month leaves less than half a cent's annuity.
    most = Fraction(1, 200) * (((1 + r) ** (years * 12) - 1) / r)
    assert abs(left) <= most
    assert loan.interest == loan.payment * years * 12 - 237_500


def test_what_a_payment_carries_is_the_largest_loan() -> None:
    for payment in (Decimal(400), Decimal("1170.55"), Decimal(3000)):
        terms = Loan(Decimal(0), Decimal("3.9"), 360)
        most = terms.carried_by(payment)
        assert (
            Loan(most, terms.rate, 360).payment <= payment < Loan(most + 2, terms.rate, 360).payment + Decimal("0.01")
        )


@pytest.mark.parametrize(
    ("text", "amount", "rate", "years"),
    [
        ("250000 with 50000 deposit over 25 years at 3.5%", 200_000, 3.5, 25),
        ("loan of 200k 25 years 4.1 percent", 200_000, 4.1, 25),
        ("price 300000, 20% deposit, 30 years", 240_000, 3.9, 30),
        ("300,000 euros", 240_000, 3.9, 30),
        ("deposit=40000 price=240000 rate=3.5 years=25", 200_000, 3.5, 25),
        ("€250k, 50k down, 180 months", 200_000, 3.9, 15),
        ("250000 without deposit at 2% for 20 years", 250_000, 2, 20),
        ("home for 200000 with savings of 80000", 120_000, 3.9, 30),
        ("what is the monthly payment for a 400000 euro house with 25% down?", 300_000, 3.9, 30),
        ("borrow 150000 at an interest rate of 5% over 10 years", 150_000, 5, 10),
    ],
)
def test_terms_in_many_words(use: Use, text: str, amount: int, rate: float, years: int) -> None:
    said, artifact = use("mortgage", text)
    facts = artifact["facts"]
    assert (facts["loan.amount"], facts["loan.rate"], facts["loan.years"]) == (amount, rate, years)
    loan = Loan(Decimal(amount), Decimal(str(rate)), years * 12)
    assert facts["loan.monthly"] == float(loan.payment) and f"{loan.payment:,.2f}".removesuffix(".00") in said


def test_a_home_brings_its_price_and_assumptions_are_said(use: Use, homes: list[Home]) -> None:
    text, artifact = use("mortgage", "what would H-0007 cost me a month?")
    assert artifact["facts"]["loan.price"] == homes[6].price and artifact["sources"] == ["listing H-0007"]
    assert "Assumed: a rate of 3.9% a year fixed, 30 years, a deposit of 20% of the price." in text
    assert "Assumed" not in use("mortgage", "H-0007 with 60000 deposit at 4% over 20 years")[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello", "Say for which home or sum"),
        ("250000 with 300000 deposit", "covers the whole price"),
        ("250000 over 90 years", "1 to 40 years"),
        ("250000 at 90%", "0 to 25%"),
        ("H-9999", "no home H-9999"),
    ],
)
def test_faults(use: Use, text: str, sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("mortgage", text)


@pytest.mark.parametrize(
    ("text", "income", "payment", "deposit"),
    [
        ("income 4200 a month, deposit 40000, debts 300", 4200, 1170, 40_000),
        ("we earn 60000 a year and have 50k saved", 5000, 1750, 50_000),
        ("I make 3,200 euros net per month", 3200, 1120, 0),
        ("income=4000 deposit=20000", 4000, 1400, 20_000),
        ("4500 monthly, no savings", 4500, 1575, 0),
        ("yearly income 48000, car loan 200", 4000, 1200, 0),
    ],
)
def test_what_an_income_allows(use: Use, text: str, income: int, payment: float, deposit: int) -> None:
    said, artifact = use("affordability", text)
    facts = artifact["facts"]
    assert (facts["afford.income"], facts["afford.payment"], facts["loan.deposit"]) == (income, payment, deposit)
    loan = Loan(Decimal(0), Decimal("3.9"), 360).carried_by(Decimal(str(payment)))
    assert facts["afford.price"] == loan + deposit and "at most 35% of the net income" in said


def test_affordable_or_not(use: Use, homes: list[Home]) -> None:
    text, artifact = use("affordability", "can I afford H-0007 with an income of 3,500 and 80000 savings")
    gap = homes[6].price - artifact["facts"]["afford.price"]
    assert artifact["facts"]["H-0007.affordable"] is (gap <= 0)
    assert (f"is {abs(gap):,.0f} euros above that" if gap > 0 else "below that") in text
    with pytest.raises(ToolFault, match="Say the net income"):
        use("affordability", "how much can I afford?")
    with pytest.raises(ToolFault, match="leave nothing of this income"):
        use("affordability", "income 900 debts 500")
