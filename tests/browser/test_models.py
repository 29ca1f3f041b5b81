"""The way to a better model in a real Chromium: before a small hub, fakes of what runs here, and a fake endpoint."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import hub as small_hub
from tests.browser.conftest import Open, Server, running, shot
from tests.chat.ui.models import DATA
from tests.hub import Hub
from tests.servers import Fake
from tests.servers import running as fake_server

pytestmark = pytest.mark.browser

LONG = 30_000
"""Milliseconds, for what a busy machine takes its time over."""
KEY = "sk-proj-of-the-tests-1234567890"


class Ground:
    """A Duet with nothing configured, and what stands around it."""

    def __init__(self, stack: ExitStack, home: Path) -> None:
        self.home = home
        self.hub: Hub = stack.enter_context(small_hub.serving(DATA))
        self.hub.piece, self.hub.pause = 40_000, 0.05
        self.ollama: Fake = stack.enter_context(fake_server("Ollama"))
        self.keyed: Fake = stack.enter_context(fake_server("provider", KEY))
        ports = f"Ollama={self.ollama.port},vLLM=9"
        self.server = Server(
            lambda port: [
                sys.executable, "-m", "tests.chat.ui.models", str(port), str(home), self.hub.url, ports, self.keyed.url
            ],
            {"no_proxy": "127.0.0.1"},
        )  # fmt: skip


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with ExitStack() as stack:
        ground = Ground(stack, tmp_path / "home")
        for _ in running(ground.server):
            yield ground


def say(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    box.press("Enter")


def test_missing_weights_are_fetched_and_what_was_asked_meanwhile_is_answered(ground: Ground, open_page: Open) -> None:
    page = open_page(ground.server.url)
    expect(page.locator("#offer")).to_contain_text("Qwen2.5 Coder 1.5B is not on this machine yet")
    shot(page, "1-first-start")
    say(page, "hello, are you there?")
    expect(page.locator(".reply.waiting")).to_contain_text("Your message is answered then")
    shot(page, "2-waiting")
    ground.hub.breaks_at = [1_200_000]
    page.locator("#offer").get_by_role("button", name="Fetch it").click()
    expect(page.locator("#offer progress")).to_be_visible()
    expect(page.locator("#offer")).to_contain_text("MB from 127.0.0.1")
    shot(page, "3-fetching")
    expect(page.locator(".reply.final")).to_contain_text("You said: hello, are you there?", timeout=LONG)
    assert [ranged for _, ranged in ground.hub.asked] == [None, "bytes=1200000-"], "it went on where the line broke"
    expect(page.locator("#offer")).to_be_empty(timeout=LONG)
    expect(page.locator("#minds")).to_contain_text("Qwen2.5 Coder 1.5B")
    shot(page, "4-answered")


def test_a_better_model_is_fetched_and_takes_over_between_turns(ground: Ground, open_page: Open) -> None:
    page = open_page(ground.server.url)
    page.locator("#offer").get_by_role("button", name="Fetch it").click()
    expect(page.locator("#offer")).to_be_empty(timeout=LONG)
    say(page, "one")
    expect(page.locator(".reply.final .badge")).to_contain_text("Qwen2.5 Coder 1.5B", timeout=LONG)
    page.locator("#minds").click()
    row = page.locator(".choices li", has_text="Qwen3 4B")
    expect(row).to_contain_text("tokens/s here", timeout=LONG)
    shot(page, "5-picker")
    row.get_by_role("button", name="Fetch and use").click()
    expect(row.get_by_role("button", name="Stop")).to_be_visible()
    say(page, "two")
    expect(page.locator("article").nth(1).locator(".reply.final .badge")).to_contain_text("Qwen2.5 Coder 1.5B")
    expect(page.locator("#minds")).to_contain_text("Qwen3 4B", timeout=LONG)
    expect(row.locator(".used")).to_have_text("fast and slow")
    say(page, "three")
    expect(page.locator("article").nth(2).locator(".reply.final .badge")).to_contain_text("Qwen3 4B")
    shot(page, "6-switched")
    page.reload()
    expect(page.locator("#minds")).to_contain_text("Qwen3 4B")
    narrow = open_page(page.url, width=375, height=720, color_scheme="dark")
    shot(narrow, "7-narrow-dark-closed")
    narrow.locator("#minds").click()
    expect(narrow.locator(".choices li").first).to_be_visible()
    shot(narrow, "7-narrow-dark")


def test_what_runs_here_and_what_a_key_opens_are_tried_and_used(ground: Ground, open_page: Open) -> None:
    page = open_page(ground.server.url)
    assert ground.ollama.asked == [], "nothing is asked before somebody looks"
    page.locator("#minds").click()
    server = page.locator("form.try", has_text="Ollama")
    expect(server.locator("select")).to_contain_text("qwen3:4b")
    assert set(ground.ollama.asked) == {"GET /v1/models"}
    server.get_by_role("button", name="Try it").click()
    expect(page.locator(".tried")).to_contain_text("It calls tools. It sees no pictures. It reads 4,096 tokens")
    shot(page, "8-ollama")
    page.locator(".tried").get_by_role("button", name="Fast mind").click()
    expect(page.locator("#minds")).to_contain_text("fastqwen3:4b")
    field = page.get_by_role("textbox", name="Key or address")
    field.fill("sk-proj-wrong")
    page.locator("#key-form").get_by_role("button", name="Look").click()
    expect(page.locator("#key-view")).to_contain_text("does not know this key")
    shot(page, "9-wrong-key")
    field.fill(KEY)
    page.locator("#key-form").get_by_role("button", name="Look").click()
    listed = page.locator("#key-view form.try")
    expect(listed).to_contain_text("OpenAI answers and has 2 models")
    expect(field).to_have_value("")
    listed.locator("select").select_option("grand-1-mini")
    listed.get_by_role("textbox", name="Name of the model").fill("grand-of-tomorrow")
    listed.get_by_role("button", name="Try it").click()
    expect(page.locator(".tried")).to_contain_text("grand-of-tomorrow answers")
    listed.get_by_role("textbox", name="Name of the model").fill("")
    listed.get_by_role("button", name="Try it").click()
    expect(page.locator(".tried")).to_contain_text("It reads 128,000 tokens at once.")
    page.locator(".tried").get_by_role("button", name="Both minds").click()
    expect(page.locator("#minds")).to_contain_text("grand-1-mini")
    shot(page, "10-key")
    page.keyboard.press("Escape")
    say(page, "hi")
    expect(page.locator(".reply.final")).to_contain_text("grand-1-mini answers.", timeout=LONG)
    keys = ground.home / "keys.json"
    assert keys.stat().st_mode & 0o777 == 0o600 and KEY not in page.content()
    written = [file for file in ground.home.rglob("*") if file.is_file() and file != keys]
    assert not any(KEY.encode() in file.read_bytes() for file in written)
