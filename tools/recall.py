"""Recall: what was said and answered before, in this conversation and earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from tools.desk import Artifact, Desk, ToolFault
from tools.plain import one_line
from tools.typed import typed_tool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

FOUND = 5
_SAID, _REPLY = 300, 400
"""Characters shown of what was said, and of the reply."""


class Wanted(BaseModel):
    """What `recall` takes."""

    about: str = Field(description="What to look for, for example: the name of my sister")


def make(desk: Desk) -> BaseTool:
    return typed_tool(
        "recall",
        "Finds what the user said and was answered earlier, in this conversation and in those before.",
        Wanted,
        lambda about: remember(about, desk),
    )


def remember(about: str, desk: Desk) -> tuple[str, Artifact]:
    """`You said: ... / Reply: ...` for each thing found. Raises ToolFault for an empty input."""
    wanted = one_line(about[:1000])[:300]
    if not wanted:
        raise ToolFault("Nothing was asked for; write what to look for, for example: the name of my sister")
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
