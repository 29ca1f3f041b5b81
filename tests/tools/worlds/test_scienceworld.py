"""ScienceWorld without Java: its tasks, splits and options, and how its descriptions are read."""

from __future__ import annotations

from itertools import chain
from unittest.mock import Mock

import pytest

from tools.worlds import scienceworld, simulator
from tools.worlds.jvm import JvmLost
from tools.worlds.rooms import read_scene
from tools.worlds.scienceworld import LONGEST, ScienceWorlds, cleaned, simplified, split_variations
from tools.worlds.world import UnknownTask, WorldFault, WorldSpec

WORKSHOP = (
    "This room is called the workshop. In it, you see: \n"
    "\tthe agent\n"
    "\ta substance called air\n"
    "\ta red box (containing a green apple, a fork)\n"
    "\ta oven, which is turned on. The oven door is open. "
    "In the oven is: a tin pot (containing a substance called tin).\n"
    "\ta bench. On the bench is: a blue lamp, which is off, a wire, a drawer.\n"
    "\ta basin, which is turned off. In the basin is: nothing.\n"
    "\tan axe\n"
    "\ta cabinet. The cabinet door is closed. \n"
    "You also see:\n"
    "\tA door to the hallway (that is open)\n"
    "\tA door to the art studio (that is closed)\n"
)
CARRIED = (
    "In your inventory, you see:\n\tan orange\n\ta thermometer, currently reading a temperature of 10 degrees celsius\n"
)


def test_a_room_is_read_into_a_scene() -> None:
    scene = read_scene(WORKSHOP, CARRIED)
    assert scene.place == "workshop"
    assert scene.things == (
        "red box (containing a green apple, a fork)",
        "oven, which is turned on, door open",
        "tin pot (containing a substance called tin), in the oven",
        "bench",
        "blue lamp, which is off, on the bench",
        "wire, on the bench",
        "drawer, on the bench",
        "basin, which is turned off",
        "axe",
        "cabinet, door closed",
    )
    assert scene.exits == ("hallway", "art studio")
    assert scene.holding == ("orange", "thermometer, currently reading a temperature of 10 degrees celsius")


def test_the_outside_has_another_beginning_and_a_bed_another_end() -> None:
    outside = read_scene(
        "This outside location is called the outside. Here you see: \n\tthe ground\n\ta substance called wood\n", ""
    )
    assert (outside.place, outside.things, outside.exits) == ("outside", ("ground", "wood"), ())
    bed = "This room is called the bedroom. In it, you see: \n"
    bed += "\ta bed. On the bed is: a mattress. On the mattress is: a pillow..\n"
    assert read_scene(bed, "").things == ("bed", "mattress, on the bed", "pillow, on the mattress")


def test_what_a_plant_bears_stands_beside_its_pot() -> None:
    pot = "This room is called the greenhouse. In it, you see: \n\ta flower pot 1 (containing a orange tree in the"
    pot += " reproducing stage. On the orange tree you see: a flower, an orange, pollen. , soil)\n\ta shovel\n"
    things = read_scene(pot, "").things
    on_it = [f"{thing}, on the orange tree" for thing in ("flower", "orange", "pollen")]
    assert things == ("flower pot 1 (containing a orange tree in the reproducing stage, soil)", *on_it, "shovel")


def test_what_burns_still_holds_things() -> None:
    fire = "\ta table (on fire). On the table (on fire) is: a glass cup (containing nothing), a fork."
    cup, fork = "glass cup (containing nothing), on the table", "fork, on the table"
    assert read_scene(fire, "").things == ("table (on fire)", cup, fork)


def test_what_is_no_room_gives_an_empty_scene() -> None:
    assert read_scene("", "").place == "" and read_scene("It is dark.\n", "").things == ()


def test_all_thirty_tasks_are_told_without_java() -> None:
    worlds = simulator("scienceworld")
    assert isinstance(worlds, ScienceWorlds)
    tasks = worlds.tasks()
    assert len(tasks) == 30 and len({t.name for t in tasks}) == 30
    assert all(t.says and t.says != t.name and t.variations >= 10 for t in tasks)
    assert len({t.says for t in tasks}) == 30
    assert worlds.pool.process() is None


def test_the_splits_share_all_variations_out() -> None:
    worlds = ScienceWorlds()
    for task in worlds.tasks():
        parts = [[s.variation for s in worlds.variations(task.name, split)] for split in ("train", "dev", "test")]
        assert sorted(chain(*parts)) == list(range(task.variations))
    assert [s.variation for s in worlds.variations("boil", "test")] == list(range(21, 30))
    assert [list(r) for r in split_variations(3).values()] == [[0], [1], [2]]
    with pytest.raises(UnknownTask, match="train, dev or test"):
        worlds.variations("boil", "valid")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (WorldSpec("scienceworld", "boyl"), r"no task `boyl`; the nearest are: boil, \S+, \S+\.$"),
        (WorldSpec("scienceworld", "boil", 30), r"choose one of 0 to 29\.$"),
        (WorldSpec("scienceworld", "boil", -1), r"choose one of 0 to 29\.$"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(spec: WorldSpec, says: str) -> None:
    with pytest.raises(UnknownTask, match=says):
        ScienceWorlds().open(spec)


def options(*names: str, task: str = "boil") -> str:
    return simplified(WorldSpec("scienceworld", task, 0, names))


def test_simplifications_are_passed_on_as_the_simulator_reads_them() -> None:
    assert options() == "" and options("easy") == "easy"
    assert options("openDoors", "teleportAction", "openDoors") == "openDoors,teleportAction"
    assert set(options("easy", "openContainers").split(",")) == {
        "openContainers",
        "teleportAction",
        "noElectricalAction",
        "openDoors",
        "selfWateringFlowerPots",
    }
    assert "noElectricalAction" not in options("easy", "openContainers", task="power-component")


def test_simplifications_that_cannot_be_are_refused() -> None:
    with pytest.raises(
        WorldFault, match=r"no simplification `simple`; it has: easy, teleportAction, .*noElectricalAction\.$"
    ):
        options("simple")
    with pytest.raises(WorldFault, match="needs electrical actions"):
        options("noElectricalAction", task="test-conductivity")


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("  open\ndoor\x00\tto \x1b kitchen ", "open door to kitchen"),
        ("", ""),
        ("\ud800 look around", "look around"),
        ("x" * 10_000, "x" * LONGEST),
        ("a " * 5_000, ("a " * 5_000)[:LONGEST]),
    ],
)
def test_any_action_becomes_one_short_line(said: str, read: str) -> None:
    assert cleaned(said) == read


def test_a_java_that_is_going_is_ended_so_that_the_next_use_starts_another() -> None:
    going = Mock()
    going.simulator.side_effect = JvmLost("gone")
    with pytest.raises(JvmLost):
        scienceworld._make(going)
    going.end.assert_called_once_with()
