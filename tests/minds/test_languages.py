"""Which language a text is in."""

from __future__ import annotations

import pytest

from minds.languages import certainly, comma, foreign, name, newest, strange

GERMAN, ENGLISH = "Wie viel sind zwanzig Prozent von 80 Euro?", "Twenty percent of 80 euros is 16 euros."


def test_another_language_is_told_from_english() -> None:
    assert foreign(GERMAN) and not foreign(ENGLISH)
    assert (name(GERMAN), name(ENGLISH), name("ok")) == ("German", "English", "English")


def test_where_a_comma_parts_decimals() -> None:
    assert comma(GERMAN) and comma("Cuánto es el 21% de 1.386 euros?")
    assert not any(map(comma, (ENGLISH, "1.386 * 2", "3 brownies", "", "42", "今年の12月24日まで何日ありますか")))


def test_a_few_words_or_figures_are_of_no_certain_language() -> None:
    assert certainly(GERMAN) and certainly("What would that be for the two of us, with the children?")
    assert not any(map(certainly, ("und 2.500?", "", "42", "ok")))


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("calories in 2 croissants", "English"), ("12 km in miles", "English"), ("Whats 3/8 plus 5/12", "English"),
        ("Wie spät ist es in Tokio?", "German"), ("今天几号？", "Chinese"), ("كم يساوي 387 ضرب 46؟", "Arabic"),
        ("ile to jest 15 razy 3", "Polish"), ("hoeveel is de helft van 30?", "Dutch"),
    ],
)  # fmt: skip
def test_a_language_is_named_where_it_is_certain(said: str, language: str) -> None:
    assert name(said) == language


@pytest.mark.parametrize(
    ("turns", "language"),
    [
        (["Nimm die Tasse"], "German"), (["nimm", "ok", "Stell einen Becher auf den Tisch"], "German"),
        (["toma la taza", "Pon una taza en el escritorio, yo empiezo"], "Spanish"),  # like Swahili, by itself
        (["go to desk 1", "Stell einen Becher auf den Tisch"], "German"),
        (["take the mug", "Stell einen Becher auf den Tisch"], "English"), (["ok", "take the mug"], "English"),
        (["quiero salir"], "Spanish"), (["Sæt et krus på skrivebordet, jeg begynder"], "English"),  # none of Duet's
        (["ok"], "English"), ([""], "English"), ([], "English"),
    ],
)  # fmt: skip
def test_a_turn_that_is_too_short_to_tell_is_in_the_language_of_those_before_it(
    turns: list[str], language: str
) -> None:
    assert newest(turns) == language


@pytest.mark.parametrize(
    ("said", "answer", "is_strange"),
    [
        (GERMAN, ENGLISH, True),
        (GERMAN, "Das sind 16 Euro.", False),
        (ENGLISH, ENGLISH, False),
        ("Combien font 15 % de 240 euros ?", "15% of 240 euros is 36.00 euros.", True),
        ("Quanto fa il venti per cento di 80 euro?", "You pay 16 euros for it.", True),
    ],
)
def test_an_answer_in_english_to_other_words_is_strange(said: str, answer: str, is_strange: bool) -> None:
    assert strange(said, answer) is is_strange
