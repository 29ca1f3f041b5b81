"""`embedded[:SIZE]`, `gguf:PATH`: llama.cpp on this machine, in a server process of our own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2
from langchain_core.messages import AIMessageChunk, BaseMessage

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

log = logging.getLogger(__name__)


LIMIT = 1024
"""Tokens of one call: without a limit a small model may go on to the end of its context."""


def embedded_chat(server: LlamaServer, settings: ModelSettings, slot: int, adapter: str) -> CompatibleChat:
    """A chat model that asks its server where that listens just now, with the layers of `adapter` where that is named.

    Loopback only: no proxies. No connection is kept, for the server may restart elsewhere.
    """

    async def to_where_it_listens(request: httpx2.Request) -> None:
        if (address := server.running()) is None:  # who starts it again reads the prefix too
            raise Unreachable("The embedded model's server has ended.")
        where = httpx2.URL(address.url)
        request.url = request.url.copy_with(host=where.host, port=where.port)
        request.headers |= {"Host": f"{where.host}:{where.port}", "Authorization": f"Bearer {address.key}"}

    client = httpx2.AsyncClient(
        trust_env=False,
        timeout=httpx2.Timeout(settings.first, connect=settings.connect),
        limits=httpx2.Limits(max_keepalive_connections=0),
        event_hooks={"request": [to_where_it_listens]},
    )
    body: dict[str, Any] = {"id_slot": slot, "cache_prompt": True, "return_progress": True}
    body["lora"] = [{"id": [*server.adapters].index(adapter), "scale": 1.0}] if adapter else []
    return compatible_chat(
        "embedded",
        "http://127.0.0.1/v1",
        "none",
        settings,
        temperature=0.0,
        max_tokens=LIMIT,
        extra_body=body,
        http_client=httpx2.Client(trust_env=False),  # never used; LangChain's own would read the surroundings
        http_async_client=client,
    )


class EmbeddedModel(ChatAdapter):
    """Both minds' calls to one server, the fast mind's first; asks once more where the server died unheard."""

    def __init__(
        self,
        spec: str,
        path: Path,
        settings: ModelSettings,
        role: Role,
        *,
        strong: bool = False,
        adapter: str | None = None,
    ) -> None:
        """`adapter`: the kind whose layers are added, empty for none; these share a slot beside those of both minds."""
        self.role = role
        self.server = lease(path, settings)
        beside = adapter is not None
        slot = adapted.SLOT if beside else SLOT[role]
        chat = embedded_chat(self.server, settings, slot, adapter or "")
        able = Abilities(
            prefix=True,
            logprobs=True,
            schema=True,
            keeps=not beside,
            strong=strong,
            context=settings.context,
            limit=LIMIT,
        )
        super().__init__(spec, chat, able, settings)
        self._open = True
        kinds = ["", *self.server.adapters] if self.server.adapters and not beside else []
        self._beside = {kind: EmbeddedModel(spec, path, settings, role, strong=strong, adapter=kind) for kind in kinds}
        self.aside = self._beside.get("")
        self.trained, self.notes, self.recounts, self.recalls, self.beyond = map(self._beside.get, adapted.KINDS)
        self._prefix: Prefix | None = None
        self._taken_up: tuple[Address, Prefix] | None = None

    @property
    def who(self) -> str:
        return f"The embedded model ({self.spec})"

    def fault(self, error: Exception) -> ModelFault:
        fault = fault_of(error, self.who, self.spec, "")
        if isinstance(fault, Unreachable):
            return type(fault)(f"{self.who} stopped working; it is started again with the next message.")
        if isinstance(fault, TooLong):
            return TooLong(
                f"This is longer than the embedded model can read ({self.settings.context} tokens); start a new "
                "conversation, or set DUET_FAST_MODEL and DUET_SLOW_MODEL to a larger model."
            )
        return fault

    def unfinished(self, seen: bool) -> ModelFault:
        return self.fault(httpx2.ReadError("ended without a finish"))

    async def chunks(self, messages: Sequence[BaseMessage], **options: Any) -> AsyncGenerator[AIMessageChunk, None]:
        lanes = self._lanes()
        async with lanes.lane(self.role), aclosing(self._asked(lanes, messages, options)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """What was read of these messages at an earlier start is taken up again: milliseconds instead of seconds.

        So it is when the server was started again. The lane is held meanwhile, so that nothing that a person said is
        in the slot when it is saved.
        """
        lanes, usage = self._lanes(), Usage()
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

    def _lanes(self) -> Lanes:
        return self.server.lanes.setdefault(asyncio.get_running_loop(), Lanes())

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
        return await asyncio.to_thread(self.server.ensure)

    async def close(self) -> None:
        if self._open:
            self._open = False
            for model in self._beside.values():
                await model.close()
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
