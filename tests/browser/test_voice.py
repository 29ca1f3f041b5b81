"""What a person says comes into the box: a real Chromium with a recording as its microphone, and a real Whisper where
`faster-whisper` is installed and DUET_WHISPER names a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import FLAGS, Open, Server, chromium, shot
from tests.browser.test_accessible import faults

pytestmark = pytest.mark.browser
SPOKEN = Path(__file__).parents[1] / "data" / "spoken.wav"
HERE = find_spec("faster_whisper") is not None


@pytest.fixture
def speaking(quick: Server) -> Iterator[Page]:
    """A browser whose microphone hears the recording once."""
    more = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={SPOKEN}%noloop"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, *more])
        page = browser.new_context(permissions=["microphone"]).new_page()
        page.goto(quick.url)
        page.wait_for_selector("body.ready")
        yield page
        browser.close()


@pytest.mark.skipif(HERE, reason="faster-whisper is installed")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_without_a_whisper_the_button_says_what_to_install(
    quick: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(quick.url, width=width, color_scheme=scheme)
    page.get_by_role("button", name="Speak instead of typing").click()
    expect(page.locator("#toasts code")).to_have_text(".venv/bin/python -m pip install faster-whisper==1.2.1")
    shot(page, f"voice-missing-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert faults(page) == []


@pytest.mark.real
@pytest.mark.skipif(not (HERE and os.environ.get("DUET_WHISPER")), reason="no faster-whisper, or no DUET_WHISPER")
def test_what_is_said_comes_into_the_box_behind_what_stands_there(speaking: Page) -> None:
    box = speaking.get_by_role("textbox", name="Message")
    box.fill("Please:")
    speaking.get_by_role("button", name="Speak instead of typing").click()
    stop = speaking.get_by_role("button", name="Stop, and put the words into the box")
    expect(stop).to_have_attribute("aria-pressed", "true")
    shot(speaking, "voice-records")
    speaking.wait_for_timeout(4500)
    stop.click()
    expect(box).to_have_value(re.compile(r"^Please: .*\bstory\b.*\brain\b", re.IGNORECASE), timeout=60_000)
    shot(speaking, "voice-heard")
    expect(speaking.locator("article")).to_have_count(0)
