"""Requests that nobody foresaw, made up by hypothesis from the routes that the application has: 150 in an ordinary run.

DUET_REQUESTS=5000 sends as many. No answer is a fault of the server's, takes this process more than two seconds or
keeps a client waiting for sixty (the machine may be busy), and every turn that was acknowledged is there afterwards.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from argon2 import PasswordHasher
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from chat import tables
from chat.access import accounts, limits
from chat.access.sign_in import ByAccount
from chat.faults import log
from chat.notebook import WISHES
from tests.security.ground import KEY, Served, filled, served
from tests.security.people import people
from tools.plain import readable

REQUESTS = int(os.environ.get("DUET_REQUESTS") or 150)
pytestmark = pytest.mark.timeout(600 + REQUESTS)
LATEST = 2.0
"""Seconds of the processor that one answer may take."""
SESSION = "a conversation of theirs"
"""Stands for the id of one while requests are made up."""
FIELDS = (
    "session", "user", "text", "domain", "id", "words", "kind", "since", "until", "limit", "skip", "answer", "why",
    "on", "all", "sure", "format", "notes", "forgotten", "value", "mind", "also", "name", "password", "old",
    "new", "label",
)  # fmt: skip
WITHIN = {"stop", "pause", "resume", "discard", "undo", *WISHES, "use", "forget", "drop"}
"""What the routes' last part may ask for; wishes that look for models elsewhere are left out."""


def _written(value: object) -> bytes:
    return json.dumps(value).encode()


hostile = st.sampled_from(
    ["", " ", "\0", "\ud800", "x" * 40_000, "é" * 500, "../../etc/passwd", "' OR 1=1 --", "<script>", "%s%n", "\u202e",
     "9" * 400, "-1", "1e999", "NaN", "None", "2026-05-01", "0001-01-01", "9999-12-31T23:59:59", "duet-memory-1",
     "turn", "housing", "embedded", "openai:m@http://[", "hf:..?quant=4bit", "embedded?strong=²", '"', "*", "(" * 300,
     "387 * 46", "what is 9**9**9?", "/world", "/play"]
)  # fmt: skip
words = st.one_of(st.just(SESSION), st.text(max_size=60), hostile)
scalars = st.one_of(
    words, st.none(), st.booleans(), st.floats(), st.integers(), st.sampled_from([2**63, -(2**63) - 1, 10**400])
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(FIELDS) | words, inner)),
    max_leaves=8,
)
notes = st.fixed_dictionaries(
    {"id": scalars, "kind": st.sampled_from(["turn", "result", "fact"]) | scalars, "text": scalars, "at": scalars},
    optional={"depends": values, "about": values, "answer": scalars, "session": scalars, "out": scalars, "x": values},
)
imports = st.fixed_dictionaries({"format": st.just("duet-memory-1"), "notes": st.lists(notes | values, max_size=3)})
objects = st.one_of(
    st.fixed_dictionaries({"session": st.just(SESSION), "text": words}),
    st.dictionaries(st.sampled_from(FIELDS), scalars, max_size=6),
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=6),
    imports,
)
turns = st.fixed_dictionaries({"session": st.just(SESSION), "text": words}).map(
    lambda value: json.dumps(value).encode()
)
jsons = st.one_of(objects, objects, values).map(lambda value: json.dumps(value).encode())
bodies = st.one_of(
    jsons, jsons, jsons, st.binary(max_size=200),
    st.sampled_from([b"[" * 100_000, b'{"a":' * 50_000, b'{"session": "x", "session": 1}', b"9" * 5000, b"\xff{}"]),
)  # fmt: skip
KINDS = st.sampled_from(
    ["application/json"] * 6 + ["text/plain", "application/x-www-form-urlencoded", "", "multipart/x"]
)


@dataclass(frozen=True)
class Made:
    """One request; `path` still holds {parameters}."""

    method: str
    path: str
    parts: dict[str, str]
    query: dict[str, str]
    body: bytes
    kind: str


def ours(routes: Any) -> Iterator[APIRoute]:
    """The routes that are written here; Gradio's own are held by its guard and tried elsewhere."""
    for route in routes:
        if isinstance(route, APIRoute) and route.endpoint.__module__.startswith("chat."):
            yield route


def requests_of(routes: list[APIRoute]) -> st.SearchStrategy[Made]:
    often = [route for route in routes if route.path.startswith("/api/")]
    return st.sampled_from(sorted([*routes, *often], key=lambda route: route.path)).flatmap(_requests)


def _requests(route: APIRoute) -> st.SearchStrategy[Made]:
    wishes = st.sampled_from(sorted(WITHIN)) | st.sampled_from(["x", "", "..", "%00", "\ud7ff"])
    part = {"wish": wishes, "what": wishes, "name": words.map(lambda word: f"{word}.json")}
    return st.builds(
        Made,
        st.sampled_from(sorted(route.methods or {"GET"})),
        st.just(route.path),
        st.fixed_dictionaries({one.name: part.get(one.name, words) for one in route.dependant.path_params}),
        st.dictionaries(st.sampled_from(["x", *(one.name for one in route.dependant.query_params)]), words),
        turns | bodies if route.path.endswith("/turns") else bodies,
        KINDS,
    )


@dataclass
class Attack:
    """Sends what is made up; `acknowledged` holds (session, turn, what was said)."""

    server: Served
    open_session: Callable[[], str]
    send: Callable[[httpx2.Request], httpx2.Response]
    sent: int = 0
    session: str = ""
    acknowledged: list[tuple[str, int, str]] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)

    def fire(self, made: Made) -> None:
        if self.sent % 100 == 0:
            self.session = self.open_session()
        self.sent += 1
        if self.sent % 10 == 1:  # turns that are to be there afterwards stand among all that is refused
            said = _written({"session": SESSION, "text": f"turn {self.sent}"})
            self._once(Made("POST", "/api/duet/turns", {}, {}, said, "application/json"))
        began, at = time.process_time(), time.monotonic()
        status = self._once(made)
        seconds = time.process_time() - began
        self.waits.append(time.monotonic() - at)
        assert seconds < LATEST, f"{seconds:.1f} s: {made!r}"[:2000]
        assert status < 500, f"{status}: {made!r}"[:2000]

    def _once(self, made: Made) -> int:
        try:
            answer = self.send(self._request(made))
        except (httpx2.InvalidURL, UnicodeError):  # no client can write it down
            return 0
        status, whole = self._heard(answer)
        self.answers[status] += 1
        if status == 200 and made.path == "/api/duet/turns":
            said = json.loads(self._filled(made.body))
            self.acknowledged.append((said["session"], json.loads(whole)["turn"], readable(said["text"])))
        return status

    def _heard(self, answer: httpx2.Response) -> tuple[int, bytes]:
        """Streams are left once they have begun."""
        try:
            kind = answer.headers.get("content-type", "")
            endless = kind.startswith(("text/event-stream", "application/x-ndjson")) and answer.status_code == 200
            return answer.status_code, b"" if endless else answer.read()
        finally:
            answer.close()

    def _request(self, made: Made) -> httpx2.Request:
        parts = [(name, quote(self._real(value), safe="", errors="replace")) for name, value in made.parts.items()]
        query = {name: self._real(value).encode(errors="replace").decode() for name, value in made.query.items()}
        body = self._filled(made.body) if made.method == "POST" else b""
        path = filled(made.path, [(name, value[:8000] or "x") for name, value in parts])
        headers = {"content-type": made.kind} if made.kind else {}
        query = {name: value[:8000] for name, value in query.items()}
        return self.server.client.build_request(made.method, path, params=query, content=body, headers=headers)

    def _real(self, value: str) -> str:
        return value.replace(SESSION, self.session)

    def _filled(self, body: bytes) -> bytes:
        return body.replace(SESSION.encode(), self.session.encode())

    def lost(self) -> list[tuple[str, int, str]]:
        """Turns that were acknowledged and are not there as they were said."""
        kept = {}
        query = select(tables.turns.c.number, tables.turns.c.said)
        for session in {session for session, _, _ in self.acknowledged}:
            rows = self.server.duet.transcript._read(query.where(tables.turns.c.session == session))
            kept.update({(session, number): said for number, said in rows})
        return [one for one in self.acknowledged if kept.get(one[:2]) != one[2]]


class Watch(logging.Handler):
    """Keeps what a person is told as broken inside Duet."""

    def __init__(self, broken: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._broken = broken

    def emit(self, record: logging.LogRecord) -> None:
        self._broken.append(record.getMessage())


def attack(one: Attack) -> None:
    """Half of the requests: each test sends its share."""

    @settings(
        max_examples=max(1, REQUESTS // 2), deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(requests_of(list(ours(one.server.app.routes))))
    def run(made: Made) -> None:
        one.fire(made)

    broken: list[str] = []
    watch = Watch(broken)
    log.addHandler(watch)
    try:
        run()
    finally:
        log.removeHandler(watch)
    assert not broken, "broken inside Duet"
    shown = dict(sorted(one.answers.items()))
    print(f"{one.sent} requests, answers {shown}, slowest {max(one.waits):.2f} s, turns {len(one.acknowledged)}")
    assert one.acknowledged and not one.lost()


@pytest.mark.slow
def test_the_owners_requests_meet_no_fault(tmp_path_factory: pytest.TempPathFactory) -> None:
    with served(tmp_path_factory.mktemp("fuzzed")) as here:
        client = here.another(timeout=60)

        def send(request: httpx2.Request) -> httpx2.Response:
            if request.url.path.startswith("/api/"):
                request.headers["authorization"] = f"Bearer {KEY}"
            return client.send(request, stream=True)

        attack(Attack(here, lambda: here.duet.open_session("ada"), send))


@pytest.mark.slow
def test_an_accounts_requests_meet_no_fault(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_hasher", cache(lambda: PasswordHasher(time_cost=1, memory_cost=64)))
    monkeypatch.setattr(limits, "BURST", 2 * REQUESTS)  # nobody waits for eve's pace here
    with people(tmp_path_factory.mktemp("fuzzed"), max_runs=1000) as there:
        token, keeper = there.accounts.make_token("eve", "fuzzing"), ByAccount(there.accounts, there.server.port)
        client = there.server.another(timeout=60)

        def send(request: httpx2.Request) -> httpx2.Response:
            """Signed in anew each time: some requests sign out."""
            signed = keeper.signer.sign(there.accounts.sign_in("eve")).decode()
            api = request.url.path.startswith("/api/")
            request.headers.update(
                {"authorization": f"Bearer {token}"} if api else {"cookie": f"{keeper.cookie}={signed}"}
            )
            return client.send(request, stream=True)

        attack(Attack(there.server, lambda: there.server.duet.open_session("eve"), send))
