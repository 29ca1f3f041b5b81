"""Signing in by OpenID Connect: the authorization code flow with PKCE. Authlib checks state, nonce and ID token."""

from __future__ import annotations

import logging
import time
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.responses import Response

from chat.access.door import cookie, keep
from chat.access.elsewhere import is_safe
from chat.access.limits import Counted
from chat.access.sign_in import (
    BY_ADDRESS,
    OPENID,
    OPENID_BACK,
    WAIT,
    WINDOW,
    ByAccount,
    own_path,
    sign_in_page,
)
from chat.faults import ChatFault
from chat.settings import Settings

log = logging.getLogger("duet.openid")
STAYS = 900
"""Seconds from leaving for the provider to coming back."""
LEEWAY = 60
"""Seconds that its clock and ours may differ by."""
PATIENCE = 10.0
"""Seconds for an answer of the provider."""
FRESH = 3600.0
"""Seconds for which its addresses and keys are taken as known; unknown keys are looked up at once."""
SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures that only the provider can make: no `none`, and none by a secret that others hold as well."""
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")


class Provider:
    """The provider of the settings. Methods raise ChatFault, or what Authlib raises (`failures`)."""

    def __init__(self, settings: Settings) -> None:
        from authlib.integrations.starlette_client import OAuth

        self.issuer, self._claim = settings.oidc_issuer, settings.oidc_claim
        self.name = urlsplit(self.issuer).netloc
        how = {"scope": "openid profile email", "code_challenge_method": "S256", "timeout": PATIENCE}
        how["token_endpoint_auth_method"] = "client_secret_basic" if settings.oidc_client_secret else "none"
        self._client: Any = OAuth().register(
            "duet",
            client_id=settings.oidc_client_id,
            client_secret=settings.oidc_client_secret or None,
            server_metadata_url=f"{self.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs=how,
        )

    async def begin(self, request: Request, back: str) -> Response:
        """Sends the person there; what must be the same afterwards is put into the request's session."""
        await self._introduce()
        answer: Response = await self._client.authorize_redirect(request, back)
        return answer

    async def finish(self, request: Request) -> tuple[str, str]:
        """Who came back: what they are known by there for ever, and the name that the provider gives them."""
        await self._introduce()
        must = {
            "iss": {"essential": True, "value": self.issuer},
            "aud": {"essential": True, "value": self._client.client_id},
        }
        token = await self._client.authorize_access_token(request, claims_options=must, leeway=LEEWAY)
        told = token.get("userinfo") or {}
        subject = told.get("sub")
        if not isinstance(subject, str) or not 0 < len(subject) <= 255:
            raise ChatFault(f"{self.name} did not say who you are: ask an admin.")
        if self._claim not in told and "userinfo_endpoint" in self._client.server_metadata:
            more = await self._client.userinfo(token=token)
            told = more if more.get("sub") == subject else told
        return f"{self.issuer} {subject}", self._name(told)

    def _name(self, told: dict[str, Any]) -> str:
        name = told.get(self._claim)
        if not isinstance(name, str) or not name:
            raise ChatFault(f"{self.name} gives no `{self._claim}`: an admin can choose another one (DUET_OIDC_CLAIM).")
        if self._claim == "email" and told.get("email_verified") is not True:
            raise ChatFault(f"{self.name} has not verified your address: do that there, then come back.")
        return name

    async def _introduce(self) -> None:
        """What the provider says of itself, of which we take what we need and can believe."""
        known: dict[str, Any] = self._client.server_metadata
        if time.time() - known.get("_loaded_at", 0) < FRESH:
            return
        known.clear()
        try:
            said = dict(await self._client.load_server_metadata())
        finally:
            known.clear()
        if said.get("issuer") != self.issuer:
            raise ChatFault(f"{self.name} goes by another issuer than DUET_OIDC_ISSUER: ask an admin.")
        ends = {end: str(said[end]) for end in ENDPOINTS if end in said}
        if not all(is_safe(end) and end.startswith(("https:", self.issuer[:5])) for end in ends.values()):
            raise ChatFault(f"{self.name} names an address without TLS: ask an admin.")
        algorithms = [each for each in said.get("id_token_signing_alg_values_supported", ()) if each in SIGNED]
        if self._client.client_secret and said.get("token_endpoint_auth_methods_supported") == ["client_secret_post"]:
            self._client.client_kwargs["token_endpoint_auth_method"] = "client_secret_post"
        known.update(ends, issuer=self.issuer, _loaded_at=said["_loaded_at"])
        known["id_token_signing_alg_values_supported"] = algorithms or ["RS256"]


def add_openid(app: FastAPI, keeper: ByAccount, provider: Provider) -> None:
    """The way there and back."""
    attempts, back, name = Counted(WINDOW), Counted(STAYS), f"{keeper.cookie}-openid"
    signer = URLSafeTimedSerializer(keeper.accounts.secret, salt="duet openid")

    def away(request: Request) -> None:
        """Gives the request the session that it left with; {} where that is not ours or too old."""
        try:
            request.scope["session"] = signer.loads(cookie(request.headers, name), max_age=STAYS)
        except BadSignature:
            request.scope["session"] = {}

    async def arrived(request: Request) -> Response:
        away(request)
        target = request.session.get("next", "/")
        state = request.query_params.get("state", "")
        if request.session:
            if back.of(state):  # none comes back twice
                request.session.clear()
            back.add(state)
        identity, named = await provider.finish(request)
        return keeper.let_in(request, keeper.accounts.arrive(identity, named), target)

    @app.get(OPENID, include_in_schema=False)
    async def leave(request: Request) -> Response:
        request.scope["session"] = {"next": own_path(request.query_params.get("next", ""))}
        try:
            answer = await provider.begin(request, str(request.url.replace(path=OPENID_BACK, query="")))
        except failures() as fault:
            return sign_in_page(keeper, said(provider.name, fault), 502)
        keep(answer, name, signer.dumps(request.session), STAYS, secure=request.url.scheme == "https")
        return answer

    @app.get(OPENID_BACK, include_in_schema=False)
    async def come_back(request: Request) -> Response:
        address = request.client.host if request.client else ""
        if len(attempts.of(address)) >= BY_ADDRESS:
            return sign_in_page(keeper, WAIT, 429)
        try:
            answer = await arrived(request)
        except failures() as fault:
            attempts.add(address)
            answer = sign_in_page(keeper, said(provider.name, fault), 401)
        answer.delete_cookie(name, httponly=True, samesite="lax")
        return answer


def failures() -> tuple[type[Exception], ...]:
    """What a sign-in may end in."""
    import httpx2
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    ours = (ChatFault, RuntimeError, ValueError, KeyError, TypeError, AttributeError)
    return AuthlibBaseError, JoseError, httpx2.HTTPError, *ours


def said(name: str, fault: Exception) -> str:
    """One sentence of ours: what the provider, or a link, writes is not shown."""
    if isinstance(fault, ChatFault):
        return str(fault)
    import httpx2
    from authlib.integrations.base_client import MismatchingStateError, OAuthError

    log.warning("signing in by %s: %s", name, type(fault).__name__)
    if isinstance(fault, MismatchingStateError):
        return "This sign-in was begun in another browser, is over or took too long: begin again."
    if isinstance(fault, OAuthError):
        return f"{name} did not sign you in: try again, or ask an admin."
    if isinstance(fault, httpx2.TransportError):
        return f"{name} cannot be reached: try again in a while."
    return f"What {name} answered cannot be believed ({type(fault).__name__}): try again, or ask an admin."
