"""`python -m tools.worlds.words.backoff_fit DATA...` fits the weights of the back-off to labelled sentences.

DATA are lines of JSON as `bench grounding` reads them. Penalised maximum likelihood of a conditional logit; where
several actions are right, any of them will do.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.worlds.grounding import Impossible, NotAnAction, ground
from tools.worlds.words.backoff import options
from tools.worlds.words.evidence import Features
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings

AROUND = (
    "{}, love", "so I was thinking, {}", "{} if you would be so kind", "{}, chef", "my feet hurt, anyway {}",
    "hey {} it is chilly in here", "right then, where were we, ah yes, {}", "{} period", "um okay so {} comma thanks",
    "I herewith request the following: {}", "{}, my dear, and be quick about it", "like I said earlier, {}",
    "{} because mummy said so", "oh you know what, {} I suppose", "the party shall forthwith {}", "{}!!! lol",
    "nah skip that, {}", "listen, {}, there's a good lad", "{} so we can finally have dinner", "hurry, {}, stat",
)  # fmt: skip
"""Talk to put a sentence into: what it asks for stays the same."""
STRANGE = ("yeet", "frobnicate", "kindly effectuate", "can we finagle", "procure", "wallop", "whoosh")
BARE = ("{}", "{} please", "the {} if you please", "{}, I beg you", "I should like {}", "{} now")
Example = tuple[list[Features], list[bool], float]
"""The options' features, which are right, and how much the sentence counts."""


def examples(paths: Sequence[Path]) -> list[Example]:
    """One for each sentence whose right action is among the options."""
    found: list[Example] = []
    before: dict[str, Any] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            before = {**{k: before.get(k) for k in ("world", "observation", "admissible")}, **row}
            here = Surroundings(
                before["world"], before["admissible"], before.get("observation") or "", None, row.get("recent", ())
            )
            for says, weight in ((row["says"], _weight(row["says"], here)), *_variants(row, here, len(found))):
                scored = options(says, here)
                right = [one.action in row["expect"] if row["expect"] else not one.action for one in scored]
                if any(right):
                    found.append(([one.features for one in scored], right, weight))
    return found


def _variants(row: dict[str, Any], here: Surroundings, at: int) -> Iterator[tuple[str, float]]:
    """The sentence among talk; and where it begins with a verb, without it or with a word that no table knows."""
    says = row["says"]
    yield AROUND[at % len(AROUND)].format(says.rstrip(".!?")), 1.0
    said = heard(says, here)
    cue = max((cue for cue in said.cues if cue.start == 0), key=lambda cue: cue.end, default=None)
    verbs = {here.parse(action).verb for action in row["expect"]}
    if cue is None or not row["expect"]:
        return
    if rest := " ".join(said.words[cue.end :]):
        if verbs & {"go to", "move", "use"}:
            yield f"{STRANGE[at % len(STRANGE)]} {rest}", 1.0
        if verbs & {"go to", "take", "pick up", "move"}:
            yield BARE[at % len(BARE)].format(rest), 1.0


def _weight(says: str, here: Surroundings) -> float:
    """What the rules cannot do counts most: only that comes to the back-off."""
    done = ground(says, here.world, here.admissible, here.observation, None, here.recent)
    return 4.0 if isinstance(done, NotAnAction) or (isinstance(done, Impossible) and done.absent) else 1.0


def fitted(found: Sequence[Example], penalty: float = 0.0002, rounds: int = 400) -> Features:
    """Weights by Adam on the mean loss."""
    import numpy as np

    names = sorted({name for features, _, _ in found for one in features for name in one})
    column = {name: i for i, name in enumerate(names)}
    rows = [one for features, _, _ in found for one in features]
    table = np.zeros((len(rows), len(names)))
    for i, one in enumerate(rows):
        for name, value in one.items():
            table[i, column[name]] = value
    starts = np.cumsum([0, *(len(features) for features, _, _ in found)])[:-1]
    sizes = np.array([len(features) for features, _, _ in found])
    right = np.array([r for _, rights, _ in found for r in rights], dtype=float)
    counts = np.repeat(np.array([weight for _, _, weight in found]), sizes)
    weights, first, second = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, rounds + 1):
        scores = table @ weights
        raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chance = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        wanted = chance * right
        wanted /= np.repeat(np.add.reduceat(wanted, starts) + 1e-30, sizes)
        slope = table.T @ ((chance - wanted) * counts) / counts.sum() + penalty * weights
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = 0.05 * (1 + math.cos(math.pi * step / rounds)) / 2 + 0.002
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return {name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True) if abs(weight) >= 0.02}


def main(arguments: Sequence[str]) -> None:
    """Prints the weights as JSON."""
    print(json.dumps(fitted(examples([Path(argument) for argument in arguments])), indent=0, sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1:])
