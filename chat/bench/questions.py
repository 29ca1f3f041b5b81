"""`bench answers`: the questions of tests/data/questions_SPLIT.jsonl, each asked by a user of its own."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from typing import Any

from chat.app import Duet
from chat.bench import Ask
from chat.bench.answers import right
from chat.bench.ground import DATA, a_duet, cases, final, fixed_now, say
from minds.dialogue import Event


def run(ask: Ask) -> dict[str, object]:
    """Figures: right of asked, by kind, median seconds."""
    return asyncio.run(_run(ask))


async def _run(ask: Ask) -> dict[str, object]:
    items = cases(f"questions_{ask.split}", ask.limit)
    good, asked, seconds = Counter[str](), Counter[str](), []
    log = (ask.out / f"answers-{ask.split}.jsonl").open("w") if ask.out else None
    async with a_duet(ask.settings, fixed_now) as duet:
        for item in items:
            began = time.monotonic()
            events = await _ask(duet, item)
            reply = str(final(events).get("text", ""))
            ok = right(item, reply)
            seconds.append(time.monotonic() - began)
            asked[item["kind"]] += 1
            good[item["kind"]] += ok
            mark = "right" if ok else "WRONG"
            print(
                f"{mark} {item['id']:18} {seconds[-1]:5.1f}s {item['turns'][-1][:70]!r} -> {reply[:100]!r}", flush=True
            )
            if log:
                log.write(json.dumps({"item": item, "ok": ok, "events": [_plain(e) for e in events]}) + "\n")
                log.flush()
    return {
        "split": ask.split,
        "right": good.total(),
        "asked": asked.total(),
        "by_kind": {kind: f"{good[kind]}/{asked[kind]}" for kind in asked},
        "seconds_p50": round(sorted(seconds)[len(seconds) // 2], 1),
    }


async def _ask(duet: Duet, item: dict[str, Any]) -> list[Event]:
    """All turns of one item in a conversation of its own; the events of the last."""
    session = duet.open_session(f"user-{item['id']}")
    for name in item.get("documents", ()):
        await duet.runs.add_document(session, name, (DATA / "documents" / name).read_bytes())
    events: list[Event] = []
    for text in item["turns"]:
        events = await say(duet, session, text)
    return events


def _plain(event: Event) -> dict[str, object]:
    return {"kind": event.kind, **event.data}
