"""`bench sessions`: 16 conversations at once, each with its own secret words; none may show up in another."""

from __future__ import annotations

import asyncio
import json
import random

from chat.app import Duet
from chat.bench import Ask
from chat.bench.ground import a_duet, final, say
from memory.memory import Wanted

SESSIONS = 16
WORDS = [
    "ZEBRA",
    "OTTER",
    "MAPLE",
    "COBALT",
    "FALCON",
    "GINGER",
    "HARBOR",
    "INDIGO",
    "JASMIN",
    "KESTREL",
    "LAGOON",
    "MARBLE",
    "NECTAR",
    "ORCHID",
    "PEPPER",
    "QUARTZ",
]


def run(ask: Ask) -> dict[str, object]:
    """Figures: sessions, secrets leaked into replies, traces or memory, secrets told back to their owner."""
    return asyncio.run(_run(ask))


async def _run(ask: Ask) -> dict[str, object]:
    rng = random.Random(11)
    secrets = [f"{word}-{rng.randint(100, 999)}" for word in WORDS[: ask.limit or SESSIONS]]
    async with a_duet(ask.settings) as duet:
        talks = await asyncio.gather(*(_talk(duet, number, secret) for number, secret in enumerate(secrets)))
        await duet.remembering.settle()
        leaks = []
        for number, (session, seen) in enumerate(talks):
            leaks += await _leaks(duet, session, seen, number, secrets)
    told = sum(secret in seen[-1] for secret, (_, seen) in zip(secrets, talks, strict=True))
    for leak in leaks:
        print(f"LEAK {leak}")
    return {"sessions": len(secrets), "leaks": len(leaks), "told_their_owner": told}


async def _talk(duet: Duet, number: int, secret: str) -> tuple[str, list[str]]:
    """Two conversations share each user, so that users and sessions are both tried."""
    session = duet.open_session(f"user-{number // 2}")
    seen = []
    for text in (
        f"Please remember my secret word: {secret}.",
        f"What is {number + 12} times {number + 31}?",
        "How are you today?",
        "What was my secret word again?",
    ):
        events = await say(duet, session, text)
        seen.append(json.dumps([dict(e.data) for e in events]))
        print(f"{number:2} {text!r} -> {final(events).get('text')!r}", flush=True)
    return session, seen


async def _leaks(duet: Duet, session: str, seen: list[str], number: int, secrets: list[str]) -> list[str]:
    """Where another session's secret is found: in events, in notes of this session."""
    others = [secret for secret in secrets if secret != secrets[number]]
    about = duet.transcript.session(session)
    everything = json.dumps([dict(e.data) for e in duet.transcript.events(session)]) + "".join(seen)
    wanted = Wanted(("turn", "result"), session)
    notes = await asyncio.to_thread(duet.remembering.bearing, about.user, "secret word", duet.now(), wanted)
    kept = " ".join(r.note.text + r.note.answer for r in notes)
    return [f"{number}: {secret}" for secret in others if secret in everything or secret in kept]
