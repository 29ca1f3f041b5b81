"""A text world as ReAct writes it down (Yao et al. 2023, appendix C.4): `> think: ...` is answered `OK.`, `> action` by
the world. One text that only grows: a prefix cache serves all but its newest lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from minds.models.language import LanguageModel, Usage
from minds.slow import Workbench
from minds.strategies.lines import MARK, OK, THINK, line_of
from minds.strategies.react import READ
from minds.strategies.steps import GROWN

LINE_TOKENS = 400


class Transcript:
    """One trial's: the opening, then each line and what it was answered."""

    def __init__(self, opening: str, goal: str, above: str = "") -> None:
        """`above`: what stands before the opening."""
        self._opening = "\n".join(filter(None, (above, opened(opening, goal))))
        self._lines: list[str] = []

    def add(self, line: str, answer: str) -> None:
        """A line of the agent's, and what came of it."""
        self._lines.append(f"{MARK} {line}\n{answer}")

    def think(self, thought: str, answer: str = OK) -> None:
        """A thought: the world does not hear it."""
        self.add(f"{THINK} {thought}", answer)

    def text(self, room: int, behind: Sequence[str] = ()) -> str:
        """In at most so many bytes: where it is longer the oldest lines are left out. `behind` is said to the agent
        now, and never again."""
        notes = [f"({note})" for note in behind if note]
        left = room - sum(_size(part) for part in (self._opening, *notes))
        kept: list[str] = []
        for line in reversed(self._lines):
            left -= _size(line)
            if left < 0:
                break
            kept.append(line)
        return "\n".join((self._opening, *reversed(kept), *notes))


def opened(opening: str, goal: str) -> str:
    """What the world said first, without its welcome, and the task as the last line."""
    parts = [one_line(part) for part in opening.split("\n\n") if not part.startswith(("-=", "Your task is"))]
    task = goal if goal.startswith("Your task is") else f"Your task is to: {goal.rstrip('.')}."
    return "\n".join([*filter(None, parts), task])


def one_line(text: str) -> str:
    """What the world said, in one line."""
    return " ".join(text.split())


def room_for(model: LanguageModel, *constant: str) -> int:
    """Bytes that a transcript may take beside the constant parts of its prompt."""
    return int(model.abilities.context * READ * GROWN) - sum(map(_size, constant))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) + 1


async def next_line(bench: Workbench, system: str, transcript: str, usage: Usage) -> str:
    """The agent's next line as `line_of` reads it; empty where it wrote none. Raises ModelFault."""
    # A model that goes on with what was begun for it stops at the line's end. Another one may think before, and servers
    # look for what stops it in its thoughts, too.
    stop = ("\n",) if bench.model.abilities.prefix else ()
    said = await written(bench, system, transcript, MARK, usage, stop=stop, max_tokens=LINE_TOKENS)
    return line_of(said, transcript.splitlines())


async def written(bench: Workbench, system: str, transcript: str, begun: str, usage: Usage, **how: Any) -> str:
    """How the model goes on with the transcript, behind the line that was `begun`; empty where nothing can be read.
    Raises ModelFault."""
    own = bench.model.abilities.prefix
    asked = [SystemMessage(system), HumanMessage(transcript if own else f"{transcript}\n{begun}")]
    return await bench.said(asked, usage, prefix=begun if own else "", **how)
