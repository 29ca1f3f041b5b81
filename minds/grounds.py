"""What a reply stands on: its figures stand somewhere, or they are marked for the person and never replaced; what it
takes from documents is told with its place; what it has of what was told before, with the notes.
"""

from __future__ import annotations

import ast
import re
from calendar import month_name
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime
from unicodedata import decimal

from memory.memory import Note
from memory.written import anchors, figures, within, words
from minds.dialogue import Step

BLANKS = r"\u00a0\u202f\u2009 "
_NUMBER = re.compile(rf"(?<![\w.,])\d(?:[\d.,'{BLANKS}]|\{{,\}})*\d|(?<![\w.,])\d")
_DAY = re.compile(
    r"(\d\d?)\.(\d\d?)\.(\d{4})|(\d{4})\.(\d\d?)\.(\d\d?)|([0-2]\d|3[01])\.(0?[1-9]|1[0-2])|([01]?\d|2[0-3])\.([0-5]\d)"
)
"""`24.12.2026`, `2026.12.24`, `24.12.` or `14.30`; not `3.5`: a 3 and a 5 stand somewhere in most texts."""
_JOINED = re.compile(r"(?<!\d)(\d{1,4})(?=[.:/-](\d{1,4})(?!\d))")
_LISTED = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*+])[ \t]", re.MULTILINE)
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
SMALL = frozenset("0123456789")
"""Single digits say nothing about where they come from."""
_QUOTE = re.compile(r'"([^"\n]+)"|“([^“”\n]+)”|„([^„“\n]+)“|«([^«»\n]+)»')
_CLOCK = re.compile(r"(?<!\d)\d+(?::\d+)+")
SHORTEST = 12
"""Characters of what is told as a quote; what is shorter is a word in quotation marks."""
MOST = 3
"""Notes that a reply names, the best first."""


def unsupported(reply: str, known: Sequence[str]) -> list[str]:
    """The numbers of `reply`, as written there, that stand in none of `known`; those of lists and code are free."""
    have = {value for text in known for written in numbers(text) for value in readings(written) | parts(written)}
    joined = {frozenset(map(_plain, pair)) for text in known for pair in _JOINED.findall(text)}
    shown = numbers(_LISTED.sub("", CODE.sub("", reply)))
    return list(dict.fromkeys(n for n in shown if n not in SMALL and not _stood(n, have, joined)))


def _stood(written: str, have: set[str], joined: set[frozenset[str]]) -> bool:
    """In one of its readings, as a day with all its parts, or, of two parts, as these stand together: a 7 and a 20 may
    stand anywhere, and are no 7.20."""
    said = parts(written)
    return bool(readings(written) & have) or (said <= have if len(said) > 2 else said in joined)


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
            case _, [str(day), *_] if (on := _dated(day)) and not _said(on.year, known):
                return {"year": str(on.year), "day": f"{on.day} {month_name[on.month]}"}
    return {}


def _dated(text: str) -> date | None:
    """A day that is written with its year."""
    for form in ("%Y-%m-%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%B %d %Y", "%d.%m.%Y"):
        with suppress(ValueError):
            return datetime.strptime(text.strip(), form).date()
    return None


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
    bare = re.sub(rf"['{BLANKS}]", "", _ascii(written)).strip(".,")
    ways = {bare.replace(",", ""), bare.replace(".", "").replace(",", ".")}
    return {_plain(way) for way in ways if re.fullmatch(r"\d+(?:\.\d+)?", way)}


def parts(written: str) -> set[str]:
    """Those of a day or a time with full stops; nothing where it is none."""
    found = _DAY.fullmatch(_ascii(written).strip(".,"))
    return {_plain(part) for part in found.groups() if part} if found else set()


def _ascii(written: str) -> str:
    """Digits of any script as 0 to 9, and the comma that LaTeX is told to set close as a comma."""
    return "".join(str(decimal(sign, sign)) for sign in written).replace("{,}", ",")


def _parted(written: str) -> list[str]:
    """Blanks belong to a number only where they part thousands."""
    if re.fullmatch(rf"\d{{1,3}}(?:[{BLANKS}']\d{{3}})+(?:[.,]\d+)?", written):
        return [written]
    return [part.strip(".,'") for part in re.split(rf"[{BLANKS}]|, |\. ", written) if part.strip(".,'")]


def _plain(digits: str) -> str:
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


# -- places in documents


def places(reply: str, passages: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Source -> what of the reply stands in its passage, as the reply writes it.

    `passages` are (source, text), the best first; what stands in several is told of the first one alone.
    """
    for source, _ in passages:  # a source that the reply names itself is none of its words
        reply = reply.replace(source, "")
    passages = [(source, " ".join(text.split())) for source, text in passages]
    times = _CLOCK.findall(reply)  # 22:00 is one
    figures_of = [*times, *(n for n in numbers(_CLOCK.sub(" ", reply)) if n not in SMALL)]
    found: dict[str, list[str]] = {}
    for said in dict.fromkeys([*_quotes(reply), *_names(reply), *figures_of]):
        source = next((source for source, text in passages if _stands(said, text)), "")
        if source:
            found.setdefault(source, []).append(said)
    return found


def _quotes(reply: str) -> list[str]:
    found = ("".join(match.groups("")).strip() for match in _QUOTE.finditer(reply))
    return [quote for quote in found if len(quote) >= SHORTEST]


def _names(reply: str) -> list[str]:
    """Words written like names, those that stand side by side together: `Anna Schmidt`."""
    said = words(reply)
    like = anchors(said)
    runs, run = list[str](), list[str]()
    for word in [*said, "."]:
        if word.lower() in like and not word.isdigit():
            run.append(word)
        elif run:
            runs.append(" ".join(run))
            run = []
    return runs


def _stands(said: str, text: str) -> bool:
    """A number in any of its readings; words as whole words, wherever the lines break."""
    if values := readings(said):
        return any(values & readings(written) for written in numbers(text))
    loose = r"\s+".join(re.escape(part) for part in said.rstrip(".,;").split())
    return re.search(rf"(?<!\w){loose}(?!\w)", " ".join(text.split()), re.IGNORECASE) is not None


# -- what was told before


def resting(reply: str, said: str, told: Sequence[Note]) -> list[str]:
    """The ids of the notes that the reply has something of that the person did not just say."""
    return [note.id for note in told if _taken(note, reply, said)][:MOST]


def _taken(note: Note, reply: str, said: str) -> bool:
    text, value = f"{note.text} {note.answer}", note.about.get("value", "").casefold()
    marks = (anchors(words(text)) | set(figures(text))) & _all(reply)
    marks |= {value} if within(value, reply) else set()
    return any(mark not in said.casefold() for mark in marks)


def leans(steps: Sequence[Step], question: str, before: Sequence[str]) -> bool:
    """Whether steps worked with a figure or a name of what was told before that the question does not hold: what they
    found is no answer to that question elsewhere."""
    used = set[str]()
    for step in steps:
        used |= anchors(words(step.observation)) | set(figures(f"{step.observation} {step.argument}"))
        used |= _all(" ".join(handed(step.argument)))
    return bool(used & _all("\n".join(before)) - _all(question))


def _all(text: str) -> set[str]:
    """Its words and figures."""
    return {word.casefold() for word in words(text)} | set(figures(text))
