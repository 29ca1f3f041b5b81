"""What is too large, too slow or too much is refused early, and the page stays usable meanwhile."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from chat.access import limits
from chat.access.accounts import Person
from chat.access.limits import Limits, Protocol, more_files
from tests.security.conftest import Remove
from tests.security.ground import KEY, Served, raw

JOIN = "/gradio_api/queue/join"
OWNER = {"authorization": f"Bearer {KEY}"}


def quick(here: Served) -> float:
    began = time.monotonic()
    assert here.client.get("/conversations").status_code == 200
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [JOIN, "/api/duet/turns", "/api/duet/sessions", "/gradio_api/upload", "/", "/login", "/memory/list"]
)
@pytest.mark.parametrize("size", [1_000_001, 60_000_000, 70_000_000])
def test_a_body_that_is_too_large_is_refused(here: Served, path: str, size: int) -> None:
    if path == "/gradio_api/upload" and size < limits.UPLOADED:
        pytest.skip("an upload may be of this size")
    assert here.client.post(path, content=b"x" * size, headers=OWNER).status_code == 413
    assert quick(here) < 2


@pytest.mark.slow
def test_a_large_file_is_taken_through_the_api(here: Served) -> None:
    session = here.client.post("/api/duet/sessions", json={}, headers=OWNER).json()["session"]
    path, words = f"/api/duet/files/{session}?name=long.txt", b"Parking is free after six. " * 50_000
    answer = here.client.post(path, content=words, headers=OWNER)
    assert answer.json() == {"text": "long.txt"} and here.client.post(path, content=words).status_code == 401
    other = "/api/duet/files/nowhere?name=long.txt"
    assert here.client.post(other, content=b"x", headers=OWNER).status_code == 400


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/memory/", "/api/memory/", "/api/duet/memory/"])
def test_a_large_memory_is_taken_in_and_deleted(here: Served, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    row = {"id": path.replace("/", "."), "kind": "turn", "text": "x" * 900_000, "at": 1}
    rows = [{**row, "id": f"{row['id']}{n}"} for n in range(2)]
    answer = here.client.post(f"{path}import", json={"format": "duet-memory-1", "notes": rows}, headers=OWNER)
    assert answer.json() == {"imported": 2, "read": 2}
    ids = [f"import:{one['id']}" for one in rows] + ["x" * 30] * 40_000
    assert here.client.post(f"{path}forget", json={"ids": ids, "sure": True}, headers=OWNER).json()["forgotten"] == 2
    monkeypatch.setattr(limits, "MOST_UPLOADS", 0)
    assert here.client.post(f"{path}forget", json={"ids": ids}, headers=OWNER).status_code == 429
    assert here.client.post(f"{path}forget", json={"ids": ids[:9]}, headers=OWNER).status_code == 200


@pytest.mark.parametrize("path", [JOIN, "/api/duet/turns", "/gradio_api/upload"])
def test_a_body_that_does_not_say_its_size_is_counted(here: Served, path: str) -> None:
    def pieces() -> Iterator[bytes]:
        if path == "/gradio_api/upload":
            yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
        yield from (b"x" * 1_000_000 for _ in range(70))

    headers = OWNER | {"content-type": "multipart/form-data; boundary=b"}
    try:
        status = here.client.post(path, content=pieces(), headers=headers).status_code
    except httpx2.TransportError:  # the server had heard enough
        return
    assert status in (400, 413)


def test_without_the_limit_sixty_megabytes_are_taken(here: Served, without: Remove) -> None:
    without(Limits)
    body = b'{"session": "x", "text": "' + b"x" * 60_000_000 + b'"}'
    assert here.client.post("/api/duet/turns", content=body, headers=OWNER).status_code != 413


@pytest.mark.parametrize(
    "head",
    [b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000, b"GET /" + b"x" * 100_000,
     b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, b"\x16\x03\x01" * 20_000, b"x" * 100_000],
    ids=["header", "address", "headers", "tls", "line"],
)  # fmt: skip
def test_a_head_that_is_too_large_is_refused(here: Served, head: bytes) -> None:
    answer = raw(here, head, seconds=3)
    assert answer == b"" or answer.split()[1] in (b"400", b"431")


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT",
     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"],
    ids=["nothing", "half a head", "a word", "half a second one", "half a body"],
)  # fmt: skip
def test_who_sends_nothing_more_is_hung_up_on(here: Served, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD", 0.3)
    began = time.monotonic()
    with impatient(here):
        answer = raw(here, sent, seconds=9)
    assert time.monotonic() - began < 7, answer[:50]


def impatient(here: Served) -> ExitStack:
    """The running server gives bodies a third of a second between two pieces."""
    stack, layer = ExitStack(), here.app.middleware_stack
    while layer is not None and not isinstance(layer, Limits):
        layer = getattr(layer, "app", None) or getattr(layer, "_app", None)
    assert isinstance(layer, Limits)
    before, layer._pause = layer._pause, 0.3
    stack.callback(setattr, layer, "_pause", before)
    return stack


def test_without_the_watch_a_silent_connection_stays(here: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD", 0.2)
    monkeypatch.setattr(Protocol, "_watch", lambda self: None)
    began = time.monotonic()
    raw(here, b"", seconds=1)
    assert time.monotonic() - began >= 1


def test_the_page_is_usable_beside_five_hundred_idle_connections(here: Served) -> None:
    more_files()
    with ExitStack() as idle:
        for number in range(500):
            line = idle.enter_context(socket.create_connection(("127.0.0.1", here.port), timeout=5))
            if number % 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert max(quick(here) for _ in range(5)) < 1


def test_one_person_uploads_so_much_an_hour(here: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HOURLY", 3_000)
    sent = [
        here.client.post("/gradio_api/upload", files={"files": ("a.md", b"x" * 1_000)}).status_code for _ in range(4)
    ]
    assert sent[-1] == 429
    hour = limits.Hour()
    assert [hour.take(Person("eve"), 1_400) for _ in range(3)] == [True, True, False]
    assert hour.take(Person("ada"), 1_400)


def test_without_the_count_there_is_no_end() -> None:
    hour = limits.Hour()
    assert all(hour.take(Person("eve"), 400_000) for _ in range(1_999))
