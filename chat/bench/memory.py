"""`bench memory`: what is recalled of long conversations (--locomo), what is served of question pairs (--pairs), and
how quick it is (--scale)."""

from __future__ import annotations

import asyncio

from chat.bench import Ask
from chat.bench.memory_locomo import locomo
from chat.bench.memory_pairs import pairs
from chat.bench.memory_scale import scale
from chat.faults import ChatFault

SIZES, USERS = (10_000, 100_000), 1_000


def run(ask: Ask) -> dict[str, object]:
    """Figures of what was asked for. Raises ChatFault."""
    if ask.scale is not None:
        return scale(ask.settings, ask.scale or SIZES, ask.users or USERS)
    if ask.locomo:
        return asyncio.run(locomo(ask, ask.locomo))
    if ask.pairs:
        return asyncio.run(pairs(ask, ask.pairs))
    raise ChatFault("Say what to measure: --scale, or --locomo with a folder, or --pairs with a file.")
