"""Reports as one HTML file that needs no network: jinja2 templates beside this module, everything in them escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path
from typing import Any

from chat.evaluation.figures import Scores
from chat.evaluation.report.tables import Table, all_tables

HERE = Path(__file__).parent
ESCAPED = True


@dataclass(frozen=True)
class Told:
    """All that a report tells."""

    title: str
    scores: Scores
    figures: Mapping[str, Any]
    config: Mapping[str, Any]
    intents: Mapping[str, str]
    """Script -> intent."""
    extra: tuple[Table, ...] = ()
    """Calibration, and agreement with people."""
    gradable: bool = False
    """Served to a person who grades."""


def page(told: Told, token: str = "") -> str:
    """The whole file. `token`: of the server that takes grades."""
    tables = [*all_tables(told.figures, told.scores.rubric), *told.extra]
    return render(HERE / "report.html", told=told, title=told.title, tables=tables, token=token)


def render(template: Path, **values: Any) -> str:
    """A template of this folder or of its own, with the style and the script that stand beside it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader([template.parent, HERE])
    made = Environment(  # nosec B701
        loader=loader, autoescape=ESCAPED, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"source": lambda name: loader.get_source(made, name)[0], "ring": ring, "zip": zip}
    made.filters |= {"slug": slug, "brief": brief}
    return made.get_template(template.name).render(**values)


def slug(name: str) -> str:
    """A metric's name as a part of an attribute's name, which no escaping makes safe."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def brief(value: object, most: int = 400) -> str:
    text = str(value)
    return text if len(text) <= most else text[:most] + " ..."


def ring(shares: Sequence[float], middle: float = 230, reach: float = 150) -> list[tuple[float, float]]:
    """Points of a radar's polygon: from the middle, each this share of the way out, the first at the top."""
    angles = (2 * pi * place / len(shares) - pi / 2 for place in range(len(shares)))
    ways = zip(angles, shares, strict=True)
    return [(round(middle + reach * s * cos(a), 1), round(middle - 30 + reach * s * sin(a), 1)) for a, s in ways]
