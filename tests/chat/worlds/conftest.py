"""The ground of turns in a toy household."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chat.worlds.ground import Ground
from tools.worlds.world import WorldSpec


@pytest.fixture
async def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ground]:
    monkeypatch.setattr("chat.worlds.session.find", lambda *_: WorldSpec("alfworld", "mug"))
    ground = Ground(tmp_path)
    yield ground
    await ground.close()
