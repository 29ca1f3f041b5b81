"""Saved states of constant prompts with the real runtime: taken up, refused, rebuilt, and nothing private in them."""

from __future__ import annotations

import asyncio
import os
import stat
import struct
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from minds.models.catalogue import entry
from minds.models.embedded import EmbeddedModel
from minds.models.language import Usage
from minds.models.prefix import Prefix
from minds.models.spec import ModelSettings

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")]

HOME = Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser()
MODELS = Path(os.environ.get("DUET_MODELS") or HOME / "models").expanduser()
SYSTEM = SystemMessage("You answer in one word. You know every capital of Europe, and you never say more than it.")
PROMPT: list[BaseMessage] = [SYSTEM, HumanMessage("hello")]
ASK: list[BaseMessage] = [SYSTEM, HumanMessage("The capital of France?")]
SECRET = "My password is xylophone."


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """The real weights under a name of their own, so that their states lie in a folder of their own."""
    real = entry("0.5b").path(MODELS)
    if not real.is_file():
        pytest.skip("the embedded model is not here: python main.py models fetch embedded:0.5b")
    place = tmp_path / "own.gguf"
    try:
        os.link(real.resolve(), place)
    except OSError:
        pytest.skip("the temporary folder is on another disk than the weights")
    return place


@asynccontextmanager
async def opened(weights: Path) -> AsyncIterator[EmbeddedModel]:
    """A new server process each time."""
    model = EmbeddedModel("embedded", weights, ModelSettings(models_dir=weights.parent), "fast")
    try:
        yield model
    finally:
        await model.close()


async def said(model: EmbeddedModel, messages: list[BaseMessage] = ASK) -> tuple[str, Usage]:
    usage = Usage()
    async with aclosing(model.stream(messages, max_tokens=6, usage=usage)) as pieces:  # type: ignore[type-var]
        return "".join([piece async for piece in pieces]), usage


def states(weights: Path) -> list[Path]:
    return sorted((weights.parent / "prefixes").iterdir())


async def test_a_new_process_goes_on_where_the_last_one_was(weights: Path) -> None:
    async with opened(weights) as model:
        await model.warm(PROMPT)
        assert (await said(model))[0].startswith("Paris")
    [state] = states(weights)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600 and stat.S_IMODE(state.parent.stat().st_mode) == 0o700

    async with opened(weights) as model:
        await model.warm(PROMPT)
        text, usage = await said(model)
        assert text.startswith("Paris") and 0 < usage.read - usage.cached < 12
    assert states(weights) == [state]

    async with opened(weights) as model:  # without the state all of it is read
        _, usage = await said(model)
        assert usage.cached == 0


@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied"])
async def test_a_damaged_state_is_built_anew(weights: Path, harm: str) -> None:
    async with opened(weights) as model:
        await model.warm(PROMPT)
    [state] = states(weights)
    good = state.read_bytes()
    middle = len(good) // 2
    bad = {"cut": good[:middle], "flipped": good[:middle] + bytes([good[middle] ^ 64]) + good[middle + 1 :]}
    state.write_bytes(bad.get(harm, b""))
    async with opened(weights) as model:
        await model.warm(PROMPT)
        assert (await said(model))[0].startswith("Paris")
    assert [path.stat().st_size for path in states(weights)] == [len(good)]


async def test_the_runtime_itself_takes_a_state_with_flipped_bits(weights: Path) -> None:
    """Why there is a checksum."""
    async with opened(weights) as model:
        await model.warm(PROMPT)
        [state] = states(weights)
        bad = bytearray(state.read_bytes())
        bad[-4000:-3000] = bytes(byte ^ 64 for byte in bad[-4000:-3000])
        (state.parent / "flipped.bin").write_bytes(bad)
        assert (await posted(model, "/slots/0?action=restore", {"filename": "flipped.bin"})).status_code == 200


async def test_a_whole_state_that_is_refused_costs_a_restart_and_no_more(weights: Path) -> None:
    """As when another build of the runtime, of the same version, made it."""
    async with opened(weights) as model:
        await model.warm(PROMPT)
        await asyncio.to_thread(model.server.ensure)
        prefix = Prefix.of(model.server, "fast", PROMPT)
        [state] = states(weights)
        part = state.with_name("0.part")
        part.write_bytes(b"nothing that the runtime knows")
        state.unlink()
        prefix._keep(part)
    async with opened(weights) as model:
        await model.warm(PROMPT)
        assert (await said(model))[0].startswith("Paris")
    assert len(states(weights)) == 1 and states(weights)[0].stat().st_size > 10_000


async def test_only_the_constant_prompt_is_saved(weights: Path) -> None:
    """Even when a person spoke first: the slot's earlier words are gone before it is written to the disk."""
    async with opened(weights) as model:
        await said(model, [HumanMessage(SECRET)])
        await model.warm(PROMPT)
        text = await words(model, states(weights)[0])
    assert "every capital of Europe" in text and "hello" in text
    assert "xylophone" not in text and "password" not in text


async def words(model: EmbeddedModel, state: Path) -> str:
    """The tokens that a state begins with, as text. They follow six words of 4 bytes, the last of them their number."""
    data = state.read_bytes()
    (many,) = struct.unpack_from("<i", data, 20)
    answer = await posted(model, "/detokenize", {"tokens": struct.unpack_from(f"<{many}i", data, 24)})
    return str(answer.json()["content"])


async def posted(model: EmbeddedModel, path: str, body: dict[str, Any]) -> httpx2.Response:
    address = await asyncio.to_thread(model.server.ensure)
    headers = {"Authorization": f"Bearer {address.key}"}
    async with httpx2.AsyncClient(trust_env=False, timeout=100) as client:
        return await client.post(f"{address.url}{path}", json=body, headers=headers)
