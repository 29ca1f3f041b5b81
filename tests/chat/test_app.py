"""The wiring: what a start takes and lets go of, and what health says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chat.app import Duet, build
from chat.bench.scripted import opening
from chat.faults import ChatFault, HomeLocked, UnknownSession
from chat.home import Home
from chat.parts import Swaps
from chat.settings import Settings
from memory.lock import FolderLock

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


async def test_the_clock_can_be_set(duet: Duet) -> None:
    assert duet.now() == datetime(2026, 11, 21, tzinfo=UTC)


async def test_the_clock_is_in_the_persons_zone(settings: Settings) -> None:
    duet = build(replace(settings, timezone="Asia/Tokyo"))
    assert str(duet.now().tzinfo) == "Asia/Tokyo"
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
        with pytest.raises(ChatFault, match="move it aside"):
            build(settings)
    Home(settings.home).release()


def test_a_memory_held_by_another_is_said_and_the_home_is_free_again(settings: Settings) -> None:
    holder = FolderLock(settings.home / "memory")
    with pytest.raises(HomeLocked, match="process"):
        build(settings)
    Home(settings.home).release()
    holder.release()


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
    assert {line.part: line.state for line in duet.health()} == {"fast": "ready", "slow": "idle", "memory": "ready"}
    await duet.close()
