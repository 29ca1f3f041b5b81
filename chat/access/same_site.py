"""Whose pages may ask: a browser says which site a request comes from, and what other sites send is refused.

The Host header is checked beside this (DNS rebinding): a foreign name that resolves to this machine is none of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from chat.access.elsewhere import address_of

LOCAL = ("127.0.0.1", "localhost", "::1")
REFUSED = "This page takes requests of its own only."


class SameSite:
    """Refuses requests to another name than ours (421) and those that pages of other sites send (403)."""

    def __init__(self, app: ASGIApp, names: Sequence[str], any_address: bool = False) -> None:
        """`any_address`: numeric hosts are ours too, since no name was resolved to come to them."""
        self._app, self._any = app, any_address
        self._names = frozenset(name.lower() for name in (*LOCAL, *names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if not self._ours(headers.getlist("host")):
            return await refuse(
                scope, receive, send, 421, "Duet does not go by this name: who runs it adds it to DUET_NAMES."
            )
        if foreign(headers, navigates=scope["type"] == "http" and scope["method"] in ("GET", "HEAD")):
            return await refuse(scope, receive, send, 403, REFUSED)
        return await self._app(scope, receive, send)

    def _ours(self, hosts: Sequence[str]) -> bool:
        name = host_name(hosts[0]) if len(hosts) == 1 else ""
        return name in self._names or (self._any and address_of(name) is not None)


async def refuse(scope: Scope, receive: Receive, send: Send, code: int, why: str) -> None:
    """One sentence; a websocket is closed before it opens."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(why, code)(scope, receive, send)


def foreign(headers: Headers, *, navigates: bool) -> bool:
    """Whether a page of another origin sent this; `navigates`: it may be a link that a person followed.

    Programs that are no browsers say nothing of where they come from: what they send is not a page's doing.
    """
    origins = headers.getlist("origin")
    if origins and (len(origins) > 1 or origins[0].partition("://")[2].lower() != headers.get("host", "").lower()):
        return True
    site = headers.get("sec-fetch-site", "none")
    followed = navigates and (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return site not in ("same-origin", "none") and not followed


def host_name(host: str) -> str:
    """A Host header's name, lower case, without port and brackets; "" for what can be none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for what is no number
    except ValueError:
        return ""
    plain = parts.netloc == host and "@" not in host
    return (parts.hostname or "") if plain else ""
