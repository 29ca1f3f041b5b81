"""The estate agency's desk with the embedded model: a search, a viewing in two steps, and memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.real.process import ask, final
from tools.domains import changes

pytestmark = pytest.mark.real


def test_from_a_search_to_a_viewing(tmp_path: Path) -> None:
    first = ask(tmp_path, "Do you have 2 bedroom flats in Riverside under 300000?", "--domain", "housing")
    session = str(first[0]["session"])

    def say(text: str) -> list[dict[str, Any]]:
        return ask(tmp_path, text, "--session", session)

    [found] = [e for e in first if e["event"] == "step"]
    assert found["action"] == "search" and found["facts"]["search.count"] == 17
    assert "H-0703" in final(first)["text"] and final(first)["by"] == "slow"
    free = re.search(r"(\w+day, \d+ \w+) \d{4} at (\d+:\d\d)", final(say("When can I see H-1314?"))["text"])
    assert free
    asks = say(f"Please book H-1314 for {free[1]} at {free[2]}.")
    assert f"Shall I book the viewing of H-1314 on {free[1]}" in final(asks)["text"]
    place = tmp_path / "domains" / "housing"
    assert changes(place) == ()
    assert final(say("yes please"))["text"].startswith("Booked: viewing of H-1314")
    assert [entry.details["home"] for entry in changes(place)] == ["H-1314"]

    again = ask(tmp_path, "2 bedroom flats in Riverside for at most 300k?", "--domain", "housing")
    assert final(again)["by"] == "memory" and "H-0703" in final(again)["text"]
    assert not any(ch.isdigit() for ch in final(ask(tmp_path, "Hello!", "--domain", "housing"))["text"])
