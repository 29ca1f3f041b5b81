"""Trains a Swift policy (`python main.py train swift --world scienceworld [--collect]`; ALFWorld has its own).

With `--collect` demonstrations are made first, on the train split only; they live under DUET_HOME and are resumed
where they stopped. Without it, what is there is trained from, and the weights and their card are written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from minds.policies.swift.network import Lexicon, Network, load
from minds.policies.swift.policy import NAME, WEIGHTS, SwiftPolicy
from minds.policies.swift.walking import FILE
from minds.training import Unready
from minds.training.processes import card, say
from minds.training.swift.calibrate import run
from minds.training.swift.collect import collect, hand_over
from minds.training.swift.dataset import UNKNOWING, Sample, gather
from minds.training.swift.demonstrations import data_folder, demonstrations, doors, rooms, told_of, with_others
from tools.worlds import simulator
from tools.worlds.world import Simulator

WORLD = "scienceworld"
ELSEWHERE = "Of households: --world alfworld, with options of its own (--world alfworld --help)."
SEEDS = 100
"""So many networks of one seed have seeds of their own."""


def main(arguments: Sequence[str]) -> None:
    """The command line of the training. Raises Unready, NoPolicy, WorldFault."""
    asked, folder = _asked(arguments), data_folder(WORLD)
    if asked.join:
        join(asked.out / NAME.format(world=WORLD), asked.join)
    elif asked.collect or asked.calibrate or asked.handovers:
        with closing(simulator(WORLD)) as worlds:
            _played(worlds, folder, asked)
    else:
        _learned(folder, asked)


def _played(worlds: Simulator, folder: Path, asked: argparse.Namespace) -> None:
    """What is made in the simulator."""
    if asked.calibrate:
        run(worlds, folder / "dev.jsonl", asked.out, asked.calibrate, asked.leave_out)
        return
    if asked.collect:
        collect(worlds, folder, asked.variations, asked.leave_out)
    if asked.handovers:
        policy = SwiftPolicy.load(WORLD, asked.begin or WEIGHTS)
        hand_over(worlds, folder, policy, asked.variations, asked.handovers, asked.leave_out)


def _learned(folder: Path, asked: argparse.Namespace) -> None:
    """Weights, map and card."""
    episodes = with_others(demonstrations(folder, asked.most, asked.leave_out))
    before = load(asked.begin / NAME.format(world=WORLD)) if asked.begin else None
    former = before.known if before else UNKNOWING
    data, known = gather(episodes, former.rooms or rooms(episodes), before=former)
    say(f"{len(episodes)} episodes, {len(data)} steps, {len(known.features)} features")
    same = {"epochs": asked.epochs, "rate": asked.rate}
    recipes = ({"seed": asked.seed * SEEDS + n, **same} for n in range(asked.networks))
    fit(asked.out / NAME.format(world=WORLD), data, known, recipes, before)
    (asked.out / FILE.format(world=WORLD)).write_text(json.dumps(doors(episodes), indent=1) + "\n", encoding="utf-8")
    made = {name: getattr(asked, name) for name in ("seed", "networks", "epochs")} | {"steps": len(data)}
    card(asked.out / f"swift_{WORLD}.md", f"Swift, {WORLD}", made | told_of(episodes))


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    says = "Trains Swift, the policy that acts in a text world without a language model."
    parser = argparse.ArgumentParser(prog="main.py train swift", description=says, epilog=ELSEWHERE)
    made = "make demonstrations on the train split, but of types left out"
    parser.add_argument("--collect", action="store_true", help=made)
    handovers = "episodes of each variation that the policy of --begin (else Duet's) begins and the solution ends"
    parser.add_argument("--handovers", type=int, default=0, help=handovers)
    confidence = "fit the confidence to so many dev episodes of each type, no more"
    parser.add_argument("--calibrate", type=int, default=0, help=confidence)
    parser.add_argument("--variations", type=int, default=40, help="of each type of task, at most, to collect")
    parser.add_argument("--networks", type=int, default=2, help="trained apart, averaged at play")
    parser.add_argument("--begin", type=Path, help="folder of weights to go on from")
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning")
    joined = "folders of weights: the first one's first network, the second's second and so on become one policy"
    parser.add_argument("--join", type=Path, nargs="+", metavar="FOLDER", help=joined)
    return learning(parser, epochs=12).parse_args(list(arguments))


def learning(parser: argparse.ArgumentParser, epochs: int) -> argparse.ArgumentParser:
    """With the options of all trainings from these demonstrations."""
    parser.add_argument("--most", type=int, default=0, help="of each type of task, at most, to train from; 0 is all")
    parser.add_argument("--leave-out", nargs="*", default=[], help="types of task not to train from")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights and the card")
    return parser


def fit(
    path: Path,
    data: Sequence[Sample],
    known: Lexicon,
    recipes: Iterable[Mapping[str, Any]],
    before: Network | None = None,
) -> None:
    """Trains a network by each recipe (fields of `Recipe`) and writes them to one file."""
    from minds.training.swift.train import Recipe, save, train

    save(path, [train(data, known, Recipe(**recipe), before) for recipe in recipes], known)


def join(path: Path, folders: Sequence[Path]) -> None:
    """Writes the n-th network of the n-th folder's file of that name to one, each with all features that one knows.
    Raises Unready where they do not choose among the same acts."""
    from minds.training.swift.train import Swift, save, taken_over

    parts = [load(folder / path.name) for folder in folders]
    (patterns, rooms), *others = {(part.known.patterns, part.known.rooms) for part in parts}
    if others:
        raise Unready("These networks do not choose among the same acts.")
    features = sorted({name for part in parts for name in part.known.features})
    known, networks = Lexicon({name: n for n, name in enumerate(features, 1)}, patterns, rooms), list[Swift]()
    for number, part in enumerate(parts):
        width = part.arrays["kind.weight"].shape[-1]
        networks.append(Swift(len(features) + 1, len(patterns), width, part.layers, part.heads))
        taken_over(networks[-1], part, number, known)
    save(path, networks, known)
