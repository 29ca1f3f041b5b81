"""The wiring: what a start takes and lets go of, and what health says."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from chat.app import Duet, build
from chat.faults import ChatFault, DiskFull, HomeLocked, UnknownSession
from chat.home import Address, Home
from chat.quiet import log_to
from chat.server import make_app
from chat.services import Minds, Swaps
from chat.settings import Settings
from memory.lock import FolderLock
from minds.about import itself
from minds.fast import FastMind
from minds.models import ModelSettings, Role
from minds.models.catalogue import entry
from minds.models.language import LanguageModel
from minds.small_model.fast import SmallFast
from prompts import render
from tests.fakes import FORMED, FakeModel, tools_of
from tests.scripted import opening
from tools.desk import Desk

SCRIPTED = Swaps(models=opening)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.yaml"
    path.write_text("[]\n")
    return f"scripted:{path}"


@pytest.fixture
def settings(tmp_path: Path, script: str) -> Settings:
    return Settings(home=tmp_path / "home", fast_model=script, slow_model=script, user="ada")


@pytest.fixture
async def duet(settings: Settings) -> AsyncIterator[Duet]:
    opened = build(settings, lambda: datetime(2026, 11, 21, tzinfo=UTC), SCRIPTED)
    yield opened
    await opened.close()


async def test_nothing_is_loaded_before_it_is_asked_for(duet: Duet) -> None:
    lines = {line.part: line for line in duet.health()}
    assert set(lines) == {"fast", "slow", "memory"}
    assert lines["fast"].state == lines["slow"].state == "idle" and lines["memory"].state == "ready"


async def test_sessions_belong_to_their_user(duet: Duet) -> None:
    session = duet.open_session("ada")
    assert duet.open_session("ada", session) == session
    assert duet.transcript.options(session) == duet.settings.options
    for user, asked in (("ben", session), ("ada", "nowhere")):
        with pytest.raises(UnknownSession):
            duet.open_session(user, asked)


@pytest.mark.parametrize(("wishes", "off"), [(["off"], True), (["off", "on"], False)])
async def test_a_memory_that_was_switched_off_stays_off_when_its_notes_are_made_anew(
    duet: Duet, wishes: list[str], off: bool
) -> None:
    for wish in wishes:
        duet.fulfil("ada", wish, {})
    duet.transcript.instruct("ada", "Be brief.")
    notes = duet.remembering.of("ada").notes.path
    duet._store._users.pop("ada").close()  # type: ignore[union-attr]
    notes.write_bytes(b"damaged" * 1000)
    assert duet.remembering.off("ada") is off


async def test_the_clock_can_be_set(duet: Duet) -> None:
    assert duet.now() == datetime(2026, 11, 21, tzinfo=UTC)


async def test_the_clock_is_in_the_persons_zone(settings: Settings) -> None:
    duet = build(replace(settings, timezone="Asia/Tokyo"))
    assert str(duet.now().tzinfo) == str(duet.remembering.of("ada").zone) == "Asia/Tokyo"
    await duet.close()


async def test_close_lets_go_of_the_home(settings: Settings) -> None:
    duet = build(settings)
    with pytest.raises(HomeLocked):
        build(settings)
    await duet.close()
    again = build(settings)
    await again.close()


def test_a_start_that_fails_lets_go_of_the_home(settings: Settings) -> None:
    settings.home.mkdir()
    (settings.home / "duet.sqlite").write_bytes(b"no database" * 100)
    for _ in range(2):
        with pytest.raises(ChatFault, match="move it away"):
            build(settings)
    Home(settings.home).release()


def test_a_memory_held_by_another_is_said_and_the_home_is_free_again(settings: Settings) -> None:
    holder = FolderLock(settings.home / "memory")
    with pytest.raises(HomeLocked, match="process"):
        build(settings)
    Home(settings.home).release()
    holder.release()
    with closing(sqlite3.connect(settings.home / "duet.sqlite", timeout=0)) as db:
        assert db.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",), "the transcript is closed as well"


@pytest.mark.parametrize("address", ["http://h:99999", "http://h:x", "ftp://h", "h"])
async def test_an_address_of_chroma_that_is_none_is_told(settings: Settings, address: str) -> None:
    duet = build(replace(settings, chroma=address))
    assert "DUET_CHROMA is" in duet.remembering.fault
    await duet.close()


def test_the_home_is_its_owners_from_the_first_log_on(settings: Settings) -> None:
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    path = log_to(settings.home)
    root.handlers[0].close()
    root.handlers[:] = before
    assert [folder.stat().st_mode & 0o777 for folder in (settings.home, path.parent)] == [0o700, 0o700]


async def test_what_a_dead_process_left_is_interrupted_at_the_start(settings: Settings) -> None:
    duet = build(settings)
    session = duet.open_session("ada")
    duet.transcript.begin_turn(session, "hello")
    await duet.close()
    again = build(settings)
    again.start(warm=False)
    assert again.runs.state(session) == "interrupted"
    await again.ready()
    await again.close()


async def test_a_server_that_cannot_start_says_why(
    duet: Duet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def recover() -> int:
        raise DiskFull

    monkeypatch.setattr(duet.runs, "recover", recover)
    app = make_app(duet, Address("http://127.0.0.1:1", "key", 1))
    with pytest.raises(DiskFull):
        async with app.router.lifespan_context(app):
            pass
    assert capsys.readouterr().err == f"{DiskFull()}\n"


async def test_a_temporary_conversation_goes_a_day_after_its_last_words(
    duet: Duet, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = replace(duet.settings.options, memory=False, temporary=True)
    monkeypatch.setattr("chat.sessions.time.time", lambda: 1_000.0)
    gone, pinned, answered, given = (duet.transcript.new_session("ada", "", brief).id for _ in range(4))
    kept = duet.transcript.new_session("ada", "").id
    duet.transcript.begin_turn(answered, "hello")
    monkeypatch.undo()
    duet.transcript.arrange(pinned, pinned=True)
    duet.transcript.append(answered, 1, "reply", {"text": "Hello!", "final": True})
    await duet.runs.add_document(given, "a.md", b"A lease.")
    new = duet.transcript.new_session("ada", "", brief).id
    assert duet.transcript.outlived(2_000.0) == [gone]
    app = make_app(duet, Address("http://127.0.0.1:1", "key", 1))
    async with app.router.lifespan_context(app), asyncio.timeout(5):
        while duet.transcript.outlived(2_000.0):
            await asyncio.sleep(0.01)
        left = {each.id for each in duet.transcript.sessions("ada")}
    assert left == {kept, new, pinned, answered, given}


async def test_what_is_gone_on_with_while_others_are_deleted_stays_and_no_fault_ends_the_cleaning(
    duet: Duet, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = replace(duet.settings.options, memory=False, temporary=True)
    monkeypatch.setattr("chat.sessions.time.time", lambda: 1_000.0)
    stuck, first, written, running = (duet.transcript.new_session("ada", "", brief).id for _ in range(4))
    monkeypatch.undo()
    monkeypatch.setattr("chat.app.LOOK", 0.01)
    monkeypatch.setattr(duet.runs, "under_way", lambda: [(running, 1)])
    delete, tried = duet.runs.delete, list[str]()

    async def deleting(session: str) -> None:
        tried.append(session)
        if session == stuck:
            raise OSError("no space")
        duet.transcript.begin_turn(written, "one more thing")
        await delete(session)

    monkeypatch.setattr(duet.runs, "delete", deleting)
    cleaning = asyncio.create_task(duet.let_go())
    async with asyncio.timeout(5):
        while tried.count(stuck) < 2:
            await asyncio.sleep(0.01)
    cleaning.cancel()
    assert {each.id for each in duet.transcript.sessions("ada")} == {stuck, written, running} and first in tried


async def test_an_endpoint_is_not_warmed(settings: Settings) -> None:
    """Nobody listens there: a call would have failed."""
    duet = build(replace(settings, slow_model="openai:big@http://127.0.0.1:9/v1"), swaps=SCRIPTED)
    duet.start()
    await duet.ready()
    assert {line.part: line.state for line in duet.health()} == {"fast": "ready", "slow": "idle", "memory": "ready"}
    await duet.close()


async def test_for_one_question_only_models_that_keep_what_they_read_are_warmed(
    settings: Settings, tmp_path: Path
) -> None:
    keeper = tmp_path / "keeper.yaml"
    keeper.write_text("abilities: {keeps: true}\nlines: []\n")
    duet = build(replace(settings, slow_model="scripted:nowhere"), swaps=SCRIPTED)
    duet.start(warm=False)
    session = duet.open_session("ada")
    options = replace(duet.transcript.options(session), fast_model=f"scripted:{keeper}", slow_model=settings.slow_model)
    duet.transcript.set_options(session, options)
    duet.take_up(session)
    duet.take_up(session)
    assert duet._taking_up
    await duet._taking_up
    states = {line.part: line.state for line in duet.health(options)}
    assert states == {"fast": "ready", "slow": "idle", "memory": "ready"}
    await duet.close()


# -- which minds are put together


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return f"scripted:{path}"


@pytest.mark.parametrize(("strong", "kind"), [(True, FastMind), (False, SmallFast)])
async def test_a_model_gets_help_only_where_it_is_small(
    settings: Settings, tmp_path: Path, strong: bool, kind: type
) -> None:
    spec = written(tmp_path / "model.yaml", f"abilities: {{strong: {str(strong).lower()}}}\nlines: []\n")
    duet = build(replace(settings, fast_model=spec, slow_model=spec), swaps=SCRIPTED)
    minds = duet.minds(duet.settings.options)
    assert type(minds.fast) is kind and minds.slow.abilities.strong is strong
    assert minds.fast.model is not minds.slow, "each mind has its own: they may be asked at the same time"
    assert duet.minds(duet.settings.options).slow is minds.slow, "and it is opened once"
    await duet.close()


async def test_what_is_put_in_from_outside_is_used(settings: Settings) -> None:
    seen: list[Minds] = []

    def swapped(minds: Minds) -> Minds:
        seen.append(minds)
        return replace(minds, slow=minds.fast.model)

    duet = build(settings, swaps=replace(SCRIPTED, minds=swapped))
    minds = duet.minds(duet.settings.options)
    assert minds.slow is minds.fast.model and seen[0].slow is not minds.slow
    await duet.close()


STRONG = "abilities: {strong: true, tools: true, prefix: false}\nlines:\n"
FAST = """  - {reply: Let me see., tool: think, arguments: {request: "387 times 46"}}
  - It is 17802.
"""
SLOW = "  - {tool: multiply, arguments: {one: 387, other: 46, last: true}}\n"


async def test_all_parts_work_together(settings: Settings, tmp_path: Path) -> None:
    fast, slow = written(tmp_path / "fast.yaml", STRONG + FAST), written(tmp_path / "slow.yaml", STRONG + SLOW)
    desk = Desk("", datetime(2026, 11, 21, tzinfo=UTC))
    swaps = replace(SCRIPTED, tools=lambda _: tools_of(desk))
    duet = build(replace(settings, fast_model=fast, slow_model=slow, memory=False), swaps=swaps)
    session = duet.open_session("ada")
    turn = await duet.runs.submit(session, "and times 46?")
    events = [event async for event in duet.runs.wait(session, turn)]
    said = {event.data["final"]: event.data for event in events if event.kind == "reply"}
    assert (said[False]["text"], said[False]["request"]) == ("Let me see.", "387 times 46")
    assert (said[True]["text"], said[True]["answer"]) == ("It is 17802.", "387 * 46 = 17802")
    assert (said[True]["model"], said[True]["calls"]) == (fast, 3)
    await duet.close()


async def test_a_warm_start_reads_the_constant_part_of_both_prompts(settings: Settings, tmp_path: Path) -> None:
    small = written(tmp_path / "small.yaml", "abilities: {strong: false, tools: false}\nlines: []\n")
    duet = build(replace(settings, fast_model=small, slow_model=small), swaps=SCRIPTED)
    duet.start()
    await duet.ready()
    assert {line.part: line.state for line in duet.health()} == {"fast": "ready", "slow": "ready", "memory": "ready"}
    minds = duet.minds(duet.settings.options)
    heads = [str(model.heard[0][0].content) for model in (minds.fast.model, minds.slow)]  # type: ignore[attr-defined]
    assert heads == [render("small/talk", now="", about=itself()), render("small/program")]
    await duet.close()


# -- weights that come later, and another choice


async def test_a_question_before_the_weights_is_answered_when_they_are_here(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.loading.LOOK", 0.01)
    swaps = Swaps(models=lambda spec, given, role: FakeModel(lambda _: ["Here I am.]"], abilities=FORMED, spec=spec))
    duet = build(replace(settings, fast_model="embedded:4b", slow_model="embedded:4b", memory=False), swaps=swaps)
    duet.start(warm=False, offering=True)
    session = duet.open_session("ada")
    assert {line.state for line in duet.health() if line.part != "memory"} == {"missing"}
    turn = await duet.runs.submit(session, "are you there?")
    following = duet.runs.wait(session, turn)
    events = []
    async with asyncio.timeout(20):
        async for event in following:
            events.append(event)
            if event.kind == "status" and "not here yet" in str(event.data["text"]):
                settings.models_dir.mkdir(parents=True, exist_ok=True)
                entry("4b").path(settings.models_dir).touch()
    assert [event.data["text"] for event in events if event.kind == "reply"] == ["Here I am."]
    await duet.close()


class Slow(FakeModel):
    """Takes its time over loading, and would start again what was ended meanwhile."""

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        self.began = True
        try:
            await asyncio.sleep(60)
        finally:
            self.cancelled += 1


async def test_what_is_still_loading_makes_way_for_another_choice(settings: Settings) -> None:
    made: list[Slow] = []

    def opened(spec: str, given: ModelSettings, role: Role) -> LanguageModel:
        kind = Slow if spec == "embedded:1.5b" else FakeModel
        made.append(kind(lambda _: [], abilities=FORMED, spec=spec))  # type: ignore[arg-type]
        return made[-1]

    settings.models_dir.mkdir(parents=True)
    for name in ("0.5b", "1.5b"):
        entry(name).path(settings.models_dir).touch()
    duet = build(replace(settings, fast_model="embedded:1.5b", slow_model="embedded:1.5b"), swaps=Swaps(models=opened))
    duet.start()
    async with asyncio.timeout(60):
        while not (made and hasattr(made[0], "began")):
            await asyncio.sleep(0.01)
    assert duet.health()[0].state == "starting"
    duet.choose(replace(duet.settings.options, fast_model="embedded:0.5b", slow_model="embedded:0.5b"))
    await asyncio.gather(*duet.loading._switching)
    assert made[0].cancelled == 1 and made[0].closed and made[1].closed
    assert {line.state for line in duet.health()} == {"ready"}
    await duet.ready()
    await duet.close()


async def test_a_choice_counts_for_new_conversations_and_lets_go_of_what_is_no_longer_meant(settings: Settings) -> None:
    made: list[FakeModel] = []

    def opened(spec: str, given: ModelSettings, role: Role) -> LanguageModel:
        made.append(FakeModel(lambda _: [], abilities=FORMED, spec=spec))
        return made[-1]

    settings.models_dir.mkdir(parents=True)
    for name in ("0.5b", "4b"):
        entry(name).path(settings.models_dir).touch()
    small = replace(settings, fast_model="embedded:0.5b", slow_model="embedded:0.5b")
    duet = build(small, swaps=Swaps(models=opened))
    duet.start(warm=False)
    duet.minds(duet.settings.options)
    duet.choose(replace(duet.settings.options, fast_model="embedded:4b", slow_model="embedded:4b"))
    assert duet.transcript.options(duet.open_session("ada")).fast_model == "embedded:4b"
    await asyncio.gather(*duet.loading._switching)
    closed = [(model.spec, model.closed) for model in made]
    assert closed == [*[("embedded:0.5b", True)] * 2, *[("embedded:4b", False)] * 2]
    assert {line.state for line in duet.health()} == {"ready"}, "what was chosen is loaded at once"
    await duet.close()
