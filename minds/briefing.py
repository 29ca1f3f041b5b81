"""What both minds are told of the domain that a conversation is in: whose desk it is, and its policy.

A strong model needs no more: it has the domain's tools and the dialogue. A small one is read the turn with, in one
call (minds/small_model/desk.py): what it makes of it is the `request`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minds.dialogue import Call
from prompts import render
from tools.domains import About, words

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Desk


@dataclass(frozen=True)
class Request:
    """What a turn wants, as a small model reads it: one call of a tool, or words that answer it."""

    call: Call | None = None
    say: str = ""
    then: str = ""
    """What is said behind the call's result: an offer, a question."""
    written: Mapping[str, object] = field(default_factory=dict)
    """As the model wrote it, which it reads again in later turns."""
    changes: bool = False
    """The call may change what the desk keeps: no memory answers in its place."""

    def told(self, result: str) -> str:
        """The call's result with what is said behind it; where the tool itself asks something, that stands alone."""
        return result if result.endswith("?") or not self.then else f"{result}\n\n{self.then}"


@dataclass(frozen=True)
class Briefing:
    """Of one turn."""

    about: About
    desk: Desk
    tools: Mapping[str, BaseTool]
    """The domain's own."""
    choices: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """What an argument of that name can be in this turn (tools/domains.py)."""
    waiting: tuple[str, str] | None = None
    """Tool and code of the newest proposal that waits for the person's answer: all that a small model is told of."""
    questions: Sequence[tuple[str, str, str]] = ()
    """All such proposals: tool, code, and what would be done."""
    request: Request | None = None

    @property
    def recallable(self) -> Call | None:
        """The call that a note may answer in place of the slow mind: where it changes nothing."""
        return self.request.call if self.request and not self.request.changes else None

    def policy(self, *, strong: bool = False) -> str:
        """The constant part. strong: for a model that calls the tools by itself, and reads their own descriptions."""
        about = self.about
        whole = f"You work for {about.title}. {about.sentence}\n{words(about.name, 'policy.md')}"
        return f"{whole}\n{render('slow/desk', tools=', '.join(self.tools))}" if strong else whole

    def asked(self) -> str:
        """What waits for the person's answer, for such a model; empty for nothing."""
        lines = [f"- {said}: {tool}, confirm={code}" for tool, code, said in self.questions]
        return render("slow/waiting", questions="\n".join(lines)) if lines else ""
