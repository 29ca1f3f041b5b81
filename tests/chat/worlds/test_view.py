"""What is shown of an episode, as data: from events to a view, and an episode as a file."""

from __future__ import annotations

import json

import pytest

from chat.export import episode_json, episode_markdown, file_stem
from chat.worlds.episodes import fold, in_hand
from chat.worlds.view import WorldMap, gains, kind_of, title, view
from minds.dialogue import Event
from tests.chat.ui.scenes import PLACES, deed, events, household, lab, seen
from tools.worlds.world import Observation, Scene, WorldSpec


def names(world: WorldMap, *, step: int | None = None) -> dict[str, int | None]:
    return {spot.name: spot.came for spot in world.spots if spot.heard <= (world.step if step is None else step)}


def test_without_an_episode_nothing_is_shown() -> None:
    assert view(()) is None
    assert view(fold(events(*lab())), number=7) is None


def test_now_and_an_earlier_step() -> None:
    now = seen(*lab())
    assert now.now and now.step == now.steps == 8 and now.in_hand
    assert now.scene.place == "foundry" and now.seen.score == 70.0
    back = seen(*lab(), step=3)
    assert not back.now and back.scene.place == "workshop" and "go to workshop" in back.seen.text
    assert back.scores == now.scores == (0.0, 0.0, 10.0, 10.0, 25.0, 25.0, 15.0, 15.0, 70.0)
    opening = seen(*lab(), step=0)
    assert opening.scene.place == "kitchen" and opening.seen.text.startswith("This room is called the kitchen")
    assert seen(*lab(), step=99).now and seen(*lab(), step=-4).step == 0


def test_sub_goals_are_the_steps_at_which_the_score_rose() -> None:
    rises = seen(*lab()).rises
    assert [(line.step, line.gained, line.action) for line in rises] == [
        (2, 10.0, "go to hallway"),
        (4, 15.0, "pick up metal pot"),
        (8, 55.0, "go to foundry"),
    ]


def test_a_sub_goal_of_the_strategys_own_stands_at_the_step_that_reached_it() -> None:
    told = lab()
    kind, data = told[6]
    told[6] = (kind, {**data, "reached": "open the stove"})
    rises = seen(*told).rises
    assert [(line.step, line.gained, line.reached) for line in rises] == [
        (2, 10.0, ""),
        (4, 15.0, ""),
        (5, 0.0, "open the stove"),
        (8, 55.0, ""),
    ]


def test_gains_follow_undo_and_keep_episodes_apart() -> None:
    log = events(*lab(1), *household(2), ("world", {"episode": 1, "state": "undone", "to": 1}))
    again = Event(99, "s", 2, *deed(1, 2, "go to hallway", Observation("", score=12.0), Scene(""), "person"), 200.0)
    found = gains([*log, again])
    steps = [e.seq for e in log if e.kind == "step"]
    assert [found[seq] for seq in steps[:8]] == [0.0, 10.0, 0.0, 15.0, 0.0, -10.0, 0.0, 55.0]
    assert found[99] == 12.0, "counted from the step that was left"


def test_a_world_without_a_score_has_no_gains() -> None:
    told = [(kind, {**data, "score": None}) for kind, data in household()]
    assert set(gains(events(*told)).values()) == {0.0} and seen(*told).rises == ()


def test_the_episode_in_hand_and_the_others() -> None:
    both = [*lab(1), *household(2)]
    shown = seen(*both)
    assert shown.record.number == 2 and [(t.number, t.shown) for t in shown.tabs] == [(1, False), (2, True)]
    other = seen(*both, number=1)
    assert not other.in_hand and other.record.number == 1
    back = seen(*both, ("world", {"episode": 1, "state": "reopened"}))
    assert back.record.number == 1 and [t.number for t in back.tabs] == [1, 2], "tabs keep their order"
    closed = seen(*both, ("world", {"episode": 2, "state": "closed"}))
    assert closed.record.number == 1
    over = fold(events(*lab(), ("world", {"episode": 1, "state": "closed"})))
    assert in_hand(over) is None and (found := view(over)) and not found.in_hand


@pytest.mark.parametrize(
    ("task", "variation", "short"),
    [
        ("boil", 3, "boil 3"),
        ("household/pick_and_place_simple", 0, "pick and place simple"),
        ("valid_seen/pick_cool_then_place_in_recep-Mug-None-CoffeeMachine-1/trial_T2019", 0,
         "pick cool then place in recep"),
        ("/games/tw-simple.z8", 0, "tw-simple"),
        ("measure-melting-point-known-substance", 4, "measure-melting-point-known-substance 4"),
        ("lifespan-longest-lived-then-shortest-lived", 12, "lifespan-longest-lived-then-shortest-liv 12"),
    ],
)  # fmt: skip
def test_a_tab_names_the_task(task: str, variation: int, short: str) -> None:
    [record] = fold(events(*lab()))
    from dataclasses import replace

    assert title(replace(record, spec=WorldSpec("x", task, variation))) == short


# -- the map


def test_rooms_seen_rooms_visited_and_ways() -> None:
    world = seen(*lab()).map
    assert world.rooms and world.spots[world.here].name == "foundry"
    visited = {name: came for name, came in names(world).items() if came is not None}
    assert visited == {"kitchen": 0, "hallway": 2, "workshop": 3, "outside": 7, "foundry": 8}
    assert {"bedroom", "greenhouse", "bathroom"} <= set(names(world)) - set(visited)
    walked = {tuple(sorted((world.spots[w.one].name, world.spots[w.other].name))): w.gone for w in world.ways}
    assert walked["hallway", "kitchen"] == 2 and walked["bedroom", "hallway"] is None


def test_who_is_elsewhere_at_once_has_gone_no_way() -> None:
    walk = [("teleport to bedroom", "bedroom", 0.0), ("teleport to hallway", "hallway", 0.0)]
    world = seen(*lab(walk=walk)).map
    gone = {tuple(sorted((world.spots[w.one].name, world.spots[w.other].name))) for w in world.ways if w.gone}
    assert gone == {("bedroom", "hallway")}, "there is a door between these"


def test_the_map_of_an_earlier_step_knows_no_more_than_then() -> None:
    world = seen(*lab(), step=1).map
    assert "foundry" not in names(world)
    greenhouse = next(
        w for w in world.ways if {world.spots[w.one].name, world.spots[w.other].name} == {"greenhouse", "outside"}
    )
    assert greenhouse.heard == 7
    assert [spot.name for spot in world.spots] == [spot.name for spot in seen(*lab()).map.spots], "the same order"


def test_directions_lead_to_rooms_once_they_were_gone() -> None:
    spec = WorldSpec("textworld", "a.z8")
    begin = Scene("cellar", (), ("north", "east"), ())
    head = {**lab()[0][1], "world": spec.world, "task": spec.task, "options": []}
    head["scene"] = {"place": "cellar", "things": [], "exits": ["north", "east"], "holding": []}
    attic = Scene("attic", (), ("south", "up"), ())
    told = [("world", head), deed(1, 1, "go north", Observation(""), attic, "person")]
    told.append(deed(1, 2, "go south", Observation(""), begin, "person"))
    world = seen(*told).map
    assert [(spot.name, spot.came, spot.way) for spot in world.spots] == [
        ("cellar", 0, ""), ("attic", 1, "north"), ("east", None, "east"), ("up", None, "up"),
    ]  # fmt: skip
    assert [(w.one, w.other, w.gone) for w in world.ways] == [(0, 1, 1), (0, 2, None), (1, 3, None)]


def test_a_household_has_places_and_no_ways() -> None:
    world = seen(*household()).map
    assert not world.rooms and world.ways == ()
    assert {name for name, came in names(world).items() if came} == {"countertop 1", "cabinet 11", "fridge 1"}
    assert set(PLACES) <= set(names(world)) and kind_of("cabinet 11") == ("cabinet", 11) and kind_of("x") == ("x", 0)
    fridge = next(spot for spot in world.spots if spot.name == "fridge 1")
    assert fridge.things == ("mug 3",)
    earlier = seen(*household(), step=1).map
    assert next(s for s in earlier.spots if s.name == "fridge 1").things == (), "not known yet at that step"


# -- files


def test_an_episode_as_json() -> None:
    [record] = fold(events(*lab()))
    data = json.loads(episode_json(record))
    assert data["spec"] == {"world": "scienceworld", "task": "boil", "variation": 3, "options": ["easy"]}
    assert data["goal"] == "Your task is to boil water." and len(data["steps"]) == 8
    assert data["steps"][1] | {"scene": {}} == {
        "number": 2, "action": "go to hallway", "observation": "You do it: go to hallway. You are in the hallway.",
        "score": 10.0, "done": False, "won": False, "by": "slow", "thought": "The door may lead to a stove.",
        "scene": {},
    }  # fmt: skip


def test_an_episode_as_markdown_is_inert() -> None:
    evil = "<script>alert(1)</script>\n# not a heading\n![x](http://example.org)"
    told = [*lab(walk=()), deed(1, 1, "say `x` <b>", Observation(evil, score=5.0), Scene("kitchen"), "person", evil)]
    [record] = fold(events(*told))
    text = episode_markdown(record)
    assert text.startswith("# Your task is to boil water.\n\n- World: scienceworld\n- Task: `boil`, variation 3")
    assert "**1. `say 'x' <b>`** (you, +5)" in text and "not finished yet after 1 step, score 5 of 100" in text
    assert "<script" not in text and "\n# not" not in text and "![x](" not in text


def test_the_name_of_the_file() -> None:
    [record] = fold(events(*lab()))
    assert file_stem(record) == "scienceworld-boil-3"
    from dataclasses import replace

    stem = file_stem(replace(record, spec=WorldSpec("alfworld", 'valid_seen/../"x"\r\nEvil: y', 0)))
    assert stem.replace("-", "").isalnum()


def test_a_file_is_named_in_any_script() -> None:
    from chat.export import stem
    from chat.ui.answers import as_file

    assert [stem("Über / Größe"), stem("محادثة\u202e"), stem("हिन्दी")] == ["Über---Größe", "محادثة", "हिन्दी"]
    named = as_file("", "é.md", "text/markdown").headers["content-disposition"]
    assert named == "attachment; filename*=UTF-8''%C3%A9.md"
