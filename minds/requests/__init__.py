"""A person's own words become a world and a task, a question back, or a plain "no such task".

The form of a turn tells most chat from requests without a model. What is left is read by log-linear models over hashed
words and the sentence vector: one for what is wanted (chat, a ScienceWorld task, something in the household, something
unclear, something no world has), one for the kind, the thing and the place of a household task, to which the homes of
its games add what things are called there (rooms.py). Fitted by minds/training/requests/train.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from minds.dialogue import Dialogue
from minds.requests import laboratory
from minds.requests.asking import QUESTIONS, answered, asked_family, household_says
from minds.requests.forms import asks_to_act
from minds.requests.loglinear import Floats, LogLinear, shares
from minds.requests.plain import Named, named, variation_in
from minds.requests.rooms import Rooms
from minds.requests.spoken import spoken_combos
from minds.requests.words import buckets, household_grams, intent_grams, names_of_features

WEIGHTS = Path(__file__).parents[1] / "policies" / "weights" / "requests.safetensors"
BY_NAME = 6.0
"""Log-odds that a household task of no fitted game gains where it is said by its very names."""
CHAT = 0.3
"""A turn that is more probably chat than this is no request."""
SURE = 0.12
"""A household task that is less probable than this is asked about."""
_SLICED = re.compile(r"\b(?:slic|chop|cut|piece|wedge)", re.I)
_FLOOR = re.compile(r"\b(?:floor|standing|tall)[ -]?lamp", re.I)

Embed = Callable[[list[str]], Floats]


class RequestsFault(Exception):
    """The reader cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Request:
    """One task of one world."""

    world: str
    """`scienceworld`, `alfworld` or `textworld`."""
    task: str
    """ScienceWorld: a task name. ALFWorld: a kind of task (`pick_heat_then_place_in_recep`), or what was named: a game
    (`valid_seen/FOLDER/TRIAL`), one of the generator (`household/KIND`), a file."""
    object: str = ""
    """ALFWorld: the thing, by the data set's name (`Mug`)."""
    receptacle: str = ""
    """ALFWorld: the place (`CounterTop`); for look_at_obj_in_light the lamp."""
    variation: int | None = None
    """ScienceWorld: the one that was named or that fits best what was said; None: any. ALFWorld: a named seed."""
    sliced: bool = False
    """ALFWorld: the thing shall be in slices."""
    says: str = ""
    """What was understood, in plain English, to be said back."""
    p: float = 1.0
    """How probable the reader finds it."""


@dataclass(frozen=True)
class Unclear:
    """A world is wanted, but not clearly which task."""

    question: str
    options: tuple[Request, ...]


@dataclass(frozen=True)
class NoSuch:
    """Something is to be done that no world has; the nearest three tasks."""

    nearest: tuple[Request, ...]


Read = Request | Unclear | NoSuch | None


@dataclass(frozen=True)
class Combo:
    """A household task: its kind, its thing, its place."""

    kind: str
    thing: str
    place: str


Openable = Callable[[Combo], bool | Collection[int]]
"""Whether a household task can be opened, or in which homes (numbers of floor plans) it can."""


class Requests:
    """One fitted reader; holds no dialogue, so all conversations may share it."""

    def __init__(
        self, intent: LogLinear, labels: Sequence[str], home: LogLinear, combos: Sequence[Combo], rooms: Rooms
    ) -> None:
        self.intent, self.labels = intent, tuple(labels)
        self.home, self.combos, self.rooms = home, tuple(combos), rooms

    @classmethod
    def load(cls, path: Path | None = None) -> Requests:
        """Reads fitted weights. Raises RequestsFault where they are missing or fitted for other features."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path or WEIGHTS, framework="numpy") as file:
                told = file.metadata() or {}
                stored = {name: np.asarray(file.get_tensor(name)) for name in list(file.keys())}
        except (OSError, SafetensorError) as fault:
            raise RequestsFault(
                "The request reader's weights are unreadable: run `python main.py train requests`."
            ) from fault
        if told.get("features") != names_of_features():
            raise RequestsFault("The request reader was fitted for other words: run `python main.py train requests`.")
        labels, names = json.loads(told["labels"]), json.loads(told["names"])
        combos = [Combo(*(names[i] for i in parts)) for parts in stored["home_parts"].tolist()]
        intent, home = (LogLinear.unpacked(stored, name) for name in ("intent", "home"))
        return cls(intent, labels, home, combos, Rooms.unpacked(stored))

    def read(
        self,
        said: str,
        dialogue: Dialogue | None = None,
        vector: Floats | None = None,
        embed: Embed | None = None,
        openable: Openable | None = None,
    ) -> Read:
        """What is asked for; None where it is ordinary chat.

        vector: unit row of the turn's text, shape (384,); without it `embed` is called where it is needed, and without
        that the words alone decide. openable: which household tasks could be opened here, or in which homes (default:
        all).
        """
        if not said.strip():
            return None
        if plain := named(said):
            return _by_name(plain)
        family = laboratory.FAMILIES.get(asked_family(dialogue))
        if family and (task := answered(said, family)):
            return _science(task, said)
        if not asks_to_act(said):
            return None
        if vector is None:
            vector = embed([said])[0] if embed else np.zeros(self.intent.vector.shape[0], np.float32)
        probable = shares(self.intent.scores(buckets(intent_grams(said)), vector))
        return self._wanted(said, vector, probable, openable)

    def _wanted(self, said: str, vector: Floats, probable: Floats, openable: Openable | None) -> Read:
        p = dict(zip(self.labels, probable.tolist(), strict=True))
        if p["none"] > CHAT:
            return None
        label = max((name for name in p if name != "none"), key=lambda name: p[name])
        if label == "alfworld":
            return self._household(said, vector, openable)
        if label in laboratory.TASKS:
            return _science(label, said, p[label])
        if label == "nosuch":
            return NoSuch(self._nearest(said, vector, p))
        return _unclear(label.removeprefix("unclear:"))

    def _household(self, said: str, vector: Floats, openable: Openable | None) -> Read:
        found = self.likely(said, vector, openable)
        if not found:
            return NoSuch(())
        if found[0].p < SURE:
            return Unclear(QUESTIONS["game"], found)
        return found[0]

    def likely(
        self, said: str, vector: Floats, openable: Openable | None = None, count: int = 3
    ) -> tuple[Request, ...]:
        """The most probable household tasks, best first, whatever else the words may mean."""
        here = [openable(combo) if openable else True for combo in self.combos]
        scores = self.home.scores(buckets(household_grams(said)), vector) + self._said_so(said)
        scores = scores + self.rooms.gained(said, vector, here)
        if not np.isfinite(scores).any():
            return ()
        probable = shares(scores)
        best = [i for i in np.argsort(-probable)[:count].tolist() if probable[i] > 0]
        return tuple(_home(self.combos[i], said, float(probable[i])) for i in best)

    def _said_so(self, said: str) -> Floats:
        """What a task that no fitted game has gains where its kind, thing and place are each said by their names."""
        kind, things, place = spoken_combos(said)
        if not things or not place:
            return np.zeros(len(self.combos), np.float32)
        gained = [combo.place == place and combo.kind == kind and combo.thing in things for combo in self.combos]
        return np.where(self._rare & np.array(gained, bool), np.float32(BY_NAME), np.float32(0))

    @cached_property
    def _rare(self) -> NDArray[np.bool_]:
        bias = self.home.bias
        return np.asarray(bias <= bias.min(initial=0) + 1e-3)

    def _nearest(self, said: str, vector: Floats, p: dict[str, float]) -> tuple[Request, ...]:
        best = sorted(
            (name for name in p if name in laboratory.TASKS or name == "alfworld"), key=lambda name: -p[name]
        )[:3]
        return tuple(
            self.likely(said, vector, count=1)[0] if name == "alfworld" else _science(name, said, p[name])
            for name in best
        )


def _home(combo: Combo, said: str, p: float) -> Request:
    place = "FloorLamp" if combo.place == "DeskLamp" and _FLOOR.search(said) else combo.place
    sliced = bool(_SLICED.search(said))
    says = household_says(combo.kind, combo.thing, place, sliced)
    return Request("alfworld", combo.kind, combo.thing, place, variation_in(said), sliced, says, p)


def _science(task: str, said: str, p: float = 1.0) -> Request:
    number = variation_in(said)
    number = laboratory.variation(task, said) if number is None else number
    return Request("scienceworld", task, variation=number, says=laboratory.says(task), p=p)


def _by_name(plain: Named) -> Request:
    says = laboratory.says(plain.task) if plain.world == "scienceworld" else plain.task
    return Request(plain.world, plain.task, variation=plain.variation, says=says)


def _unclear(family: str) -> Unclear:
    options = tuple(_science(task, "") for task in laboratory.FAMILIES.get(family, ()))
    return Unclear(QUESTIONS[family], options)
