"""Servers of models that run on this machine: found when somebody looks, offered, and never used unasked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from chat.app import Duet, build
from chat.services import Swaps
from chat.settings import Settings
from chat.ui.follow import Nudges
from chat.ui.picker import Picker
from minds.models import default
from minds.models.listing import PORTS
from tests.chat.ui.models import opened
from tests.servers import Fake, running

LISTED = ["GET /v1/models"]


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Fake]]:
    """One of each kind, on the ports where they are looked for."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("minds.models.listing.QUICK", 20.0)  # how patient it is is another test's matter
    monkeypatch.setattr("chat.ui.picker.kept", lambda home: True)  # and so is how quick the machine is
    with ExitStack() as stack:
        fakes = {kind: stack.enter_context(running(kind)) for kind in PORTS}
        monkeypatch.setattr("minds.models.listing.PORTS", {kind: fake.port for kind, fake in fakes.items()})
        yield fakes


@asynccontextmanager
async def started(home: Path, *, weights: bool) -> AsyncIterator[Duet]:
    """A Duet with nothing configured; `weights`: those of its own model are here, a script stands for them."""
    settings = Settings(home=home, user="ada", memory=False)
    if weights:
        settings.models_dir.mkdir(parents=True)
        file = settings.models_dir / default.SMALL.file
        with file.open("wb") as made:
            made.truncate(default.SMALL.size)
    duet = build(settings, swaps=Swaps(models=opened))
    duet.start(warm=False, offering=True)
    try:
        yield duet
    finally:
        await duet.close()


async def said(duet: Duet, session: str, text: str, seconds: float = 60) -> str:
    """The final reply; "" where there is none within that time."""
    turn = await duet.runs.submit(session, text)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            events = [event async for event in duet.runs.wait(session, turn)]
            return next((str(e.data["text"]) for e in events if e.kind == "reply" and e.data.get("final")), "")
    return ""


def asked(fakes: dict[str, Fake]) -> dict[str, list[str]]:
    return {kind: list(fake.asked) for kind, fake in fakes.items()}


async def test_nobody_is_asked_before_somebody_looks_and_then_only_what_they_have(
    fakes: dict[str, Fake], tmp_path: Path
) -> None:
    async with started(tmp_path, weights=True) as duet:
        session = duet.transcript.new_session("ada").id
        assert "You said: hello" in await said(duet, session, "hello")
        assert asked(fakes) == {kind: [] for kind in PORTS}
        picker = Picker(duet, Nudges(), {kind: fake.port for kind, fake in fakes.items()})
        await picker.do("look", {})
        shown = picker.panel(session)
        assert [kind for kind in PORTS if kind not in shown] == [], "all are offered"
        assert "You said: again" in await said(duet, session, "again")
        assert asked(fakes) == dict.fromkeys(PORTS, LISTED), "and none was used"


async def test_not_even_while_there_is_no_model_of_our_own(fakes: dict[str, Fake], tmp_path: Path) -> None:
    async with started(tmp_path, weights=False) as duet:
        session = duet.transcript.new_session("ada").id
        await Picker(duet, Nudges(), {kind: fake.port for kind, fake in fakes.items()}).do("look", {})
        assert await said(duet, session, "hello", seconds=1) == "", "it waits for its weights"
        assert asked(fakes) == dict.fromkeys(PORTS, LISTED)


async def test_one_that_was_chosen_is_used_and_no_other(fakes: dict[str, Fake], tmp_path: Path) -> None:
    async with started(tmp_path, weights=True) as duet:
        session, chosen = duet.transcript.new_session("ada").id, fakes["vLLM"]
        spec = f"openai:Qwen/Qwen3-8B@{chosen.url}"
        await Picker(duet, Nudges(), {}).do("use", {"session": session, "value": spec, "mind": "both"})
        assert await said(duet, session, "hello")
        assert "POST /v1/chat/completions" in chosen.asked
        assert all(not fake.asked for kind, fake in fakes.items() if kind != "vLLM")
