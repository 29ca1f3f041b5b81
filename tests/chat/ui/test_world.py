"""The panel of a world: HTML of views, the map's layout, and the routes that give it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from chat.ui import markup, world, world_map
from chat.ui.follow import Nudges, updates
from chat.ui.page import mount
from chat.worlds.view import WorldView
from tests.chat.ui.scenes import DOORS, LAB, PLACES, Told, deed, household, lab, room, seen
from tests.chat.ui.worlds import WorldDuet
from tools.worlds.world import Observation, Scene, WorldFault

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'"


def html(*told: Told, state: str = "idle", **at: Any) -> str:
    return world.panel(seen(*told, **at), "abc", state)


def section(shown: str, name: str) -> str:
    """One section's HTML; empty where it is hidden."""
    body = shown.partition(f'<section class="{name}"')[2].partition("</section>")[0]
    return "" if body.partition(">")[0].endswith("hidden") else body


# -- the panel


def test_everything_that_a_world_or_person_says_is_escaped() -> None:
    scene = {"place": EVIL, "things": [EVIL] * 30, "exits": [EVIL], "holding": [EVIL]}
    for name in ("alfworld", "scienceworld"):
        told = [(kind, {**data, "scene": scene, "score": 5.0}) for kind, data in lab()]
        told[0][1].update(goal=EVIL, task=EVIL, world=name, text=EVIL, options=[EVIL])
        for _, data in told[1:]:
            data.update(action=EVIL, thought=EVIL, observation=EVIL)
        for step in (None, 0, 3):
            shown = html(*told, *household(2)[:1], number=1, step=step)
            assert "<script" not in shown and "<img" not in shown and 'onerror=alert(2)>"' not in shown
    assert "<script" not in world.possible([EVIL] * 3) + world.possible([EVIL] * 30) + markup.fault(EVIL)
    assert "<script" not in html(("world", {**lab()[0][1], "world": EVIL}))


def test_who_acts_and_what_can_be_done_about_it() -> None:
    mine = section(html(*household()), "wheel")
    assert 'class="holder person"' in mine and "you</b>" in mine and "act here" in mine
    for said in ("/world go on", "/world undo", "/world close"):
        assert f'data-words="{said}"' in mine
    assert 'data-words="/world take" title="/world take" disabled' in mine
    slow = section(html(*lab()), "wheel")
    assert "slow mind</b>" in slow and 'data-words="/world take" title="/world take">' in slow
    driving = section(html(*lab(), state="slow"), "wheel")
    assert "is acting" in driving and 'data-words="/world go on" title="/world go on" disabled' in driving
    assert 'data-do="resume"' in section(html(*lab(), state="paused"), "wheel")
    begun = section(html(*lab(walk=())), "wheel")
    assert 'data-words="/world undo" title="/world undo" disabled' in begun


def test_how_it_ended_is_the_worlds_own_word() -> None:
    def ended(won: bool = False) -> str:
        last = deed(1, 1, "go to hallway", Observation("", score=1.0, done=True, won=won), room("hallway"), "slow")
        return section(html(*lab(walk=()), last), "wheel")

    assert '"mark won">solved' in ended(won=True) and "over, not solved" in ended()
    assert ended().count(" disabled") == 2, "nothing to take over or to go on with; undo and close stay"


def test_another_episode_can_be_looked_at_and_taken_up_again() -> None:
    shown = html(*lab(1), *household(2), number=1)
    assert 'data-words="/world return 1"' in section(shown, "wheel") and "Not in hand" in section(shown, "wheel")
    assert section(shown, "tabs").count('data-do="episode"') == 2 and section(shown, "possible") == ""
    closed = html(*lab(1), ("world", {"episode": 1, "state": "closed"}))
    assert "Closed" in section(closed, "wheel") and section(closed, "tabs") == ""


def test_looking_back_is_read_only() -> None:
    shown = html(*lab(), step=3)
    assert 'data-do="say"' not in shown and section(shown, "possible") == ""
    assert "look back at step 3 of 8" in shown and 'data-do="now"' in shown
    assert 'value="3"' in section(shown, "replay") and 'aria-valuetext="Step 3 of 8"' in shown
    assert "workshop</span>" in section(shown, "here") and 'aria-current="step"' in section(shown, "deeds")
    assert section(shown, "rises").count("later") == 2


def test_steps_and_sub_goals_in_words() -> None:
    shown = html(*lab())
    assert "step 2: <b>+10</b> (go to hallway)" in section(shown, "rises")
    told = lab()
    told[6] = (told[6][0], {**told[6][1], "reached": "open the <stove>"})
    assert "step 5: (open the &lt;stove&gt;)" in section(html(*told), "rises")
    deeds = section(shown, "deeds")
    assert deeds.count("<li>") == 8 and deeds.count(">slow mind</i>") == 8 and "−10" in deeds
    assert section(html(*household()), "deeds").count(">you</i>") == 3
    assert section(html(*household()), "rises") == ""


def test_sections_keep_their_places_whatever_is_shown() -> None:
    def order(shown: str) -> list[str]:
        return [part.partition('"')[0] for part in shown.split('<section class="')[1:]]

    full = order(html(*lab(1), *household(2)))
    assert len(full) == 12
    for shown in (html(*lab(walk=())), html(*lab(), step=2), html(*lab(1), *household(2), number=1)):
        assert order(shown) == full


def test_very_long_episodes_are_cut_in_the_list_only() -> None:
    told = lab(walk=[("look around", "kitchen", 0.0)] * 620)
    deeds = section(html(*told), "deeds")
    assert deeds.count('data-do="step"') == world.LISTED and "The first 120 are in the transcript" in deeds
    assert 'data-step="620"' in deeds and 'max="620"' in html(*told)


def test_actions_fill_the_box_and_many_stand_under_their_verbs() -> None:
    few = world.possible(["go to desk 1", "look"])
    assert few.count('data-do="fill"') == 2 and "<details" not in few
    many = world.possible([f"go to cabinet {n}" for n in range(20)] + ["pick up pot", "look at pot", "look around"])
    assert (
        many.count("<details") == 1
        and many.index("pick up pot") < many.index("<details")
        and ">go to</span><small>20</small>" in many
        and many.count("<b>") == 23
    )
    assert "can be done here any more" in world.possible([])


# -- drawings


def test_the_plot() -> None:
    assert world.plot((None, None), 1) == ""
    drawn = world.plot((0.0, 10.0, -100.0, 100.0), 2)
    assert "from 0 to 100; -100 at step 2" in drawn and ">-100</text>" in drawn and drawn.count("<title>") == 3
    assert "0 steps" in world.plot((0.0,), 0)


def places(view: WorldView) -> dict[str, tuple[int, int]]:
    return dict(zip((spot.name for spot in view.map.spots), world_map.cells_of(view.map), strict=True))


def test_rooms_have_a_cell_of_their_own_and_keep_it_while_the_map_grows() -> None:
    before: dict[str, tuple[int, int]] = {}
    for length in range(len(LAB) + 1):
        cells = places(seen(*lab(walk=LAB[:length])))
        assert len(set(cells.values())) == len(cells)
        assert before.items() <= cells.items()
        assert {column for column, _ in cells.values()} <= {0, 1, 2}
        before = cells
    assert set(before) == set(DOORS)


def test_thirty_rooms_fit() -> None:
    walk = [(f"go to room {n}", f"room {n}", 0.0) for n in range(30)]
    told = [lab()[0], *(deed(1, n, a, Observation(""), Scene(p), "slow") for n, (a, p, _) in enumerate(walk, 1))]
    cells = places(seen(*told))
    assert len(set(cells.values())) == len(cells) >= 31
    assert max(r for _, r in cells.values()) - min(r for _, r in cells.values()) < 16


def test_a_line_runs_through_a_cell_or_past_it() -> None:
    assert world_map._between((1, 0), (0, 0), (2, 0)) and world_map._between((0, 1), (0, 0), (0, 2))
    assert world_map._between((1, 1), (0, 0), (2, 2)) and not world_map._between((1, 0), (0, 0), (1, 1))
    assert not world_map._between((0, 2), (0, 0), (0, 1))


def test_the_map_says_in_words_what_it_shows() -> None:
    drawn = world_map.draw(seen(*lab()).map)
    assert 'role="img"' in drawn and "Here: foundry. Visited: kitchen, hallway, outside, workshop, foundry." in drawn
    assert "Not visited: bathroom, art studio, bedroom, greenhouse, living room." in drawn
    assert drawn.count("spot here") == 1 and drawn.count("spot been") == 4 and drawn.count("spot hollow") == 5
    early = world_map.draw(seen(*lab(), step=0).map)
    assert "workshop" not in early and drawn.partition("aria")[0] == early.partition("aria")[0], "of the same size"


def test_a_household_is_drawn_by_kinds_within_its_width() -> None:
    drawn = world_map.draw(seen(*household()).map)
    assert drawn.count('class="kind"') == 10 and drawn.count("<g ") == len(PLACES) == 31
    assert drawn.count("spot here") == 1 and "fridge 1: first visited at step 3; seen there: mug 3" in drawn
    edges = [float(part.partition('"')[0]) + world_map.MARK for part in drawn.split('rect x="')[1:]]
    assert max(edges) <= world_map.WIDTH + 2
    begin = world_map.draw(seen(*household(visited=())).map)
    assert "middle of the room" in begin and begin.count("spot here") == 1


# -- the stream and the routes, before the real conversation in a toy household


@pytest.fixture
async def duet(tmp_path: Path) -> AsyncIterator[WorldDuet]:
    made = WorldDuet(tmp_path)
    yield made
    await made.talk.close()


async def told(stream: AsyncIterator[dict[str, Any]], wanted: list[object]) -> None:
    """Returns when the stream has said of the worlds what is wanted."""
    async with asyncio.timeout(20):
        while (await anext(stream)).get("world") != wanted:
            pass


async def test_the_stream_tells_of_every_change_in_a_world(duet: WorldDuet) -> None:
    session = duet.talk.session()
    stream = updates(duet, session, Nudges())  # type: ignore[arg-type]
    assert (await anext(stream))["world"] == []
    await duet.talk.say(session, "hello")
    many = []
    for text in ("/play alfworld mug --strategy oracle", "/world undo", "/world take"):
        await duet.talk.say(session, text)
        events = duet.transcript.world_events(session)
        await told(stream, [len(events), events[-1].seq, "idle"])
        many.append(len(events))
    assert many == [6, 7, 8], "opened and five steps; undone; who acts"
    other = updates(duet, session, Nudges())  # type: ignore[arg-type]
    assert (await anext(other))["world"] == [8, events[-1].seq, "idle"], "a second tab is told the same"
    await duet.runs.undo(session)
    await told(stream, [7, events[-2].seq, "idle"])
    for each in (stream, other):
        await each.aclose()  # type: ignore[attr-defined]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[tuple[TestClient, WorldDuet, str]]:
    """With a conversation in which the toy task was solved, then another one was begun by hand."""

    async def played() -> tuple[FastAPI, WorldDuet, str]:
        duet = WorldDuet(tmp_path)
        session = duet.talk.session()
        await duet.talk.say(session, "/play alfworld mug --strategy oracle")
        await duet.talk.say(session, "/play alfworld mug --human")
        return mount(FastAPI(), duet), duet, session  # type: ignore[arg-type]

    app, duet, session = asyncio.run(played())
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
        yield client, duet, session
    asyncio.run(duet.talk.close())


def test_the_routes(client: tuple[TestClient, WorldDuet, str]) -> None:
    web, duet, session = client
    now = web.get("/world", params={"c": session})
    assert "act here" in now.text and now.headers["cache-control"] == "no-store"
    solved = web.get("/world", params={"c": session, "episode": 1}).text
    assert "/world return 1" in solved and "+100" in solved
    assert "Step 2 of 5" in web.get("/world", params={"c": session, "episode": 1, "step": 2}).text
    possible = web.get("/world/possible", params={"c": session}).text
    assert possible.count('data-do="fill"') == 4 and "go to desk 1" in possible
    foreign = duet.talk.session("bob")
    empty = duet.talk.session()
    for asked in ({"c": "nope"}, {"c": foreign}, {"c": empty}, {"c": session, "episode": 9}):
        assert web.get("/world", params=asked).status_code == 404  # type: ignore[arg-type]
    assert "There is no conversation" in web.get("/world/possible", params={"c": foreign}).text


def test_what_the_world_cannot_say_is_one_sentence(
    client: tuple[TestClient, WorldDuet, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    web, duet, session = client

    async def lost(session: str) -> tuple[str, ...]:
        raise WorldFault("The world <ended>: say `go on`.")

    monkeypatch.setattr(duet.worlds, "possible", lost)
    shown = web.get("/world/possible", params={"c": session}).text
    assert 'class="fault"' in shown and "&lt;ended&gt;" in shown and "<code>go on</code>" in shown
    monkeypatch.setattr(duet.runs, "state", lambda session: "slow")
    assert "look again when it is over" in web.get("/world/possible", params={"c": session}).text


def test_the_transcript_of_an_episode(client: tuple[TestClient, WorldDuet, str]) -> None:
    web, duet, session = client
    answer = web.get(f"/conversations/{session}/worlds/1.json")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''alfworld-mug-0.json"
    data = json.loads(answer.text)
    assert data["won"] and [step["action"] for step in data["steps"]][-1] == "move mug 1 to drawer 1"
    read = web.get(f"/conversations/{session}/worlds/1.md").text
    assert (
        "solved after 5 steps, score 100 of 100" in read and "**5. `move mug 1 to drawer 1`** (slow mind, +100)" in read
    )
    foreign = duet.talk.session("bob")
    for name in (
        f"{session}/worlds/9.md",
        f"{session}/worlds/1.exe",
        f"{session}/worlds/x.md",
        f"{foreign}/worlds/1.md",
    ):
        assert web.get(f"/conversations/{name}").status_code == 404
