"""Words of people and models as safe HTML. Nothing that they write reaches the page as markup of their own.

Markdown is rendered here, on the server, by markdown-it with HTML switched off: a tag is shown as the text it is,
where a sanitizer in the browser would drop it. Links lead to http, https or mail only, and pictures become links,
because loading one would tell a stranger's server that the reply was read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MARKDOWN_LIMIT = 20_000
"""Characters; longer replies are shown as plain text, so that one reply cannot keep the server busy."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINK = re.compile(r"(?i)^(https?://|mailto:|#)")


def visible(text: str) -> str:
    """Control characters and direction overrides, which could hide or reorder words, as the replacement character."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def escape(text: object) -> str:
    """Text for an element or a quoted attribute."""
    return html.escape(visible(str(text)), quote=True)


def sentence(text: object) -> str:
    """A sentence of ours, whose names in backticks are shown as code."""
    return re.sub(r"`([^`]{1,200})`", r"<code>\1</code>", escape(text))


@lru_cache(maxsize=512)
def markdown(text: str) -> str:
    """A reply as HTML. The same text is rendered once: finished turns are shown over and over."""
    if len(text) > MARKDOWN_LIMIT:
        return f'<div class="plain">{escape(text)}</div>'
    return str(_parser().render(visible(text)))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: bool(_LINK.match(url.strip()))  # type: ignore[method-assign]
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("image", _picture)
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule("table_open", lambda *_: '<div class="wide"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<a href="{escape(tokens[index].attrGet("href"))}" target="_blank" rel="noopener noreferrer nofollow">'


def _picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    source = escape(tokens[index].attrGet("src"))
    words = escape(tokens[index].content or "picture")
    return f'<a href="{source}" target="_blank" rel="noopener noreferrer nofollow">{words}</a>'


def _code(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    language = escape((tokens[index].info.split() or ["code"])[0][:24])
    return (
        f'<figure class="code"><figcaption>{language}<button type="button" data-do="copy-code">Copy</button>'
        "</figcaption>"
        f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre></figure>'
    )
