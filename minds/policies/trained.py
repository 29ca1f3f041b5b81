"""Which weights of a learned policy act, and with which of its rules: named switches, so that each can be measured.

A policy lists its rules at inference as fields of one frozen dataclass, each made by `rule`; what is not a field there
is no rule. They are general: none knows a task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    R = TypeVar("R", bound=DataclassInstance)


@dataclass(frozen=True)
class Trained:
    """What a strategy with a learned policy is to use."""

    weights: Path | None = None
    """Folder of the weights; None: the project's own."""
    without: tuple[str, ...] = ()
    """Rules that are left out, by name."""


class NoPolicy(Exception):
    """There are no weights; the sentence says what to do."""


class UnknownRule(Exception):
    """The sentence names the rules there are."""


@dataclass(frozen=True)
class Rule:
    """One rule as a report lists it."""

    name: str
    says: str
    on: bool


def rule(on: Any, says: str) -> Any:
    """A field of a policy's rules: its value where it holds (False or 0 where it does not), and what it does."""
    return field(default=on, metadata={"says": says})


def listed(rules: DataclassInstance) -> list[Rule]:
    """Every rule of a policy, in order."""
    return [Rule(f.name, f.metadata["says"], bool(getattr(rules, f.name))) for f in fields(rules)]


def leaving_out(rules: R, names: Iterable[str]) -> R:
    """The same without some. Raises UnknownRule."""
    known = {f.name: type(getattr(rules, f.name))() for f in fields(rules)}
    off = tuple(names)
    for name in off:
        if name not in known:
            raise UnknownRule(f"There is no rule `{name}`; there are: {', '.join(known)}.")
    return replace(rules, **{name: known[name] for name in off})
