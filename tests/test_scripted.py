from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool

from minds.models import ModelSettings
from minds.models.language import BadSpec, Busy, Garbled, LanguageModel, Said, ToolCall, Unreachable, Usage
from tests.scripted import Line, ScriptedModel, opening

ASK: list[BaseMessage] = [SystemMessage("Be brief."), HumanMessage("What is 2 + 2?")]
TWO, THREE = (ToolCall("calculator", {"expression": text}) for text in ("2+2", "3+3"))


@tool
def calculator(expression: str) -> str:
    """Calculates."""
    return expression


async def said(model: LanguageModel, messages: list[BaseMessage] = ASK, **options: object) -> str:
    return "".join([piece async for piece in model.stream(messages, **options)])  # type: ignore[arg-type]


async def test_replies_in_order() -> None:
    model = ScriptedModel(["Hello there", {"a": 1}, TWO, Said("why", (TWO, THREE)), TWO, Busy("Wait.")])
    usage = Usage()
    assert await said(model, usage=usage) == "Hello there"
    assert (usage.read, usage.written) == (7, 2)
    assert await model.structured(ASK, {}) == {"a": 1}
    assert await model.call(ASK, [calculator]) == Said("", (TWO,))
    assert await model.call(ASK, [calculator]) == Said("why", (TWO, THREE))
    with pytest.raises(Garbled, match="answered nothing"):  # offered, but not to be called
        await said(model, tools=[calculator])
    with pytest.raises(Busy, match=r"Wait\."):
        await said(model)
    with pytest.raises(Garbled, match="no reply left"):
        await said(model)
    assert len(model.heard) == 7 and model.heard[0] == ASK


async def test_a_function_of_the_messages() -> None:
    model = ScriptedModel(lambda messages: f"You said: {messages[-1].text}")
    assert await said(model) == "You said: What is 2 + 2?"
    assert await said(model, [HumanMessage("x")]) == "You said: x"


async def test_weigh_looks_at_the_coming_reply() -> None:
    model = ScriptedModel(["Invoke[True]\nResponse[One moment.]"])
    weighed = await model.weigh(ASK, "Invoke[", ["True", "False"])
    assert weighed["True"] > -0.1 and weighed["False"] < -4
    assert await said(model, prefix="Invoke[True]\nResponse[", stop=["]"]) == "One moment."


async def test_weights_of_their_own() -> None:
    model = ScriptedModel([Line(when="2", weights={"True": -1.0, "False": -0.5}), "ok"])
    assert await model.weigh(ASK, "Invoke[", ["True", "False"]) == {"True": -1.0, "False": -0.5}
    assert await said(model) == "ok"


async def test_conditions_come_first_and_stay() -> None:
    model = ScriptedModel(["in order", Line("four", when=r"2 \+ 2")])
    assert [await said(model), await said(model), await said(model, [HumanMessage("x")])] == [
        "four",
        "four",
        "in order",
    ]


async def test_faults() -> None:
    model = ScriptedModel([Line("one two three four", fault="half"), Line(fault="busy")])
    pieces = []
    with pytest.raises(Unreachable):
        async for piece in model.stream(ASK):
            pieces.append(piece)
    assert pieces == ["one", " two"]
    with pytest.raises(Busy):
        await said(model)


async def test_silence() -> None:
    model = ScriptedModel([Line(fault="silence")], settings=ModelSettings(models_dir=Path(), first=0.05))
    with pytest.raises(Unreachable, match="silent"):
        await said(model)


async def test_max_tokens_and_the_begun_message() -> None:
    model = ScriptedModel(["a b c d", "a b c d"])
    assert await said(model, max_tokens=2) == "a b"
    assert await said(model, [*ASK, AIMessage("a b")]) == " c d"


async def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(
        "abilities: {tools: false, strong: true}\ndelay: 0.001\nlines:\n"
        "  - plain\n  - {json: {a: [1]}}\n  - {tool: calculator, arguments: {expression: 1+1}, reply: hm}\n"
        "  - {calls: [{tool: calculator, arguments: {expression: 2+2}}, {tool: clock}]}\n"
        "  - {when: bye, reply: Goodbye}\n"
    )
    model = opening(f"scripted:{path}", ModelSettings(models_dir=tmp_path))
    assert not model.abilities.tools and model.abilities.strong and model.abilities.prefix
    assert await said(model, [HumanMessage("bye")]) == "Goodbye"
    assert await said(model) == "plain"
    assert await model.structured(ASK, {}) == {"a": [1]}
    assert await model.call(ASK, [calculator]) == Said("hm", (ToolCall("calculator", {"expression": "1+1"}),))
    assert [call.name for call in (await model.call(ASK, [calculator])).calls] == ["calculator", "clock"]


async def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join([json.dumps("one"), json.dumps({"reply": "two"})]))
    model = opening(f"scripted:{path}", ModelSettings(models_dir=tmp_path))
    assert [await said(model), await said(model)] == ["one", "two"]


@pytest.mark.parametrize(
    "text", ["lines: [{replay: x}]", "lines: [{fault: sulks}]", "lines: [{when: '['}]", "a: b", "{"]
)
def test_bad_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(text)
    with pytest.raises(BadSpec, match="correct it"):
        opening(f"scripted:{path}", ModelSettings(models_dir=tmp_path))
    with pytest.raises(BadSpec):
        opening(f"scripted:{tmp_path / 'none.yaml'}", ModelSettings(models_dir=tmp_path))
