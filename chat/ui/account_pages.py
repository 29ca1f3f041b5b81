"""The sign-in and one's own account as HTML, in the page's language; without a script (chat/access/sign_in.py)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from markupsafe import Markup

from chat.ui.language import _, attributes
from chat.ui.memory_routes import PAGES

STYLE = Markup((Path(__file__).parent / "accounts.css").read_text("utf-8"))  # nosec: our own


def page(**of: Any) -> str:
    """What accounts.html names: the account of `who`, or without one the sign-in."""
    return PAGES.get_template("accounts.html").render(_=_, attributes=Markup(attributes()), style=STYLE, day=_day, **of)


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
