"""What was said is found again, by any letters in a row, in any language."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from string import ascii_lowercase

import pytest
from sqlalchemy import text as sql
from sqlalchemy.event import listen
from sqlalchemy.exc import ProgrammingError

from chat.app import build
from chat.deletions import WIPED, are_wiped, deletions
from chat.sessions import EACH
from chat.settings import Settings
from chat.transcript import Transcript
from tests.chat.test_transcript import say


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[Transcript]:
    opened = Transcript(tmp_path / "duet.sqlite")
    yield opened
    opened.close()


def titles(transcript: Transcript, words: str) -> list[str]:
    return sorted(group[0].session.title for group in transcript.search("ada", words))


def test_search_takes_signs_for_what_they_are(transcript: Transcript) -> None:
    for said in ("100% sure", "snake_case", "snakeXcase", "back\\slash", 'in "quotes"', "Größe", "plain", "日本語の文"):
        say(transcript, transcript.new_session("ada").id, said, f"about {said}")
    for words, found in {
        "100%": ["100% sure"],
        "%": ["100% sure"],
        "_": ["snake_case"],
        "\\": ["back\\slash"],
        '"quotes"': ['in "quotes"'],
        "SNAKE": ["snakeXcase", "snake_case"],
        "about plain": ["plain"],
        "lain abou": ["plain"],
        "größe": ["Größe"],
        "GRÖSSE": [],
        "本語の": ["日本語の文"],
        "日本": ["日本語の文"],
        "'": [],
        "nowhere": [],
        " ": [],
        "snake AND case": [],
        "plain *": [],
    }.items():
        assert titles(transcript, words) == sorted(found), words


def test_every_word_must_stand_in_the_same_message(transcript: Transcript) -> None:
    session = transcript.new_session("ada", "talk").id
    say(transcript, session, "an apple", "a pear")
    assert titles(transcript, "pear") == ["talk"] and titles(transcript, "apple pear") == []


def test_hits_say_in_which_turn_they_are_the_newest_first(transcript: Transcript) -> None:
    one, other = transcript.new_session("ada", "plums").id, transcript.new_session("ada", "talk").id
    for number in range(1, 6):
        say(transcript, one, f"plum {number}", "nothing")
    say(transcript, other, "nothing", "a plum")
    first, second = transcript.search("ada", "plum")
    assert [(hit.session.id, hit.turn, hit.text) for hit in first] == [(other, 1, "a plum")]
    assert [hit.turn for hit in second] == [5, 4, 3] and len(second) == EACH
    [[titled]] = transcript.search("ada", "plums")
    assert (titled.turn, titled.session.id) == (0, one)


def test_only_what_is_in_view_and_one_s_own_is_found(transcript: Transcript) -> None:
    session = transcript.new_session("ada", "talk").id
    say(transcript, session, "the secret is plum")
    transcript.supersede(session, 1)
    say(transcript, transcript.new_session("ben").id, "plum cake")
    assert transcript.search("ada", "plum") == [] and transcript.search("eve", "plum cake") == []


def test_what_was_deleted_is_not_found(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "a word about zebras")
    transcript.delete(session)
    assert transcript.search("ada", "zebra") == []
    assert transcript._read(sql("SELECT rowid FROM found WHERE found MATCH 'zebra'")) == []


def test_a_large_index_lets_others_in_while_deleted_words_leave_it(transcript: Transcript) -> None:
    session, dice = transcript.new_session("ada").id, Random(1)
    for _ in range(8):
        transcript.begin_turn(session, "".join(dice.choices(ascii_lowercase, k=40_000)))
    turn, begun = transcript.begin_turn(session, "zebras").turn, list[str]()
    listen(transcript._engine, "before_cursor_execute", lambda *given: begun.append(given[2]))
    transcript.remove([(session, turn)])
    assert sum(statement.startswith("BEGIN") for statement in begun) > 3
    assert [*transcript._read(sql("SELECT count(DISTINCT segid) FROM found_idx"))] == [(1,)]


async def test_words_that_a_stop_left_in_the_index_leave_it_after_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "duet.sqlite"
    transcript, dice = Transcript(file), Random(1)
    session = transcript.new_session("ada").id
    for _ in range(8):
        transcript.begin_turn(session, "".join(dice.choices(ascii_lowercase, k=40_000)))
    turn = transcript.begin_turn(session, "zebras").turn
    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", lambda _: transcript.close())  # an ordinary end, between two slices
        with pytest.raises(ProgrammingError, match="closed"):
            transcript.remove([(session, turn)])
    assert parts_of(file) > 1 and not are_wiped(deletions(tmp_path))
    for starts in range(2):
        duet = build(Settings(home=tmp_path, user="ada"))
        duet.start(warm=False)
        while not are_wiped(deletions(tmp_path)):
            await asyncio.sleep(0.01)
        await duet.close()
        assert parts_of(file) == 1, starts
    assert len([kind for kind, _ in deletions(tmp_path) if kind == WIPED]) == 1, "nothing is left to do the second time"


def parts_of(file: Path) -> int:
    """Of the index: one that was merged keeps no word that was deleted."""
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(DISTINCT segid) FROM found_idx").fetchone()[0])


def test_words_of_a_turn_that_was_deleted_are_gone_from_the_index(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "my ex Ingeborg lives in Tallinn")
    transcript.append(session, 1, "reply", {"by": "fast", "text": "Ingeborg of Tallinn.", "final": True})
    assert transcript.search("ada", "Ingeborg")
    transcript.remove([(session, 1)])
    assert not transcript.search("ada", "Ingeborg") and not transcript.search("ada", "Tallinn")
    assert len(transcript.search("ada", "removed")) == 1
    transcript.delete(session)
    for word in ("ingeborg", "tallinn", "removed"):
        assert transcript._read(sql(f"SELECT rowid FROM found WHERE found MATCH '{word}'")) == []
