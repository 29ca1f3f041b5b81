"""Trains the two-level policy (`python main.py train subgoals`) from the demonstrations that Swift learns from.

The sub-goals are cut from the demonstrations (minds/policies/subgoals); two small networks of Swift's kind learn which
comes next, and which action serves it. Weights and their card are written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from minds.policies.subgoals.play import AIMS, DEEDS
from minds.policies.subgoals.views import aims, deeds
from minds.policies.swift.dataset import Lexicon, Sample, Steps, gather, joined
from minds.policies.swift.policy import WEIGHTS
from minds.policies.train_swift import data_folder, demonstrations, rooms

WORLD = "scienceworld"
CARD = "subgoals_scienceworld.md"
CAP = 45
"""The most steps of one pattern (or sub-goal) in one task in an epoch: half of Swift's, as there are two to train."""
WIDE = {AIMS: 96, DEEDS: 128}


def main(arguments: Sequence[str]) -> int:
    """The command line; 0 when the weights are written, 1 with a sentence on what is missing."""
    asked = _asked(arguments)
    episodes = demonstrations(data_folder(WORLD), asked.most, tuple(asked.leave_out))
    if not episodes:
        print(f"There are no demonstrations yet: python main.py train swift --world {WORLD} --collect")
        return 1
    began = time.monotonic()
    lines = [f"seed {asked.seed}, {asked.epochs} epochs, {len(episodes)} episodes."]
    for file, steps, says in ((AIMS, aims, "sub-goals"), (DEEDS, deeds, "actions")):
        data, known = encoded(episodes, steps, asked.jobs)
        size = {"steps": len(data), "features": len(known.features), says: len(known.patterns)}
        print(json.dumps(size), flush=True)
        _fit(data, known, asked, file)
        lines.append(f"{file.format(world=WORLD)}: {json.dumps(size)}.")
    _card(asked, lines, sorted({row["task"] for row in episodes}), time.monotonic() - began)
    return 0


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    says = "Trains the two-level policy of ScienceWorld: one network for sub-goals, one for actions."
    parser = argparse.ArgumentParser(prog="main.py train subgoals", description=says)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=0, help="variations of each type of task to train from; 0 is all")
    parser.add_argument("--leave-out", nargs="*", default=[], help="types of task not to train from")
    parser.add_argument("--jobs", type=int, default=2, help="processes that read the demonstrations")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights and the card")
    return parser.parse_args(list(arguments))


def encoded(episodes: Sequence[dict[str, Any]], steps: Steps, jobs: int) -> tuple[list[Sample], Lexicon]:
    """The steps as one of the networks sees them, read by some processes."""
    places = rooms(episodes)
    if jobs < 2:
        return joined([gather(episodes, places, steps)], places)
    with ProcessPoolExecutor(jobs) as pool:
        shares = [episodes[i::jobs] for i in range(jobs)]
        return joined(list(pool.map(gather, shares, [places] * jobs, [steps] * jobs)), places)


def _fit(data: Sequence[Sample], known: Lexicon, asked: argparse.Namespace, file: str) -> None:
    from minds.policies.swift.network import save
    from minds.policies.swift.train import Recipe, train

    recipe = Recipe(seed=asked.seed, epochs=asked.epochs, width=WIDE[file], cap=CAP)
    network = train(data, known, recipe, lambda said: print(said, flush=True))
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    asked.out.mkdir(parents=True, exist_ok=True)
    save(asked.out / file.format(world=WORLD), arrays, known, network.shape.heads, network.shape.layers)


def _card(asked: argparse.Namespace, lines: Sequence[str], tasks: Sequence[str], seconds: float) -> None:
    """What the weights were made from, beside them; measured figures are added by hand from a benchmark's summary."""
    made = [f"Trained in {seconds / 60:.0f} minutes: {lines[0]}", "", *(f"- {line}" for line in lines[1:])]
    text = ["# Sub-goals, ScienceWorld", "", *made, "", f"Types of task: {', '.join(tasks)}."]
    (asked.out / CARD).write_text("\n".join(text) + "\n", encoding="utf-8")
