"""Trains the two-level policy (`python main.py train subgoals`) from the demonstrations that Swift learns from.

The sub-goals are cut from the demonstrations (minds/policies/subgoals) or, with `--annotated`, those that a chat model
wrote for them (annotate.py); two small networks of Swift's kind learn which comes next, and which action serves it.
Weights and their card are written.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from minds.policies.subgoals.play import AIMS, DEEDS
from minds.training.processes import card, mapped, say
from minds.training.rows import stored
from minds.training.subgoals.annotate import FILE, Annotation
from minds.training.subgoals.steps import aims, annotated, deeds
from minds.training.swift.command import NOTHING, WORLD, fit, learning
from minds.training.swift.dataset import Steps, gather
from minds.training.swift.demonstrations import data_folder, demonstrations, rooms, told_of, with_others

CARD = "subgoals_scienceworld.md"
CAP = 30
"""The most steps of one pattern (or sub-goal) in one task in an epoch."""
FILES: dict[str, tuple[Steps, int, str]] = {AIMS: (aims, 96, "sub-goals"), DEEDS: (deeds, 128, "actions")}
"""File -> the steps it is trained on, its width, what it chooses among."""


def main(arguments: Sequence[str]) -> int:
    """The command line; 0 when the weights are written, 1 with a sentence on what is missing."""
    says = "Trains the two-level policy of ScienceWorld: one network for sub-goals, one for actions."
    parser = learning(argparse.ArgumentParser(prog="main.py train subgoals", description=says), epochs=7)
    parser.add_argument("--annotated", action="store_true", help="with the sub-goals that `train annotate` asked for")
    parser.add_argument("--jobs", type=int, default=2, help="processes: with two, both networks are trained at once")
    asked, folder = parser.parse_args(list(arguments)), data_folder(WORLD)
    episodes = demonstrations(folder, asked.most, asked.leave_out)
    if not episodes:
        print(NOTHING)
        return 1
    if asked.annotated:
        episodes = annotated(episodes, [Annotation.of(row) for row in stored(folder / FILE)])
        if not episodes:
            print("No demonstration has sub-goals of a chat model yet: python main.py train annotate --model SPEC")
            return 1
    else:
        episodes = with_others(episodes)
    sizes = list(mapped(asked.jobs, fitted, list(FILES), [episodes] * len(FILES), [asked] * len(FILES)))
    made = {"seed": asked.seed, "epochs": asked.epochs, "networks": sizes, **told_of(episodes)}
    card(asked.out / CARD, "Sub-goals, ScienceWorld", made)
    return 0


def fitted(file: str, episodes: Sequence[dict[str, Any]], asked: argparse.Namespace) -> str:
    """Trains one of the two networks and writes it; what it learned from, for the card."""
    import torch

    torch.set_num_threads(1)
    steps, width, chooses = FILES[file]
    places, name = rooms(episodes), file.format(world=WORLD)
    data, known = gather(episodes, places, steps)
    size = f"{name}: {len(data)} steps, {len(known.features)} features, {len(known.patterns)} {chooses}"
    say(size)
    recipe = {"seed": asked.seed, "epochs": asked.epochs, "width": width, "cap": CAP}
    fit(asked.out / name, data, known, [recipe])
    return size
