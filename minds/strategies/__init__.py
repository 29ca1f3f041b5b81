"""Strategies by name: one file a paper. A new one is a file here and a line in the map."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minds.slow import Strategy, Workbench

STRATEGIES = {
    "react": "minds.strategies.react:ReAct",
}


def open_strategy(name: str, bench: Workbench) -> Strategy:
    """A new strategy for one episode. Raises KeyError on a name that is not in the map."""
    module, _, cls = STRATEGIES[name].partition(":")
    strategy: Strategy = getattr(import_module(module), cls)(bench)
    return strategy
