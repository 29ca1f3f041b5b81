"""What Duet learned, fitted anew: each is one `python main.py train NAME`. Nothing here runs in a conversation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module

TRAININGS = {
    "gate": "minds.training.gate",
    "swift": "minds.training.swift.command",
    "goals": "minds.training.laboratory_goals",
    "wishes": "minds.training.wishes.train",
    "adapter": "minds.training.adapter.train",
    "agreement": "minds.training.agreement",
    "turns": "minds.training.turns.train",
    "subgoals": "minds.training.subgoals.train",
    "annotate": "minds.training.subgoals.annotate",
}
"""A training is a module with `main(arguments)`."""
IN_HOUSEHOLDS = {"swift": "minds.training.swift_alfworld.command", "subgoals": "minds.training.subgoals.household"}
"""The same for `--world alfworld`, with options of their own."""
WORLDS = ("scienceworld", "alfworld")


class Unready(Exception):
    """What a training needs is not there; the sentence says how it comes there."""


def run_training(name: str, arguments: Sequence[str]) -> int:
    """Runs one by its name, which is one of TRAININGS; the exit code."""
    from minds.models.language import ModelFault
    from minds.policies.trained import NoPolicy
    from tools.worlds.world import WorldFault

    module, others = _module(name, arguments)
    try:
        import_module(module).main(others)
    except (Unready, ModelFault, NoPolicy, WorldFault) as fault:
        print(fault)
        return 1
    return 0


def _module(name: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """That of its world, and the arguments for it."""
    if name not in IN_HOUSEHOLDS:
        return TRAININGS[name], list(arguments)
    parser = argparse.ArgumentParser(prog=f"main.py train {name}", add_help=False)
    parser.add_argument("--world", default=WORLDS[0], choices=WORLDS)
    which, others = parser.parse_known_args(list(arguments))
    return (TRAININGS if which.world == WORLDS[0] else IN_HOUSEHOLDS)[name], others
