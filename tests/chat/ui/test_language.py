"""Every text of the page goes by gettext, and every catalogue has it, with the same places to fill."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from babel.messages.jslexer import tokenize
from starlette.datastructures import Headers

from chat.ui.drawing import fixed
from chat.ui.language import (
    SOURCE,
    _,
    attributes,
    catalogue,
    languages,
    month,
    ngettext,
    number,
    script_texts,
    speaking,
    wanted,
)  # fmt: skip
from tests.texts import MARKS, UI, template

OTHERS = [code for code in languages() if code != SOURCE]
FILES = sorted((*UI.rglob("*.py"), *UI.rglob("*.js"), *UI.rglob("*.html")))
NOT_SAID = {
    "Duet", "Markdown", "JSON", "OWNER/NAME/FILE.gguf", "Segoe UI", "Roboto", "Menlo", "Consolas",  # names
    "/world take", "/world go on", "/world undo", "/world close", "/world return \0", "go on",  # commands
    "ask share", "way gone", "trace own",  # classes
    "in no environment that aligns or breaks lines",  # of an error that nobody sees
    "Escape", "Enter",  # keys
    "Hira", "Hang", "Hani", "Latn",  # scripts
    "input, select, textarea",  # elements
}  # fmt: skip
"""What looks like a text and is none of the page's."""
_CODE = re.compile(r"[{}=#]|^\W|'self'|'none'|: \w+[;)]|\w-\w+: |/\w+; |Accept-Language|noindex|private, ")
_SELECTS = re.compile(r"(querySelector(All)?|closest|matches|matchMedia|map|find)$")
_ATTRIBUTE = re.compile(r'(?:aria-label|aria-description|title|placeholder|alt)="([^"]*)"')
_PLACE = re.compile(r"\{\w*\}|<[^>]*>")
HOLE = "\0"


# -- no text goes around gettext


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_text_goes_around_gettext(path: Path) -> None:
    assert around(path) == []


def around(path: Path) -> list[str]:
    """What a person could read in this file's strings and is no argument of gettext's."""
    reads = {".py": _python, ".js": _script, ".html": _page}[path.suffix]
    return [said for piece in reads(path.read_text("utf-8")) for said in _readable(piece) if said not in NOT_SAID]


def _python(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    seen = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if id(node) in seen:
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            seen |= {id(arg) for arg in node.args}
        elif isinstance(node, ast.JoinedStr):
            seen |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _script(source: str) -> Iterator[str]:
    before = ["", ""]
    depth = 0  # of parentheses within a call of gettext or of what takes a selector
    for token in tokenize(source):
        if depth or (token.value == "(" and (before[1] in MARKS or _SELECTS.search(before[1]))):
            depth += {"(": 1, ")": -1}.get(token.value, 0)
        elif token.type == "string":
            yield token.value[1:-1]
        elif token.type == "template_string":
            yield re.sub(r"\$\{[^{}]*\}", HOLE, token.value[1:-1])
        before = [before[1], token.value]


def _page(source: str) -> Iterator[str]:
    yield re.sub(r"\{\{.*?\}\}", HOLE, source)


def _readable(piece: str) -> Iterator[str]:
    if "<" in piece:
        yield from (text for text in _ATTRIBUTE.findall(piece) if re.search("[A-Za-z]{2}", text))
        texts = [text.strip(" ·\n") for text in re.split(HOLE, re.sub(r"^[^<>]*>|<[^>]*>?", HOLE, piece))]
        yield from (text for text in texts if re.search("[A-Za-z]{2}", text) and not _CODE.search(text))
    elif re.search(r"[A-Za-z]{2,}[,.:;]? [A-Za-z]|^[A-Z][a-z]+\W*$", piece) and not _CODE.search(piece):
        yield piece


def test_the_search_for_such_texts_finds_them(tmp_path: Path) -> None:
    python, script = tmp_path / "one.py", tmp_path / "one.js"
    python.write_text("""x = f'<b title="Read me">Hello {name} you</b>' + _("Fine here") + 'Not so fine'""")
    script.write_text("""toast(_("Fine here")); toast("Not so fine"); x = `<p>Hello ${name}</p>`; y = "b text";""")
    assert sorted(around(python)) == ["Hello", "Not so fine", "Read me", "you"]
    assert sorted(around(script)) == ["Hello", "Not so fine"]


def test_the_style_says_nothing() -> None:
    for path in UI.rglob("*.css"):
        assert re.findall(r'content: "[^"]*[A-Za-z]{2}[^"]*"', path.read_text("utf-8")) == []


# -- the catalogues


@pytest.mark.slow
@pytest.mark.parametrize("code", OTHERS)
def test_every_text_has_a_translation_with_the_same_places(code: str) -> None:
    own = {_key(message.id): message for message in catalogue(code) if message.id}
    sources = [message.id for message in template() if message.id]
    assert [_key(source) for source in sources if _key(source) not in own] == []
    assert [key for key in own if key not in {_key(source) for source in sources}] == [], "gone from the page"
    wrong = {}
    for source in sources:
        message = own[_key(source)]
        said = [message.string] if isinstance(message.string, str) else list(message.string or ())
        if message.fuzzy or not all(_fits(source, form) for form in said) or not said:
            wrong[_key(source)] = said
    assert wrong == {}


def _key(source: object) -> str:
    return source if isinstance(source, str) else source[0]  # type: ignore[index]


def _fits(source: object, form: str) -> bool:
    """It says something, fills the same places (of a plural's few forms may leave out the number), and ends no
    attribute, tag or template of Gradio's."""
    many = source if isinstance(source, str) else source[1]  # type: ignore[index]
    places, wanted = sorted(_PLACE.findall(form)), sorted(_PLACE.findall(many))
    same = places == wanted or (many is not source and sorted([*places, "{n}"]) == wanted)
    return bool(form.strip()) and same and not re.search(r"[\\`]|\$\{|\{\{", form) and '"' not in _PLACE.sub("", form)


@pytest.mark.parametrize("code", OTHERS)
def test_a_plural_has_the_language_s_number_of_forms(code: str) -> None:
    forms = [message.string for message in catalogue(code) if isinstance(message.id, tuple)]
    assert forms and {len(form) for form in forms if form} == {catalogue(code).num_plurals}


@pytest.mark.parametrize("code", OTHERS)
def test_every_language_can_be_chosen_and_changes_what_is_said(code: str) -> None:
    with speaking(code):
        assert f'<option value="{code}"' in fixed("settings-head", user="ada")
        assert _("Settings") != "Settings" and _("Settings") in fixed("top")
        assert f'lang="{code}"' in attributes()
    assert "Settings" in fixed("top")


def test_the_forms_of_a_plural_are_those_of_the_language() -> None:
    with speaking("ar"):
        said = [ngettext("{n} step", "{n} steps", count) for count in (1, 2, 3, 11, 100)]
        assert len(set(said)) == 5 and "11" in said[3]
        assert 'dir="rtl"' in attributes()
    assert '"few"' in script_texts("ar") and '"other"' in script_texts("de")


def test_numbers_and_months_are_written_as_the_language_does() -> None:
    assert number(1234.56, 1) == "1,234.6"
    with speaking("de"):
        assert (number(1234.56, 1), month(date(2026, 3, 1))) == ("1.234,6", "März 2026")
    with speaking("fr"):
        assert month(date(2026, 8, 1)) == "août 2026"


# -- which language a request wants


@pytest.mark.parametrize(
    ("accepts", "cookie", "code"),
    [
        ("", "", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "", "de"),
        ("it,fr;q=0.5,es;q=0.7", "", "es"),
        ("it", "", "en"),
        ("fr;q=0, ar-EG;q=0.1", "", "ar"),
        ("de", "fr", "fr"),
        ("de", "xx", "de"),
        ("de", "../../etc", "de"),
        ("*;q=1, ,;;,\u00fc", "", "en"),
    ],
)
def test_a_choice_comes_before_what_the_browser_accepts(accepts: str, cookie: str, code: str) -> None:
    raw = [(b"accept-language", accepts.encode("latin-1")), (b"cookie", f"duet-language={cookie}".encode())]
    assert wanted(Headers(raw=raw)) == code
