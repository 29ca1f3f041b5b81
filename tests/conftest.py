"""What LangChain's standard tests expect of pytest plugins that are switched off here, and a quick collection."""

from __future__ import annotations

import gc
import ssl
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpcore2
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


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Every client of HTTP reads the machine's authorities again, some thousand times in all: nearly all they took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture
def benchmark() -> Callable[..., Any]:
    """Runs what its plugin would time."""
    return lambda function, *arguments, **named: function(*arguments, **named)


@pytest.fixture
def vcr() -> None:
    """Nothing is recorded: the test that asks for it leaves itself out."""
