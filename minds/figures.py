"""Figures of a reply that stand nowhere else: they are marked for the person, never replaced."""

from __future__ import annotations

import ast
import re
from calendar import month_name
from collections.abc import Iterable

_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,'\u00a0\u202f ]*\d|(?<![\w.,])\d")
_LISTED = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*+])[ \t]", re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
SMALL = frozenset("0123456789")
"""Single digits say nothing about where they come from."""


def unsupported(reply: str, known: Iterable[str]) -> list[str]:
    """The numbers of `reply`, as written there, that stand in none of `known`; those of lists and code are free."""
    have = {value for text in known for written in numbers(text) for value in readings(written)}
    shown = numbers(_LISTED.sub("", _CODE.sub("", reply)))
    return list(dict.fromkeys(n for n in shown if n not in SMALL and not readings(n) & have))


def unsaid_year(program: str, known: str) -> dict[str, str]:
    """The first day that a program makes with a year that does not stand in `known`: year and day, in words. A day that
    is read without a year has 1900."""
    for call in _calls(_nodes(program)):
        given = [part.value if isinstance(part, ast.Constant) else None for part in call.args[:3]]
        match ast.unparse(call.func).rpartition(".")[2], given:
            case "date" | "datetime", [int(year), int(month), int(day)] if 1 <= month <= 12 and not _said(year, known):
                return {"year": str(year), "day": f"{day} {month_name[month]}"}
            case "strptime", [str(day), str(form)] if "%d" in form and "%y" not in form.lower():
                return {"year": "1900", "day": day}
    return {}


def computes(program: str) -> bool:
    """Whether a program works anything out: one that prints what is written in it does not."""
    nodes = _nodes(program)
    works = any(isinstance(node, ast.BinOp | ast.Compare | ast.AugAssign) for node in nodes)
    return not nodes or works or bool(_calls(nodes))


def handed(program: str) -> list[str]:
    """The texts that a program hands to functions other than `print`, such as the names of cities."""
    given = [part for call in _calls(_nodes(program)) for part in call.args]
    return [part.value for part in given if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _calls(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    """But for those of `print`."""
    return [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) != "print"]


def _nodes(program: str) -> list[ast.AST]:
    """Its parts; none where it is no program."""
    try:
        return list(ast.walk(ast.parse(program)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def _said(year: int, known: str) -> bool:
    """With all its digits, or the last two as a year is written: `'85`, `3.5.85`, or more than a day can be."""
    short = f"{year % 100:02}"
    return bool(re.search(rf"{year}|['’/.-]{short}(?!\d)" + rf"|(?<!\d){short}(?!\d)" * (short > "31"), known))


def numbers(text: str) -> list[str]:
    """All numbers of a text, as written: `1,234.50`, `1.234,50`, `12 000`; `1, 2, 3` are three."""
    return [part for found in _NUMBER.findall(text) for part in _parted(found.strip())]


def readings(written: str) -> set[str]:
    """What a written number may mean, commas and points read either way: `1.234` is 1.234 or 1234."""
    bare = re.sub(r"['\u00a0\u202f ]", "", written).strip(".,")
    ways = {bare.replace(",", ""), bare.replace(".", "").replace(",", ".")}
    return {_plain(way) for way in ways if re.fullmatch(r"\d+(?:\.\d+)?", way)}


def _parted(written: str) -> list[str]:
    """Blanks belong to a number only where they part thousands."""
    if re.fullmatch(r"\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?", written):
        return [written]
    return [part.strip(".,'") for part in re.split(r"[ \u00a0\u202f]|, |\. ", written) if part.strip(".,'")]


def _plain(digits: str) -> str:
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")
