"""The calculator: one sum in signs or words, or told as an everyday problem, worked out exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.arithmetic import evaluate, show
from tools.asides import tidy
from tools.desk import Artifact, Desk, ToolFault
from tools.frames import read_frame
from tools.plain import clean, plain_tool, without_courtesy
from tools.stories import read_story
from tools.word_problems import Problem, read_problem
from tools.worded_sums import Sum, read_sum

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def make(desk: Desk) -> BaseTool:
    return plain_tool("calculator", "Does arithmetic. Input: 387 * 46, or 17% of 250", calculate)


def calculate(text: str) -> tuple[str, Artifact]:
    """`387 times 46` -> `387 times 46 = 17802`. Raises ToolFault."""
    said = tidy(clean(text, "calculator"))
    asked = without_courtesy(said).lower()
    try:
        wanted = read_sum(asked)
        result = _result(wanted)
    except ToolFault:
        problem = read_problem(said) or read_problem_of(said)
        if problem:
            return _solved(problem), {}
        raise
    note = f" ({wanted.note})" if wanted.note else ""
    left = asked.split("=")[0].strip() if asked[:1].isdigit() else asked
    return f"{left} = {result}{note}", {}


def read_problem_of(said: str) -> Problem | None:
    """A story as a Problem."""
    if frame := read_frame(said):
        return Problem(frame.sum, frame.unit, frame.whole)
    story = read_story(said)
    return Problem(story[0], whole=story[1]) if story else None


def _result(wanted: Sum) -> str:
    figure, space, mark = show(evaluate(wanted.expression)).partition(" (")
    return figure + wanted.unit + space + mark


def _solved(problem: Problem) -> str:
    """The sum is restated, so that the person can check how the sentences were read."""
    value = evaluate(problem.expression)
    if problem.whole and value != int(value):
        raise ToolFault(f"{problem.expression} is no whole number; ask for that sum itself.")
    figure, space, mark = show(value).partition(" (")
    return f"{problem.expression} = {figure}{problem.unit}{space}{mark}"
