"""The panel of a world in a real Chromium, before the real conversation in a toy household."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = str(tmp_path_factory.mktemp("home"))
    server = Server(lambda port: [sys.executable, "-m", "tests.chat.ui.worlds", str(port), home], {})
    try:
        server.start()
        yield server
    finally:
        server.end()


def say(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    box.press("Enter")


def play(page: Page, flags: str) -> None:
    many = page.locator(".reply.final").count()
    say(page, f"/play alfworld mug {flags}")
    expect(page.locator(".reply.final")).to_have_count(many + 1)


def test_the_panel_is_there_only_with_a_world(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    expect(page.locator("#world")).to_be_hidden()
    expect(page.get_by_role("button", name="World", exact=True)).to_be_hidden()
    play(page, "--human")
    expect(page.locator("#world")).to_be_visible()
    expect(page.locator("#world h2")).to_have_text("Put the mug in the drawer")
    expect(page.locator("#world .holder")).to_have_text("you")
    page.get_by_role("button", name="World", exact=True).click()
    expect(page.locator("#world")).to_be_hidden()
    page.get_by_role("button", name="World", exact=True).click()
    page.get_by_role("link", name="Duet").click()
    expect(page.locator("#world")).to_be_hidden()


def test_actions_fill_the_box_and_the_panel_follows_in_every_tab(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    play(page, "--human")
    other = open_page(page.url)
    page.locator(".possible summary").first.click()
    page.get_by_role("searchbox", name="Filter the actions").fill("desk")
    expect(page.locator("#possible button:visible")).to_have_count(1)
    page.get_by_role("button", name="go to desk 1").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("go to desk 1")
    assert page.locator(".reply.final").count() == 1, "it is not sent"
    page.get_by_role("textbox", name="Message").press("Enter")
    for tab in (page, other):
        expect(tab.locator("#world .here h3")).to_have_text("desk 1")
        expect(tab.locator("#world .map .here title")).to_contain_text("first visited at step 1; seen there: mug 1")
        expect(tab.locator(".trace.own")).to_contain_text("You acted in the world")
    page.get_by_role("searchbox", name="Filter the actions").fill("")
    expect(page.get_by_role("button", name="take mug 1 from desk 1")).to_be_visible()
    page.reload()
    expect(page.locator("#world .here h3")).to_have_text("desk 1")


def test_the_wheel_goes_over_and_back(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    play(page, "--human --strategy oracle")
    page.get_by_role("textbox", name="Message").fill("a draft")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#world .mark.won")).to_have_text("solved")
    expect(page.locator(".reply.slow.final .mark")).to_have_text("solved")
    expect(page.locator(".said .words").last).to_have_text("Go on")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("a draft")
    expect(page.locator("#world .rises")).to_contain_text("step 5: +100 (move mug 1 to drawer 1)")
    page.locator("#world").get_by_role("button", name="Undo").click()
    expect(page.locator("#world output")).to_have_text("Step 4 of 4")
    page.get_by_role("button", name="Let me").click()
    expect(page.locator("#world .holder")).to_have_text("you")
    page.locator("#world .hands").get_by_role("button", name="Close").click()
    expect(page.locator("#world .held")).to_contain_text("Closed")


def test_replay_by_keyboard_and_back_to_now(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    play(page, "--strategy oracle")
    slider = page.get_by_role("slider", name="Replay")
    slider.press("Home")
    expect(page.locator("#world .past")).to_have_text("You look back at step 0 of 5.")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(page.locator("#world output")).to_have_text("Step 2 of 5")
    expect(slider).to_have_attribute("aria-valuetext", "Step 2 of 5")
    expect(page.locator("#world .did code")).to_have_text("take mug 1 from desk 1")
    expect(page.locator("#world .things li")).to_have_text(["mug 1"])
    expect(page.locator("#world .hands")).to_have_count(0)
    page.locator("#world .deeds summary").click()
    page.locator("#world .deeds li button").nth(3).click()
    expect(page.locator("#world output")).to_have_text("Step 4 of 5")
    expect(page.locator("#world .deeds li").first).to_be_visible()
    page.get_by_role("button", name="Now", exact=True).click()
    expect(page.locator("#world output")).to_have_text("Step 5 of 5")
    expect(slider).to_have_value("5")
    expect(page.locator("#world .hands")).to_be_visible()


def test_several_episodes_and_taking_one_up_again(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    play(page, "--human")
    play(page, "--strategy oracle")
    tabs = page.get_by_role("group", name="Tasks of this conversation").get_by_role("button")
    expect(tabs).to_have_count(2)
    expect(tabs.nth(1)).to_have_attribute("aria-pressed", "true")
    tabs.nth(0).click()
    expect(tabs.nth(0)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#world .held")).to_contain_text("Not in hand now")
    page.get_by_role("button", name="Take up again").click()
    expect(page.locator(".said .words").last).to_have_text("Take up again (1)")
    expect(page.locator("#world .holder")).to_have_text("you")


def test_the_transcript_is_downloaded(worlds: Server, open_page: Open, tmp_path: Path) -> None:
    page = open_page(worlds.url)
    play(page, "--strategy oracle")
    with page.expect_download() as download:
        page.locator("#world .files").get_by_role("link", name="JSON").click()
    assert download.value.suggested_filename == "alfworld-mug-0.json"
    download.value.save_as(tmp_path / "episode.json")
    assert json.loads((tmp_path / "episode.json").read_text("utf-8"))["won"] is True


@pytest.mark.parametrize("width", [390, 320])
def test_a_drawer_on_a_phone(worlds: Server, open_page: Open, width: int) -> None:
    page = open_page(worlds.url, width=width, height=780, color_scheme="dark")
    page.get_by_role("button", name="Conversations").click()
    page.locator("#list .entry a", has_text="Cool a mug").click()
    opener = page.locator(".to-world")
    expect(opener).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#world")).to_be_hidden()
    opener.click()
    expect(page.locator("#world .map")).to_be_visible()
    expect(opener).to_have_attribute("aria-expanded", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    view = page.locator("#world-view")
    assert view.evaluate("e => e.scrollWidth <= e.clientWidth")
    letters = page.locator("#world .map text").first.evaluate("e => e.getBoundingClientRect().height")
    assert letters >= 10, "the map can be read"
    page.keyboard.press("Escape")
    expect(page.locator("#world")).to_be_hidden()
    expect(opener).to_be_focused()


def test_what_is_written_in_the_panel_can_be_read_in_both_lights(worlds: Server, open_page: Open) -> None:
    for scheme in ("light", "dark"):
        page = open_page(worlds.url, color_scheme=scheme)
        page.locator("#list .entry a", has_text="Bring some water").click()
        expect(page.locator("#world .map")).to_be_visible()
        weak = page.evaluate(CONTRAST)
        assert weak == [], scheme


CONTRAST = """() => {
  const rgb = (c) => c.match(/[\\d.]+/g).map((v) => v * (c.startsWith("color(") ? 255 : 1));
  const line = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * line(r) + .7152 * line(g) + .0722 * line(b);
  const solid = (e) => (rgb(getComputedStyle(e).backgroundColor)[3] ?? 1) > .9;
  const behind = (e) => { while (!solid(e)) e = e.parentElement; return rgb(getComputedStyle(e).backgroundColor); };
  const weak = [];
  for (const e of document.querySelectorAll("#world *:not(svg *, [disabled], [disabled] *, .later, .later *)")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
    const [one, other] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => b - a);
    if ((one + .05) / (other + .05) < 4.5) weak.push([e.textContent.slice(0, 40), (one + .05) / (other + .05)]);
  }
  return weak;
}"""
