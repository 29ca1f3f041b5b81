"""Parts of the page by the jinja2 templates beside this module. All words in them are escaped (escaping.py)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from chat.ui import icons
from chat.ui.escaping import escape
from chat.ui.fields import in_steps
from chat.ui.language import _, ngettext, number


def drawn(name: str, **values: object) -> str:
    """The template of that name, with texts in the language that is spoken."""
    return _environment().get_template(name).render(values)


def macros(name: str) -> Any:
    """Those of a template, by their names: each called gives HTML in the language that is spoken."""
    return _environment().get_template(name).module


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = {"_": _, "ngettext": ngettext, "number": number, "in_steps": in_steps}
    made.globals.update(icon=_icon, button=_button, **texts)
    return made


def _escaped(value: Any) -> Markup:
    safe = isinstance(value, int | float) or hasattr(value, "__html__")
    return Markup(value if safe else escape(value))  # nosec B704


def _icon(name: str) -> Markup:
    return Markup(icons.icon(name))  # nosec B704


def _button(do: str, label: str, name: str, **more: Any) -> Markup:
    return Markup(icons.button(do, label, name, **more))  # nosec B704
