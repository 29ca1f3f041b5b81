"""The page's routes besides Gradio's (stream, list, exports, own files), and what the browser may load."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat.access.person import asking, own_session
from chat.app import Duet
from chat.export import episode_json, episode_markdown, file_stem, stem, to_json, to_markdown
from chat.faults import ChatFault, UnknownSession, sentence
from chat.settings import checked_instructions
from chat.transcript import Transcript
from chat.ui import listed, markup, shared, world
from chat.ui.actions import Actions
from chat.ui.answers import UNKNOWN, Asked, as_file
from chat.ui.drawing import drawn
from chat.ui.fields import strings
from chat.ui.follow import SHOWN, Nudges, server_sent, updates
from chat.ui.gallery import add_gallery
from chat.ui.hearing import add_hearing
from chat.ui.language import N_, _, language, script_texts
from chat.ui.picker import add_picker
from chat.worlds.episodes import Record
from chat.worlds.view import view
from tools.pictures import MEDIA
from tools.worlds.world import WorldFault

Count = Annotated[int, Query(ge=0, le=1_000_000)]
SHARED = "/shared/"
UNLISTED = {
    "X-Robots-Tag": "noindex, nofollow", "Content-Security-Policy": shared.POLICY,
    "X-Content-Type-Options": "nosniff",
}  # fmt: skip
PICTURED = {
    "Cache-Control": "private, max-age=86400, immutable", "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}  # fmt: skip
SEARCHED = 200
"""Characters of a search."""
NO_WORLD = N_("There is no such world in this conversation.")
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
"""The browser itself refuses any connection to another host. Gradio needs inline scripts and eval of its own code."""


def add_routes(router: APIRouter, duet: Duet, nudges: Nudges, actions: Actions) -> None:
    """To be called before Gradio is mounted at `/`, which hides what comes after it."""
    _add_conversations(router, duet, nudges)
    _add_worlds(router, duet)
    _add_own(router, duet)
    add_gallery(router, duet)
    add_hearing(router, duet)
    add_picker(router, duet, nudges)

    @router.post("/act/{what}")
    async def act(what: str, asked: Asked) -> dict[str, Any]:
        """What a click or a key asks for, past Gradio's queue: a stop is heard at once."""
        return {"do": what, **await actions.do(what, str(asked.get("session", "")), asked)}


def _add_conversations(router: APIRouter, duet: Duet, nudges: Nudges) -> None:
    @router.get("/follow")
    async def follow(c: str = "", most: Count = SHOWN, turn: Count = 0) -> StreamingResponse:
        """`most`: turns that are shown, the newest; or, where `turn` is not among those, the ones around it."""
        news = server_sent(updates(duet, c, nudges, most, turn))
        return StreamingResponse(news, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    @router.get("/conversations", response_class=HTMLResponse)
    def conversations(search: str = "", shown: Count = listed.SHOWN, opened: str = "[]") -> str:
        """`opened`: a JSON list of the folders whose conversations are shown."""
        user, search = asking(duet.settings).name, search[:SEARCHED].strip()
        if search:
            return listed.hits(duet.transcript.search(user, search), search)
        found = listed.listing(duet.transcript, user, min(shown, listed.MOST), strings(opened))
        return listed.conversations(found, duet.settings.zone)

    @router.get("/conversations/{name}")
    def export(name: str) -> Response:
        session, _dot, kind = name.rpartition(".")
        kinds: dict[str, tuple[Callable[[Transcript, str], str], str]] = {
            "md": (partial(to_markdown, zone=duet.settings.zone), "text/markdown"),
            "json": (to_json, "application/json"),
            "html": (to_html, "text/html"),
        }
        if kind not in kinds:
            raise UnknownSession(name)
        (write, media), title = kinds[kind], own_session(duet, session).title
        name = stem(title[:60]) or "conversation"
        return as_file(write(duet.transcript, session), f"{name}.{kind}", media)

    @router.get("/pictures/{session}/{name}")
    def picture(session: str, name: str) -> Response:
        data = duet.transcript.picture(own_session(duet, session).id, name)
        return Response(data, media_type=MEDIA, headers=PICTURED)

    if duet.settings.sharing:

        @router.get(f"{SHARED}{{secret}}", response_class=HTMLResponse)
        def seen(secret: str) -> HTMLResponse:
            """For anybody who has the link (chat/access/door.py lets them)."""
            return HTMLResponse(shared.of_link(duet.transcript, duet.transcript.shared(secret)), headers=UNLISTED)


def to_html(transcript: Transcript, session: str) -> str:
    """The conversation as one page for others to read, as it is in view. Raises UnknownSession."""
    events = [shared.public(event) for event in transcript.events(session)]
    return shared.page(transcript, session, events, transcript.session(session).title, steps=True)


def _add_worlds(router: APIRouter, duet: Duet) -> None:
    """The panel of a world episode, what can be done in the one in hand, and an episode as a file."""

    def records(session: str) -> tuple[Record, ...]:
        session = own_session(duet, session).id
        return duet.worlds.records(session)

    @router.get("/world", response_class=HTMLResponse)
    def panel(c: str = "", episode: int | None = None, step: int | None = None) -> str:
        if (shown := view(records(c), episode, step)) is None:
            raise ChatFault(_(NO_WORLD))
        return world.panel(shown, c, duet.runs.state(c))

    @router.get("/world/possible", response_class=HTMLResponse)
    async def possible(c: str = "") -> str:
        try:
            own_session(duet, c)
            if duet.runs.state(c) in ("fast", "slow"):  # who acts there must not be disturbed
                raise WorldFault(_("Something is being done there right now: look again when it is over."))
            return world.possible(await duet.worlds.possible(c))
        except (ChatFault, WorldFault) as fault:
            return markup.fault(fault)

    @router.get("/conversations/{session}/worlds/{name}")
    def transcript(session: str, name: str) -> Response:
        number, _dot, kind = name.rpartition(".")
        kinds = {"md": (episode_markdown, "text/markdown"), "json": (episode_json, "application/json")}
        found = [record for record in records(session) if str(record.number) == number]
        if kind not in kinds or not found:
            raise ChatFault(_(NO_WORLD))
        write, media = kinds[kind]
        return as_file(write(found[0]), f"{file_stem(found[0])}.{kind}", media)


def _add_own(router: APIRouter, duet: Duet) -> None:
    """What a person sets for themselves (chat/sessions.py), and the page of their memory (chat/notebook.py)."""

    @router.get("/own")
    def own(c: str = "") -> dict[str, Any]:
        """Instructions for all conversations, and `here` those of this one; prompts by name; the person's name."""
        name = asking(duet.settings).name
        here = duet.transcript.options(own_session(duet, c).id).instructions if c else ""
        return {**asdict(duet.transcript.own(name)), "here": here, "name": name}

    @router.post("/own/{what}")
    def keep(what: str, asked: Asked) -> dict[str, Any]:
        user, transcript, text = asking(duet.settings).name, duet.transcript, str(asked.get("text") or "")
        if what == "prompt":
            transcript.keep_prompt(user, str(asked.get("name") or ""), text)
        elif what == "instructions":
            transcript.instruct(user, text)
        elif what == "here":
            session = own_session(duet, str(asked.get("session") or "")).id
            options = replace(transcript.options(session), instructions=checked_instructions(text))
            transcript.set_options(session, options)
        else:
            raise ChatFault(_(UNKNOWN))
        return {}

    @router.get("/memory", response_class=HTMLResponse)
    def memory() -> str:
        return drawn("memory.html", words=script_texts(language()))

    @router.get("/memory/export.json")
    def memory_export() -> Response:
        text = json.dumps(duet.fulfil(asking(duet.settings).name, "export", {}), ensure_ascii=False, indent=1)
        return as_file(text, "duet-memory.json", "application/json")

    @router.post("/memory/{wish}")
    def fulfil(wish: str, body: dict[str, Any]) -> JSONResponse:
        try:
            return JSONResponse(duet.fulfil(asking(duet.settings).name, wish, body))
        except ChatFault as fault:
            return JSONResponse({"error": sentence(fault)}, 400)


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
