"""Fits the head that hears what a turn at the estate agency's desk is about, on tools/housing/acts.txt.

It prints how often the likeliest act is right on turns that were held out (five folds), and how often where the head
is sure; then it fits all turns and writes the weights.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tools.housing import acts

FOLDS, SURE = 5, 0.5


def held_out(turns: Sequence[tuple[str, str]], embed: acts.Embed, folds: int = FOLDS) -> tuple[float, float, float]:
    """Share right, share of turns with a likeliest act above SURE, and share right of these; each turn unseen once."""
    order = np.random.default_rng(0).permutation(len(turns))
    right, sure = np.zeros(len(turns), bool), np.zeros(len(turns), bool)
    for fold in range(folds):
        unseen = order[fold::folds]
        seen = [turns[at] for at in range(len(turns)) if at not in set(unseen.tolist())]
        names, weights = acts.fit(seen, embed, rounds=250)
        for at in unseen:
            shares = acts.shares(turns[at][1], embed, weights)
            right[at], sure[at] = names[int(shares.argmax())] == turns[at][0], shares.max() > SURE
    return float(right.mean()), float(sure.mean()), float(right[sure].mean()) if sure.any() else 0.0


def main(argv: Sequence[str]) -> int:
    """`python main.py train desk`"""
    parser = argparse.ArgumentParser(prog="train desk", description=__doc__)
    parser.add_argument("--turns", type=Path, default=acts.TURNS, help="`# act` lines, each with its turns below")
    parser.add_argument("--out", type=Path, default=acts.WEIGHTS, help="where the weights are written")
    asked = parser.parse_args(argv)
    from memory.embedder import Embedder

    turns, embed = acts.labelled(asked.turns), Embedder(kept=20_000).embed
    right, sure, right_sure = held_out(turns, embed)
    print(f"{len(turns)} turns, held out: {right:.1%} right; sure of {sure:.1%}, of which {right_sure:.1%} right")
    acts.save(*acts.fit(turns, embed), asked.out)
    print(asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
