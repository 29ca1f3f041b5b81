"""A rubric: what is graded, on which scores, and who decides. Data (rubrics/*.yaml, or a file of one's own)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from chat.evaluation.graders import GRADERS
from chat.evaluation.marked_yaml import FileFault, Parts, Problem, Wrong, read_page
from chat.evaluation.queries import STRICT
from chat.evaluation.script_words import Text
from chat.faults import ChatFault

FOLDER = Path(__file__).parent / "rubrics"


@dataclass(frozen=True, config=STRICT)
class Metric:
    """One line of a rubric."""

    name: Text
    asks: Text
    """What the grade answers."""
    scores: Mapping[int, str]
    """Each score that may be given, with its criterion."""
    by: Literal["program", "judge", "program, else judge"]
    title: str = ""
    program: str = ""
    """The grader among chat/evaluation/graders, where a program decides."""
    group: str = ""
    paper: bool = False
    """One of DUMA's."""
    decides: str = ""
    """What the program looks at, for the report."""

    @model_validator(mode="after")
    def _graded(self) -> Metric:
        if self.by != "judge" and self.program not in GRADERS:
            raise Wrong(f"`program` is `{self.program}`: it should be one of {', '.join(GRADERS)}.", "program")
        return self

    @property
    def best(self) -> int:
        return max(self.scores)


@dataclass(frozen=True, config=STRICT)
class Rubric:
    """All that is graded."""

    name: str = "own"
    title: str = ""
    scale: tuple[int, ...] = (0, 1, 2)
    metrics: tuple[Metric, ...] = Field(default=...)
    pass_at: int = 1
    source: Mapping[str, Any] = Field(default_factory=dict, exclude=True)
    """As it was read: kept with a run, so that its report can be made anywhere."""

    @model_validator(mode="after")
    def _whole(self) -> Rubric:
        names = [metric.name for metric in self.metrics]
        for place, metric in enumerate(self.metrics):
            if set(metric.scores) != set(self.scale):
                raise Wrong(f"`scores` needs a criterion for each of {list(self.scale)}.", "metrics", place, "scores")
            if metric.name in names[:place]:
                raise Wrong(f"There are two metrics `{metric.name}`: rename one.", "metrics", place, "name")
        if not names:
            raise Wrong("`metrics` is a list of at least one metric.", "metrics")
        return self

    def __getitem__(self, name: str) -> Metric:
        """Raises KeyError."""
        found = {metric.name: metric for metric in self.metrics}
        return found[name]


PARTS: Parts = {"": ("a rubric", Rubric), "metrics": ("a metric", Metric)}


def read_rubric(name: str | Path = "duma") -> Rubric:
    """By the name of a file in rubrics/, or a path. Raises ChatFault with file, line and what to change."""
    import yaml

    own = "/" in str(name) or str(name).endswith((".yaml", ".yml"))
    path = Path(name) if own else FOLDER / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.yaml")))
        raise ChatFault(f"There is no rubric `{name}`: name a file, or one of: {known}.")
    page = read_page(path, "a rubric")
    rubric, problems = page.filled(Rubric, PARTS)
    if rubric is None or problems:
        raise FileFault(problems)
    try:
        return _titled(rubric, yaml.safe_load(path.read_text(encoding="utf-8-sig")))
    except ValueError as error:  # of YAML's own types: a date that is none, say
        sentence = f"A value of this file cannot be read ({error}): put it into quotes."
        raise FileFault([Problem(str(path), 1, sentence)]) from error


def as_rubric(data: Any) -> Rubric:
    """Of plain data, as a run keeps it. Raises ValueError."""
    return _titled(TypeAdapter(Rubric).validate_python(data), data)


def _titled(rubric: Rubric, source: Mapping[str, Any]) -> Rubric:
    metrics = (replace(m, title=m.title or m.name.replace("_", " ").capitalize()) for m in rubric.metrics)
    return replace(rubric, title=rubric.title or rubric.name, metrics=tuple(metrics), source=source)
