"""Contact details: read, checked, read back, and stored after a yes only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.domains import changes
from tools.housing.contact import Contact, read_contact


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("Ann Lee, 555 0134 22", Contact("Ann Lee", "555013422", "")),
        ("my name is bob and my email is bob@example.org", Contact("Bob", "", "bob@example.org")),
        (
            "I'm Zoë O'Neil, phone +49 (151) 234-5678, mail zoe.o@mail.example.org",
            Contact("Zoë O'Neil", "+491512345678", "zoe.o@mail.example.org"),
        ),
        ("name=Max Mustermann, phone=0151 2345678", Contact("Max Mustermann", "01512345678", "")),
        ("call me Jo at 0151/2345678 please", Contact("Jo", "01512345678", "")),
    ],
)
def test_reading(text: str, contact: Contact) -> None:
    assert read_contact(text) == contact


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("my email is bob@", "email address is not complete"),
        ("bob", "phone number or an email address is missing"),
        ("bob 123", "is missing"),
        ("bob, 12 34 56", "no whole phone number|is missing"),
        ("0151 2345678", "The name is missing"),
        ("Ann, 01512345678901234567", "no whole phone number"),
    ],
)
def test_what_is_wrong_is_said(use: Use, place: Path, text: str, sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("leave_contact", text)
    assert changes(place) == ()


def test_it_is_read_back_and_stored_after_the_yes(use: Use, place: Path) -> None:
    text, artifact = use("leave_contact", "Ann Lee, 0151 2345678")
    assert "shall I store the contact details: Ann Lee, phone 01512345678?" in text and changes(place) == ()
    text, done = use("leave_contact", f"yes {artifact['asks']}")
    assert text.startswith("Stored: contact details: Ann Lee") and done["changes"][0]["kind"] == "contact"
    assert "already" in use("leave_contact", "yes")[0]
    assert [(e.kind, e.details["phone"]) for e in changes(place, "s1")] == [("contact", "01512345678")]


def test_a_no_leaves_nothing(use: Use, place: Path) -> None:
    use("leave_contact", "Ann Lee, 0151 2345678")
    assert use("leave_contact", "no")[0].startswith("Nothing was changed")
    assert changes(place) == () and b"01512345678" not in (place / "changes.sqlite").read_bytes()
