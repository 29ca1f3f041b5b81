"""What the slow mind can act with. A new tool is one file with `make(desk)` and one line in `TOOLS`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from tools.desk import Desk

TOOLS = {
    "python": "tools.python",
    "convert": "tools.convert",
    "documents": "tools.documents",
    "recall": "tools.recall",
    "memory": "tools.memory",
}
"""Name -> module, in the order the model reads them. A module is imported when its tool is opened."""


def open_tools(desk: Desk, names: Iterable[str] | None = None) -> dict[str, BaseTool]:
    """The tools named (all by default), made for this desk: those that have something to work with. Raises KeyError."""
    there = {"documents": bool(desk.chunks), "memory": desk.keeper is not None}
    wanted = [(name, TOOLS[name]) for name in (TOOLS if names is None else names)]
    return {name: import_module(module).make(desk) for name, module in wanted if there.get(name, True)}
