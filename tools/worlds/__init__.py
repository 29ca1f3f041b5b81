"""The text worlds by name. A new world is one file with a `Simulator` and one line in `WORLDS`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.worlds.world import Simulator

WORLDS = {
    "scienceworld": "tools.worlds.scienceworld:ScienceWorlds",
    "alfworld": "tools.worlds.alfworld:AlfWorlds",
    "textworld": "tools.worlds.textworld:TextWorlds",
}
"""Name -> module:class; the class takes nothing and reads nothing until it is used."""


def simulator(name: str) -> Simulator:
    """A new one, nothing started yet. Raises KeyError for a name that is not in the map."""
    module, _, cls = WORLDS[name].partition(":")
    made: Simulator = getattr(import_module(module), cls)()
    return made
