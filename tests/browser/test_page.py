"""The page in a real Chromium, before minds that follow a script: everything a person can do with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open, Server, shot

pytestmark = pytest.mark.browser

EVIL = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'> [x](javascript:window.hacked=1)"


def say(page: Page, text: str, *, tap: bool = False) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    page.get_by_role("button", name="Send").tap() if tap else box.press("Enter")


def menu(page: Page, title: str, item: str) -> None:
    entry = page.locator("#list .entry", has_text=title)
    entry.hover()
    entry.locator("summary").click()
    entry.get_by_role("menuitem", name=item).click()


def test_a_slow_turn_survives_a_reload_and_a_second_tab(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    expect(page.get_by_text("Two minds, one conversation")).to_be_visible()
    say(page, "What is 387 times 46?")
    expect(page.locator(".reply.fast.interim")).to_contain_text("one moment")
    expect(page.locator(".trace .step.done").first).to_contain_text("387 * 46")
    expect(page.get_by_text("Slow mind is working")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_editable()
    page.reload()
    other = open_page(page.url)
    for tab in (page, other):
        expect(tab.locator(".reply.slow.final")).to_contain_text("17,802")
        expect(tab.locator(".trace .step.done")).to_have_count(2)
        expect(tab.locator("#state [data-do=stop]")).to_have_count(0)
    assert "c=" in page.url


def _slowly_made(page: Page, url: str) -> None:
    """The page as it stands while it is still made."""

    def late(route: Route) -> None:
        page.wait_for_timeout(700)
        route.continue_()

    page.route("**/own", late)
    page.goto(url)
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    expect(page.locator("body")).not_to_have_class("ready")


@pytest.mark.parametrize("way", ["Enter", "click"])
def test_what_is_sent_before_the_page_is_made_goes_then(quick: Server, open_page: Open, way: str) -> None:
    page = open_page(quick.url)
    page.get_by_role("textbox", name="Message").fill("a draft of before")
    _slowly_made(page, quick.url)
    page.get_by_role("textbox", name="Message").fill("hello")
    if way == "Enter":
        page.get_by_role("textbox", name="Message").press("Enter")
    else:
        page.locator("#box .submit-button").click()
    expect(page.locator(".said")).to_have_text("hello")
    expect(page.locator(".reply.final")).to_have_count(1)


def test_what_is_typed_before_the_page_is_made_stays_and_an_empty_enter_sends_nothing(
    quick: Server, open_page: Open
) -> None:
    page = open_page(quick.url)
    _slowly_made(page, f"{quick.url}?say=never")
    page.get_by_role("textbox", name="Message").press("Enter")
    page.get_by_role("textbox", name="Message").fill("half a")
    expect(page.locator("body")).to_have_class("ready")
    expect(page.get_by_role("textbox", name="Message")).to_have_value(re.compile("half a"))
    page.wait_for_timeout(500)
    expect(page.locator(".reply")).to_have_count(0)


def test_badges_and_cost(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "What is 387 times 46?")
    expect(page.locator(".reply.final .badge")).to_contain_text("slow")
    expect(page.locator(".reply.interim .badge")).to_contain_text("interim")
    expect(page.locator(".trace > summary .cost")).to_contain_text("2 steps")
    page.locator(".trace > summary").click()
    expect(page.locator(".step .cost").first).to_have_text("1.9 s · 231 tokens")
    say(page, "hello")
    expect(page.locator("article").nth(1).locator(".reply.final .badge")).to_contain_text("fast")


def test_the_trace_stays_as_the_person_left_it(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 again")
    expect(page.locator(".step.done").first).to_be_visible()
    page.locator(".trace > summary").click()
    expect(page.locator(".step.done").first).to_be_hidden()
    expect(page.locator(".trace > summary .cost")).to_contain_text("2 steps")
    expect(page.locator(".step.done").first).to_be_hidden()


def test_stop_pause_and_resume(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 please")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("The slow mind is paused")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Slow mind is working")).to_be_visible()
    page.get_by_role("textbox", name="Message").press("Escape")
    expect(page.locator(".ended.stopped")).to_be_visible()
    expect(page.locator(".reply.final")).to_have_count(0)
    page.locator(".ended").get_by_role("button", name="Answer this again", exact=True).click()
    expect(page.locator(".reply.slow.final")).to_contain_text("17,802")


def test_edit_retry_and_undo(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    for number, text in enumerate(("first thing", "second thing")):
        say(page, text)
        expect(page.locator("article").nth(number).locator(".reply.final")).to_contain_text(text)
    page.locator("article").first.hover()
    page.locator("article").first.get_by_role("button", name="Edit this message").click()
    area = page.get_by_role("textbox", name="Edit your message")
    expect(area).to_have_value("first thing")
    area.fill("another thing")
    area.press("Enter")
    expect(page.locator("article")).to_have_count(1)
    expect(page.locator(".reply.final")).to_contain_text("You said: another thing")
    page.get_by_role("button", name="Answer this again", exact=True).click()
    expect(page.locator(".versions")).to_contain_text("3 / 3")
    expect(page.locator(".reply.final")).to_contain_text("You said: another thing")
    page.get_by_role("button", name="Take this turn back").click()
    expect(page.locator("article")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("another thing")


def test_arrows_lead_between_the_versions_of_a_turn(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, height=360)
    for number, text in enumerate(("first thing", "second thing")):
        say(page, text)
        expect(page.locator("article").nth(number).locator(".reply.final")).to_contain_text(text)
    page.locator("article").first.hover()
    page.locator("article").first.get_by_role("button", name="Edit this message").click()
    expect(page.locator("#down")).to_be_visible()
    page.get_by_role("textbox", name="Edit your message").fill("another thing")
    page.keyboard.press("Enter")
    expect(page.locator("#down")).to_be_hidden()  # nothing lies below any more
    versions = page.get_by_role("group", name="Versions of this turn")
    expect(versions).to_contain_text("2 / 2")
    expect(versions.get_by_role("button", name="The next version")).to_be_disabled()
    expect(page.locator(".reply.final")).to_contain_text("another thing")
    shot(page, "versions")
    versions.get_by_role("button", name="The version before").click()
    expect(page.locator("article .said .words")).to_have_text(["first thing", "second thing"])
    page.reload()
    expect(versions).to_contain_text("1 / 2")
    expect(page.locator("article .said .words")).to_have_text(["first thing", "second thing"])
    versions.get_by_role("button", name="The next version").click()
    expect(page.locator("article .said .words")).to_have_text(["another thing"])


def test_an_edit_can_be_given_up(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "keep me")
    expect(page.locator(".reply.final")).to_be_visible()
    page.get_by_role("button", name="Edit this message").click()
    page.get_by_role("textbox", name="Edit your message").press("Escape")
    expect(page.locator(".said .words")).to_have_text("keep me")


def test_thumbs_survive_a_reload(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "rate me")
    page.get_by_role("button", name="Good reply").click()
    expect(page.get_by_role("button", name="Good reply")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="Good reply")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Bad reply").click()
    expect(page.get_by_role("button", name="Bad reply")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Good reply")).to_have_attribute("aria-pressed", "false")


def test_conversations_are_found_renamed_exported_imported_and_deleted(
    fake: Server, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(fake.url)
    say(page, "a word about zebras")
    expect(page.locator(".reply.final")).to_be_visible()
    menu(page, "zebras", "Rename")
    page.get_by_role("dialog").get_by_role("textbox").fill("Stripes")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_have_text("Stripes")
    page.get_by_role("searchbox", name="Search conversations").fill("zebras")
    expect(page.locator("#list .entry")).to_have_count(1)
    expect(page.locator("#list .entry")).to_contain_text("Stripes")
    for item, ending in (("Export Markdown", ".md"), ("Export JSON", ".json")):
        with page.expect_download() as download:
            menu(page, "Stripes", item)
        assert download.value.suggested_filename == f"Stripes{ending}"
        download.value.save_as(tmp_path / f"export{ending}")
    assert "You said: a word about zebras" in (tmp_path / "export.md").read_text()
    assert json.loads((tmp_path / "export.json").read_text())
    page.locator("input[data-testid*=Import]").set_input_files(tmp_path / "export.json")
    expect(page.locator("#list .entry")).to_have_count(2)
    menu_entry = page.locator("#list .entry a[aria-current]").locator("..")
    menu_entry.hover()
    menu_entry.locator("summary").click()
    menu_entry.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator("#list .entry")).to_have_count(2)
    menu_entry.hover()
    menu_entry.locator("summary").click()
    menu_entry.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#list .entry")).to_have_count(1)
    expect(page.get_by_text("Two minds, one conversation")).to_be_visible()


def test_documents_are_listed_and_removed(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    upload = page.locator("input[data-testid*=Attach]")
    upload.set_input_files({"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Notes\n28 days"})
    expect(page.locator("#documents")).to_contain_text("notes.md")
    upload.set_input_files({"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"not a pdf"})
    expect(page.locator("#toasts")).to_contain_text("broken.pdf cannot be read")
    page.get_by_role("button", name="Remove notes.md").click()
    expect(page.locator("#documents li")).to_have_count(0)


def test_settings_belong_to_the_conversation(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "hello")
    expect(page.locator(".reply.final")).to_be_visible()
    page.get_by_role("button", name="Settings", exact=True).click()
    slow = page.get_by_label("Slow mind The model that")
    slow.fill("nonsense:model")
    page.get_by_role("button", name="Save for this conversation").click()
    expect(page.locator("#options-fault")).to_be_visible()
    slow.fill("embedded:1.5b")
    page.get_by_label("Memory").uncheck()
    length = page.get_by_label("Longest reply")
    length.fill("300")
    page.get_by_role("button", name="Save for this conversation").click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    expect(page.locator("#options-fault")).to_be_hidden()
    length.scroll_into_view_if_needed()
    shot(page, "settings")
    page.reload()
    page.get_by_role("button", name="Settings", exact=True).click()
    expect(slow).to_have_value("embedded:1.5b")
    expect(length).to_have_value("300")
    expect(page.get_by_label("Memory")).not_to_be_checked()
    page.locator(".new").click()
    expect(slow).to_have_value("embedded")
    expect(page.get_by_label("Memory")).to_be_checked()


def test_markup_and_scripts_are_text(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, EVIL)
    expect(page.locator(".said .words")).to_have_text(EVIL)
    expect(page.locator(".reply.final .prose")).to_contain_text("<script>window.hacked=1</script>")
    expect(page.locator("#title")).to_contain_text("<script>")
    expect(page.locator("#turns script, #turns img, #list script, #list img, #turns a[href^=java]")).to_have_count(0)
    menu(page, "window.hacked", "Delete")
    expect(page.get_by_role("dialog")).to_contain_text("<script>")
    page.keyboard.press("Escape")
    assert page.evaluate("window.hacked") is None


def test_a_very_long_message_and_an_empty_one(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "   ")
    expect(page.locator("article")).to_have_count(0)
    page.get_by_role("textbox", name="Message").fill("x" * 100_000)
    page.get_by_role("textbox", name="Message").press("Enter")
    page.get_by_role("button", name="Show all").click()
    assert page.locator(".said .words").evaluate("e => e.textContent.length") == 100_000
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_unknown_conversation_says_so_and_the_page_works(fake: Server, open_page: Open) -> None:
    page = open_page(f"{fake.url}?c=nowhere")
    expect(page.locator("#toasts")).to_contain_text("There is no conversation")
    say(page, "hello")
    expect(page.locator(".reply.final")).to_contain_text("You said: hello")


def test_words_not_yet_sent_survive_a_reload(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.locator(".new").click()
    page.get_by_role("textbox", name="Message").fill("half a thou")
    page.reload()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("half a thou")


def test_words_not_yet_sent_are_shown_to_nobody_else(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    box = page.get_by_role("textbox", name="Message")
    box.fill("for my doctor")
    page.route(re.compile(r"/own$"), lambda route: route.fulfill(json={"name": "eve"}))
    page.reload()
    page.wait_for_selector("body.ready")
    expect(box).to_have_value("")
    page.unroute_all()
    page.reload()
    expect(box).to_have_value("for my doctor")


def test_a_question_of_a_link_is_put_before_words_not_yet_sent(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.get_by_role("textbox", name="Message").fill("half a thought")
    page.goto(f"{fake.url}?say=and+a+question")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("and a question\nhalf a thought")


def test_back_and_forward_lead_through_conversations(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "the first one")
    expect(page.locator(".reply.final")).to_be_visible()
    page.locator(".new").click()
    expect(page.locator("article")).to_have_count(0)
    page.go_back()
    expect(page.locator(".said .words")).to_have_text("the first one")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_sees_it_all(fake: Server, open_page: Open, scheme: str) -> None:
    page = open_page(fake.url, width=375, height=720, color_scheme=scheme, has_touch=True)
    assert page.evaluate("document.body.classList.contains('dark')") is (scheme == "dark")
    say(page, "What is 387 times 46? " + "averyveryverylongword" * 9, tap=True)
    expect(page.locator(".reply.slow.final")).to_contain_text("17,802")
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert page.evaluate("document.querySelector('#thread').scrollWidth <= 375")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    page.get_by_role("button", name="Conversations", exact=True).click()
    expect(page.get_by_role("navigation", name="Conversations")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_hidden()
    ink, paper = page.evaluate(
        "[getComputedStyle(document.querySelector('.prose')).color, getComputedStyle(document.body).backgroundColor]"
    )
    dark = sum(map(int, paper[4:-1].split(","))) < sum(map(int, ink[4:-1].split(",")))
    assert dark is (scheme == "dark")


def test_light_and_dark_are_kept(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url, color_scheme="light")
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("document.body.classList.contains('dark')")
    page.reload()
    page.wait_for_selector("body.ready.dark")


def test_the_keyboard_is_enough(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.get_by_text("Two minds, one conversation").click()
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.type("first line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second line")
    page.keyboard.press("Enter")
    expect(page.locator(".said .words")).to_have_text("first line\nsecond line")
    expect(page.locator(".reply.final")).to_be_visible()
    reached = set()
    page.locator(".brand").focus()
    for _ in range(150):  # the list of conversations takes two stops each
        if "attach" in reached:
            break
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.dataset.do || document.activeElement.id || document.activeElement.tagName"
            )
        )
    assert {"new", "find", "side", "theme", "settings", "edit", "undo", "feedback", "retry", "attach"} <= reached
    outline = page.get_by_role("button", name="Good reply")
    outline.focus()
    assert outline.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_an_example_fills_the_box(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.get_by_role("button", name="What is 387 times 46?").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("What is 387 times 46?")


def test_a_restart_of_the_server_is_bridged(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "before the crash")
    expect(page.locator(".reply.final")).to_be_visible()
    fake.end(kill=True)
    expect(page.locator("body.offline")).to_be_attached()
    say(page, "in between")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("in between")
    fake.start()
    expect(page.locator("body.offline")).to_have_count(0)
    page.wait_for_timeout(2000)  # Gradio may load the page again once the server is back
    expect(page.get_by_role("textbox", name="Message")).to_have_value("in between")
    page.get_by_role("textbox", name="Message").press("Enter")
    expect(page.locator("article")).to_have_count(2)
    expect(page.locator("article").nth(1).locator(".reply.final")).to_contain_text("in between")


def test_a_temporary_conversation_says_so_and_still_offers_what_to_begin_with(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.get_by_role("button", name="Temporary conversation").click()
    expect(page.get_by_role("region", name="Temporary conversation")).to_contain_text("deleted a day after")
    expect(page.locator("#desk")).to_be_hidden()
    page.get_by_role("button", name="Aldermere Homes").click()
    expect(page.locator("#desk .greeting")).to_contain_text("this is Aldermere Homes")
    expect(page.locator("#temporary")).to_be_visible()


def test_a_desk_is_chosen_on_the_first_page_and_in_the_settings(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    page.get_by_role("button", name="Aldermere Homes").click()
    expect(page.locator("#desk .greeting")).to_contain_text("this is Aldermere Homes")
    expect(page.locator("#welcome")).to_be_hidden()
    say(page, "good morning")
    expect(page.locator(".reply.final")).to_contain_text("good morning")
    page.reload()
    expect(page.locator("#desk")).to_contain_text("Aldermere Homes")
    page.get_by_role("button", name="Settings", exact=True).click()
    chosen = page.get_by_role("listbox", name="Whose desk").or_(page.get_by_label("Whose desk")).first
    expect(chosen).to_have_value("Aldermere Homes (housing)")
    chosen.click()
    page.get_by_role("option", name="Aldermere Town Library").click()
    page.get_by_role("button", name="Save for this conversation").click()
    expect(page.locator("#desk")).to_contain_text("town library")
