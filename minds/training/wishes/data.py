"""The labelled sentences that the wishes are fitted on, and which of them are kept apart for choosing and measuring.

Kept apart: whole files of the sentences in worlds (their authors), whole styles of ordinary talk, whole runs of 50 of
the older requests, and ALFWorld's valid_train. No sentence stands on both sides.
"""

from __future__ import annotations

import gzip
import json
import lzma
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minds.policies.wishes import TURNS, bare
from minds.training.grounding import sentences
from tools.worlds.kinds import KINDS

DATA = Path(__file__).parents[1] / "data"
APART_FILES = (*(f"dev{number}" for number in range(35, 42)), "e4", "o6", "d2")
APART_STYLES = ("cook", "terse", "history-followup", "rambling", "figurative-idioms")
SOME = 500
"""Of the actions, the controls and the talk that there are, so many stand beside turns that were written for it."""
DESCRIBED, SPOKEN, TOLD = 0.3, 2.0, 3.0
"""What a description of a household's game, ordinary talk by authors of its own, and a wish or talk told in full, count
beside others."""
TOLD_FILES = ("a", "p", "q", "r", "u", "v", "w", "x", "y", "z")
"""The authors of the latter."""
BLOCK, EVERY = 50, 7
"""Of the requests every seventh run of 50 is kept apart."""
HOUSE, MOVE = "alfworld", "go to "
"""The household among the sentences' worlds, and how its moves begin."""
EXCHANGES = 3
"""How many other places each sentence's place exchanges its name with."""
HOUSEHOLD = {kind.task: name for name, kind in KINDS.items() if kind.world == "household"}


@dataclass(frozen=True)
class Said:
    """One turn where no world is open."""

    says: str
    wish: bool
    apart: bool
    kinds: tuple[str, ...] = ()
    """Those that are right; none where that is not known."""
    thing: str = ""
    place: str = ""
    person: bool | None = None
    """Whether the person wants to act there themselves; None where nobody labelled it."""
    counts: bool = True
    """A threshold is chosen on it: not where the task wished for does not exist, or is not told."""
    worth: float = 1.0
    """What it counts in the fit: people's descriptions are many and alike, the wishes told in full few."""


@dataclass(frozen=True)
class Lists:
    """All labelled sentences."""

    turns: list[Said]
    sentences: list[tuple[sentences.Row, bool]]
    behind: list[Behind]

    def drives(self, *, apart: bool) -> tuple[list[str], list[bool]]:
        """Wishes, and whether the person wants to act in them; of those kept apart, or the others."""
        both: list[Said | Behind] = [*self.turns, *self.behind]
        found = [(row.says, row.person, row.apart) for row in both if row.person is not None]
        with gzip.open(DATA / "drive_examples.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = map(json.loads, lines)
            found += [(row["says"], row["drive"] == "person", row["author"] in APART_FILES) for row in rows]
        ours = [(says, person) for says, person, far in found if far == apart]
        return [says for says, _ in ours], [person for _, person in ours]

    def turns_in_worlds(self, *, apart: bool) -> list[tuple[str, str]]:
        """Turns while a task stands, and what each is (TURNS), by authors of their own; apart, or the others."""
        with gzip.open(DATA / "turn_examples.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = list(map(json.loads, lines))
        found = [(row["says"], row["means"]) for row in rows if (row["author"] in APART_FILES) == apart]
        known = {"NONE": "TALK", "STORY": "STORY", "AGAIN": "AGAIN", "LEAVE": "LEAVE"}
        return found + [(r.says, known[r.means]) for r in self.behind if r.apart == apart and r.means in known]


def texts_of(lists: Lists, *, apart: bool) -> tuple[list[str], list[str]]:
    """Turns and what each is; of those that others wrote for this all, of the sentences in worlds and of talk some."""
    rows = lists.turns_in_worlds(apart=apart)
    acts = [(row["says"], "ACTION") for row, far in lists.sentences if far == apart and row["expect"]]
    controls = [(row["says"], row["control"]) for row, far in lists.sentences if far == apart and "control" in row]
    talk = [(row.says, "TALK") for row in lists.turns if row.apart == apart and not row.wish and row.counts]
    for more in (acts, [row for row in controls if row[1] in TURNS], talk):
        rows += random.Random(0).sample(more, min(SOME, len(more)))
    return [says for says, _ in rows], [means for _, means in rows]


@dataclass(frozen=True)
class Behind:
    """One turn behind a task that is over."""

    says: str
    means: str
    """NONE, STORY, AGAIN, ON or LEAVE."""
    apart: bool
    person: bool | None = None
    """As of `Said`."""


def lists(alfworld: Path | None) -> Lists:
    """All there are; `alfworld`: the folder with people's descriptions of households."""
    return Lists(said(alfworld), grounded(), behind())


def behind() -> list[Behind]:
    """All there are."""
    with gzip.open(DATA / "over_examples.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [
            Behind(
                row["says"],
                row["means"],
                row["author"] in APART_FILES,
                row["drive"] == "person" if "drive" in row else None,
            )
            for row in map(json.loads, lines)
        ]


def said(alfworld: Path | None) -> list[Said]:
    """Requests, ordinary talk, and people's descriptions of households; one of each text, the kept apart first."""
    rows = [*_requests(), *_talk(), *(_households(alfworld) if alfworld else ())]
    unique: dict[str, Said] = {}
    for row in sorted(rows, key=lambda row: not row.apart):
        unique.setdefault(row.says.casefold(), row)
    return list(unique.values())


def grounded() -> list[tuple[sentences.Row, bool]]:
    """The sentences said in a world's state, each with whether it is kept apart."""
    files = [(file, file in APART_FILES) for file in sentences.files()]
    apart = {row["says"].casefold() for file, far in files if far for row in sentences.rows(file)}
    return [
        (row, far) for file, far in files for row in sentences.rows(file) if far or row["says"].casefold() not in apart
    ]


def contrasts(rows: Sequence[sentences.Row]) -> list[sentences.Row]:
    """The same sentences in states that differ in what they name: so that "go to the sink" is judged by how many sinks
    there are. A move whose place is not there any more is none of what is possible; and where a sentence's place and
    another one exchange their names, there and in the state, it means what it meant."""
    draw = random.Random(0)
    return [made for row in rows if row["world"] == HOUSE for made in (_without(row), *_exchanged(row, draw)) if made]


def _without(row: sentences.Row) -> sentences.Row | None:
    places = {bare(action) for action in row["expect"]}
    if len(places) != 1 or not (move := min(places)).startswith(MOVE) or move.removeprefix(MOVE) in _lately(row):
        return None
    name = move.removeprefix(MOVE)
    left = [action for action in row["admissible"] if name not in map(bare, _names(action))]
    return {**row, "admissible": left, "expect": []}


def _exchanged(row: sentences.Row, draw: random.Random) -> Iterator[sentences.Row]:
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


def _lately(row: sentences.Row) -> str:
    return " ".join(row.get("recent", ()))


def _names(action: str) -> list[str]:
    return re.findall(r"[a-z]+ \d+", action)


def _requests() -> Iterator[Said]:
    with gzip.open(DATA / "request_examples.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            kind = row["kind"]
            kinds = (kind,) if kind in KINDS else tuple(HOUSEHOLD.values()) if kind == "alfworld" else ()
            author = row.get("author", "")
            far = author in APART_FILES if author else number // BLOCK % EVERY == 0
            counts = kind in KINDS or kind in ("alfworld", "none")
            about = (row.get("thing", ""), row.get("place", ""))
            person = row["drive"] == "person" if "drive" in row else None
            yield Said(row["says"], kind != "none", far, kinds, *about, person, counts, TOLD if author else 1.0)


def _talk() -> Iterator[Said]:
    with gzip.open(DATA / "talk_examples.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield Said(row["says"], False, row["author"] in APART_FILES, worth=SPOKEN)
    for line in (DATA / "gate_fit.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Said(row["text"], row["why"] == "acting in a world", row["style"] in APART_STYLES)


def _households(folder: Path) -> Iterator[Said]:
    for split in ("valid_train", "train"):
        with lzma.open(folder / f"{split}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield from _described(row, split == "valid_train")


def _described(game: dict[str, Any], apart: bool) -> Iterator[Said]:
    about = game["params"]
    place = about["parent_target"] or about["toggle_target"]
    for told in game["anns"]:
        yield Said(
            told["task_desc"],
            True,
            apart,
            (HOUSEHOLD[game["task_type"]],),
            about["object_target"],
            place,
            worth=DESCRIBED,
        )
