"""The page before the real Duet on the real embedded model: one person's session, with a reload and a crash in it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open, Server
from tests.browser.test_page import menu, say

pytestmark = [pytest.mark.browser, pytest.mark.real]

PATIENCE = 300_000
"""Milliseconds: a small model on a loaded machine takes its time, and only its answer is tested."""


@pytest.fixture(scope="module")
def duet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    models = os.environ.get("DUET_MODELS") or str(Path("~/.local/share/duet/models").expanduser())
    model = os.environ.get("DUET_TEST_MODEL") or "embedded:0.5b"
    env = {"DUET_HOME": str(tmp_path_factory.mktemp("home")), "DUET_MODELS": models, "DUET_USER": "ada"}
    env |= {"DUET_FAST_MODEL": model, "DUET_SLOW_MODEL": model}
    server = Server(lambda port: [sys.executable, "main.py", "serve", "--port", str(port)], env)
    try:
        server.start()
        yield server
    finally:
        server.end()


@pytest.mark.timeout(1800)
def test_a_session_on_the_embedded_model(duet: Server, open_page: Open, tmp_path: Path) -> None:
    page = open_page(duet.url)
    say(page, "What is 387 times 46?")
    expect(page.locator(".reply.fast.interim")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".trace .step.done").first).to_contain_text("387 * 46", timeout=PATIENCE)
    page.reload()
    final = page.locator("article").first.locator(".reply.slow.final")
    expect(final).to_contain_text(re.compile("17,?802"), timeout=PATIENCE)
    final.get_by_role("button", name="Good reply").click()
    expect(final.get_by_role("button", name="Good reply")).to_have_attribute("aria-pressed", "true")

    say(page, "What is 912 times 88?")
    expect(page.get_by_text("Slow mind is working")).to_be_visible(timeout=PATIENCE)
    page.locator("#state").get_by_role("button", name="Stop (Esc)").click()
    second = page.locator("article").nth(1)
    expect(second.locator(".ended.stopped")).to_be_visible(timeout=PATIENCE)
    expect(second.locator(".reply.final")).to_have_count(0)

    second.get_by_role("button", name="Edit this message").click()
    page.get_by_role("textbox", name="Edit your message").fill("What is 912 times 87?")
    page.keyboard.press("Enter")
    expect(page.locator("article")).to_have_count(2)
    expect(page.get_by_text("Slow mind is working")).to_be_visible(timeout=PATIENCE)
    duet.end(kill=True)
    duet.start()
    expect(second.locator(".ended.interrupted")).to_be_visible(timeout=PATIENCE)
    second.get_by_role("button", name="Resume").click()
    # That it ends is tested; what the smallest model makes of an interrupted sum is its own affair.
    expect(second.locator(".reply.slow.final")).to_be_visible(timeout=PATIENCE)

    with page.expect_download() as download:
        menu(page, "387", "Export Markdown")
    download.value.save_as(tmp_path / "export.md")
    assert re.search("17,?802", (tmp_path / "export.md").read_text())
    page.reload()
    expect(final.get_by_role("button", name="Good reply")).to_have_attribute("aria-pressed", "true")
    phone = open_page(page.url, width=375, height=720, color_scheme="dark")
    expect(phone.locator(".reply.slow.final").first).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") == 375
