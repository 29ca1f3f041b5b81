"""`langchain:PROVIDER:MODEL`: tools and streaming through LangChain's own door, against a real server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from minds.models import ModelSettings, open_model, parse
from minds.models.answers import finish
from minds.models.keys import keep_key
from minds.models.language import (
    Abilities,
    BadSpec,
    Busy,
    Missing,
    ModelFault,
    OutOfQuota,
    Refused,
    ToolCall,
    TooLong,
    Unreachable,
    Usage,
)
from minds.models.through_langchain import LangChainModel
from minds.models.trial import add
from tests.servers import running

SETTINGS = ModelSettings(models_dir=Path())
ASK = [HumanMessage("hi")]
KEY = "sk-of-the-tests-1234567890"


async def test_a_provider_streams_and_calls_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    with running("provider", KEY) as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = open_model("langchain:openai:grand-1", SETTINGS)
        assert model.abilities.tools and model.abilities.strong
        pieces = [piece async for piece in model.stream(ASK, max_tokens=7, temperature=0.5)]
        assert "".join(pieces) == "grand-1 answers." and len(pieces) == 2
        assert 7 in (fake.bodies[0].get("max_tokens"), fake.bodies[0].get("max_completion_tokens"))
        assert fake.bodies[0]["temperature"] == 0.5
        said = await model.call(ASK, [add])
        assert said.calls == (ToolCall("add", {"one": 17, "other": 25}),)


async def test_a_wrong_key_is_told_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with running("provider", KEY) as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-9876543210")
        with pytest.raises(Refused, match="does not accept the key") as caught:
            [piece async for piece in open_model("langchain:openai:m", SETTINGS).stream(ASK)]
    assert "sk-wrong" not in str(caught.value)


def test_what_is_not_installed_or_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Missing, match="pip install langchain-anthropic`"):
        open_model("langchain:anthropic:claude", SETTINGS)
    with pytest.raises(BadSpec, match="no provider 'nonsense'"):
        open_model("langchain:nonsense:m", SETTINGS)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Refused, match="look at openai's key"):
        open_model("langchain:openai:m", SETTINGS)


@pytest.mark.parametrize("text", ["langchain:", "langchain:openai", "langchain::m", "langchain:openai:"])
def test_a_spec_names_both(text: str) -> None:
    with pytest.raises(BadSpec):
        parse(text)


class Chat(BaseChatModel):
    """One whose package has its own words for everything."""

    num_predict: int = 0
    temperature: float = 1.0
    ends: dict[str, str] = {}  # noqa: RUF012  pydantic copies it
    breaks: bool = False
    status: int = 0

    @property
    def _llm_type(self) -> str:
        return "own"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        raise AssertionError("no tools were given")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        assert kwargs == {}, "options are the model's own fields"
        if self.breaks:
            raise ConnectionError(f"no route, key {KEY}")
        if self.status:
            request = httpx2.Request("POST", "https://api.mistral.ai/v1")
            raise httpx2.HTTPStatusError("no", request=request, response=httpx2.Response(self.status))
        told = f"{self.num_predict} {self.temperature}"
        yield ChatGenerationChunk(message=AIMessageChunk(content=[{"type": "text", "text": told}]))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=self.ends))


def own(**fields: Any) -> LangChainModel:
    return LangChainModel(parse("langchain:own:m"), Chat(**fields), Abilities(), SETTINGS, KEY)


@pytest.mark.parametrize(
    ("ends", "cut"),
    [({"stop_reason": "end_turn"}, False), ({"stop_reason": "max_tokens"}, True), ({"done_reason": "length"}, True),
     ({"finish_reason": "MAX_TOKENS"}, True), ({"stopReason": "end_turn"}, False),
     ({"status": "completed"}, False), ({"status": "incomplete"}, True)],
)  # fmt: skip
async def test_each_package_says_in_its_own_words_that_it_is_done(ends: dict[str, str], cut: bool) -> None:
    usage = Usage()
    model = own(ends=ends)
    text = "".join([piece async for piece in model.stream(ASK, max_tokens=9, temperature=0.25, usage=usage)])
    assert text == "9 0.25" and usage.cut is cut
    assert model.chat.num_predict == 0, "the call's own copy was set"  # type: ignore[attr-defined]


async def test_a_model_that_refuses_a_temperature_gets_none() -> None:
    model = own(ends={"stop_reason": "end_turn"}, profile={"temperature": False})
    assert "".join([piece async for piece in model.stream(ASK, max_tokens=9, temperature=0.25)]) == "9 1.0"


async def test_a_kept_key_stays_where_a_variable_names_another_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep_key("https://api.openai.com/v1", KEY, tmp_path / "keys.json")
    settings = replace(SETTINGS, keys=tmp_path / "keys.json")
    with running("provider", "sk-of-that-server") as fake:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        with pytest.raises(Refused, match="look at openai's key"):
            open_model("langchain:openai:m", settings)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-that-server")
        model = open_model("langchain:openai:grand-1", settings)
        assert "".join([piece async for piece in model.stream(ASK)]) == "grand-1 answers."


async def test_what_a_package_raises_is_one_sentence_without_the_key() -> None:
    with pytest.raises(Unreachable, match="cannot be reached") as caught:
        [piece async for piece in own(breaks=True).stream(ASK)]
    assert KEY not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("status", "kind"), [(401, Refused), (429, Busy), (503, Busy), (400, Refused)])
async def test_a_status_that_only_the_answer_tells_is_heard(status: int, kind: type[ModelFault]) -> None:
    """Mistral's package raises httpx's own error."""
    with pytest.raises(ModelFault) as caught:
        [piece async for piece in own(status=status).stream(ASK)]
    assert type(caught.value) is kind


@pytest.mark.parametrize("ends", [{"stop_reason": "refusal"}, {"finish_reason": "SAFETY"}])
def test_each_package_has_its_own_word_for_a_filter(ends: dict[str, str]) -> None:
    assert finish(AIMessageChunk(content="", response_metadata=ends)) == "content_filter"


@pytest.mark.parametrize(("told", "kind"), [("prompt is too long: 9", TooLong), ("credit balance is too", OutOfQuota)])
def test_what_a_package_says_of_lengths_and_credit_is_heard(told: str, kind: type[ModelFault]) -> None:
    error = type("Status", (Exception,), {"status_code": 400})(told)
    assert type(own().fault(error)) is kind
