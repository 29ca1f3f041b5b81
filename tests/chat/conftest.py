"""A conversation with scripted minds, for whoever tests one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chat.ground import Talk, a_talk


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """With strong minds and native tools."""
    async with a_talk(tmp_path) as opened:
        yield opened


@pytest.fixture
async def small(talk: Talk) -> Talk:
    """With two small models and a gate."""
    return talk.made_small()


@pytest.fixture(params=["strong", "small"])
async def either(request: pytest.FixtureRequest, talk: Talk) -> Talk:
    return talk if request.param == "strong" else talk.made_small()
