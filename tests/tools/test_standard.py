"""LangChain's own standard tests over every tool in the map, and what ours promise beyond them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pydantic import ValidationError

from tests.tools.test_memory import TOM, Keeper
from tools import TOOLS, open_tools
from tools.desk import Artifact, Chunk, Desk, Kept, ToolFault
from tools.typed import typed_tool

EXAMPLES: dict[str, tuple[dict[str, object], str]] = {
    "python": ({"program": "print(387 * 46)"}, "17802"),
    "convert": ({"amount": 5, "unit": "miles", "to": "km"}, "5 miles = 8.04672 km"),
    "documents": ({"question": "how long is the warranty"}, '[manual.md, Care] "The warranty is three years."'),
    "recall": ({"about": "my sister's name"}, "My sister is Ann."),
    "memory": ({"do": "show", "about": "Tom"}, f'This is kept about "Tom", of 7 notes in all:\n- {TOM.id}: {TOM.text}'),
}
TEXT = {"python": "program", "convert": "unit", "documents": "question", "recall": "about", "memory": "about"}
"""The argument of each that is free text."""


def desk() -> Desk:
    return Desk(
        session="s1",
        now=datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin")),
        chunks=[Chunk("manual.md", "Care", "The warranty is three years.")],
        documents="digest",
        recall=lambda _: [Kept("", "My sister is Ann.")],
        keeper=Keeper(TOM),
    )


class _OneTool:
    name = ""

    @property
    def tool_constructor(self) -> BaseTool:
        return open_tools(desk(), [self.name])[self.name]

    @property
    def tool_invoke_params_example(self) -> dict[str, object]:
        return EXAMPLES[self.name][0]


def _suites() -> dict[str, type]:
    """A class for every tool and suite: a new line in the map is tested without another word here."""
    return {
        f"Test{name.title()}{suite.__name__}": type(
            f"Test{name.title()}{suite.__name__}", (_OneTool, suite), {"name": name}
        )
        for name in TOOLS
        for suite in (ToolsUnitTests, ToolsIntegrationTests)
    }


globals().update(_suites())


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_typed_and_describes_itself(name: str) -> None:
    tool = open_tools(desk())[name]
    assert tool.name == name and 20 < len(tool.description) < 1200
    assert set(EXAMPLES[name][0]) <= set(tool.args)
    types = ("string", "number", "integer", "array")
    assert all(field["description"] and field["type"] in types for field in tool.args.values())
    assert tool.invoke(EXAMPLES[name][0]) == EXAMPLES[name][1]


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("text", ["", "\x00", "x" * 10_240, "(" * 300, "1e9**1e9", "'; DROP TABLE turns; --", "٣ + ٤"])
def test_only_tool_faults_leave_a_tool(name: str, text: str) -> None:
    tool = open_tools(desk())[name]
    try:
        answer = tool.invoke({**EXAMPLES[name][0], TEXT[name]: text})
    except ToolFault as fault:
        answer = str(fault)
    assert answer.strip() and len(answer) < 1500


@pytest.mark.parametrize("name", TOOLS)
def test_arguments_of_another_type_are_refused_by_the_schema(name: str) -> None:
    with pytest.raises(ValidationError):
        open_tools(desk())[name].invoke({TEXT[name]: ["no", "text"]})


def test_documents_are_left_out_where_there_are_none() -> None:
    empty = replace(desk(), chunks=[], keeper=None)
    assert [name for name in TOOLS if name not in open_tools(empty)] == ["documents", "memory"]
    assert list(open_tools(empty, ["documents", "recall"])) == ["recall"]
    assert list(open_tools(desk())) == list(TOOLS)


def test_a_fault_nobody_thought_of_becomes_a_sentence() -> None:
    def answer(text: str) -> tuple[str, Artifact]:
        raise RuntimeError("deep inside")

    tool = typed_tool("oracle", "d", answer)
    with pytest.raises(ToolFault, match="The oracle tool could not work this out") as fault:
        tool.invoke({"text": "anything"})
    assert "deep inside" not in str(fault.value)


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        open_tools(desk(), ["teleport"])


@pytest.mark.real
def test_importing_tools_is_light() -> None:
    heavy = "langchain_core, pint, pydantic_monty, holidays, dateparser, pypdf, numpy"
    code = f"import sys, tools; print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
