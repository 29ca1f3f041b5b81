from __future__ import annotations

from pathlib import Path

import pytest

from minds.models import FORMS, ModelSettings, open_model, parse
from minds.models.language import BadSpec, Missing, Refused

SETTINGS = ModelSettings(models_dir=Path("nowhere"))


@pytest.mark.parametrize(
    ("text", "kind", "name", "base_url", "options"),
    [
        ("embedded", "embedded", "", "", {}),
        ("embedded:1.5b", "embedded", "1.5b", "", {}),
        ("gguf:~/a b/x.gguf", "gguf", "~/a b/x.gguf", "", {}),
        ("openai:gpt-4.1", "openai", "gpt-4.1", "", {}),
        ("openai:qwen3:4b@http://localhost:11434/v1/", "openai", "qwen3:4b", "http://localhost:11434/v1", {}),
        ("openai:m@http://localhost/v1/chat/completions?tools=0", "openai", "m", "http://localhost/v1", {"tools": "0"}),
        (
            "openai:@cf/meta/llama@https://host/v1?tools=0",
            "openai",
            "@cf/meta/llama",
            "https://host/v1",
            {"tools": "0"},
        ),
        ("hf:Qwen/Qwen2.5-0.5B?quant=4bit", "hf", "Qwen/Qwen2.5-0.5B", "", {"quant": "4bit"}),
        (" gguf:a.gguf ", "gguf", "a.gguf", "", {}),
    ],
)
def test_parse(text: str, kind: str, name: str, base_url: str, options: dict[str, str]) -> None:
    spec = parse(text)
    assert (spec.kind, spec.name, spec.base_url, spec.options) == (kind, name, base_url, options)
    assert spec.text == text.strip()


@pytest.mark.parametrize(
    "text", ["", "gpt-4", "openai:", "gguf:", "hf", "embeded", "ollama:x", "scripted:a.yaml", ":x"]
)
def test_a_bad_spec_says_what_the_forms_are(text: str) -> None:
    with pytest.raises(BadSpec) as caught:
        parse(text)
    assert FORMS in str(caught.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("embedded:7b", "embedded:1.5b"),
        ("embedded?quant=4bit", "unknown option 'quant'"),
        ("openai:m@http://", "openai:MODEL@http://HOST:PORT/v1"),
        ("openai:m@http://localhost/v1?tools=maybe", "tools must be 1 or 0"),
        ("hf:some/model?quant=2bit", "4bit or 8bit"),
    ],
)
def test_bad_details(text: str, hint: str) -> None:
    with pytest.raises(BadSpec, match=hint):
        open_model(text, SETTINGS)


def test_opening_embedded_models_touches_nothing() -> None:
    model = open_model("embedded", SETTINGS)
    assert model.abilities.prefix and model.abilities.logprobs and model.abilities.schema
    assert not model.abilities.tools


async def test_weights_that_are_not_there_are_said_at_first_use(tmp_path: Path) -> None:
    from langchain_core.messages import HumanMessage

    model = open_model("embedded:1.5b", ModelSettings(models_dir=tmp_path))
    with pytest.raises(Missing, match=r"main.py models fetch embedded:1.5b"):
        await model.warm([HumanMessage("hi")])
    await model.close()


def test_gguf_needs_its_file() -> None:
    with pytest.raises(Missing, match="correct the path"):
        open_model("gguf:nowhere.gguf", SETTINGS)


def test_the_official_endpoint_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Refused, match="set OPENAI_API_KEY"):
        open_model("openai:gpt-4.1", SETTINGS)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1234/v1")
    assert open_model("openai:gpt-4.1", SETTINGS).abilities.tools


NAMED_WITH_AT = ["team@main/gpt", "claude-3-5-sonnet@20240620", "text-bison@001"]


@pytest.mark.parametrize(
    "at", ["localhost:11434/v1", "127.0.0.1:8000", "localhost", "box:1234/v1", "10.0.0.5/v1", "[::1]:80"]
)
def test_an_address_without_its_beginning_is_no_part_of_a_model_s_name(at: str) -> None:
    """Else what is said would go to the official address."""
    with pytest.raises(BadSpec, match="http://HOST:PORT"):
        parse(f"openai:m@{at}")
    assert [parse(f"openai:{name}").name for name in NAMED_WITH_AT] == NAMED_WITH_AT
