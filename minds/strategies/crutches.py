"""What a small model is helped with, so that it cannot miscopy or guess: tools say what they understand, sums can
only be made of the question's figures, answers and thoughts are held against what was observed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from langchain_core.tools import BaseTool, ToolException

from minds.dialogue import Episode, Move, Step
from minds.fidelity import figures, invented

CALCULATOR, DOCUMENTS, RECALL = "calculator", "documents", "recall"
SEARCHERS = (DOCUMENTS, RECALL)
READERS = (CALCULATOR, "dates", "units")
"""Tools that work on the question alone, so that trying them tells whether they understand it."""
HANDY = ("2", "7", "12", "24", "60", "100")
"""Numbers that a sum may bring in by itself: halves, weeks, dozens, hours, percents."""
HARMLESS = frozenset([*map(str, range(11)), "12", "24", "30", "52", "60", "100", "365", "1000", "3600"])
"""Numbers that a tool's input may bring in by itself."""


def reading(question: str, tools: Mapping[str, BaseTool]) -> tuple[str, ...]:
    """The tools that understand the question as it stands. Tries them; they work on the question alone."""
    return tuple(name for name in READERS if name in tools and understands(tools[name], question))


def understands(tool: BaseTool, said: str) -> bool:
    """Whether a tool of READERS can work with these words; it is tried, which changes nothing."""
    try:
        seen = str(tool.invoke({next(iter(tool.args)): said}))
    except ToolException:
        return False
    return len(set(figures(seen))) > 1 or tool.name != CALCULATOR  # `55 miles = 55` is no sum


def sum_of(numbers: Sequence[str]) -> str:
    """A pattern: these numbers, the four signs and brackets."""
    number = f"[(]?[(]?({'|'.join(re.escape(n) for n in numbers)})%?[)]?[)]?"
    return f"^{number}( [-+*/] {number}){{1,7}}$"


def known(episode: Episode) -> list[str]:
    task = episode.task
    said = [turn.text for turn in task.dialogue.turns]
    return [
        task.question,
        task.said,
        *task.steering,
        *said,
        *(_seen(step) for step in episode.steps if not step.failed),
    ]


def _seen(step: Step) -> str:
    return re.sub(r"\s+", " ", f"{step.move.argument} {step.observation}")


def miscounted(answer: str, known: Sequence[str]) -> str:
    """A figure that stands in `answer` more often than in all of `known`: it took another's place. Empty when none."""
    may = Counter(figures(" ; ".join(known)))
    return next((figure for figure, times in Counter(figures(answer)).items() if times > may[figure]), "")


def unguessed(thought: str, known: Sequence[str]) -> str:
    """A thought up to the first figure that stands nowhere else."""
    made_up = set(invented(thought, known))
    for number in re.finditer(r"\d[\d,.]*\d|\d", thought) if made_up else ():
        if made_up & set(figures(number[0])):
            return re.sub(
                r"\s*(?:=|≈|is|are|equals|about|approximately|[-+*/×:,(])*\s*$", "", thought[: number.start()]
            )
    return thought


def made_up(episode: Episode, move: Move) -> list[str]:
    """Figures of an input that stand nowhere in the episode."""
    return [figure for figure in invented(move.argument, known(episode)) if figure not in HARMLESS]


def quoted(step: Step) -> str:
    """The first thing that a search found, in words for the person: the passage with its source, or what was told.

    Empty where the person only asked, and told nothing.
    """
    first = step.observation.split("\n")[0]
    if passage := re.match(r"(\[[^\]]+\]) (\".*)", first):
        return f"It says: {passage[2]} {passage[1]}"
    told = re.match(r"You said: (.*?)(?: / Reply: .*)?$", first)
    if told and told[1].endswith("?"):
        return ""
    return f'You told me: "{told[1]}"' if told else step.observation
