"""The tools of text worlds in both real simulators: opened by goals, by hand and by the trained policies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chat.worlds.ground import Ground
from tools.worlds import simulator

pytestmark = pytest.mark.real
MUG = {"world": "household", "kind": "clean_and_put", "thing": "mug", "place": "counter"}
WATER = {"world": "laboratory", "kind": "boil", "thing": "water", "drive": "person"}
ACTS = [
    {"verb": "teleport to {object}", "object": "kitchen"},
    {"verb": "open {object}", "object": "cupboard"},
    {"verb": "pick up {object}", "object": "glass cup"},
]


@pytest.fixture
async def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ground]:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    ground = Ground(tmp_path, make_home=simulator)
    ground.strategy = "swift"
    yield ground
    await ground.close()


async def test_a_household_task_is_done_by_the_trained_policy(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "a clean mug on the counter, please", ("world_open", MUG), ("world_story", {}))
    [opened, story] = ground.seen
    assert opened.text.startswith("Done: ") and "clean mug" in story.text
    assert ground.worlds.standing(session)[0].startswith("No text world is open.")


async def test_a_laboratory_task_goes_from_hand_to_hand(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "I want to boil water", ("world_open", WATER))
    await ground.say(session, "get the glass cup", ("world_act", {"acts": ACTS, "why": "For the water."}))
    assert "You move the glass cup to the inventory." in ground.seen[-1].text, "named as on the screen"
    await ground.say(session, "put it down")
    await ground.say(session, "drop it", ("world_undo", {"steps": 1}))
    record = ground.worlds.records(session)[-1]
    assert record.actions == ("teleport to kitchen", "open cupboard")
    await ground.say(session, "go on", ("world_go_on", {}))
    record = ground.worlds.records(session)[-1]
    assert {deed.by for deed in record.deeds[:2]} == {"person"} and len(record.deeds) > 10


async def test_games_that_cannot_be_opened_are_one_sentence(ground: Ground, tmp_path: Path) -> None:
    session = ground.session()
    broken = tmp_path / "broken.tw-pddl"
    broken.write_text("{}")
    for said, told in [
        (f"/play alfworld {broken}", "no ALFWorld game"),
        (f"/play textworld {tmp_path / 'nothing.z8'}", "no game file"),
        ("/play scienceworld boil --variation 999", "no variation 999"),
    ]:
        events = await ground.say(session, said)
        [reply] = [event.data["text"] for event in events if event.kind == "reply"]
        assert told in str(reply)
    assert ground.worlds.records(session) == ()
