"""Prompts are files without logic: `render("slow/react", tools=...)` fills the $names of prompts/slow/react.txt."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def render(name: str, **values: str) -> str:
    """The prompt with its $names filled. Raises FileNotFoundError, and KeyError on a name without a value."""
    return Template(_text(name)).substitute(values)


def spoken(name: str, language: str = "English", **values: str) -> str:
    """A sentence of Duet's own: of the file's blocks, each a language and the sentence in it, that in `language`, or
    English where there is none. Its $names are filled as those of a prompt."""
    told = dict(examples(name))
    return Template(told.get(language) or told["English"]).substitute(values)


def examples(name: str) -> list[tuple[str, str]]:
    """A file of exchanges: blocks between blank lines; the first line goes in (\\n breaks it), the rest out."""
    blocks = [block.strip().partition("\n") for block in _text(name).split("\n\n") if block.strip()]
    return [(said.replace("\\n", "\n"), reply) for said, _, reply in blocks]
