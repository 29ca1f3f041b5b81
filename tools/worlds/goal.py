"""The typed goal by which a task of a text world is opened, and the search for the task that fits it best."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from rapidfuzz import fuzz, process

from tools.desk import ToolFault
from tools.worlds.alfworld import parts, splits
from tools.worlds.household import NO_GOAL
from tools.worlds.household import pairs as generated
from tools.worlds.kinds import KINDS, Kind, KindName, World
from tools.worlds.world import Simulator, WorldSpec

GOALS = Path(__file__).with_name("laboratory_goals.json")
"""What sets the laboratory's variations apart: {task: {"shared": words of all, "own": {variation: words}}}."""
CLOSE, ALIKE, HALF = 85.0, 0.55, 0.5
"""How near a name must be to one of the game's: in letters (0 to 100), in meaning (cosine), or by its words' share."""
EVEN = 8.0
"""How much less odds differ that were read from a model's English of what was said."""
NEARNESS, SPELT, SHOWN, ALL = 0.05, 0.3, 5, 99
"""The difference of cosines that is worth a factor of e; the cosine that it is worth that all words of a name are said;
how many of a laboratory's things are shown, and where all are possible."""
ROOMS = {"kitchen", "bathroom", "living", "room", "bedroom", "workshop", "greenhouse", "hallway", "outside", "foundry"}
BOXES = {"red", "green", "blue", "orange", "yellow", "purple"}
"""Of the simulator's goals: where things stand, and the boxes they go to."""
FEW = 24
"""Things of which all are told where another one was asked for: whoever reads it knows what wax is like."""
LIKELY = 0.02
"""Odds from which another kind of task than the chosen one may be meant."""
Drive = Literal["assistant", "person", "both"]
"""Who acts; both: the assistant takes the first steps, then the person acts."""
HOW = (
    "Only what the person said of how it is to be done or not done, beyond the task itself, complete (heat it on the"
    " stove, not in the oven): whoever acts is told. `any` where they take back what they said of it before"
)
ANY, HOW_LONG = "any", 300
"""What takes back how it is to be done; characters that may be said of it."""
Embed = Callable[[Sequence[str]], Any]
"""Texts to unit rows."""
Pair = tuple[str, str]
"""Thing and place of a household's task."""

_KINDS_TOLD = "; ".join(f"{name}: {kind.says}" for name, kind in KINDS.items() if not kind.plain)


class Goal(BaseModel):
    """A task that can be done in a text world."""

    world: World = Field(
        description="household: a home with furniture and everyday things; laboratory: rooms for experiments"
    )
    kind: KindName = Field(description=f"What is to be done. {_KINDS_TOLD}")
    thing: str = Field(
        default="",
        description="What it is about, one of it in a word or two: mug, chocolate, unknown substance B, red light bulb."
        " Empty: any",
    )
    place: str = Field(
        default="",
        description="Where it goes: household furniture (counter, fridge, side table) or the lamp; laboratory: the box"
        " and room, where one was named (red box in the bathroom). Empty: any",
    )
    variation: int | None = Field(default=None, ge=0, description="Only where the person named a number")
    drive: Drive = Field(
        default="assistant",
        description="Who acts: assistant where the person wants it done; person where they want to do it; both where"
        " the assistant is to begin and the person takes over",
    )


def find(goal: Goal, home: Callable[[str], Simulator], embed: Embed | None = None) -> WorldSpec:
    """The task that fits; blocking. `home`: a simulator by its name; `embed` finds names that mean the same.

    Raises ToolFault with the nearest three tasks, WorldFault.
    """
    kind = KINDS[goal.kind]
    if kind.world == "household":
        return _household(goal, kind, home("alfworld"), embed)
    return _laboratory(goal, kind)


# -- households


def _household(goal: Goal, kind: Kind, home: Simulator, embed: Embed | None) -> WorldSpec:
    """An official game where one is installed and fits, else one of the generator."""
    official, made = _official(kind.task, home), generated(kind.task)
    # Where no place is named it is none that no official game asks to fill.
    possible = sorted({*official, *made}, key=lambda pair: (pair[1] in NO_GOAL, pair))
    fitting = _both(goal, possible, embed)
    if not fitting:
        raise ToolFault(_no_pair(goal, possible, embed))
    most = max(_named_so(goal, pair) for pair in fitting)  # toilet paper is no toilet paper hanger
    fitting = [pair for pair in fitting if _named_so(goal, pair) == most]
    named = goal.thing or goal.place
    if named and goal.variation is None and (there := [pair for pair in fitting if pair in official]):
        return official[there[0]]
    thing, place = next((pair for pair in fitting if pair in made), fitting[0]) if named else ("", "")
    return WorldSpec("alfworld", f"household/{kind.task}/{thing}/{place}".rstrip("/"), goal.variation or 0)


def _named_so(goal: Goal, pair: Pair) -> int:
    """How many of thing and place have the very name that is wanted."""
    return sum(spaced(own) == spaced(wanted) for own, wanted in zip(pair, (goal.thing, goal.place), strict=True))


def fitting(kind: str, thing: str, odds: Mapping[str, float]) -> dict[str, float]:
    """Of places those where such a household's task about this thing can end; all where none of them is one."""
    there = {place for _, place in _fits(thing, sorted(generated(KINDS[kind].task)), 0, None)}
    return {place: p for place, p in odds.items() if place in there} or dict(odds)


def possible(kinds: Mapping[str, float], things: Mapping[str, float]) -> dict[str, float]:
    """The odds of kinds, those of households shifted to what can be done with the things that are likely: lettuce can
    be cooled, not heated. All as they were where nothing can be done with any of them."""
    ours = {name: p for name, p in kinds.items() if KINDS[name].world == "household"}
    known = {name: {thing for thing, _ in generated(KINDS[name].task)} for name in ours}
    worth = {name: p * sum(things.get(thing, 0.0) for thing in known[name]) for name, p in ours.items()}
    if not (whole := sum(worth.values())):
        return dict(kinds)
    return {**kinds, **{name: p * sum(ours.values()) / whole for name, p in worth.items()}}


def _official(task: str, home: Simulator) -> dict[Pair, WorldSpec]:
    """(thing, place) -> the first official game, where the data set is installed."""
    found: dict[Pair, WorldSpec] = {}
    for spec in (spec for split in splits() for spec in home.variations(task, split)):
        kind, thing, place = parts(spec)
        if kind == task:
            found.setdefault((thing, place), spec)
    return found


def _both(goal: Goal, tasks: Sequence[Pair], embed: Embed | None) -> list[Pair]:
    """The tasks with the thing and the place that are wanted, those with the nearest thing first."""
    there = set(_fits(goal.place, tasks, 1, embed))
    return [pair for pair in _fits(goal.thing, tasks, 0, embed) if pair in there]


def _fits(wanted: str, tasks: Sequence[Pair], side: int, embed: Embed | None) -> list[Pair]:
    """The tasks whose thing (side 0) or place (side 1) is what is wanted, the nearest first."""
    if not wanted.strip():
        return list(tasks)
    meant = named(wanted, sorted({pair[side] for pair in tasks}), embed)
    return [pair for name in meant for pair in tasks if pair[side] == name]


def named(wanted: str, names: Sequence[str], embed: Embed | None = None) -> list[str]:
    """The names that are meant, best first: by all their words (`counter` -> CounterTop), else by what they mean
    (`couch` -> Sofa), else by a word that they share (`kitchen counter`)."""
    said = spaced(wanted)
    whole = {name: max(fuzz.ratio(said, spaced(name)), 99 * _shared(said, spaced(name))) for name in names}
    best = max(whole.values(), default=0.0)
    if best >= CLOSE:
        return [name for name in sorted(names, key=lambda name: -whole[name]) if whole[name] >= best - 1]
    return _alike(said, names, embed) or [name for name in names if _shared(said, spaced(name))]


def _alike(said: str, names: Sequence[str], embed: Embed | None) -> list[str]:
    """The name that is nearest in meaning, if it is near."""
    if embed is None or not names:
        return []
    rows = embed([said, *(spaced(name) for name in names)])
    alike = {name: float(rows[0] @ row) for name, row in zip(names, rows[1:], strict=True)}
    nearest = max(names, key=lambda name: alike[name])
    return [nearest] if alike[nearest] >= ALIKE else []


def _shared(said: str, name: str) -> float:
    """The share of the shorter one's words that are among the other's: 1 for `counter` and `counter top`."""
    one, other = sorted((said.split(), name.split()), key=len)
    return sum(any(fuzz.ratio(word, w) >= CLOSE for w in other) for word in one) / len(one) if one else 0.0


def _no_pair(goal: Goal, tasks: Sequence[Pair], embed: Embed | None) -> str:
    """Why no task fits, with what would: other kinds that have both, places that go with the thing, known names."""
    things, places = (_fits(wanted, tasks, side, embed) for side, wanted in enumerate((goal.thing, goal.place)))
    half = [f"{spaced(thing)}, {spaced(place)}" for thing, place in things or places or tasks]
    told = [_none(goal, near(f"{goal.thing} {goal.place}", half, scorer=fuzz.token_sort_ratio), "The nearest")]
    ours = [name for name, kind in KINDS.items() if kind.world == "household" and goal.thing and goal.place]
    if other := [name for name in ours if _both(goal, sorted(generated(KINDS[name].task)), None)]:
        told.append(f"Thing and place go together in: {', '.join(other)}.")
    if things and goal.thing:
        fitting = sorted({spaced(place) for thing, place in tasks if thing == things[0][0]})
        told.append(f"Here with {spaced(things[0][0])} go: {', '.join(fitting)}.")
    else:
        told.append(f"Known things: {', '.join(sorted({spaced(thing) for thing, _ in tasks}))}.")
    return " ".join(told)


# -- laboratories


def _laboratory(goal: Goal, kind: Kind) -> WorldSpec:
    """The variation whose goal has most of what is wanted; any of those to train on where nothing is."""
    if goal.variation is not None:
        return WorldSpec("scienceworld", kind.task, goal.variation, ("easy",))
    own = _own(kind.task)
    number = max(own, key=lambda number: _worth(goal, kind, own[number]), default="0")
    any_ = kind.free or _share(goal.thing, kind.says) == 1  # `ramp`: every task of the kind has one
    if own and not any_ and not _fitted(goal.thing, kind, own[number]):
        names = names_of(kind.task)
        few = len(names) <= FEW
        raise ToolFault(_none(goal, names) if few else _none(goal, near(goal.thing, names), "The nearest"))
    return WorldSpec("scienceworld", kind.task, int(number), ("easy",))


def _worth(goal: Goal, kind: Kind, own: str) -> tuple[float, ...]:
    """How much a variation has of what is wanted: what weighs most comes first."""
    about = f"{goals()[kind.task]['shared']} {_about(kind.task, own)}"
    wanted = (goal.thing.replace(",", " "), goal.place, goal.thing, kind.usual)
    return _share(goal.thing, about), *(_share(words, own) for words in wanted), -len(own.split())


def instead(goal: Goal, spec: WorldSpec) -> str:
    """One sentence where a task was opened that is about another thing than the one wished for, or about it under
    another name; empty where it is about that one, where all of its kind are, or its number was given."""
    kind = KINDS[goal.kind]
    if kind.world == "household":
        return _nearest_in_meaning(goal, spec)
    own = _own(kind.task).get(str(spec.variation), "")
    if not goal.thing or not own or goal.variation is not None:
        return ""
    name = _about(kind.task, own)
    if _fitted(goal.thing, kind, own, wholly=True) or _share(goal.thing, kind.says) == 1:
        return ""
    if not name and _share(goal.thing, f"{goals()[kind.task]['shared']} {kind.says}") >= HALF:
        return ""  # `an animal`, where which one is for whoever acts to find
    if name and _fitted(goal.thing, kind, own):
        return f"The task nearest to {goal.thing} is about {name}; that one was opened."
    return f"No task of this kind ({kind.says}) is about {goal.thing} by name; one of the others was opened."


def _nearest_in_meaning(goal: Goal, spec: WorldSpec) -> str:
    """Of a household's thing and place those that were found by their meaning: a couch is a sofa, a pizza no tomato."""
    there = parts(spec)[1:] if "-" in spec.task else spec.task.split("/")[2:]  # of an official game, of a made one
    found = zip((goal.thing, goal.place), there, strict=False)
    other = [(wanted, spaced(name)) for wanted, name in found if wanted and not named(wanted, [name])]
    return " ".join(
        f"No task is about {wanted} by name; {name}, the nearest in meaning, was taken." for wanted, name in other
    )


def _fitted(thing: str, kind: Kind, own: str, *, wholly: bool = False) -> bool:
    """Whether a variation is about this thing, or, where not wholly, near enough: it has more of the thing's words
    than it lacks, or all of its name is in them (`liquid mercury`). Of a metal spoon, a metal fork is only half.

    Words that all tasks of the kind have tell none from another; rooms tell where a thing is, not what it is."""
    name, every = _about(kind.task, own).split(), goals()[kind.task]["shared"].split()
    every += [] if wholly else spaced(kind.says).split()
    found = [_parted(words, name, every) for part in thing.split(",") if (words := _what(part))]
    if all(not lacking for _, lacking in found):
        return True
    if wholly:
        return any(has and not lacking for has, lacking in found)
    return any(has > lacking or (has and _share(" ".join(name), thing) == 1) for has, lacking in found)


def _what(part: str) -> list[str]:
    """The words of a thing without those of rooms, unless it has no others."""
    words = spaced(part).split()
    return [word for word in words if word not in ROOMS] or words


def _parted(words: Sequence[str], name: Sequence[str], every: Sequence[str]) -> tuple[int, int]:
    """How many of the words are in the name, and how many are nowhere."""
    rest = [word for word in words if not _among(word, name)]
    return len(words) - len(rest), sum(not _among(word, every) for word in rest)


def _among(word: str, there: Iterable[str]) -> bool:
    """Whether the word is there, but for its ending: nonrenewable is not renewable."""
    return any(word[:1] == other[:1] and fuzz.ratio(word, other) >= CLOSE for other in there)


def knowing(thing: str, chosen: str, odds: Mapping[str, float]) -> str:
    """The chosen kind of task, or another likely one that knows the thing better: a fork is no component to power, but
    one to test. All kinds of a household know its things."""
    first, kinds = KINDS[chosen], [chosen, *(kind for kind, p in odds.items() if p >= LIKELY)]
    known = {kind: _known(KINDS[kind], thing) for kind in kinds}
    best = max(kinds, key=lambda kind: known[kind])
    return chosen if first.free or first.world == "household" or known[best] < HALF else best


def near_things(
    chosen: str, odds: Mapping[str, float], said: str, embed: Embed, *, retold: bool = False
) -> dict[str, float]:
    """Of what a laboratory's tasks of the chosen kind and of the others that are likely are about, what is nearest in
    meaning and words to what is said, with odds. retold: a model put it into English, and may have lost a word: all
    are possible, and their odds differ less. None where the chosen kind is free, or about nothing."""
    names = {kind: names_of(KINDS[kind].task) for kind in {chosen: 0.5, **odds}}
    if KINDS[chosen].free or not names[chosen]:
        return {}
    likely = {kind: p for kind, p in {**odds, chosen: max(odds.get(chosen, 0.0), HALF)}.items() if p >= LIKELY}
    found: dict[str, float] = {}
    for kind in (kind for kind in likely if not KINDS[kind].free and names[kind]):
        spelt = np.array([_share(name, said) for name in names[kind]])
        alike = _rows(embed, names[kind]) @ np.asarray(embed([said])[0]) + SPELT * spelt
        weights = np.exp((alike - alike.max()) / (NEARNESS * (EVEN if retold else 1)))
        for thing, share in zip(names[kind], (weights / weights.sum()).tolist(), strict=True):
            found[thing] = found.get(thing, 0.0) + likely[kind] * share
    return dict(sorted(found.items(), key=lambda one: -one[1])[: ALL if retold else SHOWN])


@lru_cache(maxsize=32)
def _rows(embed: Embed, names: tuple[str, ...]) -> NDArray[np.float32]:
    return np.asarray(embed(names))


@cache
def names_of(task: str) -> tuple[str, ...]:
    """What a laboratory's tasks are about, without number, room and boxes; none of a household's."""
    return tuple(sorted({name for own in _own(task).values() if (name := _about(task, own))}))


def _about(task: str, own: str) -> str:
    """The thing of a variation; empty where only rooms and boxes set it apart."""
    words = own.split()
    ends = ROOMS | BOXES if "box" in goals()[task]["shared"].split() else ROOMS
    first = next((n for n, word in enumerate(words) if not word.isdigit()), 0)
    last = len(words)
    while last > first and (words[last - 1] in ends or words[last - 1].isdigit()):
        last -= 1
    return " ".join(words[first:last])


def _known(kind: Kind, thing: str) -> float:
    """Which part of its name the kind's tasks have, at best."""
    own = _own(kind.task).values()
    return max(_share(thing, text) for text in (kind.says, *own)) if own else 1.0


def _share(wanted: str, text: str) -> float:
    """Which part of the words wanted is in the text, but for their endings; all where nothing is wanted. Of several
    things (`fork, simulated laboratory`) the one that is most in it."""
    there = spaced(text).split()
    things = [words for part in wanted.split(",") if (words := spaced(part).split())]
    found = [sum(_among(word, there) for word in words) for words in things]
    return max((count / len(words) for count, words in zip(found, things, strict=True)), default=1.0)


@cache
def goals() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(GOALS.read_text(encoding="utf-8"))
    return held


def _own(task: str) -> dict[str, str]:
    """Number of a variation -> the words that are its own; none of a household's."""
    own: dict[str, str] = goals()[task]["own"] if task in goals() else {}
    return own


# -- words


def _none(goal: Goal, there: Iterable[str], which: str = "There are") -> str:
    about = ", ".join(part for part in (goal.thing, goal.place) if part) or "that"
    return (
        f"No task there ({KINDS[goal.kind].says}) is about {about}. {which}: {'; '.join(there)}.\n"
        f"Choose one of these ({goal.kind}), leave `thing` or `place` empty, or ask the person."
    )


def near(said: str, names: Sequence[str], **how: Any) -> list[str]:
    """The three that are spelt most like it."""
    return [name for name, _, _ in process.extract(said, names, processor=spaced, limit=3, **how)]


def spaced(name: str) -> str:
    """`CounterTop` -> `counter top`."""
    return " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", name).lower().split())
