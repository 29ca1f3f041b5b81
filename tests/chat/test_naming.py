"""A conversation is named after its first exchange, in silence, by a strong model whose words cost nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chat import idle
from chat.deletions import REMOVED
from chat.idle import NEVER, AfterTurn, Idle, is_free, title_of
from chat.transcript import Transcript
from minds.models.language import Abilities
from tests.chat.test_transcript import say
from tests.fakes import FORMED, FakeModel
from tests.scripted import ScriptedModel


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Transcript]:
    monkeypatch.setattr(idle, "SILENCE", 0.01)
    opened = Transcript(tmp_path / "duet.sqlite")
    yield opened
    opened.close()


def model(spec: str = "embedded", title: str = '"Boats on the river."', *, strong: bool = True) -> ScriptedModel:
    able = Abilities(schema=True, strong=strong)
    return ScriptedModel(lambda _: json.dumps({"title": title}), abilities=able, spec=spec)


async def entitle(transcript: Transcript, session: str, model: ScriptedModel) -> None:
    minds = SimpleNamespace(fast=SimpleNamespace(model=model))
    services: Any = SimpleNamespace(transcript=transcript, minds=lambda _: minds)
    await AfterTurn(services).title(session)


async def test_the_first_exchange_gives_a_name(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat near here?", "There is a river.")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, model()))
    await made.settle()
    assert transcript.session(session).title == "Boats on the river"
    made.go_on(partial(entitle, transcript, session, model(title="Another")))
    await made.settle()
    assert transcript.session(session).title == "Boats on the river", "once"


async def test_a_small_model_names_nothing(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat?", "There is a river.")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, model(strong=False)))
    await made.settle()
    assert transcript.session(session).title == "Where can I go by boat?"


@pytest.mark.parametrize(
    ("spec", "free"),
    [("embedded", True), ("embedded:0.5b", True), ("gguf:/a.gguf", True), ("hf:a/b", True),
     ("openai:qwen@http://127.0.0.1:8000/v1", True), ("openai:gpt-4.1", False),
     ("openai:gpt-4.1@https://api.example.org/v1", False), ("langchain:anthropic:claude", False), ("nonsense", False)],
)  # fmt: skip
async def test_only_a_model_that_costs_nothing_is_asked(transcript: Transcript, spec: str, free: bool) -> None:
    asked = model(spec)
    assert is_free(asked) is free
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat?", "There is a river.")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, asked))
    await made.settle()
    title = "Boats on the river" if free else "Where can I go by boat?"
    assert transcript.session(session).title == title


async def test_a_person_s_own_name_stays(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat?", "There is a river.")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, model()))
    transcript.rename(session, "Mine")
    await made.settle()
    assert transcript.session(session).title == "Mine" and not transcript.name(session, "Another")


async def test_whoever_speaks_comes_first_and_the_name_afterwards(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat?", "There is a river.")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, model()))
    made.give_way()
    assert transcript.session(session).title == "Where can I go by boat?"
    made.go_on(partial(entitle, transcript, session, model()))
    await made.settle()
    assert transcript.session(session).title == "Boats on the river"


async def test_what_has_no_answer_yet_keeps_its_first_words(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "Where can I go by boat?")
    made = Idle()
    made.go_on(partial(entitle, transcript, session, model()))
    await made.settle()
    assert transcript.session(session).title == "Where can I go by boat?" and transcript.unnamed(session)


async def test_an_unforeseen_error_of_one_work_leaves_the_next_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "SILENCE", 0)
    done: list[str] = []

    async def breaks() -> None:
        raise RuntimeError("unforeseen")

    async def works() -> None:
        done.append("next")

    waiting = Idle()
    waiting.go_on(breaks, works)
    await waiting.settle()
    assert done == ["next"]


@pytest.mark.parametrize("named", ["", "model", "person"])
def test_a_title_made_of_words_that_are_deleted_goes_with_them(transcript: Transcript, named: str) -> None:
    """Of the first turn in any version: it is edited, and named after its second one."""
    session = transcript.new_session("ada").id
    say(transcript, session, "hello", "Hello.")
    transcript.supersede(session, 1)
    say(transcript, session, "my therapist is Zebra", "I see.")
    say(transcript, session, "and boats", "Yes.")
    if named == "model":
        transcript.name(session, "Therapist Zebra")
    elif named == "person":
        transcript.rename(session, "Mine")
    title = transcript.session(session).title
    transcript.remove([(session, 3)])
    assert transcript.session(session).title == title
    transcript.remove([(session, 2)])
    assert transcript.session(session).title == (REMOVED if named == "model" else title)
    transcript.remove([(session, 1)])
    assert transcript.session(session).title == ("Mine" if named == "person" else REMOVED)
    assert transcript.unnamed(session) != (named == "person"), "what is left may be named"


async def test_a_model_that_thinks_first_has_room_to(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "Where can I go by boat near here?", "There is a river.")
    thinks = FakeModel(lambda _: [""], lambda _: [{"title": "Boats"}], abilities=FORMED)
    assert await title_of(transcript.dialogue(session, before=NEVER), thinks) == "Boats"
    assert thinks.heard[0].limit == 4_000
