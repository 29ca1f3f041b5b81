"""Two things at once in a conversation's worlds: two tabs, quick hands, another version of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chat.worlds.instant import ANOTHER
from tests.chat.worlds.ground import Ground
from tests.chat.worlds.test_session import PLAY, last, said
from tests.toyworld import GOLD
from tools.worlds.running import RunningWorld


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    made = Ground(tmp_path)
    yield made
    await made.close()


async def at_once(ground: Ground, session: str, *texts: str) -> None:
    """Says one thing after the other, none of which waits for the one before."""
    turns = [await ground.runs.submit(session, text) for text in texts]
    for turn in turns:
        await ground.ended(session, turn)


async def test_two_tasks_that_are_begun_at_once_are_two(ground: Ground) -> None:
    session = ground.session()
    await at_once(ground, session, f"{PLAY} --human", f"{PLAY} --human --variation 7")
    records = ground.worlds.records(session)
    assert sorted(record.number for record in records) == [1, 2], "whichever was the first"
    assert {record.spec.variation for record in records} == {0, 7}


@pytest.mark.parametrize(("begun", "command"), [(f"{PLAY} --game", "/world undo"), (PLAY, "/world pass")])
async def test_a_command_that_is_refused_stops_nobody(ground: Ground, begun: str, command: str) -> None:
    session = ground.session()
    ground.toys.slow = 0.1
    drives = await ground.runs.submit(session, begun)
    while not ground.worlds.holds(session, 1):
        await asyncio.sleep(0.01)
    await ground.say(session, command)
    await ground.ended(session, drives)
    assert last(ground, session).last.won


async def test_undo_waits_for_the_action_that_is_being_done(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, GOLD[0])
    ground.toys.slow = 0.2
    await at_once(ground, session, GOLD[1], "/world undo")
    assert last(ground, session).actions == GOLD[:1]
    assert "you see a mug 1" in said(await ground.say(session, "look")), "the world is where the log says"


async def test_what_is_possible_is_asked_of_the_world_behind_the_action_that_is_being_done(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    ground.toys.slow = 0.3
    turn = await ground.runs.submit(session, GOLD[0])
    while not ground.worlds.running.acting(session).locked():
        await asyncio.sleep(0)
    possible = await ground.worlds.possible(session)
    await ground.ended(session, turn)
    assert GOLD[1] in possible and last(ground, session).here.place == "desk 1"
    assert [world.steps for world in ground.toys.opened] == [1], "nobody led it back"


async def test_who_is_to_go_on_waits_for_the_action_that_is_being_done(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    ground.toys.slow = 0.1
    await at_once(ground, session, GOLD[0], "/world go on")
    record = last(ground, session)
    assert record.actions == GOLD and [deed.by for deed in record.deeds] == ["person", *["slow"] * 4]


async def test_another_version_of_a_turn_brings_its_own_world(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.ended(session, await ground.runs.submit(session, f"{PLAY} --human --variation 7", edits=1))
    await ground.runs.choose(session, 1)
    assert said(await ground.say(session, GOLD[0])).endswith("On the desk 1, you see a mug 1.")
    assert last(ground, session).spec.variation == 0


async def test_who_leaves_leaves_no_engine_behind(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    ground.toys.slow = 0.2
    await at_once(ground, session, GOLD[0], "/world close")
    assert last(ground, session).state == "closed" and last(ground, session).actions == GOLD[:1]
    assert [world.closed for world in ground.toys.opened] == [True]


@pytest.mark.parametrize("behind", ["/world go on", "look"])
async def test_nothing_is_done_behind_the_action_that_solved_it(ground: Ground, behind: str) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD[:-1]:
        await ground.say(session, action)
    ground.toys.slow = 0.2
    await at_once(ground, session, GOLD[-1], behind)
    assert last(ground, session).actions == GOLD


async def test_what_is_said_while_a_world_is_left_does_nothing_there(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await at_once(ground, session, "/world close", GOLD[0])
    assert last(ground, session).actions == () and [world.closed for world in ground.toys.opened] == [True]


async def test_what_is_said_while_another_task_is_opened_is_not_done_in_the_earlier_one(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    open_, begun, heard = ground.running.open, asyncio.Event(), asyncio.Event()

    async def slowly(*what: Any) -> RunningWorld:
        begun.set()
        await heard.wait()
        return await open_(*what)

    monkeypatch.setattr(ground.running, "open", slowly)
    await ground.runs.submit(session, f"{PLAY} --human --variation 7")
    await begun.wait()
    turns = [await ground.runs.submit(session, text) for text in (GOLD[0], "Is that so?")]
    await asyncio.sleep(0)  # both wait for the world
    heard.set()
    assert [said(await ground.ended(session, turn)) for turn in turns] == [ANOTHER, "Hello there."]
    assert [record.actions for record in ground.worlds.records(session)] == [(), ()]
