"""Turns that are nothing but an expression, and those that look like one."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk
from tools.expression import program
from tools.python import execute

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
DESK = Desk("s1", NOW)
DATA = Path(__file__).parents[1] / "data" / "chat"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("387*46", "387*46 = 17802"),
        ("(3+4)^2 / 7", "(3+4)^2 / 7 = 7"),
        ("12 km in miles", "12 km ≈ 7.456454 miles"),
        ("15% of 80", "15% of 80 = 12"),
        ("72 °F to C", "72 °F ≈ 22.22222 C"),
        ("days until 24 December", "days until 24 December: 31 (2026-11-23 → 2026-12-24)"),
        ("387 × 46 =", "387 × 46 = 17802"),
        ("3,5*2", "3,5*2 = 7"),
        ("1.234,5 + 1", "1.234,5 + 1 = 1235.5"),
        ("1,234.5*2", "1,234.5*2 = 2469"),
        ("√16", "√16 = 4"),
        ("sqrt(2)", "sqrt(2) ≈ 1.414213562"),
        ("12345678.91 * 12", "12345678.91 * 12 = 148148146.92"),
        ("999999999.99 + 0.005", "999999999.99 + 0.005 = 999999999.995"),
        ("10 − 3", "10 − 3 = 7"),
        ("1234567.89 - 1234567.88", "1234567.89 - 1234567.88 = 0.01"),
        ("8.1 * 3 - 24.3 =", "8.1 * 3 - 24.3 = 0"),
        ("10.5 - 1/3", "10.5 - 1/3 ≈ 10.16666667"),
        ("20 GB in kB", "20 GB = 20000000 kB (decimal: 1 GB = 1000 MB)"),
        ("144 ÷ 12", "144 ÷ 12 = 12"),
        ("= 5-3", "5-3 = 2"),
        ("387 - 46", "387 - 46 = 341"),
        ("1000/8", "1000/8 = 125"),
        ("5 ft 7 in in cm", "5 ft 7 in = 170.18 cm"),
        ("5' 7\" to cm", "5 ' 7 \" = 170.18 cm"),
        ("3 cups to ml", "3 cups ≈ 709.7647 ml (US measures)"),
        ("-40 C to F", "-40 C = -40 F"),
        ("8 l/100km in mpg", "8 l/100km ≈ 29.40182 mpg (US measures)"),
        ("30 UK mpg in l/100km", "30 UK mpg ≈ 9.416031 l/100km"),
        ("3 m² in ft²", "3 m^2 ≈ 32.29173 ft^2"),
        ("15 % von 80", "15 % von 80 = 12"),
        ("80 + 15%", "80 + 15% = 92"),
        ("200 - 15%", "200 - 15% = 170"),
        ("2^100", "2^100 = 1267650600228229401496703205376"),
        ("0.1+0.2", "0.1+0.2 = 0.3"),
        ("-2^2*3", "-2^2*3 = -12"),
        ("days since 1 March 2020", "days since 1 March 2020: 2458 (2020-03-01 → 2026-11-23)"),
        (
            "days between 1 March 2026 and 24 December 2026",
            "days between 1 March 2026 and 24 December 2026: 298 (2026-03-01 → 2026-12-24)",
        ),
        ("weeks until 24 December", "weeks until 24 December: 4.429 (2026-11-23 → 2026-12-24)"),
        ("Tage bis 24. Dezember", "Tage bis 24. Dezember: 31 (2026-11-23 → 2026-12-24)"),
        ("days until 1 February", "days until 1 February: 70 (2026-11-23 → 2027-02-01)"),
        ("days until 29 February", "days until 29 February: 463 (2026-11-23 → 2028-02-29)"),
        ("today + 90 days", "today + 90 days = 2027-02-21 (Sunday)"),
        ("2026-01-31 + 1 month", "2026-01-31 + 1 month = 2026-02-28 (Saturday)"),
        ("2026-12-24 - 90 days", "2026-12-24 - 90 days = 2026-09-25 (Friday)"),
        ("20 - 7.35", "20 - 7.35 = 12.65"),
        ("1,5 kg in g", "1.5 kg = 1500 g"),
        ("5 GB in MB", "5 GB = 5000 MB (decimal: 1 GB = 1000 MB)"),
        ("17 * 23?", "17 * 23 = 391"),
        ("10/3=", "10/3 ≈ 3.333333333"),
        ("2*pi", "2*pi ≈ 6.283185307"),
        ("1234567890123/2 =", "1234567890123/2 = 617283945061.5"),
    ],
)
def test_an_expression_is_a_program_that_tells_its_value(said: str, told: str) -> None:
    made = program(said, NOW.date())
    assert made is not None
    assert execute(made, DESK)[0] == told


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        "24/7",
        "50/50",
        "9/11",
        "2-3",
        "10-12",
        "1-0",
        "555-1234",
        "1-800-555-0199",
        "978-3-16-148410-0",
        "2026-11-23",
        "12345-6789",
        "+49 89 1234567",
        "+49-89-123",
        "089/123456",
        "030 - 12345",
        "3.11.2",
        "v1.2.3",
        "1.2.3-4",
        "24.12.",
        "24.12.2026",
        "24/12/2026",
        "$5",
        "5 €",
        "£12.50",
        "12",
        "12 km",
        "15%",
        "50% - 30%",
        "20-30%",
        "20 - 30%",
        "9-5",
        "9 - 5",
        "2 - 1",
        "120/80",
        "8/10",
        "7.5/10",
        "2024/25",
        "2023/2024",
        "11/2026",
        "1920x1080",
        "4x4",
        "1,000*3",
        "2 weeks in Rome",
        "3 days in May",
        "5 min to go",
        "100 USD in EUR",
        "20 pounds in euros",
        "3 days in a week",
        "12 in",
        "in 3 days",
        "7 in 10",
        "5/0",
        "9^9^9",
        "0/0",
        "5!",
        "2 of 3",
        "10:30",
        "10:30-11:00",
        "1-2-3",
        "4 + ",
        "*5*",
        "C++ 11",
        "3 + 4 = 7",
        "days until Christmas",
        "days until 45 December",
        "days until my 24 December party",
        "days since 24 December 2027",
        "24 December",
        "5 kg to g of sugar",
        "2 + 2 is 4",
        "1/2",
        "2026 - 11 - 23",
        "10.0.0.1/24",
        "2 points to me",
        "24 / 7",
        "9 / 11",
        "555 - 1234",
        "31.12 - 24.12",
        "3-4/5",
        "12/24-12/31",
        "sqrt",
        "007*3",
        "1 day in Mars",
        "5 k in min",
        "4-3-3",
        "1e5*3",
        "100 - 200",
        "978 - 3 - 16 - 148410 - 0",
        "1.234 * 2",
        "what is 2+2",
        "20% of 50 + 10",
        "20% of 200 - 5",
        "2+2 please",
        "12 km in apples",
        "-5",
        "(555)",
        "(555)-1234",
        "3 + x",
        "E=mc^2",
        "12 km in km of rope",
        "2026-02-30 + 1 day",
        "10 1/2",
        "387*46 387*46",
        "1 + 1 = 3",
        "days until 24",
        "3*44444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444444",
        "",
    ],
)
def test_what_may_mean_something_else_is_left_to_the_minds(said: str) -> None:
    assert program(said, NOW.date()) is None


def test_today_is_noted_where_it_counts() -> None:
    for said, depends in (("days until 24 December", True), ("2026-12-24 - 90 days", False), ("387*46", False)):
        made = program(said, NOW.date())
        assert made is not None
        assert bool(execute(made, DESK)[1].get("depends")) is depends


@pytest.mark.parametrize("name", ["ordinary", "dev"])
def test_no_turn_of_ordinary_talk_is_taken(name: str) -> None:
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    turns = [turn for row in rows for turn in row.get("turns", [row.get("text", "")])]
    taken = [turn for turn in turns if program(turn, NOW.date())]
    print(f"{name}: {len(taken)} of {len(turns)} turns taken")
    assert len(turns) > 200 and taken == []
