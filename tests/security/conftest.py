"""Servers of the kinds that there are, each started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.security.ground import Served, served


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Duet on one's own machine."""
    with served(tmp_path_factory.mktemp("own")) as server:
        yield server


Remove = Callable[[type], None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Remove:
    """Takes a middleware away from the servers that run."""

    async def through(self: object, scope: object, receive: object, send: object) -> None:
        await self._app(scope, receive, send)  # type: ignore[attr-defined]

    def remove(middleware: type) -> None:
        monkeypatch.setattr(middleware, "__call__", through)

    return remove
