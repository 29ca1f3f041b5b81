"""World episodes as the event log tells them: folded from `world` events and the steps taken in worlds.

The log is the only truth. A live simulator (tools/worlds/running.py) is a cache of it, brought back by replay; undo,
edit, a second tab and a restart are all the same thing: other rows, folded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from minds.dialogue import Event
from tools.worlds.actions import OPTION, bare
from tools.worlds.goal import ANY
from tools.worlds.world import Observation, Scene, WorldSpec

FIXED = {"desklamp", "floorlamp", "houseplant", "television"}
"""Of what lies about in a household what nobody can take."""
Holder = Literal["person", "slow"]
"""Who holds the wheel."""


@dataclass(frozen=True)
class Deed:
    """One action in a world and what was seen then."""

    action: str
    seen: Observation
    scene: Scene
    by: Holder
    thought: str = ""
    turn: int = 0
    strategy: str = ""
    """Which one chose it; empty where a person did, or asked for it."""
    reached: str = ""
    """The sub-goal that the deed before this one reached, where the strategy has sub-goals."""


@dataclass(frozen=True)
class Record:
    """One episode, from its opening to where the log ends."""

    number: int
    """Within the session, from 1."""
    spec: WorldSpec
    goal: str
    opening: Observation
    scene: Scene
    """Where it began."""
    deeds: tuple[Deed, ...] = ()
    wheel: Holder = "slow"
    state: Literal["open", "parked", "closed"] = "open"
    strategy: str = ""
    """What the person asked to be used here; empty for the default."""
    learnt: tuple[str, ...] = ()
    """What was made of each trial that failed; the deeds are of the present one."""
    lost: tuple[tuple[str, str], ...] = ()
    """Of the assistant's own actions those that ended the task unsolved and were taken back: (what was seen and carried
    before it, the action)."""
    back: int = 0
    """How many steps were taken back, of failed trials too: the ones behind them are numbered on."""
    game: bool = False
    """One side of a game: the person and the slow mind play the same task, each alone."""
    how: str = ""
    """What the person said last of how it is to be done, which whoever drives is told."""

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(deed.action for deed in self.deeds)

    @property
    def meant(self) -> tuple[str, ...]:
        """The actions; in place of a number the one before it, of which it says which thing was meant."""
        meant: list[str] = []
        for action in self.actions:
            meant.append(meant[-1] if action.isdigit() and meant else action)
        return tuple(meant)

    @property
    def named(self) -> tuple[str, ...]:
        """The actions; behind a number the thing that it chose: `4: focus on orange (in flower pot 3)`."""
        asked = [dict(OPTION.findall(seen.text)) for seen in (self.opening, *(deed.seen for deed in self.deeds))]
        chosen = [options.get(action, "") for options, action in zip(asked, self.actions, strict=False)]
        return tuple(": ".join(filter(None, both)) for both in zip(self.actions, chosen, strict=True))

    @property
    def last(self) -> Observation:
        """What was seen last."""
        return self.deeds[-1].seen if self.deeds else self.opening

    @property
    def here(self) -> Scene:
        return self.deeds[-1].scene if self.deeds else self.scene


def fold(events: Iterable[Event]) -> tuple[Record, ...]:
    """The session's episodes; the one in hand comes last. `events` are those of the view, in their order."""
    records: dict[int, Record] = {}
    for event in events:
        number = int(str(event.data.get("episode", 0)))
        if event.kind == "world":
            _turned(records, number, event.data)
        elif event.kind == "step" and number in records:
            record = records[number]
            records[number] = replace(record, deeds=(*record.deeds, _deed(event)))
    return tuple(records.values())


def _turned(records: dict[int, Record], number: int, data: Mapping[str, Any]) -> None:
    """One `world` event; what is opened or reopened moves to the end."""
    state = data["state"]
    if state == "opened":
        records[number] = opened(number, data)
    elif number not in records:
        return  # its opening was taken back
    elif state == "undone":
        records[number] = _undone(records[number], int(data["to"]), data)
    elif state == "wheel":
        records[number] = replace(records[number], wheel=data["by"], how=_wished(data, records[number].how))
    elif state == "reopened":
        records[number] = replace(records.pop(number), state="open")
    else:
        records[number] = replace(records[number], state=state)


def _undone(record: Record, to: int, data: Mapping[str, Any]) -> Record:
    left = replace(record, deeds=record.deeds[:to], back=record.back + len(record.deeds) - to)
    if "learnt" in data:
        left = replace(left, learnt=(*record.learnt, str(data["learnt"])))
    if "view" in data:
        lost = (str(data["view"]), record.deeds[to].action)
        left = replace(left, lost=(*record.lost, lost))
    return left


def opened(number: int, data: Mapping[str, Any]) -> Record:
    """The record of a new episode, from its `world` event."""
    spec = WorldSpec(data["world"], data["task"], int(data["variation"]), tuple(data["options"]))
    opening = Observation(data["text"], score=data["score"])
    more = {"strategy": data.get("strategy", ""), "game": bool(data.get("game")), "how": _wished(data)}
    return Record(number, spec, data["goal"], opening, as_scene(data["scene"]), (), data["by"], **more)


def _wished(data: Mapping[str, Any], before: str = "") -> str:
    """How it is to be done from here on: as was said last, or before; empty where that was taken back."""
    how: str = data.get("how") or before
    return "" if how.strip().lower() == ANY else how


def _deed(event: Event) -> Deed:
    data: Mapping[str, Any] = event.data
    seen = Observation(data["observation"], data["score"], bool(data["done"]), bool(data["won"]))
    return Deed(
        data["action"],
        seen,
        as_scene(data["scene"]),
        data["by"],
        data["thought"],
        event.turn,
        str(data.get("strategy") or ""),
        data.get("reached", ""),
    )


def as_scene(data: Mapping[str, Any]) -> Scene:
    """From an event, which holds lists."""
    return Scene(data["place"], *(tuple(data[part]) for part in ("things", "exits", "holding")))


def opened_data(number: int, spec: WorldSpec, goal: str, seen: Observation, scene: Scene) -> dict[str, object]:
    """A new episode as its `world` event holds it."""
    began = {"goal": goal, "text": seen.text, "score": seen.score, "scene": asdict(scene)}
    return {"episode": number, "state": "opened", **asdict(spec), **began}


def step_data(seen: Observation, scene: Scene, by: Holder) -> dict[str, object]:
    """What was seen in a world after a step, and who took it."""
    return {"by": by, "score": seen.score, "done": seen.done, "won": seen.won, "scene": asdict(scene)}


def afar(record: Record) -> tuple[str, ...]:
    """What can be taken at other places of a household, as far as it was seen there: actions that are possible once
    one has gone there; none while something is carried, nor what is called like something here, nor what is fixed."""
    if record.spec.world != "alfworld" or record.here.holding:
        return ()
    at = {deed.scene.place: deed.scene.things for deed in record.deeds if deed.scene.place != record.here.place}
    no = FIXED | {bare(thing) for thing in record.here.things}
    return tuple(f"take {one} from {place}" for place, things in at.items() for one in things if bare(one) not in no)


def in_hand(records: Sequence[Record]) -> Record | None:
    """The episode that a person's words act on: the last one that was not left, open or finished."""
    return next((record for record in reversed(records) if record.state != "closed"), None)
