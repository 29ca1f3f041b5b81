"""The memory page: its own document at /memory, which asks for notes and sends wishes as JSON (chat/notebook.py)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, Response
from markupsafe import Markup

from chat.access.person import asking
from chat.faults import ChatFault, sentence
from chat.ui.drawing import drawn
from chat.ui.language import language, script_texts

if TYPE_CHECKING:
    from chat.app import Duet


def add_memory_routes(app: FastAPI, duet: Duet) -> None:
    """Only of the person whose page it is."""

    @app.get("/memory", include_in_schema=False)
    def page() -> HTMLResponse:
        words = Markup(script_texts(language()))  # nosec: of our own catalogue, in which nothing ends a script
        shown = drawn("memory.html", words=words)
        return HTMLResponse(shown, headers={"Cache-Control": "no-store"})

    @app.get("/memory/export.json", include_in_schema=False)
    def export() -> Response:
        text = json.dumps(duet.fulfil(asking(duet.settings).name, "export", {}), ensure_ascii=False, indent=1)
        headers = {
            "Content-Disposition": 'attachment; filename="duet-memory.json"',
            "X-Content-Type-Options": "nosniff",
        }
        return Response(text, media_type="application/json; charset=utf-8", headers=headers)

    @app.post("/memory/{wish}", include_in_schema=False)
    def act(wish: str, body: dict[str, Any]) -> JSONResponse:
        try:
            done = duet.fulfil(asking(duet.settings).name, wish, body)
            return JSONResponse(done, headers={"Cache-Control": "no-store"})
        except ChatFault as fault:
            return JSONResponse({"error": sentence(fault)}, 400)
