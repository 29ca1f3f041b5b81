"""Typed goals and the tasks that fit them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from tools.desk import ToolFault
from tools.worlds import simulator
from tools.worlds.alfworld import AlfWorlds
from tools.worlds.goal import Goal, find, fitting, goals, instead, knowing, named, names_of, near_things, possible
from tools.worlds.household import KINDS as HOUSEHOLD
from tools.worlds.kinds import KINDS, KindName
from tools.worlds.world import WorldSpec

POWER = "power-component-renewable-vs-nonrenewable-energy"
OFFICIAL = "valid_seen/pick_heat_then_place_in_recep-Tomato-None-Fridge-1/trial"
HOMES = {name: simulator(name) for name in ("alfworld", "scienceworld")}


@pytest.fixture(autouse=True)
def no_official_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)


def found(kind: str, thing: str = "", place: str = "", **more: object) -> WorldSpec:
    goal = Goal(world=KINDS[kind].world, kind=kind, thing=thing, place=place, **more)  # type: ignore[arg-type]
    return find(goal, HOMES.__getitem__)


def test_every_task_of_the_simulators_has_a_plain_name() -> None:
    assert set(KINDS) == set(TypeAdapter(KindName).json_schema()["enum"]) and len(KINDS) == 36
    tasks = {task.name for home in HOMES.values() for task in home.tasks()}
    assert {kind.task for kind in KINDS.values()} == tasks
    described = str(Goal.model_json_schema()["properties"]["kind"]["description"])
    assert all((kind.says in described) != kind.plain for kind in KINDS.values())


@pytest.mark.parametrize(
    ("kind", "thing", "place", "task"),
    [
        ("put_somewhere", "mug", "desk", "pick_and_place_simple/Mug/Desk"),
        ("put_somewhere", "credit card", "side table", "pick_and_place_simple/CreditCard/SideTable"),
        ("put_somewhere", "the Mug", "kitchen counter", "pick_and_place_simple/Mug/CounterTop"),
        ("heat_and_put", "mugs", "counter", "pick_heat_then_place_in_recep/Mug/CounterTop"),
        ("put_two_somewhere", "pillow", "sofa", "pick_two_obj_and_place/Pillow/Sofa"),
        ("look_at_under_lamp", "alarm clock", "lamp", "look_at_obj_in_light/AlarmClock/DeskLamp"),
        ("clean_and_put", "", "", "pick_clean_then_place_in_recep"),
    ],
)
def test_a_household_goal_becomes_a_game_that_there_is(kind: str, thing: str, place: str, task: str) -> None:
    spec = found(kind, thing, place)
    assert spec == WorldSpec("alfworld", f"household/{task}")
    assert task.split("/")[0] in HOUSEHOLD


def test_the_very_names_of_thing_and_place_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ToiletPaper/Toilet" in found("put_somewhere", "toilet paper", "toilet").task
    monkeypatch.setattr(
        "tools.worlds.goal._official", lambda *_: {("ButterKnife", "Drawer"): WorldSpec("alfworld", "x")}
    )
    assert (
        found("put_somewhere", "knife", "drawer").task.endswith("Knife/Drawer")
        and found("put_somewhere", "butter knife").task == "x"
    )


def test_half_a_household_goal_is_filled_in() -> None:
    spec = found("cool_and_put", "lettuce")
    assert spec.task.startswith("household/pick_cool_then_place_in_recep/Lettuce/")
    assert found("put_somewhere", "", "fridge").task.endswith("/Fridge")
    assert found("put_somewhere", "mug", "desk", variation=5).variation == 5


def test_a_place_that_was_named_is_kept_where_the_game_is_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.worlds.goal._official", lambda *_: {("Apple", "Drawer"): WorldSpec("alfworld", "x")})
    spec = found("put_somewhere", "", "drawer", variation=5)
    assert spec.task.endswith("/Drawer") and spec.variation == 5


@pytest.mark.parametrize("thing", ["вилка", "刀叉"])
def test_a_thing_in_another_script_is_a_thing_that_no_task_is_about(thing: str) -> None:
    with pytest.raises(ToolFault, match=f"is about {thing}"):
        found("conductivity_known", thing)
    free = found("find_plant", thing)
    assert f"is about {thing} by name" in instead(Goal(world="laboratory", kind="find_plant", thing=thing), free)


def test_a_name_that_no_letters_are_near_is_found_by_its_meaning() -> None:
    def embed(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.array([[1, 0] if text in ("couch", "sofa") else [0, 1] for text in texts], np.float32)

    assert named("couch", ["Bed", "Sofa"], embed) == ["Sofa"]
    assert named("couch", ["Bed", "Sofa"]) == [] and named("couch", []) == []
    assert named("kitchen counter", ["CounterTop", "Desk"]) == ["CounterTop"], "a word that they share"


@pytest.mark.parametrize("task", ["household/pick_heat_then_place_in_recep/Tomato/Fridge", OFFICIAL])
def test_a_thing_that_was_found_by_its_meaning_is_told(task: str) -> None:
    spec = WorldSpec("alfworld", task)
    pizza = Goal(world="household", kind="heat_and_put", thing="pizza", place="fridge")
    assert instead(pizza, spec) == "No task is about pizza by name; tomato, the nearest in meaning, was taken."
    assert instead(pizza.model_copy(update={"thing": "tomatoes"}), spec) == ""
    assert instead(Goal(world="household", kind="heat_and_put"), spec) == ""


def test_a_household_goal_that_no_game_has_is_told_with_the_nearest() -> None:
    with pytest.raises(ToolFault, match="The nearest: mug, ") as fault:
        found("heat_and_put", "mug", "bathtub")
    assert "ask the person" in str(fault.value) and "Here with mug go: cabinet" in str(fault.value)
    with pytest.raises(ToolFault, match="Thing and place go together in: put_somewhere"):
        found("clean_and_put", "mug", "desk")
    with pytest.raises(ToolFault):
        found("heat_and_put", "xylophone")


@pytest.mark.parametrize(
    ("kind", "thing", "place", "task", "variation"),
    [
        ("boil", "chocolate", "", "boil", 10),
        ("boil", "orange juice", "kitchen", "boil", 6),
        ("melt", "", "", "melt", 0),
        ("find_animal", "an animal", "green box in the kitchen", "find-animal", 1),
        ("power_component", "electric motor", "", "power-component", 12),
        ("grow_fruit", "apple", "", "grow-fruit", 0),
        ("longest_lived", "animal", "", "lifespan-longest-lived", 0),
        ("find_plant", "plant", "", "find-plant", 0),
        ("boil", "lab simulation, apple juice", "", "boil", 8),
        ("power_by_kind_of_energy", "nonrenewable red light bulb", "", POWER, 1),
        ("power_by_kind_of_energy", "red light bulb, nonrenewable", "", POWER, 1),
        ("power_by_kind_of_energy", "renewable red light bulb", "", POWER, 0),
        ("friction_named", "steel, sandpaper", "", "inclined-plane-friction-named-surfaces", 651),
    ],
)
def test_a_laboratory_goal_becomes_the_variation_that_fits(
    kind: str, thing: str, place: str, task: str, variation: int
) -> None:
    assert found(kind, thing, place) == WorldSpec("scienceworld", task, variation, ("easy",))


def test_a_place_is_chosen_among_those_where_the_thing_can_go() -> None:
    odds = {"StoveBurner": 0.6, "Fridge": 0.3, "CounterTop": 0.1}
    assert fitting("clean_and_put", "lettuce", odds) == {"Fridge": 0.3, "CounterTop": 0.1}
    assert fitting("look_at_under_lamp", "watch", {"CoffeeTable": 0.9, "DeskLamp": 0.1}) == {"DeskLamp": 0.1}
    assert fitting("clean_and_put", "lettuce", {"Safe": 1.0}) == {"Safe": 1.0}, "what is wished for is refused in words"


def test_a_laboratory_task_is_about_the_nearest_of_the_names_of_likely_kinds() -> None:
    known = {word for task in ("boil", "test-conductivity") for name in names_of(task) for word in name.split()}

    def embed(texts: Sequence[str]) -> np.ndarray:  # as near as they share words
        return np.array([[float(word in text.split()) for word in sorted(known)] for text in texts])

    def nearest(said: str) -> str:
        return next(iter(near_things("boil", {"boil": 0.6, "conductivity_known": 0.3}, said, embed)))

    assert nearest("the liquid mercury") == "mercury" and nearest("a metal fork") == "metal fork"
    assert near_things("find_animal", {"boil": 0.3}, "mercury", embed) == {}, "any will do"
    assert near_things("longest_lived", {"boil": 0.3}, "mercury", embed) == {}, "it is about nothing by name"


def test_names_are_told_without_number_room_and_boxes() -> None:
    assert "mercury" in names_of("boil") and "aluminum foil" in names_of("test-conductivity")
    assert "turtle" in names_of("identify-life-stages-1") and "avocado" in names_of("grow-plant")
    assert "green blue" in names_of("chemistry-mix-paint-tertiary-color")
    assert names_of("pick_heat_then_place_in_recep") == ()


def test_a_kind_is_as_likely_as_the_things_that_it_can_be_done_with() -> None:
    kinds = {"heat_and_put": 0.5, "cool_and_put": 0.2, "boil": 0.3}
    found = possible(kinds, {"Lettuce": 0.9, "Apple": 0.1})
    assert found == pytest.approx({"heat_and_put": 0.14, "cool_and_put": 0.56, "boil": 0.3})
    assert possible(kinds, {"AlarmClock": 1.0}) == kinds, "what is wished for is refused in words"


def test_of_likely_kinds_the_one_is_meant_that_knows_the_thing() -> None:
    assert knowing("fork", "power_component", {"conductivity_known": 0.1}) == "conductivity_known"
    assert knowing("chocolate", "measure_temperature", {"melting_point_known": 0.004}) == "measure_temperature"
    assert knowing("red bulb, simulated laboratory", "power_component", {}) == "power_component"
    assert knowing("kerosene", "boil", {"melt": 0.4}) == knowing("", "boil", {"melt": 0.4}) == "boil"
    assert knowing("yellow-orange", "mix_paint_secondary", {"mix_paint_tertiary": 0.3}) == "mix_paint_tertiary"
    assert knowing("wolf", "longest_lived", {"life_stages_animal": 0.5}) == "longest_lived"
    assert knowing("wolf", "put_somewhere", {"life_stages_animal": 0.5}) == "put_somewhere"


def test_a_laboratory_goal_that_there_is_not_is_told() -> None:
    with pytest.raises(
        ToolFault, match=r"\(bring a substance to a boil\) is about kerosene\. There are: apple juice; .* rubber; "
    ):
        found("boil", "kerosene")
    assert found("boil", "kerosene", variation=3).variation == 3, "a number is taken by its word"


def test_a_goal_is_typed() -> None:
    with pytest.raises(ValidationError):
        Goal(world="household", kind="dance")
    assert Goal(world="laboratory", kind="boil").drive == "assistant"


def test_a_game_can_be_made_of_what_was_found() -> None:
    from tools.worlds.alfworld import load

    assert isinstance(HOMES["alfworld"], AlfWorlds)
    assert "mug" in load(found("heat_and_put", "mug", "counter")).goal


@pytest.mark.parametrize(
    ("kind", "thing"),
    [("find_living", "anything, scienceworld"), ("find_animal", "lab"), ("conductivity_unknown", "mystery material")],
)
def test_where_whoever_acts_finds_the_thing_any_task_of_the_kind_will_do(kind: str, thing: str) -> None:
    assert found(kind, thing) == found(kind)


def test_where_the_thing_is_what_is_wished_for_another_one_is_refused() -> None:
    with pytest.raises(ToolFault, match=r"No task there \(melt a substance\) is about"):
        found("melt", "a violin")


@pytest.mark.parametrize(
    ("kind", "thing"),
    [("measure_temperature", "orange juice"), ("measure_temperature", "yellow banana"), ("melt", "the violin"),
     ("mix_paint_secondary", "purple paint"), ("conductivity_known", "metal spoon")],
)  # fmt: skip
def test_half_a_thing_or_the_colour_of_a_box_opens_no_other_task(kind: str, thing: str) -> None:
    with pytest.raises(ToolFault, match=rf"is about {thing}\. There are: "):
        found(kind, thing)


def test_a_task_about_another_name_than_the_one_wished_for_says_so() -> None:
    def told(kind: str, thing: str) -> str:
        goal = Goal(world="laboratory", kind=kind, thing=thing)
        return instead(goal, found(kind, thing))

    assert told("measure_temperature", "red wire") == "The task nearest to red wire is about wire; that one was opened."
    assert "is about mystery material by name" in told("conductivity_unknown", "mystery material")
    for kind, thing in (("measure_temperature", "wood"), ("boil", "orange juice"), ("find_animal", "an animal")):
        assert told(kind, thing) == ""


def test_of_two_planes_the_steeper_one_is_looked_for_unless_the_other_is_named() -> None:
    own = goals()["inclined-plane-determine-angle"]["own"]
    for thing, word in (("block", "steepest"), ("", "steepest"), ("shallowest", "shallowest")):
        assert own[str(found("steeper_plane", thing).variation)].endswith(word)
