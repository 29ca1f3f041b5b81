from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from chat.sessions import Hit, Session
from chat.transcript import Transcript
from chat.ui import listed
from chat.ui.listed import ARCHIVE, Listing, conversations, hits, listing
from minds.about import itself

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[Transcript]:
    opened = Transcript(tmp_path / "duet.sqlite")
    yield opened
    opened.close()


def session(title: str, age_days: float = 0, key: str = "abc") -> Session:
    at = time.time() - age_days * 86400
    return Session(key, "ada", title, at, at)


def test_conversations_stand_under_their_days() -> None:
    shown = conversations(Listing(rest=[session("new"), session("old", 1), session("older", 400)]))
    assert shown.index("Today") < shown.index(">new<") < shown.index("Yesterday") < shown.index(">old<")
    assert shown.count("<h3") == 3


def test_days_are_those_of_the_persons_zone() -> None:
    now = datetime.now(UTC)
    noon = timedelta(hours=12 - now.hour)  # where it is noon now
    midnight = datetime.now(timezone(noon)).replace(hour=0, minute=0, second=0)
    late = Session("abc", "ada", "late", 0.0, midnight.timestamp() - 60)
    assert "Yesterday" in conversations(Listing(rest=[late]), timezone(noon))
    assert "Today" in conversations(Listing(rest=[late]), timezone(noon + timedelta(hours=1)))


def test_titles_ids_folders_and_hits_are_escaped() -> None:
    evil = Session(EVIL, "ada", EVIL, 0.0, 0.0, folder=EVIL)
    shown = conversations(Listing(rest=[evil], folders=[(EVIL, 1, [evil])]))
    shown += hits([[Hit(evil, 1, EVIL)]], "alert")
    assert "<script" not in shown and shown.count('data-do="delete"') == 3
    assert "New conversation" in conversations(Listing(rest=[session("")]))


def test_an_empty_list_says_why() -> None:
    assert "appear here" in conversations(Listing())
    assert "No conversation" in hits([], "zebra")


def test_pinned_ones_come_first_then_folders_and_the_archive_comes_last(transcript: Transcript) -> None:
    made = {name: transcript.new_session("ada", name).id for name in ("plain", "kept", "filed", "put away")}
    transcript.arrange(made["kept"], pinned=True)
    transcript.arrange(made["filed"], folder="Work")
    transcript.arrange(made["put away"], archived=True)
    transcript.new_session("ben", "not mine")
    closed = conversations(listing(transcript, "ada", 10, ()))
    assert closed.index("Pinned") < closed.index(">kept<") < closed.index(">Work<") < closed.index(">plain<")
    assert closed.index(">plain<") < closed.index(">Archived<")
    assert ">filed<" not in closed and ">put away<" not in closed and "not mine" not in closed
    opened = conversations(listing(transcript, "ada", 10, ("/Work", ARCHIVE)))
    assert ">filed<" in opened and ">put away<" in opened
    assert conversations(listing(transcript, "ada", 10, ("/plain",))) == closed


def test_a_folder_may_be_called_like_the_archive(transcript: Transcript) -> None:
    transcript.arrange(transcript.new_session("ada", "filed").id, folder=ARCHIVE)
    assert ">filed<" not in conversations(listing(transcript, "ada", 10, (ARCHIVE,)))


def test_many_come_bit_by_bit(transcript: Transcript) -> None:
    for number in range(5):
        transcript.new_session("ada", f"talk {number}")
    assert conversations(listing(transcript, "ada", 3, ())).count('class="entry"') == 3
    assert 'data-do="list-more"' in conversations(listing(transcript, "ada", 3, ()))
    assert 'data-do="list-more"' not in conversations(listing(transcript, "ada", 5, ()))


def test_a_hit_is_shown_with_what_stands_around_it() -> None:
    text = "before " * 30 + "the Zebra " + "after " * 30
    shown = hits([[Hit(session("talk"), 7, text)]], "zebra")
    assert 'data-turn="7"' in shown and "<mark>Zebra</mark>" in shown
    assert "zebra" in listed.around(f"{'ß' * 100} zebra", ["zebra"])
    assert "…" in shown and len("".join(listed.around(text, ["zebra"]))) < 100
    titled = hits([[Hit(session("zebras"), 0, "zebras")]], "zebra")
    assert "data-turn" not in titled and ">zebras<" in titled


def test_the_fast_mind_is_told_what_the_menu_of_a_conversation_does() -> None:
    shown, told = conversations(Listing(rest=[session("talk")])), itself()
    for does in ("Rename", "Pin", "Archive", "Share", "Export", "Delete"):
        assert f">{does}" in shown and does.lower() in told
