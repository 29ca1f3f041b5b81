"""A question made to stand alone: what it takes from the dialogue is put in (for the slow mind and for the memory)."""

from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import Dialogue, clip
from minds.fidelity import invented
from minds.models.language import LanguageModel, Usage
from prompts import examples, render

TOKENS = 80
CLIP = 300
"""Characters of the exchange before that are shown."""


async def stand_alone(said: str, dialogue: Dialogue, model: LanguageModel, usage: Usage) -> str:
    """The rewritten question, or `said` where the rewriting brings in figures of its own. Raises ModelFault."""
    stream = model.stream(alone_messages(said, dialogue), stop=("\n",), max_tokens=TOKENS, usage=usage)
    rewritten = "".join([piece async for piece in stream]).strip().strip('"')
    known = [said, *(turn.text for turn in dialogue.turns)]
    return said if not rewritten or invented(rewritten, known) else rewritten


def alone_messages(said: str, dialogue: Dialogue) -> list[BaseMessage]:
    """The exchange before and the turn; what lies further back is rarely meant."""
    messages: list[BaseMessage] = [SystemMessage(render("slow/standalone"))]
    for shown, reply in examples("slow/standalone_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    question = next((turn.text for turn in reversed(dialogue.turns) if turn.speaker == "user"), "")
    answer = next((t.text for t in reversed(dialogue.turns) if t.speaker in ("fast", "memory") and not t.invoke), "")
    before = f"Before: {clip(question, CLIP)}\nReply: {clip(answer, CLIP)}\nNow: {said}"
    return [*messages, HumanMessage(before)]
