"""The stream of updates, against a Duet in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.ui import follow
from chat.ui.follow import Nudges, View, server_sent, updates
from minds.dialogue import Event
from tests.chat.ui.fake import FakeDuet, fake_duet


@pytest.fixture
def duet(tmp_path: Path) -> FakeDuet:
    return fake_duet(tmp_path)


async def until(
    stream: AsyncIterator[dict[str, Any]], word: str, before: dict[str, Any] | None = None
) -> dict[str, Any]:
    """All updates put together, after those `before`, up to the first whose turns hold the word."""
    seen: dict[str, Any] = before or {"turns": {}}
    async with asyncio.timeout(20):
        async for update in stream:
            for turn, (same, rest) in update.pop("turns", {}).items():
                kept = seen["turns"].get(turn, "").encode("utf-16-le")[: 2 * same]
                seen["turns"][turn] = kept.decode("utf-16-le") + rest
            seen |= update
            if any(word in html for html in seen["turns"].values()):
                return seen
    raise AssertionError("the stream ended")


async def test_a_session_is_followed_to_its_end(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    stream = updates(duet, session, Nudges())  # type: ignore[arg-type]
    first = await anext(stream)
    assert first["reset"] and first["order"] == [] and "turns" not in first
    await duet.runs.submit(session, "What is 387 times 46?")
    seen = await until(stream, 'data-by="slow"')
    assert seen["order"] == [1] and seen["title"] == "What is 387 times 46?"
    assert 'class="trace"' in seen["turns"][1] and "17,802" in seen["turns"][1]
    await stream.aclose()  # type: ignore[attr-defined]


async def test_a_temporary_conversation_says_so_beside_its_desk(duet: FakeDuet) -> None:
    options = duet.settings.options
    seen = []
    for temporary in (False, True):
        session = duet.transcript.new_session("ada", "", replace(options, memory=not temporary, temporary=temporary))
        seen.append(await anext(updates(duet, session.id, Nudges())))  # type: ignore[arg-type]
    assert [each["desk"] for each in seen] == ["", ""] and seen[0]["temporary"] == ""
    assert "deleted a day after" in seen[1]["temporary"]


async def test_a_second_follower_sees_the_same(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    one = updates(duet, session, Nudges())  # type: ignore[arg-type]
    await anext(one)
    await duet.runs.submit(session, "What is 387 times 46?")
    early = await until(one, 'data-by="slow"')
    late = await until(updates(duet, session, Nudges()), 'data-by="slow"')  # type: ignore[arg-type]
    assert early["order"] == late["order"]
    while 'data-do="retry"' not in early["turns"][1]:
        early = await until(one, 'data-by="slow"', early)
    assert early["turns"][1] == late["turns"][1]


async def test_of_a_reply_that_grows_only_what_is_new_is_sent(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    turn = duet.transcript.begin_turn(session, "hello").turn
    view = View(duet, session)  # type: ignore[arg-type]
    _, drawn = view.change()["turns"][turn]
    for number, piece in enumerate(["A whole part \U0001f600 of it.\n\n" * 400, "And then", " this too."], 1000):
        same, rest = view.after([Event(number, session, turn, "delta", {"by": "fast", "text": piece}, 0.0)])["turns"][
            turn
        ]
        drawn = drawn.encode("utf-16-le")[: 2 * same].decode("utf-16-le") + rest
    assert (
        len(rest) < 100
        and drawn.count("<p>A whole part \U0001f600 of it.</p>") == 400
        and "And then this too." in drawn
    )


async def test_half_a_letter_is_sent_as_it_came(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    turn = duet.transcript.begin_turn(session, "hello").turn
    view = View(duet, session)  # type: ignore[arg-type]
    view.change()
    for number, piece in enumerate(["abc \ud83d", "\ude00 more", " of it"], 1000):
        news = view.after([Event(number, session, turn, "delta", {"by": "fast", "text": piece}, 0.0)])
        assert json.dumps(news["turns"][turn])


async def test_an_edit_takes_the_turns_after_it_away(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    for text in ("one", "two", "three"):
        await duet.runs.submit(session, text)
        await duet.runs._tasks[session]
    stream = updates(duet, session, Nudges())  # type: ignore[arg-type]
    assert (await anext(stream))["order"] == [1, 2, 3]
    await duet.runs.submit(session, "deux", edits=2)
    seen = await until(stream, "You said: deux")
    assert seen["order"] == [1, 4]
    await duet.runs.undo(session)
    async with asyncio.timeout(20):
        async for update in stream:
            if update.get("order") == [1]:
                break
    assert 'data-do="undo"' in update["turns"][1][1], "the first turn is the last one again"


async def test_only_changed_turns_are_sent(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    nudges = Nudges()
    for text in ("one", "two", "three"):
        await duet.runs.submit(session, text)
        await duet.runs._tasks[session]
    stream = updates(duet, session, nudges)  # type: ignore[arg-type]
    assert set((await anext(stream))["turns"]) == {1, 2, 3}
    duet.transcript.set_feedback(session, 2, 1)
    nudges.nudge()
    update = await anext(stream)
    assert set(update["turns"]) == {2} and "order" not in update and "title" not in update


async def test_health_is_looked_at_though_nothing_happens(duet: FakeDuet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "PULSE", 0.01)
    stream = updates(duet, "", Nudges())  # type: ignore[arg-type]
    assert "ready" in (await anext(stream))["health"]
    assert await anext(stream) == {}
    duet.parts.clear()
    async with asyncio.timeout(10):
        async for update in stream:
            if update:
                break
    assert update == {"health": ""}


async def test_unknown_and_foreign_sessions_are_refused_in_a_sentence(duet: FakeDuet) -> None:
    foreign = duet.transcript.new_session("bob").id
    for session in ("nope", foreign):
        found = [update async for update in updates(duet, session, Nudges())]  # type: ignore[arg-type]
        assert [update["gone"] for update in found] == [True] and "There is no conversation" in found[0]["fault"]


async def test_a_deleted_session_ends_the_stream(duet: FakeDuet) -> None:
    session, nudges = duet.transcript.new_session("ada").id, Nudges()
    stream = updates(duet, session, nudges)  # type: ignore[arg-type]
    await anext(stream)
    await duet.runs.delete(session)
    nudges.nudge()
    assert [update["gone"] async for update in stream] == [True]
    assert not nudges._tabs


async def test_the_wire_format() -> None:
    async def source() -> AsyncIterator[dict[str, Any]]:
        yield {"title": "a\nb"}
        yield {}

    lines = [line async for line in server_sent(source())]
    assert json.loads(lines[1].removeprefix("data: ")) == {"title": "a\nb"} and lines[1].count("\n") == 2
    assert lines[2] == "data: {}\n\n", "a browser sees no comments, and waits for a sign of life"


async def test_the_first_words_are_not_kept_waiting(duet: FakeDuet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "THROTTLE", 30.0)
    session = duet.transcript.new_session("ada").id
    stream = updates(duet, session, Nudges())  # type: ignore[arg-type]
    await anext(stream)
    await duet.runs.submit(session, "hello")
    async with asyncio.timeout(10):
        assert "hello" in (await anext(stream))["turns"][1][1]
    await stream.aclose()  # type: ignore[attr-defined]


async def test_what_comes_quickly_is_gathered() -> None:
    news: asyncio.Queue[Event | None] = asyncio.Queue()
    for _ in range(3):
        news.put_nowait(None)
    assert await follow._batch(news, 0.0) == [None, None, None]


async def test_every_tab_hears_where_a_reply_came(duet: FakeDuet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "PULSE", 0.01)
    away = duet.transcript.new_session("ada", "away").id
    stream = updates(duet, "", Nudges())  # type: ignore[arg-type]
    assert [line[0:4:3] for line in (await anext(stream))["list"]] == [(away, 0)]
    await duet.runs.submit(away, "hello")
    await duet.runs._tasks[away]
    async with asyncio.timeout(10):
        async for update in stream:
            if update.get("list") and update["list"][0][3]:
                break
    assert duet.transcript.replied("ada", 5) == {away: update["list"][0][3]}
    assert duet.transcript.replied("bob", 5) == {}


async def test_a_turn_far_back_is_shown_with_those_around_it(duet: FakeDuet) -> None:
    session = duet.transcript.new_session("ada").id
    for number in range(1, 21):
        duet.transcript.begin_turn(session, f"words {number}")
        duet.transcript.append(session, number, "end", {"state": "done"})
    stream = updates(duet, session, Nudges(), most=6, turn=4)  # type: ignore[arg-type]
    first = await anext(stream)
    assert first["order"] == [1, 2, 3, 4, 5, 6] and (first["earlier"], first["later"]) == (0, 14)
    assert not any("Take this turn back" in html for _, html in first["turns"].values()), "none of them is the newest"
    duet.transcript.begin_turn(session, "words 21")
    duet.runs._tell(duet.transcript.append(session, 21, "end", {"state": "done"}))
    news = await anext(stream)
    assert "turns" not in news and "order" not in news
    await stream.aclose()  # type: ignore[attr-defined]
    for turn, shown in ((10, range(7, 13)), (16, range(16, 22)), (99, range(16, 22))):
        stream = updates(duet, session, Nudges(), most=6, turn=turn)  # type: ignore[arg-type]
        assert (await anext(stream))["order"] == list(shown)
        await stream.aclose()  # type: ignore[attr-defined]
