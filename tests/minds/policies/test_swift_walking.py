"""Walking in place of teleport: doors are opened, the known way is taken, a door that stays shut is gone round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minds.policies.swift import walking
from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.play import Play, Proposal
from minds.policies.swift.reading import room_of, things
from minds.policies.swift.walking import FILE, Walk
from minds.policies.swift.wording import ROOMS, Act
from minds.strategies.swift import teleports
from minds.training.swift.demonstrations import doors
from tools.worlds.world import WorldSpec

PLAN = {"shed": ("yard",), "yard": ("shed", "hall", "cellar"), "hall": ("yard", "cellar"), "cellar": ("yard", "hall")}
EMPTY = "In your inventory, you see:\n\tnothing\n"
MOVED = "You move to the {}."


def view(room: str, *others: str, shut: tuple[str, ...] = (), thing: str = "a red box") -> str:
    listed = "".join(f"\tA door to the {o} (that is {'closed' if o in shut else 'open'})\n" for o in others)
    return f"This room is called the {room}. In it, you see: \n\t{thing}\nYou also see:\n{listed}"


def step(walk: Walk, look: str, target: str, said: str = "") -> str:
    return walk.step(room_of(look), things(look, ""), target, said)


def test_doors_are_opened_and_rooms_passed() -> None:
    walk = Walk(PLAN)
    assert step(walk, view("shed", "yard", shut=("yard",)), "hall") == "open door to yard"
    assert step(walk, view("shed", "yard"), "hall", "The door is now open.") == "go to yard"
    assert step(walk, view("yard", "shed", "hall", "cellar"), "hall", MOVED.format("yard")) == "go to hall"
    assert step(walk, view("hall", "yard", "cellar"), "hall", MOVED.format("hall")) == ""


def test_a_door_that_stays_shut_is_gone_round() -> None:
    walk = Walk(PLAN)
    yard = view("yard", "shed", "hall", "cellar", shut=("hall",))
    assert step(walk, yard, "hall") == "open door to hall"
    assert step(walk, yard, "hall", "You can't open that, it is locked.") == "go to cellar"
    assert step(walk, view("cellar", "yard", "hall"), "hall", MOVED.format("cellar")) == "go to hall"


def test_a_walk_begun_anew_tries_every_door_that_is_not_known_to_be_shut() -> None:
    walk = Walk(PLAN)
    yard = view("yard", "shed", "hall", "cellar")
    assert step(walk, yard, "hall") == step(walk, yard, "hall") == "go to hall"
    assert step(walk, yard, "hall", "Nothing happens.") == "go to cellar"


def test_without_a_map_it_knows_what_it_saw() -> None:
    walk = Walk({})
    assert step(walk, view("shed", "yard"), "hall") == ""
    assert step(walk, view("yard", "shed", "hall"), "shed") == "go to shed"
    assert step(walk, view("shed", "yard"), "hall") == "go to yard"


class Going(Play):
    """Wants to be in the hall, and there to open a box."""

    def propose(self) -> list[Proposal]:
        there = self.memory.room == "hall"
        return [Proposal(Act("open {}", (0,)) if there else Act(ROOMS, (), "hall"), 0.9)]


def going(walk: Walk | None) -> Going:
    return Going(Network({}, 4, 1, Lexicon({}, (), ("shed", "hall"))), "open a box", walk=walk)


def test_a_policy_that_teleports_walks_where_it_must() -> None:
    play = going(Walk(PLAN))
    said = []
    for look in (view("shed", "yard"), view("yard", "shed", "hall", "cellar"), view("hall", "yard")):
        said.append(play.act(look, EMPTY)[0])
        play.told("You move.", 0)
    assert said == ["go to yard", "go to hall", "open red box"]
    assert play.memory.recent[0][:3] == (ROOMS, (), "hall")
    assert play.memory.at == 1
    assert play.memory.recent[0][4] == "You teleport to the hall."


def test_where_it_can_it_teleports() -> None:
    assert going(None).act(view("shed", "yard"), EMPTY)[0] == "teleport to hall"


@pytest.mark.parametrize(
    ("options", "can"), [((), False), (("easy",), True), (("openDoors",), False), (("teleportAction",), True)]
)
def test_the_world_says_whether_there_is_a_teleport(options: tuple[str, ...], can: bool) -> None:
    assert teleports(WorldSpec("scienceworld", "boil", 0, options)) is can


def test_the_map_is_learned_and_kept(tmp_path: Path) -> None:
    looks = (view("shed", "yard"), view("yard", "hall", shut=("hall",)), view("yard", "shed"))
    known = doors([{"rows": [{"look": look} for look in looks]}])
    assert known == {"shed": ["yard"], "yard": ["hall", "shed"]}
    (tmp_path / FILE.format(world="house")).write_text(json.dumps(known), encoding="utf-8")
    assert walking.load("house", tmp_path / "none", tmp_path) == {"shed": ("yard",), "yard": ("hall", "shed")}
    assert walking.load("moon", tmp_path) == {}
