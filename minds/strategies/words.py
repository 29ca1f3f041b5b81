"""Working in words with a calculator: a small model finds the way, and miscalculates on it.

It writes up to a "="; what the sum before it comes to is put in, and it goes on behind that.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from minds.models.language import LanguageModel, Usage
from minds.strategies.steps import merged
from tools.calculator import come_to

EQUALS, ENDS = "=", (".", "!", "?", "。")


async def worked_out(
    model: LanguageModel, head: Sequence[BaseMessage], said: Sequence[BaseMessage], most: int, usage: Usage
) -> str:
    """The whole reply, of at most `most` tokens (`usage.cut`: it broke off there). Raises ModelFault.

    `head`: the constant part of the prompt, with its examples if there are any.
    """
    text, written, messages = "", usage.written, merged([*head, *said])
    if model.abilities.keeps and head[1:]:  # another prompt may have pushed this one out
        await model.warm([*head, HumanMessage("hello")])

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
        following = await more(1)
        if not usage.cut:  # it was at its end
            return text + following
        value = come_to(text) if following.strip() == EQUALS else None
        text = text + following if value is None else f"{text.rstrip()} {EQUALS} {value}"
    usage.cut = True
    return text
