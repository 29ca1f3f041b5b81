from __future__ import annotations

import re

import pytest

from chat.ui.markup import MARKDOWN_LIMIT, escape, markdown, sentence, visible

TAGS = {
    "p",
    "strong",
    "em",
    "code",
    "pre",
    "a",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "blockquote",
    "hr",
    "br",
    "s",
    "table",
}
TAGS |= {"thead", "tbody", "tr", "th", "td", "div", "figure", "figcaption", "button"}

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick='x()'>bold</b>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    '[x](https://e.org/"onmouseover=alert(1))',
    '![x" onerror="alert(1)](https://e.org/a.png)',
    "<https://e.org/?<script>>",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n[a]",
    "```<script>\nx\n```",
    "```html\n<script>alert(1)</script>\n```",
    "| <script> |\n|---|\n| <img src=x> |",
    "<!-- --><svg/onload=alert(1)>",
    "`<script>`",
    "</div></figure><script>x</script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_markup_of_others_reaches_the_page(text: str) -> None:
    html = markdown(text)
    for tag, attributes in re.findall(r"<([a-z0-9]+)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", html):
        assert tag in TAGS
        names = re.findall(r"([a-z-]+)=\"", re.sub(r"\"[^\"]*\"", '""', attributes))
        assert set(names) <= {"href", "target", "rel", "class", "type", "data-do", "tabindex", "style", "start"}
    for href in re.findall(r'href="([^"]*)"', html):
        assert href.startswith(("https://", "http://", "mailto:", "#"))


def test_markup_is_shown_as_the_text_it_is() -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in markdown("<script>alert(1)</script>")
    assert "[x](javascript:alert(1))" in markdown("[x](javascript:alert(1))")


def test_markdown_is_rendered() -> None:
    html = markdown("**387** is\n\n1. a\n2. b\n\n```python\nx = 1\n```\n\n| a |\n|---|\n| b |")
    for piece in ("<strong>387</strong>", "<ol>", "<figcaption>python", "x = 1", "<table>", "<td>b</td>"):
        assert piece in html


def test_pictures_are_links_because_loading_one_tells_a_stranger() -> None:
    html = markdown("![a cat](https://example.org/cat.png)")
    assert "<img" not in html
    assert 'href="https://example.org/cat.png"' in html and "a cat" in html


def test_links_say_nothing_of_the_page() -> None:
    assert 'rel="noopener noreferrer nofollow"' in markdown("[x](https://example.org)")


def test_control_characters_are_made_visible() -> None:
    assert visible("a\x00b\x1b[31m\u202ec\r\nd\te") == "a\ufffdb\ufffd[31m\ufffdc\nd\te"
    assert "\x1b" not in markdown("a\x1bb") and "\u202e" not in escape("\u202e")


def test_a_very_long_reply_is_plain_text() -> None:
    html = markdown("**x** <b> " * MARKDOWN_LIMIT)
    assert html.startswith('<div class="plain">') and "<strong>" not in html and "<b>" not in html


def test_names_in_backticks_of_a_sentence_are_code() -> None:
    assert sentence("set `DUET_HOME` <now>") == "set <code>DUET_HOME</code> &lt;now&gt;"
