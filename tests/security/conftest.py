"""Servers of the kinds that there are, each started once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from argon2 import PasswordHasher

from chat.access import accounts
from tests.security.ground import Served, served


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Duet on one's own machine."""
    with served(tmp_path_factory.mktemp("own")) as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[None]:
    """Passwords of tests are hashed by the same function at its least: some hundred of them took a minute."""
    quick = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_hasher", lambda: quick)
        yield


Remove = Callable[[type], None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Remove:
    """Takes a middleware away from the servers that run."""

    async def through(self: object, scope: object, receive: object, send: object) -> None:
        await self._app(scope, receive, send)  # type: ignore[attr-defined]

    def remove(middleware: type) -> None:
        monkeypatch.setattr(middleware, "__call__", through)

    return remove
