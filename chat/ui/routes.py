"""The page's routes besides Gradio's (stream, list, exports, own files), and what the browser may load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders

from chat.access.person import asking, own_session
from chat.faults import ChatFault
from chat.ui import listed, shared
from chat.ui.actions import Actions
from chat.ui.fields import UNREADABLE, json_object, strings
from chat.ui.follow import SHOWN, Nudges, server_sent, updates
from chat.ui.gallery import add_gallery
from chat.ui.hearing import add_hearing
from chat.ui.language import N_, _
from chat.ui.memory_routes import add_memory_routes
from chat.ui.own_routes import add_own_routes
from chat.ui.picker import add_picker
from tools.pictures import MEDIA
from tools.worlds.world import WorldFault

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from chat.app import Duet
    from chat.transcript import Transcript

Count = Annotated[int, Query(ge=0, le=1_000_000)]
SHARED = "/shared/"
UNLISTED = {
    "Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Content-Security-Policy": shared.POLICY,
    "X-Content-Type-Options": "nosniff",
}  # fmt: skip
PICTURED = {
    "Cache-Control": "private, max-age=86400, immutable", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}  # fmt: skip
SEARCHED = 200
"""Characters of a search."""
NO_WORLD = N_("There is no such world in this conversation.")
STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
"""The browser itself refuses any connection to another host. Gradio needs inline scripts and eval of its own code."""


def add_routes(app: FastAPI, duet: Duet, nudges: Nudges) -> None:
    """To be called before Gradio is mounted at `/`, which hides what comes after it."""
    app.mount("/static-duet", StaticFiles(directory=STATIC), name="duet-static")

    @app.get("/follow", include_in_schema=False)
    async def follow(c: str = "", most: Count = SHOWN, turn: Count = 0) -> StreamingResponse:
        """`most`: turns that are shown, the newest; or, where `turn` is not among those, the ones around it."""
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        news = server_sent(updates(duet, c, nudges, most, turn))
        return StreamingResponse(news, media_type="text/event-stream", headers=headers)

    @app.get("/conversations", include_in_schema=False)
    def conversations(search: str = "", shown: Count = listed.SHOWN, opened: str = "[]") -> HTMLResponse:
        """`opened`: a JSON list of the folders whose conversations are shown."""
        user, search = asking(duet.settings).name, search[:SEARCHED].strip()
        if search:
            found = listed.hits(duet.transcript.search(user, search), search)
        else:
            shown = min(shown, listed.MOST)
            found = listed.conversations(listed.listing(duet.transcript, user, shown, strings(opened)))
        return HTMLResponse(found, headers={"Cache-Control": "no-store"})

    if duet.settings.sharing:

        @app.get(f"{SHARED}{{secret}}", include_in_schema=False)
        def seen(secret: str) -> Response:
            """For anybody who has the link (chat/access/door.py lets them)."""
            try:
                shown = shared.of_link(duet.transcript, duet.transcript.shared(secret))
            except ChatFault as fault:
                return PlainTextResponse(str(fault), 404)
            return HTMLResponse(shown, headers=UNLISTED)

    @app.get("/conversations/{name}", include_in_schema=False)
    def export(name: str) -> Response:
        from chat.export import to_json, to_markdown

        session, _dot, kind = name.rpartition(".")
        kinds = {
            "md": (to_markdown, "text/markdown"), "json": (to_json, "application/json"), "html": (to_html, "text/html"),
        }  # fmt: skip
        try:
            write, media = kinds[kind]
            about = own_session(duet, session)
        except (KeyError, ChatFault):
            return PlainTextResponse(_("There is no such conversation; choose one from the list."), 404)
        stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in about.title)[:60].strip("-") or "conversation"
        return _file(write(duet.transcript, session), f"{stem}.{kind}", media)

    @app.get("/pictures/{session}/{name}", include_in_schema=False)
    def picture(session: str, name: str) -> Response:
        try:
            data = duet.transcript.picture(own_session(duet, session).id, name)
        except ChatFault as fault:
            return PlainTextResponse(str(fault), 404)
        return Response(data, media_type=MEDIA, headers=PICTURED)

    add_world_routes(app, duet)
    add_memory_routes(app, duet)
    add_own_routes(app, duet)
    add_gallery(app, duet)
    add_hearing(app, duet)
    add_picker(app, duet, nudges)


def to_html(transcript: Transcript, session: str) -> str:
    """The conversation as one page to be read, as it is in view. Raises UnknownSession."""
    return shared.page(transcript, session, transcript.events(session), transcript.session(session).title, steps=True)


def add_actions(app: FastAPI, actions: Actions) -> None:
    """What a click or a key asks for, past Gradio's queue: a stop is heard at once."""

    @app.post("/act/{what}", include_in_schema=False)
    async def act(what: str, request: Request) -> JSONResponse:
        asked = await json_object(request)
        if asked is None:
            return JSONResponse({"fault": _(UNREADABLE)}, 400)
        answer = await actions.do(what, str(asked.get("session", "")), asked)
        return JSONResponse({"do": what, **answer}, headers={"Cache-Control": "no-store"})


def add_world_routes(app: FastAPI, duet: Duet) -> None:
    """The panel of a world episode, what can be done in the one in hand, and an episode as a file."""
    from chat.ui import world
    from chat.worlds.episodes import Record
    from chat.worlds.export import episode_json, episode_markdown, file_stem
    from chat.worlds.view import view

    def records(session: str) -> tuple[Record, ...]:
        own_session(duet, session)
        return duet.worlds.records(session)

    @app.get("/world", include_in_schema=False)
    def panel(c: str = "", episode: int | None = None, step: int | None = None) -> Response:
        try:
            shown = view(records(c), episode, step)
        except ChatFault as fault:
            return PlainTextResponse(str(fault), 404)
        if shown is None:
            return PlainTextResponse(_(NO_WORLD), 404)
        return HTMLResponse(world.panel(shown, c, duet.runs.state(c)), headers={"Cache-Control": "no-store"})

    @app.get("/world/possible", include_in_schema=False)
    async def possible(c: str = "") -> Response:
        try:
            own_session(duet, c)
            if duet.runs.state(c) in ("fast", "slow"):  # who acts there must not be disturbed
                raise WorldFault(_("Something is being done there right now: look again when it is over."))
            shown = world.possible(await duet.worlds.possible(c))
        except (ChatFault, WorldFault) as fault:
            shown = world.fault(fault)
        return HTMLResponse(shown, headers={"Cache-Control": "no-store"})

    @app.get("/conversations/{session}/worlds/{name}", include_in_schema=False)
    def transcript(session: str, name: str) -> Response:
        number, _dot, kind = name.rpartition(".")
        kinds = {"md": (episode_markdown, "text/markdown"), "json": (episode_json, "application/json")}
        try:
            write, media = kinds[kind]
            record = next(record for record in records(session) if str(record.number) == number)
        except (KeyError, StopIteration, ChatFault):
            return PlainTextResponse(_(NO_WORLD), 404)
        return _file(write(record), f"{file_stem(record)}.{kind}", media)


def _file(text: str, name: str, media: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type=f"{media}; charset=utf-8", headers=headers)


class Policy:
    """Adds POLICY to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                headers.setdefault("referrer-policy", "no-referrer")
                if scope["path"].startswith("/static-duet"):
                    headers["cache-control"] = "no-cache"  # a new version of Duet shows at once
            await send(message)

        return await self._app(scope, receive, with_policy)
