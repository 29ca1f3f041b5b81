"""Words of people, models and worlds as text on the page: they never mean markup there."""

from __future__ import annotations

import html
import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Control characters, which could hide words, as the replacement character; none that could reorder words.

    The marks U+200E and U+200F override nothing and stay: Arabic and Hebrew need them.
    """
    return _REORDERING.sub("", _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))


def escape(text: object) -> str:
    """Text for an element or a quoted attribute."""
    return html.escape(visible(str(text)), quote=True)
