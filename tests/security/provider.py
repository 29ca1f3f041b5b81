"""A small provider of OpenID Connect on loopback: discovery, authorization, token, keys, userinfo. It can misbehave."""

from __future__ import annotations

import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "duet-in-tests", "the clients secret"
Claims = dict[str, Any]
Told = tuple[int, dict[str, str], Any]


@dataclass
class Provider:
    """Who is signed in there, and what it does wrong."""

    port: int = 0
    host: str = "127.0.0.1"
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "alg": "RS256", "use": "sig"}))
    person: Claims = field(default_factory=lambda: {"sub": "1", "preferred_username": "ada"})
    twists: Callable[[Claims], Claims] = lambda claims: claims
    """Changes what an ID token says."""
    signs: Callable[[Claims], str] | None = None
    """Makes the token, in place of the key."""
    metadata: dict[str, Any] = field(default_factory=dict)
    later: Claims = field(default_factory=dict)
    """What only its userinfo says."""
    lax: bool = False
    """Takes a code twice, and asks for no verifier."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def issuer(self) -> str:
        return f"http://{self.host}:{self.port}"

    def answer(self, path: str, query: dict[str, str], form: dict[str, str], given: str) -> Told:
        """Status, headers, JSON."""
        self.asked.append(path)
        routes: dict[str, Callable[[], Told]] = {
            "/.well-known/openid-configuration": lambda: (200, {}, self._itself()),
            "/keys": lambda: (200, {}, {"keys": [self.key.as_dict(private=False)]}),
            "/authorize": lambda: self._authorize(query),
            "/token": lambda: self._token(form, given),
            "/userinfo": lambda: (200, {}, {"sub": self.person["sub"], **self.later}),
        }
        return routes[path]() if path in routes else (404, {}, {})

    def _itself(self) -> dict[str, Any]:
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys",
                "userinfo_endpoint": "userinfo"}  # fmt: skip
        known = {name: f"{self.issuer}/{path}" for name, path in ends.items()}
        algorithms = ["RS256", "HS256", "none"]
        return {"issuer": self.issuer, **known, "id_token_signing_alg_values_supported": algorithms, **self.metadata}

    def _authorize(self, query: dict[str, str]) -> Told:
        assert query["client_id"] == CLIENT and query["response_type"] == "code"
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return 302, {"Location": f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"}, {}

    def _token(self, form: dict[str, str], given: str) -> Told:
        asked = self.codes.get(form.get("code", "")) if self.lax else self.codes.pop(form.get("code", ""), None)
        verifier = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        itself = [unquote(part) for part in b64decode(given.removeprefix("Basic ")).decode().split(":")]
        if itself != [CLIENT, SECRET]:
            return 401, {}, {"error": "invalid_client"}
        if asked is None or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {}, {"error": "invalid_grant"}
        if not self.lax and (asked.get("code_challenge_method"), asked.get("code_challenge")) != ("S256", verifier):
            return 400, {}, {"error": "invalid_grant", "error_description": "<b>wrong verifier</b>"}
        return 200, {}, {"access_token": "opaque", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])}

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce, **self.person}
        claims = self.twists(claims)
        return self.signs(claims) if self.signs else jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)


@contextmanager
def providing() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def _go(self, body: str = "") -> None:
            parts = urlsplit(self.path)
            query, form = dict(parse_qsl(parts.query)), dict(parse_qsl(body))
            status, headers, told = provider.answer(parts.path, query, form, self.headers.get("authorization", ""))
            sent = json.dumps(told).encode()
            self.send_response(status)
            for name, value in {
                **headers,
                "Content-Type": "application/json",
                "Content-Length": str(len(sent)),
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def do_GET(self) -> None:
            self._go()

        def do_POST(self) -> None:
            self._go(self.rfile.read(int(self.headers["content-length"])).decode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
