"""The transcript: what is stored, what is in view, and what many hands at once cannot break."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql
from sqlalchemy.exc import IntegrityError

from chat.deletions import remove_words
from chat.faults import ChatFault, DiskFull, UnknownSession
from chat.sessions import new_id, title_of
from chat.settings import Options
from chat.transcript import OPEN, Transcript
from chat.uploads import Document
from minds.dialogue import Turn
from tools.desk import Chunk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "duet.sqlite"


@pytest.fixture
def transcript(file: Path) -> Iterator[Transcript]:
    opened = Transcript(file)
    yield opened
    opened.close()


def say(transcript: Transcript, session: str, said: str, reply: str = "ok", *, slow: str = "", **more: object) -> int:
    """One finished turn."""
    number = transcript.begin_turn(session, said).turn
    if slow:
        transcript.append(
            session, number, "reply", {"by": "fast", "text": "Let me see.", "invoke": True, "final": False}
        )
    data = {"by": "slow" if slow else "fast", "text": reply, "invoke": False, "final": True, **more}
    transcript.append(session, number, "reply", data | ({"slow": slow} if slow else {}))
    transcript.append(session, number, "end", {"state": "done"})
    return number


def kinds(transcript: Transcript, session: str) -> list[tuple[int, str]]:
    return [(event.turn, event.kind) for event in transcript.events(session)]


# -- events


def test_events_grow_in_order_and_are_read_from_where_one_was(transcript: Transcript) -> None:
    one, other = transcript.new_session("ada").id, transcript.new_session("ada").id
    say(transcript, one, "a")
    say(transcript, other, "b")
    say(transcript, one, "c")
    events = transcript.events(one)
    assert [e.seq for e in events] == sorted({e.seq for e in events})
    assert transcript.events(one, events[2].seq) == events[3:]
    assert transcript.events(one, events[-1].seq) == []
    assert all(e.session == one for e in events)


def test_a_reply_takes_the_place_of_its_pieces_and_a_step_of_its_act(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "hello")
    transcript.append(session, 1, "status", {"text": "thinking"})
    transcript.append(session, 1, "delta", {"by": "fast", "text": "Hel"})
    transcript.append(session, 1, "act", {"number": 1})
    assert kinds(transcript, session) == [(1, "turn"), (1, "status"), (1, "delta"), (1, "act")]
    transcript.append(session, 1, "reply", {"by": "fast", "text": "Hello", "final": True})
    transcript.append(session, 1, "step", {"number": 1})
    assert kinds(transcript, session) == [(1, "turn"), (1, "status"), (1, "reply"), (1, "step")]
    transcript.append(session, 1, "delta", {"by": "fast", "text": "more"})
    transcript.append(session, 1, "act", {"number": 2})
    transcript.append(session, 1, "end", {"state": "stopped"})
    assert kinds(transcript, session) == [(1, "turn"), (1, "reply"), (1, "step"), (1, "end")]
    assert transcript.turn(session, 1).state == "stopped"


def test_pieces_of_one_turn_do_not_go_with_the_reply_of_another(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "one")
    transcript.begin_turn(session, "two")
    transcript.append(session, 1, "delta", {"by": "fast", "text": "a"})
    transcript.append(session, 2, "reply", {"by": "fast", "text": "b", "final": True})
    assert (1, "delta") in kinds(transcript, session)


TEXTS = [
    "",
    "日本語 🦉 e\u0301",
    "<script>alert(1)</script>",
    "a\x00b",
    "'; DROP TABLE turns; --",
    "\u202e\u200f",
    "x" * 200_000,
]


@pytest.mark.parametrize("text", TEXTS)
def test_all_text_comes_back_as_it_was(transcript: Transcript, text: str) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, text)
    transcript.append(
        session, 1, "reply", {"by": "fast", "text": text, "final": True, "deep": {"list": [text, None, 1.5]}}
    )
    assert transcript.turn(session, 1).said == text
    assert transcript.events(session)[1].data["deep"] == {"list": [text, None, 1.5]}


def test_half_a_character_does_not_break_the_log(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "hello")
    transcript.append(session, 1, "delta", {"by": "fast", "text": "half \ud83d"})
    assert "half" in str(transcript.events(session)[-1].data["text"])


# -- what is in view


def test_an_edit_takes_the_turn_and_all_after_it_out_of_view(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    for said in ("one", "two", "three"):
        say(transcript, session, said)
    event = transcript.begin_turn(session, "two again", supersedes=2)
    assert event.turn == 4 and event.data == {"text": "two again", "edits": 2}
    assert {turn for turn, _ in kinds(transcript, session)} == {1, 4}
    assert transcript.last_turn(session) == transcript.turn(session, 4)
    assert transcript.turns_from(session, 1) == [1, 4] and [*transcript.places(session)] == [1, 2, 3, 4]
    heard = [turn.text for turn in transcript.dialogue(session, before=5).turns if turn.speaker == "user"]
    assert heard == ["one", "two again"]
    with pytest.raises(ChatFault, match="no longer"):
        transcript.turn(session, 3)


def test_an_undo_tells_those_who_follow(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "one")
    seen = transcript.events(session)[-1].seq
    transcript.supersede(session, 1)
    assert [e.kind for e in transcript.events(session, seen)] == ["superseded"]
    assert transcript.last_turn(session) is None


def test_what_was_taken_back_cannot_be_taken_back_again(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "one")
    transcript.supersede(session, 1)
    for attempt in (
        lambda: transcript.supersede(session, 1),
        lambda: transcript.begin_turn(session, "x", supersedes=1),
        lambda: transcript.begin_turn(session, "x", supersedes=99),
        lambda: transcript.set_feedback(session, 1, 1),
    ):
        with pytest.raises(ChatFault, match="reload"):
            attempt()
    assert [*transcript.places(session)] == [1]


def test_an_open_turn_that_was_taken_back_is_not_taken_up_after_a_restart(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "one")
    transcript.begin_turn(session, "one again", supersedes=1)
    assert [turn.number for turn in transcript.turns_in(OPEN)] == [2]


# -- the dialogue


def test_the_dialogue_is_whole(transcript: Transcript) -> None:
    """What of it fits is for who reads it to say (chat/turn_context.py)."""
    session = transcript.new_session("ada").id
    for number in range(1, 31):
        said = [turn.text for turn in transcript.dialogue(session, before=number).turns if turn.speaker == "user"]
        assert said == [f"turn {n}" for n in range(1, number)]
        say(transcript, session, f"turn {number}")


def test_what_was_spoken_before_a_turn_has_a_reply_that_came_after_it_and_no_step(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "one")
    say(transcript, session, "two")
    transcript.append(session, 1, "step", {"action": "search"})
    transcript.append(session, 1, "reply", {"text": "late", "final": True})
    assert [event.data["text"] for event in transcript.spoken(session, before=2)] == ["one", "late"]
    assert [event.data["text"] for event in transcript.spoken(session)] == ["one", "two", "ok", "late"]


def test_a_summary_is_kept_with_the_turn_that_it_was_made_for(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    assert transcript.summary(session) is None
    transcript.keep_summary(session, 1, "Nobody spoke.")
    assert transcript.summary(session) is None
    for number, text in ((1, "They spoke of dogs."), (2, "They spoke of dogs and cats.")):
        transcript.begin_turn(session, f"turn {number}")
        transcript.keep_summary(session, number, text)
    assert transcript.summary(session) == (2, "They spoke of dogs and cats.")
    transcript.append(session, number, "summary", {"until": 2, "text": "of before turns were counted"})
    assert transcript.summary(session) is None
    transcript.supersede(session, 2)
    assert transcript.summary(session) == (1, "They spoke of dogs.")
    assert [turn.text for turn in transcript.dialogue(session, before=9).turns] == ["turn 1"]


def test_turns_that_were_taken_back_are_not_in_the_dialogue(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "my name is Rose")
    number = say(transcript, session, "tell me a joke")
    for _ in range(40):
        number = transcript.begin_turn(session, "another", supersedes=number).turn
    assert [t.text for t in transcript.dialogue(session, before=number).turns] == ["my name is Rose", "ok"]


def test_the_dialogue_holds_what_both_minds_said(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "2 + 2?", "It is 4.", slow="2 + 2 = 4")
    turns = transcript.dialogue(session, before=2).turns
    assert [(t.speaker, t.text, t.invoke) for t in turns] == [
        ("user", "2 + 2?", False),
        ("fast", "Let me see.", True),
        ("slow", "2 + 2 = 4", False),
        ("fast", "It is 4.", False),
    ]
    assert all(isinstance(t, Turn) and t.at > 0 for t in turns)


def test_a_turn_sees_only_what_came_before(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    for said in ("one", "two", "three"):
        say(transcript, session, said)
    assert [t.text for t in transcript.dialogue(session, before=2).turns] == ["one", "ok"]


# -- conversations


def test_titles_come_from_the_first_words(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "  What is\n387 times 46?  ")
    say(transcript, session, "thanks")
    assert transcript.session(session).title == "What is 387 times 46?"
    transcript.rename(session, "  Sums  ")
    assert transcript.session(session).title == "Sums"
    assert title_of("word " * 50).endswith("word…") and len(title_of("word " * 50)) <= 60
    assert len(title_of("x" * 500)) <= 60


def test_newest_conversations_come_first(transcript: Transcript) -> None:
    one, other = transcript.new_session("ada").id, transcript.new_session("ada").id
    say(transcript, other, "first")
    say(transcript, one, "last")
    assert [s.id for s in transcript.sessions("ada")] == [one, other]


def test_delete_leaves_nothing(transcript: Transcript, file: Path) -> None:
    gone, kept = transcript.new_session("ada").id, transcript.new_session("ada").id
    for session in (gone, kept):
        say(transcript, session, "hello")
        transcript.add_document(session, "a.txt", "d", [Chunk("a.txt", "", "text")])
    transcript.delete(gone)
    db = sqlite3.connect(file)
    for table in ("turns", "events", "documents"):
        assert [row[0] for row in db.execute(f"SELECT DISTINCT session FROM {table}")] == [kept]
    db.close()
    for ask in (transcript.session, transcript.options, transcript.delete):
        with pytest.raises(UnknownSession):
            ask(gone)
    with pytest.raises(UnknownSession):
        transcript.begin_turn(gone, "hello?")
    with pytest.raises(UnknownSession):
        transcript.dialogue(gone, before=1)


def test_nothing_can_be_said_of_a_turn_whose_conversation_is_gone(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    transcript.begin_turn(session, "hello")
    transcript.delete(session)
    with pytest.raises(IntegrityError):
        transcript.append(session, 1, "reply", {"text": "late", "final": True})


def test_options_and_feedback_are_kept(transcript: Transcript) -> None:
    session = transcript.new_session("ada", options=Options(temperature=0.3)).id
    assert transcript.options(session) == Options(temperature=0.3)
    transcript.set_options(session, Options(slow_model="embedded:1.5b", memory=False))
    assert transcript.options(session) == Options(slow_model="embedded:1.5b", memory=False)
    say(transcript, session, "hello")
    for given, stored in ((1, 1), (-1, -1), (0, 0), (99, 1), (-99, -1)):
        transcript.set_feedback(session, 1, given)
        assert transcript.marks(session).get(1, 0) == stored


def test_exchanges_are_what_memory_may_hold(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "good")
    say(transcript, session, "wrong")
    transcript.set_feedback(session, 2, -1)
    transcript.begin_turn(session, "open")
    transcript.append(session, 3, "reply", {"by": "fast", "text": "Let me see.", "invoke": True, "final": False})
    assert [(turn, said) for _, turn, said, _, _ in transcript.exchanges("ada")] == [(1, "good"), (2, "wrong")]
    assert list(transcript.exchanges("ben")) == list(transcript.exchanges("ada", transcript.newest())) == []
    assert (transcript.wrong("ada"), transcript.taken_back("ada")) == ([(session, 2)], [])
    transcript.supersede(session, 2)
    assert (transcript.wrong("ada"), transcript.taken_back("ada")) == ([], [(session, 2), (session, 3)])


def test_documents_belong_to_their_conversation(transcript: Transcript) -> None:
    one, other = transcript.new_session("ada").id, transcript.new_session("ada").id
    chunks = [Chunk("a.txt", "page 1", "text"), Chunk("a.txt", "page 2", "more")]
    added = transcript.add_document(one, "a.txt", "digest", chunks)
    assert transcript.add_document(one, "a.txt", "digest", chunks) == added
    assert transcript.documents(one) == [added] and added.chunks == 2
    assert transcript.chunks(one) == chunks and transcript.chunks(other) == []
    transcript.remove_document(other, added.id)
    assert transcript.documents(one) == [added]
    transcript.remove_document(one, added.id)
    assert transcript.documents(one) == [] and transcript.chunks(one) == []


def test_another_document_of_the_same_name_is_told_apart(transcript: Transcript) -> None:
    """A new version: nobody could say from which of the two a passage is."""
    session = transcript.new_session("ada").id
    versions = (("lease.md", "1"), ("lease.md", "2"), ("lease.md", "3"), ("notes", "a"), ("notes", "b"))
    for name, digest in versions:
        added = transcript.add_document(session, name, digest, [Chunk(name, "Rent", digest)])
        assert transcript.add_document(session, name, digest, [Chunk(name, "Rent", digest)]) == added
    names = ["lease.md", "lease (2).md", "lease (3).md", "notes", "notes (2)"]
    assert [document.name for document in transcript.documents(session)] == names
    assert [chunk.document for chunk in transcript.chunks(session)] == names


def test_a_version_counts_on_from_those_that_are_there(transcript: Transcript) -> None:
    """What is uploaded behind a deleted one looked older than it is, and a version again became a second one."""
    session = transcript.new_session("ada").id

    def added(digest: str) -> Document:
        return transcript.add_document(session, "lease.md", digest, [Chunk("lease.md", "Rent", digest)])

    first, second = added("1"), added("2")
    transcript.remove_document(session, first.id)
    assert added("2") == second and added("3").name == "lease (3).md"
    assert [document.name for document in transcript.documents(session)] == ["lease (2).md", "lease (3).md"]


def test_a_document_is_called_what_can_be_seen(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    added = transcript.add_document(session, "lease\u202e\u2028[a].md", "1", [Chunk("lease.md", "Rent", "1")])
    assert added.name == transcript.chunks(session)[0].document == "lease [a].md"


# -- the file


def test_everything_is_there_after_a_reopening(transcript: Transcript, file: Path) -> None:
    session = transcript.new_session("ada", options=Options(memory=False)).id
    say(transcript, session, "hello")
    before = transcript.events(session)
    second = Transcript(file)  # as after a kill: the first was never closed
    assert second.events(session) == before
    assert second.options(session) == Options(memory=False)
    assert second.begin_turn(session, "again").seq > before[-1].seq
    second.close()


def test_sequence_numbers_are_never_given_again(transcript: Transcript, file: Path) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "hello")
    last = transcript.events(session)[-1].seq
    transcript.delete(session)
    transcript.close()
    again = Transcript(file)
    assert again.begin_turn(again.new_session("ada").id, "hello").seq > last
    again.close()


def test_a_file_that_is_no_transcript_is_named(tmp_path: Path) -> None:
    path = tmp_path / "duet.sqlite"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(ChatFault, match=r"duet\.sqlite is damaged .* move it away") as caught:
        Transcript(path)
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_said_and_nothing_is_half_stored(transcript: Transcript, file: Path) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "hello")
    before = transcript.events(session)
    pages = transcript._read(sql("PRAGMA page_count"))[0][0]
    transcript._read(sql(f"PRAGMA max_page_count={pages}"))
    with pytest.raises(DiskFull):
        for _ in range(100):
            transcript.begin_turn(session, "x" * 100_000)
    transcript._read(sql("PRAGMA max_page_count=1073741823"))
    stored = [*transcript.places(session)]
    assert [e.turn for e in transcript.events(session) if e.kind == "turn"] == stored
    assert transcript.events(session)[: len(before)] == before
    assert transcript.begin_turn(session, "room again").turn == len(stored) + 1


def test_a_failed_turn_leaves_no_trace(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "one")
    with pytest.raises(ChatFault):
        transcript.begin_turn(session, "two", supersedes=7)
    assert transcript.turns_from(session, 1) == [1]


def test_many_threads_at_once_lose_and_mix_nothing(transcript: Transcript) -> None:
    sessions = [transcript.new_session(f"user{n}").id for n in range(8)]
    failures: list[BaseException] = []

    def work(session: str, mark: str) -> None:
        try:
            for n in range(15):
                number = transcript.begin_turn(session, f"{mark} {n}").turn
                transcript.append(session, number, "delta", {"by": "fast", "text": mark})
                transcript.append(session, number, "reply", {"by": "fast", "text": f"{mark} {n}", "final": True})
                transcript.append(session, number, "end", {"state": "done"})
                transcript.events(session)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(s, f"mark{i}")) for i, s in enumerate(sessions)]
    threads += [threading.Thread(target=work, args=(sessions[0], "mark0"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for index, session in enumerate(sessions):
        events = transcript.events(session)
        assert len(events) == 3 * 15 * (2 if index == 0 else 1)
        assert {str(e.data["text"]).split()[0] for e in events if "text" in e.data} == {f"mark{index}"}
    assert transcript.turns_in(OPEN) == []


def test_two_openers_of_one_file_share_it(transcript: Transcript, file: Path) -> None:
    second = Transcript(file)
    session = transcript.new_session("ada").id
    numbers = [t.begin_turn(session, "x").turn for t in (transcript, second) * 5]
    assert numbers == list(range(1, 11))
    second.close()


def test_what_is_stored_is_plain_json(transcript: Transcript, file: Path) -> None:
    session = transcript.new_session("ada").id
    say(transcript, session, "grüß dich")
    db = sqlite3.connect(file)
    rows = [json.loads(row[0]) for row in db.execute("SELECT data FROM events ORDER BY seq")]
    db.close()
    assert rows[0] == {"text": "grüß dich"}


def test_no_id_looks_like_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(["-abc", "--bc", "abc-"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _: next(made))
    assert new_id() == "abc-"


def test_while_much_is_deleted_others_have_their_turn(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.engine.AT_ONCE", 1, raising=False)
    monkeypatch.setattr("storage.engine.BREATH", 0.5, raising=False)
    session, asked = transcript.new_session("ada").id, list[Future[object]]()
    turns = [(session, say(transcript, session, "hello")) for _ in range(2)]
    with ThreadPoolExecutor(1) as other:

        def removed(*turn: Any) -> bool:
            if asked:
                asked[0].result(5)
            asked.append(other.submit(transcript.new_session, "eve"))
            time.sleep(0.1)
            return remove_words(*turn)

        monkeypatch.setattr("chat.transcript.remove_words", removed)
        transcript.remove(turns)
    assert transcript.erased(*turns[0]) and transcript.erased(*turns[1])
