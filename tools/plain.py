"""Plain words in, one line out: for the domains' tools, whose one argument is free text."""

from __future__ import annotations

import json
import logging
import re
import unicodedata
from collections.abc import Callable
from functools import cache

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, create_model

from tools.desk import Artifact, ToolFault

log = logging.getLogger(__name__)

LONGEST = 400
"""Characters read by tools that take one short request; longer texts are refused: nothing can hang."""
_PIECE = re.compile(r"(?s:.{1,199}\s|.{1,200})")

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SYMBOLS = str.maketrans(
    {"×": "*", "✕": "*", "✖": "*", "·": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-",
     "—": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "′": "'", "“": '"', "”": '"', "″": '"', "≤": "<=",
     "≥": ">=", "→": " to "}
)  # fmt: skip
_WRAPPERS = {"'": "'", '"': '"', "`": "`", "[": "]", "<": ">", "“": "”"}


def plain_tool(name: str, description: str, answer: Callable[[str], tuple[str, Artifact]]) -> BaseTool:
    """A LangChain tool with one string argument, `input`, whose faults are all ToolFaults of one sentence."""

    def run(input: str) -> tuple[str, Artifact]:
        try:
            return answer(input)
        except ToolFault:
            raise
        except Exception as error:  # RecursionError, OverflowError, a library's own: none may pass as it is
            log.warning("%s could not answer", name, exc_info=True)
            raise ToolFault(f"The {name} tool could not work this out; say it in a simpler way.") from error

    return StructuredTool(
        name=name, description=description, func=run, args_schema=_schema(), response_format="content_and_artifact"
    )


@cache
def _schema() -> type[BaseModel]:
    """The same for all: tools are made anew for each run, and reading it off a function costs ten milliseconds."""
    return create_model("Words", input=(str, ...))


def clean(text: str, name: str = "") -> str:
    """`text` in one line of plain characters, out of quotes, JSON and a call of the tool (`name[...]`).

    Raises ToolFault when it is empty or longer than `LONGEST`.
    """
    if len(text) > LONGEST * 4:
        raise ToolFault(f"The input has {len(text)} characters; give one short request of at most {LONGEST}.")
    text = unwrap(one_line(text), name)
    if not text:
        raise ToolFault(f"The input is empty; say what {name or 'the tool'} should work out.")
    if len(text) > LONGEST:
        raise ToolFault(f"The input has {len(text)} characters; give one short request of at most {LONGEST}.")
    return text


def normal(text: str) -> str:
    """Each character in its plain form (NFKC), in pieces: a row of accents takes the square of its length.

    A piece that would grow many times as long (there are signs that stand for a sentence) stays as it is.
    """
    return text if text.isascii() else _PIECE.sub(lambda found: _normal(found[0]), text)


def _normal(piece: str) -> str:
    plain = unicodedata.normalize("NFKC", piece)
    return plain if len(plain) <= 4 * len(piece) else piece


def one_line(text: str) -> str:
    """Plain digits, signs and spaces in place of typographic and foreign ones; no control characters."""
    text = re.sub(r"[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    text = re.sub(r"(\d?)\s?([¼-¾⅐-⅞])", _vulgar_fraction, text)
    text = normal(text).translate(_SYMBOLS)
    text = "".join(_plain_character(c) for c in text)
    return " ".join(text.split())


def _vulgar_fraction(found: re.Match[str]) -> str:
    fraction = unicodedata.normalize("NFKC", found[2]).replace("⁄", "/")
    return f"{found[1]} {fraction}" if found[1] else fraction


def _plain_character(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return " " if unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cs") else character


def unwrap(text: str, name: str) -> str:
    """The request inside `name[...]`, `name: ...`, quotes, back-quotes or a JSON object's first string."""
    for _ in range(3):
        before = text
        text = text.strip()
        if text.startswith("{") and text.endswith("}"):
            text = _from_json(text)
        if name:
            text = re.sub(rf"^{re.escape(name)}\s*(?:\[(.*)\]|\((.*)\)|:\s*(.*))$", _first, text, flags=re.I)
        if len(text) > 1 and _WRAPPERS.get(text[0]) == text[-1]:
            text = text[1:-1]
        if text == before:
            break
    return text.strip()


def _first(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def _from_json(text: str) -> str:
    try:
        values = list(json.loads(text).values())
    except (ValueError, RecursionError):
        return text
    return next((str(value) for value in values if isinstance(value, str | int | float)), text)
