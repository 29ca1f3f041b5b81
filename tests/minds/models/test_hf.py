"""transformers on a model that is made here: two layers, random weights, a tokenizer trained on a few lines."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.models import ModelSettings, hf, hf_generation, open_model
from minds.models.language import Garbled, Missing, TooLong, Usage

pytestmark = pytest.mark.real
ASK: list[BaseMessage] = [SystemMessage("Be brief."), HumanMessage("Capital of France?")]


@pytest.fixture
async def model(tiny: Path) -> hf.TransformersModel:
    opened = open_model(f"hf:{tiny}", ModelSettings(models_dir=tiny))
    assert isinstance(opened, hf.TransformersModel)
    await opened.warm(ASK)
    return opened


async def said(model: hf.TransformersModel, messages: list[BaseMessage] = ASK, **options: object) -> str:
    return "".join([piece async for piece in model.stream(messages, **options)])  # type: ignore[arg-type]


async def test_streams_what_it_generates(model: hf.TransformersModel) -> None:
    usage = Usage()
    pieces = [piece async for piece in model.stream(ASK, max_tokens=12, usage=usage)]
    text = "".join(pieces)
    assert len(pieces) > 1 and usage.written == 12 and usage.read > 10
    assert text == await said(model, max_tokens=12)
    assert (await model.chat.ainvoke(ASK, max_tokens=12)).text == text


async def test_an_answer_whose_odds_are_asked_is_written_whole(model: hf.TransformersModel) -> None:
    """A small model's program is asked so: it ended behind its first token."""
    usage = Usage(logprobs=[])
    text = "".join([piece async for piece in model.stream(ASK, max_tokens=12, usage=usage)])
    assert text == await said(model, max_tokens=12) and usage.written == 12


async def test_goes_on_with_a_prefix(model: hf.TransformersModel) -> None:
    loaded = model.chat.load()  # type: ignore[attr-defined]
    ids = hf_generation.prompt_ids(loaded, [*ASK, AIMessage("The capital")])
    assert loaded.tokenizer.decode(ids[0]).endswith("<|im_start|>assistant\nThe capital")
    after = loaded.model.generate(ids, max_new_tokens=6, do_sample=False)[0, ids.shape[1] :]
    expected = loaded.tokenizer.decode(after, skip_special_tokens=True)
    assert await said(model, prefix="The capital", max_tokens=6) == expected


async def test_stops_before_a_stop_word(model: hf.TransformersModel) -> None:
    whole = await said(model, max_tokens=30)
    word = whole[8:11]
    usage = Usage()
    assert await said(model, max_tokens=30, stop=[word], usage=usage) == whole[: whole.index(word)]
    assert usage.written < 30


async def test_weighs_all_choices_of_the_next_token(model: hf.TransformersModel) -> None:
    import torch

    loaded = model.chat.load()  # type: ignore[attr-defined]
    ids = hf_generation.prompt_ids(loaded, [*ASK, AIMessage("The")])
    scores = loaded.model(ids).logits[0, -1].detach().log_softmax(-1)
    best = loaded.tokenizer.decode([int(scores.argmax())])
    weighed = await model.weigh(ASK, "The", [best, "no such token"])
    assert weighed[best] == pytest.approx(float(torch.max(scores)), abs=1e-4)
    assert weighed["no such token"] < float(scores.topk(15).values[-1])


async def test_holds_to_a_schema(model: hf.TransformersModel) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"action": {"enum": ["add", "finish"]}, "sure": {"type": "boolean"}},
        "required": ["action", "sure"],
        "additionalProperties": False,
    }
    found = await model.structured(ASK, schema, max_tokens=60)
    assert set(found) == {"action", "sure"} and found["action"] in ("add", "finish")
    assert isinstance(found["sure"], bool)


async def test_seed_and_temperature(model: hf.TransformersModel) -> None:
    async def once(seed: int) -> str:
        return (await model.chat.ainvoke(ASK, temperature=1.5, seed=seed, max_tokens=20)).text

    assert await once(1) == await once(1)
    assert await once(1) != await once(2)


async def test_cancelling_stops_the_thread(model: hf.TransformersModel) -> None:
    stream = model.stream(ASK, max_tokens=400)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    for thread in [thread for thread in threading.enumerate() if thread.name == "transformers"]:
        await asyncio.to_thread(thread.join, 10)
        assert not thread.is_alive()
    loaded = model.chat.load()  # type: ignore[attr-defined]
    assert not loaded.busy.locked()


@pytest.fixture
def other_template(model: hf.TransformersModel, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Gives the model another chat template."""
    tokenizer = model.chat.load().tokenizer  # type: ignore[attr-defined]
    return lambda template: monkeypatch.setattr(tokenizer, "chat_template", template)


async def test_thinking_that_the_template_opened_is_left_out(
    model: hf.TransformersModel, other_template: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    other_template("{{ messages[-1]['content'] }}<think>\n")
    with pytest.raises(Garbled, match="on thinking"):
        await said(model, max_tokens=12)
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"sure": {"type": "boolean"}},
        "required": ["sure"],
        "additionalProperties": False,
    }
    assert set(await model.structured(ASK, schema, max_tokens=60)) == {"sure"}
    tokenizer = model.chat.load().tokenizer  # type: ignore[attr-defined]
    decode = type(tokenizer).decode

    def spoken(ids: object, **options: object) -> str:
        return "hm</think>Hello." if options else decode(tokenizer, ids)

    monkeypatch.setattr(tokenizer, "decode", spoken)
    assert await said(model, max_tokens=2) == "Hello."


async def test_a_template_without_a_system_role_has_its_words_before_the_persons(
    model: hf.TransformersModel, other_template: Callable[[str], None]
) -> None:
    other_template(
        "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
        "{% endif %}[{{ m['role'] }}] {{ m['content'] }}{% endfor %}"
    )
    loaded = model.chat.load()  # type: ignore[attr-defined]
    read = loaded.tokenizer.decode(hf_generation.prompt_ids(loaded, ASK)[0])
    assert read == "[user] Be brief.\n\nCapital of France?"
    with pytest.raises(Garbled, match="System role not supported"):
        await said(model, ASK[:1])


@pytest.mark.parametrize(("asked", "told"), [("", 512), ("?context=300", 300), ("?context=9000", 512)])
async def test_the_context_is_the_models_own_or_the_smaller_one_that_is_asked_for(
    tiny: Path, asked: str, told: int
) -> None:
    model = open_model(f"hf:{tiny}{asked}", ModelSettings(models_dir=tiny))
    await model.warm(ASK)
    assert model.abilities.context == told


async def test_too_long(model: hf.TransformersModel) -> None:
    with pytest.raises(TooLong, match="512 tokens"):
        await said(model, [HumanMessage("word " * 600)])


async def test_both_minds_share_the_weights(tiny: Path, model: hf.TransformersModel) -> None:
    other = open_model(f"hf:{tiny}", ModelSettings(models_dir=tiny), "slow")
    await model.warm(ASK)
    await other.warm(ASK)
    assert model.chat.load() is other.chat.load()  # type: ignore[attr-defined]


async def test_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "none"}))
    model = open_model(f"hf:{tmp_path}", ModelSettings(models_dir=tmp_path))
    with pytest.raises(Missing, match="no usable model"):
        await model.warm(ASK)


async def test_the_hub_out_of_reach(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    model = open_model("hf:nobody/no-such-model", ModelSettings(models_dir=tmp_path))
    with pytest.raises(Missing, match="give the path of a folder"):
        await model.warm(ASK)


@pytest.mark.parametrize("quant", ["4bit", "8bit"])
async def test_quantised_or_a_clear_sentence(tiny: Path, quant: str) -> None:
    model = open_model(f"hf:{tiny}?quant={quant}", ModelSettings(models_dir=tiny))
    try:
        text = await said(model, max_tokens=5)  # type: ignore[arg-type]
    except Missing as fault:
        assert f"leave out ?quant={quant}" in str(fault)
    else:
        assert text
        layer = model.chat.load().model.model.layers[0].mlp.up_proj  # type: ignore[attr-defined]
        assert type(layer).__module__.startswith("bitsandbytes")


async def test_weights_are_given_back_where_nobody_holds_them(tiny: Path) -> None:
    model = open_model(f"hf:{tiny}?limit=9", ModelSettings(models_dir=tiny))
    await model.warm(ASK)
    held = weakref.ref(model.chat.load())  # type: ignore[attr-defined]
    await model.close()
    gc.collect()
    assert held() is None
