"""Viewings: free times, the two steps of a booking, conflicts, and cancelling."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.tools.housing.conftest import NOW, Use
from tools.desk import Desk, ToolFault
from tools.domains import changes, open_domain
from tools.housing.listings import Home
from tools.housing.times import when

MONDAY = date(2026, 11, 23)


def free_times(use: Use, home: str) -> list[str]:
    found = use("viewing_slots", home)[1]["facts"][f"{home}.slots"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("text", "day", "hour"),
    [
        ("H-0421 Friday 14:00", date(2026, 11, 27), time(14)),
        ("24 November at 2 pm", date(2026, 11, 24), time(14)),
        ("2026-11-24 14:00", date(2026, 11, 24), time(14)),
        ("tomorrow at 10", MONDAY, time(10)),
        ("monday at 3 o'clock", MONDAY, time(15)),
        ("on Tuesday, 24 November 2026 at 11:00", date(2026, 11, 24), time(11)),
        ("Sunday", date(2026, 11, 29), None),
        ("the day after tomorrow at noon", date(2026, 11, 24), time(12)),
        ("Nov 25th, 4pm", date(2026, 11, 25), time(16)),
        ("h-1012 please", None, None),
        ("24/11 at 9.30 am", date(2026, 11, 24), time(9, 30)),
        ("H-0007 at two o'clock", None, time(14)),
    ],
)
def test_days_and_times_in_words(text: str, day: date | None, hour: time | None) -> None:
    assert when(text, NOW) == (day, hour)


def test_times_are_offered_from_tomorrow_on_and_never_on_sundays(use: Use, homes: list[Home]) -> None:
    for home in [h for h in homes if h.status == "available"][:12]:
        for at in free_times(use, home.id):
            moment = datetime.fromisoformat(at)
            assert 1 <= (moment.date() - NOW.date()).days <= 14 and moment.weekday() != 6
    text, artifact = use("viewing_slots", "H-0421")
    assert "can be seen with Farid Haddad: Monday, 23 November 2026 at " in text
    assert artifact["depends"] == {"listings": "housing 1 7", "changes": "0-0", "date": "2026-11-22"}
    assert "has no free time on Sunday, 29 November 2026; the next ones are" in use("viewing_slots", "H-0421 Sunday")[0]
    assert all(hour >= "12" for hour in re.findall(r"(\d\d):00", use("viewing_slots", "H-0421 in the afternoon")[0]))


def test_the_times_are_the_same_when_asked_again(use: Use) -> None:
    assert free_times(use, "H-0421") == free_times(use, "H-0421")
    assert free_times(use, "H-0421") != free_times(use, "H-0007")


def test_a_booking_takes_a_yes_in_a_later_run(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[0]
    text, artifact = use("book_viewing", f"H-0421 {at}")
    code = artifact["asks"]
    assert "Not done yet. Ask the person" in text and code in text and "changes" not in artifact
    assert changes(place) == () and at in free_times(use, "H-0421")
    text, artifact = use("book_viewing", f"yes {code}")
    assert text.startswith("Booked: viewing of H-0421 on ") and "Farid Haddad" in text
    assert artifact["changes"] == [
        {
            "kind": "viewing",
            "done": "made",
            "key": f"Farid Haddad {at}",
            "home": "H-0421",
            "at": at,
            "agent": "Farid Haddad",
        }
    ]
    assert artifact["facts"]["H-0421.booked"] == at and artifact["depends"]["changes"] == "1-0"
    assert [(e.session, e.kind, e.details["at"]) for e in changes(place)] == [("s1", "viewing", at)]


def test_no_run_books_what_it_proposed_itself(place: Path) -> None:
    tools = open_domain("housing").make(Desk("s1", NOW), place)
    code = re.search(r"yes (\w{4})$", tools["book_viewing"].invoke("H-0421 first free time"))
    assert code
    for text in (f"yes {code[1]}", "yes", "yes, H-0421 first free time"):
        try:
            tools["book_viewing"].invoke(text)
        except ToolFault as fault:
            assert "has not answered yet" in str(fault)
        assert changes(place) == ()


def test_yes_in_other_words_and_twice(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[1]
    use("book_viewing", f"H-0421 {at}")
    assert use("book_viewing", f"yes, H-0421 at {at} please")[0].startswith("Booked")
    for again in ("yes", f"H-0421 {at}"):
        text, artifact = use("book_viewing", again)
        assert "already" in text and "changes" not in artifact
    assert len(changes(place)) == 1


def test_a_no_books_nothing(use: Use, place: Path) -> None:
    use("book_viewing", "H-0421 first free time")
    assert use("book_viewing", "no thanks")[0].startswith("Nothing was changed")
    with pytest.raises(ToolFault, match="Nothing is waiting"):
        use("book_viewing", "yes")
    assert changes(place) == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("H-0421 yesterday at 14:00", "is past; viewings are arranged from tomorrow on"),
        ("H-0421 2020-01-02 14:00", "is past"),
        ("H-0421 today at 15:00", "cannot be seen on Sunday, 22 November 2026 at 15:00; free are"),
        ("H-0421 tomorrow at 3am", "free are: Monday, 23 November 2026 at"),
        ("H-0421 2027-06-01 10:00", "cannot be seen on"),
        ("H-0421", "H-0421 can be seen .*which time"),
        ("tomorrow at 10", "Say which home"),
        ("H-0421 32 May 10:00", "Say when|no day"),
    ],
)
def test_refusals_say_what_can_be_done(use: Use, place: Path, text: str, sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("book_viewing", text)
    assert changes(place) == ()


@pytest.mark.parametrize("status", ["sold", "under offer"])
def test_homes_that_are_gone_are_not_shown(use: Use, homes: list[Home], status: str) -> None:
    gone = next(h for h in homes if h.status == status)
    for tool in ("viewing_slots", "book_viewing"):
        with pytest.raises(ToolFault, match=f"{gone.id} is {status}, so it cannot be viewed"):
            use(tool, f"{gone.id} tomorrow at 10:00")


def test_an_agent_is_at_one_place_at_a_time(use: Use, homes: list[Home]) -> None:
    mine = next(h for h in homes if h.status == "available")
    for other in (h for h in homes if h.agent == mine.agent and h.status == "available" and h.id != mine.id):
        if common := set(free_times(use, mine.id)) & set(free_times(use, other.id)):
            break
    at = min(common)
    use("book_viewing", f"{mine.id} {at}", "s1")
    use("book_viewing", f"{other.id} {at}", "s2")
    assert use("book_viewing", "yes", "s1")[0].startswith("Booked")
    assert at not in free_times(use, other.id)
    with pytest.raises(ToolFault, match=f"{other.id} cannot be seen on"):
        use("book_viewing", "yes", "s2")
    with pytest.raises(ToolFault, match="cannot be seen on"):
        use("book_viewing", f"{mine.id} {at}", "s3")


def test_a_person_is_at_one_place_at_a_time(use: Use, homes: list[Home]) -> None:
    open_ones = [h for h in homes if h.status == "available"]
    mine = open_ones[0]
    other = next(
        h for h in open_ones if h.agent != mine.agent and set(free_times(use, h.id)) & set(free_times(use, mine.id))
    )
    at = min(set(free_times(use, other.id)) & set(free_times(use, mine.id)))
    use("book_viewing", f"{mine.id} {at}")
    use("book_viewing", "yes")
    with pytest.raises(ToolFault, match=f"has a viewing of {mine.id} at that time"):
        use("book_viewing", f"{other.id} {at}")


def test_cancelling_asks_too_and_frees_the_time(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[0]
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", "H-0421")
    use("book_viewing", f"H-0421 {at}")
    use("book_viewing", "yes")
    assert at not in free_times(use, "H-0421")
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", "H-0421", "somebody else")
    text, artifact = use("cancel_viewing", "my viewing")
    assert "cancellation of the viewing of H-0421" in text and changes(place)[0].ended is None
    text, artifact = use("cancel_viewing", f"yes {artifact['asks']}")
    assert text.startswith("Cancelled") and artifact["changes"][0]["done"] == "cancelled"
    assert changes(place)[0].ended and at in free_times(use, "H-0421")
    assert "already" in use("cancel_viewing", "yes")[0]
    with pytest.raises(ToolFault, match="was cancelled since"):
        use("book_viewing", "yes")
    use("book_viewing", f"H-0421 {at}")
    assert use("book_viewing", "yes")[0].startswith("Booked")


def test_of_several_viewings_one_is_named(use: Use) -> None:
    first, second = free_times(use, "H-0421")[0], free_times(use, "H-0007")[-1]
    for home, at in (("H-0421", first), ("H-0007", second)):
        use("book_viewing", f"{home} {at}")
        use("book_viewing", "yes")
    with pytest.raises(ToolFault, match=r"Say which viewing to cancel.*H-0421.*H-0007"):
        use("cancel_viewing", "my viewing")
    assert "cancellation of the viewing of H-0007" in use("cancel_viewing", "the one of H-0007")[0]


def test_a_viewing_that_is_over_is_not_cancelled(use: Use) -> None:
    use("book_viewing", "H-0421 first free time")
    use("book_viewing", "yes")
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", "H-0421", now=NOW + timedelta(30))
