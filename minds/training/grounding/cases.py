"""The labelled sentences behind words to actions: whose they are, and what the rules say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minds.training.grounding.said import Said, labelled
from tools.worlds.grounding import by_rules
from tools.worlds.words.deciding import judged, remark
from tools.worlds.words.signs import Heard

GROUPS = (
    ("dev", "dev2", "dev5", "dev11"),
    ("dev3", "dev4", "dev6", "dev7", "dev8", "dev9", "dev10"),
    ("dev12", "dev15", "dev16", "dev20", "dev23", "dev26", "dev30", "dev33", "dev36", "dev39"),
    ("dev13", "dev17", "dev18", "dev21", "dev24", "dev27", "dev28", "dev31", "dev34", "dev37", "dev40"),
    ("dev14", "dev19", "dev22", "dev25", "dev29", "dev32", "dev35", "dev38", "dev41"),
)  # fmt: skip
"""Files of sentences that are left out together."""
FRESH = frozenset(f"dev{n}" for n in range(12, 42))
"""One author each, by whose sentences no rule was ever mended: they count more, and are what is reported."""


@dataclass(frozen=True)
class Case:
    """A labelled sentence, whose it is, and what the rules say of it."""

    file: str
    said: Said
    heard: Heard

    def right(self, steps: Sequence[str]) -> bool:
        """As `bench grounding` counts."""
        return bool(steps) == bool(self.said.expect) and set(steps) <= set(self.said.expect)


def read_cases(limit: int | None = None) -> list[Case]:
    """Of all files, with what the rules say as they are."""
    found = []
    for file in (name for group in GROUPS for name in group):
        for said in labelled(file)[:limit]:
            found.append(Case(file, said, replace(judge(said), remark=remark(said.says))))
    return found


def judge(said: Said) -> Heard:
    """By the rules as they are."""
    here = said.here
    return judged(said.says, by_rules(said.says, here), lambda piece: by_rules(piece, here))
