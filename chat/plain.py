"""Text without what nobody reads: control characters, which can drive a terminal, and halves of characters."""

from __future__ import annotations

import re

_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def readable(text: str) -> str:
    """Without the control characters that no keyboard means and halves of characters; line breaks and tabs stay."""
    return _UNREADABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
