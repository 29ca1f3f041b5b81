"""What a program decides. A grader reads a dialogue with what its script expects, and says what was right and wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chat.evaluation.graders.case import Case, Verdict
from chat.evaluation.graders.conduct import invitation, invoking, mining, tools
from chat.evaluation.graders.facts import facts, trade

GRADERS: Mapping[str, Callable[[Case], Verdict]] = {
    "facts": facts,
    "trade": trade,
    "tools": tools,
    "mining": mining,
    "invitation": invitation,
    "invoking": invoking,
}
"""Name in a rubric -> function. A new one is a function and a line here."""
