"""`bench memory`: what is recalled of long conversations (--locomo), and what is served of question pairs (--pairs)."""

from __future__ import annotations

import asyncio

from chat.bench import Ask
from chat.bench.memory_locomo import locomo
from chat.bench.memory_pairs import pairs
from chat.faults import ChatFault


def run(ask: Ask) -> dict[str, object]:
    """Figures: recall_at_5, recall_at_10, by_category; or hit_rate, false_rate, false_of_all."""
    if ask.locomo:
        return asyncio.run(locomo(ask, ask.locomo))
    if ask.pairs:
        return asyncio.run(pairs(ask, ask.pairs))
    raise ChatFault(
        "Say what to measure: --locomo FOLDER with long conversations, or --pairs FILE with question pairs."
    )
