"""Recall: what was said and answered before, in this conversation and earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.desk import Artifact, Desk, ToolFault
from tools.plain import one_line, plain_tool, unwrap

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

FOUND = 3
_SAID, _REPLY = 240, 240
"""Characters shown of what was said, and of the reply."""


def make(desk: Desk) -> BaseTool:
    return plain_tool(
        "recall",
        "Finds what the user said earlier. Input: what to remember, like: my sister's name",
        lambda text: remember(text, desk),
    )


def remember(text: str, desk: Desk) -> tuple[str, Artifact]:
    """`You said: ... / Reply: ...` for each thing found. Raises ToolFault for an empty input."""
    wanted = unwrap(one_line(text[:1000]), "recall")[:300]
    if not wanted:
        raise ToolFault("The input is empty; write what to remember, for example: my sister's name")
    artifact: Artifact = {"depends": {"session": desk.session}}
    lines = []
    for found in list(desk.recall(wanted))[:FOUND]:
        reply = f" / Reply: {_short(found.reply, _REPLY)}" if found.reply.strip() else ""
        lines.append(f"You said: {_short(found.said, _SAID)}{reply}")
    if not lines:
        return f'Nothing was said before about "{wanted[:80]}".', {**artifact, "empty": True}
    return "\n".join(dict.fromkeys(lines)), artifact


def _short(text: str, longest: int) -> str:
    text = one_line(text[: 4 * longest])
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0] + "…"
