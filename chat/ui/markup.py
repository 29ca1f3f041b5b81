"""Words of people and models as safe HTML. Nothing that they write reaches the page as markup of their own.

Markdown is rendered here, on the server, by markdown-it with HTML switched off: a tag is shown as the text it is,
where a sanitizer in the browser would drop it. Links lead to http, https or mail only, and pictures become links,
because loading one would tell a stranger's server that the reply was read. Formulas are maths.py's, code is code.py's.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from chat.ui.code import figure
from chat.ui.escaping import escape, visible
from chat.ui.language import N_, _, language
from chat.ui.maths import maths

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

__all__ = ["escape", "markdown", "sentence", "visible"]

MARKDOWN_LIMIT = 60_000
"""Characters; longer replies are shown as plain text, so that one reply cannot keep the server busy."""
UNFOUNDED = N_("This figure stands nowhere in the conversation or the result")

_LINK = re.compile(r"(?i)^(https?://|mailto:|#)")


def sentence(text: object) -> Markup:
    """A sentence of ours, whose names in backticks are shown as code."""
    return Markup(re.sub(r"`([^`]{1,200})`", r"<code>\1</code>", escape(text)))  # nosec B704


def fault(text: object) -> Markup:
    """What went wrong, where something else was to be seen."""
    return Markup('<p class="fault" role="alert">{}</p>').format(sentence(text))


def markdown(text: str, unfounded: Sequence[str] = (), *, coming: bool = False) -> str:
    """A reply as HTML. `unfounded`: figures in it to be marked; `coming`: it is still being written."""
    return _rendered(text, (), True) if coming else _kept(text, tuple(unfounded), language())


@lru_cache(maxsize=512)
def _kept(text: str, unfounded: tuple[str, ...], spoken: str) -> str:
    """The same text is rendered once in a language: finished turns are shown over and over."""
    return _rendered(text, unfounded, False)


def _rendered(text: str, unfounded: tuple[str, ...], coming: bool) -> str:
    if len(text) > MARKDOWN_LIMIT:
        return f'<div class="plain">{escape(text)}</div>'
    return str(_parser().render(visible(text), {"unfounded": unfounded, "coming": coming}))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.use(maths)
    parser.core.ruler.after("text_join", "unfounded", _mark)
    parser.validateLink = lambda url: bool(_LINK.match(url.strip()))  # type: ignore[method-assign]
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _picture)
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule("unfounded", _unfounded)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("table_close", lambda *_args: "</table></div>")
    return parser


def _table(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<div class="wide" tabindex="0" role="group" aria-label="{_("Table")}"><table>'


def _link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<a href="{escape(tokens[index].attrGet("href"))}" target="_blank" rel="noopener noreferrer nofollow">'


def _picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    source = escape(tokens[index].attrGet("src"))
    words = escape(tokens[index].content or _("picture"))
    return f'<a href="{source}" target="_blank" rel="noopener noreferrer nofollow">{words}</a>'


def _code(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    language, content = (tokens[index].info.split() or [""])[0], tokens[index].content
    shown = figure(content, language)
    if language.lower() != "mermaid" or env.get("coming"):
        return shown
    key = zlib.crc32(content.encode())  # another text is another picture
    place = f'<div class="diagram" data-own tabindex="0" role="group" aria-label="{_("Diagram")}"></div>'
    return f'<div class="drawn" data-key="{key:08x}">{place}{shown}</div>'


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
    from markdown_it.token import Token

    if token.type != "text" or not pattern.search(token.content):
        return [token]
    pieces = pattern.split(token.content)  # text and figures in turn
    kinds = ("text", "unfounded")
    return [Token(kinds[n % 2], "", 0, content=piece, level=token.level) for n, piece in enumerate(pieces) if piece]


def _unfounded(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<mark class="unfounded" data-do="explain" title="{_(UNFOUNDED)}">{escape(tokens[index].content)}</mark>'
