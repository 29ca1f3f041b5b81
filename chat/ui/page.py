"""The Gradio page: where things stand and which action a component leads to.

Gradio gives the composer, the uploads, the settings panel, the events' transport and the page around them. The
conversation itself is a `gr.HTML` that static/page.js fills from the stream of follow.py, and not a `gr.Chatbot`: that
one switches its buttons off while an event streams to it (here always), drops tags where they should be shown as text,
offers its edit with the text that was escaped for display, and knows no turns, which thumbs and badges belong to.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from markupsafe import Markup

from chat.access.person import asked_by
from chat.ui.actions import Actions
from chat.ui.answers import router
from chat.ui.drawing import fixed
from chat.ui.follow import Nudges
from chat.ui.guard import Guard
from chat.ui.language import N_, SOURCE, Speaking, _, language, spoken_to
from chat.ui.routes import Policy, add_routes
from chat.ui.shared import STATIC
from chat.ui.stubs import without_stubs
from tools.domains import abouts
from tools.pictures import ENDINGS
from tools.reading import LINED, OFFICE

with without_stubs():
    import gradio as gr
from chat.app import Duet
from chat.settings import Options

MAX_UPLOAD = "20mb"
CACHE_SECONDS = (3600, 24 * 3600)
"""How often uploaded temporary files are looked through, and the age at which they go."""
STRATEGY_NAMES = {"oracle": N_("oracle (plays the simulator's own solution)")}
FONT = ["ui-sans-serif", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
SAID = ("label", "info", "placeholder")
"""Words of a component, marked by N_ where it is made."""
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]


def mount(app: FastAPI, duet: Duet) -> FastAPI:
    """Puts the page at `/` of `app`, which must have its other routes already: the page hides what comes later."""
    nudges = Nudges()
    actions = Actions(duet, nudges)
    app.mount("/static-duet", StaticFiles(directory=STATIC), name="duet-static")
    own = router()
    add_routes(own, duet, nudges, actions)
    app.include_router(own)
    app.add_middleware(Guard)
    app.add_middleware(Policy)
    app.add_middleware(Speaking)
    # Fonts of the system only: Gradio's own theme would ask Google for some.
    theme = gr.themes.Base(font=FONT, font_mono=MONO, primary_hue="indigo", neutral_hue="stone", radius_size="lg")
    gr.mount_gradio_app(
        app, build_page(duet, actions), path="/", theme=theme, head=_head(),
        favicon_path=str(STATIC / "icon.svg"), max_file_size=MAX_UPLOAD, footer_links=[], run_history=False,
        enable_monitoring=False, pwa=False, ssr_mode=False, mcp_server=False, show_error=False,
    )  # fmt: skip
    return app


def _head() -> str:
    """head.html, and where the Mermaid lies that Gradio brings for its own Markdown (static/diagrams.js)."""
    assets = Path(gr.__file__).parent / "templates/frontend/assets"
    found = "".join(f'<meta name="duet-mermaid" content="assets/{p.name}">' for p in assets.glob("mermaid.core-*.js"))
    return (STATIC / "head.html").read_text("utf-8") + found


class Page(gr.Blocks):
    """Gradio's page is built once, in the source's words; each request gets it in its own language."""

    templates: dict[str, Callable[[], str]]
    """Of each part its markup, made anew in each language."""

    @property
    def config(self) -> Any:
        if language() == SOURCE:
            return self._config
        return {**self._config, "components": [self._spoken(one) for one in self._config["components"]]}

    @config.setter
    def config(self, built: Any) -> None:
        self._config: dict[str, Any] = built

    def _spoken(self, component: dict[str, Any]) -> dict[str, Any]:
        props = component["props"]
        said: dict[str, Any] = {name: _(props[name]) for name in SAID if isinstance(props.get(name), str)}
        if make := self.templates.get(props.get("elem_id")):
            said["html_template"] = make()
        if component["type"] == "button":
            said["value"] = _(props["value"])
        if isinstance(props.get("choices"), list):
            said["choices"] = [(_(words), value) for words, value in props["choices"]]
        return {**component, "props": {**props, **said}}


def build_page(duet: Duet, actions: Actions) -> Page:
    """The page for one user."""
    page: Page
    with Page(
        title="Duet", analytics_enabled=False, fill_width=True, fill_height=True, delete_cache=CACHE_SECONDS
    ) as page:
        page.templates = {}
        where = gr.Textbox(visible=False)
        with gr.Row(elem_id="shell"):
            _part("side")
            with gr.Column(elem_id="main"):
                _part("top")
                _part("thread")
                with gr.Column(elem_id="foot"):
                    _part("bar")
                    wire = _wire()
                    _composer(actions, wire, where)
                    _part("keys")
            _part("world")
            _part("models")
            _settings(duet, actions, wire, where)
    # Gradio sums up its own statistics with pandas after each event, for a dashboard that is switched off here.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", str(10**9))
    page.queue(default_concurrency_limit=None, api_open=False)
    # Gradio asks where a file lies only once the page is launched, which a mounted one never is by itself.
    page.has_launched = True
    return page


def _part(name: str, **values: object) -> gr.HTML:
    """A part of the page whose content belongs to static/page.js. The markup holds no words of people or models."""
    page = gr.context.Context.root_block
    assert isinstance(page, Page)
    make = page.templates[name] = partial(fixed, name, **values)
    return gr.HTML(
        "", html_template=make(), elem_id=name, apply_default_css=False, padding=False,
        js_on_load=f"(window.duetParts ||= {{}})[{json.dumps(name)}] = {{element}}",
    )  # fmt: skip


def _spelled(user: str) -> Markup:
    """A name of which no character means anything to a template."""
    return Markup("".join(c if c.isalnum() or c in " -_.@" else f"&#{ord(c)};" for c in user))  # nosec B704


def _wire() -> gr.HTML:
    """Carries the wish to see a conversation's options to Gradio's fields, and what came of uploads and settings back
    (its value). All other wishes take the shorter way (routes.add_actions)."""
    return gr.HTML(
        {}, html_template="<i></i>", elem_id="wire", visible="hidden", apply_default_css=False,
        js_on_load="(window.duetParts ||= {}).wire = {props, watch, options: (d) => trigger('options', d)}",
    )  # fmt: skip


def _composer(actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    with gr.Row(elem_id="composer"):
        types = [".md", ".txt", ".pdf", *OFFICE, *LINED, *ENDINGS]
        upload = gr.UploadButton(
            N_("Attach"), elem_id="attach", file_count="multiple", file_types=types, size="sm", scale=0
        )
        gr.Textbox(  # static/page.js sends what stands in it
            elem_id="box", show_label=False, label=N_("Message"), container=False, lines=1, max_lines=8, autofocus=True,
            placeholder=N_("Ask anything"), submit_btn=True, scale=1,
        )  # fmt: skip
        _part("speak")

    async def add(files: list[str] | None, session: str, request: gr.Request) -> dict[str, Any]:
        return {"files": True, **await _answered(request, actions.add_files(session, list(files or [])))}

    upload.upload(add, [upload, where], wire, js="async (files, _) => [files, await duet.filesFor()]", **_quiet())


def _settings(duet: Duet, actions: Actions, wire: gr.HTML, where: gr.Textbox) -> None:
    with gr.Column(elem_id="settings"):
        _part("settings-head", user=_spelled(duet.settings.user))
        fields = _fields(duet.settings.options)
        _part("own")
        save = gr.Button(N_("Save for this conversation"), variant="primary", elem_id="save")
        bring = gr.UploadButton(N_("Import a conversation (JSON)"), elem_id="import", file_types=[".json"], size="sm")

    def load(event: gr.EventData, request: gr.Request) -> list[Any]:
        session = str(event._data.get("session", ""))
        with _by(request):
            options = actions.options(session)
        return [session, *(getattr(options, name) for name in fields)]

    async def store(given: dict[Any, Any], request: gr.Request) -> dict[str, Any]:
        session = given[where]
        with _by(request):
            before = actions.options(session)
        chosen = {name: _like(getattr(before, name), given[field]) for name, field in fields.items()}
        return await _answered(request, actions.set_options(session, replace(before, **chosen)))

    async def bring_in(file: str, request: gr.Request) -> dict[str, Any]:
        return await _answered(request, actions.import_conversation(file))

    wire.options(load, None, [where, *fields.values()], **_quiet())
    save.click(store, {where, *fields.values()}, wire, **_quiet())  # for the conversation whose these are
    bring.upload(bring_in, bring, wire, **_quiet())


def _fields(start: Options) -> dict[str, Any]:
    """Where a conversation's options are chosen: option -> component."""
    from minds.strategies import STRATEGIES, WORLD_STRATEGIES

    whose = [(N_("Nobody's: Duet itself"), ""), *((f"{each.title} ({each.name})", each.name) for each in abouts())]
    worlds = [(STRATEGY_NAMES.get(name, name), name) for name in ("auto", *WORLD_STRATEGIES)]
    models = {
        "domain": gr.Dropdown(
            whose, value=start.domain, label=N_("Whose desk"), elem_id="domain",
            info=N_("What the assistant speaks for, with tools and rules of its own."),
        ),
        "fast_model": gr.Textbox(
            start.fast_model, label=N_("Fast mind"), info=N_("The model that answers each turn at once.")
        ),
        "slow_model": gr.Textbox(
            start.slow_model, label=N_("Slow mind"), info=N_("The model that reasons and acts with tools.")
        ),
    }  # fmt: skip
    _part("specs")
    return models | {
        "strategy": gr.Dropdown(list(STRATEGIES), value=start.strategy, label=N_("Strategy of the slow mind")),
        "world_strategy": gr.Dropdown(
            worlds, value=start.world_strategy, label=N_("Strategy in text worlds"), elem_id="worlds",
            info=N_("auto takes the best that the model can do."),
        ),
        "temperature": gr.Slider(
            0, 2, start.temperature, step=0.1, label=N_("Temperature"), info=N_("0 gives the same reply each time.")
        ),
        "length": gr.Number(
            start.length, label=N_("Longest reply"), precision=0, elem_id="length",
            info=N_("In tokens, of what the fast mind says; 0 leaves it to the model."),
        ),
        "memory": gr.Checkbox(
            start.memory, label=N_("Memory"), info=N_("Answer from results that the slow mind found before.")
        ),
    }  # fmt: skip


def _like(before: Any, value: Any) -> Any:
    """What stands in a field, as the option before it is; nothing is an empty one."""
    kind = type(before)
    return kind(value.strip() if isinstance(value, str) else value or kind())


async def _answered(request: gr.Request, work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """What is told to static/page.js, as news each time."""
    with _by(request):
        return {"id": time.time(), **await work}


@contextmanager
def _by(request: gr.Request) -> Iterator[None]:
    """Events run in Gradio's own tasks: each says anew who asks, and in which language."""
    assert request.request is not None
    with spoken_to(request.request.scope), asked_by(request.request.scope):
        yield


def _quiet() -> dict[str, Any]:
    """No spinner, no place in the public API, no waiting for one another."""
    return {
        "show_progress": "hidden", "api_visibility": "private", "concurrency_limit": None, "trigger_mode": "multiple",
    }  # fmt: skip
