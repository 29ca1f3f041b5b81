"""The page in other languages: what the browser asks for, what a person chooses, right to left, and no English left."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from chat.access.accounts import Accounts
from tests.browser.conftest import Open, Server, running, shot
from tests.browser.test_accessible import faults

pytestmark = pytest.mark.browser

OTHERS = (
    "script", "style", "input", "textarea", "code", "kbd", "dt",
    ".words", ".prose", "#told", ".gist", ".code figcaption", ".cost", ".step p", ".reason dd", ".obs dd",
    ".sources", "#title", ".entry > a", ".menu", ".hit", "#running a", ".greeting", "#desk b", ".desks button",
    ".mind b", ".choices b", "#models small", ".tried b", ".who b", "#health", "#language",
)  # fmt: skip
"""Whatever people and models say, and names."""
OWN = r"""(others) => {
  const found = [];
  const take = (element, text) => {
    if (!/[A-Za-z]{3}/.test(text ?? "") || /\p{Script=Arabic}/u.test(text) || element.closest(others)) return;
    if (element.checkVisibility({ visibilityProperty: true })) found.push(text.trim());
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) take(node.parentElement, node.data);
  for (const name of ["aria-label", "title", "placeholder"])
    for (const one of document.querySelectorAll(`[${name}]`)) take(one, one.getAttribute(name));
  return [...new Set(found)].sort();
}"""
"""Words in Latin letters that stand on the page and are neither a person's, a model's nor a name's."""
NAMES = {"Duet", "OWNER/NAME/FILE.gguf", "Reset to default value"}
"""The last is Gradio's, which has it in English only."""


def say(page: Page, text: str, *, box: str) -> None:
    field = page.get_by_role("textbox", name=box, exact=True)
    field.fill(text)
    field.press("Enter")


def english(page: Page) -> list[str]:
    return [text for text in page.evaluate(OWN, ", ".join(OTHERS)) if text not in NAMES]


def spoken(page: Page) -> list[str]:
    return list(page.evaluate("[document.documentElement.lang, document.documentElement.dir]"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_the_page_speaks_german_where_the_browser_does(
    quick: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(quick.url, width=width, locale="de-AT", color_scheme=scheme)
    assert spoken(page) == ["de", "ltr"]
    expect(page.get_by_role("heading", name="Zwei Köpfe, ein Gespräch")).to_be_visible()
    shot(page, f"german-empty-{scheme}")
    say(page, "everything please", box="Nachricht")
    expect(page.locator(".reply.final")).to_be_visible()
    say(page, "What is 387 times 46?", box="Nachricht")
    expect(page.locator(".trace").last).to_contain_text("Hat darüber nachgedacht")
    expect(page.locator(".reply.slow.final")).to_contain_text("17,802")
    shot(page, f"german-talk-{scheme}")
    page.get_by_role("button", name="Diese Nachricht bearbeiten").last.click()
    expect(page.get_by_role("button", name="Noch einmal senden")).to_be_visible()
    page.get_by_role("button", name="Abbrechen").click()
    page.get_by_role("button", name="Einstellungen", exact=True).click()
    expect(page.get_by_label("Strategie des langsamen Kopfs").first).to_be_visible()
    expect(page.get_by_role("button", name="Für diese Unterhaltung speichern")).to_be_attached()
    shot(page, f"german-settings-{scheme}")
    assert faults(page) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_arabic_runs_from_right_to_left_and_nothing_of_the_page_is_english(
    quick: Server, open_page: Open, scheme: Literal["light", "dark"], width: int
) -> None:
    page = open_page(quick.url, width=width, locale="ar-EG", color_scheme=scheme, reduced_motion="reduce")
    assert spoken(page) == ["ar", "rtl"]
    shot(page, f"arabic-empty-{scheme}")
    left = {"empty": english(page)}
    wrong = {"empty": faults(page)}
    say(page, "ما هو عدد 387 في 46؟", box="الرسالة")
    expect(page.locator(".reply.slow.final")).to_be_visible()
    for text in ("everything please", "a program please"):
        say(page, text, box="الرسالة")
        expect(page.locator("article", has_text=text).locator(".reply.final")).to_be_visible()
    page.locator(".trace > summary").last.click()
    shot(page, f"arabic-talk-{scheme}")
    left["talk"], wrong["talk"] = english(page), faults(page)
    page.locator("#minds").click()
    expect(page.locator(".choices li").first).to_be_visible()
    shot(page, f"arabic-models-{scheme}")
    left["models"], wrong["models"] = english(page), faults(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="الإعدادات", exact=True).click()
    page.locator("#own summary").first.click()
    shot(page, f"arabic-settings-{scheme}")
    left["settings"], wrong["settings"] = english(page), faults(page)
    page.keyboard.press("Escape")
    if width < 860:
        page.locator("[data-do=side]").click()
        box = page.locator("#side").bounding_box()
        assert box and box["x"] + box["width"] == width, "the list comes from the right"
        shot(page, f"arabic-list-{scheme}")
        left["list"] = english(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert {where: found for where, found in left.items() if found} == {}
    assert {where: found for where, found in wrong.items() if found} == {}


def test_a_language_is_chosen_and_stays(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, locale="de-DE")
    page.get_by_role("button", name="Einstellungen", exact=True).click()
    page.get_by_label("Sprache der Seite").select_option("es")
    expect(page.get_by_role("heading", name="Dos mentes, una conversación")).to_be_visible()
    assert spoken(page) == ["es", "ltr"]
    other = page.context.new_page()
    other.goto(f"{quick.url}memory")
    expect(other.get_by_role("heading", name="Memoria")).to_be_visible()
    expect(other.get_by_placeholder("Buscar en lo guardado")).to_be_visible()
    assert spoken(other) == ["es", "ltr"]
    page.get_by_role("button", name="Ajustes", exact=True).click()
    expect(page.get_by_label("Idioma de la página")).to_have_value("es")
    page.get_by_label("Idioma de la página").select_option("")
    expect(page.get_by_role("heading", name="Zwei Köpfe, ein Gespräch")).to_be_visible()
    assert spoken(page) == ["de", "ltr"]


def test_french_counts_and_dates_are_written_in_french(quick: Server, open_page: Open) -> None:
    page = open_page(quick.url, locale="fr-FR")
    say(page, "What is 387 times 46?", box="Message")
    expect(page.locator(".reply.slow.final")).to_be_visible()
    expect(page.locator(".trace > summary .cost")).to_contain_text("étape")
    expect(page.locator("#list h3").first).to_have_text("Aujourd’hui")
    shot(page, "french")


def test_in_arabic_the_settings_fields_and_the_words_of_a_trace_run_as_they_are_written(
    quick: Server, open_page: Open
) -> None:
    page = open_page(quick.url, locale="ar-EG")
    say(page, "a program please", box="الرسالة")
    expect(page.locator(".reply.final")).to_be_visible()
    page.locator(".trace > summary").click()
    ran = "e => getComputedStyle(e).direction"
    assert page.locator(".reason dd").first.evaluate(ran) == "ltr", "English words in an Arabic page"
    page.get_by_role("button", name="الإعدادات", exact=True).click()
    blocks = page.locator("#settings .block")
    directions = [blocks.nth(n).evaluate(ran) for n in range(blocks.count())]
    assert len(directions) > 8 and set(directions) == {"rtl"}
    page.evaluate("document.querySelector('#settings .block').dir = 'ltr'")  # as Gradio does when it makes one anew
    expect(page.locator("#settings .block[dir]")).to_have_count(0)


@pytest.mark.parametrize(
    ("locale", "scheme", "names"),
    [("de-DE", "light", ("Name", "Passwort", "Anmelden")), ("ar-EG", "dark", ("الاسم", "كلمة المرور", "تسجيل الدخول"))],
)
def test_the_sign_in_and_the_account_speak_the_browser_s_language(
    browser: Browser, tmp_path: Path, locale: str, scheme: Literal["light", "dark"], names: tuple[str, str, str]
) -> None:
    Accounts(tmp_path).add("ada", "a long password")
    command = [sys.executable, "main.py", "serve", "--home", str(tmp_path), "--port"]
    server = Server(lambda port: [*command, str(port)], {})
    server.url += "sign-in"
    for _ in running(server):
        context = browser.new_context(viewport={"width": 390, "height": 700}, locale=locale, color_scheme=scheme)
        page = context.new_page()
        page.goto(server.url)
        name, password, enter = names
        page.get_by_label(name).fill("ada")
        page.get_by_label(password).fill("another one")
        page.get_by_role("button", name=enter).click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert english(page) == [] or locale == "de-DE"
        shot(page, f"sign-in-{locale}")
        page.get_by_label(name).fill("ada")
        page.get_by_label(password).fill("a long password")
        page.get_by_role("button", name=enter).click()
        page.wait_for_selector("body.ready")
        page.goto(server.url.replace("sign-in", "account"))
        assert spoken(page) == (["ar", "rtl"] if locale == "ar-EG" else ["de", "ltr"])
        assert [text for text in english(page) if locale == "ar-EG" and text not in ("ada", "API")] == []
        shot(page, f"account-{locale}")
        context.close()
