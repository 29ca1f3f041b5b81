"""axe-core finds nothing serious on the page, wide and narrow, light and dark; motion stops where it is not wanted."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Server, shot
from tests.browser.test_page import menu, say

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


def faults(page: Page) -> list[str]:
    """What axe finds, by rule and place."""
    page.wait_for_timeout(300)  # what moves has come to rest: colours are measured
    response = Axe().run(page, options=RULES).response
    assert len(response["passes"]) > 20, "it has looked"
    found = response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]} {node.get('failureSummary', '')[-200:]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_axe_finds_nothing_serious(
    quick: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(quick.url, width=width, height=800, color_scheme=scheme, reduced_motion="reduce")
    wrong = {"empty": faults(page)}
    for turn, text in enumerate((f"everything please, {scheme}", "not sure", "a program please", "at length")):
        say(page, text)
        expect(page.locator("article").nth(turn).locator(".reply.final")).to_be_visible()
    page.locator(".trace > summary").click()
    wrong["talk"] = faults(page)
    shot(page, f"axe-{scheme}")
    page.locator("#minds").click()
    expect(page.locator(".choices li").first).to_be_visible()
    wrong["models"] = faults(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_text("Prompts behind /").click()
    page.locator("#instructions summary").click()
    wrong["settings"] = faults(page)
    shot(page, f"axe-settings-{scheme}")
    page.keyboard.press("Escape")
    if width < 860:
        page.get_by_role("button", name="Conversations", exact=True).click()
    page.get_by_role("searchbox", name="Search conversations").fill(f"everything please, {scheme}")
    expect(page.locator("#list .hit").first).to_be_visible()
    wrong["search"] = faults(page)
    shot(page, f"axe-search-{scheme}")
    menu(page, f"everything please, {scheme}", "Share")
    expect(page.get_by_role("dialog")).to_be_visible()
    wrong["share"] = faults(page)
    assert {where: found for where, found in wrong.items() if found} == {}


def test_nothing_moves_where_motion_is_not_wanted(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url, reduced_motion="reduce")
    say(page, "387 at rest")
    expect(page.locator(".trace .step").first).to_be_visible()
    moving = "document.getAnimations().filter(a => a.playState === 'running').map(a => a.animationName)"
    assert page.evaluate(moving) == []
