"""What each model read and wrote for one turn, whoever asked it: what the turn costs is reckoned from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from minds.models.language import Usage


@dataclass
class Spent:
    """On one model."""

    usage: Usage = field(default_factory=Usage)
    told: bool = True
    """Whether its server told the tokens of each call."""


_METER: ContextVar[dict[str, Spent] | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[None]:
    """A turn: what its tasks spend is added up anew."""
    token = _METER.set({})
    try:
        yield
    finally:
        _METER.reset(token)


def spent() -> Mapping[str, Spent]:
    """spec -> what was spent on it in this turn so far."""
    return _METER.get() or {}


def spending(spec: str) -> Spent:
    """Where a call of this model adds what it takes; outside of a turn nobody looks at it."""
    meter = _METER.get()
    return Spent() if meter is None else meter.setdefault(spec, Spent())
