"""Bubbles -> the HTML of each turn, by thread.html."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from chat.ui import chart
from chat.ui.bubbles import Bubble
from chat.ui.drawing import macros
from chat.ui.fields import lasted, model_name
from chat.ui.language import language
from chat.ui.markup import figure, markdown

LONG = 4_000
"""Characters of a person's message that are shown before it is folded."""
STANDING = 6
"""Words of the reply that are shown beside the place where they stand."""
Source = Callable[[str, str], str]
"""A conversation and the id of a picture in it -> where its bytes are to be had."""


def picture_src(session: str, id_: str) -> str:
    """Where a picture of the conversation lies, seen from the page."""
    return f"pictures/{quote(session, safe='')}/{quote(id_, safe='')}"


def turn(bubbles: Sequence[Bubble], *, last: bool, versions: Sequence[int] = (), source: Source = picture_src) -> str:
    """The bubbles of one turn as HTML; `last`: no turn comes after it, so it may be taken back.

    `versions`: the numbers of all versions of the turn, where there are several; `source`: where pictures are.
    """
    return str(_parts().turn(bubbles, last, versions, source))


def _finished(bubble: Bubble) -> Markup:
    """A step that changes no more is drawn once in a language: a turn is drawn anew at each of its steps."""
    return _step(bubble.model_dump_json(exclude_unset=True), language())


@lru_cache(maxsize=512)
def _step(told: str, _spoken: str) -> Markup:
    return Markup(_parts().step(Bubble.model_validate_json(told)))  # nosec B704


def _seconds(duration: float) -> str:
    return lasted(duration, 0 if duration >= 10 else 1) if duration >= 0.1 else ""


def _parts() -> Any:
    return macros(
        "thread.html", markdown=markdown, figure=figure, chart=chart.draw, model_name=model_name, seconds=_seconds,
        finished=_finished, LONG=LONG, STANDING=STANDING,
    )  # fmt: skip
