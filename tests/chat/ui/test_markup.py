from __future__ import annotations

import re
import time
from html import unescape

import pytest

from chat.ui import markup
from chat.ui.markup import MARKDOWN_LIMIT, escape, lined, markdown, sentence, visible
from tests.chat.ui import rich

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
TAGS |= {"thead", "tbody", "tr", "th", "td", "div", "figure", "figcaption", "button", "span", "mark"}
TAGS |= {"math", "mrow", "mi", "mn", "mo", "mtext", "mstyle", "msup", "mfrac", "mtable", "mtr", "mtd"}

SCROLLED = ("role", "aria-label")
"""Of tables and formulas, which are scrolled by the keyboard too."""
MATHS = {
    "display",
    "stretchy",
    "fence",
    "form",
    "displaystyle",
    "scriptlevel",
    "columnalign",
    "columnspacing",
    "rowspacing",
}

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
    r"$\href{javascript:alert(1)}{x}$",
    r"\(\text{<script>alert(1)</script>}\)",
    r"\[\style{background:url(https://e.org)}{x} \class{reply}{y} \color{red\" onclick=\"x}{z}\]",
    r"$$<img src=x onerror=alert(1)> \frac{$$",
    r"\begin{align}</div><script>x</script>\end{align}",
    "a<br onclick=x()>b<sub onclick=x()>c</sub><sub><script>x</script></sub>",
    "```python\n</code><script>'<b>'\n```",
    '```"onclick=x\nx\n```',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_markup_of_others_reaches_the_page(text: str) -> None:
    html = markdown(text, ("1",)) + markdown(text, coming=True)
    for tag, attributes in re.findall(r"<([a-z0-9]+)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", html):
        assert tag in TAGS
        names = re.findall(r"([a-z-]+)=\"", re.sub(r"\"[^\"]*\"", '""', attributes))
        assert set(names) <= {
            "href",
            "target",
            "rel",
            "class",
            "type",
            "data-do",
            "tabindex",
            "start",
            "dir",
            "title",
            *SCROLLED,
            *MATHS,
        }
    for href in re.findall(r'href="([^"]*)"', html):
        assert href.startswith(("https://", "http://", "mailto:", "#"))


def test_markup_is_shown_as_the_text_it_is() -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in markdown("<script>alert(1)</script>")
    assert "[x](javascript:alert(1))" in markdown("[x](javascript:alert(1))")


def test_markdown_is_rendered() -> None:
    html = markdown("**387** is\n\n1. a\n2. b\n\n```python\nx = 1\n```\n\n| a |\n|---|\n| b |")
    for piece in (
        "<strong>387</strong>",
        '<ol dir="auto">',
        "<figcaption>python",
        '<span class="n">x</span>',
        "<table>",
        "<td>b</td>",
    ):
        assert piece in html


def test_small_tags_of_models_are_what_they_mean() -> None:
    html = markdown("| a<br>b |\n|---|\n| H<sub>2</sub>O <BR/> <b>*x*</b> |\n\n<kbd>Ctrl</kbd> x<sup>2</sup> <u>y</u>")
    for piece in ("a<br />", "H<sub>2</sub>O", "<b><em>x</em></b>", "<kbd>Ctrl</kbd> x<sup>2</sup> <u>y</u>"):
        assert piece in html
    assert "&lt;br&gt;" in markdown("`<br>`")
    for nested in ("<b>bold <i>it</i></b>", "<B>x<sub>2</sub> <i><u>y</u></i></B>"):
        assert nested.lower() in markdown(nested)
    assert "<b>a<br />" in markdown("<b>a<br>b</b>") and "&lt;b&gt;a <i>b</i>" in markdown("<b>a <i>b</i>")
    began = time.monotonic()
    for hostile in ("<b>" * 19_000, "<b><i>x</i>" * 5_000, "<b>" * 4 + "<i>x</i>" * 7_000, "<b><i>x</b></i>" * 4_000):
        markdown(hostile)
    assert time.monotonic() - began < 10
    assert "&lt;sub&gt;2" in markdown("H<sub>2") and "&lt;b id=x&gt;" in markdown("<b id=x>y</b>")


def test_boxes_of_a_list_are_drawn() -> None:
    html = markdown("- [ ] print **it**\n- [x] check\n- [y] no\n\n[ ] nor this")
    assert '<li class="box">☐ print <strong>it</strong></li>\n<li class="box">☑ check</li>' in html
    assert "<li>[y] no</li>" in html and "<p>[ ] nor this</p>" in html


def test_pictures_are_links_because_loading_one_tells_a_stranger() -> None:
    html = markdown("![a cat](https://example.org/cat.png)")
    assert "<img" not in html
    assert 'href="https://example.org/cat.png"' in html and "a cat" in html


def test_links_say_nothing_of_the_page() -> None:
    assert 'rel="noopener noreferrer nofollow"' in markdown("[x](https://example.org)")


def test_control_characters_are_made_visible() -> None:
    assert visible("a\x00b\x1b[31mc\r\nd\te") == "a\ufffdb\ufffd[31mc\nd\te"
    assert "\x1b" not in markdown("a\x1bb")


def test_directions_are_marked_and_never_overridden() -> None:
    assert visible("(C++)\u200e \u200fשלום") == "(C++)\u200e \u200fשלום"
    assert visible("a\u202eb\u202c \u2067c\u2069") == "ab c"
    assert "\u202e" not in escape("\u202e") and "\u202e" not in markdown("a\u202eb")


def test_a_block_runs_as_most_of_its_letters_do_and_code_counts_as_none() -> None:
    html = markdown("Python היא שפת תכנות\n\n- `git` ועוד C\n- GNU מערכת הפעלה\n\n| PDF קובץ להדפסה |\n|-|\n| a |")
    for piece in (
        '<p dir="rtl">Python',
        "<li><code",
        '<li dir="rtl">GNU',
        '<ul dir="auto">',
        'class="wide" dir="rtl"',
    ):
        assert piece in html
    html = markdown("> שלום is the Hebrew word for peace\n\nRuby `שלום` and שלום\n\nשלום")
    assert '<blockquote dir="ltr">\n<p dir="ltr">שלום' in html and "<p>Ruby" in html and "<p>שלום" in html
    assert lined("Python היא <שפה> נוחה\nso is Ruby") == '<bdi dir="rtl">Python היא &lt;שפה&gt; נוחה</bdi>\nso is Ruby'


def test_a_reply_that_is_being_written_looks_as_if_all_were_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "STEP", 40)
    markup._finished.cache_clear()
    odd = "1. a\n\n2. b\n\n   c\n\n> q\nlazy\n\nx\n===\n\n$$\na=b\n$$\n\n    code\n\n    more\n\n~~~\nopen\n\nstill"
    for text in (rich.TABLE, rich.HEBREW, odd):
        for end in range(len(text)):
            assert markdown(text[:end], coming=True) == markup._parser().render(text[:end], {"coming": True})
    markup._finished.cache_clear()


def test_a_very_long_reply_is_plain_text() -> None:
    html = markdown("**x** <b> " * MARKDOWN_LIMIT)
    assert html.startswith('<div class="plain" dir="auto">') and "<strong>" not in html and "<b>" not in html


def test_names_in_backticks_of_a_sentence_are_code() -> None:
    assert sentence("set `DUET_HOME` <now>") == "set <code>DUET_HOME</code> &lt;now&gt;"


def test_figures_that_stand_nowhere_else_are_marked_where_they_stand_alone() -> None:
    html = markdown("**17,803** of 117,803 or 17,803.5 is `17,803`; $17$ and 17,803.\n\n| 17,803 |\n|-|", ("17,803",))
    assert html.count("<mark") == 3 and html.count(">17,803</mark>") == 3
    assert '<code dir="ltr">17,803</code>' in html and "117,803" in html and "17,803.5" in html
    assert "<mark" not in markdown("17,803") and "<mark" not in markdown("17,803", ("17",))


def test_code_is_highlighted_and_keeps_every_character() -> None:
    code = "def f(x):\n\treturn '<b>$x$</b>'  # \\(y\\)\n\n\n"
    html = markdown(f"```python\n{code}```")
    assert '<span class="k">def</span>' in html
    assert unescape(re.sub("<[^>]*>", "", html.partition("<code>")[2])).startswith(code)
    assert "<span" not in markdown("```nonsense\ndef f()\n```")


def test_a_table_keeps_its_columns_to_their_sides() -> None:
    assert '<td style="text-align:right">1</td>' in markdown("| a | b |\n|---|--:|\n| x | 1 |")


def test_a_diagram_gets_a_place_beside_its_words_once_they_are_whole() -> None:
    said = '```mermaid\nflowchart LR\n  A --> B["<b>"]\n```'
    assert 'aria-label="Diagram"></div><figure class="code">' in markdown(said)
    assert "&lt;b&gt;" in markdown(said)
    assert "diagram" not in markdown(said, coming=True)
    key = re.compile(r'data-key="(\w+)"')
    assert key.findall(markdown(said)) != key.findall(markdown(said.replace("A", "C")))


def test_gradio_brings_one_mermaid() -> None:
    from chat.ui.page import _head

    assert _head().count('<meta name="duet-mermaid" content="assets/mermaid.core-') == 1
