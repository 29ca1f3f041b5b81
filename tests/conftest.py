"""What LangChain's standard tests expect of pytest plugins that are switched off here, and a quick collection."""

from __future__ import annotations

import gc
import logging
import ssl
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from shutil import copyfile
from types import ModuleType
from typing import Any

import httpcore2
import pytest

from tools import domains

HERE = Path(__file__).parent
Build = Callable[[Path, int], None]


class Loggers(dict[str, Any]):
    """pytest walks through them before each test, while the threads of a server that runs may make new ones."""

    def values(self) -> Any:
        return list(super().values())


def pytest_configure(config: pytest.Config) -> None:
    logging.Logger.manager.loggerDict = Loggers(logging.Logger.manager.loggerDict)
    for mark in ("benchmark", "vcr"):
        config.addinivalue_line("markers", f"{mark}: carried by langchain-tests, without effect here")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Tests of a mark that is left out are not even read: importing them took a fifth of the collection."""
    left_out = [mark for mark in ("real", "browser") if f"not {mark}" in config.option.markexpr]
    return True if any(collection_path == HERE / mark for mark in left_out) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What importing all tests brings stays to the end: looking through it for garbage took a tenth of all the time."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # tests leave little behind: looking for it took seven hundredths of their time
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Every client of HTTP reads the machine's authorities again, some thousand times in all: nearly all they took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def databases_built_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A domain's database is the same for the same seed: built once, copied some dozen times."""
    built = tmp_path_factory.mktemp("built")

    def once(name: str, build: Build) -> Build:
        def copied(path: Path, seed: int) -> None:
            kept = built / f"{name} {seed}"
            if not kept.exists():
                build(kept, seed)
            copyfile(kept, path)

        return copied

    with pytest.MonkeyPatch.context() as patch:
        known: set[str] = set()

        def opened(name: str) -> ModuleType:
            domain = import_module(name)
            if name.endswith(".desk") and name not in known:
                known.add(name)
                patch.setattr(domain, "build", once(name, domain.build))
            return domain

        patch.setattr(domains, "import_module", opened)
        yield


@pytest.fixture
def benchmark() -> Callable[..., Any]:
    """Runs what its plugin would time."""
    return lambda function, *arguments, **named: function(*arguments, **named)


@pytest.fixture
def vcr() -> None:
    """Nothing is recorded: the test that asks for it leaves itself out."""
