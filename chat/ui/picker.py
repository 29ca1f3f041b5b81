"""What a person does in the model picker. Each deed answers with what the page shows next; a fault is one sentence.

`view`: HTML for the part that the person works in; `said`: a short word; `fault`: a sentence; `open`: a session.

A pasted key comes in the body of a request of its own, past Gradio; it is kept where its owner alone can read it, and
no answer, event or log holds it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from chat.access.person import allowed, asking, own_session
from chat.app import Duet
from chat.faults import ChatFault, sentence
from chat.settings import Options, check_options
from chat.ui import markup
from chat.ui.answers import UNKNOWN, Answer, Asked, answered
from chat.ui.fields import model_name
from chat.ui.follow import Nudges
from chat.ui.language import N_, _
from chat.ui.model_panel import ADMINS, allowed_panel, minds_of, panel, parts
from minds.models import listing
from minds.models.catalogue import known
from minds.models.default import meant
from minds.models.keys import addresses, checked, forget_key, is_local, keep_key, key_of
from minds.models.language import Garbled, ModelFault, Refused, Unlisted
from minds.models.listing import PORTS, Found, Listed, loaded_context, models_at, provider_of, running_here
from minds.models.machine import kept, probed, room
from minds.models.spec import ModelSettings, below, sayable

_USED = {
    "fast": N_("The fast mind: {model}, from the next message on."),
    "slow": N_("The slow mind: {model}, from the next message on."),
    "both": N_("Both minds: {model}, from the next message on."),
}
LONG = 4000
"""Characters of a field; a key or an address is shorter."""


class Picker:
    """One for the page of a Duet."""

    def __init__(self, duet: Duet, nudges: Nudges, ports: Mapping[str, int] = PORTS) -> None:
        self._duet, self._nudges, self._ports = duet, nudges, ports
        self._found: list[Found] | None = None
        self._waiting: set[asyncio.Task[None]] = set()
        self._unproven: dict[str, str] = {}
        """Address without a list -> its pasted key, which is kept once a model answers to it."""
        self._does: dict[str, Callable[[Asked], Any]] = {
            "look": self._look, "probe": self._probe, "use": self._use, "fetch-use": self._fetch_use,
            "hub": self._hub, "key": self._key, "forget-key": self._forget, "try": self._try,
            "fetch": lambda asked: duet.fetching.start(_text(asked, "value")),
            "stop-fetch": lambda asked: duet.fetching.stop(_text(asked, "value")),
            "drop-fetch": lambda asked: duet.fetching.drop(_text(asked, "value")),
        }  # fmt: skip
        duet.fetching.changed = duet.loading.changed = nudges.nudge

    async def do(self, name: str, asked: Asked) -> Answer:
        """Never raises."""
        try:
            if session := _text(asked, "session"):
                own_session(self._duet, session)
            if name not in ("use", "look", "probe") and not self._admin:
                raise ChatFault(_(ADMINS))
            if name not in self._does:
                raise ChatFault(_(UNKNOWN))
            answer = await answered(self._does[name](asked))
        except Exception as error:
            answer = {"fault": sentence(error)}
        self._nudges.nudge()
        return answer

    def panel(self, session: str) -> str:
        """Reads nothing but what is known already."""
        duet, folder = self._duet, self._duet.settings.models_dir
        if not self._admin:
            return allowed_panel(self._options(session), self._allowed())
        rows = [(one, one.here(folder), duet.fetching.of(one.spec)) for one in known(folder)]
        return panel(self._meant(session), rows, kept(duet.settings.home), room(), self._found, addresses(self._keys))

    def choices(self, session: str) -> dict[str, str]:
        """spec -> name of the models that can answer a turn here at once, those that do last: no weights to fetch, no
        key to ask for."""
        duet, folder = self._duet, self._duet.settings.models_dir
        if not self._admin:
            options = self._options(session)
            return dict(sorted(self._allowed().items(), key=lambda one: one[0] in minds_of(options)))
        specs, here = (
            [*minds_of(self._meant("")), *duet.settings.allowed_models.split()],
            minds_of(self._meant(session)),
        )
        specs += [one.spec for one in known(folder) if one.here(folder)]
        specs += [f"openai:{one.name}@{found.url}" for found in self._found or () for one in found.models]
        return {spec: model_name(spec) for spec in dict.fromkeys([*(s for s in specs if s not in here), *here])}

    def _allowed(self) -> dict[str, str]:
        """spec -> name of what an account may choose, the specs as the settings write them."""
        settings = self._duet.settings
        specs = dict.fromkeys([*minds_of(settings), *settings.allowed_models.split()])
        return {spec: model_name(meant(spec, settings.models_dir)) for spec in specs}

    @property
    def _admin(self) -> bool:
        return asking(self._duet.settings).admin

    def _options(self, session: str) -> Options:
        return self._duet.transcript.options(session) if session else self._duet.settings.options

    def _meant(self, session: str) -> Options:
        options, folder = self._options(session), self._duet.settings.models_dir
        fast, slow = meant(options.fast_model, folder), meant(options.slow_model, folder)
        return replace(options, fast_model=fast, slow_model=slow)

    # -- this machine

    async def _look(self, asked: Asked) -> None:
        """At the usual ports of this machine."""
        if self._admin:
            self._found = await running_here(self._ports)

    async def _probe(self, asked: Asked) -> None:
        """Once, how quick this machine is."""
        home, busy = self._duet.settings.home, self._duet.runs.under_way()
        if self._admin and not busy and not kept(home):  # beside an answer neither would be what it is
            await asyncio.to_thread(probed, home)

    async def _fetch_use(self, asked: Asked) -> Answer:
        """In the background; once it is here it is used from the next turn on."""
        spec = _text(asked, "value")
        self._duet.fetching.start(spec)

        async def use() -> None:
            if await self._duet.fetching.ended(spec):
                await self.do("use", asked)

        task = asyncio.get_running_loop().create_task(use())
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        return {"said": _("It is fetched in the background; you can go on talking.")}

    async def _hub(self, asked: Asked) -> Answer:
        """A file of the hub is listed with the rest, once its sum is known."""
        from minds.models import weights

        name = _text(asked, "text").removeprefix("gguf:")
        await asyncio.to_thread(weights.wanted, name if name.startswith("hf:") else f"hf:{name}", self._models_dir)
        return {"said": _("It is in the list.")}

    # -- which mind

    async def _use(self, asked: Asked) -> Answer:
        """For this conversation from its next turn on, and, where that is wished, for those that begin from now on."""
        spec, mind, session = _text(asked, "value"), _text(asked, "mind"), _text(asked, "session")
        so_far = self._options(session)
        options = allowed(self._duet.settings, check_options(_with(so_far, mind, spec)), so_far)
        if not session and not self._admin:
            raise ChatFault(_("This conversation has not begun: send a message first."))
        if session:
            self._duet.transcript.set_options(session, options)
        if self._admin and (asked.get("also") or not session):
            self._duet.choose(_with(self._duet.settings.options, mind, spec))
        else:
            self._duet.switch(options)
        return {"said": _(_USED.get(mind, _USED["both"])).format(model=model_name(spec))}

    # -- a key, an address

    async def _key(self, asked: Asked) -> Answer:
        """Lists what it opens. A key that does so is kept for its address, and sent nowhere else; where there is no
        list it is kept once one of the models has answered to it."""
        text, pasted = _text(asked, "text"), _text(asked, "key")
        if text.startswith(("http://", "https://")):
            url = sayable(text)
            seller = listing.provider_at(url)
            name, key = seller.name if seller else "", pasted or key_of(url, self._keys)
        else:
            provider = next((one for one in listing.PROVIDERS if one.name == asked.get("provider")), provider_of(text))
            address = ":" in text or (provider is None and re.search(r"/|^[a-z0-9.-]+\.[a-z]{2,}$", text))
            if not text or address or any(c.isspace() for c in text):
                raise ChatFault(_("Paste a key, or an address that begins with http:// or https://."))
            if provider is None:
                return {"view": parts().whose([one.name for one in listing.PROVIDERS])}
            url, name, key = provider.url, provider.name, text
            pasted = text
        if key and url.startswith("http://") and not is_local(url):
            unsafe = _("{url} is not https: whoever carries the key could read it, so it is not sent.")
            raise Refused(unsafe.format(url=url))
        fault = ""
        try:
            url, models = await self._listed(url, checked(key, url), name)
        except Unlisted as unlisted:  # the person may know the model's name all the same
            fault, models = str(unlisted), ()
        self._unproven.pop(url, None)
        if pasted and fault:
            self._unproven[url] = pasted
        elif pasted:
            self._remember(url, pasted)
        return {"view": parts().listed(name or url, url, models, fault), "kept": True}

    async def _listed(self, url: str, key: str, name: str) -> tuple[str, Sequence[Listed]]:
        """The models at an address, and that address: many paste it without its end. Who is refused there is so."""
        try:
            return url, await models_at(url, key, name)
        except (Refused, Garbled) as fault:
            if url.partition("?")[0].endswith("/v1"):
                raise
            whole = below(url, "/v1")
            try:
                return whole, await models_at(whole, key, name)
            except ModelFault as refused:
                raise (refused if type(refused) is Refused else fault) from None

    def _remember(self, url: str, key: str) -> None:
        try:
            keep_key(url, key, self._keys)
        except OSError as error:
            unkept = _("The key works but cannot be kept in {folder} ({fault}).")
            raise ChatFault(unkept.format(folder=self._keys.parent, fault=error.strerror)) from None
        self._duet.forget_keys()

    async def _forget(self, asked: Asked) -> Answer:
        forget_key(_text(asked, "value"), self._keys)
        self._duet.forget_keys()
        return {"said": _("The key is forgotten.")}

    async def _try(self, asked: Asked) -> Answer:
        """One small call of the one model that was chosen."""
        from minds.models.trial import tried

        url, name = _text(asked, "url"), _text(asked, "model")
        if not url or not name:
            raise ChatFault(_("Choose a model first."))
        pasted = self._unproven.get(url)
        try:
            with self._keys_with(url, pasted) as keys:
                settings = ModelSettings(models_dir=self._models_dir, keys=keys)
                trial = await tried(f"openai:{name}@{url}", settings, int(asked.get("context") or 0))
            if not trial.context and is_local(url) and (context := await loaded_context(url, name)):
                trial = trial.reading(context)
        except ModelFault as fault:
            return {"view": markup.fault(fault)}
        if pasted:
            self._remember(url, pasted)
            self._unproven.pop(url, None)
        return {"view": parts().tried(trial)}

    @contextmanager
    def _keys_with(self, url: str, pasted: str | None) -> Iterator[Path]:
        """A file of keys with one that is not kept yet."""
        if not pasted:
            yield self._keys
            return
        with TemporaryDirectory() as folder:
            keep_key(url, pasted, keys := Path(folder) / "keys.json")
            yield keys

    @property
    def _keys(self) -> Path:
        return self._duet.settings.home / "keys.json"

    @property
    def _models_dir(self) -> Path:
        return self._duet.settings.models_dir


def add_picker(router: APIRouter, duet: Duet, nudges: Nudges, ports: Mapping[str, int] = PORTS) -> None:
    """The picker's routes."""
    picker = Picker(duet, nudges, ports)

    def own(session: str) -> str:
        return own_session(duet, session).id if session else ""

    @router.get("/models", response_class=HTMLResponse)
    def models(c: str = "") -> str:
        try:
            return picker.panel(own(c))
        except ChatFault as fault:  # the panel shows it
            return markup.fault(fault)

    @router.get("/models/choices")
    def choices(c: str = "") -> dict[str, str]:
        return picker.choices(own(c))

    @router.post("/models/{what}")
    async def act(what: str, asked: Asked) -> Answer:
        return await picker.do(what, asked)


def _with(options: Options, mind: str, spec: str) -> Options:
    """`mind`: fast, slow, or both."""
    fast = options.fast_model if mind == "slow" else spec
    return replace(options, fast_model=fast, slow_model=options.slow_model if mind == "fast" else spec)


def _text(asked: Asked, name: str) -> str:
    return str(asked.get(name) or "").strip()[:LONG]
