"""What the browser may ask of Gradio: the few routes that the page needs, with files that were uploaded to it.

Gradio was made to show files, and three of its habits open the machine to whoever reaches the page. A mounted page
counts as not launched, and then any path sent in place of an upload is copied to where `file=` serves it. An answer
that repeats such a path is copied too, of a launched page from the working and temporary folders. And a path that is
an address is fetched. So the page counts as launched, answers with nothing as it came (page.py), and this stands
before Gradio.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat.access.accounts import Person
from chat.access.person import KEY
from chat.ui.language import _

PREFIX = "/gradio_api/"
NEEDED = frozenset(
    {
        "queue/join", "queue/data", "upload", "upload_progress", "heartbeat", "reset", "cancel", "info", "app_id",
        "startup-events", "theme.css", "login_check", "user",
    }
)  # fmt: skip
"""Below PREFIX. Files are given to the page and never taken from it, so no route that serves files is here."""
TOLD = frozenset({"queue/join", "cancel", "reset"})
"""Those whose body names a page."""
REMEMBERED = 20_000
"""Open pages."""


class Guard:
    """Refuses every other route of Gradio's, events that name a file which nobody uploaded, and streams of others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._tabs = app, Tabs()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            return await self._app(scope, receive, send)
        route = scope["path"].removeprefix(PREFIX).rstrip("/")
        if route not in NEEDED and not route.startswith("heartbeat/"):
            return await PlainTextResponse(_("The page has no such route."), 404)(scope, receive, send)
        body = b""
        if route in TOLD:
            body = await Request(scope, receive).body()
            receive = _again(body, receive)
        if route == "queue/join" and not harmless(body):
            refusal = PlainTextResponse(_("This names a file that was not uploaded to the page."), 403)
            return await refusal(scope, receive, send)
        if not self._tabs.let(scope.get(KEY), *_tabs_named(scope, route, body)):
            return await PlainTextResponse(_("This is the page of somebody else."), 403)(scope, receive, send)
        return await self._app(scope, receive, send)


class Tabs:
    """Whose open pages are whose: each names itself by a random word, and what it is told is nobody else's."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, str] = OrderedDict()

    def let(self, person: Person | None, *names: str) -> bool:
        """Whether this person may speak for these pages; a name belongs to whoever uses it first."""
        user = person.name if person else ""
        for name in names:
            if self._of.setdefault(name, user) != user:
                return False
            self._of.move_to_end(name)
        while len(self._of) > REMEMBERED:
            self._of.popitem(last=False)
        return True


def _tabs_named(scope: Scope, route: str, body: bytes) -> list[str]:
    """The names of pages in the address and in the body."""
    query, told = dict(parse_qsl(scope["query_string"].decode("latin-1"))), _read(body)
    named = [query.get("session_hash", ""), route.partition("heartbeat/")[2]]
    named += [str(told.get("session_hash") or "")] if isinstance(told, dict) else []
    return [name[:200] for name in named if name]


def harmless(body: bytes) -> bool:
    """Whether an event's JSON names only files that were uploaded; False for what is no JSON."""
    told = _read(body)
    return told is not None and all(_was_uploaded(path) for path in _paths(told))


def _read(body: bytes) -> Any:
    """None for what is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _paths(data: Any) -> Iterator[object]:
    """What Gradio may take for the path of a file, at any depth."""
    todo = [data]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            if "path" in part:
                yield part["path"]
            todo += part.values()
        elif isinstance(part, list):
            todo += part


def _was_uploaded(path: object) -> bool:
    from gradio.utils import get_upload_folder

    try:
        return isinstance(path, str) and Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve())
    except ValueError:  # for what can be no path
        return False


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, for the next reader; after it whatever the browser does."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return left.pop() if left else await receive()

    return read
