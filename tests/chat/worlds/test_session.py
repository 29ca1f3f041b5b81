"""Turns in a world, with a toy household: who acts, undo, stories, parking, restart, a dying engine."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.export import to_json
from chat.replying import Narrator
from chat.runs import Run
from chat.worlds import telling
from chat.worlds.episodes import Record, afar, fold
from chat.worlds.session import WorldSession, steps_back
from chat.worlds.telling import story
from minds.dialogue import Episode, Event, Move
from minds.slow import Limits, Workbench
from minds.strategies.oracle import Oracle
from tests.brought import from_json
from tests.chat.worlds.ground import Ground
from tests.fakes import STRONG
from tests.toyworld import GOAL, GOLD, ToyWorld, ToyWorlds
from tools.worlds import goal as goals
from tools.worlds.world import Observation

PLAY = "/play alfworld mug"
OPEN = {"world": "household", "kind": "put_somewhere", "thing": "mug", "place": "drawer"}
ALL_OF_IT = [
    {"verb": "go to {object}", "object": "desk 1"},
    {"verb": "take {object} from {other}", "object": "mug 1", "other": "desk 1"},
    {"verb": "go to {object}", "object": "drawer 1"},
    {"verb": "open {object}", "object": "drawer 1"},
    {"verb": "move {object} to {other}", "object": "mug 1", "other": "drawer 1"},
]


def said(events: list[Event]) -> str:
    """The final reply."""
    return str(next(e.data["text"] for e in reversed(events) if e.kind == "reply" and e.data["final"]))


def acts(events: list[Event]) -> list[str]:
    return [str(e.data["action"]) for e in events if e.kind == "step" and "episode" in e.data]


def last(ground: Ground, session: str) -> Record:
    return ground.worlds.records(session)[-1]


# -- by tools


async def test_the_assistant_opens_a_task_and_acts_to_its_end(ground: Ground) -> None:
    session = ground.session()
    events = await ground.say(session, "put the mug away", ("world_open", OPEN))
    assert acts(events) == list(GOLD) and {d.by for d in last(ground, session).deeds} == {"slow"}
    [seen] = ground.seen
    assert "The world says that it is solved, after 5 steps; the score is 100 of 100" in seen.text
    assert seen.artifact["depends"] == {"world": f"{session}/1@5"} and seen.artifact["seconds"] > 0
    assert ground.tools == ["world_open", "world_leave", "world_undo", "world_story", "world_return"]


async def test_no_step_behind_one_taken_back_in_the_same_turn_has_its_number(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    there, back = ("world_act", {"acts": ALL_OF_IT[:2]}), ("world_undo", {"steps": 1})
    events = await ground.say(session, "there and back", there, back, ("world_act", {"acts": ALL_OF_IT[1:2]}))
    assert [e.data["number"] for e in events if e.kind == "step" and "episode" in e.data] == [1, 2, 3]


async def test_a_finished_world_holds_nobody(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "put the mug away", ("world_open", OPEN))
    assert said(await ground.say(session, "look")) == "Hello there.", "no longer an action"
    lines = ground.worlds.standing(session)[0]
    assert lines.startswith("No text world is open.") and "task 1, put the mug in the drawer: solved" in lines
    assert await ground.worlds.possible(session) == ()
    await ground.say(session, "back", ("world_undo", {"steps": 1}))
    assert "world_act" in ground.tools and ground.worlds.standing(session)[0].startswith("A text world is open")


async def test_the_person_acts_through_the_model(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "let me put the mug away", ("world_open", {**OPEN, "drive": "person"}))
    assert "The task: put the mug in the drawer." in ground.seen[0].text
    assert ground.tools == ["world_open", "world_act", "world_go_on", "world_leave", "world_story", "world_return"]
    events = await ground.say(
        session, "grab it", ("world_act", {"acts": ALL_OF_IT[:2], "why": "The mug is on the desk."})
    )
    assert acts(events) == list(GOLD[:2])
    assert ground.seen[-1].text.startswith("**go to desk 1**") and "pick up the mug 1" in ground.seen[-1].text
    assert [(d.by, d.thought) for d in last(ground, session).deeds] == [("person", "The mug is on the desk.")] * 2
    await ground.say(session, "and away", ("world_act", {"acts": ALL_OF_IT[2:]}))
    assert last(ground, session).last.won and "solved" in ground.seen[-1].text


async def test_a_new_place_is_looked_at_once(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.worlds.telling.BRIEF", 1000)
    monkeypatch.setattr(ToyWorld, "look", lambda _: "A small room.")
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "grab it", ("world_act", {"acts": ALL_OF_IT[:2]}))
    assert ground.seen[-1].text.endswith("You pick up the mug 1 from the desk 1.")


async def test_the_assistant_begins_and_the_person_takes_over(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.worlds.session.FIRST", 2)
    session = ground.session()
    events = await ground.say(session, "you start, I finish", ("world_open", {**OPEN, "drive": "both"}))
    assert acts(events) == list(GOLD[:2]) and last(ground, session).wheel == "person"
    did = "(`go to desk 1`; `take mug 1 from desk 1`)"
    assert f"The assistant has taken 2 steps. {did} The person acts from here on." in ground.seen[0].text
    await ground.say(session, "and away", ("world_act", {"acts": ALL_OF_IT[2:]}))
    assert [d.by for d in last(ground, session).deeds] == [*["slow"] * 2, *["person"] * 3]
    events = await ground.say(session, "once more", ("world_return", {"task": 1, "anew": True, "drive": "both"}))
    assert acts(events) == list(GOLD[:2]) and last(ground, session).number == 2


async def test_fewer_steps_than_were_wanted_are_told_with_the_reason(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    class GivesUp(Oracle):
        async def act(self, episode: Episode) -> Move:
            return await super().act(episode) if not episode.steps else Move("", answer="I see no way.", gave_up=True)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: GivesUp(bench))
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "three, then me", ("world_go_on", {"steps": 3}))
    [seen] = ground.seen
    for told in (seen.text, seen.artifact["told"]):
        assert "3 steps" not in told and "I see no way." in told and "1 step" in told
    assert "The person acts from here on." in seen.text and last(ground, session).wheel == "person"


async def test_whoever_drives_is_told_how_it_is_to_be_done(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = list[tuple[str, ...]]()

    class Listening(Oracle):
        async def act(self, episode: Episode) -> Move:
            heard.append(episode.task.steering)
            return await super().act(episode)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Listening(bench))
    ground.model.abilities = STRONG
    session, how = ground.session(), "take the short way"
    await ground.say(session, "put it away, the short way", ("world_open", {**OPEN, "drive": "both", "how": how}))
    assert heard == [(how,)] * 5 and last(ground, session).how == how
    text, told = ground.seen[-1].text, ground.seen[-1].artifact["told"]
    assert f"It was to be done so: {how}\nDone was: `go to desk 1`; `take mug 1 from desk 1`" in text
    assert told == "", "whoever words a strong model's result reads the same"
    assert f"How the person wanted it: {how}" in story(last(ground, session))
    await ground.say(session, "two back", ("world_undo", {"steps": 2}))
    await ground.say(session, "now gently", ("world_go_on", {"how": "gently"}))
    assert heard[5:] == [("gently",)] * 2 and last(ground, session).how == "gently"
    await ground.say(session, "again", ("world_return", {"task": 1, "anew": True, "drive": "assistant"}))
    assert heard[7:] == [("gently",)] * 5 and last(ground, session).number == 2
    new = from_json(ground.transcript, "eve", to_json(ground.transcript, session))
    assert [record.how for record in ground.worlds.records(new.id)] == ["gently", "gently"]
    await ground.say(session, "back", ("world_undo", {"steps": 1}))
    await ground.say(session, "never mind how", ("world_go_on", {"how": "any"}))
    assert heard[12:] == [()] and last(ground, session).how == "", "it is taken back"
    assert "It was to be done so" not in ground.seen[-1].text


async def test_who_goes_on_knows_what_was_seen_before(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    known = list[list[str]]()

    def opened(_: str, bench: Workbench) -> Oracle:
        known.append([scene.place for scene in bench.scenes])
        return Oracle(bench)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", opened)
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    await ground.say(session, "take mug 1 from desk 1")
    await ground.say(session, "go on", ("world_go_on", {}))
    assert known == [["middle of the room", "desk 1", "desk 1"]]


HEEDS_NOT = "The policy that acted does only the task: it cannot be told how."


@pytest.mark.parametrize("strategy", ["swift", "subgoals", "oracle"])
async def test_who_cannot_be_told_how_is_said_not_to_have_heeded_it(
    strategy: str, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Oracle(bench))
    ground.strategy, ground.model.abilities = strategy, STRONG
    session = ground.session()
    await ground.say(session, "gently, please", ("world_open", {**OPEN, "how": "gently"}))
    assert ground.seen[-1].text.endswith(HEEDS_NOT)


async def test_of_some_steps_it_is_said_too_whether_how_was_heeded(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.worlds.session.FIRST", 1)
    ground.model.abilities = STRONG
    session = ground.session()
    await ground.say(session, "you begin, gently", ("world_open", {**OPEN, "drive": "both", "how": "gently"}))
    await ground.say(session, "one more", ("world_go_on", {"steps": 1}))
    for seen, did in zip(ground.seen, GOLD[:2], strict=True):
        assert f"\nIt was to be done so: gently\nDone was: `{did}`. {HEEDS_NOT} " in seen.text


async def test_whoever_drives_hears_what_was_said_since_the_slow_mind_chose_that(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, runs = list[tuple[str, ...]](), list[Run]()

    class Listening(Oracle):
        async def act(self, episode: Episode) -> Move:
            heard.append(episode.task.steering)
            if len(heard) == 2:
                runs[0].steering.append("slowly")
            return await super().act(episode)

    monkeypatch.setattr("chat.worlds.driving.open_strategy", lambda _, bench: Listening(bench))
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")

    async def use(_: Ground, run: Run, desk: WorldSession, *__: object) -> None:
        runs.append(run)
        run.steering.append("thanks")
        assert await Narrator(run, ground.runs).checkpoint() == ("thanks",)
        await desk.go_on()

    monkeypatch.setattr(Ground, "_use", use)
    await ground.say(session, "go on", ("world_go_on", {}))
    assert heard == [(), (), *[("slowly",)] * 3]


async def test_what_the_first_steps_solve_is_not_handed_over(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "you start, I finish", ("world_open", {**OPEN, "drive": "both"}))
    assert last(ground, session).last.won and "solved, after 5 steps" in ground.seen[0].text


async def test_a_conversation_that_a_command_begins_is_called_by_its_task(ground: Ground) -> None:
    begun, later = ground.session(), ground.session()
    await ground.say(begun, f"{PLAY} --human")
    assert ground.transcript.session(begun).title == "Put the mug in the drawer"
    await ground.say(later, "good morning")
    await ground.say(later, f"{PLAY} --human")
    assert ground.transcript.session(later).title == "good morning"


async def test_acts_stop_at_the_first_that_cannot_be_done(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    events = await ground.say(session, "hm", ("world_act", {"acts": [ALL_OF_IT[0], ALL_OF_IT[3], ALL_OF_IT[1]]}))
    assert acts(events) == ["go to desk 1"]
    assert "`open drawer 1` cannot be done here now; the nearest that can: " in ground.seen[-1].text
    assert not ground.seen[-1].failed
    await ground.say(session, "no", ("world_act", {"acts": [ALL_OF_IT[4]]}))
    assert ground.seen[-1].failed and "take mug 1 from desk 1" in ground.seen[-1].text
    assert last(ground, session).actions == ("go to desk 1",)


async def test_the_schema_names_what_can_be_done_in_this_state(ground: Ground) -> None:
    from tools.worlds.tool import make

    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    held: list[dict[str, Any]] = []

    async def look(self: WorldSession, task: int | None) -> Any:
        held.append(make(self)["world_act"].tool_call_schema.model_json_schema())  # type: ignore[union-attr]
        return await WorldSession.take_up(self, 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorldSession, "story", look)
        await ground.say(session, "tell me", ("world_story", {}))
    act = held[0]["$defs"]["Act"]["properties"]
    assert act["verb"]["enum"] == ["look", "inventory", "go to {object}", "take {object} from {other}"]
    assert act["object"]["enum"] == ["drawer 1", "mug 1"] and act["other"]["enum"] == ["desk 1"]


async def test_who_acts_goes_from_one_to_the_other(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    events = await ground.say(session, "you do the rest", ("world_go_on", {}))
    assert acts(events) == list(GOLD[1:])
    assert [d.by for d in last(ground, session).deeds] == ["person", *["slow"] * 4]
    events = await ground.say(session, "two, then me", ("world_undo", {"steps": 4}), ("world_go_on", {"steps": 2}))
    assert acts(events) == list(GOLD[1:3]) and last(ground, session).wheel == "person"
    await ground.say(session, "and the rest", ("world_go_on", {}))
    await ground.say(session, "again", ("world_undo", {"steps": 3}), ("world_hand_over", {}))
    assert "The person acts from here on." in ground.seen[-1].text and last(ground, session).wheel == "person"
    assert "world_hand_over" not in ground.tools


async def test_a_long_story_is_told_whole_to_a_strong_model(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "STORY", telling.STORY // 5)  # a fifth as long is long
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    for _ in range(34):
        await ground.say(session, "look")
    await ground.say(session, "what did I do?", ("world_story", {}))
    assert "left out here" in ground.seen[-1].text
    ground.model.abilities = STRONG
    await ground.say(session, "what did I do first?", ("world_story", {}))
    assert "\n1. go to desk 1" in ground.seen[-1].text and ground.seen[-1].artifact["whole"]


async def test_a_story_answers_what_was_done_and_why(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    await ground.say(session, "go on", ("world_go_on", {}), ("world_story", {}))
    story = ground.seen[-1].text
    assert "You took 1 step (1), I took 4 steps (2 to 5)." in story
    assert "2. take mug 1 from desk 1 (I): You pick up" in story and "[Oracle: the next action" in story
    became = "- mug 1: found at desk 1 and taken (step 2, by me); put in or on drawer 1 (step 5, by me)."
    shown = ground.seen[-1].artifact["told"]
    assert became in shown and "You took 1 step (1), I took 4" in shown, "what a person is shown below an answer"
    ground.model.abilities = STRONG
    await ground.say(session, "who did what?", ("world_story", {}))
    story = ground.seen[-1].text
    assert "Task 1 (alfworld): put the mug in the drawer" in story and "solved after 5 steps, score 100 of 100" in story
    assert "1. go to desk 1 (the person): On the desk 1, you see a mug 1." in story
    assert "2. take mug 1 from desk 1 (the assistant) [Oracle: the next action" in story
    await ground.say(session, "and?", ("world_leave", {}), ("world_story", {"task": 1}))
    assert "go to desk 1" in ground.seen[-1].text
    assert ground.seen[-1].artifact["told"].startswith(became), "few lines, where nobody can word all of it"


async def test_a_task_that_was_left_can_be_taken_up_again(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    await ground.say(session, "enough", ("world_leave", {}))
    assert "not finished" in ground.seen[-1].text and ground.toys.closed == 1
    assert "task 1, put the mug in the drawer: left unfinished after 1 step" in ground.worlds.standing(session)[0]
    await ground.say(session, "go back", ("world_return", {"task": 1}))
    assert "Task 1 is in hand again" in ground.seen[-1].text
    assert acts(await ground.say(session, "take mug 1 from desk 1")) == [GOLD[1]]


async def test_a_task_can_be_begun_anew_by_whoever_wants_to_act(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "put the mug away", ("world_open", OPEN))
    await ground.say(session, "now me", ("world_return", {"task": 1, "anew": True, "drive": "person"}))
    first, second = ground.worlds.records(session)
    assert (first.spec, first.last.won) == (second.spec, True)
    assert (second.number, second.wheel, second.deeds) == (2, "person", ())
    await ground.say(session, "let me have that", ("world_return", {"task": 1, "drive": "person"}))
    assert last(ground, session).number == 3, "what is over is begun anew where somebody is to act"


async def test_who_leaves_a_task_is_out_of_those_that_were_over_before_it(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "put the mug away", ("world_open", OPEN))
    await ground.say(session, "now me", ("world_return", {"task": 1, "anew": True, "drive": "person"}))
    assert [record.state for record in ground.worlds.records(session)] == ["closed", "open"]
    await ground.say(session, "enough", ("world_leave", {}))
    assert {record.state for record in ground.worlds.records(session)} == {"closed"}


async def test_who_leaves_a_task_does_not_find_himself_in_an_earlier_one(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "another", ("world_open", OPEN | {"drive": "person"}))
    await ground.say(session, "enough", ("world_leave", {}))
    assert [record.state for record in ground.worlds.records(session)] == ["closed", "closed"]
    await ground.say(session, "the first again", ("world_return", {"task": 1}))
    assert last(ground, session).number == 1 and ground.worlds.standing(session)[1]


async def test_things_seen_elsewhere_in_a_household_can_be_gone_for(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    assert afar(last(ground, session)) == ()
    await ground.say(session, "go to drawer 1")
    there = last(ground, session)
    assert "take mug 1 from desk 1" in afar(there)
    lamp = replace(there.deeds[0], scene=replace(there.deeds[0].scene, things=("desklamp 1", "mug 1")))
    assert afar(replace(there, deeds=(lamp, *there.deeds[1:]))) == afar(there), "nobody carries a lamp about"
    for action in ("go to desk 1", "take mug 1 from desk 1", "go to drawer 1"):
        await ground.say(session, action)
    assert afar(last(ground, session)) == (), "only one thing can be carried"


async def test_the_assistant_goes_on_where_a_task_was_left(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    await ground.say(session, "enough", ("world_leave", {}))
    events = await ground.say(session, "finish it", ("world_return", {"task": 1, "drive": "assistant"}))
    assert acts(events) == list(GOLD[1:]) and last(ground, session).last.won


async def test_the_state_is_told_in_a_few_lines(ground: Ground) -> None:
    session = ground.session()
    assert ground.worlds.standing(session)[0] == ""
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    await ground.say(session, "take mug 1 from desk 1")
    first, second = ground.worlds.standing(session)[0].splitlines()
    assert first == (
        "A text world is open, task 1 (alfworld): put the mug in the drawer. not finished yet after 2 steps, score 0 of"
        " 100. Who acts: the person. Place: desk 1. In hand: mug 1."
    )
    assert second.startswith("Last done there: take mug 1 from desk 1 (the person).")


async def test_no_task_that_fits_is_told_to_the_model(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.worlds.session.find", goals.find)
    session = ground.session()
    wanted = {"world": "household", "kind": "heat_and_put", "thing": "cathedral"}
    await ground.say(session, "heat it", ("world_open", wanted))
    assert ground.seen[-1].failed and "The nearest: " in ground.seen[-1].text
    assert ground.worlds.records(session) == ()


# -- without a model


async def test_the_oracle_drives_to_the_end_and_is_named(ground: Ground) -> None:
    events = await ground.say(ground.session(), f"{PLAY} --strategy oracle")
    assert acts(events) == list(GOLD)
    replies = [e.data for e in events if e.kind == "reply"]
    assert [(r["by"], r["final"]) for r in replies] == [("fast", False), ("slow", True)]
    assert replies[1]["solved"] and "simulator's own solution" in str(replies[1]["text"])
    assert "5 steps" in said(events) and "100 of 100" in said(events)
    assert all(r["off_record"] for r in replies), "nothing of it is a note"


async def test_an_action_that_is_written_out_is_done_at_once(ground: Ground) -> None:
    session = ground.session()
    assert "You act." in said(await ground.say(session, f"{PLAY} --human"))
    assert acts(await ground.say(session, " Go  to DESK 1 ")) == [GOLD[0]]
    assert said(await ground.say(session, "go to the desk")) == "Hello there.", "nothing reads words"
    assert said(await ground.say(session, "Thanks, you are very kind!")) == "Hello there."
    for action in GOLD[1:]:
        events = await ground.say(session, action)
    assert "solved" in said(events) and {d.by for d in last(ground, session).deeds} == {"person"}
    assert ground.model.heard == []


async def test_undo_goes_back_by_replay(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    assert "nothing to undo" in said(await ground.say(session, "/world undo"))
    for action in (*GOLD[:2], "drop mug 1"):
        await ground.say(session, action)
    assert last(ground, session).last.done
    assert "from step 3" in said(await ground.say(session, "/world undo"))
    record = last(ground, session)
    assert record.actions == GOLD[:2] and not record.last.done
    assert "carrying: a mug 1" in said(await ground.say(session, "inventory"))
    assert "from step 1" in said(await ground.say(session, "/world undo 9"))
    assert last(ground, session).deeds == ()


@pytest.mark.parametrize("command", ["/world", "/world dance", "/world return", "/world return x", "/world undo 0"])
async def test_a_command_that_is_none_tells_what_there_is(ground: Ground, command: str) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    assert "`/world take`" in said(await ground.say(session, command))


async def test_commands_without_a_world_say_so(ground: Ground) -> None:
    session = ground.session()
    for command in ("/world take", "/world go on", "/world undo", "/world close"):
        assert said(await ground.say(session, command)) == "No text world is open."
    assert "no task 4" in said(await ground.say(session, "/world return 4"))


@pytest.mark.parametrize("tool", ["world_return", "world_story"])
async def test_a_task_that_there_is_not_is_an_observation(ground: Ground, tool: str) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "the fourth", (tool, {"task": 4}))
    assert ground.seen[-1].failed
    assert ground.seen[-1].text == "There is no task 4 in this conversation; there are: 1."


async def test_the_panels_commands(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human --strategy oracle")
    assert "You act from here on." in said(await ground.say(session, "/world take"))
    assert acts(await ground.say(session, "/world go on")) == list(GOLD)
    assert said(await ground.say(session, "/world go on")).startswith("It is over. Done")
    assert "Left task 1." in said(await ground.say(session, "/world close"))
    assert ground.toys.closed == 1
    assert "Task 1 is in hand again" in said(await ground.say(session, "/world return 1"))


async def test_a_turn_that_is_taken_back_takes_its_actions_along(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD[:2]:
        await ground.say(session, action)
    await ground.runs.undo(session)
    assert last(ground, session).actions == GOLD[:1]
    assert "not carrying" in said(await ground.say(session, "inventory"))


async def test_while_the_assistant_drives_nobody_else_touches_its_world(ground: Ground) -> None:
    session = ground.session()
    ground.toys.slow = 0.05
    turn = await ground.runs.submit(session, f"{PLAY} --strategy oracle")
    while not any(e.kind == "step" for e in ground.transcript.turn_events(session, turn)):
        await asyncio.sleep(0.01)
    assert await ground.worlds.possible(session) == ()
    assert said(await ground.say(session, "look")) == "Hello there."
    assert "You act from here on." in said(await ground.say(session, "/world take"))
    record = last(ground, session)
    assert 0 < len(record.deeds) < len(GOLD) and record.wheel == "person"
    assert [e.data["state"] for e in await ground.ended(session, turn) if e.kind == "end"] == ["stopped"]
    assert acts(await ground.say(session, "/world go on")) == list(GOLD[len(record.deeds) :])


# -- what goes wrong


async def test_an_episode_outlives_the_process(ground: Ground, tmp_path: Path) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    for action in GOLD[:2]:
        await ground.say(session, action)
    second = await ground.killed()
    assert "carrying: a mug 1" in said(await second.say(session, "inventory"))
    assert acts(await second.say(session, "go to drawer 1")) == [GOLD[2]]
    await second.close()


@pytest.mark.parametrize("said_", [f"{PLAY} --strategy oracle", "put the mug away"])
async def test_a_drive_that_was_killed_is_taken_up(ground: Ground, said_: str) -> None:
    session = ground.session()
    ground.toys.slow = 0.05
    ground.calls["put the mug away"] = [("world_open", OPEN)]
    turn = await ground.runs.submit(session, said_)
    while not any(e.kind == "step" for e in ground.transcript.turn_events(session, turn)):
        await asyncio.sleep(0.01)
    second = await ground.killed()
    assert 0 < len(last(second, session).deeds) < len(GOLD)
    await second.runs.resume(session)
    await second.ended(session, turn)
    assert last(second, session).actions == GOLD and last(second, session).last.won
    if said_ == "put the mug away":
        assert second.seen[-1].tool == "world_go_on" and "solved" in second.seen[-1].text
    await second.close()


@pytest.mark.parametrize(("taken", "handed_over"), [(1, False), (2, False), (2, True)])
async def test_some_steps_that_were_killed_are_no_more_when_they_are_taken_up(
    ground: Ground, taken: int, handed_over: bool
) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    ground.toys.slow = 0.05
    ground.calls["two steps, then me"] = [("world_go_on", {"steps": 2})]
    turn = await ground.runs.submit(session, "two steps, then me")
    while len((now := last(ground, session)).deeds) < taken or (handed_over and now.wheel != "person"):
        await asyncio.sleep(0)
    second = await ground.killed()
    await second.runs.resume(session)
    await second.ended(session, turn)
    assert last(second, session).actions == GOLD[:2] and last(second, session).wheel == "person"
    assert "The assistant has taken 2 steps" in second.seen[-1].text
    await second.close()


@pytest.mark.parametrize(("command", "steps"), [("/world undo", 1), ("/world close", 2)])
async def test_a_command_that_was_killed_lets_nobody_drive(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, command: str, steps: int
) -> None:
    ground.worlds.limits = Limits(steps=2)
    session = ground.session()
    await ground.say(session, PLAY)

    async def forever(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(ground.running, "at", forever)
    monkeypatch.setattr(WorldSession, "ready", forever)
    turn = await ground.runs.submit(session, command)
    while not any(e.kind == "world" for e in ground.transcript.turn_events(session, turn)):
        await asyncio.sleep(0.01)
    monkeypatch.undo()
    second = await ground.killed()
    await second.runs.resume(session)
    await second.ended(session, turn)
    assert last(second, session).actions == GOLD[:steps]
    await second.close()


async def test_a_dead_engine_is_replaced_in_mid_step(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "go to desk 1")
    ground.toys.dying = 1
    assert acts(await ground.say(session, "take mug 1 from desk 1")) == [GOLD[1]]
    assert len(ground.toys.opened) == 2 and ground.toys.closed == 1


async def test_an_engine_that_stays_dead_is_one_sentence(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    ground.toys.dying = 99
    assert "engine ended" in said(await ground.say(session, "go to desk 1"))
    assert said(await ground.say(session, "never mind")) == "Hello there.", "a broken world holds no talk"
    await ground.say(session, "do it", ("world_go_on", {}))
    assert ground.seen[-1].failed and "engine ended" in ground.seen[-1].text
    ground.toys.dying = 0
    assert acts(await ground.say(session, "go to desk 1")) == [GOLD[0]]


async def test_the_oldest_of_many_worlds_is_parked_and_comes_back(ground: Ground) -> None:
    session = ground.session()
    for _ in range(4):
        await ground.say(session, f"{PLAY} --human")
        await ground.say(session, "go to desk 1")
    states = {r.number: r.state for r in ground.worlds.records(session)}
    assert states == {1: "parked", 2: "open", 3: "open", 4: "open"}
    assert ground.toys.closed == 1
    assert "Task 1 is in hand again" in said(await ground.say(session, "/world return 1"))
    assert last(ground, session).number == 1
    assert acts(await ground.say(session, "take mug 1 from desk 1")) == [GOLD[1]]


async def test_the_task_that_was_used_last_comes_last(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    states, story = [], WorldSession.story

    async def told(self: WorldSession, task: int | None) -> Any:
        states.append(self.state)
        return await story(self, task)

    monkeypatch.setattr(WorldSession, "story", told)
    session = ground.session()
    for command in (f"{PLAY} --human", f"{PLAY} --human --variation 7", "/world return 1", *["/world close"] * 2):
        await ground.say(session, command)
    await ground.say(session, "what happened?", ("world_story", {}))
    assert states[0].tasks == (2, 1) and ground.seen[-1].text.startswith("Task 1 (")


async def test_an_unknown_task_is_one_sentence(ground: Ground) -> None:
    events = await ground.say(ground.session(), "/play alfworld juggling")
    assert "There is no task `juggling`" in said(events) and fold(events) == ()


async def test_ten_thousand_characters_are_no_action(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    assert said(await ground.say(session, "go to desk 1 " * 800)) == "Hello there."


async def test_sessions_see_only_their_own_worlds(ground: Ground) -> None:
    one, other = ground.session("ada"), ground.session("ben")
    await ground.say(one, f"{PLAY} --human")
    await ground.say(one, "go to desk 1")
    assert ground.worlds.records(other) == () and ground.worlds.standing(other)[0] == ""
    assert acts(await ground.say(other, "take mug 1 from desk 1")) == []


async def test_deleting_the_conversation_ends_its_worlds(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.runs.delete(session)
    assert ground.toys.closed == 1


async def test_the_goal_is_the_engines_own(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    assert last(ground, session).goal == GOAL and isinstance(ground.toys, ToyWorlds)


class Asks(ToyWorld):
    """Two things are called so: it asks which one is to be taken."""

    asked = ""

    def reset(self) -> Observation:
        self.asked = ""
        return super().reset()

    def admissible(self) -> tuple[str, ...]:
        return ("0", "1") if self.asked else super().admissible()

    def step(self, action: str) -> Observation:
        if self.asked:
            action, self.asked = self.asked, ""
        elif action.startswith("take"):
            self.asked, self.steps = action, self.steps + 1
            return Observation("Ambiguous request:\n0:\ttake mug 1 (on desk)\n1:\ttake mug 1 (in box)\n", score=0.0)
        return super().step(action)


async def test_of_several_things_that_are_called_so_the_first_is_taken_and_both_steps_are_undone(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.toyworld.ToyWorld", Asks)
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "there", ("world_act", {"acts": ALL_OF_IT[:2]}))
    told = ground.seen[-1].text
    assert "**take mug 1 from desk 1** (take mug 1 (on desk))" in told and "Ambiguous" not in told
    assert last(ground, session).actions == (*GOLD[:2], "0")
    await ground.say(session, "undo that", ("world_undo", {"steps": 1}))
    assert "from step 2 on (`take mug 1 from desk 1`)" in ground.seen[-1].text
    assert last(ground, session).actions == GOLD[:1]


@pytest.mark.parametrize("verb", ["focus on {object}", "focus on", "Focus on {object}"])
async def test_which_of_several_things_is_focused_on_is_the_persons_to_say(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    class AsksOnWhich(Asks):
        def admissible(self) -> tuple[str, ...]:
            return super().admissible() if self.asked else ("focus on mug 1",)

        def step(self, action: str) -> Observation:
            self.asked = action
            return Observation("Ambiguous request:\n0:\tfocus on mug 1 (on desk)\n1:\tfocus on mug 1 (in box)\n")

    monkeypatch.setattr("tests.toyworld.ToyWorld", AsksOnWhich)
    session = ground.session()
    await ground.say(session, f"{PLAY} --human")
    await ground.say(session, "that mug", ("world_act", {"acts": [{"verb": verb, "object": "mug 1"}]}))
    assert last(ground, session).actions == ("focus on mug 1",) and "Ambiguous" in ground.seen[-1].text


@pytest.mark.parametrize(("steps", "left"), [(1, 2), (2, 1), (3, 0), (9, 0)])
def test_an_action_and_its_answer_to_which_one_are_one_step(steps: int, left: int) -> None:
    assert steps_back(("go to desk", "open box", "take mug", "0"), steps) == left
