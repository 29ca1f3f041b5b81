"""Contact details: checked, read back, and stored after a yes only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.housing.conftest import Use
from tools.desk import ToolFault
from tools.domains import changes


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": "Bob", "email": "bob@"}, "email address is not complete"),
        ({"name": "Bob"}, "phone number or an email address"),
        ({"name": "Bob", "phone": "12 34 56"}, "no whole phone number"),
        ({"name": "Ann", "phone": "01512345678901234567"}, "no whole phone number"),
        ({"name": "Ann", "phone": "0170 1234567 ext 5"}, "no whole phone number"),
        ({"name": "Ann", "phone": "++49 170 1234567"}, "no whole phone number"),
        ({"phone": "0151 2345678"}, "What name"),
    ],
)
def test_what_is_wrong_is_said(use: Use, place: Path, given: dict[str, str], sentence: str) -> None:
    with pytest.raises(ToolFault, match=sentence):
        use("leave_contact", **given)
    assert changes(place) == ()


def test_it_is_read_back_and_stored_after_the_yes(use: Use, place: Path) -> None:
    _, artifact = use("leave_contact", name="Ann Lee", phone="+49 (151) 234-5678")
    assert artifact["told"].startswith("Shall I store Ann Lee, phone +491512345678,") and changes(place) == ()
    text, done = use("leave_contact", confirm=artifact["asks"])
    assert text.startswith("Stored: contact details: Ann Lee") and done["changes"][0]["kind"] == "contact"
    assert "already" in use("leave_contact", confirm=artifact["asks"])[0]
    assert [(e.kind, e.details["phone"]) for e in changes(place, "s1")] == [("contact", "+491512345678")]


def test_a_number_can_be_dialled_and_names_have_apostrophes(use: Use) -> None:
    there = use("leave_contact", name="Pat", phone="0049 (0)170 123 45 67")[1]["told"]
    assert "phone 00491701234567," in there
    told = use("leave_contact", name="Pat", phone="+49 (0)170/123–4567", email="o'brien@example.org")[1]["told"]
    assert "phone +491701234567, email o'brien@example.org" in told
    whole = use("leave_contact", name="Pat", phone=" (+49) (0)170 123 45 67")[1]["told"]
    assert "phone +491701234567," in whole
    assert "phone 01701234567," in use("leave_contact", name="Pat", phone="(0)170 1234567")[1]["told"]


def test_a_no_leaves_nothing(use: Use, place: Path) -> None:
    _, artifact = use("leave_contact", name="Ann Lee", phone="0151 2345678")
    assert "nothing was changed" in use("leave_contact", confirm=artifact["asks"], agreed=False)[0]
    assert changes(place) == () and b"01512345678" not in (place / "changes.sqlite").read_bytes()
