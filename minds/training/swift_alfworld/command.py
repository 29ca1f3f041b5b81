"""Trains the policy that acts in ALFWorld (`python main.py train swift --world alfworld`).

With `--collect` the demonstrations are made and the learner's own play is judged, round by round; they live under
DUET_HOME and are resumed. Without it, what is there is trained from and the weights and their card are written.
`bench alfworld --split SPLIT --weights DIR` plays with them: `household`, `valid_seen`, ...
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from minds.policies.swift_alfworld.policy import WEIGHTS
from minds.training import Unready, rows
from minds.training.calibrate import platt
from minds.training.processes import card, mapped, say, write
from minds.training.swift.demonstrations import NOTHING, data_folder
from minds.training.swift_alfworld.collect import DEV_SEEDS, SEEDS, Record, collect, households, official
from minds.training.swift_alfworld.dataset import Steps, gather, walk
from tools.worlds.world import WorldSpec

EXPERT, SEARCHES, JUDGED, APART = "expert.jsonl.gz", "searches.jsonl.gz", "judged{}.jsonl.gz", "apart.jsonl.gz"
ROUNDS = 2
"""In which the learner plays a part of the games."""
HARD = 0.3
"""Share of those in which the search is long."""
TRIED = 200
"""Household games that are reported."""
PARTS = 2
"""In which demonstrations are replayed, by however many processes: what is learned hangs on their order."""
LEAST = 0.05
"""Of the slope of the confidence, so that it cannot turn round."""


def main(arguments: Sequence[str]) -> None:
    """The command line. Raises Unready, NoPolicy, WorldFault."""
    asked, folder = _asked(arguments), data_folder("alfworld")
    if asked.collect:
        _collect(folder, asked)
    card(asked.out.with_suffix(".md"), "Swift, ALFWorld", fit(demonstrations(folder), asked, asked.out))


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    says = __doc__.partition("\n")[0]
    parser = argparse.ArgumentParser(prog="main.py train swift --world alfworld", description=says)
    parser.add_argument("--collect", action="store_true", help="make demonstrations first, on train games only")
    parser.add_argument("--games", type=int, default=2400, help="household games to learn from")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="file of the weights; the card goes beside it")
    return learning(parser).parse_args(list(arguments))


def learning(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """With the options of all trainings from these demonstrations."""
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def _collect(folder: Path, asked: argparse.Namespace) -> None:
    """The expert's play, then rounds in which a learner of all so far plays and is judged."""
    specs = official()[0] + households(SEEDS, asked.games)
    collect(folder / EXPERT, specs, None, asked.jobs)
    collect(folder / SEARCHES, specs[:: ROUNDS + 1], None, asked.jobs, hard=1.0)
    for number in range(1, ROUNDS + 1):
        learner = folder / f"learner{number}.safetensors"
        if not learner.is_file():
            fit(demonstrations(folder, number), asked, learner)
        collect(folder / JUDGED.format(number), specs[number :: ROUNDS + 1], learner, asked.jobs, HARD)


def demonstrations(folder: Path, rounds: int = ROUNDS + 1) -> list[Record]:
    """Of the expert, and of the rounds before this one. Raises Unready where there are none."""
    names = [EXPERT, SEARCHES, *map(JUDGED.format, range(1, rounds))]
    found = [record for name in names for record in rows.records(folder / name, Record)]
    if not found:
        raise Unready(NOTHING.format("alfworld"))
    return found


def fit(records: Sequence[Record], asked: argparse.Namespace, out: Path, steps: Steps = walk) -> dict[str, object]:
    """Writes the weights; what the card says of them."""
    from minds.training.swift_alfworld.train import judged, train

    began = time.monotonic()
    parts = mapped(asked.jobs, gather, [records[i::PARTS] for i in range(PARTS)], [steps] * PARTS)
    data = [step for part in parts for step in part]
    say(f"{len(records)} episodes, {len(data)} steps")
    network = train(data, asked.epochs, asked.seed)
    logits, good = judged(network, gather(apart(asked.jobs), steps))
    slope, bias = platt(logits[:, None], good)
    meta = {"temperature": 1 / max(slope, LEAST), "bias": bias, "seed": asked.seed}
    write(out, network.arrays(), {"meta": json.dumps(meta)})
    return {
        "seed": asked.seed,
        "epochs": asked.epochs,
        "minutes": round((time.monotonic() - began) / 60),
        "episodes": len(records),
        "steps": len(data),
        "games by source": Counter(task.split("/")[0] for task, _ in {(r.task, r.variation) for r in records}),
        "held-out states answered well": round(float(good.mean()), 4),
    }


def apart(jobs: int) -> list[Record]:
    """The expert's play of games that are not trained on, which is collected, too."""
    file = data_folder("alfworld") / APART
    collect(file, official()[1] + households(DEV_SEEDS, TRIED), None, jobs)
    return list(rows.records(file, Record))


def games(split: str) -> list[WorldSpec]:
    """The games of a split of the data set, or generated ones. Raises UnknownTask."""
    from tools.worlds.alfworld import specs

    return households(0, TRIED) if split == "household" else list(specs(split))
