"""What holds of every simulator in the map."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tests.toyworld import ToyWorlds
from tools.worlds import WORLDS, simulator
from tools.worlds.world import Simulator


def missing(kind: Any) -> list[str]:
    """What the protocol has and this has not."""
    return [name for name in vars(Simulator) if not name.startswith("_") and not hasattr(kind, name)]


@pytest.mark.parametrize("name", WORLDS)
def test_each_offers_all_that_there_is_to_one(name: str) -> None:
    module, _, kind = WORLDS[name].partition(":")
    assert missing(getattr(import_module(module), kind)) == [] and simulator(name).name == name


def test_what_is_missing_is_named() -> None:
    class Half:
        name = "half"
        ready = tasks = open = None

    assert missing(Half) == ["variations", "close"] and missing(ToyWorlds()) == []
