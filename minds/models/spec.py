"""Model specs: one short line names a model (minds/models/__init__.py opens it)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from minds.models.language import Abilities, BadSpec

Role = Literal["fast", "slow"]

FORMS = (
    "embedded, embedded:0.5b, embedded:1.5b, embedded:4b, gguf:PATH, gguf:hf:REPO/FILE, openai:MODEL[@BASE_URL], "
    "langchain:PROVIDER:MODEL or hf:REPO_OR_PATH[?quant=4bit|8bit]"
)
_OPTIONS = {
    "openai": {"tools", "strong", "prefix", "logprobs", "schema", "context", "limit", "see", "api-version"},
    "hf": {"quant", "strong", "context", "limit"},
    "gguf": {"strong"},
    "langchain": {"tools", "strong", "context", "limit", "see"},
    "embedded": {"strong"},
}


@dataclass(frozen=True)
class ModelSettings:
    """Where weights are, and how patient to be. Seconds everywhere."""

    models_dir: Path
    log_dir: Path | None = None
    """Where the embedded model's server writes its log; nowhere when None."""
    keys: Path | None = None
    """File of the keys that were given on the page (minds/models/keys.py)."""
    connect: float = 5.0
    first: float = 300.0
    """To the first token: reading a long prompt on a slow machine takes its time, and so does thinking unheard."""
    between: float = 120.0
    """Between two tokens; longer is silence. Many servers send a call's arguments only once all are written."""
    start: float = 120.0
    """For the embedded model's server to load its weights."""
    retries: int = 2
    """After 429, 5xx and connections that fail, with growing pauses."""
    context: int = 8192
    """Tokens that the embedded model reads and writes in one call."""


@dataclass(frozen=True)
class Spec:
    """A spec taken apart: `openai:gpt-4.1@http://host/v1?strong=0`."""

    text: str
    kind: str
    name: str = ""
    base_url: str = ""
    options: dict[str, str] = field(default_factory=dict)

    def flag(self, name: str, default: bool) -> bool:
        """A yes-or-no option: 1/0, true/false, yes/no, on/off."""
        value = self.options.get(name, str(default)).lower()
        if value not in {"1", "0", "true", "false", "yes", "no", "on", "off"}:
            raise BadSpec(f"In the model spec {self.text!r}, {name} must be 1 or 0.")
        return value in {"1", "true", "yes", "on"}

    @property
    def small(self) -> bool:
        """Needs the help of minds/small_model: weights of this machine, where nothing else is said."""
        return not self.flag("strong", self.kind in ("openai", "langchain"))

    @property
    def sees(self) -> bool:
        """Is shown pictures: said by `?see=1`, which the page's trial of a model adds."""
        return self.flag("see", False)

    def able(self, **own: Any) -> Abilities:
        """What its options say, beside what a backend of providers knows by its `own`."""
        return Abilities(
            tools=self.flag("tools", True),
            strong=not self.small,
            context=self.number("context", Abilities.context),
            limit=self.number("limit", 0) or None,
            sees=self.sees,
            **own,
        )

    def number(self, name: str, default: int) -> int:
        """A whole number, from 0."""
        value = self.options.get(name, str(default))
        if not value.isdecimal() or len(value) > 12:
            raise BadSpec(f"In the model spec {self.text!r}, {name} must be a whole number.")
        return int(value)


def parse(text: str) -> Spec:
    """Takes a spec apart. Raises BadSpec with the forms there are."""
    body, _, query = text.strip().partition("?")
    kind, _, name = body.partition(":")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if kind not in _OPTIONS or (not name and kind != "embedded"):
        raise BadSpec(f"{text!r} names no model: write {FORMS}.")
    if unknown := options.keys() - _OPTIONS[kind]:
        known = ", ".join(sorted(_OPTIONS[kind]))
        raise BadSpec(f"The model spec {text!r} has the unknown option {min(unknown)!r} (known: {known}).")
    if kind == "embedded" and name:
        from minds.models.catalogue import entry

        entry(name)
    if kind == "gguf" and name.startswith("hf:"):
        from minds.models.catalogue import split_name

        split_name(name)
    base_url = ""
    if kind == "openai":
        name, base_url = _split_url(text, name)
    if kind == "langchain" and not all(name.partition(":")[::2]):
        raise BadSpec(f"{text!r} names no model: write langchain:PROVIDER:MODEL, such as langchain:ollama:qwen3.")
    return Spec(text.strip(), kind, name, base_url, options)


def base(url: str) -> str:
    """An address as clients want it, where what they make of it was pasted; with what stands behind a `?`."""
    address, mark, query = url.partition("?")
    return address.rstrip("/").removesuffix("/chat/completions").removesuffix("/models").rstrip("/") + mark + query


def sayable(url: str) -> str:
    """`base` with what a spec can say behind the `?`: the rest would reach no server that is named in one."""
    address, _, query = base(url).partition("?")
    said = [(name, value) for name, value in parse_qsl(query) if name == "api-version"]
    return f"{address}?{urlencode(said)}" if said else address


def below(url: str, path: str) -> str:
    """An address with more of a path, before what stands behind a `?`."""
    address, mark, query = url.partition("?")
    return address + path + mark + query


def _split_url(text: str, name: str) -> tuple[str, str]:
    """Model names may hold `:` and `/`, and some even `@`: only what follows an `@` and looks like a URL is one."""
    match = re.fullmatch(r"(?P<model>.+?)@(?P<url>https?://[^/\s]+\S*)", name)
    if match:
        return match["model"], base(match["url"])
    place = name.rpartition("@")[2] if "@" in name else ""  # `claude@20240620` is a name, `m@10.0.0.5` an address
    if "@http" in name or name.startswith("@") or re.match(r"localhost\b|\d+(\.\d+){3}|[^/]+:\d+(/|$)|\[", place):
        raise BadSpec(f"{text!r} names no model: write openai:MODEL@http://HOST:PORT/v1.")
    return name, ""
