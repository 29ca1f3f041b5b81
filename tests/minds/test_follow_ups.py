"""Follow-ups made to stand alone by rule: the tools take the reading that is right."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.verify import stands_alone
from minds.aftermath import values
from minds.alone import _by_rule, follows_up
from minds.analogy import substitutions
from minds.dialogue import Dialogue, Turn
from minds.strategies.crutches import reading
from tools import open_tools
from tools.desk import Desk

TOOLS = open_tools(Desk("s", datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Europe/Berlin"))))


def answer(question: str) -> str:
    name = reading(question, TOOLS)[0]
    return str(TOOLS[name].invoke({next(iter(TOOLS[name].args)): question}))


def after(*turns: str) -> str:
    """What the tools say to the last of these turns."""
    said: list[Turn] = []
    for text in turns[:-1]:
        question = _by_rule(text, Dialogue("s", "u", tuple(said)), TOOLS) if said else text
        said += [Turn("user", text), Turn("fast", answer(question) if reading(question, TOOLS) else "Good.")]
    assert not stands_alone(turns[-1])
    return answer(_by_rule(turns[-1], Dialogue("s", "u", tuple(said)), TOOLS))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["How many litres are 12 gallons?", "What about in pints?"], "96 US pints"),
        (["How much is 2 cups in ml?", "And 3 tablespoons?"], "44.36"),
        (["What is 20 C in F?", "And minus 5?"], "23 °F"),
        (["What is 12% of 480?", "No, I meant 15%."], "= 72"),
        (["What's 64 times 12?", "Sorry, 13, not 12."], "= 832"),
        (["What weekday is 3 March 2027?", "Actually, make that the 4th."], "Thursday"),
        (["What is 45 times 12?", "Halve it."], "= 270"),
        (["What is 45 times 12?", "How much is that divided among 9 people?"], "= 60"),
        (["What is 45 times 12?", "and with 19% VAT added?"], "642.6"),
        (["What is 45 times 12?", "plus 35"], "= 575"),
        (["What is 7 to the power of 4?", "And to the power of 5?"], "16807"),
        (["What is 18% tip on 64?", "same for 30 euros"], "5.4"),
        (["Split 156 euros between 6 people.", "And between 4?"], "= 39"),
        (["My phone plan is 24 euros a month. How much is that per year?", "And over two years?"], "576"),
        (["I earn 2,450 a month. What is that a year?", "And with a 4% raise?"], "30576"),
        (["How many days until Christmas?", "And until Easter?"], "127 days"),
        (["What date is 3 weeks after 12 January 2027?", "And a week after that?"], "9 February 2027"),
        (["When it's 3 pm in London, what time is it in Chicago?", "and when it's 6 pm?"], "12:00 pm"),
        (["What time is it in Tokyo?", "and Sydney?"], "20:00"),
        (["What's 15% of 640?", "and of 800?", "and 25%?"], "= 200"),
        (["What's 15% of 640?", "Thanks, very kind.", "and of 800?"], "= 120"),
    ],
)
def test_the_reading_that_is_meant_is_the_one_worked_out(turns: list[str], expected: str) -> None:
    assert expected in after(*turns)


@pytest.mark.parametrize(
    ("said", "question", "expected"),
    [
        ("And a trekking bike?", "How much is a city bike for a week?", "How much is a trekking bike for a week?"),
        ("And the tenors?", "Who leads the altos in the choir guide?", "Who leads the tenors in the choir guide?"),
        ("And F37?", "What does the manual say about fault F11?", "What does the manual say about fault F37?"),
    ],
)
def test_questions_to_documents_take_the_new_thing_in(said: str, question: str, expected: str) -> None:
    assert next(substitutions(said, question)) == expected


def test_what_an_answer_ends_in() -> None:
    assert values("45 times 12 = 540")[0] == "540"
    assert values("3 weeks after 2027-01-12: Tuesday, 2 February 2027") == ["2 February 2027"]
    assert values("10:20 + 95 minutes = 11:55") == ["11:55"]
    assert values("There is none.") == []


@pytest.mark.parametrize(
    ("said", "goes_on"),
    [
        ("sorry i meant 40%", True),
        ("and of 300?", True),
        ("double that", True),
        ("thanks, you are great!", False),
        ("tell me a joke", False),
        ("why?", False),
        ("I am 36 too", False),
        ("What's your favourite colour?", False),
    ],
)
def test_a_step_on_from_a_worked_out_answer_is_known_from_talk(said: str, goes_on: bool) -> None:
    asked = Turn("user", "What is 15% of 240?")
    worked_out = Dialogue("s", "u", (asked, Turn("slow", "36"), Turn("fast", "15% of 240 is 36.")))
    talked = Dialogue("s", "u", (asked, Turn("fast", "15% of 240 is 36.")))
    assert follows_up(said, worked_out, TOOLS) is goes_on
    assert not follows_up(said, talked, TOOLS), "the slow mind was not asked before"
