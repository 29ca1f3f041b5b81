"""What strong models write and what a turn says of itself, on the page in a real Chromium."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server, shot
from tests.browser.test_accessible import faults
from tests.browser.test_page import say

pytestmark = pytest.mark.browser

SOON = 0.1
"""Seconds from a piece's emission to its place on the page."""

WATCH = """() => {
  window.arrivals = [];
  const known = new Set();
  new MutationObserver(() => {
    for (const [at] of document.querySelector("#turns").textContent.matchAll(/\\d{10}\\.\\d+/g))
      if (!known.has(at)) known.add(at), window.arrivals.push(Date.now() / 1000 - Number(at));
  }).observe(document.querySelector("#turns"), { subtree: true, childList: true, characterData: true });
}"""
"""The fake mind says the time (NOW); this takes down how old it is when it stands on the page."""


def answered(page: Page, text: str, turn: int = 0) -> None:
    say(page, text)
    expect(page.locator("article").nth(turn).locator(".reply.final")).to_be_visible()


def test_tables_code_and_formulas_are_drawn(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "everything please")
    reply = page.locator(".reply.final .prose")
    expect(reply.locator("table tbody tr")).to_have_count(3)
    expect(reply.locator("math")).to_have_count(8)
    expect(reply.locator("code.tex")).to_have_count(0)
    expect(reply.locator(".code").first.locator("code")).to_contain_text("costs $5 and <b>no</b> \\(maths\\).")
    assert reply.locator(".code .k").first.evaluate("e => getComputedStyle(e).color") != reply.evaluate(
        "e => getComputedStyle(e).color"
    )
    expect(reply.locator("blockquote")).to_contain_text("$5 and not $10")
    expect(page.locator(".reply.final .badge")).to_contain_text("gpt-4.1 · 0.8 s · 41 tokens · 1 call")
    assert reply.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_on_a_telephone_no_word_of_a_table_is_broken_and_the_model_has_its_name(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, width=320)
    answered(page, "everything please, in this rather long first message of a conversation")
    row = page.locator(".reply.final tbody tr").first
    row.evaluate("one => { for (const cell of one.cells) cell.textContent = 'Incomprehensibilities'; }")
    assert row.evaluate("one => one.clientHeight < 60"), "one line: what is too wide is scrolled"
    page.locator("#health").evaluate("one => one.remove()")  # it tells more here than of real minds
    assert page.locator("#minds b").first.evaluate("one => one.clientWidth") > 30


def test_a_reply_is_well_formed_while_it_comes(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "everything please")
    expect(page.locator(".reply.pending table tbody tr").first).to_be_visible()
    expect(page.locator(".reply.pending .code .k").first).to_be_visible()
    assert page.locator(".reply.pending math").count() >= 4
    page.get_by_role("button", name="Stop (Esc)").click()


def test_a_reply_and_its_code_are_copied_as_they_were_written(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, permissions=["clipboard-read", "clipboard-write"])
    answered(page, "everything please")
    page.get_by_role("button", name="Copy this reply").click()
    assert r"K_n = K_0 \cdot (1 + r)^n" in page.evaluate("navigator.clipboard.readText()")
    page.locator(".reply .code").first.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("from decimal import Decimal\n\ndef")


def test_a_reply_that_was_cut_goes_on(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "at length please")
    expect(page.locator(".cut")).to_contain_text("The model’s limit ended this reply here.")
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.locator("article").nth(1).locator(".said .words")).to_have_text("Go on.")
    expect(page.locator("article").nth(1).locator(".reply.final")).to_contain_text("thirdly")
    expect(page.locator(".cut button")).to_have_count(0)


@pytest.mark.parametrize(("width", "light"), [(1280, "light"), (375, "dark")])
def test_what_may_have_been_meant_is_chosen_by_a_click(
    quick: Server, open_page: Open, width: int, light: Literal["light", "dark"]
) -> None:
    page = open_page(quick.url, width=width, color_scheme=light)
    answered(page, "open the container")
    offered = page.locator(".choose button")
    expect(offered).to_have_text(["open fridge 1", "open cabinet 2"])
    assert faults(page) == []
    shot(page, f"choices-{width}")
    offered.nth(1).click()
    expect(page.locator("article").nth(1).locator(".said .words")).to_have_text("open cabinet 2")
    expect(offered).to_have_count(0)


def test_a_fact_that_is_in_doubt_says_so(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "the capital of Lapland?")
    expect(page.locator(".badge .doubt")).to_have_text("not sure")
    expect(page.locator(".reply .note")).to_contain_text("check it where it matters")
    assert faults(page) == []
    shot(page, "doubt")


def test_doubts_and_unfounded_figures_are_marked(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "are you not sure")
    expect(page.locator(".badge .doubt")).to_have_text("not sure")
    mark = page.locator("mark.unfounded")
    expect(mark).to_have_text(["1,280"])
    expect(mark).to_have_attribute("title", "This figure stands nowhere in the conversation or the result")
    assert "dotted" in mark.evaluate("e => getComputedStyle(e).textDecorationStyle")
    mark.click()
    expect(page.locator("#toasts")).to_contain_text("This figure stands nowhere")


def test_a_program_is_shown_with_what_it_printed(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, permissions=["clipboard-read", "clipboard-write"])
    answered(page, "a program please")
    expect(page.locator(".reply.interim")).to_have_count(0)
    page.locator(".trace > summary").click()
    expect(page.locator(".step.request")).to_contain_text("Asked the slow mind: Work out the 90th Fibonacci number")
    program = page.locator(".step .program")
    expect(program.nth(1).locator("code")).to_have_text("2880067194370816120")
    program.first.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("def fib(n):\n    a, b = 0, 1\n")


def test_a_program_is_changed_and_run_again(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    answered(page, "a program please")
    page.locator(".trace > summary").click()
    step = page.locator(".step")
    step.get_by_role("button", name="Change").click()
    area = page.get_by_role("textbox", name="The program, to be changed")
    expect(area).to_be_focused()
    assert area.input_value().endswith("print(fib(90))")
    area.fill(area.input_value().replace("fib(90)", "fib(10)"))
    step.get_by_role("button", name="Run again").click()
    again = step.locator(".rerun figure code")
    expect(again).to_have_text("55")
    expect(step.locator(".obs figure code")).to_have_text("2880067194370816120")
    expect(page.locator("article")).to_have_count(1)
    shot(page, "rerun")
    area.fill("print(fib(10")
    area.press("Control+Enter")
    expect(again).to_contain_text("Mend it")
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, "rerun-narrow")
    answered(page, "and hello", 1)
    expect(again).to_contain_text("Mend it")
    area.press("Escape")
    expect(area).to_have_count(0)
    expect(page.locator(".reply.final").first).to_contain_text("The 90th is")
    page.reload()
    page.wait_for_selector("body.ready")
    expect(page.locator(".rerun").first).to_be_empty()


def test_a_reply_that_comes_while_one_is_elsewhere_is_told(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 while away")
    expect(page.locator(".trace .step").first).to_be_visible()
    page.locator(".new").click()
    expect(page.locator("#toasts")).to_contain_text("A reply has come in “387 while away”")
    entry = page.locator("#list .entry", has_text="387 while away")
    expect(entry).to_have_class("entry unread")
    assert page.title().startswith("(1) ")
    page.reload()
    expect(entry).to_have_class("entry unread")
    entry.get_by_role("link").click()
    expect(entry).to_have_class("entry")
    expect(page.locator(".reply.slow.final")).to_contain_text("17,802")
    assert page.title() == "387 while away · Duet"


def test_a_tab_in_the_background_says_in_its_title_that_a_reply_came(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, "387 in the background")
    expect(page.locator(".trace .step").first).to_be_visible()
    hidden = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true})"
    page.evaluate(hidden % "true")
    expect(page).to_have_title("(1) 387 in the background · Duet")
    page.evaluate(hidden % "false" + "; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page).to_have_title("387 in the background · Duet")


def test_words_are_on_the_page_as_soon_as_they_are_said(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    answered(page, "hello")
    page.evaluate(WATCH)
    first = []
    for turn in range(1, 6):
        answered(page, "What does the clock say?", turn)
        ages = page.evaluate("window.arrivals.splice(0)")
        assert len(ages) == 4, "each was on the page before the reply was whole"
        first.append(ages[0])
    assert sorted(first)[2] < SOON, first


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_of_it_fits_a_small_phone(quick: Server, open_page: Open, scheme: str) -> None:
    page = open_page(quick.url, width=320, height=700, color_scheme=scheme)
    for turn, words in enumerate(("everything please", "not sure", "a program please", "at length")):
        answered(page, words, turn)
    page.locator(".trace > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.evaluate("document.querySelector('#thread').scrollWidth") <= 320


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_a_diagram_is_drawn_and_one_that_is_none_is_told(
    quick: Server, open_page: Open, scheme: str, width: int
) -> None:
    page = open_page(quick.url, width=width, color_scheme=scheme)
    answered(page, "a diagram please")
    picture = page.locator(".diagram img")
    expect(picture).to_have_count(1, timeout=30_000)
    expect(page.locator(".drawn").first.locator("pre")).to_be_hidden()
    assert picture.evaluate("e => e.decode().then(() => e.naturalWidth > 100)")
    expect(page.locator(".diagram p")).to_have_text("This is no diagram that can be drawn: its words stand below.")
    expect(page.locator(".drawn").nth(1).locator("pre")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"diagram-{scheme}-{width}")
    before = picture.get_attribute("src")
    page.get_by_role("button", name="Light or dark").click()
    expect(picture).not_to_have_attribute("src", before or "")


def test_a_reply_is_read_aloud_until_it_is_hushed(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    page.evaluate("""() => {
      window.heard = [];
      window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
      window.voices = [{ lang: "en-GB", localService: false }];
      speechSynthesis.getVoices = () => window.voices;
      speechSynthesis.speak = (said) => window.heard.push(said.text, said.voice);
      speechSynthesis.cancel = () => window.heard.push("");
    }""")
    answered(page, "a diagram please")
    aloud = page.get_by_role("button", name="Read this reply aloud")
    aloud.click()
    expect(page.get_by_text("no voice of its own on this machine")).to_be_visible()
    assert not any(page.evaluate("window.heard")), "a voice elsewhere is told nothing"
    page.evaluate("window.voices.push({ lang: 'en-US', localService: true })")
    aloud.click()
    expect(aloud).to_have_attribute("aria-pressed", "true")
    said, voice = page.evaluate("window.heard.slice(-2)")
    assert voice == {"lang": "en-US", "localService": True}
    assert said.startswith("The walk of a turn:") and "flowchart" not in said
    aloud.click()
    expect(aloud).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.heard.at(-1)") == ""
    page.evaluate("window.voices.push({ lang: 'he_IL', localService: true }, { lang: 'ja-JP', localService: true })")
    answered(page, "in Hebrew please", 1)
    aloud.last.click()
    assert page.evaluate("window.heard.at(-1).lang") == "he_IL", "an English voice cannot read it"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_numbers_that_a_program_printed_are_a_chart_with_its_table(
    quick: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(quick.url, width=width, color_scheme=scheme)
    say(page, "a program about rain please")
    expect(page.locator(".reply.final")).to_be_visible()
    page.locator(".trace > summary").click()
    drawn = page.locator(".chart .diagram img")
    expect(drawn).to_have_attribute("alt", "Chart of 6 numbers")
    drawn.scroll_into_view_if_needed()
    shot(page, f"chart-{scheme}")
    page.locator(".chart summary").click()
    table = page.locator(".chart").get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(6)
    expect(table.get_by_role("row", name="June")).to_contain_text("12")
    shot(page, f"chart-table-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert faults(page) == []
    say(page, "a program please")
    expect(page.locator(".reply.final")).to_have_count(2)
    expect(page.locator(".chart")).to_have_count(1)
