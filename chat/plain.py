"""Words of people, models and worlds as Markdown in which they are words and nothing more."""

from __future__ import annotations

import re

from tools.plain import readable

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def line(text: str) -> str:
    """The text on one line."""
    return inert(" ".join(readable(text).split()))


def code(text: str) -> str:
    """The text between backticks."""
    return "`" + " ".join(readable(text).split()).replace("`", "'") + "`"


def quoted(text: str) -> str:
    return "\n".join(f"> {part}".rstrip() for part in text.split("\n"))


def said(text: str) -> str:
    """What a world says, as a quotation that keeps its lines."""
    lines = map(line, readable(text).strip().split("\n"))
    return quoted("\n".join(f"{part}\\" if part else "" for part in lines).removesuffix("\\"))


def safe(text: str) -> str:
    """Markdown in which no tag, picture or heading is more than text; code blocks stay as they are, and are closed."""
    lines, fence = [], ""
    for part in readable(text).split("\n"):
        mark = _FENCE.match(part)
        if fence:
            closes = mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not part[mark.end() :].strip()
            fence = "" if closes else fence
            lines.append(part)
        elif mark and "`" not in part[mark.end() :]:
            fence = mark[1]
            lines.append(part)
        else:
            lines.append(inert(part))
    return "\n".join([*lines, fence] if fence else lines)


def inert(text: str) -> str:
    """One line in which no tag, picture or heading is more than text."""
    text = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text).replace("![", "!\\[")
    return re.sub(r"^(\s*)(#{1,6}(?:\s|$)|={2,}\s*$|-{2,}\s*$)", r"\1\\\2", text)
