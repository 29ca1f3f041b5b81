"""What a small model may write in the arguments of the estate agency's tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tools.desk import Desk, Exchange
from tools.domains import prepare
from tools.housing.desk import choices, make
from tools.typed import narrowed


def test_no_tool_gets_a_sum_or_a_home_that_nobody_named(tmp_path: Path) -> None:
    place = prepare("housing", tmp_path)
    desk = Desk("s", datetime(2026, 11, 22, tzinfo=UTC), said="what can I afford?")
    nothing, _ = narrowed(make(desk, place)["affordability"], choices(desk, place)) or ({}, [])
    assert not {"income", "deposit", "debts", "home"} & nothing.keys()
    told = Desk("s", desk.now, said="2900 a month", past=(Exchange("what does H-0421 cost?", "245,000 euros"),))
    fields, _ = narrowed(make(told, place)["affordability"], choices(told, place)) or ({}, [])
    assert fields["income"] == {"enum": [2900]} and fields["home"] == {"enum": ["H-0421"]}
