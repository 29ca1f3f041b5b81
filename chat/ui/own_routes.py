"""What a person sets for themselves (chat/sessions.py), and the page of their memory (chat/notebook.py)."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse, Response

from chat.access.person import asking, own_session
from chat.faults import ChatFault, sentence
from chat.sessions import checked_instructions
from chat.ui.answers import UNKNOWN, Asked, as_file
from chat.ui.drawing import drawn
from chat.ui.language import _, language, script_texts

if TYPE_CHECKING:
    from chat.app import Duet


def add_own_routes(router: APIRouter, duet: Duet) -> None:
    """Only of the person who asks."""

    @router.get("/own")
    def own(c: str = "") -> dict[str, Any]:
        """Instructions for all conversations, and `here` those of this one; prompts by name."""
        here = duet.transcript.options(own_session(duet, c).id).instructions if c else ""
        return {**asdict(duet.transcript.own(asking(duet.settings).name)), "here": here}

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
    def page() -> str:
        return drawn("memory.html", words=script_texts(language()))

    @router.get("/memory/export.json")
    def export() -> Response:
        text = json.dumps(duet.fulfil(asking(duet.settings).name, "export", {}), ensure_ascii=False, indent=1)
        return as_file(text, "duet-memory.json", "application/json")

    @router.post("/memory/{wish}")
    def act(wish: str, body: dict[str, Any]) -> JSONResponse:
        try:
            return JSONResponse(duet.fulfil(asking(duet.settings).name, wish, body))
        except ChatFault as fault:
            return JSONResponse({"error": sentence(fault)}, 400)
