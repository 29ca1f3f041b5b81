"""Code as HTML: highlighted where its language is a known one, with a button that copies it."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from chat.ui.escaping import escape, visible
from chat.ui.language import _

if TYPE_CHECKING:
    from pygments.formatters import HtmlFormatter

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
    from pygments import highlight
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, _formatter()))


@cache
def _formatter() -> HtmlFormatter[str]:
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter(nowrap=True)
