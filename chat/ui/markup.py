"""Words of people, models and worlds as safe HTML. Nothing that they write reaches the page as markup of their own.

Markdown is rendered here, on the server, by markdown-it with HTML switched off: a tag is shown as the text it is,
where a sanitizer in the browser would drop it; but for a few without attributes, for which Markdown has no sign.
Links lead to http, https or mail only, and pictures become links, because loading one would tell a stranger's server
that the reply was read. Formulas are maths.py's.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any
from unicodedata import bidirectional

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from chat.ui.language import N_, _, language
from chat.ui.maths import maths

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Where the letters lie that run from right to left."""
_WAYS = {"L", "R", "AL"}
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Control characters, which could hide words, as the replacement character; none that could reorder words.

    The marks U+200E and U+200F override nothing and stay: Arabic and Hebrew need them.
    """
    return _REORDERING.sub("", _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))


def escape(text: object) -> str:
    """Text for an element or a quoted attribute."""
    return html.escape(visible(str(text)), quote=True)


MARKDOWN_LIMIT = 60_000
"""Characters; longer replies are shown as plain text, so that one reply cannot keep the server busy."""
STEP = 2_000
"""Characters of a reply that is being written, after which what is whole of it is drawn once."""
UNFOUNDED = N_("This figure stands nowhere in the conversation or the result")

LONGEST = 20_000
"""Characters; longer code is shown in one colour."""
LANGUAGES = frozenset(
    {
        "bash", "c", "c++", "cpp", "cs", "csharp", "css", "diff", "dockerfile", "go", "golang", "haskell", "html",
        "ini", "java", "javascript", "js", "json", "jsx", "julia", "kotlin", "latex", "lua", "make", "makefile",
        "matlab", "objective-c", "perl", "php", "powershell", "py", "python", "python3", "pycon", "r", "rb", "ruby",
        "rs", "rust", "scala", "sh", "shell", "sql", "swift", "tex", "toml", "ts", "tsx", "typescript", "xml",
        "yaml", "yml", "zsh",
    }
)  # fmt: skip
"""Of Pygments' some five hundred lexers those that are looked after most."""
LINK = '<a href="{}" target="_blank" rel="noopener noreferrer nofollow">'
INLINE = '<code dir="ltr">{}</code>'
WIDE = '<div class="wide" dir="{}" tabindex="0" role="group" aria-label="{}"><table>'
_LINK = re.compile(r"(?i)^(https?://|mailto:|#)")
_SMALL, _WORDS = "sub|sup|u|b|i|kbd", "[^<>]{1,500}"
for _depth in "321":  # complete tags within tags, so deep at most
    _WORDS = rf"(?:[^<>]|<(?:br\s*/?|(?P<in{_depth}>{_SMALL})>{_WORDS}</(?P=in{_depth}))>){{1,500}}"
_TAG = re.compile(rf"(?i)<(?:br\s*/?|(?P<name>{_SMALL})>(?P<words>{_WORDS})</(?P=name))>")
_BOXES = {"[ ] ": "\u2610 ", "[x] ": "\u2611 ", "[X] ": "\u2611 "}


def sentence(text: object) -> Markup:
    """A sentence of ours, whose names in backticks are shown as code."""
    return Markup(re.sub(r"`([^`]{1,200})`", r"<code>\1</code>", escape(text)))  # nosec B704


def fault(text: object) -> Markup:
    """What went wrong, where something else was to be seen."""
    return Markup('<p class="fault" role="alert">{}</p>').format(sentence(text))


def markdown(text: str, unfounded: Sequence[str] = (), *, coming: bool = False) -> str:
    """A reply as HTML. `unfounded`: figures in it to be marked; `coming`: it is still being written."""
    if len(text) > MARKDOWN_LIMIT:
        return f'<div class="plain" dir="auto">{escape(text)}</div>'
    return _growing(visible(text)) if coming else _kept(text, tuple(unfounded), language())


@lru_cache(maxsize=512)
def _kept(text: str, unfounded: tuple[str, ...], spoken: str) -> str:
    """The same text is rendered once in a language: finished turns are shown over and over."""
    return str(_parser().render(visible(text), {"unfounded": unfounded}))


def _growing(text: str) -> str:
    """A reply that is being written: only what may still change is rendered each time."""
    at, html = _finished(text[: len(text) // STEP * STEP], language())
    return html + str(_parser().render(text[at:], {"coming": True}))


@lru_cache(maxsize=32)
def _finished(text: str, spoken: str) -> tuple[int, str]:
    """Up to where blocks reach that no later word changes, all but the last, and their HTML."""
    if not text:
        return 0, ""
    at, html = _finished(text[:-STEP], spoken)
    parser, lines, env = _parser(), text[at : text.rfind("\n") + 1], {"coming": True}
    blocks = parser.parse(lines, env)
    last = max((n for n, token in enumerate(blocks) if token.level == 0 and token.nesting >= 0), default=0)
    begins = blocks[last].map if last else None
    if not begins:
        return at, html
    done = sum(len(line) + 1 for line in lines.split("\n")[: begins[0]])
    return at + done, html + str(parser.renderer.render(blocks[:last], parser.options, env))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.use(maths)
    parser.inline.ruler.before("html_inline", "tag", _tag)
    parser.core.ruler.after("text_join", "boxes", _boxes)
    parser.core.ruler.push("directed", _directed)
    parser.core.ruler.after("text_join", "unfounded", _mark)
    parser.validateLink = lambda url: bool(_LINK.match(url.strip()))  # type: ignore[method-assign]
    parser.add_render_rule("link_open", lambda _, tokens, at, *__: LINK.format(escape(tokens[at].attrGet("href"))))
    parser.add_render_rule("image", _picture)
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule("code_inline", lambda _, tokens, at, *__: INLINE.format(escape(tokens[at].content)))
    parser.add_render_rule("unfounded", _unfounded)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", lambda *_args: "</table></div>")
    return parser


def _tag(state: StateInline, silent: bool) -> bool:
    """A line break, also in a table's cell, and small marks around words (H<sub>2</sub>O)."""
    if not (found := _TAG.match(state.src, state.pos, state.posMax)):
        return False
    if not silent and (name := (found["name"] or "").lower()):
        most = state.posMax
        state.push(f"{name}_open", name, 1)
        state.pos, state.posMax = found.span("words")
        state.md.inline.tokenize(state)
        state.posMax = most
        state.push(f"{name}_close", name, -1)
    elif not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _boxes(state: StateCore) -> None:
    """A list's items with boxes: to be done, and done."""
    for item, words in zip(state.tokens, state.tokens[2:], strict=False):
        first = words.children[0] if words.children else words
        if item.type == "list_item_open" and first.type == "text" and (box := _BOXES.get(first.content[:4])):
            first.content = box + first.content[4:]
            item.attrSet("class", "box")


def _directed(state: StateCore) -> None:
    """A list's signs and a quotation's bar stand where its words begin; so runs all else, by page.css, but for blocks
    of which most letters run the other way than the first."""
    around: list[tuple[Token, list[str]]] = []
    for token in state.tokens:
        if token.nesting > 0:
            around.append((token, []))
        elif token.nesting < 0:
            begun, words = around.pop()
            if way := _way("".join(words)):
                begun.attrSet("dir", way)
            elif token.level == 0 and begun.type in ("bullet_list_open", "ordered_list_open", "blockquote_open"):
                begun.attrSet("dir", "auto")
            if around:
                around[-1][1].extend(words)
        elif token.type == "inline" and around:
            around[-1][1].extend(part.content for part in token.children or () if part.type == "text")


def _way(words: str) -> str:
    """rtl or ltr, where most letters run that way and the first one does not."""
    if not _LEFTWARD.search(words):
        return ""
    ways = [way for way in map(bidirectional, words) if way in _WAYS]
    ltr = ways.count("L")
    most = "ltr" if 2 * ltr > len(ways) else "rtl" if 2 * ltr < len(ways) else ""
    return most if most and most != ("ltr" if ways[0] == "L" else "rtl") else ""


def lined(text: str) -> Markup:
    """What a person said, of which each line runs as most of it does."""
    lines = ((escape(line), _way(line)) for line in visible(text).split("\n"))
    return Markup("\n".join(f'<bdi dir="{way}">{line}</bdi>' if way else line for line, way in lines))  # nosec B704


def _table(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return WIDE.format(tokens[index].attrGet("dir") or "auto", _("Table"))


def _picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    link = LINK.format(escape(tokens[index].attrGet("src")))
    return f"{link}{escape(tokens[index].content or _('picture'))}</a>"


def _code(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    language, content = (tokens[index].info.split() or [""])[0], tokens[index].content
    shown = figure(content, language)
    if language.lower() != "mermaid" or env.get("coming"):
        return shown
    key = zlib.crc32(content.encode())  # another text is another picture
    place = f'<div class="diagram" data-own tabindex="0" role="group" aria-label="{_("Diagram")}"></div>'
    return f'<div class="drawn" data-key="{key:08x}">{place}{shown}</div>'


# -- code, highlighted where its language is a known one, with a button that copies it


def figure(code: str, language: str = "", more: str = "") -> str:
    """The code under its language's name. more: HTML of further buttons."""
    caption, copy = escape(language[:24] or _("code")), _("Copy")
    shown = highlighted(visible(code), language.lower())
    return (
        f'<figure class="code"><figcaption>{caption}{more}<button type="button" data-do="copy-code">{copy}'
        f'</button></figcaption><pre tabindex="0"><code>{shown}</code></pre></figure>'
    )


@lru_cache(maxsize=256)
def highlighted(code: str, language: str) -> str:
    """The code with `span`s of Pygments' short class names; nothing but its own characters otherwise."""
    if language not in LANGUAGES or len(code) > LONGEST:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


# -- figures that stand nowhere else


def _mark(state: StateCore) -> None:
    """Parts the text at the figures that are to be marked; those in code stay as they are."""
    if not (figures := state.env.get("unfounded")):
        return
    either = "|".join(map(re.escape, sorted(figures, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w.,])({either})(?!\d|[.,]\d)")
    for block in state.tokens:
        if block.type == "inline" and block.children:
            block.children = [part for child in block.children for part in _parted(child, pattern)]


def _parted(token: Token, pattern: re.Pattern[str]) -> list[Token]:
    if token.type != "text" or not pattern.search(token.content):
        return [token]
    pieces = pattern.split(token.content)  # text and figures in turn
    kinds = ("text", "unfounded")
    return [Token(kinds[n % 2], "", 0, content=piece, level=token.level) for n, piece in enumerate(pieces) if piece]


def _unfounded(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<mark class="unfounded" data-do="explain" title="{_(UNFOUNDED)}">{escape(tokens[index].content)}</mark>'
