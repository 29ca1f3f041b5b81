"""`bench speed`: what Duet adds to its models, side by side with the bare model server, in one run."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from statistics import median

import httpx2
import numpy as np
from numpy.typing import NDArray

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.ground import DATA, a_duet, final, invoked, say
from chat.bench.plain_model import PlainModel
from chat.bench.server import serving
from chat.bench.streaming_embedded import first_words
from chat.faults import ChatFault
from chat.services import Swaps
from memory.embedder import Embedder
from minds.models.default import weights_of
from minds.models.language import Abilities, Said
from minds.models.server import Address, lease, release
from minds.models.spec import ModelSettings, parse
from prompts import render

REPEATS = [
    ("What is 417 times 38?", "what's 417 multiplied by 38"),
    ("How many days are there from 3 March 2025 to 9 July 2025?", "how many days from 3 March 2025 to 9 July 2025"),
    ("Convert 26 miles to kilometres", "26 miles in kilometres?"),
]
TOPICS = ["the sea", "old trains", "bread", "the moon", "jazz", "gardens", "snow", "lighthouses", "cheese", "owls"]
NOW = "Monday, 23 November 2026"
"""What Duet tells the model too."""
HISTORY = 1000


def run(ask: Ask) -> dict[str, object]:
    """Figures: seconds and ratios; see the keys."""
    return {**asyncio.run(_with_models(ask)), **asyncio.run(_own_time(ask)), **_page(ask)}


async def _with_models(ask: Ask) -> dict[str, object]:
    texts = read_lines(DATA / "smalltalk_test.jsonl", lambda row: str(row["text"]), "a text")[: ask.limit or 60]
    weights, folder = weights_of(parse(ask.settings.fast_model), ask.settings.models_dir), ask.settings.models_dir
    if weights is None:
        raise ChatFault(
            "`bench speed` needs an embedded model, whose bare server it asks as well: name one by --fast-model."
        )
    server = lease(weights.path(folder), ModelSettings(models_dir=folder))
    try:
        async with a_duet(ask.settings) as duet:
            through, raw = await _first_tokens(duet, server.ensure(), texts)
            slow, hit = await _memory(duet)
    finally:
        release(server)
    return {
        "first_token_raw_s": round(median(raw), 3),
        "first_token_duet_s": round(median(through), 3),
        "first_token_allowed_s": round(1.05 * median(raw) + 0.05, 3),
        "slow_run_s": round(median(slow), 2),
        "memory_hit_s": round(median(hit), 3),
        "slow_over_hit": round(median(slow) / median(hit), 1),
    }


async def _first_tokens(duet: Duet, address: Address, texts: Sequence[str]) -> tuple[list[float], list[float]]:
    """Through Duet and raw, turn about, each prompt asked once, so that neither profits from the other's cache."""
    through, raw = [], []
    for number, text in enumerate(texts):
        if number % 2:
            raw.append(await asyncio.to_thread(_raw_first_token, address, text))
        elif (seconds := await first_words(duet, text)) is not None:
            through.append(seconds)
    return through, raw


def _raw_first_token(address: Address, text: str) -> float:
    """Seconds from a request to the bare server to the first piece of the response, on Duet's own prompt."""
    messages = [{"role": "system", "content": render("small/talk", now=NOW)}, {"role": "user", "content": text}]
    body = {"messages": messages, "stream": True, "max_tokens": 400, "temperature": 0, "id_slot": 0}
    headers = {"Authorization": f"Bearer {address.key}"}
    url = f"{address.url}/v1/chat/completions"
    began, first = time.monotonic(), 0.0
    with httpx2.stream("POST", url, json=body, headers=headers, timeout=120, trust_env=False) as answer:
        for line in answer.iter_lines():
            if not first and line.startswith("data: {") and _content(line):
                first = time.monotonic() - began
    return first


def _content(line: str) -> str:
    choices = json.loads(line.removeprefix("data: ")).get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


async def _memory(duet: Duet) -> tuple[list[float], list[float]]:
    """Seconds of slow runs, and of the same questions in other words."""
    slow: list[float] = []
    hit: list[float] = []
    for question, again in REPEATS:
        for text, kept in ((question, slow), (again, hit)):
            began = time.monotonic()
            events = await say(duet, duet.open_session("anna"), text)
            kept.append(time.monotonic() - began)
            print(f"{kept[-1]:7.3f}s {final(events).get('by')} {text}", flush=True)
    return slow, hit


async def _own_time(ask: Ask) -> dict[str, object]:
    """Duet's own time a turn, everything but models, with a long history stored: the models answer at once.

    They are small ones: the gate decides here too, all of Duet works."""
    quick = PlainModel(lambda _: Said("Sure, here is something."), Abilities(prefix=True, logprobs=True, schema=True))
    async with a_duet(ask.settings, warm=False, swaps=Swaps(models=lambda *_: quick)) as duet:
        clock, session = _Clock(duet.embedder), duet.open_session("bench")
        for number in range(HISTORY):
            event = duet.transcript.begin_turn(session, f"Turn {number} of a long conversation about nothing much")
            reply = {"by": "fast", "text": f"Reply {number}.", "invoke": False, "final": True}
            duet.transcript.append(session, event.turn, "reply", reply)
            duet.transcript.append(session, event.turn, "end", {"state": "done"})
        told = [f"Tell me a little about {TOPICS[n % len(TOPICS)]}, please" for n in range(60)]
        own = [await _own(duet, session, text, clock) for text in told]
    answered = [seconds for seconds in own[10:] if seconds is not None]
    return {"own_ms_p50": round(1000 * median(answered), 1), "own_n": len(answered)}


class _Clock:
    """Measures the time in which the sentence model works: it is a model too. Its calls may overlap."""

    def __init__(self, embedder: Embedder) -> None:
        self.calls: list[tuple[float, float]] = []
        self._embed = embedder.embed
        embedder.embed = self._timed  # type: ignore[method-assign]

    def spent(self) -> float:
        """Seconds in which at least one call was under way."""
        total, until = 0.0, 0.0
        for began, ended in sorted(self.calls):
            total += max(0.0, ended - max(began, until))
            until = max(until, ended)
        return total

    def _timed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        began = time.monotonic()
        try:
            return self._embed(texts)
        finally:
            self.calls.append((began, time.monotonic()))


async def _own(duet: Duet, session: str, text: str, clock: _Clock) -> float | None:
    """Seconds, without the sentence model's; None where the gate called the slow mind."""
    clock.calls.clear()
    began = time.monotonic()
    events = await say(duet, session, text)
    seconds = time.monotonic() - began - clock.spent()
    await duet.remembering.settle()
    return None if invoked(events) else seconds


def _page(ask: Ask) -> dict[str, object]:
    """Seconds from the start of `serve` until the page answers, the second time."""
    with serving(ask.settings) as server:
        server.end()
        return {"page_up_s": round(server.start(), 1)}
