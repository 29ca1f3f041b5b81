"""`bench memory`: what is recalled of long conversations (--locomo), what is served of question pairs (--pairs), what
repeated questions save (--repeats), what is known of lives told over weeks (--lives), and how quick it is (--scale)."""

from __future__ import annotations

import asyncio

from chat.bench import Ask
from chat.bench.memory_locomo import locomo
from chat.bench.memory_pairs import pairs
from chat.bench.memory_scale import scale
from chat.bench.memory_talks import lives, repeats
from chat.faults import ChatFault

WAYS = {"locomo": locomo, "pairs": pairs, "repeats": repeats, "lives": lives}
"""What is measured -> by what: (ask, the folder or file that was named) to figures."""
SIZES, USERS = (10_000, 100_000), 1_000


def run(ask: Ask) -> dict[str, object]:
    """Figures of what was asked for."""
    if ask.scale is not None:
        return scale(ask.settings, ask.scale or SIZES, ask.users or USERS)
    for name, way in WAYS.items():
        if path := getattr(ask, name):
            return asyncio.run(way(ask, path))
    raise ChatFault(f"Say what to measure: --scale, or one of --{', --'.join(WAYS)} with a folder or file.")
