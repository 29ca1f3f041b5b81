"""How a process of the owner and the server know each other: both hold the key of DUET_HOME, and neither sends it.

Who takes the port of a dead server learns nothing from what comes there.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2
    from starlette.datastructures import Headers
    from starlette.types import Scope

WINDOW = 60
"""Seconds for which a signed request is taken."""


def proof_of(key: str, text: str) -> str:
    """Shows that one holds the key, without it."""
    return hmac.new(key.encode(), text.encode(), sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compared in a time that tells nothing; "" is like nothing."""
    return bool(one) and hmac.compare_digest(one.encode(errors="replace"), other.encode())


def signature(key: str, at: str, method: str, target: str) -> str:
    """Of a request; `target` is its path with the query."""
    return proof_of(key, f"request\n{at}\n{method}\n{target}")


def signer(key: str) -> Callable[[httpx2.Request], httpx2.Request]:
    """Signs a client's requests."""

    def sign(request: httpx2.Request) -> httpx2.Request:
        at = str(int(time.time()))
        proof = signature(key, at, request.method, request.url.raw_path.decode("ascii"))
        request.headers["Authorization"] = f"Duet {at}:{proof}"
        return request

    return sign


def is_owners(key: str, scope: Scope, headers: Headers) -> bool:
    """Whether the request carries the server's key, or is signed with it."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind == "Bearer":
        return same(given, key)
    at, _, proof = given.partition(":")
    if kind != "Duet" or not at.isdecimal() or len(at) > 12 or abs(time.time() - int(at)) > WINDOW:
        return False
    target = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    return same(proof, signature(key, at, scope["method"], f"{target}?{query}" if query else target))
