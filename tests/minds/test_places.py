"""What a reply takes from documents, and where it stands."""

from __future__ import annotations

import pytest

from minds.places import places

LEASE = (
    "lease.pdf, page 3",
    "The deposit is 1,250 euros, held by Anna Schmidt of the\nHanse Bank until the keys are back.",
)
RULES = ("rules.md, Noise", "Music is off from 22:00 on. The caretaker is Mr Okafor; the deposit is 1,250 euros.")
PASSAGES = [LEASE, RULES]


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("You paid 1250 euros.", {LEASE[0]: ["1250"]}),
        ("It is held by Anna Schmidt.", {LEASE[0]: ["Anna Schmidt"]}),
        ("Ask Mr Okafor, who wants quiet.", {RULES[0]: ["Mr Okafor"]}),
        ('It says "of the Hanse Bank until the keys are back", so wait.',
         {LEASE[0]: ["of the Hanse Bank until the keys are back", "Hanse Bank"]}),
        ("It is with Anna Schmidt; be quiet from 22:00.", {LEASE[0]: ["Anna Schmidt"], RULES[0]: ["22:00"]}),
    ],
)  # fmt: skip
def test_numbers_names_and_quotes_have_their_place(reply: str, wanted: dict[str, list[str]]) -> None:
    assert places(reply, PASSAGES) == wanted


def test_what_stands_in_several_places_is_told_of_the_nearest() -> None:
    assert places("The deposit is 1,250 euros.", [RULES, LEASE]) == {RULES[0]: ["1,250"]}


@pytest.mark.parametrize(
    "reply", ["", "You paid 1,300 euros.", "Ask Mr Schmid.", 'It says "the keys are never back".', "It has 3 pages."]
)
def test_what_stands_nowhere_has_none(reply: str) -> None:
    assert places(reply, PASSAGES) == {}


def test_without_documents_there_are_none() -> None:
    assert places("You paid 1,250 euros.", []) == {}
