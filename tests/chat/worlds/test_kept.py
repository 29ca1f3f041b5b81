"""What the memory keeps of a task that is over, and who is told of it when the next of its type is played."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chat.remembering import OFF
from memory.memory import Filter, Note
from minds.slow import Strategy, Workbench
from minds.strategies.oracle import Oracle
from tests.chat.worlds.ground import Ground
from tests.toyworld import GOLD

PLAY = "/play alfworld mug --strategy oracle"


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    ground = Ground(tmp_path)
    yield ground
    await ground.close()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """What each strategy hears of earlier tasks."""
    heard: list[Sequence[str]] = []

    def opened(_: str, bench: Workbench) -> Strategy:
        heard.append(bench.earlier)
        return Oracle(bench)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", opened)
    return heard


def kept(ground: Ground) -> list[Note]:
    return ground.store.user("ada").notes.page(Filter(("episode",), state="current"))


async def test_a_solved_task_is_kept_with_what_worked(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, PLAY)
    (note,) = kept(ground)
    assert note.text.startswith("put the mug in the drawer (alfworld): solved after 5 steps")
    assert note.about["worked"] == "; ".join(GOLD) and note.about["failed"] == ""
    assert (note.session, note.turn, note.speaker) == (session, 1, "assistant")


async def test_a_lost_task_is_kept_with_what_failed(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in (GOLD[0], GOLD[1]):
        await ground.say(session, action)
    assert kept(ground) == [], "it is not over"
    await ground.say(session, "drop mug 1")
    (note,) = kept(ground)
    assert "ended, not solved" in note.text and note.speaker == "user" and note.turn == 4
    assert note.about["worked"] == "" and note.about["failed"] == "drop mug 1"


async def test_the_next_of_its_type_hears_of_it_in_another_conversation(
    ground: Ground, told: list[Sequence[str]]
) -> None:
    for _ in range(2):
        await ground.say(ground.session(), PLAY)
    await ground.say(ground.session("bob"), PLAY)
    first, second, others = told
    assert first == [] and others == []
    (line,) = second
    assert "solved after" in line and f"What worked: {'; '.join(GOLD)}." in line


async def test_without_a_memory_nothing_is_kept_nor_told(ground: Ground, told: list[Sequence[str]]) -> None:
    await ground.say(ground.session(), PLAY)
    ground.store.user("ada").notes.set_meta(OFF, OFF)
    await ground.say(ground.session(), PLAY)
    assert told == [[], []] and len(kept(ground)) == 1
    ground.store.user("ada").notes.set_meta(OFF, "")
    session = ground.session()
    ground.transcript.set_options(session, replace(ground.transcript.options(session), memory=False))
    await ground.say(session, PLAY)
    assert told[-1] == [] and len(kept(ground)) == 1


async def test_what_is_taken_back_is_withdrawn(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, PLAY)
    await ground.runs.undo(session)
    assert kept(ground) == []


async def test_a_lost_folder_is_made_up_for_by_the_transcript(ground: Ground, tmp_path: Path) -> None:
    await ground.say(ground.session(), PLAY)
    (before,) = kept(ground)
    ground.store.close()
    shutil.rmtree(tmp_path / "memory")
    again = Ground(tmp_path)
    try:
        (note,) = kept(again)
    finally:
        await again.close()
    assert (note.id, note.text, note.about) == (before.id, before.text, before.about)
