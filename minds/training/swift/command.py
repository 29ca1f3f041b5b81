"""Trains a Swift policy (`python main.py train swift --world scienceworld [--collect]`; ALFWorld has its own).

With `--collect` demonstrations are made first, on the train split only; they live under DUET_HOME and are resumed
where they stopped. Without it, what is there is trained from, and the weights and their card are written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from minds.policies.swift.encoding import Lexicon
from minds.policies.swift.policy import WEIGHTS, SwiftPolicy
from minds.policies.swift.walking import doors
from minds.policies.swift.walking import save as save_doors
from minds.training.processes import mapped, say
from minds.training.swift.collect import collect, relabel
from minds.training.swift.dataset import Sample, gather, joined
from minds.training.swift.demonstrations import by_type, data_folder, demonstrations, rooms, with_others
from tools.worlds import simulator

CARD = "swift_{world}.md"
SEEDS = 100
"""So many networks of one seed have seeds of their own."""


def main(arguments: Sequence[str]) -> int:
    """The command line of the training; 0 when the weights are written (or the data collected)."""
    which, others = _world().parse_known_args(list(arguments))
    if which.world == "alfworld":
        from minds.training.swift_alfworld import command

        return command.main(others)
    asked = _asked(arguments)
    folder = data_folder(asked.world)
    if asked.collect:
        with closing(simulator(asked.world)) as worlds:
            if asked.relabel:
                relabel(worlds, folder, SwiftPolicy.load(asked.world, asked.out), asked.relabel, say, asked.only)
            else:
                collect(worlds, folder, asked.variations, say, asked.only)
        return 0
    if asked.calibrate:
        return _calibrate(asked, folder)
    episodes = with_others(demonstrations(folder, asked.most, tuple(asked.leave_out)), asked.revalued)
    if not episodes:
        print(f"There are no demonstrations yet: python main.py train swift --world {asked.world} --collect")
        return 1
    began = time.monotonic()
    data, known = encoded(episodes, rooms(episodes), asked.jobs)
    print(f"{len(episodes)} episodes, {len(data)} steps, {len(known.features)} features", flush=True)
    _fit(data, known, asked)
    save_doors(asked.out, asked.world, doors(episodes))
    _card(asked, episodes, len(data), time.monotonic() - began)
    return 0


def _calibrate(asked: argparse.Namespace, folder: Path) -> int:
    from minds.training.swift.calibrate import run

    with closing(simulator(asked.world)) as worlds:
        return run(worlds, folder / "dev.jsonl", asked.out, asked.calibrate, say)


def _world() -> argparse.ArgumentParser:
    """Each world's training has options of its own."""
    parser = argparse.ArgumentParser(prog="main.py train swift", add_help=False)
    text = "which world's policy (scienceworld); the options of the other: --world alfworld --help"
    parser.add_argument("--world", default="scienceworld", choices=["scienceworld", "alfworld"], help=text)
    return parser


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    says = "Trains Swift, the policy that acts in a text world without a language model."
    parser = argparse.ArgumentParser(prog="main.py train swift", description=says, parents=[_world()])
    parser.add_argument("--collect", action="store_true", help="make demonstrations on the train split")
    parser.add_argument(
        "--relabel", type=int, default=0, help="with --collect: rounds of own play that the oracle ends"
    )
    parser.add_argument("--only", nargs="*", default=[], help="with --collect: types of task; all unless told")
    parser.add_argument(
        "--calibrate", type=int, default=0, help="fit the confidence to so many dev episodes of each type, no more"
    )
    parser.add_argument("--variations", type=int, default=40, help="of each type of task, at most, to collect")
    parser.add_argument("--most", type=int, default=0, help="of each type of task, at most, to train from; 0 is all")
    parser.add_argument("--leave-out", nargs="*", default=[], help="types of task not to train from")
    parser.add_argument("--revalued", type=int, default=4, help="tellings in other values, where one is asked about")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--networks", type=int, default=2, help="trained apart, averaged at play")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes that read the demonstrations")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights and the card")
    return parser.parse_args(list(arguments))


def encoded(episodes: Sequence[dict[str, Any]], places: Sequence[str], jobs: int) -> tuple[list[Sample], Lexicon]:
    """The steps as arrays, read by some processes."""
    jobs = max(1, jobs)
    return joined(list(mapped(jobs, gather, [episodes[i::jobs] for i in range(jobs)], [places] * jobs)), places)


def _fit(data: Sequence[Sample], known: Lexicon, asked: argparse.Namespace) -> None:
    from minds.policies.swift.network import save
    from minds.training.swift.train import Recipe, train

    networks = []
    for number in range(asked.networks):
        recipe = Recipe(seed=asked.seed * SEEDS + number, epochs=asked.epochs)
        print(f"network {number + 1}/{asked.networks}", flush=True)
        networks.append(train(data, known, recipe, say))
    arrays = [{name: value.numpy() for name, value in network.state_dict().items()} for network in networks]
    shape = networks[0].shape
    asked.out.mkdir(parents=True, exist_ok=True)
    save(asked.out / f"swift_{asked.world}.safetensors", arrays, known, shape.heads, shape.layers)


def _card(asked: argparse.Namespace, episodes: Sequence[dict[str, Any]], steps: int, seconds: float) -> None:
    """What the weights were made from, beside them; measured figures are added by hand from a benchmark's summary."""
    about = {name: getattr(asked, name) for name in ("seed", "networks", "epochs")}
    about |= {"episodes": len(episodes), "steps": steps}
    lines = [f"# Swift, {asked.world}", "", f"Trained in {seconds / 60:.0f} minutes. {json.dumps(about)}", ""]
    lines += by_type(episodes)
    (asked.out / CARD.format(world=asked.world)).write_text("\n".join(lines) + "\n", encoding="utf-8")
