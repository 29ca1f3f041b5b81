"""Working in words with a calculator: a small model finds the way, and miscalculates on it.

It writes up to a "="; what the sum before it comes to is put in, and it goes on behind that.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from minds.models.language import LanguageModel, Usage
from tools.calculator import come_to

EQUALS, ENDS = "=", (".", "!", "?", "。")


async def worked_out(model: LanguageModel, messages: Sequence[BaseMessage], most: int, usage: Usage) -> str:
    """The whole reply, of at most `most` tokens (`usage.cut`: it broke off there). Raises ModelFault."""
    text, written = "", usage.written

    async def more(tokens: int, *stop: str) -> str:
        prefix = text if model.abilities.prefix else ""
        pieces = model.stream(messages, prefix=prefix, stop=stop, max_tokens=tokens, usage=usage)
        return "".join([piece async for piece in pieces])

    if not model.abilities.prefix:
        return await more(most)
    while (left := most - (usage.written - written)) > 0:
        text += await more(left, EQUALS)
        if usage.cut or text.endswith(ENDS):
            return text
        if (value := come_to(text)) is not None:
            text = f"{text.rstrip()} {EQUALS} {value}"
            continue
        text += await more(1)  # it was at its end, or at a "=" behind something else
        if not usage.cut:
            return text
    usage.cut = True
    return text
