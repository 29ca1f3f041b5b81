"""`embedded[:SIZE]`, `gguf:PATH`: llama.cpp on this machine, in a server process of our own."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from minds.models import adapted, weights
from minds.models.adapter import ChatAdapter
from minds.models.answers import count
from minds.models.default import weights_of
from minds.models.endpoint import CompatibleChat, compatible_chat, fault_of
from minds.models.lanes import Lanes, MadeWay
from minds.models.language import Abilities, Missing, ModelFault, TooLong, Unreachable, Usage
from minds.models.prefix import SLOT, Prefix
from minds.models.server import Address, LlamaServer, lease, release
from minds.models.spec import ModelSettings, Role, Spec
from minds.models.structured import structured_runnable

log = logging.getLogger(__name__)


class EmbeddedChat(BaseChatModel):
    """A LangChain chat model that starts its server when it is first asked something."""

    model_name: str
    slot: int = 0
    adapted: bool = False
    """The adapter's layers are added to the model's own."""
    temperature: float = 0.0
    max_tokens: int = 1024
    """Without a limit a small model may go on to the end of its context."""
    stop: list[str] | None = None
    _server: LlamaServer = PrivateAttr()
    _settings: ModelSettings = PrivateAttr()
    _inner: tuple[Address, CompatibleChat] | None = PrivateAttr(default=None)

    def __init__(self, server: LlamaServer, settings: ModelSettings, **fields: Any) -> None:
        super().__init__(**fields)
        self._server = server
        self._settings = settings

    @property
    def _llm_type(self) -> str:
        return "duet-embedded"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name, "slot": self.slot}

    def _connected(self, address: Address) -> CompatibleChat:
        """Loopback only: no proxies. No connection is kept, for the server may restart elsewhere."""
        if self._inner is None or self._inner[0] != address:
            network: dict[str, Any] = {
                "trust_env": False,
                "timeout": httpx2.Timeout(self._settings.first, connect=self._settings.connect),
                "limits": httpx2.Limits(max_keepalive_connections=0),
            }
            chat = compatible_chat(
                "embedded",
                f"{address.url}/v1",
                address.key,
                self._settings,
                temperature=self.temperature,
                max_tokens=self.max_tokens,
                stop=self.stop or None,
                extra_body={
                    "id_slot": self.slot,
                    "cache_prompt": True,
                    "return_progress": True,
                    "lora": [{"id": 0, "scale": 1.0}] if self.adapted else [],
                },
                http_client=httpx2.Client(**network),
                http_async_client=httpx2.AsyncClient(**network),
            )
            self._inner = (address, chat)
        return self._inner[1]

    async def _aready(self) -> CompatibleChat:
        address = await self._server.aensure()
        return self._connected(address)

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        return structured_runnable(self, schema, include_raw)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._connected(self._server.ensure())._generate(messages, stop, run_manager, **kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await (await self._aready())._agenerate(messages, stop, run_manager, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from self._connected(self._server.ensure())._stream(messages, stop, run_manager, **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        inner = (await self._aready())._astream(messages, stop, run_manager, **kwargs)
        async with aclosing(inner) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                yield chunk


class EmbeddedModel(ChatAdapter):
    """Both minds' calls to one server, the fast mind's first; asks once more where the server died unheard."""

    def __init__(
        self, spec: str, path: Path, settings: ModelSettings, role: Role, *, strong: bool = False, trained: bool = False
    ) -> None:
        """`trained`: with the adapter's layers, in a slot of its own."""
        self.role = role
        self.server = lease(path, settings)
        slot = adapted.SLOT if trained else SLOT[role]
        chat = EmbeddedChat(self.server, settings, model_name=path.stem, slot=slot, adapted=trained)
        able = Abilities(
            prefix=True,
            logprobs=True,
            schema=True,
            keeps=True,
            strong=strong,
            context=settings.context,
            limit=chat.max_tokens,
        )
        super().__init__(spec, chat, able, settings)
        self._open = True
        if self.server.adapter and not trained:
            self.trained = EmbeddedModel(spec, path, settings, role, strong=strong, trained=True)
        self._prefix: Prefix | None = None
        self._taken_up: tuple[Address, Prefix] | None = None

    @property
    def who(self) -> str:
        return f"The embedded model ({self.spec})"

    def fault(self, error: Exception) -> ModelFault:
        fault = fault_of(error, self.who, self.spec, "")
        if isinstance(fault, Unreachable):
            return Unreachable(f"{self.who} stopped working; it is started again with the next message.")
        if isinstance(fault, TooLong):
            return TooLong(
                f"This is longer than the embedded model can read ({self.settings.context} tokens); start a new "
                "conversation, or set DUET_FAST_MODEL and DUET_SLOW_MODEL to a larger model."
            )
        return fault

    def unfinished(self, seen: bool) -> ModelFault:
        return self.fault(httpx2.ReadError("ended without a finish"))

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        lanes = _lanes(self.server)
        async with lanes.lane(self.role), aclosing(self._asked(lanes, messages, options)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """What was read of these messages at an earlier start is taken up again: milliseconds instead of seconds.

        So it is when the server was started again. The lane is held meanwhile, so that nothing that a person said is
        in the slot when it is saved.
        """
        lanes, usage = _lanes(self.server), Usage()
        async with lanes.lane(self.role):
            await self._running()
            self._prefix = await asyncio.to_thread(Prefix.of, self.server, self.role, messages)
            async with aclosing(self._asked(lanes, messages, {"max_tokens": 1, "temperature": 0.0})) as chunks:
                async for chunk in chunks:
                    count(usage, chunk)
            if usage.cached < 0.9 * usage.read:
                await self._prefix.save()

    async def _asked(
        self, lanes: Lanes, messages: Sequence[BaseMessage], options: dict[str, Any]
    ) -> AsyncGenerator[AIMessageChunk, None]:
        """One call; the lane is the caller's."""
        again = 1
        while True:
            await self._ready()
            source = super().chunks(messages, **options)
            async with aclosing(source):
                try:
                    async with lanes.making_way(self.role):
                        held = await _to_first_text(source)
                except MadeWay:
                    continue
                except Unreachable:
                    if again and await asyncio.to_thread(self.server.died):
                        again -= 1
                        continue
                    raise
                for chunk in held:
                    yield chunk
                async for chunk in source:
                    yield chunk
                return

    async def _ready(self) -> None:
        """Before the clock for the first token starts: loading has a time-out of its own. The lane is the caller's."""
        address = await self._running()
        if self._prefix is None or self._taken_up == (address, self._prefix):
            return
        if not await self._prefix.restore():
            await asyncio.to_thread(self.server.stop)
            address = await self._running()
        self._taken_up = (address, self._prefix)

    async def _running(self) -> Address:
        if address := self.server.running():
            return address
        await asyncio.to_thread(weights.check, self.server.weights)
        return await self.server.aensure()

    async def close(self) -> None:
        if self._open:
            self._open = False
            if self.trained:
                await self.trained.close()
            await asyncio.to_thread(release, self.server)


def open_embedded(spec: Spec, settings: ModelSettings, role: Role) -> EmbeddedModel:
    """Raises BadSpec for an unknown name, Missing where a `gguf:` file is not there."""
    weights = weights_of(spec, settings.models_dir)
    path = weights.path(settings.models_dir) if weights else Path(spec.name).expanduser()
    if weights is None and not path.is_file():
        raise Missing(f"There is no weights file {spec.name}; correct the path in {spec.text}.")
    text = spec.text if weights is None else weights.spec + "".join(spec.text.partition("?")[1:])
    return EmbeddedModel(text, path, settings, role, strong=spec.flag("strong", False))


async def _to_first_text(source: AsyncIterator[AIMessageChunk]) -> list[AIMessageChunk]:
    """The chunks up to the first that says something; all of them where none does."""
    held = []
    async for chunk in source:
        held.append(chunk)
        if chunk.content:
            break
    return held


_all_lanes: weakref.WeakKeyDictionary[LlamaServer, weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Lanes]] = (
    weakref.WeakKeyDictionary()
)


def _lanes(server: LlamaServer) -> Lanes:
    """asyncio's locks belong to one loop; the app has one, tests have many."""
    loops = _all_lanes.setdefault(server, weakref.WeakKeyDictionary())
    return loops.setdefault(asyncio.get_running_loop(), Lanes())
