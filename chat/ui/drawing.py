"""Parts of the page by the jinja2 templates beside this module. All words in them are escaped (markup.py)."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from chat.ui.fields import in_steps
from chat.ui.language import COOKIE, _, attributes, languages, ngettext, number
from chat.ui.markup import escape, sentence
from tools.domains import abouts


def drawn(name: str, /, **values: object) -> str:
    """The template of that name, with texts in the language that is spoken."""
    return _environment().get_template(name).render(values)


def macros(name: str, /, **helpers: object) -> Any:
    """Those of a template, by their names: each called gives HTML in the language that is spoken.

    `helpers`: what the template calls besides; the same each time.
    """
    return _environment().get_template(name, globals=helpers).module


def fixed(name: str, /, **values: object) -> str:
    """A part of the page's fixed markup (page.html), by the element's id."""
    made = str(getattr(macros("page.html"), name.replace("-", "_"))(**values))
    return made.replace(">\n<", "><")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else Markup(escape(value)),  # nosec B704
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        _=_, ngettext=ngettext, number=number, in_steps=in_steps, sentence=sentence, attributes=attributes,
        quote=partial(quote, safe=""), languages=languages, desks=abouts, COOKIE=COOKIE,
    )  # fmt: skip
    icons = made.get_template("icons.html").module
    made.globals.update(icon=icons.icon, button=icons.button)  # type: ignore[attr-defined]
    return made
