"""The page's routes, without a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from chat.ui.page import mount
from tests.chat.ui.fake import FakeDuet, fake_duet
from tests.tools.test_pictures import file


@pytest.fixture(scope="module")
def duet(tmp_path_factory: pytest.TempPathFactory) -> FakeDuet:
    return fake_duet(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(duet: FakeDuet) -> Iterator[TestClient]:
    async def mounted() -> FastAPI:
        return mount(FastAPI(), duet)  # type: ignore[arg-type]

    app = asyncio.run(mounted())  # where no loop runs, Gradio makes some for its locks and never closes them
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
        yield client


def test_the_page_names_no_other_host(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200 and "static-duet/page.js" in answer.text
    assert "fonts.googleapis" not in answer.text and "cdnjs" not in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    config = client.get("/config").json()
    assert config["analytics_enabled"] is False and config["run_history"] is False
    assert config["max_file_size"] == 20 * 1024 * 1024
    assert all(dependency["api_visibility"] == "private" for dependency in config["dependencies"])


async def test_no_turn_waits_for_another(duet: FakeDuet) -> None:
    from chat.ui.actions import Actions
    from chat.ui.follow import Nudges
    from chat.ui.page import build_page

    handlers = [fn for fn in build_page(duet, Actions(duet, Nudges())).fns.values() if fn.fn]  # type: ignore[arg-type]
    assert len(handlers) >= 4 and {fn.concurrency_limit for fn in handlers} == {None}


async def test_the_fields_of_the_settings_are_stored_as_they_stand(duet: FakeDuet) -> None:
    import gradio

    from chat.ui.actions import Actions
    from chat.ui.follow import Nudges
    from chat.ui.page import build_page

    page = build_page(duet, Actions(duet, Nudges()))  # type: ignore[arg-type]
    [save] = [fn for fn in page.fns.values() if fn.inputs_as_dict]
    request, session = gradio.Request(), duet.transcript.new_session("ada").id
    request.request = SimpleNamespace(scope={"type": "http", "headers": []})  # type: ignore[assignment]
    fields: list[Any] = [session, "library", " embedded:0.5b ", "embedded", "react", "auto", 1, None, True]
    told = await page.process_api(save, fields, request=request)
    assert told["data"][0]["said"] == "Saved for this conversation."
    stored = duet.transcript.options(session)
    assert (stored.domain, stored.fast_model, stored.strategy) == ("library", "embedded:0.5b", "react")
    assert (stored.temperature, stored.length, stored.memory) == (1.0, 0, True)


async def test_a_picture_is_shown_to_whose_conversation_it_is_of(client: TestClient, duet: FakeDuet) -> None:
    for user, status in (("ada", 200), ("bob", 404)):
        session = duet.transcript.new_session(user).id
        await duet.runs.add_picture(session, "red.png", file("PNG"))
        [shown] = duet.transcript.waiting(session)
        answer = client.get(f"/pictures/{session}/{shown['id']}")
        assert answer.status_code == status
        assert answer.headers["content-type"].startswith("image/jpeg" if status == 200 else "text/plain")
    assert client.get(f"/pictures/{session}/{'0' * 32}").status_code == 404


def test_exports_are_files_of_this_users_conversations(client: TestClient, duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada", 'Züge & "sums"').id
    turn = duet.transcript.begin_turn(session, "What is 387 times 46?").turn
    duet.transcript.append(session, turn, "reply", {"by": "slow", "text": "17,802", "final": True, "invoke": False})
    duet.transcript.append(session, turn, "end", {"state": "done"})
    answer = client.get(f"/conversations/{session}.md")
    named = "attachment; filename*=UTF-8''Z%C3%BCge----sums.md"
    assert "17,802" in answer.text and answer.headers["content-disposition"] == named
    assert "17,802" in json.dumps(client.get(f"/conversations/{session}.json").json())
    duet.settings = replace(duet.settings, timezone="Pacific/Kiritimati")
    day = f"{datetime.now(ZoneInfo('Pacific/Kiritimati')):%Y-%m-%d %H:}"
    assert f"## You, {day}" in client.get(f"/conversations/{session}.md").text, "the person's clock"
    foreign = duet.transcript.new_session("bob").id
    for name in (f"{foreign}.md", f"{session}.exe", "nope.json", session):
        refused = client.get(f"/conversations/{name}")
        assert refused.status_code == 404 and "choose one from the list" in refused.text
        german = client.get(f"/conversations/{name}", headers={"accept-language": "de"})
        assert german.text == "So eine Unterhaltung gibt es nicht; wähle eine aus der Liste."
    assert 'role="alert"' in client.get("/models", params={"c": foreign}).raise_for_status().text


def test_the_list_is_searched(client: TestClient, duet: FakeDuet) -> None:
    duet.transcript.new_session("ada", "zebras")
    assert "zebras" in client.get("/conversations", params={"search": "zebra"}).text
    assert "No conversation" in client.get("/conversations", params={"search": "giraffes"}).text


def test_nothing_else_on_the_disk_is_served(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    for path in (f"/gradio_api/file={tmp_path / 'secret.txt'}", "/static-duet/../page.py", "/gradio_api/file=main.py"):
        assert client.get(path).status_code in (403, 404)


def test_what_a_click_asks_for_is_answered_past_gradio(client: TestClient, duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    renamed = client.post("/act/rename", json={"session": session, "text": "Boats"})
    assert renamed.json() == {"do": "rename"} and duet.transcript.session(session).title == "Boats"
    refused = client.post("/act/send", json={"session": "nowhere", "text": "kept words"}).json()
    assert refused["refused"] == "kept words" and "There is no conversation" in refused["fault"]
    for body in (b"", b"no JSON", b"[1]", b"[" * 100_000):
        answer = client.post("/act/stop", content=body)
        assert answer.status_code == 400 and "reload it" in answer.json()["fault"]
