"""Two small minds look into the uploaded documents where something in them comes near what is said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from minds.dialogue import Event
from tests.chat.ground import Talk, a_talk, names, reply
from tests.fakes import Heard, Piece

WORDS = ("parking", "cost", "dog", "capital", "france")
HANDBOOK = b"# Parking\n\nParking for guests costs 5 euros.\n\n# Dogs\n\nNo dog may stay."
PARKING = "what does parking cost"


def shared(texts: Sequence[str]) -> list[list[float]]:
    """A vector of the words that are counted, of length 1."""
    found = []
    for text in texts:
        row = [float(word in text.lower()) for word in WORDS]
        size = sum(row) ** 0.5 or 1.0
        found.append([value / size for value in row])
    return found


def reads(heard: Heard) -> Sequence[Piece]:
    """Finds the costs in the passages."""
    if "passages" not in str(heard.messages[0].content):
        return ["As you like."]
    return ["5 euros" if "costs 5 euros" in heard.last else "not told"]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path, embed=shared) as talk:
        talk.made_small()
        talk.fast.says = talk.slow.says = reads
        yield talk


async def said(talk: Talk, text: str) -> list[Event]:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", HANDBOOK)
    return await talk.say(session, text)


async def test_the_reply_quotes_the_sentence_with_its_place(talk: Talk) -> None:
    talk.gate.fact = 0.9
    told = reply(await said(talk, PARKING))
    assert told["text"] == "5 euros\n\n> Parking for guests costs 5 euros.\n>\n> — handbook.md, Parking"
    assert told["answer"] == "5 euros", "the quote is the document's, and nothing that Duet asserts"
    assert told["sources"] == ["handbook.md, Parking"] and not told.get("doubt")


async def test_what_is_said_in_another_language_is_searched_for_in_english(talk: Talk) -> None:
    talk.gate.fact, asks = 0.9, "Was kostet das Parken?"
    assert "handbook.md" not in reply(await said(talk, asks))["text"]
    talk.english[asks] = PARKING
    events = await said(talk, asks)
    [step] = [event.data for event in events if event.kind == "step"]
    assert step["arguments"] == {"question": PARKING} and "5 euros" in reply(events)["text"]


async def test_what_the_documents_do_not_tell_is_said(talk: Talk) -> None:
    talk.gate.fact = 0.9
    assert reply(await said(talk, "how big may a dog be"))["text"] == "I looked into handbook.md: it does not say."


@pytest.mark.parametrize("text", ["what is the capital of france", "hello"])
async def test_nothing_is_searched_where_nothing_comes_near(talk: Talk, text: str) -> None:
    talk.gate.fact = 0.9
    events = await said(talk, text)
    assert "step" not in names(events) and reply(events)["text"] == "As you like."


async def test_a_turn_that_asks_for_nothing_is_answered_by_the_fast_mind(talk: Talk) -> None:
    told = reply(await said(talk, "my dog is funny"))
    assert told["text"] == "As you like." and told["by"] == "fast" and not told.get("doubt")
    assert "they do not tell this" in talk.fast.heard[-1].last, "so that it makes nothing up"
