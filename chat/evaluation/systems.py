"""The systems that are put side by side: which minds, which memory, which strategy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from chat.faults import one_of
from chat.settings import Options


@dataclass(frozen=True)
class System:
    """One way to wire the conversation."""

    name: str
    minds: Literal["both", "fast", "slow"] = "both"
    memory: bool = False
    strategy: str = ""
    """Empty: that of the settings."""
    core_only: bool = False
    """It plays no other scripts than the core's."""

    def options(self, options: Options, domain: str) -> Options:
        """Those of the settings, with this system's on top."""
        strategy = self.strategy or options.strategy
        return replace(options, domain=domain, minds=self.minds, memory=self.memory, strategy=strategy)


_ALL = (
    System("fast-only", "fast"),
    System("slow-only", "slow"),
    System("dual"),  # DUMA
    System("dual+memory", memory=True),  # what was found before is answered at once, who comes back is known (DUMA 2.4)
    System("react", "slow", strategy="plain"),  # the paper's baseline
)
SYSTEMS = {system.name: system for system in _ALL}
"""Name -> system. A new one is a line here."""


def named(names: Iterable[str]) -> tuple[System, ...]:
    """In this order, each once; `NAME:core` plays only the suite's core. Raises ChatFault for another name."""
    found = dict[str, System]()
    for said in names:
        name = one_of(said.removesuffix(":core"), SYSTEMS, "system")
        found[name] = replace(SYSTEMS[name], core_only=said != name)
    return tuple(found.values())
