"""Pictures in a real Chromium: pasted and uploaded, before a model that cannot see and before one that can."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server, running, shot
from tests.browser.test_page import say
from tests.servers import Fake
from tests.servers import running as fake_server

pytestmark = pytest.mark.browser

PASTE = """async (bytes) => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array(bytes)], "image.png", { type: "image/png" }));
  document.querySelector("#box textarea").dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: carried, bubbles: true, cancelable: true }));
}"""
LONG = 30_000


def drawing() -> bytes:
    sheet, kept = Image.new("RGB", (640, 400), "#7fb3d5"), BytesIO()
    pen = ImageDraw.Draw(sheet)
    pen.rectangle((0, 260, 640, 400), "#6b8e4e")
    pen.polygon([(220, 260), (420, 260), (320, 120)], "#a04030")
    pen.ellipse((500, 40, 580, 120), "#f4d35e")
    sheet.save(kept, "PNG")
    return kept.getvalue()


@pytest.fixture
def endpoint() -> Iterator[Fake]:
    with fake_server("vLLM") as fake:
        fake.reads = "a red roof under the sun"
        yield fake


@pytest.fixture
def seeing(endpoint: Fake, tmp_path: Path) -> Iterator[Server]:
    """A whole Duet, before an endpoint whose model sees."""
    spec = f"openai:grand-1@{endpoint.url}?see=1"
    models = ["--fast-model", spec, "--slow-model", spec]
    command = [sys.executable, "main.py", "serve", *models, "--port"]
    yield from running(
        Server(
            lambda port: [*command, str(port)],
            {"DUET_HOME": str(tmp_path), "no_proxy": "127.0.0.1", "DUET_PRICES": "EUR grand-1=2/8"},
        )
    )


def drawn(page: Page, selector: str) -> bool:
    return bool(page.locator(selector).evaluate("e => e.decode().then(() => e.naturalWidth === 640)"))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_a_picture_is_pasted_shown_and_seen(
    seeing: Server, endpoint: Fake, open_page: Open, width: int, scheme: str
) -> None:
    page = open_page(seeing.url, width=width, color_scheme=scheme)
    page.evaluate(PASTE, list(drawing()))
    chip = page.locator("#documents .picture")
    expect(chip).to_contain_text("image.png", timeout=LONG)
    expect(page.locator("#documents .blind")).to_have_count(0)
    page.reload()
    page.wait_for_selector("body.ready")
    expect(chip).to_have_count(1)
    shot(page, f"picture-waits-{width}")
    say(page, "What is in this picture?")
    expect(page.locator(".reply.final")).to_contain_text("a red roof under the sun", timeout=LONG)
    expect(page.locator(".reply.final .badge")).to_contain_text("60 tokens · 1 call · EUR 0.00024")
    expect(chip).to_have_count(0)
    assert drawn(page, ".pictures img")
    expect(page.get_by_role("img", name="image.png")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"picture-{width}")
    told = [body for body in endpoint.bodies if "data:image/jpeg;base64," in str(body["messages"])]
    assert told and "image.png" in str(told[0]["messages"])


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_a_model_that_cannot_see_is_told_plainly(quick: Server, open_page: Open, width: int, scheme: str) -> None:
    page = open_page(quick.url, width=width, color_scheme=scheme)
    upload = page.locator("input[data-testid*=Attach]")
    upload.set_input_files({"name": "house.png", "mimeType": "image/png", "buffer": drawing()})
    expect(page.locator("#documents .blind")).to_contain_text("The model embedded cannot see pictures", timeout=LONG)
    assert drawn(page, "#documents .picture img")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"picture-blind-{width}")
    page.get_by_role("button", name="Do not send house.png").click()
    expect(page.locator("#documents li")).to_have_count(0)
    upload.set_input_files({"name": "odd.png", "mimeType": "image/png", "buffer": b"<svg/>"})
    expect(page.locator("#toasts")).to_contain_text("odd.png is no picture that can be read", timeout=LONG)
