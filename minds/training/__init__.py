"""What Duet learned, fitted anew: each is one `python main.py train NAME`. Nothing here runs in a conversation."""

from __future__ import annotations

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
"""A training is a module with `main(arguments) -> exit code`."""


def run_training(name: str, arguments: Sequence[str]) -> int:
    """Runs one by its name, which is one of TRAININGS."""
    code: int = import_module(TRAININGS[name]).main(list(arguments))
    return code
