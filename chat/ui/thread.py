"""Bubbles -> the HTML of each turn, by thread.html."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from chat.ui import chart
from chat.ui.bubbles import Bubble, Metadata
from chat.ui.code import figure
from chat.ui.drawing import macros
from chat.ui.fields import lasted, model_name
from chat.ui.language import language
from chat.ui.markup import markdown
from chat.ui.panels import picture_src

LONG = 4_000
"""Characters of a person's message that are shown before it is folded."""
STANDING = 6
"""Words of the reply that are shown beside the place where they stand."""
Source = Callable[[Mapping[str, Any]], str]
"""Where the bytes of a picture are to be had."""


def at_home(picture: Mapping[str, Any]) -> str:
    """On the page they are the conversation's own file."""
    return picture_src(picture["session"], picture["id"])


def turn(bubbles: Sequence[Bubble], *, last: bool, versions: Sequence[int] = (), source: Source = at_home) -> str:
    """The bubbles of one turn as HTML; `last`: no turn comes after it, so it may be taken back.

    `versions`: the numbers of all versions of the turn, where there are several; `source`: where pictures are.
    """
    return str(macros("thread.html", **_HELPERS).turn(bubbles, last, versions, source))


def _finished(bubble: Bubble, _meta: Metadata) -> Markup:
    """A step that changes no more is drawn once in a language: a turn is drawn anew at each of its steps."""
    return _step(json.dumps(bubble), language())


@lru_cache(maxsize=512)
def _step(told: str, _spoken: str) -> Markup:
    bubble = json.loads(told)
    return Markup(macros("thread.html", **_HELPERS).step(bubble, bubble["metadata"]))  # nosec B704


def _seconds(meta: Metadata) -> str:
    duration = meta.get("duration", 0.0)
    return lasted(duration, 0 if duration >= 10 else 1) if duration >= 0.1 else ""


def _gist(bubble: Bubble) -> str:
    """What a closed step says of itself."""
    meta = bubble["metadata"]
    text = " ".join((bubble["content"] or meta.get("program") or meta.get("argument", "")).split())
    return text if len(text) <= 60 else text[:59] + "…"


_HELPERS: dict[str, Any] = {
    "markdown": markdown, "figure": figure, "chart": chart.draw,
    "model_name": model_name, "seconds": _seconds, "gist": _gist, "finished": _finished,
    "LONG": LONG, "STANDING": STANDING,
}  # fmt: skip
