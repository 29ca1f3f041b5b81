"""`bench smalltalk`: turns that need no slow mind; how many called it all the same."""

from __future__ import annotations

import asyncio

from chat.bench import Ask
from chat.bench.ground import a_duet, cases, final, fixed_now, invoked, say


def run(ask: Ask) -> dict[str, object]:
    """Figures: needless slow runs, turns, median seconds to the final reply."""
    return asyncio.run(_run(ask))


async def _run(ask: Ask) -> dict[str, object]:
    items = cases(f"smalltalk_{ask.split}", ask.limit)
    needless, seconds = 0, []
    async with a_duet(ask.settings, fixed_now) as duet:
        for item in items:
            events = await say(duet, duet.open_session(f"user-{item['id']}"), item["text"])
            reply = final(events)
            needless += invoked(events)
            seconds.append(float(reply.get("seconds", 0)))
            mark = "SLOW" if invoked(events) else "fast"
            print(f"{mark} {item['id']:20} {item['text'][:70]!r} -> {str(reply.get('text'))[:90]!r}", flush=True)
    return {
        "split": ask.split,
        "turns": len(items),
        "needless": needless,
        "seconds_p50": round(sorted(seconds)[len(seconds) // 2], 2),
    }
