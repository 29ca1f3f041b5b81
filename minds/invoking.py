"""Whether a turn needs the slow mind, for a small model: the learned gate, and where it is not sure the model's own
layers that were trained for that (minds/training/adapter)."""

from __future__ import annotations

import asyncio
import math

from langchain_core.messages import HumanMessage, SystemMessage

from minds import reading
from minds.dialogue import Dialogue
from minds.gate import BEFORE, TURN, Decides, Decision, before, ends
from minds.models.language import LanguageModel, Usage
from prompts import render

SURE = 0.05, 0.95
"""Below the first probability and above the second the gate decides alone, in some milliseconds."""


async def decided(
    gate: Decides, model: LanguageModel, said: str, dialogue: Dialogue, usage: Usage | None = None
) -> Decision:
    """Raises ModelFault."""
    found = await asyncio.to_thread(gate.decide, said, dialogue)
    if model.trained is None or not SURE[0] < found.p < SURE[1]:
        return found
    asked = reading.invoking(ends(said, TURN), *(ends(text, BEFORE) for text in before(dialogue)))
    messages = [SystemMessage(render("small/trained")), HumanMessage(asked)]
    yes, no = reading.INVOKE
    weighed = await model.trained.weigh(messages, "", reading.INVOKE, usage)
    odds = math.log(found.p / (1 - found.p)) + weighed[yes] - weighed[no]
    return Decision(odds > 0, 1 / (1 + math.exp(-odds)), found.fact)
