"""`hf:REPO_OR_PATH[?quant=4bit|8bit]`: transformers in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from minds.models.adapter import ChatAdapter
from minds.models.hf_generation import context, generate
from minds.models.hf_loading import Loaded, load
from minds.models.language import BadSpec, Missing, ModelFault
from minds.models.spec import ModelSettings, Spec

_END = object()


class TransformersChat(BaseChatModel):
    """A LangChain chat model over AutoModelForCausalLM and its chat template; loads on first use.

    A last message of the assistant is continued. With `max_tokens=1` `logprobs=True` gives that token's candidates.
    """

    model_name: str
    quant: str = ""
    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    stop: list[str] | None = None

    @property
    def _llm_type(self) -> str:
        return "duet-transformers"

    def load(self) -> Loaded:
        """Seconds at first, then at once."""
        return load(self.model_name, self.quant)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """Generates in a thread of its own; what it makes, an exception included, comes through a queue, then _END."""
        said: SimpleQueue[Any] = SimpleQueue()
        cancelled = threading.Event()
        asked = {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed, **kwargs}

        def work() -> None:
            try:
                loaded = self.load()
                with loaded.busy:
                    if not cancelled.is_set():
                        generate(loaded, messages, stop or self.stop or [], asked, said.put, cancelled)
            except Exception as error:
                said.put(error)
            said.put(_END)

        threading.Thread(target=work, name="transformers", daemon=True).start()
        try:
            while (chunk := said.get()) is not _END:
                if isinstance(chunk, Exception):
                    raise chunk
                if run_manager:
                    run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk
        finally:
            cancelled.set()


class TransformersModel(ChatAdapter):
    """Prefixes, log-probabilities and schemas (through llguidance); no native tool calls."""

    chat: BaseChatModel
    _held: Loaded | None = None

    def fault(self, error: Exception) -> ModelFault:
        if "out of memory" in str(error).lower():
            return Missing(f"{self.who} does not fit into memory; choose a smaller one or add ?quant=4bit.")
        return super().fault(error)

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        """Loading takes its own time, before the clock for the first token starts."""
        assert isinstance(self.chat, TransformersChat)
        loaded = self._held = await asyncio.to_thread(self.chat.load)
        self.abilities = replace(self.abilities, context=min(self.abilities.context, context(loaded.model)))
        async for chunk in super().chunks(messages, **options):
            yield chunk

    async def close(self) -> None:
        self._held = None


def open_hf(spec: Spec, settings: ModelSettings) -> TransformersModel:
    """Raises BadSpec for another quantisation than 4bit and 8bit."""
    quant = spec.options.get("quant", "")
    if quant not in ("", "4bit", "8bit"):
        raise BadSpec(f"In the model spec {spec.text!r}, quant must be 4bit or 8bit.")
    chat = TransformersChat(model_name=spec.name, quant=quant)
    able = spec.able(prefix=True, logprobs=True, schema=True)
    return TransformersModel(spec.text, chat, replace(able, tools=False, limit=able.limit or 1024), settings)
