"""A game: person and slow mind play the same task, each alone, and are compared; the gallery that offers the tasks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat.ui import world
from chat.ui.gallery import Gallery
from chat.worlds.episodes import Deed, Record
from chat.worlds.view import ahead, view
from minds.slow import Limits
from tests.chat.worlds.ground import Ground
from tests.toyworld import GOLD
from tools.worlds import simulator
from tools.worlds.world import Observation, Scene, Simulator, WorldSpec

GAME = "/play alfworld mug --human --game"


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    made = Ground(tmp_path)
    yield made
    await made.close()


def played(steps: int, score: float | None = None, *, won: bool = False) -> Record:
    scene = Scene("room")
    deeds = [Deed("wait", Observation("", score=score, done=won, won=won), scene, "person")] * steps
    return Record(1, WorldSpec("alfworld", "mug"), "", Observation("", score=score), scene, tuple(deeds))


async def test_when_the_person_has_played_the_slow_mind_plays_the_same(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, GAME)
    for action in ("look", *GOLD):
        events = await ground.say(session, action)
    mine, its = ground.worlds.records(session)
    assert [mine.wheel, its.wheel] == ["person", "slow"] and mine.spec == its.spec and mine.game and its.game
    assert mine.last.won and its.last.won and {deed.by for deed in its.deeds} == {"slow"}
    assert [event.data["final"] for event in events if event.kind == "reply"] == [False, True]
    standing = ground.worlds.standing(session)[0]
    assert "task 1, put the mug in the drawer: solved after 6 steps" in standing
    assert "score 100 of 100 (a game, in which the person plays this alone); task 2" in standing
    assert "(a game, in which the assistant plays this alone)." in standing, "a model is told who won"
    shown = view(ground.worlds.records(session))
    assert shown and shown.game == {"person": mine, "slow": its}
    assert "Duet wins: fewer steps." in world.panel(shown, session, "idle")


async def test_the_slow_mind_may_play_first(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "/play alfworld mug --game")
    await ground.say(session, "/world pass")
    its, mine = ground.worlds.records(session)
    assert (its.wheel, mine.wheel, its.last.won, mine.actions) == ("slow", "person", True, ())


async def test_who_passes_leaves_no_other_task(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "/play alfworld mug --human")
    await ground.say(session, GAME)
    await ground.say(session, "/world pass")
    assert [record.state for record in ground.worlds.records(session)][:2] == ["open", "closed"]


async def test_who_gives_up_is_left_where_they_stood(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, GAME)
    await ground.say(session, GOLD[0])
    await ground.say(session, "/world pass")
    mine, its = ground.worlds.records(session)
    assert (mine.state, len(mine.deeds), its.last.won) == ("closed", 1, True)


@pytest.mark.parametrize("said", ["/world undo", "/world go on", "/world take"])
async def test_in_a_game_nobody_helps_and_nothing_is_taken_back(ground: Ground, said: str) -> None:
    session = ground.session()
    await ground.say(session, GAME)
    await ground.say(session, GOLD[0])
    events = await ground.say(session, said)
    assert "each plays alone" in str(events[-2].data["text"])
    (record,) = ground.worlds.records(session)
    assert (record.wheel, record.actions) == ("person", GOLD[:1])


async def test_a_side_of_a_game_is_not_handed_over_by_taking_it_up_again(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, GAME)
    await ground.say(session, GOLD[0])
    await ground.say(session, "go on with it", ("world_return", {"task": 1, "drive": "assistant"}))
    (record,) = ground.worlds.records(session)
    assert (record.wheel, record.actions) == ("person", GOLD[:1])


async def test_nobody_acts_on_the_other_side_of_a_game(ground: Ground) -> None:
    ground.worlds.limits = Limits(steps=2)
    session = ground.session()
    await ground.say(session, "/play alfworld mug --game")
    await ground.say(session, GOLD[2])
    await ground.say(
        session, "take it there", ("world_act", {"acts": [{"verb": "go to {object}", "object": "drawer 1"}]})
    )
    (its,) = ground.worlds.records(session)
    assert (its.wheel, its.actions) == ("slow", GOLD[:2])


async def test_a_task_that_is_no_game_has_no_other_turn(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "/play alfworld mug --human")
    events = await ground.say(session, "/world pass")
    assert "no game" in str(events[-2].data["text"]) and len(ground.worlds.records(session)) == 1


def test_solved_counts_first_then_steps_then_the_score() -> None:
    assert ahead(played(9, 100, won=True), played(2, 50)) == 1
    assert ahead(played(9, 100, won=True), played(8, 100, won=True)) == -1
    assert ahead(played(9, 20), played(2, 10)) == 1 and ahead(played(1, 10), played(5, 10)) == 0
    assert ahead(played(3), played(4)) == 0, "no score at all"


@pytest.mark.slow
def test_a_task_of_the_gallery_is_opened_once_and_kept_in_its_file(tmp_path: Path) -> None:
    opened: list[str] = []

    def home(name: str) -> Simulator:
        opened.append(name)
        return simulator(name)

    file = tmp_path / "gallery.json"
    first = Gallery(file, home)
    assert first.known("heat_and_put") is None and not opened
    record = first.task("heat_and_put")
    assert record.spec.task.startswith("household/pick_heat") and record.scene.exits and record.goal
    opened.clear()
    assert Gallery(file, home).task("heat_and_put") == record and not opened
    file.write_text('{"heat_and_put": {"world": 3}, "boil": null}')
    assert Gallery(file, home).known("heat_and_put") is None and Gallery(file, home).known("boil") is None
    assert replace(Gallery(file, home).task("heat_and_put"), number=0) == record
