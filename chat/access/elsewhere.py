"""Who is known elsewhere: to a provider of OpenID Connect (openid.py), or to a proxy before Duet, which names them."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chat.faults import ChatFault

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import Scope


PEER = "duet.peer"
"""Where a scope's state says who connected, whatever a proxy's headers say of whom it speaks for (limits.py)."""
NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
"""Of an account."""
_HOST = re.compile(r"[\w.-]+")
_HERE = ("127.0.0.1", "localhost", "::1")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}")
_OTHERS = frozenset({"host", "cookie", "authorization", "origin", "x-forwarded-for", "x-forwarded-proto"})
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxy:
    """A header that names who asks. It is believed of some addresses, and refused of all others."""

    def __init__(self, header: str, peers: str) -> None:
        """`peers`: addresses or networks, with spaces between them."""
        self._header, self._peers = header, networks(peers)

    def named(self, scope: Scope, headers: Headers) -> str:
        """As it is written; "" where nobody is. Raises ChatFault."""
        given = headers.getlist(self._header)
        if not given:
            return ""
        if not self._believes(scope.get("state", {}).get(PEER, "")):
            raise ChatFault(f"Only the proxy may say who you are ({self._header}): come by its address.")
        if len(given) > 1 or not given[0].strip():
            raise ChatFault(f"The proxy must say once who you are ({self._header}): ask an admin to look at it.")
        return given[0]

    def _believes(self, peer: str) -> bool:
        """By who connected, not by what headers say of it."""
        address = address_of(peer)
        plain = getattr(address, "ipv4_mapped", None) or address
        return plain is not None and any(plain in network for network in self._peers)


def address_of(text: str) -> Address | None:
    """A numeric one; None for everything else."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def networks(text: str) -> list[Network]:
    """Raises ValueError."""
    return [ipaddress.ip_network(each) for each in text.split()]


def check_provider(issuer: str, client_id: str, client_secret: str, claim: str) -> None:
    """Raises ChatFault for half of what is needed, and for an address that others can answer from."""
    if not any((issuer, client_id, client_secret)):
        return
    if not issuer or not client_id:
        missing = "DUET_OIDC_CLIENT_ID" if issuer else "DUET_OIDC_ISSUER"
        raise ChatFault(f"Signing in by OpenID Connect needs {missing} as well: set it, or none of DUET_OIDC_*.")
    if not is_safe(issuer):
        raise ChatFault("DUET_OIDC_ISSUER must be the provider's address, as it calls itself: https://...")
    if not claim.strip():
        raise ChatFault("DUET_OIDC_CLAIM must be the claim that names people, as preferred_username or email.")


def is_safe(url: str) -> bool:
    """Whether nobody on the way can change what comes from there."""
    try:
        parts = urlsplit(url)
        name = parts.hostname or ""
    except ValueError:
        return False
    plain = bool(name) and url.isascii() and url.isprintable() and not set(" @#\\") & set(url)
    return plain and (parts.scheme == "https" or (parts.scheme == "http" and name in _HERE))


def check_names(names: str, admins: str) -> None:
    """Raises ChatFault for what no machine, and no account, can be called: it would do nothing."""
    for each in names.split():
        if not _HOST.fullmatch(each) and address_of(each) is None:
            raise ChatFault(
                f"DUET_NAMES has {each!r}: write names alone, with spaces between them, as duet.example.org."
            )
    for each in admins.split():
        if not NAME.fullmatch(each):
            raise ChatFault(f"DUET_ADMINS has {each!r}: write names of accounts, with spaces between them, as ada bob.")


def check_proxy(header: str, peers: str) -> None:
    """Raises ChatFault for half of what is needed, and for what would let in everybody."""
    if not header and not peers:
        return
    if not header or not peers.strip():
        missing = "DUET_PROXY_FROM" if header else "DUET_PROXY_HEADER"
        raise ChatFault(f"A proxy that names people needs {missing} as well: set both, or neither.")
    if not _HEADER.fullmatch(header) or header.lower() in _OTHERS:
        raise ChatFault("DUET_PROXY_HEADER must be the name of a header of its own, as X-Forwarded-User.")
    try:
        everybody = any(network.prefixlen == 0 for network in networks(peers))
    except ValueError as error:
        raise ChatFault(f"DUET_PROXY_FROM must be addresses or networks, as 127.0.0.1 10.0.0.0/24: {error}.") from error
    if everybody:
        raise ChatFault("DUET_PROXY_FROM would believe everybody: give the proxy's own address.")
