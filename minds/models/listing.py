"""Which models a server has: one GET of `/v1/models`. Servers of this machine on their usual ports, and providers."""

from __future__ import annotations

import asyncio
import json
import ssl
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from pydantic import TypeAdapter

from minds.models.keys import is_azure, origin
from minds.models.language import Garbled, ModelFault, Refused, Unlisted, Unreachable
from minds.models.spec import below

PORTS: Mapping[str, int] = {"Ollama": 11434, "LM Studio": 1234, "llama-server": 8080, "vLLM": 8000}
"""Where they listen when nobody says otherwise."""
QUICK, PATIENT = 0.7, 10.0
"""Seconds for a server of this machine to answer, and for one elsewhere."""
MOST = 4 << 20
"""Bytes of an answer."""
_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
"""What servers call the length of a model's context."""
_OWNERS = {"llamacpp": "llama-server", "vllm": "vLLM", "library": "Ollama"}
"""Who says of itself, in `owned_by`, what it is: another program may listen on the port."""


_SAYS = {
    402: "says that the account has no credit left: add some there",
    403: "knows this key but lets it list no models: give it that right there",
    404: "has no list of models at this address: it mostly ends in /v1",
    429: "says that the limit is reached: wait a little, then try again",
}
"""What a status means, behind the host's name."""
_NO_HTTPS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST")
"""What OpenSSL says of an answer that is not encrypted."""


@dataclass(frozen=True)
class Provider:
    """Who answers behind a key."""

    name: str
    url: str
    begins: tuple[str, ...] = ()
    langchain: str = ""
    message: Mapping[str, Any] = field(default_factory=dict)
    """Fields that the model's own messages must have when they are sent back."""
    call: Mapping[str, Any] = field(default_factory=dict)
    """And the first call of each."""
    told_in_tools: tuple[str, ...] = ()
    """Where no message of a person may stand behind one of a tool: what the names of its models hold elsewhere."""


@dataclass(frozen=True)
class Listed:
    """One model of a server."""

    name: str
    context: int = 0
    """Tokens; 0 where the server does not tell."""


@dataclass(frozen=True)
class Found:
    """A server that runs on this machine."""

    name: str
    url: str
    models: tuple[Listed, ...]


PROVIDERS = TypeAdapter(tuple[Provider, ...]).validate_python(
    tomllib.loads(Path(__file__).with_name("providers.toml").read_text("utf-8"))["provider"]
)


def provider_of(key: str) -> Provider | None:
    """Whose key this is by its beginning; None where that does not tell."""
    fit = [one for one in PROVIDERS if key.startswith(one.begins)]
    return fit[0] if len(fit) == 1 else None


def provider_at(url: str) -> Provider | None:
    """Who answers at this address, whatever its path. Raises Refused."""
    return next((one for one in PROVIDERS if origin(one.url) == origin(url)), None)


def told_in_tools(provider: Provider | None, model: str) -> bool:
    """Whether what a person adds has to stand in a tool's message: by who serves the model, or by whose it is."""
    named = any(sign in model.lower() for one in PROVIDERS for sign in one.told_in_tools)
    return named or bool(provider and provider.told_in_tools)


async def running_here(ports: Mapping[str, int] = PORTS) -> list[Found]:
    """Servers on the usual ports of loopback. No key is sent, and nothing but this one question."""
    answers = await asyncio.gather(*(_look(name, port) for name, port in ports.items()))
    return [found for found in answers if found]


async def _look(name: str, port: int) -> Found | None:
    url = f"http://127.0.0.1:{port}/v1"
    try:
        rows = await _rows(url, {}, QUICK)
    except ModelFault:
        return None
    owners = {str(row.get("owned_by", "")).lower() for row in rows}
    said = next((_OWNERS[owner] for owner in owners if owner in _OWNERS), name)
    return Found(said, url, _listed(rows)) if rows else None


async def models_at(url: str, key: str, provider: str = "") -> tuple[Listed, ...]:
    """What can be asked for at an address. Raises ModelFault: one sentence for each way in which this may fail."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if key and provider == "Anthropic":
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    if key and is_azure(url):
        headers["api-key"] = key
    listed = _listed(await _rows(url, headers, PATIENT))
    if not listed:
        raise Unlisted(f"{_host(url)} lists no models for this key: look there which ones it may use.")
    return listed


async def loaded_context(url: str, model: str) -> int:
    """The context that Ollama has loaded a model with, which is mostly smaller than what it could; 0 of others."""
    address = f"{url.removesuffix('/v1')}/api/ps"
    try:
        async with httpx2.AsyncClient(timeout=QUICK, follow_redirects=False, trust_env=False) as client:
            told = (await client.get(address)).json()
        loaded = [one for one in told["models"] if one.get("name") == model]
        return int(loaded[0]["context_length"])
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return 0


async def _rows(url: str, headers: Mapping[str, str], patience: float) -> list[dict[str, Any]]:
    origin(url)
    try:
        local = url.startswith("http://127.0.0.1:")
        async with (
            asyncio.timeout(patience),
            httpx2.AsyncClient(timeout=patience, follow_redirects=False, trust_env=not local) as client,
            client.stream("GET", below(url, "/models"), headers=headers) as answer,
        ):
            status, body = answer.status_code, await anext(answer.aiter_bytes(MOST), b"")
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, TimeoutError, ValueError) as error:
        raise Unreachable(f"{_host(url)} cannot be reached: {unreached(error)}.") from (
            None if headers else error  # what the client raises may hold the request's headers
        )
    if status != 200:
        raise _refused(_host(url), status, keyed=bool(headers))
    return _read(body, url)


def unreached(error: BaseException) -> str:
    """What to look at where no connection came about."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted here ({cause.verify_message}); if it is yours, name it in SSL_CERT_FILE"
    if cause and getattr(cause, "reason", None) in _NO_HTTPS:
        return "it does not speak https; check whether its address begins with http:// or https://"
    if cause:
        return f"no secure connection came about ({getattr(cause, 'reason', None) or cause})"
    return "check that it runs, its address, and that this machine is online"


def _read(body: bytes, url: str) -> list[dict[str, Any]]:
    try:
        told = json.loads(body)
        rows = told["data"] if isinstance(told, dict) else told
        return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Garbled(
            f"{_host(url)} answers, but not as a model server does: its address mostly ends in /v1."
        ) from None


def _refused(host: str, status: int, *, keyed: bool) -> ModelFault:
    if status == 401 and not keyed:
        return Refused(f"{host} wants a key: paste the one that belongs to it.")
    if status == 401 or (status == 400 and keyed):
        return Refused(f"{host} does not know this key: copy it again, whole, or make a new one there.")
    if 300 <= status < 400:
        return Refused(f"{host} sends its callers on to another address, where no key is sent: paste that one.")
    kind = Unlisted if status in (404, 405) else Refused
    return kind(f"{host} {_SAYS.get(status, f'failed with status {status}: try again later')}.")


def _listed(rows: Sequence[Mapping[str, Any]]) -> tuple[Listed, ...]:
    return tuple(Listed(str(row["id"]), _context(row)) for row in rows)


def _context(row: Mapping[str, Any]) -> int:
    meta = row.get("meta")
    told = [row.get(name) for name in _CONTEXT] + [meta.get("n_ctx") if isinstance(meta, dict) else 0]
    return next((number for number in told if isinstance(number, int) and number > 0), 0)


def _host(url: str) -> str:
    try:
        return httpx2.URL(url).netloc.decode() or url
    except (httpx2.InvalidURL, ValueError):
        return url
