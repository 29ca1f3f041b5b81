"""Document search with the real embeddings: questions in other words than the document's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.embedder import Embedder
from tests.tools.test_documents import QUESTIONS, desk, library
from tools.desk import Desk
from tools.documents import search

pytestmark = pytest.mark.real

OTHER_WORDS = [
    ("When can I go home in the evening, what time do doors shut?", "cafe.md, Opening hours", "18:30"),
    ("I feel ill tomorrow morning, whom should I tell?", "cafe.md, Holidays and absence", "shift lead"),
    ("how many vacation days", "cafe.md, Holidays and absence", "26"),
    ("reimbursement of a purchase", "cafe.md, Refunds", "14 days"),
    ("elevator replacement dates", "letter.txt", "19 February"),
    ("how heavy is the device", "manual.pdf, page 1", "13.5"),
    ("allergic to almonds", "cafe.md, Allergies", "almond"),
]
ELSEWHERE = [
    "What is the capital of France?", "How do I bake sourdough bread?", "What is my sister called?",
    "python list comprehension", "How do I train a puppy?", "who is the ceo of the company",
    "what is the wifi password", "parking rules for cars",
]  # fmt: skip


@pytest.fixture(scope="module")
def full() -> Desk:
    embedder = Embedder()
    return replace(desk(library()), embed=lambda texts: embedder.embed(texts).tolist())


def test_questions_find_their_passage_by_meaning(full: Desk) -> None:
    missed = []
    for question, place, answer in [*QUESTIONS, *OTHER_WORDS]:
        found, artifact = search(question, full)
        if answer not in found or place not in artifact.get("sources", []):
            missed.append(question)
    assert missed == []


def test_what_is_not_near_is_not_found(full: Desk) -> None:
    nothing = [question for question in ELSEWHERE if search(question, full)[1].get("empty")]
    assert len(nothing) >= 2, "a strong model judges the rest"
