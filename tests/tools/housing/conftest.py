"""The estate agency's desk as on its first day, and ways to use its tools."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk
from tools.domains import fresh, open_domain, prepare
from tools.housing.listings import Home, Listings

NOW = datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Sunday."""

Use = Callable[..., tuple[str, dict[str, Any]]]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare("housing", tmp_path_factory.mktemp("agency"))


@pytest.fixture(scope="session")
def listings(base: Path) -> Listings:
    return Listings(base)


@pytest.fixture(scope="session")
def homes(listings: Listings) -> list[Home]:
    return listings.where()


@pytest.fixture
def place(base: Path, tmp_path: Path) -> Path:
    return fresh(base, tmp_path / "desk")


@pytest.fixture
def use(place: Path) -> Use:
    """`use(tool, home=...)` in a run of its own: the text and the artifact. Raises ToolFault, ValidationError."""

    def run(tool: str, session: str = "s1", now: datetime = NOW, **arguments: Any) -> tuple[str, dict[str, Any]]:
        tools = open_domain("housing").make(Desk(session, now), place)
        message = tools[tool].invoke({"name": tool, "args": arguments, "id": "1", "type": "tool_call"})
        return str(message.content), message.artifact

    return run
