"""Recorded turns of a strong model in the page: what it said stands there as it is meant to look.

Real tools, simulator, memory and server; only the model is recorded (tests/strong/server.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, Server, running
from tests.browser.test_page import say
from tests.strong.play import everything
from tests.strong.server import StrongModel, serving

pytestmark = pytest.mark.browser
LONG = 180_000
"""Milliseconds that a text world may take."""


@pytest.fixture(scope="module")
def model() -> Iterator[StrongModel]:
    with serving() as made:
        yield made
        # What is drawn out of a conversation once nobody speaks is asked of no mind, and is not recorded.
        assert [one for one in made.unmatched if "for the plain mind" not in one] == []


@pytest.fixture(scope="module")
def recorded(model: StrongModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = str(tmp_path_factory.mktemp("home"))
    command = [sys.executable, "-m", "tests.strong.page"]
    yield from running(Server(lambda port: [*command, str(port), home, model.spec], {}))


def words(dialogue: str, number: int) -> str:
    """What the person says there."""
    [found] = [one for one in everything() if one["id"] == dialogue]
    return str(found["turns"][number - 1])


def answered(page: Page, text: str, turn: int = 0, patience: float = 30_000) -> Locator:
    """The final reply, once it stands there whole."""
    say(page, text)
    reply = page.locator("article").nth(turn).locator(".reply.final")
    expect(reply).to_be_visible(timeout=patience)
    return reply


def test_a_table_is_drawn_and_changed(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    table = answered(page, words("table-camping", 1)).locator("table")
    expect(table.locator("tbody tr")).to_have_count(4)
    expect(table.locator("tbody tr").first.locator("td")).to_have_text(["Bread rolls", "4", "12"])
    again = answered(page, words("table-camping", 2), 1).locator("table")
    expect(again.locator("tbody tr").first.locator("td").last).to_have_text("20")


def test_code_is_highlighted(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    code = answered(page, words("code-python", 1)).locator(".code").first
    expect(code.locator("code")).to_contain_text("def most_common_word(words):")
    expect(code.locator(".k").first).to_be_visible()


def test_calls_side_by_side_are_steps_of_one_trace(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    reply = answered(page, words("parallel-and-mended", 1))
    expect(reply).to_contain_text("126 days from today")
    expect(reply.locator("strong").first).to_have_text("126 days")
    page.locator(".trace > summary").click()
    expect(page.locator(".step.done")).to_have_count(2)
    expect(page.locator(".trace")).to_contain_text("days_between(today(), monday)")
    expect(page.locator(".trace")).to_contain_text("45.42494141")


def test_a_program_that_was_no_json_is_written_again(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    answered(page, words("parallel-and-mended", 1))
    expect(answered(page, words("parallel-and-mended", 2), 1)).to_contain_text("520.80 pounds")
    trace = page.locator("article").nth(1).locator(".trace")
    trace.locator("> summary").click()
    expect(trace.locator(".step.done")).to_have_count(1)
    expect(trace.locator(".step:not(.done)").first).to_be_visible()


def test_a_reply_that_was_cut_goes_on_by_its_button(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    answered(page, words("cut-reply", 1))
    expect(page.locator(".cut")).to_contain_text("limit ended this reply")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("article").nth(1).locator(".reply.final")).to_contain_text("oven spring")
    expect(page.locator("article").first.get_by_role("button", name="Go on")).to_have_count(0)


def test_a_world_is_opened_acted_in_and_told_of(recorded: Server, open_page: Open) -> None:
    page = open_page(recorded.url)
    reply = answered(page, words("lab-boil-water", 1), patience=LONG)
    expect(reply).to_contain_text("with a score of 100 of 100")
    expect(page.locator("#world")).to_contain_text("boil")
    expect(answered(page, words("lab-boil-water", 4), 1).locator(".badge")).to_have_attribute("data-by", "fast")
