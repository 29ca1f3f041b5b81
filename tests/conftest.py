"""What LangChain's standard tests expect of pytest plugins that are switched off here, and a quick collection."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    for mark in ("benchmark", "vcr"):
        config.addinivalue_line("markers", f"{mark}: carried by langchain-tests, without effect here")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What importing all tests brings stays to the end: looking through it for garbage took a tenth of all the time."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.fixture
def benchmark() -> Callable[..., Any]:
    """Runs what its plugin would time."""
    return lambda function, *arguments, **named: function(*arguments, **named)


@pytest.fixture
def vcr() -> None:
    """Nothing is recorded: the test that asks for it leaves itself out."""
