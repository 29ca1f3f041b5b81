"""Speech becomes words, without a Whisper: what is missing is said, and who waits keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from chat.ui import hearing
from chat.ui.answers import router
from chat.ui.hearing import Hearing, add_hearing


def test_what_is_missing_is_one_sentence_with_the_python_of_duet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "find_spec", lambda name: None)
    said = Hearing("base").missing()
    assert ".venv/bin/python -m pip install faster-whisper" in said and said.endswith(".") and "\n" not in said


async def test_recordings_that_wait_leave_the_threads_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()
    monkeypatch.setattr(Hearing, "words", lambda self, sound: str(going.wait(20)))
    app, duet = FastAPI(), SimpleNamespace(settings=SimpleNamespace(whisper="base"))
    own = router()
    add_hearing(own, duet)  # type: ignore[arg-type]
    app.include_router(own)
    transport: Any = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        asked = [asyncio.create_task(client.post("/hear", content=b"sound")) for _ in range(40)]
        await asyncio.sleep(0.5)
        try:
            assert await asyncio.wait_for(asyncio.to_thread(str, "free"), 5) == "free"
        finally:
            going.set()
        answers = await asyncio.gather(*asked)
    assert [answer.json() for answer in answers] == [{"text": "True"}] * 40
