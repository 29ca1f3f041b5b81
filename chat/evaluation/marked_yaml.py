"""YAML read into pydantic models: every mistake is said with its file, its line, and what to change.

All scalars reach the models as text, so that the models say what they are: `person: yes` is a word, `at: 14:00` a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from chat.faults import ChatFault

T = TypeVar("T")
STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)
Where = tuple[Any, ...]
"""The way from the top of a file: keys and positions, ("turns", 0, "person")."""
Parts = Mapping[str, tuple[str, type]]
"""The key under which something stands -> what it is called in sentences, and its dataclass; "" for the whole file."""
BRACKETS, OPEN = {"[": 1, "{": 1, "]": -1, "}": -1}, 200
"""What a bracket adds to those that are open, and the most that may be."""
DEEPEST, MOST = 40, 20_000
"""Levels and values of a file."""


@dataclass(frozen=True)
class Problem:
    """What is wrong in a file, and what to change."""

    file: str
    """As the person would open it."""
    line: int
    """From 1."""
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


class FileFault(ChatFault):
    """A file that cannot be used; the text has all its problems, one a line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class Wrong(ValueError):
    """What our validators refuse. `where`: the way on to it."""

    def __init__(self, sentence: str, *where: Any) -> None:
        super().__init__(sentence)
        self.where = where


@dataclass(frozen=True)
class Page:
    """One file: its content as text, lists and mappings, and the line of everything in it."""

    file: str
    data: Any
    lines: Mapping[Where, int]

    def problem(self, where: Where, sentence: str) -> Problem:
        """At the last step of the way that stands in the file: at its key, or at its value in a list."""
        while where not in self.lines:
            where = where[:-1]
        return Problem(self.file, self.lines[where], sentence)

    def filled(self, model: type[T], parts: Parts, context: Any = None) -> tuple[T | None, list[Problem]]:
        """The file as a `model` and its problems: what is wrong is left out; None where the model needs that."""
        adapter = TypeAdapter(model)
        try:
            return adapter.validate_python(self.data, context=context), []
        except ValidationError as error:
            problems = self.problems(error, parts)
            wrong = {step for each in error.errors() for step in each["loc"][:1]}
        with suppress(ValidationError):
            left = {key: self.data[key] for key in self.data if key not in wrong} if wrong else None
            return adapter.validate_python(left, context=context), problems
        return None, problems

    def problems(self, error: ValidationError, parts: Parts, at: Where = ()) -> list[Problem]:
        """Each mistake once. `at`: the way to what was validated."""
        every = error.errors()
        unknown = {each["loc"][:-1] for each in every if each["type"] == "unexpected_keyword_argument"}
        found = []
        for each in every:
            where, wrong = at + each["loc"], (each.get("ctx") or {}).get("error")
            if each["type"] == "missing" and each["loc"][:-1] in unknown:
                continue  # the unknown key may be what seems to be missing
            if each["type"] == "default_factory_not_called":
                continue  # what it is made from is wrong
            sentence = str(wrong) if isinstance(wrong, Wrong) else _sentence(each, where, parts)
            found.append(self.problem((*where, *getattr(wrong, "where", ())), sentence))
        return [problem for problem in dict.fromkeys(found) if problem.sentence]


# -- sentences


def nearest(name: str, known: Collection[str]) -> str:
    """The end of a sentence about an unknown name: `: did you mean `person`?`, or all that there are."""
    if close := get_close_matches(name, known, 1, 0.6):
        return f": did you mean `{close[0]}`?"
    return f"; there are: {', '.join(sorted(known)) or 'none'}."


def _sentence(error: Any, where: Where, parts: Parts) -> str:
    """For what pydantic itself refuses."""
    kind, said = error["type"], error["input"] if isinstance(error["input"], str) else ""
    names = ["", "", *(step for step in where if isinstance(step, str))]
    name, (over, model) = names[-1], parts.get(names[-2], (f"`{names[-2]}`", None))
    if kind == "missing":
        return f"`{name}` is missing in {over}: add `{name}: ...`."
    if kind == "unexpected_keyword_argument":
        return f"`{name}` is no key of {over}{nearest(name, keys(model))}"
    if kind in ("dataclass_type", "dict_type"):
        what, model = parts.get(name, (f"`{name}`", None))
        return f"Here {what} is expected, as keys and values such as `{next(iter(keys(model)), 'name')}: ...`."
    if kind in ("string_type", "tuple_type", "list_type", "pattern_type"):
        return f"`{name}` should be words, not a list or a mapping: write `{name}: ...` in one line."
    if kind == "string_too_short":
        return f"`{name}` is empty: write something behind it, or take it out."
    return f"`{name}` is `{said[:80]}`: {_wanted(kind, error.get('ctx') or {}, error['msg'])}."


def _wanted(kind: str, about: Mapping[str, Any], told: str) -> str:
    if kind == "literal_error":
        return f"it should be one of {str(about['expected']).replace(chr(39), '').replace(' or ', ', ')}"
    if kind.startswith(("int", "greater", "less")):
        bounds = f" from {about['ge']} on" if "ge" in about else f" of at most {about['le']}" if "le" in about else ""
        return f"it should be a whole number{bounds}"
    if kind.startswith("bool"):
        return "it should be true or false"
    if kind.startswith(("datetime", "timezone")):
        return "write a time with its zone, such as 2026-11-22T10:00+01:00"
    return told[:1].lower() + told[1:]


def keys(model: type | None) -> list[str]:
    """Of a pydantic dataclass, as a file writes them."""
    found: Mapping[str, Any] = getattr(model, "__pydantic_fields__", {})
    return [each.alias or name for name, each in found.items() if not each.exclude]


# -- the file


def read_page(path: Path, what: str) -> Page:
    """`what` the file should be. Raises FileFault."""
    line = 1
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
        if max(accumulate(BRACKETS.get(sign, 0) for sign in text), default=0) > OPEN:
            raise RecursionError  # PyYAML's time grows with the square of it
        if (node := yaml.BaseLoader(text).get_single_node()) is None:
            raise FileFault([Problem(str(path), 1, f"The file is empty: write {what}, or delete the file.")])
        lines, wrong = {(): node.start_mark.line + 1}, list[tuple[int, str]]()
        data = _content(node, (), lines, wrong)
        if wrong:
            raise FileFault(Problem(str(path), *each) for each in wrong)
        return Page(str(path), data, lines)
    except OSError as error:
        sentence = f"The file cannot be read ({error.strerror}): check that it is there and may be read."
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        sentence = "This line is not UTF-8: save the file with the encoding UTF-8."
    except RecursionError:
        sentence = "Brackets or lists are nested too deeply here: a dialogue needs a few levels only."
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, sentence = mark.line + 1 if mark else 1, _yaml_sentence(text, error)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        sentence = "A control character stands here that YAML does not allow: take it out."
    raise FileFault([Problem(str(path), line, sentence)])


def _content(node: yaml.Node, at: Where, lines: dict[Where, int], wrong: list[tuple[int, str]]) -> Any:
    """As text, lists and mappings. Adds where everything stands, and what is wrong with keys.

    Raises RecursionError for what is too deep, or by its aliases too much.
    """
    if len(at) > DEEPEST or len(lines) > MOST:
        raise RecursionError
    if isinstance(node, yaml.SequenceNode):
        lines |= {(*at, place): each.start_mark.line + 1 for place, each in enumerate(node.value)}
        return [_content(each, (*at, place), lines, wrong) for place, each in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return node.value
    found = {}
    for key, value in node.value:
        line, where, told = key.start_mark.line + 1, (*at, str(key.value)), ""
        if not isinstance(key, yaml.ScalarNode):
            told = "A list or a mapping stands here in the place of a key: a key is a word, such as `id`."
        elif key.value in found:
            told = f"`{key.value}` stands here for the second time (first in line {lines[where]}): keep one."
        if told:
            wrong.append((line, told))
        else:
            lines[where] = line
            found[key.value] = _content(value, where, lines, wrong)
    return found


def _yaml_sentence(text: str, error: yaml.MarkedYAMLError) -> str:
    lines, problem = text.splitlines(), error.problem or ""
    line = lines[error.problem_mark.line] if error.problem_mark and error.problem_mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in problem:
        return "A tab indents this line: use spaces."
    if "but found another document" in problem:
        return "A second document begins here (`---`): write one a file."
    if "mapping values are not allowed" in problem:
        return 'A colon stands inside a value: put the value into quotes, such as person: "It is this: a flat".'
    if "undefined alias" in problem:
        return f"YAML takes this for an alias ({problem.removeprefix('found ')}): put the value into quotes."
    return f"This is not YAML ({problem or 'it cannot be parsed'}): check quotes, brackets and indentation here."
