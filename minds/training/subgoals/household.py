"""Trains the two-level policy of households (`python main.py train subgoals --world alfworld`) from the demonstrations
that Swift learns from there.

A segment of an episode ends with an act that gets something done and that the expert calls good; its sub-goal is that
act, by kinds. Where something else was done first, or nothing more, there is none to learn.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from minds.policies.subgoals.household import done, subgoals
from minds.policies.subgoals.play import AIMS, DEEDS
from minds.policies.swift.policy import WEIGHTS
from minds.training.processes import card
from minds.training.subgoals import until
from minds.training.swift.demonstrations import data_folder
from minds.training.swift_alfworld.collect import Record
from minds.training.swift_alfworld.command import demonstrations, fit, learning
from minds.training.swift_alfworld.dataset import Sample, Steps, lived, sample

WORLD = "alfworld"
ASTRAY = "-"
"""Stands where something was done that serves no sub-goal."""


def segmented(record: Record) -> list[str]:
    """The sub-goal that each step serves; empty or ASTRAY where it serves none."""
    ends = [
        reached and (reached if told.action in told.good else ASTRAY)
        for memory, _, told in lived(record)
        for reached in [done(memory, told.action, told.said)]
    ]
    return until(ends)


def aims(record: Record) -> Iterator[Sample]:
    """The steps as the generator of sub-goals learns them."""
    for (memory, _, _), current in zip(lived(record), segmented(record), strict=True):
        yield sample(memory, subgoals(memory), (current,))


def deeds(record: Record) -> Iterator[Sample]:
    """The steps as the generator of actions learns them."""
    for (memory, acts, told), current in zip(lived(record), segmented(record), strict=True):
        if current not in ("", ASTRAY):
            serving = {text for text in told.good if done(memory, text) in ("", current)}
            yield sample(memory, acts, serving, current)


FILES: dict[str, Steps] = {AIMS.format(world=WORLD): aims, DEEDS.format(world=WORLD): deeds}


def main(arguments: Sequence[str]) -> None:
    """The command line. Raises Unready, WorldFault."""
    says = "Trains the two-level policy of ALFWorld: one network for sub-goals, one for actions."
    parser = learning(argparse.ArgumentParser(prog="main.py train subgoals --world alfworld", description=says))
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights and the card")
    asked = parser.parse_args(list(arguments))
    records = demonstrations(data_folder(WORLD))
    made = {name: fit(records, asked, asked.out / name, steps) for name, steps in FILES.items()}
    card(asked.out / f"subgoals_{WORLD}.md", "Sub-goals, ALFWorld", made)
