"""The list of conversations in a real Chromium: arranged, searched, and long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server, running, scripted, shot
from tests.browser.test_page import menu, say
from tests.chat.ui.many import LONG, fill

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With 5,000 conversations, and one of 2,000 turns."""
    home = tmp_path_factory.mktemp("home")
    fill(home, many=5_000, turns=2_000)
    yield from running(scripted(str(home), 0.05))


def answered(page: Page, text: str, turn: int = 0) -> None:
    say(page, text)
    expect(page.locator("article").nth(turn).locator(".reply.final")).to_contain_text(text)


def begun(page: Page, text: str) -> None:
    page.locator(".new").click()
    answered(page, text)


def test_conversations_are_pinned_filed_and_archived(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    for text in ("a boat trip", "my tax papers", "an old joke"):
        begun(page, text)
    menu(page, "a boat trip", "Pin")
    expect(page.locator("#list h3").first).to_have_text("Pinned")
    expect(page.locator("#list .entry").first).to_contain_text("a boat trip")
    menu(page, "my tax papers", "Move to a folder")
    page.get_by_role("dialog").get_by_label("Move to a folder").fill("Papers")
    page.keyboard.press("Enter")
    folder = page.locator("#list .folder", has_text="Papers")
    expect(folder.locator(".entry > a")).to_have_text(["my tax papers"])
    menu(page, "an old joke", "Archive")
    expect(page.locator("#list > .entry", has_text="an old joke")).to_have_count(0)
    archive = page.locator("#list .folder", has_text="Archived")
    archive.locator("summary").first.click()
    expect(archive.locator(".entry", has_text="an old joke")).to_be_visible()
    shot(page, "conversations")
    folder.locator("summary").first.click()
    page.wait_for_function("() => !localStorage['duet-folders'].includes('Papers')")  # told in an event of its own
    page.reload()
    expect(archive.locator(".entry", has_text="an old joke")).to_be_visible()
    expect(folder.locator(".entry")).to_have_count(0)
    menu(page, "an old joke", "Take out of the archive")
    expect(page.locator("#list > .entry", has_text="an old joke")).to_be_visible()
    folder.locator("summary").first.click()
    menu(page, "my tax papers", "Move to a folder")
    page.get_by_role("dialog").get_by_label("Move to a folder").fill("")
    page.keyboard.press("Enter")
    expect(folder).to_have_count(0)


def test_a_hit_is_shown_in_its_place(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "let us talk of giraffes")
    for turn in range(1, 8):
        answered(page, f"and of other things {turn}", turn)
    page.get_by_role("searchbox", name="Search conversations").fill("giraff")
    hit = page.locator("#list .hit").last
    expect(hit.locator("mark")).to_have_text("giraff")
    shot(page, "search")
    hit.click()
    expect(page.locator("article").first.locator(".said .words")).to_be_in_viewport()
    assert page.evaluate("CSS.highlights.get('hit').size") == 2
    expect(page.locator("article").first).to_be_focused()
    page.get_by_role("searchbox", name="Search conversations").fill("no such words")
    expect(page.locator("#list")).to_contain_text("No conversation holds these words.")


def test_all_are_deleted_once_it_was_asked(tmp_path: Path, open_page: Open) -> None:
    for server in running(scripted(str(tmp_path), 0.05)):
        page = open_page(server.url)
        begun(page, "hello there")
        begun(page, "and hello again")
        expect(page.locator("#list .entry")).to_have_count(2)
        page.get_by_role("button", name="Settings", exact=True).click()
        for answer in ("Cancel", "Delete"):
            page.get_by_role("button", name="Delete all conversations").click()
            dialog = page.get_by_role("dialog", name="Delete 2 conversations?")
            expect(dialog).to_contain_text("Pinned and archived ones too.")
            shot(page, "delete-all")
            dialog.get_by_role("button", name=answer, exact=True).click()
            expect(dialog).to_have_count(0)
        expect(page.locator("#list .entry")).to_have_count(0)
        expect(page.locator("#toasts")).to_contain_text("2 conversations deleted.")
        expect(page.locator("#welcome")).to_be_visible()


def test_five_thousand_conversations_come_bit_by_bit(full: Server, open_page: Open) -> None:
    page = open_page(full.url)
    expect(page.locator("#list .entry").nth(50)).to_be_attached()
    first = page.locator("#list .entry").count()
    assert first < 200
    page.locator("#list .more").scroll_into_view_if_needed()
    expect(page.locator("#list .entry").nth(first)).to_be_attached()
    page.get_by_role("searchbox", name="Search conversations").fill("Conversation 1717 ")
    expect(page.locator("#list .entry").first).to_contain_text("Conversation 1717 ")


def test_a_conversation_of_two_thousand_turns_begins_at_its_end(full: Server, open_page: Open) -> None:
    page = open_page(full.url)
    last = page.locator("#list .entry").nth(10)
    last.locator("summary").evaluate("one => one.scrollIntoView(false)")
    last.hover()
    last.locator("summary").click()
    expect(last.get_by_role("menuitem", name="Delete")).to_be_in_viewport()
    for key, item in (("ArrowDown", "Rename"), ("ArrowDown", "Pin"), ("ArrowUp", "Rename"), ("ArrowUp", "Delete")):
        page.keyboard.press(key)
        expect(last.get_by_role("menuitem", name=item)).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("#list .entry", has_text=LONG).get_by_role("link").click()
    expect(page.locator("article").last.locator(".said")).to_be_in_viewport()
    assert page.locator("article").count() == 60
    page.evaluate("document.querySelector('#thread').scrollTop = 0")
    expect(page.locator("article")).to_have_count(120)
    expect(page.locator('article[data-turn="1941"]')).to_be_in_viewport()
    page.get_by_role("searchbox", name="Search conversations").fill("the very first words")
    page.locator("#list .hit").last.click()
    expect(page.locator('article[data-turn="1"] .said')).to_be_in_viewport(timeout=30_000)
    assert page.locator("article").count() == 60, "those around it, however far back it lies"
    shot(page, "long")
    page.get_by_role("button", name="Show later (1,940)").scroll_into_view_if_needed()
    expect(page.locator("article")).to_have_count(180)
    expect(page.locator('article[data-turn="60"]')).to_be_in_viewport()
    page.get_by_role("button", name="Newest").click()
    expect(page.locator('article[data-turn="2000"] .reply')).to_be_in_viewport(timeout=30_000)
    expect(page.locator("#later")).to_be_hidden()
