"""A turn that is nothing but an expression: answered by one step, without a model, each time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from chat.runs import Run
from chat.transcript import StoredTurn
from minds.dialogue import Event
from tests.chat.ground import Talk, a_talk, names, reply
from tools import open_tools
from tools.desk import Chunk, ToolFault


@pytest.fixture(params=["strong", "small"])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Talk]:
    """With everybody's tools."""
    async with a_talk(tmp_path) as opened:
        opened.counters.tools = lambda domain, desk: open_tools(desk)  # type: ignore[method-assign]
        yield opened if request.param == "strong" else opened.made_small()


def heard(talk: Talk) -> int:
    return len(talk.fast.heard) + len(talk.slow.heard)


def step(events: list[Event]) -> dict[str, object]:
    [found] = [event.data for event in events if event.kind == "step"]
    return dict(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("387*46", "387*46 = 17802"),
        ("12 km in miles", "12 km ≈ 7.456454 miles"),
        ("15% of 80", "15% of 80 = 12"),
        ("days until 24 December", "days until 24 December: 33 (2026-11-21 → 2026-12-24)"),
    ],
)
async def test_one_step_answers_and_no_model_is_asked(talk: Talk, said: str, told: str) -> None:
    session = talk.session()
    events = await talk.say(session, said)
    assert names(events) == ["turn", "run-started", "act", "step", "run-finished", "reply", "end-done"]
    done, final = step(events), reply(events)
    assert (done["action"], done["observation"], done["failed"]) == ("python", told, False)
    assert "print(" in str(done["argument"])
    assert (final["by"], final["text"], final["answer"], final["doubt"]) == ("slow", told, told, False)
    assert (final["calls"], final["tokens"], final["model"]) == (0, 0, "")
    assert heard(talk) == 0


async def test_an_expression_is_worked_out_each_time(talk: Talk) -> None:
    """That the same figures ask the same is what a learned comparison finds."""
    for said, told in (("2+3*4", "14"), ("(2+3)*4", "20"), ("2+3*4", "14")):
        again = reply(await talk.say(talk.session(), said))
        assert (again["by"], again["text"]) == ("slow", f"{said} = {told}")
    assert talk.notes() == {"turn"}


async def test_days_are_counted_anew_on_another_day(talk: Talk) -> None:
    await talk.say(talk.session(), "days until 24 December")
    talk.now += timedelta(days=1)
    again = reply(await talk.say(talk.session(), "days until 24 December"))
    assert (again["by"], str(again["text"]).partition(" (")[0]) == ("slow", "days until 24 December: 32")


async def test_what_is_not_wholly_an_expression_is_the_minds(talk: Talk) -> None:
    for said in ("24/7", "what a 2-3", "387*46 apples"):
        before = heard(talk)
        await talk.say(talk.session(), said)
        assert heard(talk) > before, said


async def test_answering_it_anew_asks_the_minds(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "387*46")
    turn = await talk.runs.retry(session, 1)
    await talk.ended(session, turn)
    assert heard(talk) > 0


async def test_a_desk_and_a_single_mind_keep_their_turns(talk: Talk) -> None:
    for options in ({"minds": "fast"}, {"minds": "slow"}):
        before = heard(talk)
        await talk.say(talk.session(**options), "387*46")
        assert heard(talk) > before, options


async def test_it_waits_for_no_slow_run(talk: Talk) -> None:
    session = talk.session()
    other = Run(StoredTurn(session, 0, "", "open"))
    async with talk.runs.slowly(other, ""), asyncio.timeout(10):
        assert reply(await talk.say(session, "387*46"))["text"] == "387*46 = 17802"


async def test_without_memory_nothing_is_kept(talk: Talk) -> None:
    session = talk.session(memory=False)
    assert reply(await talk.say(session, "387*46"))["by"] == "slow"
    await talk.remembering.settle()
    assert talk.notes() == set()
    assert reply(await talk.say(session, "387*46"))["by"] == "slow"


async def test_a_program_run_again_reads_documents_and_changes_nothing(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "387*46")
    talk.transcript.add_document(
        session, "manual.md", "digest", [Chunk("manual.md", "Care", "The tank holds 3.2 litres.")]
    )
    await talk.remembering.settle()
    before, notes = talk.transcript.events(session), talk.notes()
    assert await talk.conversation.rerun(session, "print(387 * 47, today())") == "18189 2026-11-21"
    assert "3.2 litres" in await talk.conversation.rerun(session, "print(search_documents('tank'))")
    with pytest.raises(ToolFault, match="no files"):
        await talk.conversation.rerun(session, "print(open('/etc/passwd').read())")
    await talk.remembering.settle()
    assert talk.transcript.events(session) == before and talk.notes() == notes
