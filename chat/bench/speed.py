"""`bench speed`: what Duet adds to its models, side by side with the bare model server, in one run."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Sequence

import httpx2

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.figures import middle, ratio, rounded
from chat.bench.ground import DATA, PlainModel, a_duet, say
from chat.bench.server import serving
from chat.evaluation.play import final, invoked
from chat.faults import ChatFault
from chat.services import Swaps
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
LONG = [
    "How much is 12 tickets at 18.40 euros plus 3 maps at 7.25 euros?",
    "A van needs 9 litres for 100 km. How much does it need for 640 km?",
    "I earn 2450 a month and pay 890 rent and 210 for food. What is left of it?",
]
WORKING = 4.0
"""Seconds into a slow run within which the fast mind is asked something."""
ALLOWED = 2.5
"""Times idle."""


def run(ask: Ask) -> dict[str, object]:
    """Figures: seconds and ratios; see the keys."""
    return {**asyncio.run(_with_models(ask)), **asyncio.run(_own_time(ask)), **_page(ask)}


def small_talk() -> list[str]:
    return read_lines(DATA / "smalltalk_test.jsonl", lambda row: str(row["text"]), "a text")


async def _with_models(ask: Ask) -> dict[str, object]:
    folder = ask.settings.models_dir
    weights = weights_of(parse(ask.settings.fast_model), folder)
    if weights is None:
        raise ChatFault(
            "`bench speed` needs an embedded model, whose bare server it asks as well: name one by --fast-model."
        )
    server = lease(weights.path(folder), ModelSettings(models_dir=folder))
    try:
        async with a_duet(ask.settings) as duet:
            through, raw = await _first_tokens(duet, server.ensure(), small_talk()[: ask.limit or 60])
            slow, hit = await _memory(duet)
    finally:
        release(server)
    return {
        "first_token_raw_s": middle(raw),
        "first_token_duet_s": middle(through),
        "first_token_allowed_s": middle([1.05 * seconds + 0.05 for seconds in raw]),
        "slow_run_s": middle(slow),
        "memory_hit_s": middle(hit),
        "memory_hit_n": len(hit),
        "slow_over_hit": ratio(middle(slow), middle(hit)),
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
    head = render("small/plain", now=NOW)
    messages = [{"role": "system", "content": head}, {"role": "user", "content": text}]
    body = {"messages": messages, "stream": True, "max_tokens": 400, "temperature": 0, "id_slot": 0}
    headers = {"Authorization": f"Bearer {address.key}"}
    url = f"{address.url}/v1/chat/completions"
    began, first = time.monotonic(), 0.0
    with httpx2.stream("POST", url, json=body, headers=headers, timeout=120, trust_env=False) as answer:
        for line in answer.iter_lines():
            if not first and re.search(r'"content": ?"[^"]', line):
                first = time.monotonic() - began
    return first


async def _memory(duet: Duet) -> tuple[list[float], list[float]]:
    """Seconds of slow runs, and of answers by memory to the same questions in other words."""
    slow: list[float] = []
    hit: list[float] = []
    for question, again in REPEATS:
        for text, kept in ((question, slow), (again, hit)):
            began = time.monotonic()
            events = await say(duet, duet.open_session("anna"), text)
            seconds, by = time.monotonic() - began, final(events).get("by")
            print(f"{seconds:7.3f}s {by} {text}", flush=True)
            if invoked(events) if kept is slow else by == "memory":  # else it is the figure of something else
                kept.append(seconds)
    return slow, hit


async def _own_time(ask: Ask) -> dict[str, object]:
    """Duet's own time a turn, everything but models, with a long history stored: the models answer at once.

    They are small ones: the gate decides here too, all of Duet works."""
    quick = PlainModel(lambda _: Said("Sure, here is something."), Abilities(prefix=True, logprobs=True, schema=True))
    async with a_duet(ask.settings, warm=False, swaps=Swaps(models=lambda *_: quick)) as duet:
        session, own = duet.open_session("bench"), list[float]()
        for number in range(HISTORY):
            event = duet.transcript.begin_turn(session, f"Turn {number} of a long conversation about nothing much")
            reply = {"by": "fast", "text": f"Reply {number}.", "invoke": False, "final": True}
            duet.transcript.append(session, event.turn, "reply", reply)
            duet.transcript.append(session, event.turn, "end", {"state": "done"})
        for number in range(6 * len(TOPICS)):  # the sentence model, a model too, keeps what it read the first time
            began = time.monotonic()
            events = await say(duet, session, f"Tell me a little about {TOPICS[number % len(TOPICS)]}, please")
            own += [1000 * (time.monotonic() - began)] * (number >= len(TOPICS) and not invoked(events))
            await duet.remembering.settle()
    return {"own_ms_p50": middle(own), "own_n": len(own)}


def _page(ask: Ask) -> dict[str, object]:
    """Seconds from the start of `serve` until the page answers, the second time."""
    with serving(ask.settings) as server:
        server.end()
        return {"page_up_s": server.start()}


# -- the fast mind beside the slow one, on one embedded server


async def beside_slow_run(ask: Ask) -> dict[str, object]:
    """Seconds to the fast mind's first words, and how many times idle.

    Each repetition asks three things side by side, so that other work on the machine weighs on all of them: small talk
    when nothing else is going on, at any moment of a slow run in another conversation, and as that run begins to read
    its prompt, which is the worst moment.
    """
    taken: dict[str, list[float]] = {"idle": [], "busy": [], "reading": []}
    said, moments = small_talk(), random.Random(0)
    times, texts = len(said) // len(taken), iter(said)  # at most: a text that was read before is cached
    async with a_duet(ask.settings) as duet:
        for number in range(min(times, ask.limit or 12)):
            for name, seconds in (("idle", None), ("busy", moments.uniform(0, WORKING)), ("reading", 0.0)):
                text = next(texts)
                first = await (first_words(duet, text) if seconds is None else _beside(duet, text, number, seconds))
                print(f"{name:8} {rounded(first)}", flush=True)
                taken[name] += [] if first is None else [first]
    idle, busy, reading = map(middle, taken.values())
    return {
        **{f"{name}_s": middle(each) for name, each in taken.items()},
        "busy_over_idle": ratio(busy, idle),
        "reading_over_idle": ratio(reading, idle),
        "asked_over_idle": ALLOWED,
        "n": [len(each) for each in taken.values()],
    }


async def first_words(duet: Duet, text: str) -> float | None:
    """Seconds from submit to the first words that a follower sees; None where the turn called the slow mind."""
    session = duet.open_session("bench")
    began, first = time.monotonic(), None
    turn = await duet.runs.submit(session, text)
    async for event in duet.runs.wait(session, turn):
        if event.kind in ("delta", "reply") and first is None:
            first = time.monotonic() - began
        if event.kind == "reply" and event.data["invoke"]:
            await duet.runs.stop(session)
            first = None
    return first


async def _beside(duet: Duet, text: str, number: int, seconds: float) -> float | None:
    """The same, so many seconds into a slow run of another conversation; None where that was over by then."""
    session = duet.open_session("busy", None)
    turn, first = await duet.runs.submit(session, LONG[number % len(LONG)] + " " * number), None
    async for event in duet.runs.wait(session, turn):
        if event.kind == "run" and event.data["state"] == "started":
            await asyncio.sleep(seconds)
            first = await first_words(duet, text) if duet.runs.state(session) == "slow" else None
            break
    await duet.runs.stop(session)
    return first
