"""Two small calls of a model that a person wants to use: whether it answers, calls tools, sees, and how quickly."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from io import BytesIO

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from minds.dialogue import Picture
from minds.models import ModelSettings, open_model
from minds.models.language import (
    Garbled,
    LanguageModel,
    ModelFault,
    NoProtocol,
    Refused,
    Speaking,
    ToolCall,
    TooLong,
    Usage,
)
from minds.pictures import heard

PATIENCE = 60.0
"""Seconds to its first token: a server of this machine may have to load the model first."""
LIMIT = 4000
"""Tokens: room for one that thinks first; whoever does not writes some dozens."""
READ = "Which number stands in the picture? Answer with the number alone."
ASKED = "How much is 17 plus 25? Call the tool add; then nothing else is needed."


@tool
def add(one: float, other: float) -> float:
    """Adds two numbers."""
    return one + other


@dataclass(frozen=True)
class Trial:
    """What came of it."""

    spec: str
    """With the options that the model needs."""
    tools: bool
    sees: bool
    """It read what stands in a picture."""
    context: int
    """Tokens; 0 where nobody told."""
    first: float
    """Seconds to the first word or call."""
    speed: float
    """Tokens a second from then on; 0 where it was over at once."""

    def reading(self, context: int) -> Trial:
        """With the context that its server told afterwards."""
        return replace(self, spec=_with(self.spec, f"context={context}"), context=context)


async def tried(spec: str, settings: ModelSettings, context: int = 0) -> Trial:
    """Asks once with a tool; where the model's server knows none, once more without. Raises ModelFault."""
    settings = replace(settings, first=PATIENCE, retries=0)
    if context:
        spec = _with(spec, f"context={context}")
    try:
        return await _asked(spec, settings, context, tools=True)
    except (Refused, Garbled, NoProtocol) as fault:
        if isinstance(fault, TooLong):
            raise
        try:
            return await _asked(_with(spec, "tools=0"), settings, context, tools=False)
        except ModelFault:
            raise fault from None  # what was wrong with the first is what a person can mend


async def _asked(spec: str, settings: ModelSettings, context: int, *, tools: bool) -> Trial:
    model = open_model(spec, settings)
    try:
        calls, first, usage, seconds = await _timed(model, tools)
    finally:
        await model.close()
    able = tools and any(call.name == "add" and not call.fault for call in calls)
    speed = usage.written / seconds if seconds > 0.05 else 0.0
    spec = spec if able or not tools else _with(spec, "tools=0")
    seen = await _sees(seeing := _with(spec, "see=1"), settings)
    return Trial(seeing if seen else spec, able, seen, context, first, speed)


async def _timed(model: LanguageModel, tools: bool) -> tuple[list[ToolCall], float, Usage, float]:
    """Calls, seconds to the first piece, tokens, seconds behind it."""
    calls: list[ToolCall] = []
    usage, began, first = Usage(), time.monotonic(), 0.0
    how: Speaking = {"max_tokens": LIMIT, "usage": usage}
    async for _ in model.stream([HumanMessage(ASKED)], **how | ({"tools": [add], "calls": calls} if tools else {})):
        first = first or time.monotonic() - began
    whole = time.monotonic() - began
    return calls, first or whole, usage, whole - first if first else 0.0


async def _sees(spec: str, settings: ModelSettings) -> bool:
    """Whether it reads a number off a small picture; a server that takes no pictures refuses."""
    number = str(secrets.randbelow(9_000) + 1_000)
    asked = heard(READ, [Picture("", "number.jpg", drawn_number(number))])
    model = open_model(spec, settings)
    try:
        pieces = model.stream([asked], max_tokens=LIMIT)
        return number in "".join([piece async for piece in pieces])
    except ModelFault:
        return False
    finally:
        await model.close()


def drawn_number(number: str) -> bytes:
    """As a JPEG of 200 by 80 pixels."""
    from PIL import Image, ImageDraw, ImageFont

    sheet, kept = Image.new("RGB", (200, 80), "white"), BytesIO()
    ImageDraw.Draw(sheet).text((100, 40), number, "black", ImageFont.load_default(56), anchor="mm")
    sheet.save(kept, "JPEG", quality=90)
    return kept.getvalue()


def _with(spec: str, option: str) -> str:
    return f"{spec}{'&' if '?' in spec else '?'}{option}"
