"""How the page's own routes answer: the browser keeps nothing, and what goes wrong is one sentence."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.routing import APIRoute

from chat.faults import ChatFault, UnknownSession, sentence
from chat.ui.language import N_, _

UNREADABLE = N_("The page sent nothing that can be read; reload it and try again.")
UNKNOWN = N_("The page asks for what this Duet does not know: reload it.")
NO_CONVERSATION = N_("There is no such conversation; choose one from the list.")


Answer = dict[str, Any]
"""What the browser is told of a wish; nothing where it is done and that is all."""


class Unreadable(ChatFault):
    """A body that is no JSON object."""


async def _json_object(request: Request) -> dict[str, Any]:
    try:
        asked = await request.json()
        # Halves of characters, which nobody typed, can be neither stored nor sent back.
        asked = json.loads(json.dumps(asked, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise Unreadable(_(UNREADABLE))
    return asked


Asked = Annotated[dict[str, Any], Depends(_json_object)]
"""What the browser sent."""


class _Route(APIRoute):
    """Faults of what is asked for by a link are read there; those of wishes are part of the answer."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                response: Response = await handle(request)
            except ChatFault as fault:
                response = _refusal(request, fault)
            response.headers.setdefault("cache-control", "no-store")
            return response

        return answer


def _refusal(request: Request, fault: ChatFault) -> Response:
    if request.method == "GET":
        told = _(NO_CONVERSATION) if isinstance(fault, UnknownSession) else str(fault)
        return PlainTextResponse(told, 404)
    return JSONResponse({"fault": sentence(fault)}, 400 if isinstance(fault, Unreadable) else 200)


def router() -> APIRouter:
    return APIRouter(route_class=_Route, include_in_schema=False)


async def answered(done: Any) -> Answer:
    """What came of a wish, awaited where it can be; what gives no Answer has none."""
    done = await done if isawaitable(done) else done
    return done if isinstance(done, dict) else {}


def as_file(text: str, name: str, media: str) -> Response:
    """To be downloaded under this name."""
    named = f"attachment; filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": named, "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type=f"{media}; charset=utf-8", headers=headers)
