"""The page before the real Duet on strong minds that follow a script, through the server that serves it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open, Server, running
from tests.browser.test_page import say
from tests.browser.test_rich import SOON, WATCH

pytestmark = pytest.mark.browser

DELAY = 0.05
"""Seconds that the scripted model waits before each token (tests/chat/ui/strong.py)."""


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = str(tmp_path_factory.mktemp("home"))
    yield from running(Server(lambda port: [sys.executable, "-m", "tests.chat.ui.strong", str(port), home], {}))


def test_words_come_through_the_whole_server_as_they_are_said(strong: Server, open_page: Open) -> None:
    page = open_page(strong.url)
    say(page, "hello")
    expect(page.locator(".reply.final")).to_be_visible()
    page.evaluate(WATCH)
    for turn in range(1, 6):
        say(page, "What does the clock say?")
        expect(page.locator("article").nth(turn).locator(".reply.final")).to_be_visible()
    arrivals = page.evaluate("window.arrivals")[-5:]  # the first answer's stood there already
    assert sorted(arrivals)[2] < DELAY + SOON, arrivals


def test_a_run_is_told_with_its_request_its_program_and_its_figures(strong: Server, open_page: Open) -> None:
    page = open_page(strong.url)
    say(page, "a program please")
    final = page.locator(".reply.slow.final")
    expect(final).to_contain_text("2880067194370816120")
    expect(page.locator(".reply .prose:empty")).to_have_count(0)
    expect(final.locator("mark.unfounded")).to_have_text(["4711"])
    expect(final.locator(".badge .cost")).to_contain_text("scripted:fast")
    page.locator(".trace > summary").click()
    expect(page.locator(".step.request")).to_contain_text("Work out the 90th Fibonacci number")
    expect(page.locator(".step .program code").first).to_contain_text("print(fib(90))")
    expect(page.locator(".step .program code").last).to_have_text("2880067194370816120")
