"""The form in which a model writes a line, whatever it was asked for: marks, numbers, fences, headings around it.

One reading for all strategies; what a line means is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Collection

THINK, OK, MARK = "think:", "OK.", ">"
_BEFORE = re.compile(r"^(?:[>*_`#\"'\s-]|\d+[.)](?=\s)|(?:next )?action(?: ?\d+)? ?:)+", re.IGNORECASE)
_BEHIND = "*_`\"'. \t"
_THOUGHT = re.compile(r"(?:think|thought)[*_ ]*:[*_ ]*", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")


def bare(line: str) -> str:
    """An action without what models put around it: `1. **Action:** go to fridge 1.` -> `go to fridge 1`."""
    return _BEFORE.sub("", line).rstrip(_BEHIND)


def thought_of(line: str) -> str | None:
    """The thought of a line that is one: `> **Think:** It is cold.` -> `It is cold.`"""
    line = _BEFORE.sub("", line)
    return line[found.end() :].rstrip("*_` \t") if (found := _THOUGHT.match(line)) else None


def lines_of(said: str) -> list[str]:
    """What was written without blanks and fences, and without headings: what ends in a colon leads to the next line."""
    lines = [line for line in said.splitlines() if bare(line) and not _FENCE.fullmatch(line)]
    return [line for line in lines if thought_of(line) or not bare(line).endswith(":")]


def line_of(said: str, told: Collection[str] = ()) -> str:
    """The agent's next line: `think: ` and a thought, or an action; empty where none was written. What was `told` it
    only repeats, unless it is marked as its own."""
    own = [line for line in lines_of(said) if line.lstrip().startswith(MARK) or line.strip() not in (OK, *told)]
    if not own:
        return ""
    thought = thought_of(own[0])
    return bare(own[0]) if thought is None else f"{THINK} {thought}"
