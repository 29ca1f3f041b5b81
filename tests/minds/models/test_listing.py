"""Which models a server has: what runs on this machine, and what a key opens."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from minds.models.language import ModelFault, Refused
from minds.models.listing import PORTS, PROVIDERS, loaded_context, models_at, provider_of, running_here
from tests.servers import running

KEY = "sk-of-the-tests-1234567890"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "HF_TOKEN"):
        monkeypatch.setenv(name, "sk-private")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


async def test_each_kind_of_server_is_found_on_its_port_and_asked_one_question_without_a_key() -> None:
    with ExitStack() as stack:
        fakes = {kind: stack.enter_context(running(kind)) for kind in PORTS}
        found = {one.name: one for one in await running_here({kind: fake.port for kind, fake in fakes.items()})}
        assert set(found) == {"Ollama", "LM Studio", "llama-server", "vLLM"}
        for kind, fake in fakes.items():
            assert fake.asked == ["GET /v1/models"] and found[kind].url == fake.url
            assert "private" not in str(fake.headers) and "Authorization" not in fake.headers[0]
        names = {kind: (one.models[0].name, one.models[0].context) for kind, one in found.items()}
    assert names == {
        "Ollama": ("qwen3:4b", 0),
        "LM Studio": ("qwen/qwen3-4b", 0),
        "llama-server": ("gemma.gguf", 8192),
        "vLLM": ("Qwen/Qwen3-8B", 40960),
    }


async def test_another_program_on_the_port_is_told_by_what_it_says_of_itself() -> None:
    with running("llama-server") as fake:
        [found] = await running_here({"vLLM": fake.port})
        assert found.name == "llama-server"


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"[]", b'{"data": [{"name": "x"}, 7]}', b'{"data": null}'])
async def test_what_is_no_model_server_is_left_alone(body: bytes) -> None:
    with running("Ollama") as fake:
        fake.body = body
        assert await running_here({"Ollama": fake.port, "vLLM": 9}) == []


async def test_a_silent_port_does_not_keep_a_person_waiting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert await running_here({"vLLM": silent.getsockname()[1]}) == []


async def test_ollama_tells_the_context_that_it_loaded() -> None:
    with running("Ollama") as fake, running("vLLM") as other:
        assert await loaded_context(fake.url, "qwen3:4b") == 4096
        assert await loaded_context(fake.url, "another") == 0
        assert await loaded_context(other.url, "qwen3:4b") == 0
        assert await loaded_context("http://127.0.0.1:9/v1", "m") == 0


# -- a key


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("sk-proj-abc", "OpenAI"), ("sk-ant-api03-abc", "Anthropic"), ("sk-or-v1-abc", "OpenRouter"),
        ("gsk_abc", "Groq"),
        ("AIzaSyabc", "Google Gemini"), ("xai-abc", "xAI"), ("hf_abc", "Hugging Face"),
    ],
)  # fmt: skip
def test_a_key_is_known_by_how_it_begins(key: str, name: str) -> None:
    found = provider_of(key)
    assert found is not None and found.name == name


@pytest.mark.parametrize("key", ["sk-abc", "0123456789abcdef", ""])
def test_a_key_that_may_be_anybodys_is_nobodys(key: str) -> None:
    assert provider_of(key) is None


def test_providers_are_reached_by_https_alone() -> None:
    assert all(one.url.startswith("https://") and not one.url.endswith("/") for one in PROVIDERS)
    assert len({one.name for one in PROVIDERS}) == len(PROVIDERS)


async def test_a_key_lists_what_it_opens() -> None:
    with running("provider", KEY) as fake:
        models = await models_at(fake.url, KEY)
        assert [(one.name, one.context) for one in models] == [("grand-1", 0), ("grand-1-mini", 128_000)]
        with pytest.raises(Refused, match="does not know this key"):
            await models_at(fake.url, "sk-wrong")
        with pytest.raises(Refused, match="wants a key"):
            await models_at(fake.url, "")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (301, "sends its callers on"), (401, "copy it again"), (402, "no credit"), (403, "that right"),
        (404, "ends in /v1"),
        (429, "wait a little"), (500, "status 500"),
    ],
)  # fmt: skip
async def test_each_failure_is_one_sentence_without_the_key(status: int, words: str) -> None:
    with running("provider") as fake:
        fake.status = status
        with pytest.raises(ModelFault, match=words) as caught:
            await models_at(fake.url, KEY)
    assert KEY not in str(caught.value) and str(caught.value).endswith(".")
    assert len(fake.asked) == 1, "nothing is sent on"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "https://[::1", "http://127.0.0.1:99999/v1", "http:///v1"])
async def test_an_address_where_nobody_is_is_told(url: str) -> None:
    with pytest.raises(ModelFault, match="address") as caught:
        await models_at(url, KEY)
    assert KEY not in str(caught.value) and KEY not in repr(caught.value.__cause__)


async def test_a_server_that_is_none_and_one_without_models_are_told() -> None:
    with running("provider") as fake:
        for body, words in ((b"<html>", "not as a model server"), (b'{"data": []}', "lists no models")):
            fake.body = body
            with pytest.raises(ModelFault, match=words):
                await models_at(fake.url, KEY)


@pytest.mark.parametrize("where", ["x.openai.azure.com", "x.services.ai.azure.com"])
async def test_azure_is_given_a_key_as_for_its_models(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    sent: list[dict[str, str]] = []

    async def rows(url: str, headers: dict[str, str], patience: float) -> list[dict[str, str]]:
        sent.append(headers)
        return [{"id": "m"}]

    monkeypatch.setattr("minds.models.listing._rows", rows)
    await models_at(f"https://{where}/openai/v1", KEY)
    assert sent == [{"Authorization": f"Bearer {KEY}", "api-key": KEY}]
