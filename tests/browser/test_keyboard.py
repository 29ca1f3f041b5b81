"""The page by the keyboard alone and for who hears it: where the focus goes, and what is said aloud."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, Server
from tests.browser.test_page import say
from tests.browser.test_rich import answered

pytestmark = pytest.mark.browser


def press(page: Page, at: Locator, *keys: str) -> None:
    """From there, one key after the other; Enter without any."""
    at.focus()
    for key in keys or ("Enter",):
        page.keyboard.press(key)
        page.wait_for_timeout(150)  # panels take the focus once they are there


@pytest.mark.parametrize(
    ("opener", "width"), [("Settings", 1280), ("Models", 1280), ("Conversations", 400), ("Settings", 400)]
)
def test_a_panel_that_is_closed_gives_the_focus_back(quick: Server, open_page: Open, opener: str, width: int) -> None:
    page = open_page(quick.url, width=width)
    button = page.locator("#top").get_by_role("button", name=opener, exact=True)
    press(page, button)
    expect(button).not_to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    press(page, button, "Enter", "Enter")  # the second one closes it by its own button
    expect(button).to_be_focused()


def test_the_focus_comes_back_from_a_menu_and_what_it_opens(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "by the keyboard")
    more = page.locator("#list .menu summary").first
    press(page, more, "Enter", "ArrowDown", "Enter")
    expect(page.get_by_role("dialog", name="Rename")).to_be_visible()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    press(page, more, "Enter", "ArrowDown", "ArrowDown", "Enter")
    expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
    expect(page.get_by_label("More for by the keyboard")).to_be_focused()
    press(page, more, "Enter", *["Tab"] * 9)
    expect(page.locator(".menu[open]")).to_have_count(0)


def test_the_focus_stays_with_what_does_the_same(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "first thing")
    press(page, page.get_by_role("button", name="Edit this message"), "Enter", "Escape")
    expect(page.get_by_role("button", name="Edit this message")).to_be_focused()
    for count in ("2 / 2", "3 / 3"):
        press(page, page.get_by_role("button", name="Answer this again", exact=True))
        expect(page.locator(".versions")).to_contain_text(count)
        expect(page.locator(".reply.final")).to_be_visible()
    before = page.get_by_role("button", name="The version before")
    press(page, before, "Enter")
    expect(page.locator(".versions")).to_contain_text("2 / 3")
    expect(before).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".versions")).to_contain_text("1 / 3")
    expect(before).to_be_focused()
    expect(before).to_be_disabled()


def test_who_stops_a_run_stands_in_the_message_box(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 please")
    press(page, page.locator("#state").get_by_role("button", name="Stop"))
    expect(page.locator(".ended").last).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_a_reply_is_told_once_and_whole(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    told = page.locator("#told")
    assert told.get_attribute("role") == "status"
    told.evaluate("""place => {
      window.told = [];
      new MutationObserver(() => window.told.push(place.textContent)).observe(place, { childList: true });
    }""")
    say(page, "387 aloud")
    expect(page.locator(".reply.slow.final")).to_be_visible()
    said = page.evaluate("window.told")
    assert len(said) == 2 and "17,802" in said[-1], "the first word and the result, nothing of the steps"
    page.reload()
    expect(page.locator(".reply.slow.final")).to_be_visible()
    expect(told).to_be_empty()  # what was there before is not read out


def test_what_was_copied_is_told(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, permissions=["clipboard-read", "clipboard-write"])
    answered(page, "hello")
    press(page, page.get_by_role("button", name="Copy this reply"))
    expect(page.locator("#toasts")).to_have_text("Copied.")
