"""Words of people, models and worlds as text on the page: they never mean markup there."""

from __future__ import annotations

import html
import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Control characters and direction overrides, which could hide or reorder words, as the replacement character."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape(text: object) -> str:
    """Text for an element or a quoted attribute."""
    return html.escape(visible(str(text)), quote=True)
