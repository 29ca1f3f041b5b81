"""The embedded model as people get it: a real server process with the real weights."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from minds.models import ModelSettings, open_model
from minds.models.catalogue import entry
from minds.models.embedded import EmbeddedModel
from minds.models.language import TooLong, Unreachable, Usage
from minds.models.server import LlamaServer, lease, release

pytestmark = pytest.mark.real

HOME = Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser()
MODELS = Path(os.environ.get("DUET_MODELS") or HOME / "models").expanduser()
ASK: list[BaseMessage] = [SystemMessage("You are brief."), HumanMessage("What is the capital of France?")]
STORY: list[BaseMessage] = [HumanMessage("Tell a very long story about a river.")]
CITY: dict[str, object] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ModelSettings:
    return ModelSettings(models_dir=MODELS, log_dir=tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def server(settings: ModelSettings) -> Iterator[LlamaServer]:
    """Held for all tests of this file, so that the weights are loaded once."""
    held = lease(entry("0.5b").path(MODELS), settings)
    yield held
    release(held)
    assert held.running() is None


@pytest.fixture
async def fast(server: LlamaServer, settings: ModelSettings) -> AsyncIterator[EmbeddedModel]:
    model = opened(settings, "fast")
    yield model
    await model.close()


@pytest.fixture
async def slow(server: LlamaServer, settings: ModelSettings) -> AsyncIterator[EmbeddedModel]:
    model = opened(settings, "slow")
    yield model
    await model.close()


def opened(settings: ModelSettings, role: Any) -> EmbeddedModel:
    model = open_model("embedded:0.5b", settings, role)
    assert isinstance(model, EmbeddedModel)
    return model


async def said(model: EmbeddedModel, messages: list[BaseMessage] = ASK, **options: Any) -> str:
    return "".join([piece async for piece in model.stream(messages, **options)])


async def busy(server: LlamaServer) -> list[bool]:
    address = server.running()
    assert address
    async with httpx2.AsyncClient(trust_env=False) as client:
        slots = await client.get(f"{address.url}/slots", headers={"Authorization": f"Bearer {address.key}"})
    return [slot["is_processing"] for slot in slots.json()]


async def until_idle(server: LlamaServer) -> None:
    """Fails by the test's own time limit where the server goes on; a story takes far longer than this waits."""
    for _ in range(100):
        if not any(await busy(server)):
            return
        await asyncio.sleep(0.05)
    pytest.fail("the server still generates")


async def test_streams_weighs_and_holds_to_a_schema(fast: EmbeddedModel) -> None:
    usage = Usage()
    pieces = [piece async for piece in fast.stream(ASK, max_tokens=30, usage=usage)]
    assert "Paris" in "".join(pieces) and len(pieces) > 2
    assert usage.read > 15 and usage.written >= len(pieces)
    weighed = await fast.weigh(ASK, "The capital of France is", [" Paris", " Rome", "never"])
    assert weighed[" Paris"] > -0.5 and weighed["never"] <= weighed[" Rome"] < -2
    assert await fast.structured(ASK, CITY, max_tokens=30) == {"city": "Paris"}


async def test_goes_on_with_a_prefix_and_uses_its_cache(fast: EmbeddedModel) -> None:
    await fast.warm(ASK)
    usage = Usage()
    text = await said(fast, prefix="The capital of France is", max_tokens=10, stop=["."], usage=usage)
    assert text.strip() == "Paris"
    assert usage.cached > usage.read / 2


async def test_both_minds_share_one_server_with_a_slot_each(
    fast: EmbeddedModel, slow: EmbeddedModel, server: LlamaServer
) -> None:
    assert fast.server is slow.server is server
    await said(slow, STORY, max_tokens=2)
    usage = Usage()
    await said(fast, ASK, max_tokens=2)
    await said(slow, STORY, max_tokens=2, usage=usage)
    assert usage.cached >= usage.read - 1


async def test_the_fast_mind_is_heard_while_the_slow_one_reads(fast: EmbeddedModel, slow: EmbeddedModel) -> None:
    """The order of events says it: the slow prompt takes many seconds to read, the fast reply is whole before."""
    order: list[str] = []

    async def reads() -> str:
        text = await said(
            slow, [HumanMessage("Count: " + " ".join(str(number) for number in range(150)))], max_tokens=3
        )
        order.append("slow")
        return text

    await fast.warm(ASK)
    task = asyncio.create_task(reads())
    await asyncio.sleep(0.5)
    assert "Paris" in await said(fast, max_tokens=30)
    order.append("fast")
    assert await task
    assert order == ["fast", "slow"]


async def test_cancelling_stops_the_server(slow: EmbeddedModel, server: LlamaServer) -> None:
    task = asyncio.create_task(said(slow, STORY, max_tokens=3000))
    await slow_is_busy(server)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_idle(server)

    stream = slow.stream(STORY, max_tokens=3000)
    assert await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    await until_idle(server)

    task = asyncio.create_task(slow.structured(STORY, {"type": "array", "items": {"type": "string"}}, max_tokens=3000))  # type: ignore[arg-type]
    await slow_is_busy(server)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_idle(server)


async def slow_is_busy(server: LlamaServer) -> None:
    if server.running() is None:
        await asyncio.to_thread(server.ensure)
    while not (await busy(server))[1]:
        await asyncio.sleep(0.02)


async def test_too_long(fast: EmbeddedModel) -> None:
    with pytest.raises(TooLong, match="8192 tokens"):
        await said(fast, [HumanMessage("word " * 9000)])


async def test_killed_in_the_middle(slow: EmbeddedModel, fast: EmbeddedModel, server: LlamaServer) -> None:
    pieces = []
    with pytest.raises(Unreachable, match="started again with the next message") as caught:
        async for piece in slow.stream(STORY, max_tokens=1000):
            pieces.append(piece)
            if len(pieces) == 3:
                kill(server)
    assert len(pieces) >= 3 and str(caught.value).count(".") <= 2
    assert "Paris" in await said(fast, max_tokens=30)


async def test_killed_before_the_first_token(slow: EmbeddedModel, server: LlamaServer) -> None:
    """Nobody has seen anything yet, so nobody needs to know."""
    long: list[BaseMessage] = [HumanMessage("Count: " + " ".join(str(number) for number in range(80)))]
    task = asyncio.create_task(said(slow, long, max_tokens=3))
    await slow_is_busy(server)
    first = server.pid
    kill(server)
    assert await task
    assert server.pid != first


async def test_only_with_the_key_and_only_on_loopback(fast: EmbeddedModel, server: LlamaServer) -> None:
    await fast.warm(ASK)
    address = server.running()
    assert address and address.url.startswith("http://127.0.0.1:")
    async with httpx2.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"{address.url}/slots", headers={"Origin": "https://elsewhere.example"})
        assert answer.status_code == 401
        assert not answer.headers.get("access-control-allow-origin")
    if sys.platform == "linux":
        process = Path(f"/proc/{server.pid}")
        seen = process.joinpath("cmdline").read_bytes() + process.joinpath("environ").read_bytes()
        assert address.key.encode() not in seen


async def test_ending_does_not_wait_for_the_weights_to_load(settings: ModelSettings) -> None:
    server = LlamaServer(entry("0.5b").path(MODELS), settings)
    starting = asyncio.create_task(asyncio.to_thread(server.ensure))
    while server._starting is None:
        await asyncio.sleep(0.001)
    process = server._starting
    await asyncio.to_thread(server.stop)
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(Unreachable, match="ended while it loaded"):
        await starting
    assert server.running() is None


def test_no_orphans_when_the_app_is_killed(settings: ModelSettings) -> None:
    code = (
        "import sys, time; from pathlib import Path; from minds.models import ModelSettings\n"
        "from minds.models.server import LlamaServer; from minds.models.catalogue import entry\n"
        "server = LlamaServer(entry('0.5b').path(Path(sys.argv[1])), ModelSettings(models_dir=Path(sys.argv[1])))\n"
        "server.ensure(); print(server.pid, flush=True); time.sleep(600)\n"
    )
    app = subprocess.Popen([sys.executable, "-c", code, str(MODELS)], stdout=subprocess.PIPE, text=True)
    with app:
        assert app.stdout
        child = int(app.stdout.readline())
        assert alive(child)
        app.kill()
    for _ in range(100):
        if not alive(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the server outlived the app")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def kill(server: LlamaServer) -> None:
    assert server.pid
    os.kill(server.pid, signal.SIGKILL)
