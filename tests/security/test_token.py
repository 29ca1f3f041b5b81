"""With a token nobody gets in without it: no route, no event; the cookie tells nothing of it and is no script's."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from chat.access.door import HELLO, Door, Token
from chat.command_line import parser
from chat.faults import ChatFault
from chat.settings import Settings, check, read_settings
from tests.security.conftest import Remove
from tests.security.ground import KEY, Served, filled, routes_of, served

TOKEN = "a token that nobody guesses"
ANYBODY = {("GET", HELLO)}
"""Routes that need no token, each with a reason: the server proves itself there and tells nothing else."""


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("shared")
    with served(home, lambda settings, port: Token(settings.user, settings.token, port), token=TOKEN) as server:
        yield server


@pytest.fixture
def entered(closed: Served) -> httpx2.Client:
    """A browser that opened the printed address."""
    client = closed.another()
    assert client.get("/", params={"token": TOKEN, "c": "7"}).status_code == 303
    return client


def test_every_route_refuses_who_has_no_token(closed: Served) -> None:
    let_in = {(m, p) for m, p in routes_of(closed.app) if closed.client.request(m, filled(p)).status_code != 401}
    assert let_in == ANYBODY
    assert len(list(routes_of(closed.app))) > 80


def test_without_the_door_they_are_let_in(closed: Served, without: Remove) -> None:
    without(Door)
    assert closed.client.get("/conversations").status_code == 200
    assert closed.client.get("/config").status_code == 200


def test_every_event_refuses_who_has_no_token(closed: Served, entered: httpx2.Client) -> None:
    events = [event for event in entered.get("/config").json()["dependencies"] if event["backend_fn"]]
    assert len(events) >= 4
    for event in events:
        body = {"data": [None] * len(event["inputs"]), "fn_index": event["id"], "session_hash": "mine"}
        assert closed.client.post("/gradio_api/queue/join", json=body).status_code == 401
    assert closed.client.get("/gradio_api/queue/data", params={"session_hash": "mine"}).status_code == 401


def test_the_token_opens_once_and_leaves_the_address(closed: Served, entered: httpx2.Client) -> None:
    answer = closed.another().get("/", params={"token": TOKEN, "c": "7"})
    assert answer.headers["location"] == "/?c=7" and answer.headers["referrer-policy"] == "no-referrer"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and TOKEN not in cookie
    assert entered.get("/conversations").status_code == 200


@pytest.mark.parametrize(
    "address",
    ["/?token=", "/?token=x", f"/?token={TOKEN[:-1]}", f"/?token={TOKEN}x", f"/?Token={TOKEN}", f"/?token={TOKEN}%00",
     "/?token[]=x", "/?token=%C3%A9", f"/?token={TOKEN}&token=x", "/?", f"/{TOKEN}", f"/?x=token={TOKEN}"],
)  # fmt: skip
def test_nothing_like_the_token_opens(closed: Served, address: str) -> None:
    client = closed.another()
    assert client.get(address).status_code == 401
    assert client.get("/conversations").status_code == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "DELETE", "OPTIONS"])
def test_the_token_opens_by_the_printed_address_only(closed: Served, method: str) -> None:
    client = closed.another()
    assert client.request(method, "/", params={"token": TOKEN}).status_code == 401
    assert not client.cookies


@pytest.mark.parametrize(
    "value", ["", "x", TOKEN, "0" * 64, "\\", '"', "x; duet", "é", "duet", "a" * 4000],
)  # fmt: skip
def test_no_made_up_cookie_opens(closed: Served, value: str) -> None:
    header = f"duet-{closed.port}={value}".encode()
    answer = closed.client.get("/conversations", headers=[(b"cookie", header)])
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "headers",
    [{"authorization": f"Bearer {TOKEN}"}, {"authorization": "Duet 0:0"},
     {"authorization": f"Basic {KEY}"}, {"authorization": KEY}, {"x-forwarded-user": "ada"}, {"cookie": f"token={KEY}"},
     {"authorization": "Duet 99999999999999999999:x"}, {"authorization": "Duet ²:x"}, {"remote-user": "ada"}],
)  # fmt: skip
def test_the_api_wants_its_own_key(closed: Served, headers: dict[str, str]) -> None:
    raw = {name: value.encode() for name, value in headers.items()}
    assert closed.client.get("/api/duet/health", headers=raw).status_code == 401  # type: ignore[arg-type]


def test_the_cookie_of_the_page_does_not_open_the_api(entered: httpx2.Client) -> None:
    assert entered.get("/api/duet/health").status_code == 401


@pytest.mark.parametrize("token", ["x", "fifteen letters", "123456"])
def test_a_token_that_is_easily_guessed_is_refused(token: str) -> None:
    with pytest.raises(ChatFault, match="at least 16"):
        check(Settings(token=token))
    assert check(Settings(token=TOKEN)).token == read_settings({}, {"DUET_TOKEN": TOKEN}).token == TOKEN


def test_a_token_is_never_typed_on_the_command_line_where_others_read_it() -> None:
    assert parser().parse_args(["serve", "--token"]).token == "new"
    with pytest.raises(SystemExit):
        parser().parse_args(["serve", "--token=mine"])
