"""Weights in the background, from a small hub; turns that wait for them; and which models stay open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.fetching import Fetching
from chat.loading import Loading, Models, Readiness
from chat.services import Minds, Swaps
from chat.settings import Options, Settings, choose, chosen, read_settings
from minds.fast import FastMind
from minds.models import ModelSettings, Role
from minds.models.default import LARGE, SMALL
from minds.models.language import LanguageModel
from tests.fakes import FakeModel
from tests.hub import Hub, serving

NAME = "gguf:hf:some/repo/tiny.gguf"
DATA = bytes(range(256)) * 8000


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(DATA) as state:
        monkeypatch.setenv("HF_ENDPOINT", state.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield state


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def test_a_download_tells_how_it_stands_and_that_it_is_here(hub: Hub, tmp_path: Path) -> None:
    arrived: list[str] = []
    fetching, seen = Fetching(tmp_path, arrived.append), list[tuple[str, int, int]]()
    fetching.changed = lambda: seen.extend((one.state, one.done, one.total) for one in fetching.all())
    fetching.start(NAME)
    assert fetching.start(NAME) is fetching.of(NAME), "one is enough"
    assert await fetching.ended(NAME) and arrived == [NAME]
    assert seen[0] == ("running", 0, 0) and seen[-1] == ("here", len(DATA), len(DATA))
    assert (tmp_path / "some--repo--tiny.gguf").read_bytes() == DATA


async def test_a_download_is_stopped_and_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    hub.piece, hub.pause = 100_000, 0.02
    fetching = Fetching(tmp_path)
    fetch = fetching.start(NAME)
    await until(lambda: fetch.done)
    fetching.stop(NAME)
    assert not await fetching.ended(NAME) and fetch.state == "stopped"
    hub.pause = 0.0
    fetching.start(NAME)
    assert await fetching.ended(NAME)
    ranged = hub.asked[-1][1]
    assert ranged is not None and ranged != "bytes=0-", "what came was kept"


async def test_a_download_that_fails_says_why_and_can_be_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    fetching = Fetching(tmp_path)
    fetch = fetching.start(NAME)
    assert not await fetching.ended(NAME)
    assert fetch.state == "failed" and "hub cannot tell" in fetch.fault and fetch.fault.endswith(".")
    fetching.drop(NAME)
    assert fetching.all() == []


async def test_the_end_of_the_server_ends_downloads(hub: Hub, tmp_path: Path) -> None:
    hub.piece, hub.pause = 10_000, 0.05
    fetching = Fetching(tmp_path)
    fetch = fetching.start(NAME)
    await until(lambda: fetch.done)
    await fetching.close()
    assert fetch.state == "stopped"


# -- waiting


@pytest.fixture
def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Readiness:
    monkeypatch.setattr("chat.loading.LOOK", 0.01)
    monkeypatch.setattr("minds.models.default.free_memory", lambda: LARGE.room)
    made = Readiness(tmp_path, lambda _: False)
    made.offering = True
    return made


async def test_a_turn_waits_for_weights_and_says_so(ready: Readiness, tmp_path: Path) -> None:
    told: list[str] = []
    waiting = asyncio.create_task(ready.wait(Options, told.append))
    await until(lambda: told)
    assert LARGE.title in told[0] and "answered then" in told[0] and not waiting.done()
    LARGE.path(tmp_path).touch()
    assert await waiting == Options() and len(told) == 2 and "loading" in told[1]


async def test_another_choice_meanwhile_is_what_counts(ready: Readiness) -> None:
    wanted = [Options()]
    waiting = asyncio.create_task(ready.wait(lambda: wanted[0], lambda words: None))
    await asyncio.sleep(0.05)
    wanted[0] = Options(fast_model="openai:m@http://127.0.0.1:1/v1", slow_model="openai:m@http://127.0.0.1:1/v1")
    assert await asyncio.wait_for(waiting, 5) == wanted[0]


async def test_without_a_page_nobody_waits(ready: Readiness) -> None:
    ready.offering = False
    assert await ready.wait(Options, lambda words: None) == Options()


async def test_a_model_that_still_loads_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    await Readiness(tmp_path, lambda _: True).wait(Options, told.append)
    assert len(told) == 1 and "still loading" in told[0]


async def test_a_slow_mind_that_still_reads_its_prompts_keeps_nobody_waiting(tmp_path: Path) -> None:
    held, mind = asyncio.Event(), FakeModel(lambda _: ["hello"])

    async def warm(minds: Minds, domain: str, part: Role) -> None:
        if part == "slow":
            await held.wait()

    models = Models(Settings(home=tmp_path), Swaps())
    loading = Loading(tmp_path, models, lambda _: Minds(FastMind(mind), mind), warm, lambda: asyncio.sleep(0))
    options = Options(fast_model="scripted:a", slow_model="scripted:b")
    going = asyncio.create_task(loading.load(options))
    await until(lambda: loading.health(options)[0].state == "ready")
    told: list[str] = []
    await loading.readiness.wait(lambda: options, told.append)
    assert told == [] and loading.health(options)[1].state == "starting"
    await loading.readiness.wait(lambda: replace(options, minds="slow"), told.append)
    assert len(told) == 1 and "still loading" in told[0]
    held.set()
    await going


def test_only_the_minds_that_answer_are_wanted(ready: Readiness, tmp_path: Path) -> None:
    both = Options(fast_model="embedded:0.5b", slow_model="embedded:1.5b")
    assert ready.missing(both) == [SMALL, LARGE]
    assert ready.missing(replace(both, minds="slow")) == [LARGE]
    SMALL.path(tmp_path).touch()
    assert ready.missing(replace(both, minds="fast")) == []
    assert ready.missing(Options(fast_model="gguf:hf:a/b/c.gguf", slow_model="scripted:x")) == [], "not known here"


# -- which models stay open


class Shelf:
    """What was opened, and closed again."""

    def __init__(self, home: Path) -> None:
        self.made: list[FakeModel] = []
        self.models = Models(Settings(home=home), Swaps(models=self._opened))

    def _opened(self, spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
        self.made.append(FakeModel(lambda _: [], spec=spec))
        return self.made[-1]


async def test_embedded_is_opened_anew_when_larger_weights_are_here(tmp_path: Path) -> None:
    shelf, folder = Shelf(tmp_path), tmp_path / "models"
    folder.mkdir()
    SMALL.path(folder).touch()
    small = shelf.models.get("embedded", "fast")
    assert shelf.models.get("embedded", "fast") is small and shelf.models.get("embedded", "slow") is not small
    LARGE.path(folder).touch()
    large = shelf.models.get("embedded", "fast")
    assert large is not small
    away: Any = shelf.models.get("openai:m@http://127.0.0.1:1/v1", "fast")
    await shelf.models.let_go(["embedded", "embedded"])
    assert [model.closed for model in shelf.made] == [True, True, False, False] and not away.closed
    assert shelf.models.get("embedded", "fast") is large
    shelf.models.forget()
    assert shelf.models.get("openai:m@http://127.0.0.1:1/v1", "fast") is not away, "with the keys that there are now"


def test_what_was_chosen_is_kept_below_flags_and_environment(tmp_path: Path) -> None:
    assert chosen(tmp_path) == {}
    choose(tmp_path, "embedded:4b", "embedded:1.5b")
    home = {"DUET_HOME": str(tmp_path)}
    read = read_settings(environ=home)
    assert (read.fast_model, read.slow_model) == ("embedded:4b", "embedded:1.5b")
    assert read_settings({"fast_model": "embedded"}, {**home, "DUET_SLOW_MODEL": "embedded:0.5b"}).options == replace(
        Settings().options, slow_model="embedded:0.5b"
    )
    for damaged in ("[]", "{", '{"fast_model": "nonsense:x"}'):
        (tmp_path / "minds.json").write_text(damaged)
        assert chosen(tmp_path) == {}
