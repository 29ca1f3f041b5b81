"""The Gradio page: where things stand and which action a component leads to.

Gradio gives the composer, the uploads, the settings panel, the events' transport and the page around them. The
conversation itself is a `gr.HTML` that static/page.js fills from the stream of follow.py, and not a `gr.Chatbot`: that one
switches its buttons off while an event streams to it (here always), sends the whole history with each piece of a reply,
drops tags where they should be shown as text, and knows no turns, which thumbs, edits and badges belong to.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles

from chat.faults import ChatFault
from chat.settings import Options
from chat.ui import panels
from chat.ui.actions import Actions
from chat.ui.follow import Nudges, own_session, server_sent, updates
from chat.ui.icons import button, icon

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from chat.app import Duet

STATIC = Path(__file__).parent / "static"
MAX_UPLOAD = "20mb"
CACHE_SECONDS = (3600, 24 * 3600)
"""How often uploaded temporary files are looked through, and the age at which they go."""
FONT = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]
EXAMPLES = (
    ("What is 387 times 46?", "A sum, done with the calculator"),
    ("How many days are there from today to 24 December?", "A date, counted and not guessed"),
    ("I ran 26.2 miles. How many kilometres is that?", "A unit, converted"),
    ("Tell me something nice about rainy days.", "Small talk, answered at once"),
)
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
"""The browser itself refuses any connection to another host. Gradio needs inline scripts and eval of its own code."""


def mount(app: FastAPI, duet: Duet) -> FastAPI:
    """Puts the page at `/` of `app`, which must have its other routes already: what comes later is hidden by the page."""
    nudges = Nudges()
    _routes(app, duet, nudges)
    app.add_middleware(_Policy)
    return gr.mount_gradio_app(
        app, build_page(duet, nudges), path="/", theme=_theme(), head=(STATIC / "head.html").read_text(encoding="utf-8"),
        favicon_path=str(STATIC / "icon.svg"), max_file_size=MAX_UPLOAD, footer_links=[], run_history=False,
        enable_monitoring=False, pwa=False, ssr_mode=False, mcp_server=False, show_error=False,
    )  # fmt: skip


def build_page(duet: Duet, nudges: Nudges | None = None) -> gr.Blocks:
    """The page for one user. Without `nudges`, other tabs learn of thumbs and titles a few seconds later."""
    actions = Actions(duet, nudges or Nudges())
    with gr.Blocks(
        title="Duet", analytics_enabled=False, fill_width=True, fill_height=True, delete_cache=CACHE_SECONDS
    ) as page:
        where = gr.Textbox(visible=False)
        with gr.Row(elem_id="shell"):
            _part("side", _side())
            with gr.Column(elem_id="main"):
                _part("top", _top())
                _part("thread", _welcome())
                with gr.Column(elem_id="foot"):
                    _part("bar", '<ul id="documents" aria-label="Documents"></ul><div id="state" role="status"></div>')
                    wire = _wire(actions)
                    _composer(actions, wire, where)
                    _part("keys", "<kbd>Enter</kbd> sends · <kbd>Shift+Enter</kbd> new line · <kbd>Esc</kbd> stops")
            _settings(duet, actions, wire, where)
    return page.queue(default_concurrency_limit=None, api_open=False)


def _part(name: str, template: str) -> gr.HTML:
    """A part of the page whose content belongs to static/page.js. The template holds no words of people or models."""
    return gr.HTML(
        "", html_template=template, elem_id=name, apply_default_css=False, padding=False,
        js_on_load=f"(window.duetParts ||= {{}})[{json.dumps(name)}] = {{element}}; dispatchEvent(new Event('duet-part'))",
    )  # fmt: skip


def _wire(actions: Actions) -> gr.HTML:
    """Carries what the person asks for to the server (`act`, `options`) and the answer back (its value)."""
    wire = gr.HTML(
        {}, html_template="<i></i>", elem_id="wire", visible="hidden", apply_default_css=False,
        js_on_load="(window.duetParts ||= {}).wire = {props, watch, act: (d) => trigger('act', d), "
        "options: (d) => trigger('options', d)}; dispatchEvent(new Event('duet-part'))",
    )  # fmt: skip

    async def act(event: gr.EventData) -> dict[str, Any]:
        asked: dict[str, Any] = event._data
        answer = await actions.do(str(asked.get("do")), str(asked.get("session", "")), asked)
        return {"id": asked.get("id"), "do": asked.get("do"), **answer}

    wire.act(act, None, wire, **_quiet())
    return wire


def _composer(actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    with gr.Row(elem_id="composer"):
        upload = gr.UploadButton(
            "Attach", elem_id="attach", file_count="multiple", file_types=[".md", ".txt", ".pdf"], size="sm", scale=0
        )
        box = gr.Textbox(
            elem_id="box", show_label=False, label="Message", container=False, lines=1, max_lines=8, autofocus=True,
            placeholder="Ask anything", submit_btn=True, scale=1,
        )  # fmt: skip

    async def add(files: list[str] | None, session: str) -> dict[str, Any]:
        return {"id": 0, **await actions.add_documents(session, list(files or []))}

    upload.upload(add, [upload, where], wire, js="(files, _) => [files, duet.session]", **_quiet())
    box.submit(None, box, box, js="(text) => duet.send(text)")


def _settings(duet: Duet, actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    from minds.strategies import STRATEGIES

    start = duet.settings.options
    with gr.Column(elem_id="settings"):
        _part("settings-head", _settings_head(duet.settings.user))
        fast = gr.Textbox(start.fast_model, label="Fast mind", info="The model that answers each turn at once.")
        slow = gr.Textbox(start.slow_model, label="Slow mind", info="The model that reasons and acts with tools.")
        _part("specs", _SPECS)
        strategy = gr.Dropdown(list(STRATEGIES), value=start.strategy, label="Strategy of the slow mind")
        heat = gr.Slider(0, 2, start.temperature, step=0.1, label="Temperature", info="0 gives the same reply each time.")
        memory = gr.Checkbox(start.memory, label="Memory", info="Answer from results that the slow mind found before.")
        save = gr.Button("Save for this conversation", variant="primary", elem_id="save")
        bring = gr.UploadButton("Import a conversation (JSON)", elem_id="import", file_types=[".json"], size="sm")
    fields = [fast, slow, strategy, heat, memory]

    def load(event: gr.EventData) -> tuple[Any, ...]:
        o = actions.options(str(event._data.get("session", "")))
        return o.fast_model, o.slow_model, o.strategy, o.temperature, o.memory

    async def store(fast: str, slow: str, strategy: str, heat: float, memory: bool, session: str) -> dict[str, Any]:
        options = Options(fast.strip(), slow.strip(), strategy, float(heat), bool(memory))
        return {"id": 0, **await actions.set_options(session, options)}

    async def bring_in(file: str) -> dict[str, Any]:
        return {"id": 0, **await actions.import_conversation(file)}

    wire.options(load, None, fields, **_quiet())
    save.click(store, [*fields, where], wire, js="(...all) => [...all.slice(0, -1), duet.session]", **_quiet())
    bring.upload(bring_in, bring, wire, **_quiet())


def _quiet() -> dict[str, Any]:
    """No spinner, no place in the public API, no waiting for one another."""
    return {
        "show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None, "trigger_mode": "multiple",
    }  # fmt: skip


def _theme() -> gr.themes.Base:
    """Fonts of the system only: Gradio's own theme would ask Google for some."""
    return gr.themes.Base(font=FONT, font_mono=MONO, primary_hue="indigo", neutral_hue="stone", radius_size="lg")


# -- routes besides Gradio's


def _routes(app: FastAPI, duet: Duet, nudges: Nudges) -> None:
    app.mount("/static-duet", StaticFiles(directory=STATIC), name="duet-static")

    @app.get("/follow", include_in_schema=False)
    async def follow(c: str = "") -> StreamingResponse:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(server_sent(updates(duet, c, nudges)), media_type="text/event-stream", headers=headers)

    @app.get("/conversations", include_in_schema=False)
    def conversations(search: str = "") -> HTMLResponse:
        found = duet.transcript.sessions(duet.settings.user, search)
        return HTMLResponse(panels.conversations(found, search), headers={"Cache-Control": "no-store"})

    @app.get("/conversations/{name}", include_in_schema=False)
    def export(name: str) -> Response:
        from chat.export import to_json, to_markdown

        session, _, kind = name.rpartition(".")
        kinds = {"md": (to_markdown, "text/markdown"), "json": (to_json, "application/json")}
        try:
            write, media = kinds[kind]
            about = own_session(duet, session)
        except (KeyError, ChatFault):
            return PlainTextResponse("There is no such conversation; choose one from the list.", 404)
        stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in about.title)[:60].strip("-") or "conversation"
        headers = {"Content-Disposition": f'attachment; filename="{stem}.{kind}"', "X-Content-Type-Options": "nosniff"}
        return Response(write(duet.transcript, session), media_type=f"{media}; charset=utf-8", headers=headers)


class _Policy:
    """Adds POLICY to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = {"content-security-policy": POLICY, "referrer-policy": "no-referrer"}
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in extra.items())]
            await send(message)

        await self._app(scope, receive, with_policy if scope["type"] == "http" else send)


# -- templates: markup of ours only


def _side() -> str:
    return (
        '<nav aria-label="Conversations"><header><a class="brand" href="?" data-do="new">'
        '<span class="mark" aria-hidden="true"><i></i><i></i></span>Duet</a>'
        + button("close-side", "Close the list", "close", css="narrow")
        + '</header><button type="button" class="new" data-do="new">'
        + f"{icon('plus')}New conversation</button>"
        + f'<label class="find">{icon("search")}<input id="find" type="search" placeholder="Search" '
        + 'aria-label="Search conversations" autocomplete="off"></label><div id="list"></div>'
        + f'<button type="button" class="import" data-do="import">{icon("import")}Import a conversation</button></nav>'
    )


def _top() -> str:
    return (
        "<header>" + button("side", "Conversations", "menu") + '<h1 id="title" dir="auto"></h1>'
        '<div id="health" role="status" aria-label="Models" tabindex="0"></div>'
        + button("theme", "Light or dark", "sun") + button("settings", "Settings", "gear") + "</header>"
    )  # fmt: skip


def _welcome() -> str:
    prompts = "".join(
        f'<button type="button" data-do="fill"><b>{words}</b><span>{about}</span></button>' for words, about in EXAMPLES
    )
    return (
        '<section id="welcome" hidden><span class="mark big" aria-hidden="true"><i></i><i></i></span>'
        "<h2>Two minds, one conversation</h2>"
        '<p>The <em class="fast">fast mind</em> answers at once. Where it takes more, the '
        '<em class="slow">slow mind</em> reasons and acts step by step, and what it finds stays in '
        '<em class="memory">memory</em>.</p>'
        f'<div class="prompts">{prompts}</div></section>'
        '<div id="turns" role="log" aria-label="Conversation" aria-live="polite"></div>'
        + '<button type="button" id="down" data-do="down" hidden>' + icon("chevron") + "<span>Newest</span></button>"
    )


def _settings_head(user: str) -> str:
    from chat.ui.markup import escape

    return (
        "<header><h2>Settings</h2>" + button("settings", "Close the settings", "close") + "</header>"
        f'<p class="who">You are <b>{escape(user).replace("$", "&#36;").replace("{", "&#123;").replace("`", "&#96;")}</b>. '
        "Conversations and memory belong to this name; DUET_USER sets another.</p>"
        '<p id="options-fault" class="fault" role="alert" hidden></p>'
    )


_SPECS = (
    "<details><summary>What can stand there</summary><dl>"
    "<dt>embedded</dt><dd>the small model that comes with Duet</dd>"
    "<dt>embedded:1.5b</dt><dd>a larger one, slower and more able</dd>"
    "<dt>gguf:/path/to/model.gguf</dt><dd>any GGUF file</dd>"
    "<dt>openai:gpt-4.1</dt><dd>OpenAI, with OPENAI_API_KEY set</dd>"
    "<dt>openai:qwen3@http://127.0.0.1:8000/v1</dt><dd>any compatible server</dd>"
    "<dt>hf:Qwen/Qwen2.5-1.5B-Instruct</dt><dd>transformers; add ?quant=4bit on a GPU</dd></dl></details>"
)
