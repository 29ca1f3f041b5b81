"""The demonstrations that trainings read, as they were collected under DUET_HOME and as they are told again.

An oracle's own episode becomes one with its walks as one teleport each. What asks of a value is also told in others:
whether a trait is dominant does not hang on which trait it is, yet the train variations of a type ask about few of
them, and a policy that saw only tall and wrinkly peas would learn their names. So colours change places with colours,
shapes with shapes, in the goal, the views and the answers alike.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import QUESTION, Text
from minds.policies.swift.play import CRITICAL
from minds.policies.swift.reading import room_of, things
from minds.policies.swift.walking import ARRIVED, DOOR
from minds.policies.swift.wording import MOVES, ROOMS, Act, in_place, wordings
from minds.training import Unready
from minds.training.rows import stored
from minds.training.swift.collect import FULL
from minds.training.swift.dataset import lived
from minds.training.swift.oracle import View, noted, played

NOTHING = "There are no demonstrations yet: python main.py train swift --world {} --collect"
FILES = ("replays", "searches", "handovers")
TELLINGS = 4
"""In other values, of an episode that asks about one."""
CLASSES = (
    ("red", "orange", "yellow", "green", "blue", "purple", "white", "brown", "violet"),
    ("round", "wrinkly", "square"),
    ("linear", "elliptical"),
    ("tall", "short"),
    ("large", "small"),
)
"""Values that may change places."""
_WORD = re.compile(rf"\b(?:{'|'.join(word for words in CLASSES for word in words)})\b(?!\s*$)", re.MULTILINE)
"""Not at a line's end: `an orange` is a fruit."""
FIND_OUT = re.compile(r"\bdetermine if (?:an? |the )?(.+?) is\b")
FAR = (3, 150)
"""How far from the readings another number may be."""
_COMPARED = re.compile(r"\b(?:above|below)\b")
TOLD = ("look", "inv", "text", "said")


def data_folder(world: str) -> Path:
    """Where the demonstrations of a world are."""
    return Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser() / "swift" / world


def demonstrations(folder: Path, most: int, without: Sequence[str]) -> list[dict[str, Any]]:
    """Episodes that reached the full score, at most so many variations of a type; the same choice every time. Raises
    Unready where there are none."""
    rows = [row for name in FILES for row in stored(folder / f"{name}.jsonl") if row["score"] >= FULL]
    rows += [row for row in stored(folder / "oracle.jsonl") if row["steps"] and row["steps"][-1][4] >= FULL]
    rows = [row for row in rows if row["task"] not in without]
    if most:
        chosen = set[tuple[str, int]]()
        for task, same in groupby(sorted({(row["task"], row["variation"]) for row in rows}), key=itemgetter(0)):
            every = list(same)
            random.Random(task).shuffle(every)
            chosen |= set(every[:most])
        rows = [row for row in rows if (row["task"], row["variation"]) in chosen]
    if not rows:
        raise Unready(NOTHING.format(folder.name))
    return [told_again(row) if "steps" in row else effective(row) for row in rows]


def rooms(episodes: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Every room that demonstrations go to."""
    return tuple(sorted({row["act"][2] for episode in episodes for row in episode["rows"]} - {""}))


def doors(episodes: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """The map (minds/policies/swift/walking.py): which rooms lie behind the doors of each room, as far as was seen."""
    found: dict[str, set[str]] = {}
    for look in {row["look"] for episode in episodes for row in episode["rows"]}:
        names = (thing.name for thing in things(look, "") if thing.name.startswith(DOOR))
        found.setdefault(room_of(look), set()).update(name.removeprefix(DOOR) for name in names)
    return {room: sorted(behind) for room, behind in sorted(found.items())}


def told_of(episodes: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """What a card says of them: how many, and of each type of task the train variations."""
    variations = Counter(task for task, _ in {(row["task"], row["variation"]) for row in episodes})
    return {"episodes": len(episodes), "train variations": dict(sorted(variations.items()))}


# -- an oracle's own episode


def told_again(row: Mapping[str, Any]) -> dict[str, Any]:
    """An oracle's own episode as a demonstration."""
    rows = retold((row["first"]["look"], row["first"]["inv"]), row["steps"])
    about = {"task": row["task"], "variation": row["variation"], "goal": row["desc"]}
    return effective({**about, "rows": rows, "score": FULL})


def retold(first: View, steps: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows as a replay would have them: walks become one teleport, looking around is left out."""
    rows: list[dict[str, Any]] = []
    start, before = first, 0.0
    for step in played(first, steps):
        if step.act:
            if room_of(start[0]) != (room := room_of(step.view[0])):
                walk = Act(ROOMS, (), room)
                rows.append(noted(start, walk, ROOMS.format(room), ARRIVED.format(room), before))
            text = wordings(step.act, things(*step.view), {})[0][0]
            said = step.said.rpartition("\n")[2] if "\n0:" in step.said else step.said
            rows.append(noted(step.view, step.act, text, said, step.score))
        if step.acts:
            start = step.after
        before = step.score
    return rows


def effective(episode: dict[str, Any]) -> dict[str, Any]:
    """A demonstration without the steps that put a thing where it is: a habit of the oracle's, who fills a jug that is
    full, and of two seeds alike moves the one in the jar into the jar. Learned, they become circles."""
    return {**episode, "rows": [row for row in episode["rows"] if not _vain(row)]}


def _vain(row: Mapping[str, Any]) -> bool:
    act = Act.of(row["act"])
    if act.pattern != MOVES:
        return False
    seen = things(row["look"], row["inv"])
    return max(act.args) < len(seen) and in_place(act, seen)


# -- other values


def with_others(episodes: Sequence[dict[str, Any]], times: int = TELLINGS) -> list[dict[str, Any]]:
    """The episodes; those that ask about a value told so many times more in other values, those that ask to find out
    what a thing is like about other things, those that compare a reading with other numbers."""
    names = {name for episode in episodes if (name := asked_of(episode["goal"]))}
    more = list[dict[str, Any]]()
    for episode in episodes:
        for seed in range(1, times + 1):
            if asks_of_a_value(episode["goal"]):
                more.append(revalued(episode, seed))
            elif name := asked_of(episode["goal"]):
                more.append(revalued(renamed(episode, name, sorted(names - {name}), seed), seed))
            elif told := renumbered(episode, seed):
                more.append(revalued(told, seed))
    return [*episodes, *more]


def asked_of(goal: str) -> str:
    """The thing of `determine if plastic fork is electrically conductive`; empty where nothing is asked so."""
    found = FIND_OUT.search(goal)
    return found.group(1) if found else ""


def renamed(episode: Mapping[str, Any], name: str, names: Sequence[str], seed: int) -> dict[str, Any]:
    """A stored episode with another of the names in the place of a thing's: what it is like is found out, not known."""
    dice = random.Random(f"{episode['task']} {episode['variation']} {seed}")
    taken = {thing.name for row in episode["rows"] for thing in things(row["look"], row["inv"])}
    other = dice.choice([one for one in names if one not in taken] or [name])
    written = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    return _told(episode, lambda text: written.sub(lambda said: other if said[0] == name else other.lower(), text))


def renumbered(episode: Mapping[str, Any], seed: int) -> dict[str, Any] | None:
    """A stored episode whose goal compares a reading with another number, and the other way round where that asks for
    it; None for one that compares nothing, or whose last critical act is not what the readings say."""
    goal, memory, last = Text(episode["goal"], "goal"), Memory(Text(episode["goal"], "goal")), ""
    for _, act in lived(episode, memory):
        last = memory.seen[act.args[0]].name if act.pattern in (CRITICAL, MOVES) else last
    told, asked = memory.telling(), goal.condition(last)
    if told is None or asked is None or set(goal.numbers) != {asked[1]} or (told - asked[1]) * asked[0] <= 0:
        return None
    dice = random.Random(f"{episode['task']} {episode['variation']} {seed}")
    sides = memory.turned_of_goal()
    low, high = (min(sides), max(sides)) if sides else (told, told)
    beyond = [low - dice.randint(*FAR), high + dice.randint(*FAR)]
    if not sides:  # what has not changed yet may do so behind the last reading
        beyond = [number for number in beyond if (told - number) * (told - asked[1]) > 0]
    number = dice.choice(beyond) // 1
    said = episode["goal"].replace(str(asked[1]), str(float(number)))
    if (told - number) * (told - asked[1]) < 0:
        said = _COMPARED.sub(lambda found: "below" if found[0] == "above" else "above", said)
    return {**episode, "goal": said}


def asks_of_a_value(goal: str) -> bool:
    """Whether a goal asks about a value (`whether tall plant height is dominant`)."""
    return QUESTION.search(goal.lower()) is not None


def revalued(episode: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A stored episode (its `goal` and `rows`) with values exchanged; the same seed exchanges the same ones."""
    dice = random.Random(f"{episode['task']} {episode['variation']} {seed}")
    other = {one: two for words in CLASSES for one, two in zip(words, dice.sample(words, len(words)), strict=True)}

    return _told(episode, lambda text: _WORD.sub(lambda found: other[found[0]], text))


def _told(episode: Mapping[str, Any], said: Callable[[str], str]) -> dict[str, Any]:
    rows = [{**row, **{name: said(row[name]) for name in TOLD}} for row in episode["rows"]]
    return {**episode, "goal": said(episode["goal"]), "rows": rows}
