"""The line to a Duet: in this process, and through the API of a real server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from chat.access.door import Door, Open
from chat.faults import ChatFault, UnknownSession
from chat.home import Address, Home
from chat.line import Line, LocalLine, RemoteLine, _reach, open_line
from chat.loading import Health
from chat.server import _routes, in_url, listen
from chat.settings import Settings
from minds.dialogue import Event
from tests.chat.ground import Talk, a_talk, name, names, times
from tests.fakes import in_turn
from tests.tools.test_pictures import file

SUM = "What is 387 times 46?"


class Duet:
    """What the API and a local line need of a Duet."""

    def __init__(self, talk: Talk) -> None:
        self.talk, self.transcript, self.runs = talk, talk.transcript, talk.runs
        self.taken_up: list[str] = []
        self.settings = Settings(user="ada")

    def health(self) -> list[Health]:
        return [Health("fast", "ready", "fake")]

    def open_session(self, user: str, session: str | None = None, domain: str | None = None) -> str:
        if session is None:
            return self.talk.session(user)
        if self.transcript.session(session).user != user:
            raise UnknownSession(session)
        return session

    def take_up(self, session: str) -> None:
        self.taken_up.append(session)


@asynccontextmanager
async def served(duet: Duet, home: Home) -> AsyncIterator[Address]:
    """The API on a free port of loopback, announced in its home."""
    listener = listen("127.0.0.1", 0)
    address = home.announce(f"http://127.0.0.1:{listener.getsockname()[1]}")
    app = FastAPI(openapi_url=None)
    _routes(app, duet, address)  # type: ignore[arg-type]
    app.add_middleware(Door, keeper=Open("ada"), key=address.token)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(20):
            while not server.started:
                await asyncio.sleep(0.01)
        yield address
    finally:
        server.should_exit = True
        await task
        listener.close()


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as opened:
        yield opened


@pytest.fixture
async def address(talk: Talk, tmp_path: Path) -> AsyncIterator[Address]:
    home = Home(tmp_path)
    async with served(Duet(talk), home) as announced:
        yield announced
    home.release()


@pytest.fixture(params=["local", "remote"])
async def line(request: pytest.FixtureRequest, talk: Talk, tmp_path: Path) -> AsyncIterator[Line]:
    duet = Duet(talk)
    if request.param == "local":
        yield LocalLine(duet)  # type: ignore[arg-type]
        return
    home = Home(tmp_path)
    async with served(duet, home), open_line(Settings(home=tmp_path)) as remote:
        assert isinstance(remote, RemoteLine)
        yield remote
    home.release()


async def ended(line: Line, session: str, turn: int) -> list[Event]:
    events: list[Event] = []
    async with asyncio.timeout(20):
        async for event in line.follow(session):
            if event.turn == turn:
                events.append(event)
                if event.kind in ("end", "superseded"):
                    break
    return events


async def test_a_line_of_ones_own_takes_up_what_the_sessions_models_keep(talk: Talk) -> None:
    duet = Duet(talk)
    session = await LocalLine(duet).open_session("ada", None)  # type: ignore[arg-type]
    assert duet.taken_up == [session]


# -- both lines carry the same


async def test_a_turn_through_the_line(line: Line, talk: Talk) -> None:
    session = await line.open_session("ada", None)
    assert await line.open_session("ada", session) == session
    turn = await line.submit(session, SUM)
    events = await ended(line, session, turn)
    assert "17802" in str([e.data["text"] for e in events if e.kind == "reply"])
    assert [e for e in events if e.kind not in ("delta", "act")] == talk.transcript.events(session)


async def test_files_travel(line: Line, talk: Talk) -> None:
    session = await line.open_session("ada", None)
    assert await line.add_file(session, "Mietvertrag & Co.md", b"# Parking\n\nFree after six.") == "Mietvertrag & Co.md"
    assert await line.add_file(session, "red.png", file("PNG")) == "red.png"
    assert [document.name for document in talk.transcript.documents(session)] == ["Mietvertrag & Co.md"]
    assert len(talk.transcript.waiting(session)) == 1
    with pytest.raises(ChatFault, match="empty"):
        await line.add_file(session, "empty.md", b"")


async def test_words_travel_as_they_are(line: Line, talk: Talk) -> None:
    session = await line.open_session("ädä 🦉", None)
    talk.fast.says = lambda _: ["日本語\u2028 <b>\n", "next\x85 line"]
    turn = await line.submit(session, "grüß 🦉\n\tdich \u2028 <script>")
    events = await ended(line, session, turn)
    assert events[0].data["text"] == "grüß 🦉\n\tdich \u2028 <script>"
    assert [e.data["text"] for e in events if name(e) == "reply"] == ["日本語\u2028 <b>\nnext\x85 line"]
    assert talk.transcript.session(session).user == "ädä 🦉"


async def test_following_from_where_one_was(line: Line, talk: Talk) -> None:
    session = await line.open_session("ada", None)
    await ended(line, session, await line.submit(session, "hello"))
    last = talk.transcript.events(session)[-1].seq
    turn = await line.submit(session, "again")
    async for event in line.follow(session, last):
        assert event.turn == turn and event.seq > last
        break


async def test_acts_through_the_line(line: Line, talk: Talk) -> None:
    held = asyncio.Event()
    talk.slow.steps = in_turn(times(SUM), (held, "17802"))
    session = await line.open_session("ada", None)
    turn = await line.submit(session, SUM)
    await talk.until(lambda: "1:step" in talk.view(session) and len(talk.slow.heard) == 2)
    await line.act(session, "pause")
    assert talk.runs.state(session) == "paused"
    await line.act(session, "resume")
    await line.act(session, "stop")
    assert names(await ended(line, session, turn))[-1] == "end-stopped"
    assert await line.act(session, "undo") == SUM
    assert await line.act(session, "discard") == ""


async def test_faults_come_as_sentences(line: Line) -> None:
    session = await line.open_session("ada", None)
    for act in (
        line.open_session("ada", "nowhere"),
        line.open_session("ben", session),
        line.submit("nowhere", "hello"),
        line.submit(session, ""),
        line.submit(session, "x" * 100_000),
        line.act(session, "undo"),
        anext(aiter(line.follow("nowhere"))),
    ):
        with pytest.raises(ChatFault) as caught:
            await act
        assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


async def test_one_who_stops_following_ends_nothing(line: Line, talk: Talk) -> None:
    held = asyncio.Event()
    talk.fast.says = lambda _: ["Hel", held, "lo"]
    session = await line.open_session("ada", None)
    turn = await line.submit(session, "hello")
    async for event in line.follow(session):
        if event.kind == "delta":
            break
    held.set()
    assert [e.data["text"] for e in await ended(line, session, turn) if name(e) == "reply"] == ["Hello"]


# -- the API


async def test_the_api_asks_for_its_token(address: Address) -> None:
    async with httpx2.AsyncClient(base_url=f"{address.url}/api/duet", trust_env=False) as stranger:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer"}, {"Authorization": "é"}):
            raw = [(k.encode(), v.encode()) for k, v in headers.items()]
            assert (await stranger.get("/health", headers=raw)).status_code == 401
            answer = await stranger.post("/turns", json={"session": "x", "text": "y"}, headers=raw)
            assert answer.status_code == 401 and "token" in answer.json()["error"]


async def test_the_api_refuses_what_it_does_not_know(address: Address, talk: Talk) -> None:
    client = await _reach(address)
    assert client is not None
    async with aclosing(client):
        session = talk.session()
        assert (await client.post(f"/{session}/explode")).status_code == 400
        assert (await client.post("/turns", json={"session": session})).status_code in (400, 422, 500)
        assert (await client.post("/turns", content=b"not json")).status_code == 422
        assert (await client.post("/turns", json={"session": session, "text": 7})).status_code == 422
        assert (await client.get("/health")).json() == [{"part": "fast", "state": "ready", "text": "fake"}]


async def test_a_server_that_ends_is_said_so(talk: Talk, tmp_path: Path) -> None:
    home = Home(tmp_path)
    async with served(Duet(talk), home) as address:
        client = await _reach(address)
        assert client is not None
        line = RemoteLine(client)
        session = await line.open_session("ada", None)
        talk.fast.says = lambda _: ["Hel", asyncio.Event()]
        await line.submit(session, "hello")
        following = asyncio.create_task(ended(line, session, 1))
        await talk.until(lambda: "1:delta" in talk.view(session))
    with pytest.raises(ChatFault, match="The server ended"):
        await following
    for act in (line.submit(session, "hello?"), line.open_session("ada", None), line.act(session, "stop")):
        with pytest.raises(ChatFault, match="The server ended"):
            await act
    await client.aclose()
    assert await _reach(address) is None
    home.release()


async def test_a_server_that_was_started_again_is_found_again(talk: Talk, tmp_path: Path) -> None:
    home = Home(tmp_path)
    async with AsyncExitStack() as stack:
        async with served(Duet(talk), home):
            line = await stack.enter_async_context(open_line(Settings(home=tmp_path)))
            session = await line.open_session("ada", None)
        with pytest.raises(ChatFault, match="The server ended"):
            await line.submit(session, "hello?")
        async with served(Duet(talk), home):
            assert [e.kind for e in await ended(line, session, await line.submit(session, "hello"))][-1] == "end"
    assert talk.transcript.turns_from(session, 1) == [1]
    home.release()


async def test_an_import_of_the_memory_and_a_file_may_take_their_time() -> None:
    answered = b'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"n": 1}'
    refused = b"HTTP/1.1 413 x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nToo much."

    answering = list[asyncio.Task[None] | None]()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.append(asyncio.current_task())
        head = await reader.readuntil(b"\r\n\r\n")
        if b"sessions" not in head:
            await asyncio.sleep(0.3)
        writer.write(answered if b"import" in head else refused)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(slow, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, httpx2.AsyncClient(base_url=url, timeout=0.1, trust_env=False) as client:
        line = RemoteLine(client)
        assert await line.memory("ada", "import", {}) == {"n": 1}
        with pytest.raises(ChatFault, match=r"^Too much\.$"):
            await line.open_session("ada", None)
        with pytest.raises(ChatFault, match=r"^Too much\.$"):
            await line.add_file("s", "large.pdf", b"")
        with pytest.raises(ChatFault, match="still be at it"):
            await line.submit("s", "hello")
        await asyncio.gather(*filter(None, answering))


async def test_flags_that_a_server_does_not_hear_are_told(
    talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path)
    async with served(Duet(talk), home):
        async with open_line(Settings(home=tmp_path)) as line:
            assert isinstance(line, RemoteLine)
        assert capsys.readouterr().err == ""
        async with open_line(Settings(home=tmp_path), ["--fast-model", "--temperature"]):
            said = capsys.readouterr().err
        with pytest.raises(ChatFault, match="--no-memory is not heard"):
            async with open_line(Settings(home=tmp_path), ["--fast-model", "--no-memory"]):
                pass
    assert "--fast-model and --temperature" in said and len(said.splitlines()) == 1 and said.endswith(".\n")
    home.release()


async def test_flags_that_a_known_conversation_does_not_hear_are_told(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    duet, session = Duet(talk), talk.session()
    kept = talk.transcript.options(session)
    duet.settings = Settings(user="ada", fast_model=kept.fast_model, temperature=0.7, memory=False)
    line = LocalLine(duet, ["--fast-model", "--temperature"])  # type: ignore[arg-type]
    assert await line.open_session("ada", session) == session
    said = capsys.readouterr().err
    assert said == "This conversation keeps its own settings; not used here: --temperature.\n"
    forgetting = LocalLine(duet, ["--no-memory"])  # type: ignore[arg-type]
    with pytest.raises(ChatFault, match="--no-memory is not heard"):
        await forgetting.open_session("ada", session)
    await forgetting.open_session("ada", None)
    talk.transcript.set_options(session, replace(kept, memory=False))
    assert await forgetting.open_session("ada", session) == session


async def test_a_server_elsewhere_that_is_no_duet_is_not_believed(tmp_path: Path) -> None:
    app, listener = FastAPI(openapi_url=None), listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    async with asyncio.timeout(20):
        while not server.started:
            await asyncio.sleep(0.01)
    assert await _reach(Address(f"http://127.0.0.1:{listener.getsockname()[1]}", "token", 1)) is None
    server.should_exit = True
    await task
    listener.close()


def test_a_port_in_use_is_said_so() -> None:
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with pytest.raises(ChatFault, match=f"127.0.0.1:{port} cannot be used .* --port"):
        listen("127.0.0.1", port)
    listener.close()


async def test_small_minds_talk_through_the_line_too(line: Line, talk: Talk) -> None:
    talk.made_small()
    session = await line.open_session("ada", None)
    events = await ended(line, session, await line.submit(session, "hello"))
    assert [e.data["text"] for e in events if name(e) == "reply"] == ["Hello there."]


def test_the_address_of_a_server_can_be_opened() -> None:
    assert [in_url(host) for host in ("127.0.0.1", "localhost", "::1")] == ["127.0.0.1", "localhost", "[::1]"]
