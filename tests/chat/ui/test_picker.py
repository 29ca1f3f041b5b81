"""What a person does in the model picker, against servers on loopback; above all what becomes of a key."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from chat.access.accounts import Person
from chat.access.person import KEY as KEY_OF_PERSON
from chat.access.person import asked_by
from chat.fetching import Fetch
from chat.ui import picker as picking
from chat.ui.answers import router
from chat.ui.follow import Nudges
from chat.ui.model_panel import offer
from chat.ui.picker import Picker, add_picker
from minds.models.catalogue import entry
from minds.models.language import Unlisted
from minds.models.listing import PROVIDERS
from tests.chat.ui.fake import FakeDuet, fake_duet
from tests.servers import Fake, running

KEY = "sk-proj-of-the-tests-1234567890"


@pytest.fixture
def duet(tmp_path: Path) -> FakeDuet:
    return fake_duet(tmp_path)


@pytest.fixture
def picker(duet: FakeDuet, monkeypatch: pytest.MonkeyPatch) -> Picker:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DUET_KEYS"):
        monkeypatch.delenv(name, raising=False)
    return Picker(duet, Nudges(), {"Ollama": 9})  # type: ignore[arg-type]


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """Stands where OpenAI would."""
    with running("provider", KEY) as fake:
        stand_in = replace(PROVIDERS[0], url=fake.url)
        monkeypatch.setattr("minds.models.listing.PROVIDERS", (stand_in, *PROVIDERS[1:]))
        yield fake


async def test_a_key_lists_models_is_tried_and_used(picker: Picker, duet: FakeDuet, keyed: Fake) -> None:
    answer = await picker.do("key", {"text": KEY})
    assert "OpenAI" in answer["view"] and "grand-1-mini" in answer["view"] and answer["kept"]
    tried = await picker.do("try", {"url": keyed.url, "model": "grand-1-mini", "context": "128000"})
    assert "It calls tools" in tried["view"] and "128,000 tokens" in tried["view"]
    session = duet.transcript.new_session("ada").id
    spec = f"openai:grand-1-mini@{keyed.url}?context=128000"
    assert spec in tried["view"]
    said = await picker.do("use", {"session": session, "value": spec, "mind": "slow"})
    assert said["said"].startswith("The slow mind: grand-1-mini")
    assert duet.transcript.options(session).slow_model == spec != duet.transcript.options(session).fast_model
    assert duet.settings.slow_model == "embedded", "new conversations are as they were"


def test_another_model_for_a_turn_is_another_one_before_anything_is_chosen(picker: Picker, duet: FakeDuet) -> None:
    mine = replace(duet.settings.options, fast_model="openai:mine", slow_model="openai:mine")
    offered = [*picker.choices(duet.transcript.new_session("ada", options=mine).id)]
    assert len(offered) > 1 and offered[-1] == "openai:mine"


async def test_a_key_stays_where_its_owner_alone_can_read_it(
    picker: Picker, duet: FakeDuet, keyed: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answers = [await picker.do("key", {"text": KEY}), await picker.do("try", {"url": keyed.url, "model": "grand-1"})]
    keyed.key = "another"
    answers += [await picker.do("key", {"text": KEY}), await picker.do("try", {"url": keyed.url, "model": "grand-1"})]
    shown = picker.panel("") + json.dumps(answers)
    assert "does not know this key" in shown and "does not accept the key" in shown
    assert KEY not in shown and KEY not in caplog.text
    file = duet.settings.home / "keys.json"
    assert file.stat().st_mode & 0o777 == 0o600 and KEY in file.read_text()
    where = keyed.url.removesuffix("/v1")
    assert where in picker.panel("")
    assert "forgotten" in (await picker.do("forget-key", {"value": where}))["said"]
    assert where not in picker.panel("") and KEY not in file.read_text()


async def test_a_key_that_may_be_anybodys_is_sent_to_nobody_before_somebody_says_whose_it_is(
    picker: Picker, keyed: Fake
) -> None:
    keyed.key = "sk-of-somebody-1234"
    asked = await picker.do("key", {"text": keyed.key})
    assert "Whose is it?" in asked["view"] and keyed.asked == [] and keyed.key not in asked["view"]
    assert "kept" in await picker.do("key", {"text": keyed.key, "provider": "OpenAI"})


async def test_a_wrong_key_is_not_kept(picker: Picker, duet: FakeDuet, keyed: Fake) -> None:
    assert "does not know" in (await picker.do("key", {"text": "sk-proj-wrong"}))["fault"]
    assert not (duet.settings.home / "keys.json").exists()


async def test_an_address_may_want_no_key_or_one_of_its_own(picker: Picker, keyed: Fake) -> None:
    with running("vLLM") as fake:
        assert "Qwen/Qwen3-8B" in (await picker.do("key", {"text": f"{fake.url}/"}))["view"]
        assert all("Authorization" not in headers for headers in fake.headers)
    assert "wants a key" in (await picker.do("key", {"text": keyed.url}))["fault"]
    assert "kept" in await picker.do("key", {"text": keyed.url, "key": KEY})


async def test_a_provider_is_known_by_its_address_too(picker: Picker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anthropic takes a key under a name of its own."""
    with running("provider") as fake:
        anthropic = next(one for one in PROVIDERS if one.name == "Anthropic")
        monkeypatch.setattr("minds.models.listing.PROVIDERS", (replace(anthropic, url=fake.url),))
        assert "Anthropic" in (await picker.do("key", {"text": fake.url, "key": "sk-ant-1"}))["view"]
    assert {name.lower(): given for name, given in fake.headers[0].items()}["x-api-key"] == "sk-ant-1"


async def test_a_key_is_not_sent_readable(picker: Picker) -> None:
    assert "not https" in (await picker.do("key", {"text": "http://example.org/v1", "key": KEY}))["fault"]


async def test_a_key_that_can_be_none_is_not_sent(picker: Picker) -> None:
    said = await picker.do("key", {"text": "http://127.0.0.1:9/v1", "key": "clé"})
    assert "copy it again" in said["fault"]


async def test_an_address_is_found_as_it_was_pasted(picker: Picker) -> None:
    with running("vLLM") as fake:
        bare = fake.url.removesuffix("/v1")
        for pasted in (bare, f"{bare}/", f"{fake.url}/chat/completions", f"{fake.url}/models"):
            assert f'data-url="{fake.url}"' in (await picker.do("key", {"text": pasted}))["view"]
        fake.status = 404
        unlisted = (await picker.do("key", {"text": bare}))["view"]
        assert "has no list" in unlisted and 'name="named"' in unlisted and "<select" not in unlisted
        fake.asked.clear()
        assert "has no list" in (await picker.do("key", {"text": f"{fake.url}?api-version=1"}))["view"]
        assert fake.asked == ["GET /v1/models?api-version=1"], "no key goes to /v1/v1"


async def test_without_a_list_a_key_is_kept_once_a_model_answers_to_it(
    picker: Picker, duet: FakeDuet, keyed: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_list(url: str, key: str, name: str = "") -> None:
        raise Unlisted("has no list")

    monkeypatch.setattr(picking, "models_at", no_list)
    file = duet.settings.home / "keys.json"
    for key, kept in (("sk-wrong-1234567", False), (KEY, True)):
        assert "fault" not in await picker.do("key", {"text": keyed.url, "key": key})
        assert not file.exists()
        await picker.do("try", {"url": keyed.url, "model": "grand-1"})
        assert file.exists() == kept
    assert KEY in file.read_text()


async def test_a_key_that_the_whole_address_refuses_is_told_so(picker: Picker, duet: FakeDuet, keyed: Fake) -> None:
    bare = keyed.url.removesuffix("/v1")
    assert "does not know this key" in (await picker.do("key", {"text": bare, "key": "sk-wrong-1234567"}))["fault"]
    assert not (duet.settings.home / "keys.json").exists()


async def test_what_no_spec_can_say_behind_an_address_is_left_out(picker: Picker) -> None:
    with running("vLLM") as fake:
        view = (await picker.do("key", {"text": f"{fake.url}/models?foo=1"}))["view"]
        assert f'data-url="{fake.url}"' in view and fake.asked == ["GET /v1/models"]


async def test_a_key_of_the_settings_is_not_kept_once_more(
    picker: Picker, duet: FakeDuet, keyed: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would outlive the one that takes its place there."""
    monkeypatch.setenv("DUET_KEYS", f"{keyed.url}={KEY}")
    assert "grand-1" in (await picker.do("key", {"text": keyed.url}))["view"]
    assert not (duet.settings.home / "keys.json").exists()


@pytest.mark.parametrize("text", ["", "   ", "two words", "localhost:11434", "api.example.com/v1", "api.example.com"])
async def test_what_is_neither_key_nor_address_is_told(picker: Picker, text: str) -> None:
    assert "Paste a key" in (await picker.do("key", {"text": text}))["fault"]


async def test_what_runs_here_is_looked_for_when_somebody_asks(duet: FakeDuet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picking, "probed", lambda home: pytest.fail("what runs here is shown first"))
    with running("Ollama") as fake:
        picker = Picker(duet, Nudges(), {"Ollama": fake.port})  # type: ignore[arg-type]
        assert "Looking" in picker.panel("") and fake.asked == []
        await picker.do("look", {})
        assert "qwen3:4b" in picker.panel("") and fake.asked == ["GET /v1/models"]
        tried = await picker.do("try", {"url": fake.url, "model": "qwen3:4b"})
        assert "It reads 4,096 tokens" in tried["view"] and "context=4096" in tried["view"]
    gone = await picker.do("try", {"url": fake.url, "model": "qwen3:4b"})
    assert "cannot be reached" in gone["view"]


async def test_how_quick_this_machine_is_is_not_measured_beside_an_answer(
    picker: Picker, duet: FakeDuet, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[Path] = []
    monkeypatch.setattr(picking, "probed", measured.append)
    monkeypatch.setattr(duet.runs, "under_way", lambda: [("s", 1)])
    assert await asyncio.wait_for(picker.do("probe", {}), 10) == {} and measured == []
    monkeypatch.setattr(duet.runs, "under_way", lambda: [])
    assert await picker.do("probe", {}) == {} and measured == [duet.settings.home]


async def test_weights_are_fetched_and_then_used(
    picker: Picker, duet: FakeDuet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(weights: Any, models_dir: Path, tell: Any) -> None:
        models_dir.mkdir(exist_ok=True)
        weights.path(models_dir).touch()

    monkeypatch.setattr("minds.models.weights.fetch", fetch)
    session = duet.transcript.new_session("ada").id
    await picker.do("fetch-use", {"session": session, "value": "embedded:4b", "mind": "both", "also": True})
    await asyncio.gather(*picker._waiting)
    options = duet.transcript.options(session)
    assert options.fast_model == options.slow_model == duet.settings.fast_model == "embedded:4b"
    row = picker.panel(session).partition('data-key="embedded:4b"')[2]
    assert "fast and slow" in row and entry("4b").title in row


async def test_weights_that_do_not_come_change_nothing(
    picker: Picker, duet: FakeDuet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    await picker.do("fetch-use", {"value": "embedded:4b", "mind": "both"})
    await asyncio.gather(*picker._waiting)
    [failed] = duet.fetching.all()
    assert failed.state == "failed" and "could not be fetched" in failed.fault
    assert duet.settings.fast_model == "embedded"
    await picker.do("drop-fetch", {"value": "embedded:4b"})
    assert duet.fetching.all() == []


async def test_a_machine_without_the_hub_is_told_one_sentence(picker: Picker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    fault = (await picker.do("hub", {"text": "some/repo/tiny.gguf"}))["fault"]
    assert "cannot be reached" in fault and fault.endswith(".") and "\n" not in fault
    assert "gguf:hf:OWNER" in (await picker.do("hub", {"text": "nonsense"}))["fault"]


async def test_sessions_of_others_and_what_makes_no_sense_are_refused(picker: Picker, duet: FakeDuet) -> None:
    foreign = duet.transcript.new_session("bob").id
    used = {"session": foreign, "value": "embedded:4b", "mind": "both"}
    assert "There is no conversation" in (await picker.do("use", used))["fault"]
    assert duet.transcript.options(foreign).fast_model == "embedded"
    for what, asked in (("use", {"value": "nonsense"}), ("fetch", {"value": "x:y"}), ("dance", {}), ("try", {})):
        assert (await picker.do(what, asked))["fault"].endswith(".")


async def test_who_is_no_admin_chooses_among_the_models_that_are_allowed(picker: Picker, duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    with asked_by({KEY_OF_PERSON: Person("ada", admin=False)}):
        for what in ("fetch", "fetch-use", "key", "try", "hub", "forget-key", "stop-fetch", "drop-fetch"):
            assert "by the admins" in (await picker.do(what, {"value": "embedded:4b", "text": KEY}))["fault"]
        panel = picker.panel(session)
        assert "Looking" not in panel and "No Ollama" not in panel, "nor what runs on this machine"
        assert "Fetch" not in panel and "by the admins" in panel
        assert "admins" in (await picker.do("use", {"session": session, "value": "embedded:4b"}))["fault"]
        duet.settings = replace(duet.settings, allowed_models="embedded:1.5b")
        offered = re.findall(r'data-do="use" data-value="(.*?)"', picker.panel(session))
        assert offered == ["embedded", "embedded:1.5b"] and [*picker.choices(session)] == offered[::-1]
        for spec in offered:  # each of them can be chosen
            assert "said" in await picker.do("use", {"session": session, "value": spec})
        used = {"session": session, "value": "embedded:1.5b", "also": True}
        assert "said" in await picker.do("use", used)
        assert duet.transcript.options(session).slow_model == "embedded:1.5b" != duet.settings.slow_model
        assert "not begun" in (await picker.do("use", {"value": "embedded:1.5b"}))["fault"]


async def test_a_mind_that_is_not_touched_keeps_a_model_that_may_no_longer_be_chosen(
    picker: Picker, duet: FakeDuet
) -> None:
    session = duet.transcript.new_session("bob").id
    duet.settings = replace(duet.settings, fast_model="openai:x", slow_model="openai:x")
    with asked_by({KEY_OF_PERSON: Person("bob", admin=False)}):
        used = {"session": session, "value": "openai:x", "mind": "fast"}
        assert "said" in await picker.do("use", used)
        assert "admins" in (await picker.do("use", {**used, "value": "embedded:4b"}))["fault"]
    assert duet.transcript.options(session).fast_model == "openai:x"
    assert duet.transcript.options(session).slow_model == "embedded"


def test_who_may_fetch_nothing_is_offered_no_button() -> None:
    for admin in (True, False):
        waits = offer([entry("4b")], [], admin=admin)
        going = offer([], [Fetch("embedded:4b")], admin=admin)
        assert "is not on this machine yet" in waits and "Fetching" in going
        assert ('data-do="fetch"' in waits, 'data-do="stop-fetch"' in going) == (admin, admin)


def test_the_routes(duet: FakeDuet) -> None:
    app = FastAPI()
    own = router()
    add_picker(own, duet, Nudges(), {})  # type: ignore[arg-type]
    app.include_router(own)
    client = TestClient(app)
    assert "Qwen3 4B" in client.get("/models").text
    assert "There is no conversation" in client.get("/models?c=nowhere").text
    assert client.post("/models/use", content=b"no json").status_code == 400
    assert client.post("/models/use", json=[1]).status_code == 400
    told = client.post("/models/use", json={"value": "embedded:1.5b", "mind": "fast"}).json()["said"]
    assert told == "The fast mind: Qwen2.5 Coder 1.5B, from the next message on."
