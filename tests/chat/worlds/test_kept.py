"""What the memory keeps of a task that is over, and who is told of it when the next of its type is played."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chat.export import to_json
from chat.remembering import OFF, TAKEN_BACK
from chat.worlds.kept import type_of
from memory.memory import Filter, Note
from minds.dialogue import Event
from minds.slow import Strategy, Workbench
from minds.strategies.oracle import Oracle
from tests.brought import from_json
from tests.chat.worlds.ground import Ground
from tests.toyworld import GOLD, ToyWorld
from tools.worlds.world import Observation, WorldSpec

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


class Asks(ToyWorld):
    """Which mug is to be dropped?"""

    asked = False

    def admissible(self) -> tuple[str, ...]:
        return ("0", "1") if self.asked else super().admissible()

    def step(self, action: str) -> Observation:
        if action == "drop mug 1":
            self.asked = True
            return Observation("Ambiguous request:\n0:\tdrop mug 1\n1:\tdrop mug 1 (in hand)\n", score=0.0)
        self.asked = False
        return super().step("drop mug 1" if action == "0" else action)


async def test_what_failed_behind_which_one_is_kept_as_the_action(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.toyworld.ToyWorld", Asks)
    session = ground.session()
    for said in (f"{PLAY} --human", *GOLD[:2], "drop mug 1", "0"):
        await ground.say(session, said)
    assert [note.about["failed"] for note in kept(ground)] == ["drop mug 1"]


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
    remembers(ground, session, False)
    await ground.say(session, PLAY)
    assert told[-1] == [] and len(kept(ground)) == 1
    again = await restarted(ground)
    assert len(kept(again)) == 1, "nor when the notes are opened again"
    await again.close()


def remembers(ground: Ground, session: str, memory: bool) -> None:
    ground.transcript.set_options(session, replace(ground.transcript.options(session), memory=memory))


async def test_a_task_of_which_some_was_off_the_record_is_not_kept(ground: Ground) -> None:
    session = ground.session()
    remembers(ground, session, False)
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD[:-1]:
        await ground.say(session, action)
    remembers(ground, session, True)
    await ground.say(session, GOLD[-1])
    assert ground.worlds.records(session)[0].last.won and kept(ground) == []


async def test_a_kept_task_stays_so_where_its_world_is_left_off_the_record(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, PLAY)
    remembers(ground, session, False)
    await ground.say(session, "/world close")
    assert ground.worlds.records(session)[0].state == "closed"
    remembers(ground, session, True)
    await ground.say(session, PLAY)
    assert len(kept(ground)) == 2


async def test_an_undo_that_is_undone_brings_the_task_back(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD:
        await ground.say(session, action)
    await ground.say(session, "/world undo")
    assert kept(ground) == []
    await ground.runs.undo(session)
    assert len(kept(ground)) == 1


async def test_a_task_that_a_crash_cut_from_its_end_is_kept(ground: Ground) -> None:
    append = ground.transcript.append

    def dying(session: str, turn: int, kind: str, data: Mapping[str, object]) -> Event:
        if kind == "end":
            raise RuntimeError("the process died")
        return append(session, turn, kind, data)

    ground.transcript.append = dying  # type: ignore[method-assign]
    await ground.say(ground.session(), PLAY)
    assert kept(ground) == []
    again = await restarted(ground)
    again.runs.recover()
    again = await restarted(again)
    assert len(kept(again)) == 1
    await again.close()


async def restarted(ground: Ground) -> Ground:
    await ground.close()
    return Ground(ground.folder)


async def test_what_words_were_deleted_of_is_not_made_anew(ground: Ground, tmp_path: Path) -> None:
    session = ground.session()
    await ground.say(session, PLAY)
    ground.transcript.remove([(session, 1)])
    ground.store.close()
    shutil.rmtree(tmp_path / "memory")
    again = Ground(tmp_path)
    assert kept(again) == []
    await again.close()


async def test_an_episode_that_came_in_a_file_leaves_nothing(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD[:-1]:
        await ground.say(session, action)
    imported = from_json(ground.transcript, "ada", to_json(ground.transcript, session)).id
    await ground.say(imported, GOLD[-1])
    assert ground.worlds.records(imported)[0].last.won and kept(ground) == []


async def test_an_end_that_was_undone_is_withdrawn(ground: Ground, told: list[Sequence[str]]) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD:
        await ground.say(session, action)
    assert len(kept(ground)) == 1
    await ground.say(session, "/world undo")
    assert kept(ground) == []
    ground = await restarted(ground)
    assert kept(ground) == []
    await ground.say(session, "/world go on")
    assert told == [[]] and [note.turn for note in kept(ground)] == [8]
    await ground.close()


async def test_a_note_that_a_crash_left_out_comes_back(ground: Ground) -> None:
    await ground.say(ground.session(), PLAY)
    memory = ground.store.user("ada")
    memory.withdraw([note.id for note in kept(ground)], TAKEN_BACK)
    again = await restarted(ground)
    assert len(kept(again)) == 1
    await again.close()


@pytest.mark.parametrize(
    ("task", "type_"),
    [
        ("boil", "boil"),
        ("/games/heat/game.tw-pddl", "/games/heat/game.tw-pddl"),
        ("household/pick_heat_then_place_in_recep/Mug/Fridge", "pick_heat_then_place_in_recep"),
        ("valid_seen/pick_heat_then_place_in_recep-Apple-None-Fridge-1/trial_1", "pick_heat_then_place_in_recep"),
    ],
)
def test_the_type_of_a_task(task: str, type_: str) -> None:
    assert type_of(WorldSpec("", task)) == type_


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
