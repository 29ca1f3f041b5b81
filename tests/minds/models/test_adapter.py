"""What the adapter makes of an answer: all its calls, no thinking, and a sentence where it says nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from minds.models import ModelSettings, open_model
from minds.models.answers import thought_out, without_thinking
from minds.models.language import Declined, Garbled, LanguageModel, ModelFault, Said, ToolCall, Usage

ASK: list[BaseMessage] = [HumanMessage("hi")]
Delta = dict[str, Any]


@tool
def multiply(one: int, other: int) -> int:
    """Multiplies."""
    return one * other


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret1234567890")


def model_of(fake: Any, options: str = "") -> LanguageModel:
    settings = ModelSettings(models_dir=Path(), first=5.0, between=5.0, retries=0)
    return open_model(f"openai:m@{fake.url}{options}", settings)


def answer(*deltas: Delta, finish: str = "stop") -> Callable[[Any], None]:
    def play(call: Any) -> None:
        call.begin()
        for delta in deltas:
            call.piece(delta)
        call.end(finish)

    return play


def words(*texts: str) -> list[Delta]:
    return [{"content": text} for text in texts]


def called(index: int, arguments: str, name: str | None = "multiply") -> Delta:
    """A call, or (without a name) more of its arguments."""
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {
        "tool_calls": [
            {"index": index, "function": function} | ({"id": f"c{index}", "type": "function"} if name else {})
        ]
    }


async def said(model: LanguageModel, **options: Any) -> list[str]:
    return [piece async for piece in model.stream(ASK, **options)]


# -- tool calls


async def test_all_parallel_calls_come(fake: Any) -> None:
    first = (called(0, '{"one": 2, "ot'), called(0, 'her": 3}', None))
    others = (called(1, '{"one": 4, "other": 5}'), called(2, "", "clock"))
    fake.then(answer(*words("Let me ", "see."), *first, *others, finish="tool_calls"))
    wanted = (
        ToolCall("multiply", {"one": 2, "other": 3}),
        ToolCall("multiply", {"one": 4, "other": 5}),
        ToolCall("clock"),
    )
    assert await model_of(fake).call(ASK, [multiply]) == Said("Let me see.", wanted)
    assert fake.bodies[0]["tools"][0]["function"]["parameters"]["required"] == ["one", "other"]
    assert "tool_choice" not in fake.bodies[0]


async def test_calls_come_behind_the_last_word_of_a_stream(fake: Any) -> None:
    fake.then(answer(*words("One ", "moment."), called(0, "{}", "think"), finish="tool_calls"))
    calls: list[ToolCall] = []
    seen = []
    async for piece in model_of(fake).stream(ASK, tools=[multiply], calls=calls):
        seen.append((piece, len(calls)))
    assert seen == [("One ", 0), ("moment.", 0)] and calls == [ToolCall("think")]


async def test_a_call_that_begins_behind_words_is_heard_at_once(fake: Any) -> None:
    fake.then(answer(*words("I ", "multiply."), called(0, '{"one": 3, '), called(0, '"other": 4}', name=None)))
    heard: list[str] = []
    await model_of(fake).call(ASK, [multiply], aloud=heard.append)
    assert "".join(heard) == "I multiply." and heard[-1] == "" and "" not in heard[:2]


async def test_a_call_without_a_word_is_an_answer(fake: Any) -> None:
    fake.then(answer(called(0, "{}", "think"), finish="tool_calls"))
    assert await model_of(fake).call(ASK, [multiply]) == Said("", (ToolCall("think"),))


async def test_tools_are_sent_but_may_not_be_called_where_nobody_takes_the_calls(fake: Any) -> None:
    fake.then(answer(*words("It is 6.")))
    assert await said(model_of(fake), tools=[multiply]) == ["It is 6."]
    assert fake.bodies[0]["tool_choice"] == "none" and len(fake.bodies[0]["tools"]) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"one": 2, "other": ', "not JSON"),
        ("two and three", "not JSON"),
        ("[2, 3]", "not a JSON object"),
        ("6", "not a JSON object"),
    ],
)
async def test_arguments_that_cannot_be_read_are_the_models_to_mend(fake: Any, arguments: str, why: str) -> None:
    fake.then(answer(called(0, arguments), called(1, '{"one": 4, "other": 5}'), finish="tool_calls"))
    broken, sound = (await model_of(fake).call(ASK, [multiply])).calls
    assert (broken.name, broken.arguments) == ("multiply", {}) and why in broken.fault and "multiply" in broken.fault
    assert sound == ToolCall("multiply", {"one": 4, "other": 5})


async def test_a_call_that_the_limit_cut_is_no_call_with_half_its_arguments(fake: Any) -> None:
    fake.then(answer(called(0, '{"one": 23, "other": 4'), finish="length"))
    usage = Usage()
    [call] = (await model_of(fake).call(ASK, [multiply], usage=usage)).calls
    assert call.fault and call.arguments == {} and usage.cut


async def test_calls_and_their_answers_are_sent_back(fake: Any) -> None:
    fake.then(answer(*words("It is 6.")))
    call = {"name": "multiply", "args": {"one": 2, "other": 3}, "id": "step-0-0"}
    history = [*ASK, AIMessage("", tool_calls=[call]), ToolMessage("6", tool_call_id="step-0-0")]
    await model_of(fake).call(history, [multiply])
    asked, given = fake.bodies[0]["messages"][1:]
    assert asked["tool_calls"][0]["function"] == {"name": "multiply", "arguments": json.dumps(call["args"])}
    assert (given["role"], given["tool_call_id"], given["content"]) == ("tool", "step-0-0", "6")


async def test_a_form_of_a_tool_is_offered_as_it_is(fake: Any) -> None:
    form = {
        "type": "function",
        "function": {"name": "give_up", "description": "Ends.", "parameters": {"type": "object", "properties": {}}},
    }
    fake.then(answer(*words("Fine.")))
    await model_of(fake).call(ASK, [form])
    assert fake.bodies[0]["tools"] == [form]


# -- thinking aloud


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<think>They greet me.</think>Hello!", "Hello!"),
        ("\n<think>\nThey greet\nme.\n</think>\n\nHello!", "Hello!"),
        ("<think></think>Hello!", "Hello!"),
        ("Hello <think>there</think>!", "Hello <think>there</think>!"),
        ("<thinking of you>", "<thinking of you>"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("<", "<"),
        ("<think>never done", ""),
        ("<think>done</think>  ", ""),
        ("Hello!", "Hello!"),
        ("", ""),
    ],
)
async def test_a_block_of_thinking_is_nobodys_reply_wherever_it_is_cut(text: str, wanted: str) -> None:
    cuts = [[text[:a], text[a:b], text[b:]] for a in range(len(text) + 1) for b in range(a, len(text) + 1)]
    for pieces in (*cuts, list(text)):
        assert "".join([piece async for piece in without_thinking(played(pieces))]) == wanted, pieces


async def played(pieces: Sequence[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def test_words_behind_a_block_of_thinking_stream_at_once() -> None:
    came = [piece async for piece in without_thinking(played(["<think>hm", "</think>Hel", "lo ", "there"]))]
    assert came == ["Hel", "lo ", "there"]


@pytest.mark.parametrize(
    "deltas",
    [
        words("<think>h", "m</think>Hel", "lo"),
        [{"reasoning_content": "hm"}, *words("Hello")],
        [{"reasoning": "hm", "content": ""}, *words("Hello")],
    ],
)
async def test_thinking_in_the_text_and_in_fields_is_left_out(fake: Any, deltas: list[Delta]) -> None:
    fake.then(answer(*deltas))
    assert "".join(await said(model_of(fake))) == "Hello"


# -- answers that say nothing


async def silence(fake: Any, play: Callable[[Any], None], **options: Any) -> ModelFault:
    fake.answers[:] = [play]
    with pytest.raises(ModelFault) as caught:
        await said(model_of(fake), **options)
    assert (
        "\n" not in str(caught.value) and str(caught.value).endswith((".", "…")) and "secret" not in str(caught.value)
    )
    return caught.value


async def test_a_refusal_is_told_as_the_model_words_it(fake: Any) -> None:
    error = await silence(fake, answer({"refusal": "I cannot "}, {"refusal": "help with\nthat."}))
    assert isinstance(error, Declined) and "I cannot help with that." in str(error)


async def test_words_count_more_than_a_refusal_beside_them(fake: Any) -> None:
    fake.then(answer(*words("Partly: yes."), {"refusal": "Not all of it."}))
    assert await said(model_of(fake)) == ["Partly: yes."]


@pytest.mark.parametrize("deltas", [words(), words("I would say")])
async def test_a_content_filter_is_said_even_behind_words(fake: Any, deltas: list[Delta]) -> None:
    error = await silence(fake, answer(*deltas, finish="content_filter"))
    assert isinstance(error, Declined) and "content filter" in str(error)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("They greet me.\n</think>\n\nHello!", "Hello!"),
        ("Hello!", "Hello!"),
        ("a <think>b</think> c", "a <think>b</think> c"),
    ],
)
def test_thinking_that_the_server_s_template_opened_is_no_part_of_a_whole_text(text: str, told: str) -> None:
    assert thought_out(text) == told


@pytest.mark.parametrize("deltas", [words(), words(""), words("<think>hm</think>"), [{"reasoning_content": "hm"}]])
async def test_an_empty_answer_is_a_fault(fake: Any, deltas: list[Delta]) -> None:
    error = await silence(fake, answer(*deltas))
    assert isinstance(error, Garbled) and "answered nothing" in str(error)


@pytest.mark.parametrize("deltas", [words("<think>on and on and"), [{"reasoning_content": "on and on"}], words()])
async def test_a_limit_spent_on_thinking_names_the_way_out(fake: Any, deltas: list[Delta]) -> None:
    error = await silence(fake, answer(*deltas, finish="length"))
    assert isinstance(error, Garbled) and "thinking" in str(error) and "?limit=" in str(error)


async def test_a_call_that_says_nothing_is_a_fault_too(fake: Any) -> None:
    fake.then(answer(finish="stop"))
    with pytest.raises(Garbled, match="answered nothing"):
        await model_of(fake).call(ASK, [multiply])


async def test_what_was_begun_for_it_may_end_at_once(fake: Any) -> None:
    fake.then(answer(finish="stop"))
    assert await said(model_of(fake, "?prefix=1"), prefix="Invoke[False]\nResponse[") == []


# -- limits and counts


async def test_the_last_call_says_whether_it_was_cut(fake: Any) -> None:
    usage = Usage()
    fake.then(answer(*words("On and"), finish="length"), answer(*words("Done.")))
    await said(model_of(fake), usage=usage)
    assert usage.cut and usage.calls == 1
    await said(model_of(fake), usage=usage)
    assert not usage.cut and usage.calls == 2


async def test_a_limit_is_sent_where_there_is_one(fake: Any) -> None:
    fake.then(answer(*words("Fine.")))
    await said(model_of(fake))
    await said(model_of(fake, "?limit=300"))
    await said(model_of(fake, "?limit=300"), max_tokens=20)
    assert [body.get("max_tokens") for body in fake.bodies] == [None, 300, 20]


async def test_every_way_of_asking_is_counted(fake: Any) -> None:
    fake.then(answer(*words('{"a": 1}')))
    model, usage = model_of(fake), Usage()
    await said(model, usage=usage)
    await model.call(ASK, [multiply], usage=usage)
    await model.structured(ASK, {"type": "object"}, usage=usage)
    assert (usage.calls, usage.read, usage.written, usage.paid) == (3, 21, 9, 15)
