"""Signing in by OpenID Connect: the whole way over HTTP before a real provider, and what tries to get in on it."""

from __future__ import annotations

import hmac
import json
import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from chat.access import openid, sign_in
from chat.access.accounts import Accounts
from chat.access.limits import Counted
from chat.access.sign_in import OPENID, OPENID_BACK, SIGN_IN, own_path
from chat.faults import ChatFault
from chat.server import accounts_of, keeper
from chat.settings import Settings, check, check_reach
from tests.security.ground import Served, filled, routes_of, served
from tests.security.provider import CLIENT, SECRET, Claims, Provider, providing

PASSWORD = "the admins password"


@dataclass
class There:
    """A server whose people sign in at `provider`."""

    server: Served
    provider: Provider
    accounts: Accounts
    elsewhere: httpx2.Client
    """The browser, where it is at the provider."""

    def leave(self, client: httpx2.Client, **query: str) -> str:
        """To the provider and back: the address that the browser is sent to."""
        away = client.get(OPENID, params=query)
        assert away.status_code == 302, away.text
        return str(self.elsewhere.get(away.headers["location"]).headers["location"])

    def sign_in(self, client: httpx2.Client | None = None, **query: str) -> httpx2.Response:
        client = client or self.server.another()
        return client.get(self.leave(client, **query))

    def refused(self, answer: httpx2.Response) -> str:
        """The one sentence that the page says."""
        assert answer.status_code == 401
        [told] = re.findall(r'role="alert">([^<]+)<', answer.text)
        return unescape(told)


def is_in(client: httpx2.Client) -> bool:
    return client.get("/conversations").status_code == 200


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[There]:
    home = tmp_path_factory.mktemp("openid")
    with providing() as provider:
        oidc: dict[str, Any] = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
        settings = Settings(home=home, admins="boss", **oidc)
        accounts = accounts_of(settings)
        with (
            served(home, lambda own, port: keeper(own, port, accounts), user="", admins="boss", **oidc) as server,
            httpx2.Client(trust_env=False, timeout=20) as elsewhere,
        ):
            yield There(server, provider, accounts, elsewhere)
        accounts.close()


@pytest.fixture
def there(whole: There, monkeypatch: pytest.MonkeyPatch) -> Iterator[There]:
    """With a provider that behaves, and a person who is new there."""
    monkeypatch.setattr(openid, "BY_ADDRESS", 10_000)
    number = len(whole.provider.asked)
    whole.provider.person = {"sub": f"subject {number}", "preferred_username": f"person{number}"}
    yield whole
    whole.provider.twists, whole.provider.signs, whole.provider.lax = (lambda claims: claims), None, False
    whole.provider.metadata.clear()
    whole.provider.later.clear()


def name_of(there: There) -> str:
    return str(there.provider.person["preferred_username"])


# -- the way in


@pytest.mark.slow
def test_a_person_signs_in_at_the_provider_and_has_an_account(there: There) -> None:
    client = there.server.another()
    answer = there.sign_in(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert not there.accounts.account(name_of(there)).admin
    assert name_of(there) in client.get("/account").text and is_in(client)
    assert "httponly" in answer.headers["set-cookie"].lower() and "samesite=lax" in answer.headers["set-cookie"].lower()
    again = there.server.another()
    there.sign_in(again)
    assert is_in(again) and [a.name for a in there.accounts.all()].count(name_of(there)) == 1


def test_who_signs_out_is_out(there: There) -> None:
    client = there.server.another()
    there.sign_in(client)
    held = dict(client.cookies)
    assert client.post("/sign-out").headers["location"] == SIGN_IN
    assert not is_in(there.server.another(cookies=held))


def test_the_page_offers_the_provider_and_asks_for_passwords_only_where_there_are_some(there: There) -> None:
    client = there.server.another()
    page = client.get(SIGN_IN)
    assert f"Sign in with 127.0.0.1:{there.provider.port}" in page.text and 'type="password"' not in page.text
    there.accounts.add("with", PASSWORD)
    assert 'type="password"' in client.get(SIGN_IN).text and "<script" not in page.text
    there.accounts.remove("with")


def test_admins_are_as_set(there: There) -> None:
    there.provider.person["preferred_username"] = "boss"
    client = there.server.another()
    there.sign_in(client)
    assert "(admin)" in client.get("/account").text


def test_strangers_reach_the_way_in_and_nothing_else(there: There) -> None:
    client, let_in = there.server.another(), set()
    for method, path in routes_of(there.server.app):
        answer = client.request(method, filled(path))
        if answer.status_code != 401 or path.startswith(SIGN_IN):
            let_in.add((method, path))
    ways = {("GET", SIGN_IN), ("POST", SIGN_IN), ("GET", OPENID), ("GET", OPENID_BACK)}
    assert {(method, path) for method, path in let_in if not path.startswith("/api/duet/hello")} == ways


def test_what_only_userinfo_says_counts_if_it_is_of_the_same_person(there: There) -> None:
    there.provider.later = {"preferred_username": name_of(there)}
    del there.provider.person["preferred_username"]
    client = there.server.another()
    there.sign_in(client)
    assert is_in(client)
    there.provider.later["sub"] = "another"
    assert "gives no `preferred_username`" in there.refused(there.sign_in())


def test_new_keys_of_the_provider_are_looked_up(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    there.sign_in()
    fresh = RSAKey.generate_key(2048, {"kid": "two", "alg": "RS256", "use": "sig"})
    monkeypatch.setattr(there.provider, "key", fresh)
    there.provider.signs = lambda claims: jwt.encode({"alg": "RS256", "kid": "two"}, claims, fresh)
    client = there.server.another()
    there.sign_in(client)
    assert is_in(client)


# -- states and codes


def _queried(url: str, **changed: str | None) -> str:
    query = {**dict(parse_qsl(urlsplit(url).query)), **changed}
    return str(httpx2.URL(url, params={name: value for name, value in query.items() if value is not None}))


@pytest.mark.parametrize("state", [None, "", "x", "{half}", "{state}x"])
def test_another_state_opens_nothing(there: There, state: str | None) -> None:
    client = there.server.another()
    back = there.leave(client)
    own = dict(parse_qsl(urlsplit(back).query))["state"]
    told = state.format(half=own[: len(own) // 2], state=own) if state else state
    assert "begin again" in there.refused(client.get(_queried(back, state=told))) and not is_in(client)


def test_the_way_back_is_of_the_browser_that_left(there: There) -> None:
    """Otherwise a link signs somebody in as another person, and what they say is that person's."""
    client, other = there.server.another(), there.server.another()
    back = there.leave(client)
    assert "begin again" in there.refused(other.get(back)) and not is_in(other)
    there.leave(other)
    assert "begin again" in there.refused(other.get(back)) and not is_in(other)


def test_without_the_state_a_link_signs_in_as_somebody_else(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    from authlib.integrations.starlette_client import StarletteIntegration

    async def any_of_them(self: object, session: dict[str, Any], state: str) -> Any:
        return next(value["data"] for key, value in session.items() if key.startswith("_state_"))

    monkeypatch.setattr(StarletteIntegration, "get_state_data", any_of_them)
    monkeypatch.setattr(there.provider, "lax", True)
    there.provider.twists = lambda claims: {**claims, "nonce": nonces[-1]}
    nonces: list[str] = []
    client, other = there.server.another(), there.server.another()
    back = there.leave(client)
    there.leave(other)
    nonces.append(list(there.provider.codes.values())[-1]["nonce"])
    other.get(back)
    assert is_in(other)


def test_a_replayed_code_opens_nothing(there: There) -> None:
    client = there.server.another()
    back = there.leave(client)
    held = dict(client.cookies)
    client.get(back)
    for lax in (False, True):  # however careless the provider is
        there.provider.lax = lax
        late = there.server.another(cookies=held)
        assert "begin again" in there.refused(late.get(back)) and not is_in(late)


def test_without_the_memory_of_states_a_code_is_replayed(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    there.provider.lax = True
    monkeypatch.setattr(Counted, "of", lambda self, key: [])
    client = there.server.another()
    back = there.leave(client)
    held = dict(client.cookies)
    client.get(back)
    late = there.server.another(cookies=held)
    late.get(back)
    assert is_in(late)


def test_a_code_without_its_verifier_opens_nothing(there: There) -> None:
    """A code that was seen on its way to another browser."""
    client, other = there.server.another(), there.server.another()
    seen = dict(parse_qsl(urlsplit(there.leave(client)).query))["code"]
    mine = _queried(there.leave(other), code=seen)
    said = there.refused(other.get(mine))
    assert "did not sign you in" in said and "verifier" not in said and not is_in(other)


def test_an_old_or_forged_departure_opens_nothing(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    client = there.server.another()
    back = there.leave(client)
    [name] = [name for name in client.cookies if name.endswith("-openid")]
    value = client.cookies[name]
    middle = len(value) // 2  # the last character may hold bits that nobody reads
    other = value[:middle] + ("a" if value[middle] != "a" else "b") + value[middle + 1 :]
    forged = there.server.another(cookies={name: other})
    assert "begin again" in there.refused(forged.get(back))
    monkeypatch.setattr(openid, "STAYS", -1)
    assert "begin again" in there.refused(client.get(back)) and not is_in(client)


@pytest.mark.parametrize(
    "query", ["error=access_denied&error_description=%3Cb%3ECall+0900", "", "code=x", "error=" + "x" * 900]
)
def test_what_a_link_writes_is_not_said_on_our_page(there: There, query: str) -> None:
    answer = there.server.another().get(f"{OPENID_BACK}?{query}")
    assert answer.status_code == 401 and "0900" not in answer.text and there.refused(answer).count(".") <= 5


# -- ID tokens


def _made(algorithm: str, claims: Claims, sign: Callable[[bytes], bytes]) -> str:
    """By hand: a library would not."""
    parts = [json.dumps(part).encode() for part in ({"alg": algorithm, "kid": "one"}, claims)]
    head, body = (urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    return b".".join((head, body, urlsafe_b64encode(sign(head + b"." + body)).rstrip(b"="))).decode()


def _unsigned(_: Provider) -> Callable[[Claims], str]:
    return lambda claims: _made("none", claims, lambda _: b"")


def _by_the_public_key(provider: Provider) -> Callable[[Claims], str]:
    """HS256, with what everybody knows as the secret."""
    secret = provider.key.as_pem(private=False)
    return lambda claims: _made("HS256", claims, lambda text: hmac.digest(secret, text, sha256))


def _by_the_secret(_: Provider) -> Callable[[Claims], str]:
    """HS256, with what whoever reads the client's settings knows."""
    return lambda claims: _made("HS256", claims, lambda text: hmac.digest(SECRET.encode(), text, sha256))


def _by_another(_: Provider) -> Callable[[Claims], str]:
    key = RSAKey.generate_key(2048, {"kid": "one"})
    return lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


FORGERS = {"none": _unsigned, "HS256 by the public key": _by_the_public_key,
           "HS256 by the secret": _by_the_secret, "another key": _by_another}  # fmt: skip


@pytest.mark.parametrize("how", FORGERS)
def test_a_token_that_the_provider_did_not_sign_opens_nothing(there: There, how: str) -> None:
    there.provider.signs = FORGERS[how](there.provider)
    client = there.server.another()
    assert "cannot be believed" in there.refused(there.sign_in(client)) and not is_in(client)


@pytest.mark.parametrize("how", FORGERS)
def test_without_the_signature_checked_it_opens(there: There, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    def unchecked(token: str, **_: Any) -> Any:
        body = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return SimpleNamespace(claims=claims, header={"alg": "RS256"})

    monkeypatch.setattr(jwt, "decode", unchecked)
    there.provider.signs = FORGERS[how](there.provider)
    client = there.server.another()
    there.sign_in(client)
    assert is_in(client)


def _without(*names: str) -> Callable[[Claims], Claims]:
    return lambda claims: {name: value for name, value in claims.items() if name not in names}


TWISTS: dict[str, Callable[[Claims], Claims]] = {
    "another nonce": lambda claims: {**claims, "nonce": "another"},
    "no nonce": _without("nonce"),
    "a disclaimed nonce": lambda claims: {**claims, "nonce": "another", "nonce_supported": False},
    "another audience": lambda claims: {**claims, "aud": "somebody-else"},
    "another audience that names us": lambda claims: {**claims, "aud": "somebody-else", "azp": CLIENT},
    "our audience for another": lambda claims: {**claims, "aud": [CLIENT, "somebody-else"], "azp": "somebody-else"},
    "no audience": _without("aud"),
    "another issuer": lambda claims: {**claims, "iss": "https://provider.example.org"},
    "no issuer": _without("iss"),
    "expired": lambda claims: {**claims, "exp": int(time.time()) - 600, "iat": int(time.time()) - 900},
    "no end": _without("exp"),
    "not yet": lambda claims: {**claims, "nbf": int(time.time()) + 900},
    "of tomorrow": lambda claims: {**claims, "iat": int(time.time()) + 86_400, "exp": int(time.time()) + 90_000},
    "nobody": _without("sub"),
    "no text": lambda claims: {**claims, "sub": {"a": 1}},
    "an empty subject": lambda claims: {**claims, "sub": ""},
}


@pytest.mark.parametrize("how", TWISTS)
def test_a_token_for_another_purpose_opens_nothing(there: There, how: str) -> None:
    there.provider.twists = TWISTS[how]
    client = there.server.another()
    there.refused(there.sign_in(client))
    assert not is_in(client)


@pytest.mark.parametrize("how", ["another nonce", "another audience that names us", "another issuer", "expired"])
def test_without_its_claims_checked_it_opens(there: There, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    from authlib.oidc.core import CodeIDToken

    monkeypatch.setattr(CodeIDToken, "validate", lambda self, now=None, leeway=0: None)
    there.provider.twists = TWISTS[how]
    client = there.server.another()
    there.sign_in(client)
    assert is_in(client)


@pytest.mark.parametrize("answer", ["", "a.b.c", "{}", "x" * 5000, None, 7])
def test_what_is_no_token_opens_nothing(there: There, answer: Any) -> None:
    there.provider.signs = lambda _: answer
    client = there.server.another()
    there.refused(there.sign_in(client))
    assert not is_in(client)


# -- the provider itself


@pytest.mark.parametrize(
    ("said", "told"),
    [({"issuer": "https://provider.example.org"}, "another issuer"),
     ({"token_endpoint": "http://provider.example.org/token"}, "without TLS"),
     ({"jwks_uri": "http://provider.example.org/keys"}, "without TLS"),
     ({"authorization_endpoint": "javascript:alert(1)"}, "without TLS"),
     ({"authorization_endpoint": "http://127.0.0.1@provider.example.org/"}, "without TLS")],
)  # fmt: skip
def test_a_provider_that_is_not_itself_is_not_asked(
    there: There, monkeypatch: pytest.MonkeyPatch, said: dict[str, str], told: str
) -> None:
    monkeypatch.setattr(openid, "FRESH", -1.0)
    there.provider.metadata = said
    answer = there.server.another().get(OPENID)
    assert answer.status_code == 502 and told in answer.text and "location" not in answer.headers


def test_a_provider_that_cannot_be_reached_is_told(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openid, "FRESH", -1.0)
    real = Provider.answer

    def broken(self: Provider, path: str, *more: Any) -> Any:
        return (500, {}, {}) if "well-known" in path else real(self, path, *more)

    monkeypatch.setattr(Provider, "answer", broken)
    answer = there.server.another().get(OPENID)
    assert answer.status_code == 502 and "Traceback" not in answer.text and answer.text.count('role="alert"') == 1


def test_failures_are_counted(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openid, "BY_ADDRESS", 0)
    answer = there.server.another().get(f"{OPENID_BACK}?code=x&state=y")
    assert answer.status_code == 429 and sign_in.WAIT in answer.text


# -- names


@pytest.mark.parametrize(
    "name", ["{name}", "{NAME}", "{name} ", "{name}\0", "{name}\n", "ｐ{rest}", "\u212a{rest}", "../{name}", "<b>", "",
             7, None, ["{name}"], "x" * 65],
)  # fmt: skip
def test_a_name_that_is_like_anothers_opens_nothing_of_theirs(there: There, name: Any) -> None:
    there.sign_in()
    mine = name_of(there)
    if isinstance(name, str):
        name = name.format(name=mine, NAME=mine.upper(), rest=mine[1:])
    before = len(there.accounts.all())
    there.provider.person = {"sub": f"eve {time.time()}", "preferred_username": name}
    client = there.server.another()
    there.refused(there.sign_in(client))
    assert not is_in(client) and len(there.accounts.all()) == before


def test_without_the_subject_a_name_opens_anothers_account(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    there.sign_in()
    mine, arrive = name_of(there), Accounts.arrive
    there.provider.person = {"sub": f"eve {time.time()}", "preferred_username": mine.upper()}
    monkeypatch.setattr(Accounts, "arrive", lambda self, identity, name: self.account(name.lower()))
    client = there.server.another()
    there.sign_in(client)
    assert mine in client.get("/account").text
    monkeypatch.setattr(Accounts, "arrive", arrive)


def test_an_account_with_a_password_and_what_is_kept_under_a_name_are_nobodys_by_coming_first(there: There) -> None:
    there.accounts.add("guarded", PASSWORD)
    there.server.duet.transcript.new_session("before")
    for name in ("guarded", "before"):
        there.provider.person = {"sub": f"first {name}", "preferred_username": name}
        client = there.server.another()
        assert f"users add {name} --without-password" in there.refused(there.sign_in(client)) and not is_in(client)
    there.accounts.remove("guarded")


def test_who_was_removed_stays_out_until_added_again(there: There) -> None:
    client = there.server.another()
    there.sign_in(client)
    name = name_of(there)
    there.accounts.remove(name)
    assert not is_in(client) and "was removed" in there.refused(there.sign_in(client))
    there.accounts.add(name, None)
    there.sign_in(client)
    assert is_in(client)
    assert there.accounts.check(name, "") is None
    there.accounts.remove(name)
    there.accounts.add(name, PASSWORD)  # somebody else's now
    assert not is_in(client) and "taken" in there.refused(there.sign_in(client))
    there.accounts.remove(name)


def test_an_address_that_was_not_verified_is_no_name(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    real = openid.Provider._name

    def by_email(self: openid.Provider, told: dict[str, Any]) -> str:
        monkeypatch.setattr(self, "_claim", "email")
        return real(self, told)

    monkeypatch.setattr(openid.Provider, "_name", by_email)
    for verified in (False, "true", None):
        there.provider.person |= {"email": "ada@example.org", "email_verified": verified}
        assert "has not verified" in there.refused(there.sign_in())
    there.provider.person["email_verified"] = True
    there.sign_in()
    assert there.accounts.account("ada@example.org")


def test_newcomers_can_be_kept_out(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path, makes=False)
    with pytest.raises(ChatFault, match="no account eve"):
        accounts.arrive("https://x 1", "eve")
    accounts.add("ada", None)
    assert accounts.arrive("https://x 2", "ada").name == "ada"
    with pytest.raises(ChatFault, match="somebody else's"):
        accounts.arrive("https://x 1", "ada")
    accounts.close()


# -- where one goes on


OUTSIDE = ("https://evil.example.org", "//evil.example.org", "/\\evil.example.org", "\\\\evil", "/\t/evil.example.org",
           "javascript:1",
           "///evil", "evil.example.org", "/é", "/x\r\nSet-Cookie: a=b", "/sign-in/openid", " //evil", "/" + "x" * 2000,
           "https:evil.example.org", "/%0d\r\n", "/..\\\\evil")  # fmt: skip


@pytest.mark.parametrize("wanted", OUTSIDE)
def test_nobody_is_led_elsewhere(there: There, wanted: str) -> None:
    assert own_path(wanted) == "/"
    answer = there.sign_in(next=wanted)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "evil" not in there.server.another().get(SIGN_IN, params={"next": wanted}).text


def test_without_the_rule_a_link_leads_elsewhere(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sign_in, openid):
        monkeypatch.setattr(module, "own_path", lambda wanted: wanted)
    assert there.sign_in(next=OUTSIDE[0]).headers["location"] == OUTSIDE[0]


def test_one_comes_to_what_one_asked_for(there: There) -> None:
    asked = there.server.another().get("/memory?a=1&b=2", headers={"accept": "text/html"})
    wanted = dict(parse_qsl(urlsplit(asked.headers["location"]).query))["next"]
    assert there.sign_in(next=wanted).headers["location"] == "/memory?a=1&b=2"


# -- settings


HALF: list[dict[str, Any]] = [
    {"oidc_issuer": "https://x.example.org"}, {"oidc_client_id": "x"}, {"oidc_client_secret": "x"},
    {"oidc_issuer": "https://x.example.org", "oidc_client_secret": "x"},
    {"oidc_issuer": "http://x.example.org", "oidc_client_id": "x"}, {"oidc_issuer": "x", "oidc_client_id": "x"},
    {"oidc_issuer": "https://u@x.example.org", "oidc_client_id": "x"},
    {"oidc_issuer": "https://x.example.org", "oidc_client_id": "x", "oidc_claim": " "},
]  # fmt: skip


@pytest.mark.parametrize("given", HALF)
def test_half_a_provider_is_refused_at_the_start(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ChatFault, match=r"^[^\n]*DUET_OIDC_[^\n]*$"):
        check(Settings(home=tmp_path, **given))


def test_a_whole_one_lets_duet_be_reached_from_elsewhere(tmp_path: Path) -> None:
    own = Settings(home=tmp_path, host="0.0.0.0", oidc_issuer="https://x.example.org", oidc_client_id="x",
                   oidc_client_secret="hidden")  # fmt: skip
    assert check_reach(check(own)) is own and "hidden" not in repr(own)


def test_a_found_env_file_does_not_send_the_secret_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.settings import read_settings

    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("DUET_OIDC_ISSUER=https://evil.example.org\n")
    monkeypatch.setenv("DUET_OIDC_CLIENT_SECRET", "x")
    monkeypatch.setenv("DUET_OIDC_CLIENT_ID", "x")
    with pytest.raises(ChatFault, match="put both in one place"):
        read_settings()


@pytest.mark.real
def test_authlib_is_loaded_only_where_it_is_needed() -> None:
    import subprocess
    import sys

    code = "import sys, chat.server; sys.exit('authlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
