"""Generated households: as the official games are made, winnable in principle, and the same everywhere."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from tools.worlds import household as h
from tools.worlds.alfworld_engine import names
from tools.worlds.household_rooms import DECOR, can_be, constants, holds, plans
from tools.worlds.world import UnknownTask

FORMS = {
    "pick_and_place_simple": r"put (a|some) \w+ (in|on) \w+",
    "look_at_obj_in_light": r"(look at|examine the) \w+ (under|with) the desklamp",
    "pick_clean_then_place_in_recep": r"(put a clean \w+ in \w+|clean some \w+ and put it in \w+)",
    "pick_heat_then_place_in_recep": r"(put a hot \w+ in \w+|heat some \w+ and put it in \w+)",
    "pick_cool_then_place_in_recep": r"(put a cool \w+ in \w+|cool some \w+ and put it in \w+)",
    "pick_two_obj_and_place": r"(put two \w+ in \w+|find two \w+ and put them in \w+)",
}
SEEDS = range(12)


@pytest.mark.parametrize("task_type", h.KINDS)
def test_goals_are_said_as_the_official_games_say_them(task_type: str) -> None:
    goals = [h.game(task_type, seed).goal for seed in SEEDS]
    assert [goal for goal in goals if not re.fullmatch(FORMS[task_type], goal)] == []
    assert len(set(goals)) > len(SEEDS) / 2


@pytest.mark.parametrize("task_type", h.KINDS)
def test_a_household_holds_what_its_task_needs_and_is_not_won_from_the_start(task_type: str) -> None:
    kind = h.KINDS[task_type]
    for seed in SEEDS:
        home = h.household(task_type, seed)
        assert home.plan.room in kind.rooms
        lying = [thing.within.kind for thing in home.things if thing.kind == home.object]
        assert len([place for place in lying if place != home.place]) >= kind.count
        if not kind.change:
            assert home.place not in lying
        else:
            assert home.object in can_be(kind.change)
            assert kind.changer in home.plan.kinds()
        if task_type == "look_at_obj_in_light":
            assert any(thing.kind == home.place for thing in home.things)
        else:
            assert home.object in holds(home.place)


@pytest.mark.parametrize("place", ["SinkBasin", "BathtubBasin", "LaundryHamper"])
def test_a_place_that_no_official_game_asks_to_fill_is_a_goal_only_where_it_is_named(place: str) -> None:
    assert h.household("pick_and_place_simple", 3, "Cloth", place).place == place
    drawn = {h.household("pick_and_place_simple", seed, "Cloth").place for seed in range(40)}
    assert not drawn & h.NO_GOAL and ("Cloth", place) in h.pairs("pick_and_place_simple")


def test_rooms_are_as_full_as_the_official_ones() -> None:
    """The median official kitchen has 33 receptacles and 44 things; bedrooms 12 and 22, bathrooms 14 and 15."""
    ranges = {"kitchen": (15, 60, 25, 70), "bedroom": (5, 35, 10, 45), "bathroom": (6, 30, 6, 35)}
    for room, (fewest, most, few, many) in ranges.items():
        homes = [h.household("pick_two_obj_and_place", seed) for seed in range(60)]
        homes = [home for home in homes if home.plan.room == room]
        assert homes
        for home in homes:
            assert fewest <= len(home.plan.receptacles) <= most
            assert few <= len(home.things) <= many
            assert max(Counter(thing.kind for thing in home.things).values()) > 1


def test_things_lie_where_the_tables_of_the_package_allow_and_single_places_hold_one() -> None:
    for seed in SEEDS:
        home = h.household("pick_heat_then_place_in_recep", seed)
        for thing in home.things:
            assert thing.kind in DECOR or thing.kind in holds(thing.within.kind)
        held = Counter(thing.within.id for thing in home.things if thing.within.kind in h.ROOM_FOR_ONE)
        assert not held or max(held.values()) == 1


def test_the_task_can_be_named_in_any_spelling() -> None:
    for seed in SEEDS:
        home = h.household("pick_heat_then_place_in_recep", seed, "apple", "garbage can")
        assert (home.object, home.place) == ("Apple", "GarbageCan")
        assert h.household("pick_two_obj_and_place", seed, "newspaper").object == "Newspaper"
        assert h.household("pick_two_obj_and_place", seed, place="DRAWER").place == "Drawer"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("pick_heat", 1), "pick_heat_then_place_in_recep"),
        (("pick_heat_then_place_in_recep", 1, "Mugg"), "Mug"),
        (("pick_heat_then_place_in_recep", 1, "Mug", "Shelve"), "Shelf"),
        (("pick_heat_then_place_in_recep", 1, "Egg", "CoffeeMachine"), "Egg"),
    ],
)
def test_what_there_is_not_is_answered_with_what_comes_near(arguments: tuple[str | int, ...], named: str) -> None:
    with pytest.raises(UnknownTask, match=named) as told:
        h.household(*arguments)  # type: ignore[arg-type]
    assert str(told.value).count(".") == 1 and "; " in str(told.value)


@pytest.mark.slow
def test_goals_of_all_rooms_can_be_furnished() -> None:
    for task_type, kind in h.KINDS.items():
        for room in kind.rooms:
            for plan in plans(room)[::10]:
                for thing, place in h.goals(task_type, plan)[::9]:
                    assert h.household(task_type, 0, thing, place).object == thing


def test_names_are_numbered_as_the_package_numbers_them() -> None:
    ids = ["mug_bar_a", "mug_bar_b", "mug_bar_c", "sink_bar_x_bar_sinkbasin", "sink_bar_x", "agent1"]
    assert names(ids) == {
        "mug_bar_a": "mug 3",
        "mug_bar_b": "mug 2",
        "mug_bar_c": "mug 1",
        "sink_bar_x_bar_sinkbasin": "sinkbasin 1",
        "sink_bar_x": "sink 1",
        "agent1": "agent1 ",
    }


def test_a_walkthrough_opens_what_is_closed_before_it_reaches_in() -> None:
    closed = {kind.lower() for kind in constants().OPENABLE_CLASS_LIST}
    reached = 0
    for seed in range(40):
        steps = h.game("pick_two_obj_and_place", seed).walkthrough
        for step in steps:
            found = re.fullmatch(r"(?:take|move) .+ (?:from|to) (\w+ \d+)", step)
            if found and found[1].split()[0] in closed:
                reached += 1
                assert f"open {found[1]}" in steps[: steps.index(step)]
    assert reached


def fingerprint() -> str:
    made = [h.game(task_type, seed) for task_type in h.KINDS for seed in range(3)]
    return hashlib.sha256(repr([(g.problem, g.goal, g.walkthrough) for g in made]).encode()).hexdigest()


@pytest.mark.real
def test_a_seed_is_the_same_game_in_every_process() -> None:
    program = f"import sys\nsys.path[:0] = {sys.path!r}\n" + (
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('t', {__file__!r})\n"
        "t = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(t)\nprint(t.fingerprint())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=environment)
    assert done.stdout.strip() == fingerprint(), done.stderr
