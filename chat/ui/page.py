"""The Gradio page: where things stand and which action a component leads to.

Gradio gives the composer, the uploads, the settings panel, the events' transport and the page around them. The
conversation itself is a `gr.HTML` that static/page.js fills from the stream of follow.py, and not a `gr.Chatbot`: that
one switches its buttons off while an event streams to it (here always), drops tags where they should be shown as text,
offers its edit with the text that was escaped for display, and knows no turns, which thumbs and badges belong to.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from fastapi import FastAPI

from chat.access.person import asked_by
from chat.settings import Options
from chat.ui import templates
from chat.ui.actions import Actions
from chat.ui.follow import Nudges
from chat.ui.guard import Guard
from chat.ui.routes import STATIC, Policy, add_actions, add_routes

if TYPE_CHECKING:
    from chat.app import Duet

MAX_UPLOAD = "20mb"
CACHE_SECONDS = (3600, 24 * 3600)
"""How often uploaded temporary files are looked through, and the age at which they go."""
STRATEGY_NAMES = {"oracle": "oracle (plays the simulator's own solution)"}
FONT = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]


def mount(app: FastAPI, duet: Duet) -> FastAPI:
    """Puts the page at `/` of `app`, which must have its other routes already: the page hides what comes later."""
    nudges = Nudges()
    actions = Actions(duet, nudges)
    add_routes(app, duet, nudges)
    add_actions(app, actions)
    app.add_middleware(Guard)
    app.add_middleware(Policy)
    gr.mount_gradio_app(
        app, build_page(duet, actions), path="/", theme=_theme(), head=_head(),
        favicon_path=str(STATIC / "icon.svg"), max_file_size=MAX_UPLOAD, footer_links=[], run_history=False,
        enable_monitoring=False, pwa=False, ssr_mode=False, mcp_server=False, show_error=False,
    )  # fmt: skip
    return app


def _head() -> str:
    """head.html, and where the Mermaid lies that Gradio brings for its own Markdown (static/diagrams.js)."""
    assets = Path(gr.__file__).parent / "templates/frontend/assets"
    found = "".join(f'<meta name="duet-mermaid" content="assets/{p.name}">' for p in assets.glob("mermaid.core-*.js"))
    return (STATIC / "head.html").read_text("utf-8") + found


def build_page(duet: Duet, actions: Actions) -> gr.Blocks:
    """The page for one user."""
    page: gr.Blocks
    with gr.Blocks(
        title="Duet", analytics_enabled=False, fill_width=True, fill_height=True, delete_cache=CACHE_SECONDS
    ) as page:
        where = gr.Textbox(visible=False)
        with gr.Row(elem_id="shell"):
            _part("side", templates.side())
            with gr.Column(elem_id="main"):
                _part("top", templates.top())
                _part("thread", templates.welcome())
                with gr.Column(elem_id="foot"):
                    _part("bar", templates.BAR)
                    wire = _wire()
                    _composer(actions, wire, where)
                    _part("keys", "<kbd>Enter</kbd> sends · <kbd>Shift+Enter</kbd> new line · <kbd>Esc</kbd> stops")
            _part("world", templates.world())
            _part("models", templates.models())
            _settings(duet, actions, wire, where)
    # Gradio sums up its own statistics with pandas after each event, for a dashboard that is switched off here.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", str(10**9))
    page.queue(default_concurrency_limit=None, api_open=False)
    # Gradio asks where a file lies only once the page is launched, which a mounted one never is by itself.
    page.has_launched = True
    return page


def _part(name: str, template: str) -> gr.HTML:
    """A part of the page whose content belongs to static/page.js. The template holds no words of people or models."""
    return gr.HTML(
        "", html_template=template, elem_id=name, apply_default_css=False, padding=False,
        js_on_load=f"(window.duetParts ||= {{}})[{json.dumps(name)}] = {{element}}",
    )  # fmt: skip


def _wire() -> gr.HTML:
    """Carries the wish to see a conversation's options to Gradio's fields, and what came of uploads and settings back
    (its value). All other wishes take the shorter way (routes.add_actions)."""
    return gr.HTML(
        {}, html_template="<i></i>", elem_id="wire", visible="hidden", apply_default_css=False,
        js_on_load="(window.duetParts ||= {}).wire = {props, watch, options: (d) => trigger('options', d)}",
    )  # fmt: skip


def _composer(actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    with gr.Row(elem_id="composer"):
        upload = gr.UploadButton(
            "Attach", elem_id="attach", file_count="multiple", file_types=[".md", ".txt", ".pdf"], size="sm", scale=0
        )
        box = gr.Textbox(
            elem_id="box", show_label=False, label="Message", container=False, lines=1, max_lines=8, autofocus=True,
            placeholder="Ask anything", submit_btn=True, scale=1,
        )  # fmt: skip

    async def add(files: list[str] | None, session: str, request: gr.Request) -> dict[str, Any]:
        with _by(request):
            return {"id": 0, **await actions.add_documents(session, list(files or []))}

    upload.upload(add, [upload, where], wire, js="(files, _) => [files, duet.session]", **_quiet())
    box.submit(None, box, box, js="(text) => duet.send(text)")


def _settings(duet: Duet, actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    from minds.strategies import STRATEGIES, WORLD_STRATEGIES
    from tools.domains import abouts

    start = duet.settings.options
    with gr.Column(elem_id="settings"):
        _part("settings-head", templates.settings_head(duet.settings.user))
        desks = [("Nobody's: Duet itself", ""), *((f"{about.title} ({about.name})", about.name) for about in abouts())]
        domain = gr.Dropdown(
            desks, value=start.domain, label="Whose desk", elem_id="domain",
            info="What the assistant speaks for, with tools and rules of its own.",
        )  # fmt: skip
        fast = gr.Textbox(start.fast_model, label="Fast mind", info="The model that answers each turn at once.")
        slow = gr.Textbox(start.slow_model, label="Slow mind", info="The model that reasons and acts with tools.")
        _part("specs", templates.SPECS)
        strategy = gr.Dropdown(list(STRATEGIES), value=start.strategy, label="Strategy of the slow mind")
        choices = [(STRATEGY_NAMES.get(name, name), name) for name in ("auto", *WORLD_STRATEGIES)]
        worlds = gr.Dropdown(
            choices, value=start.world_strategy, label="Strategy in text worlds", elem_id="worlds",
            info="auto takes the best that the model can do.",
        )  # fmt: skip
        heat = gr.Slider(
            0, 2, start.temperature, step=0.1, label="Temperature", info="0 gives the same reply each time."
        )
        memory = gr.Checkbox(start.memory, label="Memory", info="Answer from results that the slow mind found before.")
        _part("own", templates.OWN)
        save = gr.Button("Save for this conversation", variant="primary", elem_id="save")
        bring = gr.UploadButton("Import a conversation (JSON)", elem_id="import", file_types=[".json"], size="sm")
    fields = [fast, slow, strategy, heat, memory, worlds, domain]

    def load(event: gr.EventData, request: gr.Request) -> tuple[Any, ...]:
        with _by(request):
            o = actions.options(str(event._data.get("session", "")))
        return o.fast_model, o.slow_model, o.strategy, o.temperature, o.memory, o.world_strategy, o.domain

    async def store(
        fast: str,
        slow: str,
        strategy: str,
        heat: float,
        memory: bool,
        worlds: str,
        domain: str,
        session: str,
        request: gr.Request,
    ) -> dict[str, Any]:
        with _by(request):
            before = actions.options(session)
            models = fast.strip(), slow.strip()
            mine = (before.minds, before.instructions)
            options = Options(*models, strategy, float(heat), bool(memory), worlds, domain or "", *mine)
            return {"id": 0, **await actions.set_options(session, options)}

    async def bring_in(file: str, request: gr.Request) -> dict[str, Any]:
        with _by(request):
            return {"id": 0, **await actions.import_conversation(file)}

    wire.options(load, None, fields, **_quiet())
    save.click(store, [*fields, where], wire, js="(...all) => [...all.slice(0, -1), duet.session]", **_quiet())
    bring.upload(bring_in, bring, wire, **_quiet())


def _by(request: gr.Request) -> AbstractContextManager[None]:
    """Events run in Gradio's own tasks: each says anew who asks."""
    assert request.request is not None
    return asked_by(request.request.scope)


def _quiet() -> dict[str, Any]:
    """No spinner, no place in the public API, no waiting for one another."""
    return {
        "show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None, "trigger_mode": "multiple",
    }  # fmt: skip


def _theme() -> gr.themes.Base:
    """Fonts of the system only: Gradio's own theme would ask Google for some."""
    return gr.themes.Base(font=FONT, font_mono=MONO, primary_hue="indigo", neutral_hue="stone", radius_size="lg")
