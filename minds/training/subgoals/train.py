"""Trains the two-level policy (`python main.py train subgoals`) from the demonstrations that Swift learns from.

The sub-goals are cut from the demonstrations (minds/policies/subgoals) or, with `--annotated`, those that a chat model
wrote for them (annotate.py); two small networks of Swift's kind learn which comes next, and which action serves it.
Weights and their card are written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minds.policies.subgoals.play import AIMS, DEEDS
from minds.policies.swift.policy import WEIGHTS
from minds.training.processes import mapped
from minds.training.subgoals.annotate import FILE, Annotation
from minds.training.subgoals.steps import aims, annotated, deeds
from minds.training.swift.collect import stored
from minds.training.swift.dataset import Steps, gather, joined
from minds.training.swift.demonstrations import by_type, data_folder, demonstrations, rooms, with_others

WORLD = "scienceworld"
CARD = "subgoals_scienceworld.md"
CAP = 30
"""The most steps of one pattern (or sub-goal) in one task in an epoch."""
FILES: dict[str, tuple[Steps, int, str]] = {AIMS: (aims, 96, "sub-goals"), DEEDS: (deeds, 128, "actions")}
"""File -> the steps it is trained on, its width, what it chooses among."""


def main(arguments: Sequence[str]) -> int:
    """The command line; 0 when the weights are written, 1 with a sentence on what is missing."""
    asked = _asked(arguments)
    folder = data_folder(WORLD)
    episodes = demonstrations(folder, asked.most, tuple(asked.leave_out))
    if not episodes:
        print(f"There are no demonstrations yet: python main.py train swift --world {WORLD} --collect")
        return 1
    if asked.annotated:
        episodes = annotated(episodes, [Annotation.of(row) for row in stored(folder / FILE)])
        if not episodes:
            print("No demonstration has sub-goals of a chat model yet: python main.py train annotate --model SPEC")
            return 1
    else:
        episodes = with_others(episodes, asked.revalued)
    began = time.monotonic()
    asked.out.mkdir(parents=True, exist_ok=True)
    lines = list(mapped(asked.jobs, fitted, list(FILES), [episodes] * len(FILES), [asked] * len(FILES)))
    _card(asked, lines, episodes, time.monotonic() - began)
    return 0


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    says = "Trains the two-level policy of ScienceWorld: one network for sub-goals, one for actions."
    parser = argparse.ArgumentParser(prog="main.py train subgoals", description=says)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=0, help="variations of each type of task to train from; 0 is all")
    parser.add_argument("--revalued", type=int, default=4, help="tellings in other values, where one is asked about")
    parser.add_argument("--annotated", action="store_true", help="with the sub-goals that `train annotate` asked for")
    parser.add_argument("--leave-out", nargs="*", default=[], help="types of task not to train from")
    parser.add_argument("--jobs", type=int, default=2, help="processes: with two, both networks are trained at once")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights and the card")
    return parser.parse_args(list(arguments))


def fitted(file: str, episodes: Sequence[dict[str, Any]], asked: argparse.Namespace) -> str:
    """Trains one of the two networks and writes it; what it learned from, for the card."""
    import torch

    from minds.policies.swift.network import save
    from minds.training.swift.train import Recipe, train

    torch.set_num_threads(1)
    steps, width, chooses = FILES[file]
    places = rooms(episodes)
    data, known = joined([gather(episodes, places, steps)], places)
    size = f"{file.format(world=WORLD)}: {len(data)} steps, {len(known.features)} features, "
    size += f"{len(known.patterns)} {chooses}"
    print(size, flush=True)
    recipe = Recipe(seed=asked.seed, epochs=asked.epochs, width=width, cap=CAP)
    network = train(data, known, recipe, lambda said: print(f"{chooses}: {said}", flush=True))
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    save(asked.out / file.format(world=WORLD), [arrays], known, network.shape.heads, network.shape.layers)
    return size


def _card(asked: argparse.Namespace, lines: Sequence[str], episodes: Sequence[dict[str, Any]], seconds: float) -> None:
    """What the weights were made from, beside them; measured figures are added by hand from a benchmark's summary."""
    about = {"seed": asked.seed, "epochs": asked.epochs, "episodes": len(episodes)}
    text = ["# Sub-goals, ScienceWorld", "", f"Trained in {seconds / 60:.0f} minutes. {json.dumps(about)}", ""]
    text += [*(f"- {line}" for line in lines), "", *by_type(episodes)]
    (asked.out / CARD).write_text("\n".join(text) + "\n", encoding="utf-8")
