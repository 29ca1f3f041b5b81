"""The gallery of tasks and the game in a real Chromium, before the real simulators and the trained policies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, Server, running, shot
from tests.browser.test_accessible import faults
from tools.worlds.kinds import KINDS

pytestmark = [pytest.mark.browser, pytest.mark.real]
WAITS = 120_000


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = str(tmp_path_factory.mktemp("home"))
    yield from running(Server(lambda port: [sys.executable, "-m", "tests.chat.ui.worlds", str(port), home, "real"], {}))


def say(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(text)
    box.press("Enter")


def card(page: Page, title: str) -> Locator:
    return page.locator(".gallery li", has=page.get_by_role("heading", name=title, exact=True))


def test_every_kind_of_task_has_a_card_with_its_map_and_one_click_opens_it(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    shot(page, "gallery-start")
    page.get_by_role("button", name="All tasks in text worlds").click()
    gallery = page.get_by_role("dialog", name="Tasks in text worlds")
    expect(gallery.get_by_role("listitem")).to_have_count(len(KINDS))
    expect(gallery.locator(".look .map .here")).to_have_count(len(KINDS), timeout=WAITS)
    shot(page, "gallery-wide")
    assert faults(page) == []
    shown = card(page, "Heat a thing, then put it somewhere")
    goal = shown.locator("p").inner_text()
    shown.get_by_role("button", name="I act").click()
    expect(gallery).to_be_hidden()
    expect(page.locator("#world h2")).to_have_text(goal, ignore_case=True, timeout=WAITS)
    expect(page.locator("#world .holder")).to_have_text("you")
    drawn = "document.querySelector('#world .map').ariaLabel"
    assert goal and "microwave" in page.evaluate(drawn)


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280), ("dark", 320)])
def test_a_typed_command_opens_it_and_it_fits(
    worlds: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(worlds.url, width=width, color_scheme=scheme)
    say(page, "/play")
    expect(page.locator(".gallery .look .map")).to_have_count(len(KINDS), timeout=WAITS)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    shot(page, f"gallery-{scheme}-{width}")
    assert page.locator(".gallery").evaluate("e => e.scrollWidth <= e.clientWidth")
    assert faults(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".gallery")).to_have_count(0)
    assert page.locator("article").count() == 0, "nothing was said"


def test_duet_acts_in_a_laboratory_at_one_click(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    say(page, "/play")
    button = card(page, "Find an animal").get_by_role("button", name="Duet acts")
    button.click(timeout=WAITS)
    expect(page.locator(".reply.slow.final .mark")).to_have_text("solved", timeout=WAITS)


def act(page: Page, action: str) -> None:
    many = page.locator(".reply").count()
    say(page, action)
    expect(page.locator(".reply")).not_to_have_count(many, timeout=WAITS)


def test_a_game_against_the_minds_is_compared_at_the_end(worlds: Server, open_page: Open) -> None:
    page = open_page(worlds.url)
    say(page, "/play")
    card(page, "Look at a thing under a lamp").get_by_role("button", name="Game").click(timeout=WAITS)
    game = page.locator("#world .game")
    expect(game.locator("tbody tr").nth(0)).to_contain_text("is playing", timeout=WAITS)
    expect(game.locator("tbody tr").nth(1)).to_contain_text("to come")
    act(page, "look")
    expect(game.locator("tbody tr").nth(0)).to_contain_text("1")
    act(page, "/world undo")
    expect(page.locator(".reply.final").last).to_contain_text("no step is taken back")
    shot(page, "game-yours")
    game.get_by_role("button", name="Give up: Duet’s turn").click()
    expect(game.locator("p[role=status]")).to_have_text("Duet wins: you did not solve it.", timeout=WAITS)
    expect(game.locator("tbody tr").nth(1)).to_contain_text("solved")
    shot(page, "game-over")
    assert faults(page) == []
    steps = page.locator("#world .deeds code").all_text_contents()
    game.get_by_role("button", name="Play again").click()
    expect(game.locator("tbody tr").nth(0)).to_contain_text("is playing", timeout=WAITS)
    for step in steps:  # the person plays what the policy did
        act(page, step)
    expect(game.locator("p[role=status]")).to_have_text("A draw.", timeout=WAITS)
    phone = open_page(page.url, width=390, color_scheme="dark")
    phone.locator(".to-world").click()
    expect(phone.locator("#world .game p[role=status]")).to_have_text("A draw.")
    shot(phone, "game-phone")
