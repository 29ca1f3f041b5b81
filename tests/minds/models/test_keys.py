"""A key goes to the address it belongs to and to no other: two real servers on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from minds.models import ModelSettings, open_model
from minds.models.keys import OFFICIAL, addresses, forget_key, keep_key, key_of
from minds.models.language import Refused

KEY, OWN = "sk-official1234567890", "sk-own=1234567890"
ASK = [HumanMessage("hi")]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "DUET_KEYS"):
        monkeypatch.delenv(name, raising=False)


async def said(url: str) -> str:
    model = open_model(f"openai:m@{url}", ModelSettings(models_dir=Path(), first=5.0, between=5.0, retries=0))
    return "".join([piece async for piece in model.stream(ASK)])


async def test_another_address_gets_no_key(fake: Any) -> None:
    fake.then(lambda call: call.say("ok"))
    assert await said(fake.url) == "ok"
    assert fake.keys == ["Bearer none"]


async def test_the_key_belongs_to_the_base_url_and_not_to_its_neighbour(
    fake: Any, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
    for server in (fake, other):
        server.then(lambda call: call.say("ok"))
        assert await said(server.url) == "ok"
    assert (fake.keys, other.keys) == ([f"Bearer {KEY}"], ["Bearer none"])


async def test_an_address_may_have_a_key_of_its_own(fake: Any, other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
    monkeypatch.setenv("DUET_KEYS", f"https://example.org/v1=sk-third  {other.url}={OWN}")
    for server in (fake, other):
        server.then(lambda call: call.say("ok"))
        await said(server.url)
    assert (fake.keys, other.keys) == ([f"Bearer {KEY}"], [f"Bearer {OWN}"])


async def test_what_else_the_environment_says_of_the_account_stays_with_it(
    fake: Any, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-private")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: team-private\nAuthorization: Bearer header-private")
    for server in (fake, other):
        server.then(lambda call: call.say("ok"))
        await said(server.url)
    assert "org-private" in str(fake.headers) and "team-private" in str(fake.headers)
    assert "private" not in str(other.headers) and KEY not in str(other.headers)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_nothing_is_sent_on_to_another_address(
    fake: Any, other: Any, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
    other.then(lambda call: call.say("stolen"))
    fake.then(lambda call: call.status(code, headers={"Location": f"{other.url}/chat/completions"}))
    with pytest.raises(Refused, match="sends its callers on") as caught:
        await said(fake.url)
    assert str(caught.value).endswith(".") and other.headers == []


def test_only_the_same_scheme_host_and_port_are_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for same in (OFFICIAL, "https://api.openai.com", "https://API.openai.com:443/v1/", "https://x:y@api.openai.com/v2"):
        assert key_of(same) == KEY, same
    for elsewhere in (
        "http://api.openai.com/v1", "https://api.openai.com:444/v1", "https://api.openai.com.example.org/v1",
        "https://example.org/https://api.openai.com/v1", "https://api.openai.com@example.org/v1",
        "https://api.openai.com\\@example.org/v1", "https://example.org#@api.openai.com/v1",
        "https://openai.com/v1", "https://eu.api.openai.com/v1", "https://api.openai.com./v1",
    ):  # fmt: skip
        try:
            assert key_of(elsewhere) == "", elsewhere
        except Refused:  # no address at all
            continue
    monkeypatch.setenv("OPENAI_BASE_URL", "https://example.org/v1")
    assert key_of(OFFICIAL) == "" and key_of("https://example.org") == KEY


def test_an_address_elsewhere_without_a_key_is_refused_with_what_to_set() -> None:
    with pytest.raises(Refused, match=r"DUET_KEYS=https://example\.org/v1=KEY") as caught:
        open_model("openai:m@https://example.org/v1", ModelSettings(models_dir=Path()))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("keys", [OWN, "https://example.org/v1", "example.org=sk-x", "https://h:port/v1=sk-x", "=sk-x"])
def test_keys_that_cannot_be_read_are_told_without_the_key(keys: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUET_KEYS", keys)
    with pytest.raises(Refused, match="DUET_KEYS must be") as caught:
        key_of("http://localhost:1/v1")
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-clé", "sk-\u200bx"])
def test_a_key_that_can_be_none_is_told_as_such(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Refused, match=r"key for https://api\.openai\.com .* copy it again") as caught:
        key_of(OFFICIAL)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://localhost:x/v1", "http://[::1/v1", "http://:80/v1"])
def test_what_is_no_address_is_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(Refused, match="no address"):
        open_model(f"openai:m@{url}", ModelSettings(models_dir=Path()))


# -- keys that were pasted on the page


async def test_a_pasted_key_is_its_owners_alone_and_goes_to_its_address_alone(
    fake: Any, other: Any, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    keep_key(f"{fake.url}/some/path", OWN, file)
    assert file.stat().st_mode & 0o777 == 0o600 and addresses(file) == [fake.url.removesuffix("/v1")]
    for server in (fake, other):
        server.then(lambda call: call.say("ok"))
        settings = ModelSettings(models_dir=tmp_path, keys=file, first=5.0, retries=0)
        model = open_model(f"openai:m@{server.url}", settings)
        assert [piece async for piece in model.stream(ASK)] == ["ok"]
    assert (fake.keys, other.keys) == ([f"Bearer {OWN}"], ["Bearer none"])
    forget_key(addresses(file)[0], file)
    assert addresses(file) == [] and key_of(fake.url, file) == ""


def test_a_pasted_key_comes_before_the_environments_account_and_behind_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.json"
    assert key_of(OFFICIAL, file) == KEY, "none was pasted"
    keep_key("https://API.openai.com:443/v1", "sk-pasted", file)
    assert key_of(OFFICIAL, file) == "sk-pasted" and key_of("https://example.org/v1", file) == ""
    monkeypatch.setenv("DUET_KEYS", f"{OFFICIAL}={OWN}")
    assert key_of(OFFICIAL, file) == OWN
    file.write_text("damaged")
    assert addresses(file) == []
