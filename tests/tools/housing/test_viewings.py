"""Viewings: free times, the two steps of a booking, conflicts, and cancelling."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.tools.housing.conftest import NOW, Use
from tools.desk import Desk, ToolFault
from tools.domains import changes, open_domain
from tools.housing.changes import VIEWING
from tools.housing.listings import Home
from tools.ledger import Ledger


def free_times(use: Use, home: str) -> list[str]:
    found = use("viewing_slots", home=home)[1]["facts"][f"{home}.slots"]
    assert isinstance(found, list)
    return found


def ask(use: Use, home: str, at: str, session: str = "s1") -> str:
    """The code of the proposal to book."""
    day, time = at.split()
    return str(use("book_viewing", session, home=home, day=day, time=time)[1]["asks"])


def book(use: Use, home: str, at: str, session: str = "s1") -> str:
    return use("book_viewing", session, confirm=ask(use, home, at, session))[0]


def test_times_are_offered_from_tomorrow_on_and_never_on_sundays(use: Use, homes: list[Home]) -> None:
    for home in [h for h in homes if h.status == "available"][:12]:
        for at in free_times(use, home.id):
            moment = datetime.fromisoformat(at)
            assert 1 <= (moment.date() - NOW.date()).days <= 14 and moment.weekday() != 6
    text, artifact = use("viewing_slots", home="H-0421")
    assert "can be seen with Farid Haddad: Monday, 23 November 2026 at " in text
    assert artifact["depends"] == {"listings": "housing 1 7", "changes": "0-0", "date": "2026-11-22"}
    sunday = use("viewing_slots", home="H-0421", day="2026-11-29")[0]
    rule = "(viewings are from tomorrow on, up to 14 days ahead, never on Sundays)"
    assert f"has no free time on Sunday, 29 November 2026 {rule}; the next ones are" in sunday
    assert rule in use("viewing_slots", home="H-0421", day="2027-02-01")[0]
    afternoon = use("viewing_slots", home="H-0421", part="afternoon")[0]
    assert all("12" <= hour < "17" for hour in re.findall(r"(\d\d):00", afternoon))


def test_a_part_of_a_day_without_a_time_is_named(use: Use) -> None:
    said = [use("viewing_slots", home="H-0421", day=f"2026-11-{day}", part="morning")[0] for day in range(23, 29)]
    none = [each for each in said if "no free" in each]
    assert all(each.split(" on ")[1].partition(";")[0] in each.partition("; ")[2] for each in none), "later that day"
    assert none and all("has no free time in the morning on " in each and "(view" not in each for each in none)


def test_the_times_are_the_same_when_asked_again(use: Use) -> None:
    assert free_times(use, "H-0421") == free_times(use, "H-0421")
    assert free_times(use, "H-0421") != free_times(use, "H-0007")


def test_a_booking_takes_a_yes_in_a_later_run(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[0]
    day, time = at.split()
    text, artifact = use("book_viewing", home="H-0421", day=f"Monday, 23 November 2026, {day}", time=time)
    assert "Not done yet. Ask the person" in text and artifact["asks"] in text and "changes" not in artifact
    assert changes(place) == () and at in free_times(use, "H-0421")
    text, done = use("book_viewing", confirm=artifact["asks"])
    assert text.startswith("Booked: viewing of H-0421 on ") and "Farid Haddad" in text
    kept = {"home": "H-0421", "at": at, "agent": "Farid Haddad"}
    assert done["changes"] == [{"kind": "viewing", "done": "made", "key": f"Farid Haddad {at}", **kept}]
    assert done["facts"]["H-0421.booked"] == at and done["depends"]["changes"].startswith("1-0 ")
    assert [(e.session, e.kind, e.details["at"]) for e in changes(place)] == [("s1", "viewing", at)]


def test_no_run_books_what_it_proposed_itself(use: Use, place: Path) -> None:
    tools = open_domain("housing").make(Desk("s1", NOW), place)
    day, time = free_times(use, "H-0421")[0].split()
    code = re.search(r"confirm=(\w{4})", tools["book_viewing"].invoke({"home": "H-0421", "day": day, "time": time}))
    assert code
    with pytest.raises(ToolFault, match="has not answered yet"):
        tools["book_viewing"].invoke({"confirm": code[1]})
    assert changes(place) == ()


def test_a_second_yes_books_nothing_more(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[1]
    code = ask(use, "H-0421", at)
    assert use("book_viewing", confirm=code)[0].startswith("Booked")
    text, artifact = use("book_viewing", confirm=code)
    assert "already" in text and "changes" not in artifact and len(changes(place)) == 1
    with pytest.raises(ToolFault, match="You have this viewing of H-0421 already"):
        ask(use, "H-0421", at)


def test_a_no_books_nothing(use: Use, place: Path) -> None:
    code = ask(use, "H-0421", free_times(use, "H-0421")[0])
    assert "nothing was changed" in use("book_viewing", confirm=code, agreed=False)[0]
    with pytest.raises(ToolFault, match="Nothing waits for an answer"):
        use("book_viewing", confirm=code)
    assert changes(place) == ()


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"home": "H-0421", "day": "2020-01-02", "time": "14:00"}, "H-0421 can be seen Monday, 23 November"),
        ({"home": "H-0421", "day": "2026-11-22", "time": "15:00"}, "H-0421 can be seen"),
        ({"home": "H-0421", "day": "2026-11-23", "time": "03:00"}, "H-0421 can be seen Monday, 23 November 2026 at"),
        ({"home": "H-0421"}, "H-0421 can be seen .*which of these times suits you"),
        ({"day": "2026-11-23", "time": "10:00"}, "Which home"),
    ],
)
def test_refusals_say_what_can_be_done(use: Use, place: Path, wish: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("book_viewing", **wish)
    assert changes(place) == ()


@pytest.mark.parametrize("wish", [{"time": "25:00"}, {"time": "soon"}, {"day": "32 May"}])
def test_what_is_no_time_is_refused(use: Use, wish: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        use("book_viewing", home="H-0421", **wish)


@pytest.mark.parametrize("status", ["sold", "under offer"])
def test_homes_that_are_gone_are_not_shown(use: Use, homes: list[Home], status: str) -> None:
    gone = next(h for h in homes if h.status == status)
    for tool in ("viewing_slots", "book_viewing"):
        with pytest.raises(ToolFault, match=f"{gone.id} is {status}, so it cannot be viewed"):
            use(tool, home=gone.id, day="2026-11-23")


def test_an_agent_is_at_one_place_at_a_time(use: Use, homes: list[Home]) -> None:
    mine = next(h for h in homes if h.status == "available")
    for other in (h for h in homes if h.agent == mine.agent and h.status == "available" and h.id != mine.id):
        if common := set(free_times(use, mine.id)) & set(free_times(use, other.id)):
            break
    at = min(common)
    late = ask(use, other.id, at, "s2")
    assert book(use, mine.id, at, "s1").startswith("Booked")
    assert at not in free_times(use, other.id)
    with pytest.raises(ToolFault, match=f"{other.id} cannot be seen on"):
        use("book_viewing", "s2", confirm=late)
    with pytest.raises(ToolFault, match=f"{mine.id} can be seen"):
        ask(use, mine.id, at, "s3")


def test_a_person_is_at_one_place_at_a_time(use: Use, homes: list[Home]) -> None:
    mine, *others = [h for h in homes if h.status == "available"]
    free = set(free_times(use, mine.id))
    other = next(h for h in others if h.agent != mine.agent and set(free_times(use, h.id)) & free)
    at = min(set(free_times(use, other.id)) & free)
    book(use, mine.id, at)
    with pytest.raises(ToolFault, match=f"You have a viewing of {mine.id} at that time"):
        ask(use, other.id, at)


def test_cancelling_asks_too_and_frees_the_time(use: Use, place: Path) -> None:
    at = free_times(use, "H-0421")[0]
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", home="H-0421")
    made = ask(use, "H-0421", at)
    use("book_viewing", confirm=made)
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", "somebody else", home="H-0421")
    _, artifact = use("cancel_viewing")
    assert artifact["told"].startswith("Shall I cancel the viewing of H-0421") and changes(place)[0].ended is None
    text, done = use("cancel_viewing", confirm=artifact["asks"])
    assert text.startswith("Cancelled") and done["changes"][0]["done"] == "cancelled"
    assert changes(place)[0].ended and at in free_times(use, "H-0421")
    assert "already" in use("cancel_viewing", confirm=artifact["asks"])[0]
    with pytest.raises(ToolFault, match="is over since"):
        use("book_viewing", confirm=made)
    assert book(use, "H-0421", at).startswith("Booked")
    with pytest.raises(ToolFault, match="anew since"):
        use("cancel_viewing", confirm=artifact["asks"])
    assert changes(place)[-1].ended is None, "an old yes cancels no new viewing"


def test_of_several_viewings_one_is_named(use: Use) -> None:
    first, second = free_times(use, "H-0421")[0], free_times(use, "H-0007")[-1]
    for home, at in sorted((("H-0421", first), ("H-0007", second)), key=lambda one: one[1], reverse=True):
        book(use, home, at)
    with pytest.raises(ToolFault, match=r"Which viewing shall I cancel.*H-0421.*H-0007"):
        use("cancel_viewing")
    assert "viewing of H-0007" in use("cancel_viewing", home="H-0007")[0]
    assert "viewing of H-0421" in use("cancel_viewing", day=first.split()[0])[0]
    told = use("my_viewings")[0]
    assert ("H-0421" in told and "H-0007" in told) and (told.index("H-0421") < told.index("H-0007")) == (first < second)


def test_a_yes_cancels_no_other_home_that_was_booked_for_the_same_time_since(
    use: Use, place: Path, homes: list[Home]
) -> None:
    """The first was cancelled elsewhere in between; the same agent shows the other one then."""
    agent = [home.id for home in homes if home.agent == "Farid Haddad" and home.status == "available"]
    times = {home: free_times(use, home) for home in agent}
    at, first, other = next(
        (at, one, two) for one in agent for two in agent for at in times[one] if one != two and at in times[two]
    )
    book(use, first, at)
    code = use("cancel_viewing")[1]["asks"]
    changed = Ledger(place, "s1")
    assert changed.end(VIEWING, f"Farid Haddad {at}", NOW.isoformat(), NOW.isoformat())
    day, time = at.split()
    later = NOW + timedelta(minutes=5)
    asked = use("book_viewing", now=later, home=other, day=day, time=time)[1]["asks"]
    assert use("book_viewing", now=later, confirm=asked)[0].startswith("Booked")
    assert "cancelled already" in use("cancel_viewing", now=later, confirm=code)[0]
    assert [entry.details["home"] for entry in changes(place) if entry.ended is None] == [other]


def test_a_viewing_that_is_over_is_not_cancelled(use: Use) -> None:
    book(use, "H-0421", free_times(use, "H-0421")[0])
    with pytest.raises(ToolFault, match="nothing can be cancelled"):
        use("cancel_viewing", now=NOW + timedelta(30), home="H-0421")
