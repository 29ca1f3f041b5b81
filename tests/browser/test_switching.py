"""Whoever types, clicks and goes elsewhere faster than the server answers: nothing is lost, nothing lands elsewhere."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.browser.conftest import Open, Server
from tests.browser.test_conversations import answered, begun
from tests.browser.test_page import say

pytestmark = pytest.mark.browser
SLOW = 1_000
"""Milliseconds in which an answer is held back."""
UPLOAD = re.compile(r"/gradio_api/upload(\?|$)")
HELD = """([what, lost, slow]) => {
  const real = window.fetch;
  window.fetch = async (where, ...more) => {
    if (where !== `act/${what}`) return real(where, ...more);
    await new Promise((done) => setTimeout(done, slow));
    if (lost) throw new TypeError("lost on its way");
    return real(where, ...more);
  };
}"""


def held(page: Page, what: str, *, lost: bool = False) -> None:
    """What is asked from now on goes late; `lost`: not at all."""
    page.evaluate(HELD, [what, lost, SLOW])


def test_what_is_typed_while_a_conversation_begins_goes_along(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    held(page, "send")
    say(page, "the first of two")
    say(page, "the second of two")
    page.get_by_role("textbox", name="Message").fill("and what is still being typed")
    expect(page.locator("article .said .words")).to_have_text(["the first of two", "the second of two"])
    expect(page.locator("#list .entry", has_text="of two")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("and what is still being typed")


def test_what_is_sent_stood_in_the_box_when_enter_was_pressed(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    box = page.get_by_role("textbox", name="Message")
    box.fill("what was asked")
    box.evaluate("""(area) => {
      const press = { key: "Enter", bubbles: true, cancelable: true };
      area.dispatchEvent(new KeyboardEvent("keydown", press));
      area.value = "typed at once behind it";
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    expect(page.locator("article .said .words")).to_have_text(["what was asked"])
    expect(box).to_have_value("typed at once behind it")


def test_a_file_that_is_attached_while_a_conversation_begins_goes_along(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    held(page, "send")
    say(page, "the first of a file")
    notes: FilePayload = {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Notes\n28 days"}
    page.locator("input[data-testid*=Attach]").set_input_files(notes)
    expect(page.locator("article .said .words")).to_have_text(["the first of a file"])
    expect(page.locator("#documents")).to_contain_text("notes.md")
    expect(page.locator("#list .entry", has_text="of a file")).to_have_count(1)


def test_a_file_that_comes_up_behind_the_first_message_goes_along(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    uploads: list[Route] = []
    page.route(UPLOAD, lambda route: uploads.append(route))
    notes: FilePayload = {"name": "late.md", "mimeType": "text/markdown", "buffer": b"# Notes"}
    with page.expect_request(UPLOAD):
        page.locator("input[data-testid*=Attach]").set_input_files(notes)
    answered(page, "the first before a late file")
    uploads.pop().continue_()
    expect(page.locator("#documents")).to_contain_text("late.md")
    expect(page.locator("article .said .words")).to_have_text(["the first before a late file"])


def test_a_message_waits_for_the_file_that_was_attached_before_it(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    long: FilePayload = {"name": "long.md", "mimeType": "", "buffer": b"word after word\n\n" * 60_000}
    page.locator("input[data-testid*=Attach]").set_input_files(long)
    say(page, "what stands in the long file?")
    expect(page.locator("article .said .words")).to_have_text(["what stands in the long file?"])
    expect(page.locator("#documents")).to_contain_text("long.md")
    expect(page.locator("#list .entry", has_text="long file")).to_have_count(1)
    assert page.locator("#list .entry.here", has_text="New conversation").count() == 0


def test_a_file_that_is_too_large_is_told_and_nothing_else_happens(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    large: FilePayload = {"name": "large.md", "mimeType": "", "buffer": b"x" * (20 * 1024 * 1024 + 1)}
    page.locator("input[data-testid*=Attach]").set_input_files(large)
    expect(page.locator("#toasts")).to_contain_text("large.md is larger than 20 MB")
    say(page, "go on without it")
    expect(page.locator("article .said .words")).to_have_text(["go on without it"])


def test_a_file_of_another_kind_is_told_and_the_others_are_attached(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    files: list[FilePayload] = [{"name": name, "mimeType": "", "buffer": b"notes"} for name in ("own.exe", "own.txt")]
    page.locator("input[data-testid*=Attach]").set_input_files(files)
    expect(page.locator("#toasts")).to_contain_text("own.exe cannot be read")
    expect(page.locator("#documents")).to_contain_text("own.txt")


def test_an_upload_that_is_refused_is_told(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    page.route(UPLOAD, lambda route: route.fulfill(status=413, body="The request is larger than 64 MB."))
    notes: FilePayload = {"name": "much.md", "mimeType": "", "buffer": b"# Notes"}
    page.locator("input[data-testid*=Attach]").set_input_files(notes)
    expect(page.locator("#toasts")).to_contain_text("That could not be uploaded")


def test_instructions_are_kept_for_the_conversation_in_which_they_were_typed(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "where the cello is")
    begun(page, "where the flute is")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.locator("#instructions summary").click()
    page.get_by_label("For this conversation").fill("Only for the flute.")
    page.evaluate("history.go(-2)")
    expect(page.locator("article .said .words")).to_have_text(["where the cello is"])
    expect(page.get_by_label("For this conversation")).to_have_value("")
    page.evaluate("history.go(2)")
    expect(page.get_by_label("For this conversation")).to_have_value("Only for the flute.")


def test_escape_in_a_search_stops_nothing(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 please")
    page.get_by_role("button", name="Pause").click()
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("violins")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("textbox", name="Message").press("Escape")
    expect(page.locator(".ended.stopped")).to_be_visible()


HIDES = """(hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_tabs_that_nobody_sees_take_no_connection_from_the_others(quick: Server, open_page: Open) -> None:
    """Chromium has six of them to a server."""
    first = open_page(quick.url)
    begun(first, "the first of eight tabs")
    for _ in range(7):
        tab = first.context.new_page()
        tab.goto(quick.url)
        tab.wait_for_selector("body.ready")
        tab.evaluate(HIDES, True)
    first.evaluate(HIDES, True)
    last = first.context.new_page()
    last.goto(quick.url)
    last.wait_for_selector("body.ready")
    begun(last, "the ninth tab")
    last.evaluate(HIDES, True)
    first.evaluate(HIDES, False)
    begun(first, "and the first again")


def test_who_goes_elsewhere_is_not_taken_back(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "stay with the violins")
    begun(page, "stay with the drums")
    held(page, "send")
    say(page, "more drums")
    page.locator("#list a", has_text="violins").first.click()
    page.wait_for_timeout(2 * SLOW)
    expect(page.locator("article .said .words")).to_have_text(["stay with the violins"])


def test_nothing_of_one_conversation_stands_in_the_next(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "an apple pie")
    begun(page, "a plum cake")
    page.locator("article").hover()
    page.get_by_role("button", name="Edit this message").click()
    page.get_by_role("textbox", name="Edit your message").fill("a plum cake without plums")
    page.locator("#list a", has_text="an apple pie").first.click()
    expect(page.locator("article .said .words")).to_have_text(["an apple pie"])
    expect(page.locator("article .editing")).to_have_count(0)


def test_what_could_not_be_sent_is_given_back(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "a letter to my aunt")
    held(page, "send", lost=True)
    say(page, "Dear aunt,")
    page.get_by_role("textbox", name="Message").fill("how are you?")
    expect(page.locator("#toasts")).to_contain_text("did not reach Duet")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("Dear aunt,\nhow are you?")
    held(page, "edit", lost=True)
    page.locator("article").hover()
    page.get_by_role("button", name="Edit this message").click()
    edited = page.get_by_role("textbox", name="Edit your message")
    edited.fill("a letter to my uncle")
    edited.press("Enter")
    page.wait_for_timeout(2 * SLOW)
    expect(edited).to_have_value("a letter to my uncle")


def test_taking_a_turn_back_keeps_what_is_typed(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "a poem of spring")
    page.get_by_role("textbox", name="Message").fill("shorter, please")
    page.locator("article").hover()
    page.get_by_role("button", name="Take this turn back").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("a poem of spring\nshorter, please")


def test_the_way_back_does_not_end_at_a_deleted_conversation(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "one that stays")
    stays = page.url
    page.goto(f"{quick.url.rstrip('/')}/?c=deleted-long-ago")
    page.wait_for_url(lambda url: "c=" not in url)
    page.go_back()
    assert page.url == stays
