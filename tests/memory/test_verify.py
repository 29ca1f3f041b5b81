"""The same question, or not: the labelled pairs, and the rules behind them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from memory.memory import Note
from memory.verify import differs, personal, spoken, stands_alone, unlike

DATA = Path(__file__).with_name("data")
HERE = {"date": "2026-11-21", "session": "s1", "documents": ""}


def pairs(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def note(question: str, **changes: object) -> Note:
    values: dict[str, object] = {"id": "1", "kind": "result", "question": question, "answer": "a", "session": "s1"}
    return Note(**{**values, "at": 0.0, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["tuning", "report"])
def test_no_other_question_is_answered_and_most_of_the_same_are(name: str) -> None:
    found = [(pair, not differs(str(pair["one"]), note(str(pair["other"])), HERE)) for pair in pairs(name)]
    wrong = [pair for pair, hit in found if hit and not pair["same"]]
    same = [hit for pair, hit in found if pair["same"]]
    assert len(found) >= 120
    assert wrong == []
    assert sum(same) / len(same) >= 0.8


def test_comparing_goes_both_ways() -> None:
    for pair in pairs("tuning"):
        one, other = str(pair["one"]), str(pair["other"])
        assert bool(unlike(one, other)) == bool(unlike(other, one)), pair
        assert not unlike(one, one)


def test_no_chain_of_equal_questions_leads_to_another() -> None:
    """Every text against every other, not only within its pair."""
    labelled = pairs("tuning") + pairs("report")
    texts = sorted({str(pair[side]) for pair in labelled for side in ("one", "other")})
    root = {text: text for text in texts}

    def top(text: str) -> str:
        while root[text] != text:
            text = root[text]
        return text

    for one, other in combinations(texts, 2):
        if not unlike(one, other):
            root[top(one)] = top(other)
    assert [p for p in labelled if not p["same"] and top(str(p["one"])) == top(str(p["other"]))] == []


@pytest.mark.parametrize(
    ("asked", "known", "why"),
    [
        ("387 times 47", "387 times 46", "numbers differ"),
        ("387 plus 46", "387 times 46", "operations differ"),
        ("46 divided by 387", "387 divided by 46", "order differs"),
        ("what is 5!", "what is 5", "operations differ"),
        ("5 miles to km", "5 km to miles", "order differs"),
        ("5 km to metres", "5 km to miles", "units differ"),
        ("Who has not paid?", "Who has paid?", "negation differs"),
        ("What does ZEBRA-71 mean?", "What does ZEBRA-17 mean?", "names differ"),
        ('Reverse "Hello"', 'Reverse "hello"', "quoted texts differ"),
        ("When is the meeting?", "Where is the meeting?", "asks for something else"),
        ("milk chocolate price", "chocolate milk price", "order differs"),
        ("what does the pump do", "what is the pump", "words differ: do"),
    ],
)
def test_the_difference_is_named(asked: str, known: str, why: str) -> None:
    assert unlike(asked, known) == why


@pytest.mark.parametrize(
    "text",
    [
        "a dozen plus 5",
        "12 plus 5",
        "twelve plus five",
        "5 + 12",
        "what's 12 added to 5?",
        "the sum of 12 and 5, please",
    ],
)
def test_numbers_are_one_in_every_spelling(text: str) -> None:
    assert unlike(text, "What is 12 + 5?") == ""
    assert spoken(text) == spoken("What is 12 + 5?")


def test_what_a_note_depends_on_must_be_equal() -> None:
    question = "What is 12 + 5?"
    assert differs(question, note(question), HERE) == ""
    assert differs(question, note(question, kind="dialogue"), HERE) == "not a result"
    assert differs(question, note(question, depends={"date": "2026-11-20"}), HERE) == "another day"
    assert differs(question, note(question, depends={"session": "s2"}), HERE) == "another conversation"
    assert differs(question, note(question, depends={"documents": "ab12"}), HERE) == "other documents"
    assert differs(question, note(question, depends={"world": "ab12"}), HERE) == "another setting"
    assert differs(question, note(question, depends={"date": "2026-11-21"}), HERE) == ""
    assert differs(question, note(question, depends={"date": "2026-11-21"}), {}) == "another day"
    assert differs(question, note(question), HERE, similarity=0.3) == "another question"


def test_an_answer_that_changes_is_not_given_again() -> None:
    today = {"date": "2026-11-21"}
    for question in ("What time is it in Tokyo?", "Roll a die with 20 sides", "How many hours until 6 pm?"):
        assert differs(question, note(question, depends=today), HERE) == "the answer changes"
    for question in ("What weekday is tomorrow?", "How many days until Christmas?", "50 dollars in euros"):
        assert differs(question, note(question), HERE) == "another day"
        assert differs(question, note(question, depends=today), HERE) == ""


def test_what_is_personal_stays_in_its_conversation() -> None:
    question = "How much is my rent for 3 months?"
    assert differs(question, note(question), HERE) == ""
    assert differs(question, note(question, session="s2"), HERE) == "another conversation"


ALONE = """What time is it in Tokyo?
Does the cafe refund drinks?
387*46
√2025
Tom has 3 apples and he eats one; how many are left?
Which is bigger, 0.9 or 0.11?
In which year did the war end?
For how many days is the ticket valid?
How long does it take to boil an egg?
What is the total of 3 and 4?
my name is Anna
Double 45
What does this document say about refunds?
Is there a pool?
If it's 15:00 in Berlin, what time is it in Tokyo?
-10 Celsius in Fahrenheit?
I buy 4 lamps at 41 euros each. What is the total?
My visa starts on 4 January 2027. What date is 60 days after that?""".splitlines()
LEANING = """and divided by 3?
what about Tokyo
the same in euros
how long would that take
and its square root
divide by 7
times 3
square it
And in Paris?
in euros?
Which is bigger?
Who is she?
the second one
which one is cheaper
add 5 to the result
now with 47
How about 388 times 46?
What's the total?
why?
is it safe?
What's the weather there?
tell me that again
Subtract 98 from that.
London is nice. What about Paris?
Thanks for that great answer. Now divide it by 3

?""".splitlines()


@pytest.mark.parametrize("text", ALONE)
def test_stands_alone(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize("text", LEANING)
def test_leans_on_the_dialogue(text: str) -> None:
    assert not stands_alone(text)
    assert differs(text, note(text), HERE)


def test_courtesy_is_not_personal() -> None:
    for text in ("What is my rent?", "where do I live?", "our budget for 2026", "what do we owe"):
        assert personal(text), text
    for text in ("tell me the time", "I want to know 5+5", "Give me 3 primes", "How do I convert km to miles",
                 "US population", "Can you multiply 3 by 4 for me?"):  # fmt: skip
        assert not personal(text), text


@pytest.mark.parametrize(
    "text", ["", " ", "?" * 500, "\x00\x07", "🙂", "\ud800", "((((", "1/0 of 3", "a " * 60_000, '~ @ # "']
)
def test_any_text_can_be_read(text: str) -> None:
    assert unlike(text, text) == ""
    assert unlike(text, "What is 387 times 46?")
    assert spoken(text) == spoken(text)
    assert stands_alone(text) in (True, False)
    assert personal(text) in (True, False)
