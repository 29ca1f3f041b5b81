"""How a text is written: figures, and whether another is written alike."""

from __future__ import annotations

import pytest

from memory.written import equal, figures


def test_figures_are_compared_by_value() -> None:
    assert figures("12,000 and 3.50") == figures("12000, 3,5") == ["12000", "3.5"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("What is the time", "what  is the time?", True),
        ("WHO WROTE EMMA?", "who wrote Emma", True),
        ("who wrote emma", "Who wrote Emma?", True),
        ("5 MB in KB", "5 Mb in KB", False),
        ("Reverse 'Hello'", "Reverse 'hello'", False),
        ("5!", "5", False),
    ],
)
def test_what_is_written_alike(one: str, other: str, alike: bool) -> None:
    assert equal(one, other) is alike is equal(other, one)
