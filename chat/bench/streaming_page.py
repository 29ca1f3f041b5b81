"""`bench streaming` on the page itself, in Chromium by Playwright, where both are there."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chat.bench.paced import Measure, PacedServer
from chat.bench.process import ServerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE = 60_000
"""Milliseconds."""
WATCH = """() => {
  window.shown = {};
  new MutationObserver(() => {
    for (const [word] of document.querySelector("#turns").textContent.matchAll(/(?:direct|told|found)-\\d+-begins/g))
      window.shown[word] ??= Date.now() / 1000;
  }).observe(document.querySelector("#turns"), { subtree: true, childList: true, characterData: true });
}"""
"""Keeps when each answer's first word stood on the page, in seconds as time.time() tells them."""
STOP = "() => { const at = Date.now() / 1000; document.querySelector('#state [data-do=stop]').click(); return at; }"


def in_chromium(
    server: ServerProcess, model: PacedServer, measures: Sequence[Measure], times: int
) -> dict[str, list[float]]:
    """Name -> seconds of each repetition; empty where there is no Chromium or no Playwright."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    address = server.address()
    if path is None or address is None:
        print("No Chromium with Playwright here: the page itself is left out.", file=sys.stderr)
        return {}
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address.url)
        page.wait_for_selector("body.ready")
        page.evaluate(WATCH)
        _once(page, model, measures[0], 1000)  # the first turn also opens the conversation
        taken = {m.name: [_once(page, model, m, n) for n in range(1001, 1001 + times)] for m in measures}
        browser.close()
    return taken


def _once(page: Page, model: PacedServer, measure: Measure, number: int) -> float:
    """Seconds; the numbers are others than those of the page's stream, for the memory knows these answers by now."""
    box = page.get_by_role("textbox", name="Message")
    box.fill(measure.said(number))
    box.press("Enter")
    word = measure.word(number)
    exchange = model.asked(word, PATIENCE / 1000)
    if measure.stops:
        return _stopped(page, exchange, word, silent=measure.silent)
    page.wait_for_function("word => window.shown[word]", arg=word)
    page.wait_for_function("!document.querySelector('#state [data-do=stop]')")
    return float(page.evaluate("word => window.shown[word]", word)) - exchange.first


def _stopped(page: Page, exchange: Any, word: str, *, silent: bool) -> float:
    if not silent:
        page.wait_for_function("word => window.shown[word] || document.querySelector('.trace .step')", arg=word)
    page.wait_for_selector("#state [data-do=stop]")
    time.sleep(0.4)
    began = float(page.evaluate(STOP))
    exchange.over.wait(PATIENCE / 1000)
    page.wait_for_selector("#state [data-do=stop]", state="detached")
    return (exchange.hung_up or time.time()) - began
