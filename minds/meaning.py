"""What a person meant in a text world, where rules read no action out of the words: a strong model may say."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from minds.dialogue import clip
from minds.models.language import LanguageModel, ModelFault, Usage
from minds.strategies.steps import read_step
from prompts import render

NONE = "none"


async def meant(model: LanguageModel, said: str, seen: str, actions: Sequence[str], usage: Usage) -> str:
    """The one of `actions` that is meant; empty for none, where the model fails, and where it is small."""
    if not actions or not model.abilities.strong:
        return ""
    shown = f"They see: {clip(seen, 1500)}\nPossible: {'; '.join(actions)}\nThey said: {said}"
    messages = [SystemMessage(render("strategies/meant")), HumanMessage(shown)]
    form: dict[str, object] = {
        "type": "object",
        "properties": {"action": {"type": "string", "enum": [*actions, NONE]}},
        "required": ["action"],
        "additionalProperties": False,
    }
    try:
        if model.abilities.schema:
            answer = await model.structured(messages, form, max_tokens=60, usage=usage)
        else:
            answer = read_step("".join([piece async for piece in model.stream(messages, max_tokens=60, usage=usage)]))
    except ModelFault:  # the rules' own answer stands
        return ""
    action = str(answer.get("action", ""))
    return action if action in actions else ""
