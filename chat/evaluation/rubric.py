"""A rubric: what is graded, on which scores, and who decides. Data (rubrics/*.yaml, or a file of one's own)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from chat.evaluation.graders import GRADERS
from chat.evaluation.marked_yaml import STRICT, FileFault, Parts, Wrong, read_page
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
    title: str = Field(default_factory=lambda known: known["name"].replace("_", " ").capitalize())
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

    @model_validator(mode="after")
    def _whole(self) -> Rubric:
        names = [metric.name for metric in self.metrics]
        if len(set(self.scale)) < 2 or min(self.scale) < 0:
            raise Wrong("`scale` should be at least two scores, from 0 on, such as [0, 1, 2].", "scale")
        for place, metric in enumerate(self.metrics):
            if set(metric.scores) != set(self.scale):
                raise Wrong(f"`scores` needs a criterion for each of {list(self.scale)}.", "metrics", place, "scores")
            if metric.name in names[:place]:
                raise Wrong(f"There are two metrics `{metric.name}`: rename one.", "metrics", place, "name")
            if metric.by != "judge" and set(self.scale) != {0, 1, 2}:
                raise Wrong("A program gives 0, 1 or 2: write `by: judge`, or that scale.", "metrics", place, "by")
        if not min(self.scale) <= self.pass_at <= max(self.scale):
            within = f"{min(self.scale)} to {max(self.scale)}"
            raise Wrong(f"`pass_at` is {self.pass_at}: it should be within the scale, {within}.", "pass_at")
        if not names:
            raise Wrong("`metrics` is a list of at least one metric.", "metrics")
        return self

    @property
    def judged(self) -> list[Metric]:
        """Those that the judge decides, always or at times."""
        return [metric for metric in self.metrics if metric.by != "program"]

    def __getitem__(self, name: str) -> Metric:
        """Raises KeyError."""
        return {metric.name: metric for metric in self.metrics}[name]


PARTS: Parts = {"": ("a rubric", Rubric), "metrics": ("a metric", Metric)}


def read_rubric(name: str = "duma", folder: Path = FOLDER) -> Rubric:
    """By the name of a file in rubrics/, or a file of one's own folder. Raises ChatFault with file, line and what to
    change."""
    path = folder / name if name.endswith((".yaml", ".yml")) else FOLDER / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.yaml")))
        raise ChatFault(f"There is no rubric `{name}`: name a file, or one of: {known}.")
    rubric, problems = read_page(path, "a rubric").filled(Rubric, PARTS)
    if rubric is None or problems:
        raise FileFault(problems)
    return rubric


AS_DATA = TypeAdapter(Rubric)
"""A rubric as plain data, as a run keeps it."""
