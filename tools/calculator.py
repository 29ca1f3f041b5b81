"""The calculator: one sum in signs or words, worked out exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.arithmetic import evaluate, show
from tools.desk import Artifact, Desk
from tools.plain import clean, plain_tool, without_courtesy
from tools.worded_sums import read_sum

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def make(desk: Desk) -> BaseTool:
    return plain_tool("calculator", "Does arithmetic. Input: 387 * 46, or 17% of 250", calculate)


def calculate(text: str) -> tuple[str, Artifact]:
    """`387 times 46` -> `387 times 46 = 17802`. Raises ToolFault."""
    asked = without_courtesy(clean(text, "calculator")).lower()
    wanted = read_sum(asked)
    figure, space, mark = show(evaluate(wanted.expression)).partition(" (")
    result = figure + wanted.unit + space + mark
    note = f" ({wanted.note})" if wanted.note else ""
    left = asked.split("=")[0].strip() if asked[:1].isdigit() else asked
    return f"{left} = {result}{note}", {}
