"""What a reply may do with a result, and what it may not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from minds.fidelity import figures, invented, names, unfaithful
from minds.quantities import dates, measures

PARKING = 'The handbook says: "Parking is free for staff after 18:00." [handbook.md, Parking]'

FAITHFUL = [
    ("387 * 46 = 17802", "387 times 46 is 17,802."),
    ("387 * 46 = 17,802", "387 times 46 is 17802."),
    ("387 * 46 = 17802", "387 times 46 makes 17 802."),
    ("1,234,567.50", "It is 1234567.5."),
    ("1.0", "It is 1."),
    ("-5 °C", "It is -5 °C."),
    ("−5 degrees Celsius", "It is -5 °C."),
    ("1e6", "It is 1e6."),
    ("10 / 3 = 3.333333 (rounded)", "10 divided by 3 is 3.333333 (rounded)."),
    ("2026-05-03 is a Sunday.", "3 May 2026 is a Sunday."),
    ("2026-05-03 is a Sunday.", "May 3rd, 2026 falls on a Sunday."),
    ("2026-05-03 is a Sunday.", "The 3rd of May 2026 (2026-05-03) is a Sunday."),
    ("From 2024-03-03 to 2024-05-01: 59 days", "From March 3, 2024 to May 1, 2024 there are 59 days."),
    ("3 May 2026", "2026-05-03"),
    ("14:30 in Tokyo", "It is 14:30 in Tokyo."),
    ("It is 2:05 PM", "It is 2:05 p.m. right now."),
    ("70 pounds = 31.7515 kilograms", "70 lbs are 31.7515 kg."),
    ("100 km/h = 62.1371 mph", "100 kilometres per hour is 62.1371 miles per hour."),
    ("5 m² = 53.8196 square feet", "5 square metres are 53.8196 square feet."),
    ("The total is $1,234.50.", "That comes to $1234.50 in total."),
    ("20 euros", "€20"),
    ("25%", "It is 25 percent."),
    ("3 million people", "About 3 million people live there."),
    ("2 days", "two days"),
    ("two days", "It takes 2 days."),
    ("The 3rd floor", "It is on the 3rd floor."),
    ("Parking is not free.", "Parking isn't free."),
    ("Nothing was found.", "There was nothing in there."),
    ("Aunt Rose's number is 555-0134.", "Your aunt Rose has the number 555-0134."),
    (PARKING, "The handbook says that parking is free for staff after 18:00 [handbook.md, Parking]."),
    (PARKING, 'It says: "parking is free for staff  after 18:00." [handbook.md, Parking]'),
    ("Tokyo is 8 hours ahead of Berlin.", "Tokyo is 8 hours ahead of Berlin."),
    ("1, 2 and 3", "They are 1, 2 and 3."),
]

UNFAITHFUL = [
    ("387 * 46 = 17802", "387 times 46 is 17812.", "lost 17802"),
    ("387 * 46 = 17802", "387 times 46 is a big number.", "lost 17802"),
    ("387 * 46 = 17802", "Great question!", "lost 387"),
    ("17802", "It is 17802, or about 18000.", "added 18000"),
    ("1,234", "It is 1.234.", "lost 1234"),
    ("1.5", "It is 15.", "lost 1.5"),
    ("0.05", "It is 0.5.", "lost 0.05"),
    ("-5", "It is 5.", "lost -5"),
    ("1, 2 and 3", "They are 123.", "lost"),
    ("2026-05-03 is a Sunday", "3 May 2026 is a Monday.", "lost sunday"),
    ("2026-05-03 is a Sunday", "3 June 2026 is a Sunday.", "lost 5"),
    ("2026-05-03", "It is 5 March 2026.", "changed a date"),
    ("2026-05-03", "It is on 2026-03-05.", "changed a date"),
    ("2026-05-03", "It is on May 3, 2025.", "lost 2026"),
    ("2026-05-03", "It is in May.", "lost 2026"),
    ("70 pounds = 31.7515 kilograms", "70 kilograms are 31.7515 pounds.", "lost the pound of 70"),
    ("5 km", "It is 5 miles.", "lost the kilometre of 5"),
    ("20 euros", "That is 20 dollars.", "lost the euro of 20"),
    ("£20", "$20", "lost the pound of 20"),
    ("25%", "25", "lost the percent of 25"),
    ("5 million", "5", "lost the million of 5"),
    ("3 hours", "3 minutes", "lost the hour of 3"),
    ("1 million", "1 billion", "lost the million of 1"),
    ("20 °C", "20 °F", "lost the celsius of 20"),
    ("5 square metres", "5 metres", "lost the square of 5"),
    ("14:30", "It is 14:03.", "lost 30"),
    ("14:30", "It is 4:30 pm.", "lost 14"),
    ("2:05 PM", "It is 2:05 AM.", "lost the pm of 5"),
    ("from 18:05 on 5 May to 19:03", "from 18:03 on 5 May to 19:05", "changed a time"),
    ("Rose called", "Mary called.", "lost rose"),
    ("Your aunt is called Rose.", "Your aunt is called Rose, like Mary Miller.", "added"),
    ("three dogs", "There are four dogs.", "lost 3"),
    ("Parking is not free.", "Parking is free.", "changed a negation"),
    ("Parking is free.", "Parking is never free.", "changed a negation"),
    ('It says "Parking is free after six"', 'It says "Parking is always free after six"', "changed a quote"),
    ("Tokyo is 8 hours ahead of Berlin.", "Tokyo is 8 hours behind Berlin.", "turned `ahead` round"),
    ("It is more than 5.", "It is less than 5.", "turned `more` round"),
    ("It opens before 9.", "It opens after 9.", "turned `before` round"),
    ("10-12", "It is 10.", "lost 12"),
    ("the 3rd floor", "It is on the 4th floor.", "lost 3"),
    ("387 * 46 = 17802", "", "lost 387"),
]


@pytest.mark.parametrize(("result", "reply"), FAITHFUL)
def test_a_faithful_wording_is_let_through(result: str, reply: str) -> None:
    assert unfaithful(reply, result) == ""


@pytest.mark.parametrize(("result", "reply", "why"), UNFAITHFUL)
def test_an_unfaithful_wording_is_caught(result: str, reply: str, why: str) -> None:
    assert unfaithful(reply, result).startswith(why)


def test_the_question_lends_figures_names_and_units() -> None:
    assert unfaithful("387 times 46 is 17802.", "17802").startswith("added")
    assert unfaithful("387 times 46 is 17802.", "17802", ["What is 387 times 46?"]) == ""
    assert unfaithful("Rose, it is 5.", "5", ["I am Rose"]) == ""
    assert unfaithful("That makes 5 miles.", "5 kilometres", ["how far are 5 miles?"]).startswith("lost")


def test_texts_that_follow_one_another_do_not_join_into_a_number() -> None:
    assert unfaithful("It is 17.", "17", ["802 is my room"]) == ""
    assert invented("17802", ["17", "802"]) == ["17802"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,234.50 and 1 234", ["1234.5", "1234"]),
        ("1, 2, 3", ["1", "2", "3"]),
        ("May 3, 2024", ["3", "2024"]),
        ("2026-11-21T09:30", ["2026", "11", "21", "9", "30"]),
        ("5km, £20, 25%, 3rd", ["5", "20", "25", "3"]),
        ("10-12", ["10", "12"]),
        ("it was -4.5", ["-4.5"]),
        ("1.5e3", ["1500"]),
        ("no digits, v1 of x2", ["1", "2"]),
        ("9" * 40, [repr(float("9" * 40))]),
        ("1e999", ["inf"]),
        ("", []),
    ],
)
def test_figures_come_in_one_form(text: str, found: list[str]) -> None:
    assert figures(text) == found


def test_names_are_no_sentence_openers() -> None:
    assert names("The answer: Rose met NATO on monday in May") == {"rose", "nato", "monday", "may"}


def test_dates_in_all_their_spellings_are_one() -> None:
    for text in ("2026-05-03", "3 May 2026", "3rd of May, 2026", "May 3, 2026", "may 3rd 2026", "3 may. 2026"):
        assert dates(text) == {(2026, 5, 3)}, text
    assert dates("May 2026, 3/5/2026") == set()


def test_units_belong_to_their_figures() -> None:
    assert measures("£20 for 5 kg at 30 km/h") == {
        "20": {"pound"},
        "5": {"kilogram"},
        "30": {"kilometre", "per", "hour"},
    }
    assert measures("5 dogs") == {"5": set()}


DATA = Path(__file__).parents[1] / "data"
TEXTS = [
    text
    for name in ("questions_dev", "smalltalk_dev")
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for text in json.loads(line).get("turns") or [json.loads(line)["text"]]
]


def test_every_text_is_faithful_to_itself() -> None:
    results = [result for result, _ in FAITHFUL] + [result for result, _, _ in UNFAITHFUL] + TEXTS
    assert [text for text in results if unfaithful(text, text)] == []


def test_random_texts_are_faithful_to_themselves_and_a_changed_digit_is_seen() -> None:
    dice = random.Random(5)
    parts = ["€20", "1,234.5", "3 May 2026", "2026-05-03", "Rose", "not", "7 km", "-4", "9%", "“as it was”", "18:05"]
    for _ in range(300):
        text = " and ".join(dice.sample(parts, 4))
        assert unfaithful(text, text) == "", text
        places = [i for i, c in enumerate(text) if c.isdigit()]
        if places:
            at = dice.choice(places)
            changed = text[:at] + str((int(text[at]) + dice.randint(1, 9)) % 10) + text[at + 1 :]
            assert unfaithful(changed, text), (changed, text)
