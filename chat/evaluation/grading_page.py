"""`evaluate grade DIR`: the report, served to a person who grades or overrules; their agreement is shown at once."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import grade_row
from chat.evaluation.record import Grade
from chat.evaluation.report.pages import html, page, people_table
from chat.evaluation.result import Result
from chat.evaluation.run import GRADES

if TYPE_CHECKING:
    from fastapi import FastAPI


class Refused(ValueError):
    """A grade that cannot be stored; the text says why."""


def store(result: Result, data: Any) -> str:
    """Adds one grade of a person to the run; a sentence for them. Raises Refused."""
    if not isinstance(data, dict) or data.get("key") not in result.scores.dialogues:
        raise Refused("There is no such dialogue in this run: load the page again.")
    dialogue = result.scores.dialogues[data["key"]]
    try:
        metric = result.scores.rubric[str(data.get("metric"))]
    except KeyError:
        raise Refused("There is no such metric in this run: load the page again.") from None
    score, turn = data.get("score"), data.get("of", 0)
    if isinstance(score, bool) or score not in metric.scores:
        raise Refused(f"Choose one of {', '.join(map(str, metric.scores))}.")
    if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= len(dialogue.turns):
        raise Refused(f"The dialogue has {len(dialogue.turns)} turns: choose one of them, or the whole.")
    grade = Grade(metric.name, int(str(score)), "human", str(data.get("reason") or "")[:500], turn=turn)
    row = {**grade_row(str(data["key"]), grade, turn), "at": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    result.folder.append(GRADES, row)
    return f"Stored: {metric.title} {score} for {f'turn {turn}' if turn else 'the whole dialogue'}."


def build(read: Callable[[], Result], token: str) -> FastAPI:
    """The page and the one thing that it may do. Only who has the token (it is in the page) can store."""
    from fastapi import FastAPI, Request
    from fastapi.responses import HTMLResponse, JSONResponse

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    def shown() -> HTMLResponse:
        return HTMLResponse(page(read().told(gradable=True), token), headers={"cache-control": "no-store"})

    async def graded(request: Request) -> JSONResponse:
        if not secrets.compare_digest(request.headers.get("x-duet-token", ""), token):
            return JSONResponse({"text": "Not stored: load the page again."}, 403)
        try:
            text = store(read(), json.loads(await request.body()))
        except (Refused, ValueError) as refused:
            return JSONResponse({"text": str(refused)}, 422)
        again = read()
        again.write()
        return JSONResponse({"text": text, "agreement": html(people_table(again.told()))})

    app.add_api_route("/", shown, methods=["GET"], response_class=HTMLResponse)
    graded.__annotations__["request"] = Request  # the name is local, so that FastAPI could not find it by itself
    app.add_api_route("/grade", graded, methods=["POST"], response_class=JSONResponse)
    return app


def serve(path: Path, bases: Path, host: str, port: int) -> int:
    """Until Ctrl+C. Raises ChatFault where the folder is none, or another run writes it."""
    import uvicorn

    token = secrets.token_urlsafe(16)
    with closing(RunFolder.open(path, Result.read(path, bases).folder.config)):
        server = uvicorn.Config(build(lambda: Result.read(path, bases), token), host, port, log_level="error")
        print(f"Grade at http://{host}:{port}/ (Ctrl+C ends it).", flush=True)
        uvicorn.Server(server).run()
    return 0
