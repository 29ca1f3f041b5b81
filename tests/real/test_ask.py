"""The first thing a newcomer tries: a sum, the same again, and another user."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.process import ask, final

pytestmark = pytest.mark.real


def test_a_sum_is_worked_out_then_remembered_and_only_for_its_user(tmp_path: Path) -> None:
    first = ask(tmp_path, "What is 387 times 46?", "--user", "ada")
    assert [e["invoke"] for e in first if e["event"] == "reply"] == [True, False]
    steps = [e for e in first if e["event"] == "step"]
    assert "python" in [e["action"] for e in steps] and all(e["thought"] and e["observation"] for e in steps)
    assert "17802" in final(first)["text"].replace(",", "") and final(first)["by"] == "slow"

    again = ask(tmp_path, "what is 387  times 46", "--user", "ada")
    assert final(again)["by"] == "memory" and "17802" in final(again)["text"].replace(",", "")
    assert not [e for e in again if e["event"] in ("run", "act", "step")]

    other = ask(tmp_path, "what's 387 multiplied by 46", "--user", "ben")
    assert final(other)["by"] != "memory" and [e for e in other if e["event"] == "step"]
