"""The estate agency's desk with the embedded model: a search, a follow-up, a viewing in two steps, and memory."""

from __future__ import annotations

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
    assert found["action"] == "search" and found["facts"]["search.count"] == 17 and found["thought"]
    assert "H-0703" in final(first)["text"] and final(first)["by"] == "slow"
    asks = say("I'd like to see the second one on Tuesday at the earliest time")
    assert "Shall I book the viewing of H-1314 on Tuesday" in final(asks)["text"]
    place = tmp_path / "domains" / "housing"
    assert changes(place) == ()
    assert final(say("yes please"))["text"].startswith("Booked: viewing of H-1314")
    assert [entry.details["home"] for entry in changes(place)] == ["H-1314"]

    again = ask(tmp_path, "any flats in Riverside with two bedrooms for at most 300k?", "--domain", "housing")
    assert final(again)["by"] == "memory" and "H-0703" in final(again)["text"]
    assert not any(ch.isdigit() for ch in final(ask(tmp_path, "Hello!", "--domain", "housing"))["text"])
