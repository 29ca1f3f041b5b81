"""kill -9 in the middle of a slow run: nothing acknowledged is lost, and the run can be taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.process import Server, serving

pytestmark = pytest.mark.real


def test_a_killed_server_loses_nothing_and_its_run_resumes(tmp_path: Path) -> None:
    server = Server(tmp_path)
    session = server.post("/sessions", user="ada")["session"]
    hello = server.post("/turns", session=session, text="hello there")["turn"]
    server.until(session, hello, "end")
    turn = server.post("/turns", session=session, text="What is 387 times 46?")["turn"]
    server.until(session, turn, "run", "act")
    server.kill()

    with serving(tmp_path) as back:
        assert back.post("/sessions", user="ada", session=session)["session"] == session
        before = back.until(session, turn, "end")
        assert before[0]["data"]["text"] == "What is 387 times 46?"
        assert before[-1]["data"] == {"state": "interrupted"}
        assert [e["data"]["text"] for e in back.until(session, hello, "end") if e["kind"] == "turn"] == ["hello there"]
        back.post(f"/{session}/resume")
        events = back.until(session, turn, "end", after=before[-1]["seq"])
        [reply] = [e["data"] for e in events if e["kind"] == "reply" and e["data"]["final"]]
        assert "17802" in reply["text"].replace(",", "") and events[-1]["data"] == {"state": "done"}
