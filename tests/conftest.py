"""What LangChain's standard tests expect of pytest plugins that are switched off here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    for mark in ("benchmark", "vcr"):
        config.addinivalue_line("markers", f"{mark}: carried by langchain-tests, without effect here")


@pytest.fixture
def benchmark() -> Callable[..., Any]:
    """Runs what its plugin would time."""
    return lambda function, *arguments, **named: function(*arguments, **named)


@pytest.fixture
def vcr() -> None:
    """Nothing is recorded: the test that asks for it leaves itself out."""
