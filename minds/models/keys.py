"""Which key goes to which address: a key is sent to the one it belongs to and to no other.

A model spec may name any address, and it can come from the page or from an imported conversation; so the keys and where
they belong are told by the environment alone. OPENAI_API_KEY belongs to OPENAI_BASE_URL, or to OpenAI where this is not
set. DUET_KEYS holds the others: `https://HOST/v1=KEY`, with spaces between several.
"""

from __future__ import annotations

import os

import httpx2

from minds.models.language import Refused

OFFICIAL = "https://api.openai.com/v1"


def key_of(url: str) -> str:
    """The address's own key; "" where it has none. Raises Refused for what is no address, and on wrong DUET_KEYS."""
    wanted = origin(url)
    for address, key in _own_keys():
        if address == wanted:
            return key
    return os.environ.get("OPENAI_API_KEY", "").strip() if is_account(url) else ""


def is_account(url: str) -> bool:
    """Whether OPENAI_API_KEY, and what else the environment says of that account, belongs to this address."""
    return origin(url) == origin(os.environ.get("OPENAI_BASE_URL", "").strip() or OFFICIAL)


def origin(url: str) -> httpx2.Origin:
    """Scheme, host and port, as the client that sends the key reads them. Raises Refused."""
    try:
        return httpx2.URL(url).origin
    except (httpx2.InvalidURL, ValueError) as error:
        raise Refused(f"{url!r} is no address of a model server: write https://HOST/v1.") from error


def _own_keys() -> list[tuple[httpx2.Origin, str]]:
    try:
        return [_own_key(pair) for pair in os.environ.get("DUET_KEYS", "").split()]
    except (Refused, ValueError):
        pass  # neither the text nor its error is shown: it holds keys
    raise Refused("DUET_KEYS must be addresses with their keys, such as https://HOST/v1=KEY, with spaces between them.")


def _own_key(pair: str) -> tuple[httpx2.Origin, str]:
    """Raises Refused and ValueError."""
    address, _, key = pair.partition("=")
    if not key:
        raise ValueError
    return origin(address), key
