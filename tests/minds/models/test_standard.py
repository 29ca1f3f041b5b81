"""LangChain's own standard unit tests, for every chat-model class of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_tests.unit_tests import ChatModelUnitTests

from minds.models import ModelSettings
from minds.models.embedded import EmbeddedChat
from minds.models.endpoint import CompatibleChat
from minds.models.hf import TransformersChat
from minds.models.scripted import ScriptedChat
from minds.models.server import LlamaServer


class TestEmbedded(ChatModelUnitTests):
    """No tools: the server does not enforce them, so the class does not claim to have them."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return EmbeddedChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        settings = ModelSettings(models_dir=Path())
        return {"server": LlamaServer(Path("x.gguf"), settings), "settings": settings, "model_name": "x"}

    def test_what_is_claimed(self) -> None:
        assert self.has_structured_output and not self.has_tool_calling


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
        assert self.has_structured_output and not self.has_tool_calling


class TestScripted(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ScriptedChat

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"replies": ["Hello"]}

    def test_what_is_claimed(self) -> None:
        assert self.has_tool_calling


pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")
