"""Saved states of constant prompts: when one is used, when not, and what stays in the folder."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from minds.models.embedded import EmbeddedModel
from minds.models.language import NoProtocol, Unreachable
from minds.models.prefix import KEPT, Prefix
from minds.models.server import Address, LlamaServer
from minds.models.spec import ModelSettings
from tests.minds.models.conftest import Call, FakeServer

PROMPT: list[BaseMessage] = [SystemMessage("You are brief."), HumanMessage("hello")]


class FakeLlama(LlamaServer):
    """The app's side of a server that is a fake one; `starts` counts its processes."""

    def __init__(self, folder: Path, fake: FakeServer) -> None:
        self.starts = 0
        self._fake, self._up = fake, False
        weights = folder / "tiny.gguf"
        weights.write_bytes(b"weights")
        super().__init__(weights, ModelSettings(models_dir=folder))
        self.prefixes.mkdir()

    def running(self) -> Address | None:
        return Address(self._fake.url.removesuffix("/v1"), f"key-{self.starts}") if self._up else None

    def ensure(self) -> Address:
        self.starts += not self._up
        self._up = True
        address = self.running()
        assert address
        return address

    def stop(self) -> None:
        self._up = False


class Slots:
    """What the fake server is asked, and a slot that can be written and read; chat calls are answered too."""

    def __init__(self, server: LlamaServer) -> None:
        self.folder = server.prefixes
        self.asked: list[str] = []
        self.status, self.cached = 200, 0
        self.state = b"keys and values"

    def __call__(self, call: Call) -> None:
        path = call.handler.path
        if path == "/v1/chat/completions":
            self.asked.append("chat")
            call.begin()
            call.piece({"role": "assistant", "content": None}, prompt_progress={"total": 7, "processed": 7})
            call.piece({"content": "Yes"})
            call.piece({}, "length")
            usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}
            usage |= {"prompt_tokens_details": {"cached_tokens": self.cached}}  # type: ignore[dict-item]
            call.event({"id": "1", "object": "chat.completion.chunk", "created": 0, "choices": [], "usage": usage})
            call.handler.wfile.write(b"data: [DONE]\n\n")
            return
        self.asked.append(path)
        if self.status != 200:
            call.status(self.status, "Unable to restore slot")
            return
        if path.endswith("save"):
            (self.folder / call.body["filename"]).write_bytes(self.state)
        else:
            assert (self.folder / call.body["filename"]).read_bytes() == self.state
            self.cached = 99
        call.raw(200, "{}")


@pytest.fixture
def llama(tmp_path: Path, fake: FakeServer) -> FakeLlama:
    server = FakeLlama(tmp_path, fake)
    server.ensure()
    return server


@pytest.fixture
def slots(llama: FakeLlama, fake: FakeServer) -> Slots:
    answers = Slots(llama)
    fake.then(answers)
    return answers


def saved(llama: LlamaServer) -> list[Path]:
    return sorted(llama.prefixes.iterdir())


async def test_what_was_saved_is_restored_into_its_slot(llama: FakeLlama, slots: Slots, fake: FakeServer) -> None:
    await Prefix.of(llama, "slow", PROMPT).save()
    [file] = saved(llama)
    assert file.read_bytes() == slots.state and file.suffix == ".bin" and file.name.startswith("tiny-slow-")
    assert await Prefix.of(llama, "slow", PROMPT).restore()
    assert slots.asked == ["/slots/1?action=save", "/slots/1?action=restore"]
    assert fake.keys == ["Bearer key-1"] * 2


@pytest.mark.parametrize("content", [b"keys and valueS", b"keys and", b"", b"keys and values and more"])
async def test_a_damaged_state_is_thrown_away_unread(llama: FakeLlama, slots: Slots, content: bytes) -> None:
    prefix = Prefix.of(llama, "fast", PROMPT)
    await prefix.save()
    saved(llama)[0].write_bytes(content)
    assert await prefix.restore()
    assert slots.asked == ["/slots/0?action=save"] and saved(llama) == []


async def test_a_state_serves_only_what_it_was_made_with(llama: FakeLlama, slots: Slots) -> None:
    await Prefix.of(llama, "fast", PROMPT).save()
    others = [
        Prefix.of(llama, "slow", PROMPT),
        Prefix.of(llama, "fast", PROMPT[:1]),
        Prefix.of(llama, "fast", [HumanMessage("You are brief."), HumanMessage("hello")]),
        Prefix.of(llama, "fast", [SystemMessage("You are brief!"), HumanMessage("hello")]),
    ]
    llama.weights.write_bytes(b"other w")  # of the same size
    os.utime(llama.weights, ns=(1, 1))
    others.append(Prefix.of(llama, "fast", PROMPT))
    wider = LlamaServer(llama.weights, ModelSettings(models_dir=llama.weights.parent, context=16_384))
    others.append(Prefix.of(wider, "fast", PROMPT))
    assert len({(other.role, other.key) for other in others}) == len(others)
    for other in others[:-1]:
        assert await other.restore()
    assert slots.asked == ["/slots/0?action=save"] and len(saved(llama)) == 1


async def test_a_refused_state_goes_and_its_server_is_not_trusted(llama: FakeLlama, slots: Slots) -> None:
    prefix = Prefix.of(llama, "fast", PROMPT)
    await prefix.save()
    slots.status = 400
    assert not await prefix.restore()
    assert saved(llama) == []


async def test_a_server_that_is_gone_is_no_reason_to_throw_anything_away(llama: FakeLlama, slots: Slots) -> None:
    prefix = Prefix.of(llama, "fast", PROMPT)
    await prefix.save()
    llama.stop()
    assert await prefix.restore()
    await prefix.save()
    llama.ensure()
    llama._fake.url = "http://127.0.0.1:9/v1"
    assert await prefix.restore()
    await prefix.save()
    assert len(saved(llama)) == 1 and slots.asked == ["/slots/0?action=save"]


async def test_what_cannot_be_saved_leaves_nothing(llama: FakeLlama, slots: Slots) -> None:
    slots.status = 500
    await Prefix.of(llama, "fast", PROMPT).save()
    slots.status, slots.folder = 200, llama.prefixes.parent  # told done, and no file is there
    await Prefix.of(llama, "fast", PROMPT).save()
    assert saved(llama) == []
    llama.prefixes.rmdir()
    await Prefix.of(llama, "fast", PROMPT).save()
    assert await Prefix.of(llama, "fast", PROMPT).restore()
    assert len(slots.asked) == 2


async def test_the_folder_keeps_what_was_used_last(llama: FakeLlama, slots: Slots) -> None:
    prompts: list[list[BaseMessage]] = [[SystemMessage(f"Version {n}.")] for n in range(KEPT)]
    for age, prompt in enumerate(reversed(prompts)):
        await Prefix.of(llama, "fast", prompt).save()
        file = next(path for path in saved(llama) if path.stat().st_mtime > 1e9)
        os.utime(file, (age, age))
    (llama.prefixes / "tiny-slow-of-an-older-kind.bin").write_bytes(b"")
    os.utime(llama.prefixes / "tiny-slow-of-an-older-kind.bin", (0, 0))
    assert await Prefix.of(llama, "fast", prompts[-1]).restore()  # the oldest is used again
    await Prefix.of(llama, "fast", PROMPT).save()
    assert len(saved(llama)) == KEPT
    slots.asked.clear()
    for prompt in (*prompts, PROMPT):
        await Prefix.of(llama, "fast", prompt).restore()
    assert len(slots.asked) == KEPT
    await Prefix.of(llama, "fast", prompts[-2]).restore()
    assert len(slots.asked) == KEPT, "the one before the last was the oldest"


# -- the model takes states up by itself


@pytest.fixture
def model(llama: FakeLlama, slots: Slots, monkeypatch: pytest.MonkeyPatch) -> EmbeddedModel:
    monkeypatch.setattr("minds.models.embedded.lease", lambda *_: llama)
    return EmbeddedModel("embedded", llama.weights, ModelSettings(models_dir=llama.weights.parent), "fast")


async def said(model: EmbeddedModel) -> str:
    return "".join([piece async for piece in model.stream(PROMPT)])


async def test_a_prompt_is_read_once_and_taken_up_at_the_next_start(
    model: EmbeddedModel, llama: FakeLlama, slots: Slots
) -> None:
    await model.warm(PROMPT)
    assert slots.asked == ["chat", "/slots/0?action=save"]
    slots.asked.clear()
    llama.stop()
    slots.cached = 0
    await model.warm(PROMPT)
    assert slots.asked == ["/slots/0?action=restore", "chat"] and llama.starts == 2
    await model.warm(PROMPT)
    assert slots.asked[2:] == ["chat"], "nothing is read from the disk into a slot that holds it"


async def test_a_server_that_was_started_again_takes_up_what_it_had_read(
    model: EmbeddedModel, llama: FakeLlama, slots: Slots, fake: FakeServer
) -> None:
    await model.warm(PROMPT)
    llama.stop()
    slots.asked.clear()
    assert [*await asyncio.gather(said(model), said(model))] == ["Yes", "Yes"]
    assert slots.asked == ["/slots/0?action=restore", "chat", "chat"] and llama.starts == 2
    assert fake.keys == ["Bearer key-1"] * 2 + ["Bearer key-2"] * 3


async def test_after_a_refused_state_the_prompt_is_read_by_a_new_server(
    model: EmbeddedModel, llama: FakeLlama, slots: Slots
) -> None:
    await Prefix.of(llama, "fast", PROMPT).save()
    slots.status = 400
    await model.warm(PROMPT)
    assert slots.asked[1:] == ["/slots/0?action=restore", "chat", "/slots/0?action=save"] and llama.starts == 2
    assert await said(model) == "Yes"


async def test_an_answer_that_is_none_of_the_protocol_is_told_from_a_server_that_ended(model: EmbeddedModel) -> None:
    assert type(model.fault(json.JSONDecodeError("Expecting value", "{not", 1))) is NoProtocol
    assert type(model.unfinished(seen=True)) is Unreachable


async def test_what_a_person_said_is_never_saved(model: EmbeddedModel, slots: Slots) -> None:
    assert await said(model) == "Yes"
    assert slots.asked == ["chat"]
