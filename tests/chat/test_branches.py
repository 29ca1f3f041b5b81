"""Versions of a turn: all are kept, one is in view, and each can be gone back to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from runpy import run_path

import pytest

from chat.export import to_json, to_markdown
from chat.faults import ChatFault
from chat.remembering import TAKEN_BACK
from chat.tables import TRANSCRIPT
from chat.transcript import Place, Transcript, path_through, siblings
from tests.brought import from_json
from tests.chat.ground import Talk, a_talk
from tests.chat.test_transcript import say


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[Transcript]:
    opened = Transcript(tmp_path / "duet.sqlite")
    yield opened
    opened.close()


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as made:
        yield made


def edited(transcript: Transcript) -> str:
    """one, two, three; then two again, with something after it."""
    session = transcript.new_session("ada").id
    for said in ("one", "two", "three"):
        say(transcript, session, said)
    for said, supersedes in (("deux", 2), ("trois", None)):
        number = transcript.begin_turn(session, said, supersedes=supersedes).turn
        transcript.append(session, number, "reply", {"by": "fast", "text": said, "invoke": False, "final": True})
        transcript.append(session, number, "end", {"state": "done"})
    return session


def said(transcript: Transcript, session: str) -> list[str]:
    return [turn.text for turn in transcript.dialogue(session, before=99).turns if turn.speaker == "user"]


def test_an_edit_makes_a_sibling(transcript: Transcript) -> None:
    session = edited(transcript)
    places = transcript.places(session)
    assert {n: (p.parent, p.in_view) for n, p in places.items()} == {
        1: (0, True), 2: (1, False), 3: (2, False), 4: (1, True), 5: (4, True),
    }  # fmt: skip
    assert siblings(places) == {4: [2, 4]}


def test_a_version_comes_back_with_what_followed_it(transcript: Transcript) -> None:
    session = edited(transcript)
    event = transcript.choose(session, 2)
    assert (event.kind, event.turn, event.data) == ("branch", 2, {"to": 3})
    assert said(transcript, session) == ["one", "two", "three"]
    assert [group[0].turn for group in transcript.search("ada", "three")] == [3]
    assert transcript.search("ada", "trois") == []
    transcript.choose(session, 4)
    assert said(transcript, session) == ["one", "deux", "trois"]
    with pytest.raises(ChatFault, match="reload"):
        transcript.choose(session, 99)


def test_the_next_turn_follows_what_is_in_view(transcript: Transcript) -> None:
    session = edited(transcript)
    transcript.choose(session, 2)
    say(transcript, session, "four")
    assert transcript.places(session)[6] == Place(3) and said(transcript, session) == ["one", "two", "three", "four"]


def test_what_was_taken_back_is_a_version_too(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "one")
    transcript.supersede(session, 1)
    say(transcript, session, "uno")
    assert siblings(transcript.places(session)) == {2: [1, 2]}
    transcript.choose(session, 1)
    assert said(transcript, session) == ["one"]


def test_a_ring_of_parents_ends() -> None:
    assert path_through({1: Place(2), 2: Place(1)}, 1)[-1] in (1, 2)


def test_all_versions_are_exported_and_come_back(transcript: Transcript) -> None:
    session = edited(transcript)
    again = from_json(transcript, "ben", to_json(transcript, session)).id
    assert transcript.places(again) == transcript.places(session)
    assert said(transcript, again) == ["one", "deux", "trois"]
    transcript.choose(again, 2)
    assert said(transcript, again) == ["one", "two", "three"]
    assert "Version 2 of 2" in to_markdown(transcript, session) and "three" not in to_markdown(transcript, session)


def test_a_file_of_before_versions_is_one_line_of_turns(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    for word in ("one", "two"):
        say(transcript, session, word)
    file = json.loads(to_json(transcript, session)) | {"version": 1}
    for turn in file["turns"]:
        del turn["parent"], turn["in_view"]
    again = from_json(transcript, "ben", json.dumps(file)).id
    assert transcript.places(again) == {1: Place(0), 2: Place(1)}


@pytest.mark.parametrize(
    ("number", "wrong", "why"),
    [(2, {"parent": 7}, "a turn before it"), (2, {"in_view": True}, "two turns"), (1, {"in_view": 1}, "valid boolean"),
     (3, {"parent": -1}, "equal to 0"), (4, {"parent": 0}, "two turns")],
)  # fmt: skip
def test_a_tree_that_is_none_is_refused(
    transcript: Transcript, number: int, wrong: dict[str, object], why: str
) -> None:
    file = json.loads(to_json(transcript, edited(transcript)))
    file["turns"][number - 1] |= wrong
    with pytest.raises(ChatFault, match=why):
        from_json(transcript, "ben", json.dumps(file))
    assert transcript.sessions("ben") == []


def test_an_old_home_learns_what_followed_what(tmp_path: Path) -> None:
    first = str(next(run_path(str(path))["SQL"] for path in TRANSCRIPT.folder.glob("r0001*")))
    went: list[tuple[int, str, dict[str, object]]] = [
        (1, "turn", {"text": "one"}),
        (2, "turn", {"text": "two"}),
        (3, "turn", {"text": "deux", "edits": 2}),
        (3, "superseded", {"from": 3}),
        (4, "turn", {"text": "zwei"}),
        (5, "turn", {"text": "drei"}),
    ]
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        db.executescript(first)
        db.execute("INSERT INTO sessions VALUES ('s', 'ada', 't', '{}', 0, 0)")
        for number, kind, data in went:
            if kind == "turn":
                db.execute(
                    "INSERT INTO turns VALUES ('s', ?, ?, 'done', ?, 0)", (number, data["text"], number in (2, 3))
                )
            db.execute("INSERT INTO events VALUES (NULL, 's', ?, ?, ?, 0)", (number, kind, json.dumps(data)))
        db.commit()
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        assert {n: p.parent for n, p in transcript.places("s").items()} == {1: 0, 2: 1, 3: 1, 4: 1, 5: 4}
        transcript.choose("s", 2)
        assert said(transcript, "s") == ["one", "two"]


async def test_what_is_remembered_goes_and_comes_with_its_version(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "hello")
    turn = await talk.runs.submit(session, "good day", edits=1)
    await talk.ended(session, turn)
    await talk.runs.choose(session, 1)
    memory = talk.remembering.of("ada")
    out = {turn: {memory.notes.get(i).out for i in memory.notes.of_session(session, turn)} for turn in (1, 2)}  # type: ignore[union-attr]
    assert out == {1: {""}, 2: {TAKEN_BACK}}


async def test_nothing_is_gone_back_to_while_something_is_answered(talk: Talk) -> None:
    from tests.chat.test_runs import held_reply

    session = talk.session()
    await talk.say(session, "one")
    await held_reply(talk, session)
    with pytest.raises(ChatFault, match="being answered"):
        await talk.runs.choose(session, 1)
    await talk.runs.stop(session)
