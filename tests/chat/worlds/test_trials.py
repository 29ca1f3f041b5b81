"""The slow mind tries a task again where it failed, or writes what cannot be done: what log, story and export say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat.export import to_json, to_markdown
from chat.worlds.episodes import Record, fold
from chat.worlds.session import driving_at_the_end, some_steps
from chat.worlds.telling import deeds_since, story
from minds.dialogue import Episode, Event, Move, in_world
from minds.slow import Limits, Workbench
from tests.brought import from_json
from tests.chat.worlds.ground import Ground
from tests.fakes import STRONG
from tests.minds.strategies.test_trials import CLUMSY, Tries
from tests.toyworld import GOLD
from tools.worlds.world import Observation, Scene, WorldSpec

PLAY = "/play alfworld mug --strategy oracle"


class Learns(Tries):
    """Drops the mug in its first trial only."""

    made: list[Learns] = []  # noqa: RUF012

    def __init__(self, _: Workbench) -> None:
        super().__init__(CLUMSY, GOLD)
        Learns.made.append(self)


@pytest.fixture
async def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ground]:
    Learns.made = []
    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Learns(bench))
    ground = Ground(tmp_path)
    yield ground
    await ground.close()


def record_of(ground: Ground, session: str) -> Record:
    return ground.worlds.records(session)[-1]


def taken_back(events: list[Event]) -> list[Event]:
    return [event for event in events if event.kind == "world" and event.data["state"] == "undone"]


async def test_a_failed_trial_is_taken_back_with_what_was_learnt(ground: Ground) -> None:
    session = ground.session()
    events = await ground.say(session, PLAY)
    (back,) = taken_back(events)
    assert (back.data["to"], back.data["trial"], back.data["why"]) == (0, 1, "lost")
    record = record_of(ground, session)
    assert record.actions == GOLD and record.last.won and record.learnt == ("I must not drop it.",)
    assert "Trial 1 failed. I must not drop it." in story(record)
    numbers = [event.data["number"] for event in events if event.kind == "step"]
    assert numbers == list(range(1, 9)), "no step of the second trial replaces one of the first"


async def test_of_a_drive_that_began_anew_all_of_the_last_trial_is_told(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.worlds.session.find", lambda *_: WorldSpec("alfworld", "mug"))
    ground.model.abilities, ground.strategy = STRONG, "react"
    session = ground.session()
    begun = {"world": "household", "kind": "put_somewhere", "how": "gently", "drive": "person"}
    await ground.say(session, "let me begin, gently", ("world_open", begun))
    await ground.say(session, "two steps", ("world_go_on", {"steps": 2}))
    await ground.say(session, "go on", ("world_go_on", {}))
    done = "; ".join(f"`{action}`" for action in GOLD)
    assert record_of(ground, session).learnt and ground.seen[-1].text.endswith(f"\nDone was: {done}.")


def test_that_nothing_was_done_is_told() -> None:
    spec, nowhere = WorldSpec("alfworld", "mug"), Scene("", (), (), ())
    assert deeds_since(Record(1, spec, "put the mug away", Observation("A room."), nowhere), 0) == "nothing"


async def test_in_a_game_there_is_one_trial(ground: Ground) -> None:
    session = ground.session()
    events = await ground.say(session, "/play alfworld mug --game")
    assert taken_back(events) == [] and ground.worlds.records(session)[0].last.done


async def test_what_a_person_asked_for_step_by_step_is_not_taken_back_either(ground: Ground) -> None:
    session = ground.session()
    ground.worlds.limits = Limits(steps=1, trials=1)
    await ground.say(session, PLAY)
    ground.worlds.limits = Limits(steps=20)
    take = {"acts": [{"verb": "take", "object": "mug 1", "other": "desk 1"}]}
    await ground.say(session, "please take the mug", ("world_act", take))
    events = await ground.say(session, "/world go on")
    assert taken_back(events) == []


async def test_what_a_person_did_is_not_taken_back_for_another_trial(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, GOLD[0])
    events = await ground.say(session, "/world go on")
    record = record_of(ground, session)
    assert taken_back(events) == [] and record.last.done and not record.last.won
    assert record.deeds[0].by == "person" and record.actions == CLUMSY


class Swift(Learns):
    """Drops the mug once."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self.bench = bench

    async def act(self, episode: Episode) -> Move:
        at = len(episode.steps)
        return in_world("", CLUMSY[at] if at < len(CLUMSY) and not self.bench.lost else GOLD[at])


async def test_a_learned_policys_step_that_ends_the_task_is_taken_back_and_done_otherwise(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Swift(bench))
    session = ground.session()
    await ground.say(session, f"{PLAY.replace('oracle', 'swift')} --human")
    await ground.say(session, GOLD[0])
    events = await ground.say(session, "/world go on")
    (back,) = taken_back(events)
    record = record_of(ground, session)
    numbers = [event.data["number"] for event in events if event.kind == "step"]
    assert numbers == list(range(2, 7)), "no step behind it replaces the one that was taken back"
    assert back.data["to"] == 2 and record.actions == GOLD and record.last.won and record.deeds[0].by == "person"
    reply = next(event.data["text"] for event in reversed(events) if event.kind == "reply")
    assert "Done" in str(reply) and "took back what had ended the task unsolved: `drop mug 1`." in str(reply)


async def test_where_duet_may_ask_nobody_swift_drives(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    named = list[str]()

    def opened(name: str, bench: Workbench) -> Swift:
        named.append(name)
        return Swift(bench)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", opened)
    session = ground.session()
    await ground.say(session, PLAY.replace("oracle", "duet"))
    record = record_of(ground, session)
    assert set(named) == {"swift"} and record.last.won and record.actions == GOLD, "what lost it was taken back"


async def test_of_some_steps_those_count_that_stand(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Swift(bench))
    session = ground.session()
    await ground.say(session, f"{PLAY.replace('oracle', 'swift')} --human")
    events = await ground.say(session, "three steps, then me", ("world_go_on", {"steps": 3}))
    record = record_of(ground, session)
    assert record.actions == GOLD[:3] and record.wheel == "person" and not record.last.done
    told = str(next(event.data["observation"] for event in events if event.data.get("action") == "world_go_on"))
    assert "taken 3 steps." in told and "unsolved: `drop mug 1`." in told


def test_a_run_that_was_killed_behind_a_step_taken_back_is_driven_on() -> None:
    acted = {"episode": 1, "strategy": "swift", "by": "slow", "action": "drop mug 1"}
    undone = {"episode": 1, "state": "undone", "to": 2, "by": "slow", "view": "x"}
    some = {"episode": 1, "state": "wheel", "by": "slow", "until": 3, "steps": 3}
    kinds = (("world", some), ("step", acted), ("world", undone))
    events = [Event(number, "s", 1, kind, data, 0.0) for number, (kind, data) in enumerate(kinds)]
    assert driving_at_the_end(events) == 1 and some_steps(events) == {"until": 3, "steps": 3}


async def test_a_learned_policy_that_would_do_the_same_again_stops_before_it(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Learns, "act", lambda _, episode: answered(in_world("", CLUMSY[len(episode.steps)])))
    session = ground.session()
    await ground.say(session, f"{PLAY.replace('oracle', 'swift')} --human")
    await ground.say(session, GOLD[0])
    events = await ground.say(session, "/world go on")
    record = record_of(ground, session)
    assert len(taken_back(events)) == 2 and not record.last.done and record.actions == GOLD[:2]
    reply = next(event.data["text"] for event in reversed(events) if event.kind == "reply")
    assert "I know no way on" in str(reply) and str(reply).count("`drop mug 1`") == 1


async def answered(move: Move) -> Move:
    return move


async def test_some_steps_are_no_trial_that_failed(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    events = await ground.say(session, "two steps, then me", ("world_go_on", {"steps": 2}))
    record = record_of(ground, session)
    assert taken_back(events) == [] and record.actions == CLUMSY[:2] and record.wheel == "person"


async def test_a_second_trial_that_was_killed_is_taken_up_with_what_was_learnt(ground: Ground) -> None:
    session = ground.session()
    turn = await ground.runs.submit(session, PLAY)
    ground.toys.slow = 0.05
    while not in_second_trial(ground, session):
        await asyncio.sleep(0.005)
    second = await ground.killed()
    assert record_of(second, session).learnt == ("I must not drop it.",)
    await second.runs.resume(session)
    events = await second.ended(session, turn)
    resumed = Learns.made[-1].seen[0]
    assert isinstance(resumed, Episode) and resumed.trials[0].learnt.thought == "I must not drop it."
    assert record_of(second, session).actions == GOLD and record_of(second, session).last.won
    numbers = [event.data["number"] for event in events if event.kind == "step"]
    assert numbers == list(range(1, 9)), "no step behind the kill replaces one before it"
    await second.close()


def in_second_trial(ground: Ground, session: str) -> bool:
    records = ground.worlds.records(session)
    return bool(records and records[-1].learnt and records[-1].deeds)


async def test_an_action_that_was_written_otherwise_is_told_as_such(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sloppy(Learns):
        async def act(self, episode: Episode) -> Move:
            return replace(in_world("To the desk.", GOLD[len(episode.steps)]), wrote="walk to the desk")

    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Sloppy(bench))
    session = ground.session()
    events = await ground.say(session, PLAY)
    steps = [event.data for event in events if event.kind == "step"]
    assert steps[0]["wrote"] == "walk to the desk" and "I wrote `walk to the desk`" in str(steps[0]["thought"])
    assert "`walk to the desk`" in story(record_of(ground, session))


async def test_trials_survive_an_export(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, PLAY)
    assert "Trial 1 failed; world 1 was begun anew. I must not drop it." in to_markdown(ground.transcript, session)
    new = from_json(ground.transcript, "eve", to_json(ground.transcript, session))
    assert fold(ground.transcript.world_events(new.id))[0].learnt == ("I must not drop it.",)
