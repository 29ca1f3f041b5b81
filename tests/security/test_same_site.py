"""Pages of other sites, and names that were bound to this machine, get nothing: on every route that there is."""

from __future__ import annotations

from collections.abc import Iterable

import httpx2
import pytest

from chat.access.same_site import SameSite, host_name
from tests.security.conftest import Remove
from tests.security.ground import KEY, Served, filled, raw, routes_of

HOSTS = (
    "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.", "127.0.0.2",
    "0.0.0.0", "[::]", "127.1", "2130706433", "127.0.0.1@evil.example", "evil.example@127.0.0.1", "127.0.0.1:x", "",
    "127.0.0.1, evil.example", "xn--lcalhost-r4a", "[::1", "*", "localhost/evil", "169.254.169.254",
    "[::ffff:127.0.0.1]",
)  # fmt: skip
ORIGINS = (
    "https://evil.example", "http://evil.example:7860", "null", "http://127.0.0.1", "http://127.0.0.1:1",
    "http://localhost.evil.example", "file://", "http://127.0.0.1.evil.example", "http://evil@127.0.0.1",
    "chrome-extension://abc", "", "data:text/html,x", "javascript:0", "http://[", "http://127.0.0.1:x", "://",
)  # fmt: skip
FETCHES = (
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "iframe"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "anything"},
)
FOLLOWED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


SOME = (("GET", "/"), ("GET", "/conversations"), ("POST", "/api/duet/turns"), ("POST", "/gradio_api/queue/join"))
"""A page, what it fetches, the API and an event."""


def answers(here: Served, headers: dict[str, str], routes: Iterable[tuple[str, str]] = SOME) -> set[int]:
    """The statuses for these headers, with the key for routes that want one."""
    found = set()
    for method, path in routes:
        with here.client.stream(method, filled(path), headers={"authorization": f"Bearer {KEY}", **headers}) as answer:
            found.add(answer.status_code)
    return found


@pytest.mark.parametrize(
    ("headers", "refused"), [({"host": HOSTS[0]}, 421), ({"origin": ORIGINS[0]}, 403), (FETCHES[0], 403)]
)
def test_no_route_answers_another_site(here: Served, headers: dict[str, str], refused: int) -> None:
    routes = list(routes_of(here.app))
    assert len(routes) > 60 and set(SOME) <= set(routes)
    assert answers(here, headers, routes) == {refused}


@pytest.mark.parametrize("host", HOSTS)
def test_another_name_is_refused(here: Served, host: str) -> None:
    assert answers(here, {"host": host}) <= {400, 421}


@pytest.mark.parametrize("origin", [o for o in ORIGINS if o])
def test_a_page_of_another_origin_is_refused(here: Served, origin: str) -> None:
    assert answers(here, {"origin": origin}) == {403}


@pytest.mark.parametrize("headers", FETCHES, ids=lambda headers: "-".join(headers.values()))
def test_what_a_page_of_another_site_fetches_is_refused(here: Served, headers: dict[str, str]) -> None:
    assert answers(here, headers) == {403}


def test_a_link_from_elsewhere_opens_the_page_and_does_nothing_else(here: Served) -> None:
    assert here.client.get("/", headers=FOLLOWED).status_code == 200
    assert here.client.post("/gradio_api/queue/join", headers=FOLLOWED, json={}).status_code == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_its_own_names_and_origin_are_let_in(here: Served, name: str) -> None:
    own = {"host": f"{name}:{here.port}", "origin": f"http://{name}:{here.port}", "sec-fetch-site": "same-origin"}
    assert here.client.get("/conversations", headers=own).status_code == 200
    assert here.client.get("/conversations").status_code == 200


def test_two_names_at_once_are_none(here: Served) -> None:
    head = f"GET /conversations HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\nHost: evil.example\r\n\r\n"
    assert raw(here, head.encode()).split()[1] in (b"400", b"421")


def test_two_origins_are_none(here: Served) -> None:
    headers = [("origin", here.base), ("origin", "https://evil.example")]
    assert httpx2.get(f"{here.base}/conversations", headers=headers, trust_env=False).status_code == 403


async def test_websockets_of_other_sites_are_closed_before_they_open() -> None:
    said: list[object] = []

    async def app(*_: object) -> None:
        raise AssertionError("it was let in")

    async def send(message: object) -> None:
        said.append(message)

    for headers in ([(b"host", b"evil.example")], [(b"host", b"localhost"), (b"origin", b"https://evil.example")]):
        scope = {"type": "websocket", "path": "/", "headers": headers}
        await SameSite(app, [])(scope, None, send)  # type: ignore[arg-type]
    assert said == [{"type": "websocket.close", "code": 1008}] * 2


def test_without_the_defence_they_succeed(here: Served, without: Remove) -> None:
    without(SameSite)
    assert here.client.get("/conversations", headers={"host": "evil.example"}).status_code == 200
    assert here.client.get("/conversations", headers={"origin": "https://evil.example"}).status_code == 200
    assert here.client.get("/world/possible", headers=FETCHES[0]).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "localhost", "[::1]:7860"])
def test_names_are_read_without_ports(host: str) -> None:
    assert host_name(host) in ("127.0.0.1", "localhost", "::1")


def test_the_page_is_not_framed_by_others(here: Served) -> None:
    assert "frame-ancestors 'self'" in here.client.get("/").headers["content-security-policy"]
