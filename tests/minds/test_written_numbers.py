"""Numbers as people of different countries write them."""

from __future__ import annotations

import pytest

from minds.written_numbers import plainly

GERMAN = "Wir wohnen jetzt in einer Wohnung in Lübeck und zahlen jeden Monat die Miete."


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Die Miete ist 1.250,50 Euro und steigt um 3,5 %.", "Die Miete ist 1250.50 Euro und steigt um 3.5 %."),
        ("Un vol à 12 000,50 euros pour 2.000.000 de gens", "Un vol à 12000.50 euros pour 2000000 de gens"),
        ("Cuánto es el 21% de 1.386 euros?", "Cuánto es el 21% de 1386 euros?"),
        ("Meine Miete ist 1.386. Was zahle ich im Jahr?", "Meine Miete ist 1386. Was zahle ich im Jahr?"),
        ("Am 1.1. zahle ich um 14.30 Uhr 1.386 Euro", "Am 1.1. zahle ich um 14.30 Uhr 1386 Euro"),
        ("Das macht (3,50 €) zusammen mit der Rechnung", "Das macht (3.50 €) zusammen mit der Rechnung"),
        ("for 1.386 euros, one euro is 46,50 pesos", "for 1386 euros, one euro is 46,50 pesos"),
        ("it was €1.234,50 and is 2.000 now", "it was €1234,50 and is 2000 now"),
        ("Was macht `print(1.386)` und was kosten 1.386 Euro?", "Was macht `print(1.386)` und was kosten 1386 Euro?"),
    ],
)
def test_numbers_of_other_countries_are_read_as_they_are_meant(said: str, read: str) -> None:
    assert plainly(said) == read


@pytest.mark.parametrize(
    "said",
    [
        "What is 1.386 * 2?",
        "1,386.50 dollars, 12 000 people",
        "my kids are 12, 15 and 18, or 12,15 and 18, and the rent is 1.200",
        "players 10,11 averaged 1.333 points",
        "in rooms 10,12 all weigh 1.250 kg",
        "It takes 1.609 km per mile; rooms 4,12 are free",
        "el 3.5% de 1.200 de mi sueldo de este mes",
        "Wieviel ist 0.750 Liter mal 3,5?",
        "am 24.12.2026 um 14.30 Uhr in Raum 1,2,3 bei uns im Haus",
        "Die Adresse meines Rechners ist 192.168.100.200 und die Version ist 1.2.3",
        "Was macht in Python range(1,10), die Liste [12,7] und der Punkt (4,6)?",
        "son 1,500 pesos de la luz y el agua",
        "",
    ],
)
def test_a_number_that_may_be_meant_otherwise_stays_as_it_is_written(said: str) -> None:
    assert plainly(said) == said


def test_a_text_too_short_to_tell_is_of_the_language_that_was_spoken_before() -> None:
    assert plainly("und 2.500 €?", GERMAN) == "und 2500 €?"
    assert plainly("In English please: what is 1.386 kg times 2?", GERMAN).endswith("1.386 kg times 2?")
