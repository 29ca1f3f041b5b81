"""What the request reader is fitted on: own phrases, chat turns, and people's words for household games.

People's descriptions of ALFWorld games are read where ALFWORLD_DATA points (train and valid_train only), never stored.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minds.requests import Combo
from minds.requests.lexicon import lexicon
from minds.training.gate.turns import DATA, read_turns

PHRASES = DATA / "requests_fit.txt"
CHAT = DATA / "gate_fit.jsonl"
COPIES = 3
"""Of each phrase with a blank to fill; each filled anew."""
WRAPPED = 0.35
"""Share of copies with something polite, rambling or careless around them."""
_BLANK = re.compile(r"\{(\w+)\}")
BEFORE = (
    "please ", "can you ", "could you ", "hey, ", "ok so ", "now ", "i want you to ", "i'd like you to ", "let's ",
    "go and ", "try to ", "your task: ", "next: ", "hi! would you ", "duet, ", "alright, ", "pls ", "we need to ",
    "would you mind to ", "you have to ", "how about you ", "today i want to ", "help me ", "start: ", "for my class, ",
)  # fmt: skip
AFTER = (
    " please", " pls", " thanks", " for me", " now", " if you can", " ok?", "!", ".", " in the lab", " for me please",
    " and tell me how it went", " when you're ready", " - take your time", ", would you?", " asap",
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """A turn and what it asks for: a label of `requests_fit.txt`."""

    text: str
    label: str


@dataclass(frozen=True)
class Game:
    """One person's description of one game, and the game: its kind, its thing, its place, its home."""

    text: str
    kind: str
    thing: str
    place: str
    home: int = 0
    """The number of its floor plan."""

    @property
    def combo(self) -> tuple[str, str, str]:
        return self.kind, self.thing, self.place


def phrases(path: Path = PHRASES) -> list[Said]:
    """The phrases as they are written, blanks unfilled."""
    found, label = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            label = line.removeprefix("# ")
        elif line and not line.startswith("##"):
            found.append(Said(line, label))
    return found


def filled(said: list[Said], seed: int = 0) -> Iterator[list[Said]]:
    """For each phrase its COPIES, blanks filled, some wrapped; the same ones for the same phrases and seed."""
    chance, turns = random.Random(seed), {name: random.Random(f"{seed} {name}") for name in lexicon()}
    for phrase in said:
        copies = []
        for copy in range(COPIES if "{" in phrase.text or phrase.label != "none" else 1):
            text = _BLANK.sub(lambda match: turns[match[1]].choice(lexicon()[match[1]]), phrase.text)
            if copy and phrase.label != "none" and chance.random() < WRAPPED / (1 - 1 / COPIES):
                text = chance.choice(BEFORE) + text if chance.random() < 0.6 else text + chance.choice(AFTER)
            copies.append(Said(text, phrase.label))
        yield copies


def chat(path: Path = CHAT) -> list[Said]:
    """The gate's fitted turns, without those that want something done in a world."""
    turns = [turn for turn in read_turns(path) if turn.text.strip() and turn.why != "acting in a world"]
    return [Said(turn.text, "none") for turn in turns]


def games(root: Path, split: str) -> list[Game]:
    """Every description of every game of a split of the ALFWorld data set, in the order of their folders."""
    return [game for path in sorted((root / "json_2.1.1" / split).glob("*/*/traj_data.json")) for game in _games(path)]


def _games(path: Path) -> Iterator[Game]:
    trajectory = json.loads(path.read_text(encoding="utf-8"))
    wanted = trajectory["pddl_params"]
    place = wanted["parent_target"] or wanted["toggle_target"]
    home = int(trajectory["scene"]["scene_num"])
    for told in trajectory["turk_annotations"]["anns"]:
        yield Game(told["task_desc"].strip(), trajectory["task_type"], wanted["object_target"], place, home)


def there(described: Iterable[Game]) -> Callable[[Combo], frozenset[int]]:
    """In which homes a household task can be opened where only these games are."""
    homes: dict[tuple[str, str, str], set[int]] = {}
    for game in described:
        homes.setdefault(game.combo, set()).add(game.home)
    return lambda combo: frozenset(homes.get((combo.kind, combo.thing, combo.place), ()))
