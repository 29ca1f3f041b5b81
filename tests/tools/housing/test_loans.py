"""Loans to the cent, held against a month-by-month account."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from pydantic import ValidationError

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
    assert Loan(Decimal(amount), Decimal(rate), Decimal(years)).payment == Decimal(payment)


@pytest.mark.parametrize("rate", ["0.1", "1.25", "3.9", "7", "18"])
@pytest.mark.parametrize("years", [1, 7, 30, 40])
def test_the_last_payment_clears_the_debt(rate: str, years: int) -> None:
    loan = Loan(Decimal(237_500), Decimal(rate), Decimal(years))
    r, left = Fraction(rate) / 1200, Fraction(237_500)
    for _ in range(years * 12):
        left = left * (1 + r) - Fraction(loan.payment)
    # Rounding to the cent each month leaves less than half a cent's annuity.
    most = Fraction(1, 200) * (((1 + r) ** (years * 12) - 1) / r)
    assert abs(left) <= most
    assert loan.interest == loan.payment * years * 12 - 237_500


def test_what_a_payment_carries_is_the_largest_loan() -> None:
    for payment in (Decimal(400), Decimal("1170.55"), Decimal(3000)):
        terms = Loan(Decimal(0), Decimal("3.9"), Decimal(30))
        most = terms.carried_by(payment)
        assert (
            Loan(most, terms.rate, Decimal(30)).payment
            <= payment
            < Loan(most + 2, terms.rate, Decimal(30)).payment + Decimal("0.01")
        )


@pytest.mark.parametrize(
    ("terms", "amount", "rate", "years"),
    [
        ({"price": 250_000, "deposit": 50_000, "years": 25, "rate": 3.5}, 200_000, 3.5, 25),
        ({"loan": 200_000, "years": 25, "rate": 4.1}, 200_000, 4.1, 25),
        ({"price": 300_000}, 240_000, 3.9, 30),
        ({"price": 250_000, "deposit": 0, "rate": 0, "years": 20}, 250_000, 0, 20),
        ({"loan": 150_000, "rate": "5", "years": "10"}, 150_000, 5, 10),
        ({"loan": 200_000, "deposit": 50_000}, 200_000, 3.9, 30),
        ({"home": "H-0001", "loan": 200_000}, 200_000, 3.9, 30),
        ({"price": 250_000, "loan": 300_000}, 300_000, 3.9, 30),
    ],
)
def test_terms(use: Use, terms: dict[str, float], amount: int, rate: float, years: int) -> None:
    said, artifact = use("mortgage", **terms)
    facts = artifact["facts"]
    assert (facts["loan.amount"], facts["loan.rate"], facts["loan.years"]) == (amount, rate, years)
    loan = Loan(Decimal(amount), Decimal(str(rate)), Decimal(years))
    assert facts["loan.monthly"] == float(loan.payment) and f"{loan.payment:,.2f}".removesuffix(".00") in said


def test_what_a_loan_and_own_money_leave_open_is_said(use: Use) -> None:
    said = use("mortgage", price=250_000, loan=200_000, deposit=20_000)[0]
    assert "With your own 20,000 euros, 30,000 euros of the price are lacking." in said
    assert "lacking" not in use("mortgage", price=250_000, loan=200_000, deposit=50_000)[0]
    assert "total interest 0 euros" in use("mortgage", price=300_000, rate=0)[0]
    with pytest.raises(ToolFault, match="What is your net income"):
        use("affordability", income=0)


@pytest.mark.parametrize("years", [0, 50])
def test_a_term_that_no_loan_has_is_asked_again_in_a_sentence(use: Use, years: int) -> None:
    for tool, more in (("mortgage", {"price": 250_000}), ("affordability", {"income": 3_000})):
        with pytest.raises(ToolFault, match="Loans run for 1 to 40 years; which term shall it be"):
            use(tool, years=years, **more)


def test_a_home_brings_its_price_and_assumptions_are_said(use: Use, homes: list[Home]) -> None:
    text, artifact = use("mortgage", home="H-0007")
    assert artifact["facts"]["loan.price"] == homes[6].price and artifact["sources"] == ["listing H-0007"]
    assert "Assumed: a rate of 3.9% a year fixed, 30 years, a deposit of 20% of the price." in text
    assert "Assumed" not in use("mortgage", home="H-0007", deposit=60_000, rate=4, years=20)[0]


def test_what_a_named_loan_leaves_of_a_price_is_the_deposit(use: Use, homes: list[Home]) -> None:
    text, artifact = use("mortgage", home="H-0001", loan=200_000, deposit=10)
    assert artifact["facts"]["loan.deposit"] == homes[0].price - 200_000
    assert "loan 200,000 euros" in text and "20% of the price" not in text
    assert use("mortgage", loan=200_000, deposit=50_000)[0].startswith("Loan 200,000 euros, 3.9% a year")


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({}, "Say for which home, which price or which loan"),
        ({"price": 250_000, "deposit": 300_000}, "covers the whole price"),
        ({"home": "H-9999"}, "no home H-9999"),
    ],
)
def test_faults(use: Use, terms: dict[str, object], sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("mortgage", **terms)


@pytest.mark.parametrize("terms", [{"loan": 1, "rate": 90}, {"price": -5}, {"loan": "much"}])
def test_terms_that_no_loan_has_are_refused(use: Use, terms: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        use("mortgage", **terms)


@pytest.mark.parametrize(
    ("asked", "income", "payment", "deposit"),
    [
        ({"income": 4200, "deposit": 40_000, "debts": 300}, 4200, 1170, 40_000),
        ({"income": 60_000, "per": "year", "deposit": 50_000}, 5000, 1750, 50_000),
        ({"income": 3200}, 3200, 1120, 0),
    ],
)
def test_what_an_income_allows(use: Use, asked: dict[str, object], income: int, payment: float, deposit: int) -> None:
    said, artifact = use("affordability", **asked)
    facts = artifact["facts"]
    assert (facts["afford.income"], facts["afford.payment"], facts["loan.deposit"]) == (income, payment, deposit)
    loan = Loan(Decimal(0), Decimal("3.9"), Decimal(30)).carried_by(Decimal(str(payment)))
    assert facts["afford.price"] == loan + deposit and "at most 35% of the net income" in said


def test_affordable_or_not(use: Use, homes: list[Home]) -> None:
    text, artifact = use("affordability", home="H-0007", income=3500, deposit=80_000)
    gap = homes[6].price - artifact["facts"]["afford.price"]
    assert artifact["facts"]["H-0007.affordable"] is (gap <= 0)
    assert (f"is {abs(gap):,.0f} euros above that" if gap > 0 else "below that") in text
    for told, asked in (({}, "income a month, and how much"), ({"deposit": 80_000}, "income a month?")):
        with pytest.raises(ToolFault, match=re.escape(asked)):
            use("affordability", **told)
    with pytest.raises(ToolFault, match="leave nothing of this income"):
        use("affordability", income=900, debts=500)
