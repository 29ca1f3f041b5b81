"""The memory page in a real Chromium, before the real server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open, Server, running, shot
from tests.browser.test_page import say
from tests.chat.ui.notes import fill

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With 200 notes."""
    home = tmp_path_factory.mktemp("home")
    fill(home, 200)
    yield from running(_server(home))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With 10,000 notes."""
    home = tmp_path_factory.mktemp("home")
    fill(home, 10_000)
    yield from running(_server(home))


def _server(home: Path) -> Server:
    return Server(lambda port: [sys.executable, "-m", "tests.chat.ui.strong", str(port), str(home)], {})


def about(page: Page, text: str) -> None:
    expect(page.locator("#about")).to_contain_text(text)


def forget_listed(page: Page, button: str, asks: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator("dialog")).to_contain_text(asks)
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("dialog")).to_have_count(0)


def test_what_is_forgotten_is_what_the_filters_show_and_it_comes_back(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory")
    about(page, "200 notes")
    page.get_by_label("Kind").select_option("turn")
    page.get_by_label("Search").fill("piano")
    about(page, "40 of 200 notes")
    page.get_by_label("To").fill("2026-09-11")
    about(page, "20 of 200 notes")
    shot(page, "memory-forget")
    forget_listed(page, "Forget these 20 notes", "20 notes will be deleted for good.")
    about(page, "0 of 180 notes")
    page.get_by_role("button", name="Undo").click()
    about(page, "20 of 200 notes")


def test_more_pages_than_one_are_forgotten_and_no_filter_means_everything(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory")
    page.get_by_label("Kind").select_option("turn")
    about(page, "160 of 200 notes")
    expect(page.locator("article")).to_have_count(50)
    forget_listed(page, "Forget these 160 notes", "160 notes will be deleted for good.")
    about(page, "0 of 40 notes")
    page.get_by_role("button", name="Undo").click()
    about(page, "160 of 200 notes")
    page.get_by_label("Kind").select_option("")
    expect(page.get_by_role("button", name="Forget everything")).to_be_visible()
    page.get_by_role("button", name="Forget everything").click()
    expect(page.locator("dialog")).to_contain_text("200 notes will be deleted for good.")
    page.get_by_role("button", name="Cancel").click()
    about(page, "200 notes")


def test_by_the_keyboard_the_focus_stays_with_the_note(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory")
    note = page.locator("article").nth(2)
    for button in ("Pin", "Unpin", "That’s wrong", "Bring back"):
        note.get_by_role("button", name=button, exact=True).focus()
        page.keyboard.press("Enter")
        expect(note.get_by_role("button", name=button, exact=True)).to_be_hidden()
        expect(note.locator("button:focus")).to_have_count(1)
    note.get_by_role("button", name="Edit").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(note.get_by_role("button", name="Edit")).to_be_focused()


def test_beside_one_note_that_was_opened_the_others_stay(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory?note=s1:1:found")
    expect(page.locator("article")).to_have_count(1)
    forget_listed(page, "Forget this note", "1 note will be deleted for good.")
    about(page, "199 notes")
    page.get_by_role("button", name="Undo").click()
    about(page, "200 notes")


def test_what_is_imported_says_so_until_it_is_confirmed(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory")
    row = {
        "id": "x",
        "kind": "result",
        "text": "Is the earth flat?",
        "at": 1,
        "answer": "Yes.",
        "about": {"strength": "1"},
    }
    for notes, says in ((["x"], "`notes[0]`"), ([row], "1 of 1 note was new.")):
        text = json.dumps({"format": "duet-memory-1", "notes": notes})
        page.locator("#import").set_input_files({"name": "notes.json", "mimeType": "", "buffer": text.encode()})
        expect(page.locator("#said")).to_contain_text(says)
    page.get_by_label("Search").fill("flat")
    note = page.locator("article")
    expect(note).to_have_count(1)
    expect(note).to_contain_text("not confirmed")
    shot(page, "memory-imported")
    note.get_by_role("button", name="That’s right").click()
    expect(note).not_to_contain_text("not confirmed")


def test_more_of_the_list_before_does_not_take_the_place_of_what_is_looked_for(full: Server, open_page: Open) -> None:
    page = open_page(f"{full.url}memory")
    about(page, "10,000 notes")
    late: list[Route] = []
    page.route("**/memory/list", lambda route: route.continue_() if late else late.append(route))
    with page.expect_request("**/memory/list"):
        page.get_by_label("Kind").select_option("fact")
    with page.expect_response("**/memory/list"):
        page.get_by_role("button", name="Show more").click()
    expect(page.locator("article").nth(99)).to_be_attached()
    late.pop().continue_()
    expect(page.locator("article .kind", has_text="said")).to_have_count(0)
    about(page, " of 10,000 notes")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (375, 700)], ids=["wide", "narrow"])
def test_ten_thousand_notes(full: Server, open_page: Open, width: int, height: int) -> None:
    page = open_page(f"{full.url}memory", width=width, height=height)
    about(page, "10,000 notes")
    shot(page, f"memory-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for shown in (100, 150):  # more come as one scrolls
        page.mouse.wheel(0, 100_000)
        expect(page.locator("article").nth(shown - 1)).to_be_attached()
    page.get_by_label("Kind").select_option("fact")
    page.get_by_label("Current or former").select_option("former")
    about(page, "500 of 10,000 notes")
    page.get_by_label("Search").fill("boat")
    expect(page.get_by_text("Nothing is kept that fits.")).to_be_visible()
    page.get_by_label("Search").fill("tea")
    about(page, "500 of 10,000 notes")
    shot(page, f"memory-{width}-former")


def test_an_edit_is_undone(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory?note=s1:1:found")
    note = page.locator("article")
    note.get_by_role("button", name="Edit").click()
    note.get_by_label("Answer").fill("43")
    note.get_by_role("button", name="Save").click()
    expect(note.locator(".answer")).to_have_text("43")
    page.get_by_role("button", name="Undo").click()
    expect(note.locator(".answer")).to_have_text("42")


def test_of_a_fact_its_value_is_edited(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory?note=s1:6:fact0")
    note = page.locator("article")
    note.get_by_role("button", name="Edit").click()
    box = note.get_by_label("The text")
    expect(box).to_have_value("tea with Ben")
    box.press("Escape")
    note.get_by_role("button", name="Edit").click()
    box.fill("coffee")
    note.get_by_role("button", name="Save").click()
    expect(note.locator("p.text")).to_have_text("user, likes: coffee")
    page.get_by_role("button", name="Undo").click()
    expect(note.locator("p.text")).to_have_text("I like tea with Ben")


def test_a_reply_names_its_note_which_leads_to_the_turn_where_it_was_said(kept: Server, open_page: Open) -> None:
    page = open_page(kept.url)
    say(page, "My dog is called Rex")
    expect(page.locator(".reply.final")).to_have_count(1)
    page.locator(".new").first.click()
    say(page, "what is my dog called")
    rests = page.locator(".reply.final .badge a.rests")
    expect(rests).to_have_text("from memory")
    shot(page, "memory-badge")
    page.goto(rests.evaluate("link => link.href"))
    note = page.locator("article")
    expect(note.locator("p.text")).to_have_text("My dog is called Rex")
    shot(page, "memory-note")
    note.get_by_role("link", name="To the turn that it comes from").click()
    expect(page.locator('#turns > [data-turn="1"]')).to_contain_text("My dog is called Rex")
    expect(page.locator('#turns > [data-turn="1"]')).to_be_focused()


def test_it_is_turned_off_and_on(kept: Server, open_page: Open) -> None:
    page = open_page(f"{kept.url}memory")
    power = page.get_by_role("switch", name="Memory")
    expect(power).to_be_checked()
    power.click()
    expect(page.locator("#said")).to_contain_text("Memory is off")
    page.reload()
    expect(power).not_to_be_checked()
    shot(page, "memory-off")
    page.goto(kept.url)
    say(page, "what is my dog called")
    expect(page.locator(".reply.final")).to_contain_text("I do not know your dog.")
    page.goto(f"{kept.url}memory")
    power.click()
    expect(power).to_be_checked()
