"""Which key goes to which address: a key is sent to the one it belongs to and to no other.

A model spec may name any address, and it can come from the page or from an imported conversation; so the keys and where
they belong are told apart from it. DUET_KEYS holds some: `https://HOST/v1=KEY`, with spaces between several. Those that
were pasted on the page are in DUET_HOME/keys.json, which its owner alone can read. OPENAI_API_KEY belongs to
OPENAI_BASE_URL, or to OpenAI where this is not set. They count in this order. No key is ever shown or logged.
"""

from __future__ import annotations

import ipaddress
import json
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from minds.models.language import Refused

OFFICIAL = "https://api.openai.com/v1"


def key_of(url: str, file: Path | None = None) -> str:
    """The address's own key; "" where it has none. `file`: of the pasted keys.

    Raises Refused for what is no address or can be no key, and on wrong DUET_KEYS.
    """
    return checked(_key_of(url, file), url)


def checked(key: str, url: str) -> str:
    """The key, if it can be sent. Raises Refused, without it."""
    if not key.isascii() or not key.isprintable():
        raise Refused(f"The key for {_written(origin(url))} has a character that no key has: copy it again, whole.")
    return key


def _key_of(url: str, file: Path | None) -> str:
    wanted = origin(url)
    for address, key in _own_keys():
        if address == wanted:
            return key
    if pasted := _pasted(file).get(_written(wanted)):
        return pasted
    return os.environ.get("OPENAI_API_KEY", "").strip() if is_account(url) else ""


def keep_key(url: str, key: str, file: Path) -> None:
    """For this address alone, whatever its path. Raises Refused, OSError."""
    _store({**_pasted(file), _written(origin(url)): key}, file)


def forget_key(address: str, file: Path) -> None:
    """`address` as `addresses` gives it. Raises OSError."""
    _store({where: key for where, key in _pasted(file).items() if where != address}, file)


def addresses(file: Path) -> list[str]:
    """Which addresses have a pasted key: all that is ever told of it."""
    return sorted(_pasted(file))


def _store(keys: dict[str, str], file: Path) -> None:
    """In one go, and readable by its owner alone from its first byte on."""
    beside = file.with_name(f"{file.name}.new")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        json.dump(keys, opened)
    beside.replace(file)


def _pasted(file: Path | None) -> dict[str, str]:
    """Origin -> key."""
    try:
        noted = json.loads(file.read_text("utf-8")) if file else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(where): str(key) for where, key in noted.items()} if isinstance(noted, dict) else {}


def _written(address: httpx2.Origin) -> str:
    """`https://api.openai.com`, with the port where it is no usual one."""
    return str(httpx2.URL(scheme=address.scheme, host=address.host, port=address.port))


def is_account(url: str) -> bool:
    """Whether OPENAI_API_KEY, and what else the environment says of that account, belongs to this address."""
    return origin(url) == origin(os.environ.get("OPENAI_BASE_URL", "").strip() or OFFICIAL)


def is_azure(url: str) -> bool:
    """Where a key has a header of its own, and the address an `api-version`."""
    return origin(url).host.endswith(".azure.com")


def is_local(url: str) -> bool:
    """Loopback and private addresses, and names without a dot or under .local."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan", ".internal"))


def origin(url: str) -> httpx2.Origin:
    """Scheme, host and port, as the client that sends the key reads them. Raises Refused."""
    try:
        found = httpx2.URL(url).origin
        if not 0 <= (found.port or 0) <= 65535:
            raise ValueError("no such port")
        return found
    except (httpx2.InvalidURL, ValueError) as error:
        raise Refused(f"{url!r} is no address of a model server: write https://HOST/v1.") from error


def _own_keys() -> list[tuple[httpx2.Origin, str]]:
    given = [pair.partition("=")[::2] for pair in os.environ.get("DUET_KEYS", "").split()]
    with suppress(Refused):  # neither the text nor its error is shown: it holds keys
        if all(key for _, key in given):
            return [(origin(address), key) for address, key in given]
    raise Refused("DUET_KEYS must be addresses with their keys, such as https://HOST/v1=KEY, with spaces between them.")
