"""The labelled sentences that the wishes are fitted on, and which of them are kept apart for choosing and measuring.

Those said in a world's state, which is stored once:
grounding_states.jsonl.gz     first a list of all actions, then a state a line: world, observation, and its admissible
                              actions in the list's order, each as how far it stands behind the one before
grounding_sentences.jsonl.gz  a sentence a line: whose it is (file), the number of its state, says, expect, and
                              perhaps recent, steps and id; done: how many of the recent actions it had asked for
                              itself; control: what it is instead of an action

Kept apart: whole files of the sentences in worlds (their authors), whole styles of ordinary talk, whole runs of 50 of
the older requests, and ALFWorld's valid_train. No sentence stands on both sides.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from minds.policies.wishes import TURNS, WISHED
from minds.training.gate import FIT
from minds.training.rows import Row, lines, rows_of
from tools.worlds.actions import bare
from tools.worlds.kinds import KINDS

APART_FILES = (*(f"dev{number}" for number in range(35, 42)), "e4", "o6", "d2", "k3", "k6", "n7", "s4")
APART_STYLES = ("cook", "terse", "history-followup", "rambling", "figurative-idioms")
SOME = 500
"""Of the actions, the controls and the talk that there are, so many stand beside turns that were written for it."""
BESIDE = 1500
"""Of the wishes and the talk that stand among requests, descriptions and the gate's turns, so many of each."""
DESCRIBED, SPOKEN, TOLD = 0.3, 2.0, 3.0
"""What a description of a household's game, ordinary talk by authors of its own, and a wish or talk told in full, count
beside others."""
TOLD_FILES = (
    *(f"h{number}" for number in range(1, 13)),
    *(f"t{number}" for number in range(3, 11)),
    *("a", "p", "q", "r", "u", "v", "w", "x", "y", "z"),
)
"""The authors of the latter."""
BLOCK, EVERY = 50, 7
"""Of the requests every seventh run of 50 is kept apart."""
HOUSE, MOVE = "alfworld", "go to "
"""The household among the sentences' worlds, and how its moves begin."""
EXCHANGES = 3
"""How many other places each sentence's place exchanges its name with."""
HOUSEHOLD = {kind.task: name for name, kind in KINDS.items() if kind.world == "household"}


Labelled = list[tuple[str, str]]
"""Texts, each with its label."""


@dataclass(frozen=True)
class Said:
    """One turn where no world is open, or behind a task that is over."""

    says: str
    wish: bool
    apart: bool
    kinds: tuple[str, ...] = ()
    """Those that are right; none where that is not known."""
    thing: str = ""
    place: str = ""
    drive: str = ""
    """Who is to act (DRIVES), where somebody labelled it."""
    counts: bool = True
    """A threshold is chosen on it: not where the task wished for does not exist, or is not told."""
    worth: float = 1.0
    """What it counts in the fit: people's descriptions are many and alike, the wishes told in full few."""
    means: str = ""
    """Behind a task: NONE, STORY, AGAIN, ON or LEAVE."""


@dataclass(frozen=True)
class Lists:
    """All labelled sentences."""

    turns: list[Said]
    sentences: list[tuple[Row, bool]]
    behind: list[Said]
    """Turns behind a task."""

    def own(self, name: str, *, apart: bool) -> Labelled:
        """What a reader of layers of its own (OWN) is fitted on; or of that what is kept apart."""
        of = {"task": self.wished, "drive": self.drives, "turn": self.turns_among_others}
        return of[name](apart=apart)

    def wished(self, *, apart: bool) -> Labelled:
        """Turns where no world is open, wishes or talk (WISHED): all by authors who wrote wishes or talk beside them,
        and of the others as many as BESIDE of each."""
        rows = [row for row in self.turns if row.apart == apart and row.counts]
        found = [row for row in rows if row.worth > 1]
        for wish in (False, True):
            others = [row for row in rows if row.worth <= 1 and row.wish == wish]
            found += random.Random(0).sample(others, min(BESIDE, len(others)))
        return [(row.says, WISHED[row.wish]) for row in found]

    def drives(self, *, apart: bool) -> Labelled:
        """Wishes, and who is to act in them (DRIVES); of those kept apart, or the others."""
        both = [row for row in (*self.turns, *self.behind) if row.drive and row.apart == apart]
        found = [(row.says, row.drive) for row in both]
        return found + [(row["says"], row["drive"]) for row in lines("drive_examples") if _far(row) == apart]

    def turns_in_worlds(self, *, apart: bool) -> Labelled:
        """Turns while a task stands, and what each is (TURNS), by authors of their own; apart, or the others."""
        found = [(row["says"], row["means"]) for row in lines("turn_examples") if _far(row) == apart]
        known = {"NONE": "TALK", "STORY": "STORY", "AGAIN": "AGAIN", "LEAVE": "LEAVE"}
        found += [(r.says, known[r.means]) for r in self.behind if r.apart == apart and r.means in known]
        theirs = set() if apart else {text for text, _ in self.turns_in_worlds(apart=True)}
        return [row for row in found if row[0] not in theirs]

    def turns_among_others(self, *, apart: bool) -> Labelled:
        """The same beside some of the sentences in worlds and of the talk that there is."""
        rows = self.turns_in_worlds(apart=apart)
        here = [row for row, far in self.sentences if far == apart and "done" not in row]
        acts = [(row["says"], "ACTION") for row in here if row["expect"]]
        controls = [(row["says"], row["control"]) for row in here if row.get("control") in TURNS]
        talk = [(row.says, "TALK") for row in self.turns if row.apart == apart and not row.wish and row.counts]
        for more in (acts, controls, talk):
            rows += random.Random(0).sample(more, min(SOME, len(more)))
        return rows


def lists(alfworld: Path | None) -> Lists:
    """All there are; `alfworld`: the folder with people's descriptions of households."""
    behind = [
        Said(row["says"], False, _far(row), drive=row.get("drive", ""), means=row["means"])
        for row in lines("over_examples")
    ]
    return Lists(said(alfworld), grounded(), behind)


def _far(row: dict[str, Any]) -> bool:
    return row["author"] in APART_FILES


def said(alfworld: Path | None) -> list[Said]:
    """Requests, ordinary talk, and people's descriptions of households; one of each text, the kept apart first."""
    rows = [*_requests(), *_talk(), *(_households(alfworld) if alfworld else ())]
    unique: dict[str, Said] = {}
    for row in sorted(rows, key=lambda row: not row.apart):
        unique.setdefault(row.says.casefold(), row)
    return list(unique.values())


@cache
def rows() -> tuple[Row, ...]:
    """All sentences said in a world's state, with that state; the oldest file first."""
    actions, *states = lines("grounding_states")
    known = [{**row, "admissible": [actions[n] for n in accumulate(row["admissible"])]} for row in states]
    return tuple({**known[row.pop("state")], **row} for row in lines("grounding_sentences"))


def grounded() -> list[tuple[Row, bool]]:
    """The sentences said in a world's state, each with whether it is kept apart."""
    every = [(row, row["file"] in APART_FILES) for row in rows()]
    apart = {row["says"].casefold() for row, far in every if far}
    return [(row, far) for row, far in every if far or row["says"].casefold() not in apart]


def contrasts(rows: Sequence[Row]) -> list[Row]:
    """The same sentences in states that differ in what they name: so that "go to the sink" is judged by how many sinks
    there are. A move whose place is not there any more is none of what is possible; and where a sentence's place and
    another one exchange their names, there and in the state, it means what it meant."""
    draw = random.Random(0)
    here = [row for row in rows if row["world"] == HOUSE and "done" not in row]
    return [made for row in here for made in (_without(row), *_exchanged(row, draw)) if made]


def _without(row: Row) -> Row | None:
    places = {bare(action) for action in row["expect"]}
    if len(places) != 1 or not (move := min(places)).startswith(MOVE) or move.removeprefix(MOVE) in _lately(row):
        return None
    name = move.removeprefix(MOVE)
    left = [action for action in row["admissible"] if name not in map(bare, _names(action))]
    return {**row, "admissible": left, "expect": []}


def _exchanged(row: Row, draw: random.Random) -> Iterator[Row]:
    """None where the sentence names no place as the world does, or the one before was about it."""
    moves = all(action.startswith(MOVE) for action in row["expect"]) and "control" not in row
    places = {bare(action).removeprefix(MOVE) for action in row["admissible"] if action.startswith(MOVE)}
    said = sorted(name for name in places if re.search(rf"\b{re.escape(name)}\b", row["says"], re.IGNORECASE))
    if not moves or len(said) != 1 or said[0] in _lately(row):
        return
    others = sorted(places - set(said))
    for other in draw.sample(others, min(EXCHANGES, len(others))):
        swapped: dict[str, object] = {
            key: _swapped(row[key], said[0], other) for key in ("admissible", "expect", "recent") if key in row
        }
        yield {**row, **swapped, "says": _swapped([row["says"]], said[0], other)[0]}


def _swapped(texts: Sequence[str], one: str, other: str) -> list[str]:
    names = re.compile(rf"\b({re.escape(one)}|{re.escape(other)})\b", re.IGNORECASE)
    return [names.sub(lambda found: other if found[0].lower() == one else one, text) for text in texts]


def _lately(row: Row) -> str:
    return " ".join(row.get("recent", ()))


def _names(action: str) -> list[str]:
    return re.findall(r"[a-z]+ \d+", action)


def _requests() -> Iterator[Said]:
    for number, row in enumerate(lines("request_examples")):
        kind, author = row["kind"], row.get("author", "")
        kinds = (kind,) if kind in KINDS else tuple(HOUSEHOLD.values()) if kind == "alfworld" else ()
        far = _far(row) if author else number // BLOCK % EVERY == 0
        counts = kind in KINDS or kind in ("alfworld", "none")
        about = (row.get("thing", ""), row.get("place", ""), row.get("drive", ""))
        yield Said(row["says"], kind != "none", far, kinds, *about, counts, TOLD if author else 1.0)


def _talk() -> Iterator[Said]:
    for row in lines("talk_examples"):
        yield Said(row["says"], False, _far(row), worth=SPOKEN)
    for row in rows_of(FIT):
        yield Said(row["text"], row["why"] == "acting in a world", row["style"] in APART_STYLES)


def _households(folder: Path) -> Iterator[Said]:
    for split in ("valid_train", "train"):
        with lzma.open(folder / f"{split}.jsonl.xz", "rt", encoding="utf-8") as file:
            for row in map(json.loads, file):
                yield from _described(row, split == "valid_train")


def _described(game: dict[str, Any], apart: bool) -> Iterator[Said]:
    about, kinds = game["params"], (HOUSEHOLD[game["task_type"]],)
    thing, place = about["object_target"], about["parent_target"] or about["toggle_target"]
    for told in game["anns"]:
        yield Said(told["task_desc"], True, apart, kinds, thing, place, worth=DESCRIBED)
