"""Whether a question that was answered and a new one ask for the very same, as a model's trained layers find it
(minds/training/adapter)."""

from __future__ import annotations

import math

from langchain_core.messages import HumanMessage, SystemMessage

from minds import reading
from minds.models.language import LanguageModel, Usage
from prompts import render

BAR = 0.9
"""From this probability on they are the same: of 400 pairs of two authors 86 of 200 that are, and one other."""


async def alike(model: LanguageModel, new: str, stored: str, usage: Usage | None = None) -> float:
    """How probable it is that they are the same; 0 where the model has no layers for that. Raises ModelFault."""
    if model.trained is None:
        return 0.0
    odds = await _odds(model.trained, stored, new, usage)
    if odds > 0:  # which of them stands first must not matter
        odds = (odds + await _odds(model.trained, new, stored, usage)) / 2
    return 1 / (1 + math.exp(-odds))


async def _odds(model: LanguageModel, one: str, other: str, usage: Usage | None) -> float:
    asked = HumanMessage(reading.pair(one, other))
    weighed = await model.weigh([SystemMessage(render("small/trained")), asked], "", reading.ALIKE, usage)
    return weighed[reading.ALIKE[0]] - weighed[reading.ALIKE[1]]
