"""Episodes as the event log holds them, written by hand: a laboratory with rooms, a household with places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.transcript import Transcript
from chat.worlds.episodes import fold, opened_data, step_data
from chat.worlds.view import WorldView, view
from minds.dialogue import Event
from tools.worlds.world import Observation, Scene, WorldSpec

Told = tuple[str, dict[str, Any]]
"""Kind and data of an event."""
DOORS = {
    "kitchen": ("hallway", "outside", "bathroom"),
    "hallway": ("art studio", "bedroom", "greenhouse", "kitchen", "living room", "workshop"),
    "workshop": ("hallway",),
    "bedroom": ("hallway", "living room"),
    "living room": ("hallway", "bedroom"),
    "greenhouse": ("hallway", "outside"),
    "art studio": ("hallway",),
    "bathroom": ("kitchen",),
    "outside": ("greenhouse", "kitchen", "foundry"),
    "foundry": ("outside",),
}
THINGS = ("oven, which is turned off, door closed", "sink, which is turned off", "thermometer", "cupboard, door closed")
LAB = (
    ("open door to hallway", "kitchen", 0.0),
    ("go to hallway", "hallway", 10.0),
    ("go to workshop", "workshop", 10.0),
    ("pick up metal pot", "workshop", 25.0),
    ("go to hallway", "hallway", 25.0),
    ("go to kitchen", "kitchen", 15.0),
    ("go to outside", "outside", 15.0),
    ("go to foundry", "foundry", 70.0),
)


def lab(number: int = 1, walk: Sequence[tuple[str, str, float]] = LAB) -> list[Told]:
    """A few rooms of a laboratory: action, room, score."""
    spec = WorldSpec("scienceworld", "boil", 3, ("easy",))
    text = "This room is called the kitchen. In it, you see:\n\ta thermometer\n\ta sink, which is turned off."
    opened = opened_data(
        number, spec, "Your task is to boil water.", Observation(text, score=0.0), room("kitchen")
    )  # fmt: skip
    told: list[Told] = [("world", {**opened, "by": "slow", "strategy": ""})]
    for at, (action, place, score) in enumerate(walk, 1):
        seen = Observation(f"You do it: {action}. You are in the {place}.", score=score)
        told.append(deed(number, at, action, seen, room(place), "slow", "The door may lead to a stove."))
    return told


def room(name: str) -> Scene:
    return Scene(name, THINGS, DOORS[name], ("orange",))


def deed(number: int, at: int, action: str, seen: Observation, scene: Scene, by: Any, thought: str = "") -> Told:
    tokens = 31 if by == "slow" else 0
    spent: dict[str, Any] = {"failed": False, "seconds": 0.012, "tokens": tokens, "sources": [], "depends": {}}
    step = {"number": at, "thought": thought, "action": action, "argument": "", "observation": seen.text, **spent}
    return "step", {**step, "episode": number, **step_data(seen, scene, by)}


KINDS = {
    **{"cabinet": 12, "coffeemachine": 1, "countertop": 3, "drawer": 6, "fridge": 1, "garbagecan": 1},
    **{"microwave": 1, "sinkbasin": 1, "stoveburner": 4, "toaster": 1},
}
PLACES = tuple(f"{kind} {n}" for kind, many in KINDS.items() for n in range(1, many + 1))


def household(number: int = 1, visited: Sequence[str] = ("countertop 1", "cabinet 11", "fridge 1")) -> list[Told]:
    """Thirty-one places in a kitchen, some of them visited by the person."""
    spec = WorldSpec("alfworld", "household/pick_cool_then_place_in_recep", 7)
    text = (
        f"You are in the middle of a room. Looking quickly around you, you see {', '.join(f'a {p}' for p in PLACES)}."
    )
    begin = Scene("middle of the room", (), PLACES, ())
    opened = opened_data(
        number, spec, "cool some mug and put it in coffeemachine.", Observation(text, score=0.0), begin
    )
    told: list[Told] = [("world", {**opened, "by": "person", "strategy": ""})]
    for at, place in enumerate(visited, 1):
        seen = Observation(f"You arrive at {place}. On the {place}, you see a mug {at}.", score=0.0)
        told.append(deed(number, at, f"go to {place}", seen, Scene(place, (f"mug {at}",), PLACES, ()), "person"))
    return told


def events(*told: Told) -> list[Event]:
    return [Event(seq, "s", 1, kind, data, 100.0 + seq) for seq, (kind, data) in enumerate(told, 1)]


def seen(*told: Told, number: int | None = None, step: int | None = None) -> WorldView:
    found = view(fold(events(*told)), number, step)
    assert found is not None
    return found


def write(transcript: Transcript, session: str, said: str, told: Sequence[Told], reply: str, **more: Any) -> int:
    """A finished turn of such an episode."""
    turn = transcript.begin_turn(session, said).turn
    for kind, data in told:
        transcript.append(session, turn, kind, data)
    number = next(data["episode"] for _, data in told)
    spoken = {"by": "slow", "invoke": True, "final": True, "episode": number, "seconds": 1.0, "tokens": 0, **more}
    transcript.append(session, turn, "reply", {**spoken, "text": reply})
    transcript.append(session, turn, "end", {"state": "done"})
    return turn
