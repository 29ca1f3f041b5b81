"""LangChain's own standard tests over every tool in the map, and what ours promise beyond them."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from tools import TOOLS, open_tools
from tools.desk import Chunk, Desk, Remembered, ToolFault
from tools.plain import plain_tool

EXAMPLES = {
    "calculator": ("387 * 46", "387 * 46 = 17802"),
    "dates": ("45 days from today", "Tuesday, 5 January 2027"),
    "units": ("5 miles in km", "5 miles = 8.04672 kilometres"),
    "documents": ("how long is the warranty", '[manual.md, Care] "The warranty is three years."'),
    "recall": ("my sister's name", "You said: My sister is Ann. / Reply: Noted."),
}


def desk() -> Desk:
    return Desk(
        session="s1",
        now=datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin")),
        chunks=[Chunk("manual.md", "Care", "The warranty is three years.")],
        documents="digest",
        recall=lambda _: [Remembered("My sister is Ann.", "Noted.", 0.0)],
    )


class _OneTool:
    name = ""

    @property
    def tool_constructor(self) -> BaseTool:
        return open_tools(desk(), [self.name])[self.name]

    @property
    def tool_invoke_params_example(self) -> dict[str, str]:
        return {"input": EXAMPLES[self.name][0]}


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
def test_every_tool_takes_one_string_and_describes_itself_briefly(name: str) -> None:
    tool = open_tools(desk())[name]
    assert tool.name == name
    assert list(tool.args) == ["input"] and tool.args["input"]["type"] == "string"
    assert len(tool.description) <= 110 and "Input:" in tool.description
    asked, wanted = EXAMPLES[name]
    assert wanted in tool.invoke(asked)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("text", ["", "\x00", "x" * 10_240, "(" * 300, "1e9**1e9", "'; DROP TABLE turns; --", "٣ + ٤"])
def test_only_tool_faults_leave_a_tool(name: str, text: str) -> None:
    tool = open_tools(desk())[name]
    try:
        answer = tool.invoke(text)
    except ToolFault as fault:
        answer = str(fault)
    assert answer.strip() and len(answer) < 1500


def test_a_fault_nobody_thought_of_becomes_a_sentence() -> None:
    def answer(text: str) -> tuple[str, dict[str, str]]:
        raise RuntimeError("deep inside")

    tool = plain_tool("oracle", "d", answer)  # type: ignore[arg-type]
    with pytest.raises(ToolFault, match="The oracle tool could not work this out") as fault:
        tool.invoke("anything")
    assert "deep inside" not in str(fault.value)


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        open_tools(desk(), ["teleport"])


def test_importing_tools_is_light() -> None:
    heavy = "langchain_core, pint, dateparser, simpleeval, pypdf, numpy"
    code = f"import sys, tools; print([m for m in '{heavy}'.split(', ') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
