"""A question made to stand alone: what it takes from the dialogue is put in (for the slow mind and for the memory)."""

from __future__ import annotations

from collections.abc import Mapping

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from minds.dialogue import Dialogue, Episode, Task
from minds.fidelity import invented
from minds.models.language import LanguageModel, Usage
from minds.strategies.react import preamble, question
from prompts import render

TOKENS = 120
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string", "maxLength": 300}},
    "required": ["query"],
    "additionalProperties": False,
}


async def stand_alone(
    said: str, dialogue: Dialogue, model: LanguageModel, tools: Mapping[str, BaseTool], usage: Usage
) -> str:
    """The rewritten question, or `said` where the rewriting brings in figures of its own. Raises ModelFault.

    A model held to a schema reads the same constant context as for its steps, so that its prefix cache is kept.
    """
    form = question(Episode(Task(said, said, dialogue)))
    if model.abilities.schema and not model.abilities.tools:
        messages: list[BaseMessage] = [*preamble(tools), HumanMessage(f"{form}\n{render('slow/alone')}")]
        text = str((await model.structured(messages, SCHEMA, max_tokens=TOKENS, usage=usage)).get("query", ""))
    else:
        messages = [SystemMessage(render("slow/standalone")), HumanMessage(form)]
        text = "".join([p async for p in model.stream(messages, stop=("\n",), max_tokens=TOKENS, usage=usage)])
    rewritten = text.strip().strip('"')
    known = [said, *(turn.text for turn in dialogue.turns)]
    return said if not rewritten or invented(rewritten, known) else rewritten
