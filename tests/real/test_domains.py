"""The estate agency's desk with the embedded model: a search, a viewing in two steps, and memory."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.real.process import MODEL, ask, final
from tools.desk import Desk
from tools.domains import changes, open_domain, prepare

pytestmark = pytest.mark.real

FLATS = "Do you have 2 bedroom flats in Riverside under 300000?"


def free_time(place: Path) -> tuple[str, str]:
    """The first at which H-1314 can be seen: `Friday, 27 November`, `10:00`."""
    desk = Desk("", datetime.now(UTC))
    told = open_domain("housing").make(desk, place)["viewing_slots"].invoke({"home": "H-1314"})
    found = re.search(r"(\w+day, \d+ \w+) \d{4} at (\d+:\d\d)", told)
    assert found
    return found[1], found[2]


def test_a_search_is_read_worked_out_and_known_again(tmp_path: Path) -> None:
    first = ask(tmp_path, FLATS, "--domain", "housing")
    [found] = [e for e in first if e["event"] == "step"]
    assert found["action"] == "search" and found["facts"]["search.count"] == 17
    assert "H-0703" in final(first)["text"] and final(first)["by"] == "slow"
    again = ask(tmp_path, FLATS, "--session", str(first[0]["session"]))
    assert final(again)["by"] == "memory" and "H-0703" in final(again)["text"]


@pytest.mark.skipif(MODEL == "embedded:0.5b", reason="the smallest model is no help at a desk beyond a search")
def test_a_viewing_is_booked_after_a_yes(tmp_path: Path) -> None:
    place = prepare("housing", tmp_path / "domains")
    day, hour = free_time(place)
    asks = ask(tmp_path, f"Please book a viewing of H-1314 on {day} at {hour}.", "--domain", "housing")
    assert final(asks)["text"].startswith(f"Shall I book the viewing of H-1314 on {day}") and changes(place) == ()
    done = ask(tmp_path, "yes please", "--session", str(asks[0]["session"]))
    assert final(done)["text"].startswith("Booked: viewing of H-1314")
    assert [entry.details["home"] for entry in changes(place)] == ["H-1314"]
