"""What the page holds for a person stays theirs, and where it was: in a browser that keeps nothing, too."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Open, Server
from tests.browser.test_conversations import answered, begun
from tests.browser.test_page import say

pytestmark = pytest.mark.browser
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
BLOCKED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("denied", "SecurityError"); },
})"""


@pytest.mark.parametrize("how", [FULL, BLOCKED], ids=["full", "blocked"])
def test_a_browser_that_keeps_nothing_loses_no_message(quick: Server, open_page: Open, how: str) -> None:
    page = open_page(quick.url)
    page.add_init_script(how)
    page.reload()
    page.wait_for_selector("body.ready")
    answered(page, "a message that is kept nowhere")
    begun(page, "and another")


def test_what_is_sent_again_because_its_answer_was_lost_is_said_once(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    box = page.get_by_role("textbox", name="Message")

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/act/send", lose, times=1)
    say(page, "the first words")
    expect(box).to_have_value("the first words")
    box.press("Enter")
    expect(page.locator("article .said .words")).to_have_text(["the first words"])
    expect(page.locator(".reply.final")).to_have_count(1)
    page.route("**/act/send", lose, times=1)
    say(page, "and then")
    expect(page.locator(".reply.final")).to_have_count(2)
    expect(box).to_have_value("")
    answered(page, "and then", 2)


def test_the_same_words_are_sent_twice_before_the_first_answer(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "the first words")
    waiting: list[Route] = []
    page.route("**/act/send", lambda route: waiting.append(route), times=1)
    with page.expect_request("**/act/send"):
        say(page, "go on")
    say(page, "go on")
    expect(page.locator("article .said .words")).to_have_text(["the first words", "go on"])
    waiting.pop().continue_()
    expect(page.locator("article .said .words")).to_have_text(["the first words", "go on", "go on"])


def test_a_first_message_that_is_found_in_the_list_is_known_to_have_arrived(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/act/send", lose, times=1)
    say(page, "these were lost on the way")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("these were lost on the way")
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('duet-sent-'))"
    assert page.evaluate(kept)
    page.locator("#list .entry > a", has_text="these were lost on the way").click()
    expect(page.locator("article .said .words")).to_have_text(["these were lost on the way"])
    assert not page.evaluate(kept)
    page.get_by_role("button", name="New conversation").first.click()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")


def test_words_that_are_selected_stay_so_while_their_paragraph_grows(fake: Server, open_page: Open) -> None:
    page = open_page(fake.url)
    say(page, " ".join(f"word{n}" for n in range(150)))
    prose = page.locator(".reply .prose")
    expect(prose).to_contain_text("word10 ")
    prose.evaluate("""(prose) => {
      const words = prose.querySelector("p").firstChild, range = document.createRange();
      range.setStart(words, 4), range.setEnd(words, 20);
      getSelection().removeAllRanges(), getSelection().addRange(range);
    }""")
    chosen = page.evaluate("getSelection().toString()")
    expect(prose).to_contain_text("word40 ")
    assert chosen and page.evaluate("getSelection().toString()") == chosen


def test_an_open_menu_stays_open_when_another_conversation_moves_up(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "the moon")
    moon = page.url
    begun(page, "the sun")
    menu = page.locator("#list .entry", has_text="the sun").locator(".menu")
    page.locator("#list .entry", has_text="the sun").hover()
    menu.locator("summary").click()
    other = open_page(moon)
    answered(other, "and its far side", 1)
    expect(page.locator("#list .entry").first).to_contain_text("the moon")
    assert menu.evaluate("(menu) => menu.open")


def test_another_model_answers_in_the_conversation_it_was_chosen_in(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "here it was asked")
    begun(page, "here it was not")
    page.locator("#list .entry > a", has_text="here it was asked").click()
    expect(page.locator("article .said .words")).to_have_text(["here it was asked"])
    waiting: list[Route] = []
    page.route(re.compile("models/choices"), lambda route: waiting.append(route))
    with page.expect_request(re.compile("models/choices")):
        page.get_by_role("button", name="Answer this again with another model").click()
    page.locator("#list .entry > a", has_text="here it was not").click()
    expect(page.locator("article .said .words")).to_have_text(["here it was not"])
    waiting.pop().continue_()
    with page.expect_request("**/act/retry") as sent:
        page.get_by_role("dialog").get_by_role("button", name="Answer", exact=True).click()
    session = page.locator("#list .entry", has_text="here it was asked").get_attribute("data-session")
    assert f'"session":"{session}"' in (sent.value.post_data or "")


HEARD = """() => {
  navigator.mediaDevices.getUserMedia = async () => ({ getTracks: () => [] });
  window.MediaRecorder = class { start() {} stop() { this.onstop(); } };
}"""


def test_what_is_said_goes_into_the_box_of_its_conversation(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "where it is said")
    begun(page, "where it is not said")
    page.locator("#list .entry > a", has_text="where it is said").click()
    expect(page.locator("article .said .words")).to_have_text(["where it is said"])
    waiting: list[Route] = []

    def hear(route: Route) -> None:
        waiting.append(route) if route.request.method == "POST" else route.fulfill(json={"fault": ""})

    page.route("**/hear", hear)
    page.evaluate(HEARD)
    page.get_by_role("button", name="Speak instead of typing").click()
    with page.expect_request(lambda request: request.method == "POST"):
        page.get_by_role("button", name="Stop, and put the words into the box").click()
    page.locator("#list .entry > a", has_text="where it is not said").click()
    expect(page.locator("article .said .words")).to_have_text(["where it is not said"])
    waiting.pop().fulfill(json={"text": "spoken words"})
    box = page.get_by_role("textbox", name="Message")
    page.wait_for_timeout(500)
    expect(box).to_have_value("")
    page.locator("#list .entry > a", has_text="where it is said").click()
    expect(box).to_have_value("spoken words")


def test_a_link_to_a_turn_that_is_no_more_in_view_shows_the_newest(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, height=500)
    begun(page, "the first")
    for turn in range(1, 7):
        answered(page, f"one more {turn}", turn)
    page.locator("article").last.get_by_role("button", name="Answer this again", exact=True).click()
    expect(page.locator("article")).to_have_count(7)
    expect(page.locator("article").last).to_have_attribute("data-turn", "8")
    page.goto(f"{page.url}&turn=7")
    expect(page.locator("article").last).to_be_in_viewport()


def test_the_words_of_a_hit_are_marked_behind_letters_that_grow(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "İİİİİİ İİİİİİ zebra")
    page.get_by_role("searchbox", name="Search conversations").fill("zebra")
    page.locator("#list .hit").first.click()
    expect(page.locator("article").first).to_be_focused()
    assert page.evaluate("[...CSS.highlights.get('hit')].map(String)") == ["zebra", "zebra"]


def test_settings_are_saved_for_the_conversation_whose_they_are(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "a short one")
    begun(page, "a long one")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Longest reply").fill("77")
    save = page.get_by_role("button", name="Save for this conversation")
    save.click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    late: list[Route] = []
    page.route(re.compile("queue/join"), lambda route: route.continue_() if late else late.append(route))
    with page.expect_request(re.compile("queue/join")):
        page.locator("#list .entry > a", has_text="a short one").click()
    expect(page.locator("article .said .words")).to_have_text(["a short one"])
    with page.expect_response(re.compile("queue/join")):
        save.click()
    expect(page.locator("#toasts p", has_text="Saved")).to_have_count(2)
    late.pop().continue_()
    expect(page.get_by_label("Longest reply")).to_have_value("0")


def test_a_draft_goes_with_its_conversation(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url)
    begun(page, "a secret one")
    page.route("**/act/send", lambda route: route.abort(), times=1)
    say(page, "a secret that is lost")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("a secret that is lost")
    page.get_by_role("textbox", name="Message").fill("a secret draft")
    entry = page.locator("#list .entry", has_text="a secret one")
    entry.hover()
    entry.locator("summary").click()
    entry.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(entry).to_have_count(0)
    expect(page).not_to_have_url(re.compile("c="))
    assert "secret" not in page.evaluate("JSON.stringify({ ...localStorage })")


STEPS = """async ([before, after]) => {
  const { patch } = await import("./static-duet/patch.js");
  const list = document.createElement("ol");
  patch(list, before);
  const third = list.querySelector("[data-key='3'] details");
  third.open = false, third.dataset.touched = "1";
  patch(list, after);
  return [list.contains(third), third.open, list.textContent];
}"""


def test_a_step_that_was_closed_stays_so_when_the_first_ones_go(quick: Server, open_page: Open) -> None:
    def shown(first: int, head: str) -> str:
        steps = (
            f'<li data-key="{n}"><details open><summary>{n}</summary></details></li>' for n in range(first, first + 4)
        )
        return f"{head}{''.join(steps)}<li>waiting</li>"

    told = open_page(quick.url).evaluate(STEPS, [shown(1, ""), shown(2, "<li>before</li>")])
    assert told == [True, False, "before2345waiting"]
