"""A rubric: what is graded, on which scores, and who decides. Data (rubrics/*.yaml, or a file of one's own)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from chat.faults import ChatFault

FOLDER = Path(__file__).parent / "rubrics"
By = Literal["program", "judge", "program, else judge"]
_BY = ("program", "judge", "program, else judge")
_KEYS = {
    "metric": {"name", "title", "group", "paper", "asks", "scores", "by", "program", "decides"},
    "rubric": {"name", "title", "scale", "pass_at", "metrics"},
}


@dataclass(frozen=True)
class Metric:
    """One line of a rubric."""

    name: str
    title: str
    asks: str
    """What the grade answers."""
    scores: Mapping[int, str]
    """Each score that may be given, with its criterion."""
    by: By
    program: str = ""
    """The grader among chat/evaluation/graders, where a program decides."""
    group: str = ""
    paper: bool = False
    """One of DUMA's."""
    decides: str = ""
    """What the program looks at, for the report."""

    @property
    def best(self) -> int:
        return max(self.scores)


@dataclass(frozen=True)
class Rubric:
    """All that is graded."""

    name: str
    title: str
    metrics: tuple[Metric, ...]
    pass_at: int = 1
    source: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """As it was read: kept with a run, so that its report can be made anywhere."""

    def __getitem__(self, name: str) -> Metric:
        """Raises KeyError."""
        try:
            return next(metric for metric in self.metrics if metric.name == name)
        except StopIteration:
            raise KeyError(name) from None


class RubricFault(ChatFault):
    """A rubric that cannot be used: where, and what to change."""

    def __init__(self, file: str, line: int, sentence: str) -> None:
        super().__init__(f"{file}:{line}: {sentence}")
        self.line, self.sentence = line, sentence


def read_rubric(name: str | Path = "duma") -> Rubric:
    """By the name of a file in rubrics/, or a path. Raises ChatFault with file, line and what to change."""
    path = FOLDER / f"{name}.yaml" if "/" not in str(name) and not str(name).endswith((".yaml", ".yml")) else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RubricFault(path.name, 1, "The file is not UTF-8: save it with the encoding UTF-8.") from error
    except OSError as error:
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.yaml")))
        raise ChatFault(f"There is no rubric `{name}` ({error.strerror}): name a file, or one of: {known}.") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        sentence = f"This is not YAML ({getattr(error, 'problem', error)}): mend it."
        raise RubricFault(path.name, mark.line + 1 if mark else 1, sentence) from error
    except (RecursionError, ValueError, TypeError) as error:  # of YAML's own types: a date that is none, say
        sentence = f"A value of this file cannot be read ({type(error).__name__}): mend it."
        raise RubricFault(path.name, 1, sentence) from error
    try:
        return as_rubric(data)
    except _Wrong as wrong:
        raise RubricFault(path.name, _line(node, wrong.where), str(wrong)) from wrong


def check_rubric(path: Path) -> list[tuple[int, str]]:
    """(line, sentence) of what is wrong with a file; empty when nothing is."""
    try:
        read_rubric(path)
    except RubricFault as fault:
        return [(fault.line, fault.sentence)]
    except ChatFault as fault:
        return [(1, str(fault))]
    return []


def as_rubric(data: Any) -> Rubric:
    """Of plain data, as a run keeps it. Raises ValueError."""
    _known(data, "rubric", ())
    found = data.get("metrics")
    if not isinstance(found, list) or not found:
        raise _Wrong("`metrics` is a list of at least one metric", ())
    scale = data.get("scale", [0, 1, 2])
    if not isinstance(scale, list) or len(scale) < 2 or not all(isinstance(score, int) for score in scale):
        raise _Wrong("`scale` is a list of whole numbers, such as [0, 1, 2]", ("scale",))
    metrics = tuple(_metric(each, scale, ("metrics", number)) for number, each in enumerate(found))
    names = [metric.name for metric in metrics]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise _Wrong(f"there are two metrics `{name}`: rename one", ("metrics", number))
    name, pass_at = str(data.get("name", "own")), data.get("pass_at", 1)
    if not isinstance(pass_at, int):
        raise _Wrong("`pass_at` is a whole number", ("pass_at",))
    return Rubric(name, str(data.get("title", name)), metrics, pass_at, data)


def _metric(data: Any, scale: list[int], where: tuple[Any, ...]) -> Metric:
    from chat.evaluation.graders import GRADERS

    _known(data, "metric", where)
    for need in ("name", "asks", "scores", "by"):
        if not data.get(need):
            raise _Wrong(f"a metric needs `{need}`", where)
    by, program, scores = data["by"], str(data.get("program", "")), data["scores"]
    if by not in _BY:
        raise _Wrong(f"`by` is `{by}`; it must be one of: {'; '.join(_BY)}", (*where, "by"))
    if isinstance(scores, dict):  # JSON has no numbers as keys
        scores = {int(key) if re.fullmatch("[0-9]{1,9}", str(key)) else key: text for key, text in scores.items()}
    if not isinstance(scores, dict) or set(scores) != set(scale):
        raise _Wrong(f"`scores` needs a criterion for each of {scale}", (*where, "scores"))
    if by != "judge" and program not in GRADERS:
        raise _Wrong(f"`program` is `{program}`; it must be one of: {', '.join(GRADERS)}", (*where, "program"))
    name = str(data["name"])
    return Metric(
        name,
        str(data.get("title", name.replace("_", " ").capitalize())),
        str(data["asks"]),
        {score: str(scores[score]) for score in scale},
        cast(By, by),
        program if by != "judge" else "",
        str(data.get("group", "")),
        bool(data.get("paper", False)),
        str(data.get("decides", "")).strip(),
    )


class _Wrong(ValueError):
    """What is wrong, and the way to it from the top."""

    def __init__(self, text: str, where: tuple[Any, ...]) -> None:
        super().__init__(f"{text}.")
        self.where = where


def _known(data: Any, kind: str, where: tuple[Any, ...]) -> None:
    if not isinstance(data, dict):
        raise _Wrong(f"a {kind} is a mapping such as `name: ...`", where)
    for key in data:
        if key not in _KEYS[kind]:
            raise _Wrong(f"`{key}` is no part of a {kind}; those are: {', '.join(sorted(_KEYS[kind]))}", (*where, key))


def _line(node: Any, where: tuple[Any, ...]) -> int:
    """The line of what is reached by these keys and numbers, or of what holds it."""
    line = node.start_mark.line if node is not None else 0
    for step in where:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[step]
            line = node.start_mark.line
        elif isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(step)), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
    return int(line) + 1
