"""Turns in a world, with a toy household: who drives, undo, questions, parking, restart, a dying engine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from chat.episodes import fold
from minds.dialogue import Event
from minds.models.language import Unreachable
from tests.chat.ground import Talk
from tests.fakes import SMALL
from tests.toyworld import GOAL, GOLD

PLAY = "/play alfworld mug"


def said(events: list[Event]) -> str:
    """The final reply."""
    return str(next(e.data["text"] for e in reversed(events) if e.kind == "reply" and e.data["final"]))


def acts(events: list[Event]) -> list[str]:
    return [str(e.data["action"]) for e in events if e.kind == "step"]


@pytest.fixture
async def talk(tmp_path: Path) -> Any:
    talk = Talk(tmp_path)
    yield talk
    await talk.runs.close()
    await talk.stage.shut()
    talk.transcript.close()


async def test_the_oracle_drives_to_the_end_and_is_named(talk: Talk) -> None:
    events = await talk.say(talk.session(), f"{PLAY} --strategy oracle")
    assert acts(events) == list(GOLD)
    replies = [e.data for e in events if e.kind == "reply"]
    assert [(r["by"], r["final"]) for r in replies] == [("fast", False), ("slow", True)]
    assert replies[1]["solved"] and "simulator's own solution" in str(replies[1]["text"])
    assert "5 steps" in said(events) and "100 of 100" in said(events)
    assert talk.store.of == {}, "nothing of it is a note"


async def test_the_person_drives_in_their_own_words(talk: Talk) -> None:
    session = talk.session()
    assert "wheel is yours" in said(await talk.say(session, f"{PLAY} --human"))
    assert acts(await talk.say(session, "go over to the desk and grab the mug please")) == list(GOLD[:2])
    assert acts(await talk.say(session, "walk to the drawer, open it, then put the mug in it")) == list(GOLD[2:])
    record = talk.wheel.records(session)[-1]
    assert record.last.won and {deed.by for deed in record.deeds} == {"person"}
    assert "nothing left to do" in said(await talk.say(session, "go on"))


async def test_the_wheel_goes_from_hand_to_hand(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human --strategy oracle")
    await talk.say(session, "go to the desk")
    events = await talk.say(session, "go on")
    assert acts(events) == list(GOLD[1:])
    record = talk.wheel.records(session)[-1]
    assert [deed.by for deed in record.deeds] == ["person", *["slow"] * 4]
    assert "You did that yourself, at step 1" in said(await talk.say(session, "why did you go to the desk?"))
    assert "own solution" in said(await talk.say(session, "why did you open the drawer?"))
    assert "did not do that" in said(await talk.say(session, "why did you burn the toast?"))


async def test_undo_goes_back_by_replay(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    assert "nothing to undo" in said(await talk.say(session, "undo that"))
    await talk.say(session, "go to the desk and take the mug")
    await talk.say(session, "drop the mug")
    assert talk.wheel.records(session)[-1].last.done
    assert "from step 3" in said(await talk.say(session, "undo that"))
    record = talk.wheel.records(session)[-1]
    assert record.actions == GOLD[:2] and not record.last.done
    assert "carrying: a mug 1" in said(await talk.say(session, "what am I carrying?"))
    assert "from step 1" in said(await talk.say(session, "undo the last 5 steps"))
    assert talk.wheel.records(session)[-1].deeds == ()


async def test_words_for_the_wheel_are_told_as_such_where_no_world_is_open(talk: Talk) -> None:
    session = talk.session()
    assert "No world is open, so there is nothing to undo" in said(await talk.say(session, "undo that"))
    assert said(await talk.say(session, "undo that")) == "Hello there.", "a strong model may know what is meant"
    talk.slow.abilities = SMALL
    assert "No world is open" in said(await talk.say(session, "undo that"))
    assert "no steps to tell of" in said(await talk.say(talk.session(), "what have you tried?"))
    await talk.say(session, f"{PLAY} --human")
    await talk.say(session, "stop playing")
    assert "“go back to the last one”" in said(await talk.say(session, "undo that"))


async def test_a_turn_that_is_taken_back_takes_its_actions_along(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    await talk.say(session, "go to the desk")
    await talk.say(session, "take the mug")
    await talk.runs.undo(session)
    assert talk.wheel.records(session)[-1].actions == GOLD[:1]
    assert "not carrying" in said(await talk.say(session, "what am I carrying?"))


async def test_what_cannot_be_done_is_said_and_nothing_is_done(talk: Talk) -> None:
    talk.slow.steps = lambda _: [{"action": "none"}]
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    events = await talk.say(session, "take the sword")
    assert acts(events) == [] and "sword" in said(events)


async def test_a_strong_model_is_asked_what_was_meant_where_the_rules_find_nothing(talk: Talk) -> None:
    talk.slow.steps = lambda heard: [{"action": "go to desk 1" if "trot" in heard.last else "burn the house"}]
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    assert acts(await talk.say(session, "take the trot to the writing surface")) == ["go to desk 1"]
    assert "Possible: " in talk.slow.heard[-1].last and "go to desk 1" in talk.slow.heard[-1].last
    assert acts(await talk.say(session, "take the sword")) == [], "only what is possible is done"


async def test_a_small_model_or_one_that_fails_leaves_it_to_the_rules(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    talk.slow.steps = lambda _: [Unreachable("The model does not answer; is it running?")]
    assert "sword" in said(await talk.say(session, "take the sword"))
    talk.slow.heard.clear()
    talk.slow.abilities = SMALL
    assert acts(await talk.say(session, "take the sword")) == [] and talk.slow.heard == []


async def test_ordinary_talk_stays_ordinary(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    assert said(await talk.say(session, "Thanks, you are very kind!")) == "Hello there."


async def test_an_episode_outlives_the_process(tmp_path: Path) -> None:
    first = Talk(tmp_path)
    session = first.session()
    await first.say(session, f"{PLAY} --human")
    await first.say(session, "go to the desk and take the mug")
    await first.stage.shut()
    first.transcript.close()
    second = Talk(tmp_path)
    assert "carrying: a mug 1" in said(await second.say(session, "what am i carrying"))
    assert acts(await second.say(session, "go to the drawer")) == [GOLD[2]]
    await second.stage.shut()
    second.transcript.close()


async def test_a_dead_engine_is_replaced_in_mid_step(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    await talk.say(session, "go to the desk")
    talk.worlds.dying = 1
    assert acts(await talk.say(session, "take the mug")) == [GOLD[1]]
    assert len(talk.worlds.opened) == 2 and talk.worlds.closed == 1


async def test_an_engine_that_stays_dead_is_one_sentence(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    talk.worlds.dying = 5
    assert "engine ended" in said(await talk.say(session, "take the mug"))
    talk.worlds.dying = 0
    assert acts(await talk.say(session, "go to the desk")) == [GOLD[0]]


async def test_the_oldest_of_many_worlds_is_parked_and_comes_back(talk: Talk) -> None:
    session = talk.session()
    for _ in range(4):
        await talk.say(session, f"{PLAY} --human")
        await talk.say(session, "go to the desk")
    states = {r.number: r.state for r in talk.wheel.records(session)}
    assert states == {1: "parked", 2: "open", 3: "open", 4: "open"}
    assert talk.worlds.closed == 1
    assert "back in task 1" in said(await talk.say(session, "go back to task 1"))
    assert talk.wheel.records(session)[-1].number == 1
    assert acts(await talk.say(session, "take the mug")) == [GOLD[1]]


async def test_a_closed_world_is_told_and_gone(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    assert "not finished" in said(await talk.say(session, "close the task"))
    assert talk.worlds.closed == 1
    assert said(await talk.say(session, "Good morning!")) == "Hello there."


async def test_an_unknown_task_is_one_sentence(talk: Talk) -> None:
    events = await talk.say(talk.session(), "/play alfworld juggling")
    assert "There is no task `juggling`" in said(events) and fold(events) == ()


async def test_sessions_see_only_their_own_worlds(talk: Talk) -> None:
    one, other = talk.session("ada"), talk.session("ben")
    await talk.say(one, f"{PLAY} --human")
    await talk.say(one, "go to the desk")
    assert talk.wheel.records(other) == ()
    assert acts(await talk.say(other, "take the mug")) == []


async def test_deleting_the_conversation_ends_its_worlds(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    await talk.runs.delete(session)
    assert talk.worlds.closed == 1


async def test_the_goal_the_steps_and_what_is_possible_are_told(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    await talk.say(session, "go to the desk")
    assert GOAL.rstrip(".") in said(await talk.say(session, "what is my goal?"))
    assert "1. go to desk 1 (you)" in said(await talk.say(session, "what have we done so far?"))
    assert "take mug 1 from desk 1" in said(await talk.say(session, "what can I do?"))
    assert said(await talk.say(session, "look around")) == "On the desk 1, you see a mug 1."


async def test_a_closed_task_can_be_taken_up_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, f"{PLAY} --human")
    await talk.say(session, "go to the desk")
    await talk.say(session, "close the task")
    assert "back in task 1" in said(await talk.say(session, "go back to task 1"))
    assert acts(await talk.say(session, "take the mug")) == [GOLD[1]]


async def test_while_the_slow_mind_drives_nobody_else_touches_its_world(talk: Talk) -> None:
    session = talk.session()
    talk.worlds.slow = 0.05
    turn = await talk.runs.submit(session, f"{PLAY} --strategy oracle")
    while not any(e.kind == "step" for e in talk.transcript.turn_events(session, turn)):
        await asyncio.sleep(0.01)
    assert await talk.wheel.possible(session) == ()
    assert "I am driving" in said(await talk.say(session, "what can I do?"))
    assert "wheel is yours" in said(await talk.say(session, "let me do this bit"))
    record = talk.wheel.records(session)[-1]
    assert 0 < len(record.deeds) < len(GOLD) and record.wheel == "person"
    assert [e.data["state"] for e in await talk.ended(session, turn) if e.kind == "end"] == ["stopped"]
    assert acts(await talk.say(session, "go on")) == list(GOLD[len(record.deeds) :])
