"""`bench streaming`: how soon words reach the page behind a model server of 30 tokens a second, and how soon a stop
reaches that server. The real page server in a process of its own, the page in Chromium (by Playwright); the server of
the model is chat/bench/paced.py.

Measured from the first token that leaves the model server to the page: of a direct reply, of a final reply that the
fast mind words, and of one in the slow mind's own words (both minds one model). Then from a person's stop to the end of
the connection: in the middle of a reply, while the server is still silent, and in the middle of the slow mind's words.
`--embedded` measures the fast mind of the embedded model beside a slow run instead (chat/bench/speed.py).
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from chat.bench import Ask
from chat.bench.figures import middle
from chat.bench.paced import Body, Exchange, PacedServer, Saying, offered, paced, texts
from chat.bench.server import serving
from chat.bench.speed import beside_slow_run
from chat.faults import ChatFault

if TYPE_CHECKING:
    from playwright.sync_api import Page

RATE = 30.0
SAID = 15
"""Words of an answer; of one that is stopped ten times as many."""
SILENCE = 20.0
"""Seconds that the server says nothing before an answer that is stopped before."""
PROGRAM = "print(6 * 7)"
PATIENCE = 60.0
PAUSE = 0.4
"""Seconds into an answer, or a silence, in which a person stops it."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
WATCH = """() => {
  window.shown = {};
  new MutationObserver(() => {
    for (const [word] of document.querySelector("#turns").textContent.matchAll(/(?:direct|told|found)-\\d+-begins/g))
      window.shown[word] ??= Date.now() / 1000;
  }).observe(document.querySelector("#turns"), { subtree: true, childList: true, characterData: true });
}"""
"""Keeps when each answer's first word stood on the page, in seconds as time.time() tells them."""
STOP = "() => { const at = Date.now() / 1000; document.querySelector('#state [data-do=stop]').click(); return at; }"


@dataclass(frozen=True)
class Measure:
    """One thing that is measured again and again."""

    begins: str
    """With which word the model's answer begins: `direct`, or `told` or `found` of what is thought about."""
    stops: bool = False
    silent: bool = False
    """It is stopped before the answer begins."""


MEASURES = {
    "direct": Measure("direct"),
    "final": Measure("told"),
    "stop": Measure("direct", stops=True),
    "stop_silent": Measure("direct", stops=True, silent=True),
    "stop_slow": Measure("found", stops=True),
    "final_own": Measure("found"),
}
MINDS = {("quick", "deep"): [*MEASURES][:-1], ("deep", "deep"): ["final_own"]}
"""Models of the fast and the slow mind; where they are one, the slow mind's answer is the reply."""


def run(ask: Ask) -> dict[str, object]:
    """Milliseconds: the median and the most of each measure. Raises ChatFault where there is no Chromium."""
    if ask.embedded:
        return asyncio.run(beside_slow_run(ask))
    times, taken, numbers = ask.limit or 10, dict[str, list[float]](), count()
    with paced(answer, RATE) as model:
        for minds, names in MINDS.items():
            fast, slow = map(model.spec, minds)
            given = {"DUET_FAST_MODEL": fast, "DUET_SLOW_MODEL": slow, "DUET_USER": "bench"}
            with serving(ask.settings, given=given) as server, opened(server.address.url) as page:
                for name in names[:2]:  # the first turns also open the conversation and import what is late
                    once(page, model, name, next(numbers))
                taken |= {name: [once(page, model, name, next(numbers)) for _ in range(times)] for name in names}
    for name, seconds in taken.items():
        print(f"{name:12} {' '.join(f'{1000 * s:.0f}' for s in seconds)} ms", flush=True)
    summed = {name: {"median": 1000 * middle(s), "max": 1000 * max(s)} for name, s in taken.items()}
    return {"chromium_ms": summed, "repetitions": times, "asked_ms": {"first piece": 100, "stop": 200}}


@contextmanager
def opened(url: str) -> Iterator[Page]:
    """The page, ready for words. Raises ChatFault where there is no Chromium or no Playwright."""
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        raise ChatFault("The page is measured in Chromium: install it, and the package playwright.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(url)
        page.wait_for_selector("body.ready")
        page.evaluate(WATCH)
        yield page
        browser.close()


def once(page: Page, model: PacedServer, name: str, number: int) -> float:
    """Seconds from the model's first token to the page, or from the stop to the end of the connection.

    By the number its words are told from those of other turns.
    """
    box, measure = page.get_by_role("textbox", name="Message"), MEASURES[name]
    word = begun(measure.begins, str(number))
    box.fill(f"Tell me of pier {number} {name}")
    box.press("Enter")
    exchange = model.asked(word, PATIENCE)
    if measure.stops:
        return _stopped(page, exchange, word, silent=measure.silent)
    page.wait_for_function("word => window.shown[word]", arg=word)
    page.wait_for_function("!document.querySelector('#state [data-do=stop]')")
    return float(page.evaluate("word => window.shown[word]", word)) - exchange.first


def _stopped(page: Page, exchange: Exchange, word: str, *, silent: bool) -> float:
    if not silent:
        page.wait_for_function("word => window.shown[word] || document.querySelector('.trace .step')", arg=word)
    page.wait_for_selector("#state [data-do=stop]")
    time.sleep(PAUSE)
    began = float(page.evaluate(STOP))
    exchange.over.wait(PATIENCE)
    page.wait_for_selector("#state [data-do=stop]", state="detached")
    return (exchange.hung_up or time.time()) - began


# -- what the model says


def answer(body: Body) -> Saying:
    """What does not begin `direct` is thought about, with one program."""
    if not offered(body):
        return Saying(["Nothing."])
    # a turn that was stopped before its answer stands in one message with the next
    said = texts(body, "user")[-1].partition("\n\n<context>")[0].rpartition("\n")[2]
    *_, number, name = said.split()
    measure, told, first = MEASURES[name], body["messages"][-1]["role"] == "tool", "found"
    if "think" in offered(body):
        if measure.begins != "direct" and not told:
            return Saying(tool="think", arguments={"request": said})
        first = "told" if told else "direct"
    elif not told:
        return Saying(["A", " program."], tool="python", arguments={"program": PROGRAM})
    words = [f" word{n}" for n in range(SAID * (10 if measure.stops else 1))]
    return Saying([begun(first, number), *words], silence=SILENCE * measure.silent)


def begun(first: str, number: str) -> str:
    return f"{first}-{number}-begins"
