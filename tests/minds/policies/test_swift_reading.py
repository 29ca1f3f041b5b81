"""Reading rooms, naming things, remembering: what Swift sees of a world, without any world running."""

from __future__ import annotations

from minds.policies.swift.colours import apart
from minds.policies.swift.features import state
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.reading import room_of, things
from minds.policies.swift.wording import Act, choice, parse, references, wordings
from minds.training.swift.demonstrations import retold

SHED = "\n\t".join(
    (
        "This room is called the shed. In it, you see: ",
        "the agent",
        "a cupboard. The cupboard door is open. In the cupboard is: "
        "a tin cup (containing red paint), a tin cup (containing nothing).",
        "a flower pot 3 (containing a pear tree in the adult stage with a tall height. "
        "On the pear tree you see: a flower, a flower. , soil)",
        "a oven, which is turned off. The oven door is closed. ",
        "a slope C, with: a brick approximately 20% down the plane",
        "a thermometer, currently reading a temperature of -4 degrees celsius",
        "A door to the yard (that is open)",
    )
)
EMPTY = "In your inventory, you see:\n\ta seed jar (containing a pear seed, a pear seed)\n"


def seen() -> dict[str, tuple[str, ...]]:
    return {thing.name: thing.states for thing in things(SHED, EMPTY)}


def test_things_have_names_states_and_holders() -> None:
    found = things(SHED, EMPTY)
    names = [thing.name for thing in found]
    assert room_of(SHED) == "shed"
    assert found[names.index("pear tree")].states == ("stage adult", "a tall height")
    assert found[found[names.index("pear tree")].holder].name == "flower pot 3"
    assert (found[names.index("flower")].count, found[names.index("pear seed")].count) == (2, 2)
    assert found[names.index("oven")].states == ("off", "closed")
    assert found[names.index("pear seed")].place == "seed jar"
    assert "slides approximately 20% down" in seen()["slope C"]


def test_what_burns_still_holds_things() -> None:
    table, cup, fork = things(
        "\ta table (on fire). On the table (on fire) is: a glass cup (containing nothing), a fork.", ""
    )
    assert (table.name, table.states, table.holds) == ("table", ("on fire",), [1, 2])
    assert (cup.name, fork.name, fork.place) == ("glass cup", "fork", "table")


def test_twins_that_hold_different_things_stay_apart() -> None:
    cups = [thing for thing in things(SHED, EMPTY) if thing.name == "tin cup"]
    assert [len(cup.holds) for cup in cups] == [1, 0]


def test_twins_are_named_by_what_they_hold() -> None:
    found = things(SHED, EMPTY)
    cups = [i for i, thing in enumerate(found) if thing.name == "tin cup"]
    assert references(cups[0], found)[0] == "tin cup containing red paint in cupboard"
    assert references(cups[1], found)[0] == "tin cup containing nothing in cupboard"


def test_other_wordings_follow_and_what_worked_comes_first() -> None:
    found = things(SHED, EMPTY)
    oven = next(i for i, thing in enumerate(found) if thing.name == "oven")
    act = Act("open {}", (oven,))
    assert [text for text, _ in wordings(act, found, {})][:2] == ["open oven", "open oven in shed"]
    assert wordings(act, found, {"oven": "oven in shed"})[0][0] == "open oven in shed"


KITCHEN = (("pot", -1), ("pot", 0), ("fridge", -1))
"""Name and holder."""


def test_an_ambiguous_request_is_answered_by_what_was_meant() -> None:
    held = things("This room is called the shed. In it, you see: \n\ta pot 1 (containing soil)\n", "You see:\n\tsoil\n")
    said = (
        "Ambiguous request: ...\n0:\tmove soil (in pot 1, in shed)\n1:\tmove soil (in inventory, in agent, in shed)\n"
    )
    assert [choice(said, (i,), held) for i in (1, 2)] == ["0", "1"]


def test_of_twins_within_twins_the_one_meant_is_answered() -> None:
    found = things("This room is called the shed. In it, you see: \n\ta pot (containing a pot)\n\ta fridge\n", "")
    pot, inner, fridge = (next(i for i, t in enumerate(found) if (t.name, t.holder) == k) for k in KITCHEN)
    ways = ("pot (in pot, in shed) to fridge (in shed)", "pot (in shed) to fridge (in shed)")
    said = "Ambiguous request: ...\n" + "".join(f"{i}:\tmove {way}\n" for i, way in enumerate(ways))
    assert [choice(said, (one, fridge), found) for one in (pot, inner)] == ["1", "0"]


def test_where_the_place_has_twins_it_is_not_named() -> None:
    pots = "".join(
        f"\ta pot {i} (containing a pea plant in the adult stage. On the pea plant you see: a seed)\n" for i in (1, 2)
    )
    found = things("This room is called the shed. In it, you see: \n" + pots, "")
    seed = next(i for i, thing in enumerate(found) if thing.name == "seed")
    assert references(seed, found)[0] == "seed"


def test_the_value_that_is_asked_about_is_counted_pot_by_pot() -> None:
    goal = Text("Determine whether tall plant height is dominant. If dominant, focus on the red box.", "goal")
    memory = Memory(goal)
    pot = "\ta pot {} (containing a pea plant in the adult stage with a {} height)\n"
    garden = "This room is called the garden. In it, you see: \n"
    memory.see(garden + pot.format(1, "short") + pot.format(2, "tall"), "")
    assert (memory.marks, memory.most()) == ({"pot 1": (0, 1), "pot 2": (1, 0)}, 0)
    memory.see(garden + pot.format(3, "tall"), "")
    assert memory.most() == 1
    both = "\ta pot 4 (containing a pea plant in the adult stage with a tall height and round leaves)\n"
    memory.see(garden + both, "")
    assert memory.marks["pot 4"] == (1, 0)
    assert Text("whether round seed shape is dominant", "goal").shows("wrinkly green pea seed") == -1
    assert Text("freeze water", "goal").shows("a tall height") == 0


def test_an_oracle_string_is_understood() -> None:
    found = things(SHED, EMPTY)
    names = [thing.name for thing in found]
    act = parse(
        "pour cup containing red paint in shed in seed jar",
        found,
        "You pour the contents of the tin cup into the seed jar.",
    )
    assert act is not None
    assert act.pattern == "pour {} into {}"
    assert found[act.args[0]].holds
    assert names[act.args[1]] == "seed jar"


def test_the_goal_says_where_and_in_which_words_a_thing_is_named() -> None:
    goal = Text("If it is above 10.0 degrees, focus on the green box. If it is below, focus on the blue box.", "goal")
    green, blue = goal.mention("green box"), goal.mention("blue box")
    assert (green[0], blue[0]) == ("full", "full")
    assert "goal:full:b:above" in green[1]
    assert "goal:full:b:above" not in blue[1]
    assert goal.numbers == [10.0]
    assert goal.mention("oven") == ("", (), 999)


def test_a_thing_that_changed_where_it_lies_is_still_the_same() -> None:
    memory = Memory(Text("melt ice", "goal"))
    shed = "This room is called the shed. In it, you see: \n\ta pot (containing a substance called {})\n"
    memory.see(shed.format("ice"), "")
    memory.did(Act("focus on {}", (1,)), "You focus on the ice.", 10.0)
    memory.see(shed.format("water"), "")
    assert memory.root("water") == "ice"


def test_a_reading_belongs_to_what_was_measured() -> None:
    memory = Memory(Text("measure the oven", "goal"))
    memory.see(SHED, "")
    names = [thing.name for thing in memory.seen]
    act = Act("use {} on {}", (names.index("thermometer"), names.index("oven")))
    memory.did(act, "the thermometer measures a temperature of 31 degrees celsius", 0.0)
    assert memory.readings["oven"] == [31.0]


def test_walks_are_retold_as_one_teleport() -> None:
    yard = "This outside location is called the yard. Here you see: \n\tan axe\n"
    steps = [
        ["open door to yard", "The door is already open.", SHED, EMPTY, 0, False],
        ["go to yard", "You move to the yard.", yard, EMPTY, 0, False],
        ["look around", yard, yard, EMPTY, 0, False],
        ["pick up axe", "You move the axe to the inventory.", yard, EMPTY, 5, False],
    ]
    rows = retold((SHED, EMPTY), steps)
    assert [row["text"] for row in rows] == ["teleport to yard", "pick up axe"]
    assert rows[0]["look"] == SHED


def test_colours_stand_on_the_painters_wheel() -> None:
    assert apart("red paint", "create orange paint") == apart("yellow paint", "create orange paint") == 2
    assert apart("blue paint", "create orange paint") == 6
    assert apart("a spoon", "create orange paint") == -1


def test_what_a_walk_earned_is_the_walks_own() -> None:
    yard = "This outside location is called the yard. Here you see: \n\tan axe\n"
    steps = [
        ["go to yard", "You move to the yard.", yard, EMPTY, 10, False],
        ["focus on axe", "You focus on the axe.", yard, EMPTY, 60, False],
    ]
    assert [row["score"] for row in retold((SHED, EMPTY), steps)] == [10, 60]


BOXES = "If the warmth is above -4.5 degrees, focus on the red box. If it is below -4.5 degrees, focus on the blue box."
SHELF = "This room is called the shed. In it, you see: \n\t{}\n"


def features(memory: Memory, look: str, name: str) -> list[str]:
    memory.see(look, EMPTY)
    token = [thing.name for thing in memory.seen].index(name) + 1
    return state(memory, ()).tokens[token].base


def test_a_condition_on_a_number_is_held_against_the_last_reading() -> None:
    look = SHELF.format("tar\n\ta red box (containing nothing)\n\ta blue box (containing nothing)\n\ta green box")
    memory = Memory(Text(BOXES, "goal"))
    assert not any(one.startswith("if:") for one in features(memory, look, "red box"))
    memory.did(Act("examine {}", (0,)), "the tar measures a temperature of -3 degrees", 0)
    assert "if:True" in features(memory, look, "red box")
    assert "if:False" in features(memory, look, "blue box")
    assert not any(one.startswith("if:") for one in features(memory, look, "green box"))


def test_it_knows_how_much_of_a_list_is_together() -> None:
    memory = Memory(Text("make tea", "goal"))
    memory.see(SHELF.format("a recipe"), EMPTY)
    memory.did(Act("read {}", (0,)), "The recipe reads:\nTo make tea, you need to mix dried leaf, milk, water.", 0)
    look = SHELF.format("a cup (containing a dried leaf)\n\tmilk\n\ta fallen leaf")
    assert "items:1/3" in features(memory, look, "cup")
    assert "item" in features(memory, look, "milk")
    assert "item" not in features(memory, look, "fallen leaf")
    whole = state(memory, ()).tokens[0].base
    assert {"items:together:1/3", "items:view:2/3", "items:unseen:1"} <= set(whole)


def measured(memory: Memory, thing: str, reading: int) -> None:
    """The thing in the pot is measured."""
    memory.see(
        f"This room is called the shed. In it, you see: \n\ta pot (containing a substance called {thing})\n", ROD
    )
    names = [one.name for one in memory.seen]
    said = f"the thermometer measures a temperature of {reading} degrees celsius"
    memory.did(Act("use {} on {}", (names.index("thermometer"), names.index(thing))), said, 0.0)


ROD = "In your inventory, you see:\n\ta thermometer, currently reading a temperature of 10 degrees celsius\n"
MELTING = Text(
    "If the melting point of juice is above -10 degrees, focus on the red box. If it is below -10 degrees, focus on "
    "the blue box.",
    "goal",
)


def test_a_condition_is_held_against_the_reading_at_which_a_thing_changed() -> None:
    memory = Memory(MELTING)
    assert memory.telling() is None
    measured(memory, "juice", 1)
    assert memory.telling() == 1
    for reading in (-5, -16):
        measured(memory, "solid juice", reading)
    assert memory.telling() == -2 and memory.numbers[-1] == -16
    memory.see("This room is called the shed. In it, you see: \n\ta red box\n\ta blue box\n", ROD)
    features = {token.base[0] + str(at): token.base for at, token in enumerate(state(memory, ()).tokens)}
    assert "if:True" in features["thing1"] and "if:False" in features["thing2"]


def test_what_the_goal_does_not_name_tells_only_its_last_reading() -> None:
    memory = Memory(MELTING)
    measured(memory, "water", 1)
    measured(memory, "ice", -5)
    assert memory.telling() == -5 and memory.turned_of_goal() is None


def test_of_things_that_changed_to_one_name_at_once_the_last_in_view_is_followed() -> None:
    memory, pots = Memory(MELTING), [f"pot {n}" for n in range(9)]
    for shown in ([f"seed {n}" for n in range(9)], ["pea plant"] * 9):
        pairs = zip(pots, shown, strict=True)
        lines = "".join(f"\ta {pot} (containing a {thing})\n" for pot, thing in pairs)
        memory.see(f"This room is called the shed. In it, you see: \n{lines}", ROD)
    assert memory.root("pea plant") == "seed 8"
