"""LangChain's own standard unit tests, for every chat-model class of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from minds.models.endpoint import CompatibleChat
from minds.models.hf import TransformersChat
from tests.scripted import ScriptedChat


class TestEndpoint(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return CompatibleChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "none"}

    def test_what_is_claimed(self) -> None:
        assert self.has_structured_output and self.has_tool_calling


class TestTransformers(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return TransformersChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model_name": "x"}

    def test_what_is_claimed(self) -> None:
        assert not self.has_tool_calling


class TestScripted(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ScriptedChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"replies": ["Hello"]}

    def test_what_is_claimed(self) -> None:
        assert self.has_tool_calling


@pytest.mark.real
class TestTransformersRuns(ChatModelIntegrationTests):
    """On random weights, which cannot be asked for structured output: they never end a string."""

    place: ClassVar[dict[str, str]] = {}

    @pytest.fixture(autouse=True)
    def _made(self, tiny: Path) -> None:
        self.place["model_name"] = str(tiny)

    @pytest.fixture
    def model(self, _made: None) -> BaseChatModel:
        return TransformersChat(**self.chat_model_params)

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return TransformersChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {**self.place, "max_tokens": 20}

    @property
    def has_structured_output(self) -> bool:
        return False


pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")
