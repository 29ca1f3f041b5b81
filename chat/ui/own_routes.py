"""What a person sets for themselves (chat/sessions.py), asked for and changed past Gradio."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from chat.access.person import asking, own_session
from chat.faults import ChatFault, sentence
from chat.sessions import checked_instructions
from chat.ui.fields import UNKNOWN, UNREADABLE, json_object, text
from chat.ui.language import _

if TYPE_CHECKING:
    from chat.app import Duet


def add_own_routes(app: FastAPI, duet: Duet) -> None:
    """Only of the person who asks."""

    @app.get("/own", include_in_schema=False)
    def own(c: str = "") -> JSONResponse:
        """Instructions for all conversations, and `here` those of this one; prompts by name."""
        try:
            here = duet.transcript.options(own_session(duet, c).id).instructions if c else ""
        except ChatFault as fault:
            return JSONResponse({"fault": sentence(fault)}, 404)
        found = asdict(duet.transcript.own(asking(duet.settings).name))
        return JSONResponse({**found, "here": here}, headers={"Cache-Control": "no-store"})

    @app.post("/own/{what}", include_in_schema=False)
    async def keep(what: str, request: Request) -> JSONResponse:
        asked = await json_object(request)
        if asked is None:
            return JSONResponse({"fault": _(UNREADABLE)}, 400)
        user, transcript = asking(duet.settings).name, duet.transcript
        try:
            if what == "prompt":
                transcript.keep_prompt(user, text(asked, "name"), text(asked))
            elif what == "instructions":
                transcript.instruct(user, text(asked))
            elif what == "here":
                session = own_session(duet, text(asked, "session")).id
                options = replace(transcript.options(session), instructions=checked_instructions(text(asked)))
                transcript.set_options(session, options)
            else:
                raise ChatFault(_(UNKNOWN))
        except ChatFault as fault:
            return JSONResponse({"fault": sentence(fault)}, headers={"Cache-Control": "no-store"})
        return JSONResponse({}, headers={"Cache-Control": "no-store"})
