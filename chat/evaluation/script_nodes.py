"""YAML that knows its lines: every value is read with what it should be, and what is wrong is said where it stands.

Scalars are read by what is expected of them, not by how YAML would guess: `person: yes` is a word, `at: 14:00` a time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from chat.evaluation.scripts import Problem

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node


@dataclass
class Page:
    """One file and what was found wrong in it."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, at: Node | int, sentence: str) -> None:
        line = at if isinstance(at, int) else at.start_mark.line + 1
        self.problems.append(Problem(self.file, line, sentence))

    def top(self, path: Path, known: Collection[str], what: str) -> Fields | None:
        """The mapping that the file is; None (and a problem) where it is none."""
        node = self._composed(path, what)
        return None if node is None else self.fields(node, known, what)

    def _composed(self, path: Path, what: str) -> Node | None:
        import yaml

        try:
            raw = path.read_bytes()
            text = raw.decode("utf-8-sig")
        except OSError as error:
            self.wrong(1, f"The file cannot be read ({error.strerror}): check that it is there and may be read.")
            return None
        except UnicodeDecodeError as error:
            line = raw[: error.start].count(b"\n") + 1
            self.wrong(line, "This line is not UTF-8: save the file with the encoding UTF-8.")
            return None
        try:
            node: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except RecursionError:
            self.wrong(1, "Brackets or lists are nested too deeply here: a dialogue needs a few levels only.")
            return None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.wrong(mark.line + 1 if mark else 1, _yaml_sentence(text, error))
            return None
        except yaml.reader.ReaderError as error:
            line = text[: error.position].count("\n") + 1
            self.wrong(line, "A control character stands here that YAML does not allow: take it out.")
            return None
        if node is None:
            self.wrong(1, f"The file is empty: write {what}, or delete the file.")
        return node

    def fields(self, node: Node, known: Collection[str], what: str) -> Fields | None:
        """The keys of a mapping, each known and there once; None where the node is no mapping."""
        import yaml

        if not isinstance(node, yaml.MappingNode):
            example = next(iter(known), "name")
            self.wrong(node, f"Here {what} is expected, as keys and values such as `{example}: ...`.")
            return None
        found: dict[str, tuple[Node, Node]] = {}
        unknown = False
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if known and name not in known:
                unknown = True
                self.wrong(key, f"`{name}` is no key of {what}{nearest(name, known)}")
            elif name in found:
                first = found[name][0].start_mark.line + 1
                self.wrong(key, f"`{name}` stands here for the second time (first in line {first}): keep one.")
            else:
                found[name] = (key, value)
        return Fields(self, node, found, what, unknown)


def _yaml_sentence(text: str, error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    line = text.splitlines()[mark.line] if mark and mark.line < len(text.splitlines()) else ""
    problem = str(getattr(error, "problem", "") or "")
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in problem:
        return "A tab indents this line: use spaces."
    if "expected a single document" in str(error) or "but found another document" in problem:
        return "A second document begins here (`---`): write one a file."
    if "mapping values are not allowed" in problem:
        return 'A colon stands inside a value: put the value into quotes, such as person: "It is this: a flat".'
    if "undefined alias" in problem:
        return f"YAML takes this for an alias ({problem.removeprefix('found ')}): put the value into quotes."
    return f"This is not YAML ({problem or 'it cannot be parsed'}): check quotes, brackets and indentation here."


def nearest(name: str, known: Collection[str]) -> str:
    """The end of a sentence about an unknown name: `: did you mean `person`?`, or all that there are."""
    if close := get_close_matches(name, known, 1, 0.6):
        return f": did you mean `{close[0]}`?"
    return f"; there are: {', '.join(sorted(known)) or 'none'}."


@dataclass
class Fields:
    """The keys of one mapping. Every reader says what is wrong and then gives the default, so that all is found."""

    page: Page
    node: MappingNode
    found: dict[str, tuple[Node, Node]]
    what: str
    unknown: bool = False
    """A key is not known: it may be what seems to be missing."""

    def __contains__(self, name: str) -> bool:
        return name in self.found

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def value(self, name: str) -> Node:
        return self.found[name][1]

    def at(self, name: str) -> Node:
        """Where it is written: the key, or the mapping where it is missing."""
        return self.found[name][0] if name in self.found else self.node

    def wrong(self, name: str, sentence: str) -> None:
        self.page.wrong(self.at(name), sentence)

    def needs(self, *names: str) -> bool:
        missing = [name for name in names if name not in self.found]
        for name in missing:
            self.page.wrong(self.node, f"`{name}` is missing in {self.what}: add `{name}: ...`.")
        return not missing

    def text(self, name: str, default: str = "") -> str:
        """Words, in one line or several."""
        if name not in self.found:
            return default
        said = scalar(self.value(name))
        if said is None:
            self.wrong(name, f"`{name}` should be words, not a list or a mapping: write `{name}: ...` in one line.")
        elif not said.strip():
            self.wrong(name, f"`{name}` is empty: write something behind it, or take it out.")
        return (said or default).strip()

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of words; a single one may stand alone."""
        return tuple(said for said, _ in self.lines(name))

    def lines(self, name: str) -> list[tuple[str, Node]]:
        """The same with the place of each."""
        import yaml

        if name not in self.found:
            return []
        node = self.value(name)
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        said = [(scalar(item), item) for item in items]
        for each, item in said:
            if not (each or "").strip():
                self.page.wrong(item, f"`{name}` should be a list of words, such as `{name}: [one, two]`.")
        return [(each.strip(), item) for each, item in said if each and each.strip()]

    def items(self, name: str) -> Sequence[Node]:
        """The nodes of a list; of one thing that stands alone, that."""
        import yaml

        if name not in self.found:
            return ()
        node = self.value(name)
        return list(node.value) if isinstance(node, yaml.SequenceNode) else [node]

    def whole(self, name: str, default: int, low: int = 0, high: int = 10**9) -> int:
        said = self.text(name, str(default))
        if not re.fullmatch(r"-?\d{1,12}", said) or not low <= int(said) <= high:
            if said:
                bounds = f"from {low} to {high:,}" if high < 10**9 else f"from {low} on"
                self.wrong(name, f"`{name}` is `{said}`: it should be a whole number {bounds}.")
            return default
        return int(said)

    def flag(self, name: str, default: bool | None = False, either: str = "") -> bool | None:
        """`either`: a word that stands for None."""
        said = self.text(name, "-" if default is None else str(default).lower()).lower()
        if said in ("true", "false"):
            return said == "true"
        if said not in ("-", "", either):
            others = f", false or {either}" if either else " or false"
            self.wrong(name, f"`{name}` is `{said}`: it should be true{others}.")
        return None if default is None or said == either else default

    def choice(self, name: str, options: Collection[str], default: str) -> str:
        said = self.text(name, default)
        if said and said not in options:
            self.wrong(name, f"`{name}` is `{said}`: it should be one of {', '.join(options)}.")
            return default
        return said or default

    def patterns(self, name: str) -> tuple[re.Pattern[str], ...]:
        """Regular expressions that do not look at case."""
        found = (self.pattern_of(said, node) for said, node in self.lines(name))
        return tuple(pattern for pattern in found if pattern)

    def pattern_of(self, said: str, node: Node) -> re.Pattern[str] | None:
        try:
            return re.compile(said, re.I)
        except (re.error, OverflowError, RecursionError) as error:
            how = "mend it, or put \\ before its signs"
            self.page.wrong(node, f"`{said[:80]}` is no regular expression ({error}): {how}.")
            return None

    def inner(self, name: str, known: Collection[str], what: str) -> Fields | None:
        return self.page.fields(self.value(name), known, what) if name in self.found else None


def scalar(node: Node) -> str | None:
    """Its text as it is written; None for lists and mappings."""
    import yaml

    return str(node.value) if isinstance(node, yaml.ScalarNode) else None
