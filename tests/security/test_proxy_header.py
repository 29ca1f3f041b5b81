"""A proxy that says who asks: believed by its address, once and plainly; from anybody else it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat.access.accounts import Accounts
from chat.access.elsewhere import PEER, Proxy
from chat.faults import ChatFault
from chat.server import accounts_of, keeper
from chat.settings import Settings, check, check_reach
from tests.security.ground import Served, raw, served

HEADER = "X-Forwarded-User"
PASSWORD = "adas own password"


@dataclass
class Behind:
    """A server; its requests come from 127.0.0.1."""

    server: Served
    accounts: Accounts

    def ask(self, *names: str | bytes, path: str = "/conversations", **more: str) -> httpx2.Response:
        given = [(HEADER.encode(), name.encode() if isinstance(name, str) else name) for name in names]
        given += [(name.replace("_", "-").encode(), value.encode()) for name, value in more.items()]
        return self.server.another().get(path, headers=given)


def _behind(home: Path, peers: str) -> Iterator[Behind]:
    told = {"proxy_header": HEADER, "proxy_from": peers}
    accounts = accounts_of(Settings(home=home, admins="boss", **told))  # type: ignore[arg-type]
    with served(home, lambda own, port: keeper(own, port, accounts), user="", **told) as server:
        yield Behind(server, accounts)
    accounts.close()


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    """Behind a proxy on this machine."""
    yield from _behind(tmp_path_factory.mktemp("proxy"), "127.0.0.1 ::1")


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    """The proxy is elsewhere: whoever comes from this machine is none."""
    yield from _behind(tmp_path_factory.mktemp("beside"), "10.0.0.2 10.1.0.0/24")


def test_whom_the_proxy_names_has_an_account(behind: Behind) -> None:
    assert behind.ask("ada").status_code == 200
    assert "You are ada." in behind.ask("ada", path="/account").text
    assert not behind.accounts.account("ada").admin
    assert "You are boss. (admin)" in behind.ask("boss", path="/account").text
    assert behind.ask().status_code == 401


def test_the_header_goes_before_a_cookie(behind: Behind) -> None:
    behind.accounts.add("root", PASSWORD, "admin")
    client = behind.server.another()
    client.post("/sign-in", data={"name": "root", "password": PASSWORD})
    assert "You are root." in client.get("/account").text
    assert "You are ada." in client.get("/account", headers={HEADER: "ada"}).text
    assert client.get("/account", headers={HEADER: "no name"}).status_code == 403


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.0.0.2", "::1", ""])
def test_from_another_address_it_is_refused(beside: Behind, peer: str) -> None:
    """Whatever further headers say of the address."""
    more = {"X_Forwarded_For": peer, "X_Real_IP": peer, "Forwarded": f"for={peer}"} if peer else {}
    for path in ("/conversations", "/", "/account"):
        answer = beside.ask("ada", path=path, **more)
        assert answer.status_code == 403 and "Only the proxy" in answer.text
    assert beside.accounts.all() == []


def test_from_another_address_it_is_refused_beside_a_cookie_and_a_token(beside: Behind) -> None:
    beside.accounts.add("root", PASSWORD)
    token = beside.accounts.make_token("root", "x")
    client = beside.server.another()
    client.post("/sign-in", data={"name": "root", "password": PASSWORD})
    assert client.get("/conversations").status_code == 200
    assert client.get("/conversations", headers={HEADER: "root"}).status_code == 403
    bearer = {"authorization": f"Bearer {token}"}
    assert client.get("/api/duet/health", headers=bearer).status_code == 200
    assert client.get("/api/duet/health", headers={**bearer, HEADER: "root"}).status_code == 401
    beside.accounts.remove("root")


def test_without_the_addresses_anybody_is_whoever_they_say(beside: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Proxy, "_believes", lambda self, peer: True)
    assert beside.ask("victim").status_code == 200


def test_what_the_proxy_says_of_its_client_does_not_make_it_another(behind: Behind) -> None:
    assert behind.ask("ada", X_Forwarded_For="203.0.113.9").status_code == 200


def test_a_header_twice_is_refused(behind: Behind) -> None:
    for names in (("ada", "eve"), ("ada", "ada"), ("", "ada")):
        assert behind.ask(*names).status_code == 403


def test_without_that_rule_the_one_that_a_stranger_adds_counts(behind: Behind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Proxy, "named", lambda self, scope, headers: headers.getlist(HEADER)[0])
    assert "You are eve." in behind.ask("eve", "ada", path="/account").text


ODD = ["", "a b", "ada, eve", "ada;eve", "../ada", "<b>ada</b>", "x" * 65, "-ada", "é", "ａｄａ", "аda", "ADA",
       "Ada", "ada\u200b", "ada'--", "%61da", "root\x7f", b"\xe1da", b"\xff\xfe", "\u212aate"]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_a_name_that_is_none_or_like_anothers_is_refused(behind: Behind, name: str | bytes) -> None:
    behind.ask("ada")
    before = behind.accounts.all()
    answer = behind.ask(name)
    assert answer.status_code == 403 and len(answer.text) < 200 and answer.text.isascii()
    assert behind.accounts.all() == before


@pytest.mark.parametrize("bad", [b"\0", b"\r", b"\x01", b"\x0b", b"\x1b[2J", b"\t", b"\n eve"])
def test_control_characters_are_refused(behind: Behind, bad: bytes) -> None:
    before = behind.accounts.all()
    host = f"127.0.0.1:{behind.server.port}".encode()
    head = b"GET /conversations HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n" + HEADER.encode()
    heard = raw(behind.server, head + b": ada" + bad + b"x\r\n\r\n", 3)
    assert heard.split(b"\r\n")[0].split()[1] in (b"400", b"403") and behind.accounts.all() == before


def test_without_the_whole_name_counting_another_writing_opens_it(
    behind: Behind, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind.ask("ada")
    arrive = Accounts.arrive
    monkeypatch.setattr(Accounts, "arrive", lambda self, identity, name: arrive(self, identity.lower(), name.lower()))
    assert "You are ada." in behind.ask("ADA", path="/account").text


def test_an_account_with_a_password_and_one_of_a_provider_are_not_the_proxys(behind: Behind) -> None:
    behind.accounts.add("guarded", PASSWORD)
    behind.accounts.arrive("https://provider.example.org 1", "theirs")
    for name in ("guarded", "theirs"):
        assert behind.ask(name).status_code == 403
    behind.accounts.remove("guarded")


def test_who_was_removed_is_refused(behind: Behind) -> None:
    assert behind.ask("gone").status_code == 200
    behind.accounts.remove("gone")
    assert behind.ask("gone").status_code == 403


@pytest.mark.parametrize(
    ("peer", "believed"),
    [("10.0.0.2", True), ("::ffff:10.0.0.2", True), ("10.0.0.3", False), ("10.1.0.77", True), ("10.1.1.1", False),
     ("", False), ("x", False), ("10.0.0.2 ", False), ("::1", False), ("127.0.0.1", False), ("010.0.0.2", False)],
)  # fmt: skip
def test_an_address_is_the_proxys_or_not(peer: str, believed: bool) -> None:
    from starlette.datastructures import Headers

    proxy, headers = Proxy(HEADER, "10.0.0.2 10.1.0.0/24"), Headers({HEADER: "ada"})
    scope: dict[str, Any] = {"type": "http", "state": {PEER: peer}, "client": ("10.0.0.2", 1)}
    if believed:
        assert proxy.named(scope, headers) == "ada"
    else:
        for each in (scope, {"type": "http", "client": ("10.0.0.2", 1)}):
            with pytest.raises(ChatFault, match="Only the proxy"):
                proxy.named(each, headers)


HALF: list[dict[str, Any]] = [
    {"proxy_header": HEADER}, {"proxy_from": "127.0.0.1"}, {"proxy_header": HEADER, "proxy_from": " "},
    {"proxy_header": HEADER, "proxy_from": "0.0.0.0/0"}, {"proxy_header": HEADER, "proxy_from": "10.0.0.1 ::/0"},
    {"proxy_header": HEADER, "proxy_from": "proxy.example.org"}, {"proxy_header": HEADER, "proxy_from": "10.0.0.1/8"},
    {"proxy_header": HEADER, "proxy_from": "*"}, {"proxy_header": "Cookie", "proxy_from": "127.0.0.1"},
    {"proxy_header": "X User", "proxy_from": "127.0.0.1"}, {"proxy_header": "Host", "proxy_from": "127.0.0.1"},
]  # fmt: skip


@pytest.mark.parametrize("given", HALF)
def test_half_a_proxy_is_refused_at_the_start(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ChatFault, match=r"^[^\n]*DUET_PROXY_[^\n]*$"):
        check(Settings(home=tmp_path, **given))


def test_a_whole_one_lets_duet_be_reached_from_elsewhere(tmp_path: Path) -> None:
    own = Settings(home=tmp_path, host="0.0.0.0", proxy_header=HEADER, proxy_from="10.0.0.2")
    assert check_reach(check(own)) is own
