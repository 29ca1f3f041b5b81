"""Strategies by name: one file a paper. A new one is a file here and a line in a map.

One that tries a task in a world again where it failed (`reflexion`, `sala`) is a `minds.slow.Retrying`. The loop tries
again only where its caller gave it `Trials`: a benchmark does, and the slow mind's driving of a task that nobody else
acted in; elsewhere the answer says that the task cannot be begun anew.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minds.slow import Strategy, Workbench

STRATEGIES = {
    "react": "minds.strategies.react:ReAct",
    "plain": "minds.strategies.react:ReAct",
}
"""Outside of worlds: questions, with tools. `plain` is ReAct whatever the model; a small one otherwise gets help."""
WORLD_STRATEGIES = {
    "swift": "minds.strategies.swift:learned",
    "duet": "minds.strategies.duet:AskingSwift",
    "swiftsage": "minds.strategies.swiftsage:SwiftSage",
    "subgoals": "minds.strategies.subgoals:learned",
    "react": "minds.strategies.world_react:WorldReAct",
    "act": "minds.strategies.world_react:WorldAct",
    "reflexion": "minds.strategies.reflexion:Reflexion",
    "saycan": "minds.strategies.saycan:SayCan",
    "interact": "minds.strategies.interact:InterAct",
    "sala": "minds.strategies.sala:SALA",
    "oracle": "minds.strategies.oracle:Oracle",
}
"""In text worlds. `oracle` plays the simulator's own solution and is never a default."""
HEEDLESS = frozenset({"swift", "subgoals", "oracle"})
"""Of these, those that no word of the person's reaches: they do only the task."""


def open_strategy(name: str, bench: Workbench) -> Strategy:
    """A new strategy for one episode, at the desk or in the bench's world. Raises KeyError on an unknown name."""
    module, _, cls = (WORLD_STRATEGIES if bench.world else STRATEGIES)[name].partition(":")
    strategy: Strategy = getattr(import_module(module), cls)(bench)
    return strategy


def default_world_strategy(world: str, strong: bool) -> str:
    """What drives in a world where nobody chose: by what the slow mind's model can do."""
    if world not in ("scienceworld", "alfworld"):
        return "react"
    return "duet" if strong else "swift"
