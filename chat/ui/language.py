"""The language of the page's own texts: which one a request wants, and what they are in it, by gettext.

Sources are English and stand where they are used, as `_("Settings")`; locale/LANGUAGE/LC_MESSAGES/duet.po has each of
them in a language, and a folder there is all that a language takes (docs/new_language.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache, lru_cache, partial
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import Any

from babel import Locale, negotiate_locale
from babel.dates import format_skeleton
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from markupsafe import Markup
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat.access.door import cookie

SOURCE = "en"
LOCALE = Path(__file__).parent / "locale"
COOKIE = "duet-language"
"""What a person chose in the settings; without it the browser's languages count."""
COUNTS = (*range(200), 1_000_000)
"""Numbers in which each form of a plural occurs."""
_SPOKEN: ContextVar[str] = ContextVar("spoken", default=SOURCE)


# -- what is there


@cache
def languages() -> dict[str, str]:
    """code -> the language's own name; the source comes first."""
    codes = [SOURCE, *sorted(path.parents[1].name for path in LOCALE.glob("*/LC_MESSAGES/duet.po"))]
    return {code: str(Locale.parse(code).get_display_name(code)).title() for code in codes}


@cache
def catalogue(code: str) -> Catalog:
    """Of a language that is not the source."""
    with (LOCALE / code / "LC_MESSAGES" / "duet.po").open("rb") as file:
        return read_po(file, locale=code, domain="duet")


@cache
def _translations(code: str) -> NullTranslations:
    if code == SOURCE or code not in languages():
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue(code))
    compiled.seek(0)
    return GNUTranslations(compiled)


# -- texts, numbers and days in the language that is spoken


def language() -> str:
    """The code of the one that is spoken now."""
    return _SPOKEN.get()


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Within it, this language is spoken."""
    token = _SPOKEN.set(code)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def _(text: str) -> str:
    return _translations(language()).gettext(text) if text else ""


def ngettext(one: str, many: str, count: int, **values: str) -> str:
    """The text for so many, in which `{n}` is their number."""
    return _translations(language()).ngettext(one, many, count).format(n=number(count), **values)


def N_(text: str) -> str:
    """Marks the text of a constant, which is put into a language where it is shown."""
    return text


def number(value: float, digits: int = 0) -> str:
    """With the language's marks for thousands and decimals."""
    return _number(round(value, digits) + 0, digits, language())  # -0.0 + 0 is 0.0


@lru_cache(maxsize=2048)
def _number(value: float, digits: int, code: str) -> str:
    """Babel takes a tenth of a millisecond, and a turn is drawn with all its numbers at each of its steps."""
    return str(format_decimal(value, "#,##0" + ("." + "0" * digits if digits else ""), code))


def month(day: date) -> str:
    """`November 2026`."""
    return format_skeleton("yMMMM", day, locale=language())


def attributes() -> Markup:
    """What stands on the page's `html`."""
    return Markup('lang="{}" dir="{}"').format(_tag(language()), Locale.parse(language()).text_direction)


def _tag(code: str) -> str:
    """As browsers write it: zh-Hant where a folder is called zh_Hant."""
    return code.replace("_", "-")


@cache
def script_texts(code: str) -> Markup:
    """What static/words.js reads: the texts that scripts show."""
    texts: dict[str, Any] = {}
    for message in catalogue(code) if code != SOURCE else ():
        if message.id and message.string and any(path.endswith(".js") for path, _line in message.locations):
            source, said = message.id, message.string
            texts[source if isinstance(source, str) else source[0]] = (
                said if isinstance(said, str) else _forms(code, said or ())
            )
    told = json.dumps({"language": _tag(code), "texts": texts}, ensure_ascii=False).replace("<", "\\u003c")
    # Of our own catalogue, in which nothing ends a script.
    return Markup(f'<script type="application/json" id="duet-words">{told}</script>')  # nosec B704


def _forms(code: str, forms: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Those of a plural by the names that the browser has for them: one, two, few, many, other."""
    rule, which = Locale.parse(code).plural_form, _translations(code).plural  # type: ignore[attr-defined]
    return {rule(count): forms[which(count)] for count in COUNTS}


# -- who wants which


def wanted(headers: Headers) -> str:
    """The one that was chosen, else the first of the browser's that there is."""
    chosen = cookie(headers, COOKIE)
    if chosen in languages():
        return chosen
    there = {_tag(code): code for code in languages()}
    found = negotiate_locale(_accepted(headers.get("accept-language", "")), list(there), sep="-")
    return there.get(found or "", SOURCE)


def _accepted(header: str) -> list[str]:
    """`fr;q=0.5, de-AT` -> de-AT, fr."""
    weighed = []
    for part in header[:500].split(","):
        code, _sep, weight = part.partition(";")
        quality = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", weight)
        weighed.append((-float(quality[1]) if quality else -1.0, code.strip()))
    return [code for weight, code in sorted(weighed, key=itemgetter(0)) if weight]


def spoken_to(scope: Scope) -> AbstractContextManager[None]:
    """Within it, the language of this request is spoken."""
    return speaking(wanted(Headers(scope=scope)))


class Speaking:
    """Speaks to each request in its language; Gradio's page, which knows one only, is told which on its way out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        with spoken_to(scope):
            whole = scope["path"] == "/" and scope["method"] == "GET"
            await self._app(scope, receive, partial(_told, [], send) if whole else send)
        return None


async def _told(before: list[Message], send: Send, message: Message) -> None:
    """Gathers the messages of the one document, and names its language in it."""
    if message["type"] not in ("http.response.start", "http.response.body"):
        return await send(message)
    before.append(message)
    if message["type"] != "http.response.body" or message.get("more_body"):
        return None
    start, body = before[0], b"".join(each.get("body", b"") for each in before)
    headers = MutableHeaders(scope=start)
    if headers.get("content-type", "").startswith("text/html"):
        page = re.sub(r'<html\s+lang="en"', lambda _match: f"<html {attributes()}", body.decode(), count=1)
        body = page.replace("<head>", f"<head>{script_texts(language())}", 1).encode()
        headers["content-length"] = str(len(body))
        headers["vary"] = "Accept-Language, Cookie"
    await send(start)
    return await send({"type": "http.response.body", "body": body})
