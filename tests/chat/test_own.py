"""Instructions and prompts of a person's own: kept, bounded, told to both minds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat.faults import ChatFault
from chat.sessions import LONGEST, PROMPTS, Own
from chat.transcript import Transcript
from minds.dialogue import TurnContext
from tests.chat.ground import Talk, a_talk


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as made:
        yield made


def test_what_one_sets_is_one_s_own(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    assert transcript.own("ada") == Own()
    transcript.keep_prompt("ada", " /my  letter ", "Write a letter.")
    transcript.instruct("ada", " Be brief. ")
    assert transcript.own("ada") == Own("Be brief.", {"my-letter": "Write a letter."})
    assert transcript.own("ben") == Own()
    transcript.keep_prompt("ada", "my-letter", " ")
    transcript.instruct("ada", "")
    assert transcript.own("ada") == Own()
    transcript.close()


def test_too_much_is_refused_in_a_sentence(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    for name, words in (("", "x"), ("a", "x" * (LONGEST + 1))):
        with pytest.raises(ChatFault):
            transcript.keep_prompt("ada", name, words)
    with pytest.raises(ChatFault, match="shorten"):
        transcript.instruct("ada", "x" * (LONGEST + 1))
    for number in range(PROMPTS):
        transcript.keep_prompt("ada", f"p{number}", "x")
    with pytest.raises(ChatFault, match="delete one"):
        transcript.keep_prompt("ada", "one-more", "x")
    transcript.keep_prompt("ada", "p0", "changed")
    assert transcript.own("ada").prompts["p0"] == "changed"
    transcript.close()


async def test_both_minds_are_told_the_instructions(talk: Talk) -> None:
    session = talk.session()
    talk.transcript.instruct(talk.transcript.session(session).user, "Be brief.")
    options = talk.transcript.options(session)
    talk.transcript.set_options(session, replace(options, instructions="In verse."))
    seen: list[TurnContext] = []
    heard = talk.conversation._contexts.fill

    async def fill(*args: object) -> object:
        asked = await heard(*args)  # type: ignore[arg-type]
        seen.append(asked.context)
        return asked

    talk.conversation._contexts.fill = fill  # type: ignore[method-assign, assignment]
    await talk.say(session, "hello")
    assert seen[0].instructions == "Be brief.\nIn verse." and "Be brief." in seen[0].note()
