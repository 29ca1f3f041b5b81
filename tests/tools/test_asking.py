"""What a question to documents asks for."""

from __future__ import annotations

import pytest

from tools.asking import fits_kind, forms, without_source


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who conducts the choir, according to the member guide?", "Who conducts the choir?"),
        ("According to the staff handbook, when are wages paid?", "when are wages paid?"),
        ("What is in the document?", "What is in the document?"),
    ],
)
def test_the_name_of_the_source_is_no_part_of_what_is_asked(question: str, expected: str) -> None:
    assert without_source(question).replace(" ?", "?") == expected


def test_a_word_that_the_documents_lack_stands_for_longer_ones_or_ones_that_say_the_same() -> None:
    assert forms("conduct", {"conductor", "fee"}, str) == {"conductor"}
    assert forms("wifi", {"wireless", "fee"}, str) == {"wireless"}
    assert forms("fee", {"price", "fee"}, str) == {"fee"}


def test_a_passage_holds_the_kind_of_thing_asked_for() -> None:
    assert fits_kind("Who plays the piano?", "- Pianist: Goran Ilic")
    assert not fits_kind("Who plays the piano?", "the piano is tuned in May")
    assert fits_kind("How many members are there?", "we have 53 members")
    assert not fits_kind("How many members are there?", "members pay a yearly 53 euros")
