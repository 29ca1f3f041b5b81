"""What both minds are told of the domain that a conversation is in: whose desk it is, its policy, its plan of the turn.

With a strong model the plan is not needed: it has the policy, the tools and the dialogue. A small one cannot plan; the
domain reads the turn, the model chooses among what can be done, and words what is left to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.figures import unsupported
from prompts import render
from tools.domains import FAST_PROMPT, SLOW_PROMPT, About, Plan, exchanges, words

SENTENCES = 2
"""Sentences of a small model that are kept: what it adds to them is mostly made up."""
_CLAIMS = re.compile(
    r"\b(?:we have|we've got|we offer|there (?:is|are)|i (?:have )?found|i can see|is available|are available|booked|"
    r"cancelled|listing|for example|such as|located|looking (?:into|for)|let me|one moment|check|sorry|information|"
    r"viewings?|agents?|call(?:ed)? (?:you )?back|your (?:name|number|phone|e-?mail)|tell me what you need|arrange|"
    r"(?:do|does) not have|don't have|language model|as an ai|i can (?:tell|show) you)\b",
    re.IGNORECASE,
)
"""What a fast mind that looked nothing up may not say at the desk."""


@dataclass(frozen=True)
class Briefing:
    """Of one turn."""

    about: About
    tools: tuple[str, ...]
    plan: Plan = field(default_factory=Plan)

    def fast_preamble(self) -> list[BaseMessage]:
        """The constant part of the fast mind's context."""
        system = render(FAST_PROMPT, **self._filled(", ".join(self.tools)))
        return [SystemMessage(system), *_shown(exchanges(self.about.name, "fast.txt"))]

    def slow_preamble(self, tools: str) -> list[BaseMessage]:
        """The constant part of the slow mind's context; `tools` is a line for each."""
        system = render(SLOW_PROMPT, **self._filled(tools))
        return [SystemMessage(system), *_shown(exchanges(self.about.name, "slow.txt"))]

    def policy(self) -> str:
        """For a model with native tools, which are described to it elsewhere."""
        about = self.about
        return f"You work for {about.title}. {about.sentence}\n{words(about.name, 'policy.md')}"

    def worded(self, text: str, known: Sequence[str]) -> str:
        """A small fast mind's own words, without figures, claims or questions that are not its to say, and with what
        the plan asks; what the desk says to everybody where nothing is left."""
        plan, kept = self.plan, []
        for sentence in re.split(r"(?<=[.!?])\s+", text.strip()):
            if (
                sentence
                and not sentence.endswith("?")
                and not unsupported(sentence, known)
                and not _CLAIMS.search(sentence)
            ):
                kept.append(sentence)
        said = " ".join(kept[:SENTENCES]) or ("" if plan.add else self.about.fallback)
        return f"{said} {plan.add}".strip()

    def _filled(self, tools: str) -> dict[str, str]:
        about = self.about
        return {
            "title": about.title, "sentence": about.sentence, "policy": words(about.name, "policy.md"), "tools": tools,
        }  # fmt: skip


def _shown(pairs: Sequence[tuple[str, str]]) -> list[BaseMessage]:
    return [message for shown, reply in pairs for message in (HumanMessage(shown), AIMessage(reply))]
