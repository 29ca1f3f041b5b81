"""What a person meets anywhere on the page: other models, what runs elsewhere, files that are pasted, a server away."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Open, Server, shot
from tests.browser.test_page import menu, say

pytestmark = pytest.mark.browser

CARRY = """([kind, name, type]) => {
  const data = new DataTransfer();
  data.items.add(new File(["# Notes"], name, { type }));
  const told = kind === "paste" ? { clipboardData: data } : { dataTransfer: data };
  const Kind = kind === "paste" ? ClipboardEvent : DragEvent;
  document.querySelector("#box textarea").dispatchEvent(new Kind(kind, { ...told, bubbles: true, cancelable: true }));
}"""


def answered(page: Page, text: str, turn: int = 0) -> None:
    say(page, text)
    expect(page.locator("article").nth(turn).locator(".reply.final")).to_contain_text(text)


def test_a_turn_is_answered_again_by_another_model(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "who are you")
    page.get_by_role("button", name="Answer this again with another model").click()
    chosen = page.get_by_role("dialog").get_by_role("combobox")
    expect(chosen.locator("option").first).to_be_attached()
    shot(page, "another-model")
    chosen.select_option(index=0)
    spec = chosen.input_value()
    page.get_by_role("dialog").get_by_role("button", name="Answer").click()
    expect(page.locator(".versions")).to_contain_text("2 / 2")
    expect(page.locator(".reply.final .cost bdi").first).to_have_attribute("title", f"Worded by {spec}")
    page.get_by_role("button", name="The version before").click()
    expect(page.locator(".reply.final .cost bdi")).to_have_count(0)


def test_what_runs_anywhere_is_listed_and_stopped(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 in the first one")
    expect(page.get_by_text("Slow mind is working")).to_be_visible()
    page.locator(".new").click()
    running = page.get_by_role("region", name="Running")
    expect(running.get_by_role("link", name="387 in the first one")).to_be_visible()
    shot(page, "running")
    running.get_by_role("button", name="Stop 387 in the first one").click()
    expect(running).to_be_hidden(timeout=10_000)
    page.locator("#list .entry", has_text="387 in the first one").get_by_role("link").click()
    expect(page.locator(".ended.stopped")).to_be_visible()


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_files_are_pasted_and_dropped(quick: Server, open_page: Open, kind: str) -> None:
    page = open_page(quick.url)
    page.evaluate(CARRY, [kind, f"{kind}.md", "text/markdown"])
    expect(page.locator("#documents")).to_contain_text(f"{kind}.md")
    page.evaluate(CARRY, [kind, "cat.bmp", "image/bmp"])
    expect(page.locator("#toasts")).to_contain_text("cat.bmp cannot be read")
    expect(page.locator("#documents li")).to_have_count(1)


def test_a_server_that_is_away_is_told_and_nothing_typed_is_lost(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url, width=320, height=640)
    answered(page, "before")
    fake.end(kill=True)
    expect(page.get_by_role("alert").filter(has_text="Duet does not answer")).to_be_visible()
    say(page, "in between")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("in between")
    shot(page, "away-tiny")
    page.get_by_role("button", name="Try now").click()
    fake.start()
    expect(page.get_by_role("alert").filter(has_text="Duet does not answer")).to_be_hidden()
    page.get_by_role("textbox", name="Message").press("Enter")
    expect(page.locator("article").nth(1).locator(".reply.final")).to_contain_text("in between")


def test_a_line_that_has_gone_dead_is_told_and_begun_anew(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    answered(page, "still there")
    with fake.silent():
        expect(page.locator("#away")).to_be_visible(timeout=25_000)
    expect(page.locator("#away")).to_be_hidden(timeout=25_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_conversation_is_shared_as_a_file_and_by_a_link(
    quick: Server, open_page: Open, browser: Browser, scheme: Literal["light", "dark"], tmp_path: Path
) -> None:
    page = open_page(quick.url, color_scheme=scheme)
    answered(page, f"shared in the {scheme}")
    say(page, "What is 387 times 46?")
    expect(page.locator(".reply.slow.final")).to_contain_text("17,802")
    menu(page, f"shared in the {scheme}", "Share")
    dialog = page.get_by_role("dialog")
    with page.expect_download() as download:
        dialog.get_by_role("link", name="Download as a file").click()
    download.value.save_as(tmp_path / "talk.html")
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("status").filter(has_text="/shared/")).to_be_visible()
    shot(page, f"share-{scheme}")
    link = dialog.locator("output").inner_text()
    reader = browser.new_context(viewport={"width": 320, "height": 640}, color_scheme=scheme, java_script_enabled=False)
    for address in (link, f"file://{tmp_path / 'talk.html'}"):
        seen = reader.new_page()
        seen.goto(address)
        expect(seen.get_by_role("heading", level=1)).to_have_text(f"shared in the {scheme}")
        expect(seen.locator(".reply.slow.final")).to_contain_text("17,802")
        expect(seen.locator("button, script")).to_have_count(0)
        assert seen.locator("#shell").evaluate("e => getComputedStyle(e).opacity") == "1"
        assert seen.evaluate("document.documentElement.scrollWidth") == 320
        seen.locator(".trace > summary").click()
        expect(seen.locator(".step").first).to_be_visible()
        shot(seen, f"shared-{scheme}")
    dialog.get_by_role("button", name="Take back").click()
    expect(dialog.locator("li")).to_have_count(0)
    gone = reader.new_page()
    assert (answer := gone.goto(link)) and answer.status == 404
    reader.close()


def test_prompts_of_one_s_own_stand_behind_a_slash_and_instructions_are_kept(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "hello there")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_text("Prompts behind /").click()
    for name, text in (("letter", "Write a friendly letter about "), ("list", "Make a list of {{things}}, sorted")):
        page.get_by_role("textbox", name="Name of the prompt").fill(name)
        page.get_by_role("textbox", name="Words of the prompt").fill(text)
        page.locator("#own-prompts").get_by_role("button", name="Keep").click()
        expect(page.locator("#own-prompts li", has_text=name)).to_be_visible()
    page.locator("#instructions summary").click()
    page.get_by_label("For all conversations").fill("Be brief.")
    page.get_by_label("For this conversation").fill("In verse.")
    page.get_by_label("For all conversations").focus()
    expect(page.locator("#toasts")).to_contain_text("Kept.")
    shot(page, "own")
    page.reload()
    page.wait_for_selector("body.ready")
    box = page.get_by_role("textbox", name="Message")
    box.press_sequentially("/l")
    offered = page.get_by_role("listbox", name="Prompts")
    expect(offered.get_by_role("option")).to_have_count(2)
    shot(page, "prompts")
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value("Make a list of {{things}}, sorted")
    page.keyboard.type("films")
    expect(box).to_have_value("Make a list of films, sorted")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
    expect(page.locator("article")).to_have_count(1)
    page.get_by_role("button", name="Settings", exact=True).click()
    page.locator("#instructions summary").click()
    expect(page.get_by_label("For all conversations")).to_have_value("Be brief.")
    expect(page.get_by_label("For this conversation")).to_have_value("In verse.")
    page.get_by_text("Prompts behind /").click()
    page.get_by_role("button", name="Delete /list").click()
    expect(page.locator("#own-prompts li")).to_have_count(1)
    page.get_by_role("button", name="/letter", exact=True).click()
    words = page.get_by_role("textbox", name="Words of the prompt")
    expect(words).to_have_value("Write a friendly letter about")
    words.fill("Write a short letter about")
    page.locator("#own-prompts").get_by_role("button", name="Keep").click()
    expect(words).to_have_value("")
    expect(page.locator("#own-prompts li")).to_have_count(1)
