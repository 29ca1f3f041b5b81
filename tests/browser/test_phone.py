"""The page on a telephone: a small screen, a finger, a keyboard of glass, large letters, another script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import FLAGS, Open, Server, chromium, shot
from tests.browser.test_page import say
from tests.browser.test_rich import answered

pytestmark = pytest.mark.browser

BELOW = "(e => e.scrollHeight - e.scrollTop - e.clientHeight)(document.querySelector('#thread'))"
"""Pixels of the conversation that lie below what is seen of it."""
LINE = """e => {
  const around = document.createRange();
  around.selectNodeContents(e);
  return [...around.getClientRects()].map((box) => [Math.round(box.left), Math.round(box.right)]);
}"""


def test_the_newest_words_stay_in_view_when_a_diagram_is_drawn_and_a_keyboard_comes(
    quick: Server, open_page: Open
) -> None:
    page = open_page(quick.url, width=360, height=640, has_touch=True, is_mobile=True)
    say(page, "a diagram please", tap=True)
    expect(page.locator(".diagram img")).to_be_visible(timeout=30_000)
    page.wait_for_timeout(300)
    assert page.evaluate(BELOW) < 2
    page.set_viewport_size({"width": 360, "height": 330})
    page.wait_for_timeout(300)
    assert page.evaluate(BELOW) < 2
    shot(page, "phone-keyboard")
    page.evaluate("document.querySelector('#thread').scrollTop = 0")
    page.wait_for_timeout(200)
    page.set_viewport_size({"width": 360, "height": 400})
    page.wait_for_timeout(200)
    assert page.evaluate("document.querySelector('#thread').scrollTop") == 0, "who reads further up is left there"


def test_enter_on_a_keyboard_of_glass_begins_a_line(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, width=360, height=640, has_touch=True, is_mobile=True)
    sizes = "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    assert min(page.eval_on_selector_all("input, textarea, select", sizes)) >= 16, "an iPhone would draw near"
    assert "resizes-content" in page.evaluate("[...document.querySelectorAll('meta[name=viewport]')].at(-1).content")
    box = page.get_by_role("textbox", name="Message")
    box.tap()
    for line in ("milk", "bread"):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    expect(box).to_have_value("milk\nbread\n")
    page.get_by_role("button", name="Send").tap()
    expect(page.locator(".said .words")).to_have_text("milk\nbread")
    expect(page.locator(".reply.final")).to_be_visible()
    page.get_by_role("button", name="Edit this message").tap()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Edit your message")).to_be_visible()


def test_each_part_of_a_reply_runs_as_its_own_words_do(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, width=320, height=700, color_scheme="dark")
    answered(page, "in Hebrew please")
    said = page.locator(".said .words")
    say(page, "Python היא שפה נוחה\nand so is Ruby")
    line = said.nth(1).locator("bdi")
    assert line.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert said.nth(1).evaluate("e => e.innerText") == "Python היא שפה נוחה\nand so is Ruby"
    prose = page.locator(".reply.final .prose").first
    box = prose.bounding_box()
    assert box
    left, right = box["x"], box["x"] + box["width"]
    first, english, python, formula = (prose.locator("> p").nth(number).evaluate(LINE) for number in range(4))
    assert max(end for _start, end in first) > right - 3, "begins at the right, though with the name of a program"
    assert min(start for start, _end in english) < left + 3
    assert max(end for _start, end in python) > right - 3, "most of its letters run from there"
    assert prose.locator("ul").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert prose.locator("table").evaluate("e => getComputedStyle(e).direction") == "rtl"
    for code in prose.locator("code").all():
        assert code.evaluate("e => getComputedStyle(e).direction + getComputedStyle(e).unicodeBidi") == "ltrisolate"
    assert formula and page.evaluate("document.querySelector('#thread').scrollWidth") <= 320
    scrolls = prose.locator("> p").last
    assert scrolls.evaluate("e => e.scrollWidth > e.clientWidth"), "what is too wide is within reach"
    shot(page, "phone-hebrew")


@pytest.fixture
def large(quick: Server, browser: Browser) -> Iterator[Page]:
    """A telephone whose owner has set letters to twice their size."""
    twice = [*FLAGS, "--blink-settings=defaultFontSize=32"]
    with browser.browser_type.launch(executable_path=chromium(), args=twice) as own:
        page = own.new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
        page.goto(quick.url)
        page.wait_for_selector("body.ready")
        yield page


def test_all_is_within_reach_with_large_letters(large: Page) -> None:
    say(large, "hello", tap=True)
    expect(large.locator(".reply.final")).to_be_visible()
    for button in large.locator("#top button, #composer button, .reply .tools button").all():
        box = button.bounding_box()
        assert not box or box["x"] + box["width"] <= 360, button.get_attribute("aria-label")
    box = large.get_by_role("textbox", name="Message").bounding_box()
    assert box and box["width"] > 180
    shot(large, "phone-large")
