"""`evaluate grade DIR`: the report, served to a person who grades or overrules; their agreement is shown at once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import FastAPI, Header
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, StrictInt

from chat.access.same_site import SameSite
from chat.evaluation.folder import RunFolder
from chat.evaluation.record import GRADES, Grade
from chat.evaluation.report.pages import html, page, people_table, write
from chat.evaluation.result import Result
from chat.server import listen


class Given(BaseModel):
    """A person's grade of a dialogue, or of one of its turns (`of`; 0: of the whole)."""

    key: str
    metric: str
    score: StrictInt
    of: StrictInt = 0
    reason: str = ""


def store(result: Result, given: Given) -> str:
    """Adds a grade to the run; a sentence for the person. Raises ValueError with one where that does not go."""
    dialogue = result.scores.dialogues.get(given.key)
    metric = next((metric for metric in result.scores.rubric.metrics if metric.name == given.metric), None)
    if dialogue is None or metric is None:
        raise ValueError("There is no such dialogue or metric in this run: load the page again.")
    if given.score not in metric.scores:
        raise ValueError(f"Choose one of {', '.join(map(str, metric.scores))}.")
    if not 0 <= given.of <= len(dialogue.turns):
        raise ValueError(f"The dialogue has {len(dialogue.turns)} turns: choose one of them, or the whole.")
    grade = Grade(metric.name, given.score, "human", given.reason[:500], turn=given.of, key=given.key, of=given.of)
    result.folder.append(GRADES, {**asdict(grade), "at": time.strftime("%Y-%m-%dT%H:%M:%S%z")})
    return f"Stored: {metric.title} {given.score} for {f'turn {given.of}' if given.of else 'the whole dialogue'}."


def build(read: Callable[[], Result], token: str) -> FastAPI:
    """The page and the one thing that it may do. Only who has the token (it is in the page) can store."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(SameSite, names=())

    @app.get("/")
    def shown() -> HTMLResponse:
        return HTMLResponse(page(read(), token), headers={"cache-control": "no-store"})

    @app.post("/grade")
    def graded(given: Given, x_duet_token: Annotated[str, Header()] = "") -> JSONResponse:
        if not secrets.compare_digest(x_duet_token.encode(), token.encode()):
            return JSONResponse({"text": "Not stored: load the page again."}, 403)
        try:
            text = store(read(), given)
        except ValueError as refused:
            return JSONResponse({"text": str(refused)}, 422)
        again = read()
        write(again)
        return JSONResponse({"text": text, "agreement": html(people_table(again))})

    return app


def serve(path: Path, bases: Path, port: int) -> int:
    """Until Ctrl+C, for this machine alone: nobody signs in.

    Raises ChatFault where the folder is none, another run writes it, or the port is taken.
    """
    token = secrets.token_urlsafe(16)
    with listen("127.0.0.1", port) as at, closing(RunFolder.open(path, Result.read(path, bases).folder.config)):
        server = uvicorn.Config(build(lambda: Result.read(path, bases), token), log_level="error")
        print(f"Grade at http://127.0.0.1:{at.getsockname()[1]}/ (Ctrl+C ends it).", flush=True)
        uvicorn.Server(server).run(sockets=[at])
    return 0
