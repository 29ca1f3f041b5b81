"""What a reply stands on: figures written in any way, places in documents, and what was told before."""

from __future__ import annotations

import pytest

from memory.memory import Note
from minds.dialogue import Call, Move, Step
from minds.grounds import computes, leans, numbers, places, readings, resting, unsaid_year, unsupported


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It is 17,802.", ["17,802"]),
        ("It is 17802, or 17.802,50 euros.", ["17802", "17.802,50"]),
        ("12 000 people and 1 234 567 birds", ["12 000", "1 234 567"]),
        ("1, 2, 3", ["1", "2", "3"]),
        ("rooms 4 and 12", ["4", "12"]),
        ("on 2026-11-23 at 10:24", ["2026", "11", "23", "10", "24"]),
        ("10 20 30", ["10", "20", "30"]),
        ("a 5% rise of £1'234", ["5", "1'234"]),
        ("It was 1999. 2000 came next.", ["1999", "2000"]),
        ("12\u2009000 and $1{,}234$", ["12\u2009000", "1{,}234"]),
        ("no figures", []),
        ("", []),
    ],
)
def test_numbers_are_found_as_they_are_written(text: str, wanted: list[str]) -> None:
    assert numbers(text) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("17,802", {"17802", "17.802"}),
        ("1.234,50", {"1234.5", "1.2345"}),
        ("1,234.50", {"1234.5", "1.2345"}),
        ("007", {"7"}),
        ("3.0", {"3", "30"}),
        ("12\u00a0000", {"12000"}),
        ("12\u202f000", {"12000"}),
        ("1'234", {"1234"}),
        ("12\u2009000", {"12000"}),
        ("1{,}234", {"1234", "1.234"}),
        ("١٢٣٤", {"1234"}),
        ("24.12.2026", {"24122026"}),
        ("1.2.3", {"123"}),
        (".", set()),
    ],
)
def test_commas_and_points_are_read_either_way(written: str, wanted: set[str]) -> None:
    assert readings(written) == wanted


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ("It is 17,802.", "387 * 46 = 17802"),
        ("Es sind 17.802 Euro.", "387 * 46 = 17802"),
        ("C'est 17 802 euros.", "17802"),
        ("That costs 84,000.00 euros.", "H-0421: 84000"),
        ("Es kostet 12,50 Euro.", "12.5"),
        ("It is 0.50.", "0.5 of it"),
        ("Two steps:\n1. Look.\n12. Leap.\n- and wait", ""),
        ("Seven days, 7 in all.", ""),
        ("```python\nrange(4711)\n```", ""),
        ("```python\nrange(4711)", ""),
        ("Write `sleep(30)` there.", ""),
        ("", "1 2 3"),
        ("Am 24.12.2026.", "2026-12-24"),
        ("On 24 December 2026.", "24.12.2026"),
        ("On 2026.12.24", "24. 12. 2026"),
        ("Am 24.12. ist es so weit.", "2026-12-24"),
        ("Um 14.30 Uhr.", "14:30"),
        ("At 14:30.", "um 14.30 Uhr"),
        ("It is $17{,}802$.", "17802"),
        ("It is 17\u2009802.", "17802"),
        ("١٧٨٠٢ طائر", "17802"),
    ],
)
def test_what_stands_somewhere_is_supported(reply: str, known: str) -> None:
    assert unsupported(reply, [known]) == []


@pytest.mark.parametrize(
    ("reply", "known", "wanted"),
    [
        ("It is 17,812.", ["387 * 46 = 17802"], ["17,812"]),
        ("It is 17812 and 17812 again.", ["17802"], ["17812"]),
        ("Between 40 and 55.", ["40", "about 50"], ["55"]),
        ("1. It costs 99 euros.", ["1"], ["99"]),
        ("It costs 99 euros; `x = 100`.", [], ["99"]),
        ("In 12 000 cases.", ["12", "000"], ["12 000"]),
        ("About 1234.", ["12345"], ["1234"]),
        ("Am 24.12.2026 um 14.30 Uhr.", ["2026-11-24", "15:30"], ["24.12.2026", "14.30"]),
        ("Your change is 7.20.", ["I bought 7 pens for 20"], ["7.20"]),
        ("It is 12.5 km.", ["12 walks of 5 km"], ["12.5"]),
        ("It is 3.5, or 24.75.", ["3 and 5, 24 and 75"], ["3.5", "24.75"]),
        ("Version 24.12.20.26", ["24 12 20 26"], ["24.12.20.26"]),
    ],
)
def test_what_stands_nowhere_is_named_once_as_it_is_written(reply: str, known: list[str], wanted: list[str]) -> None:
    assert unsupported(reply, known) == wanted


@pytest.mark.parametrize(
    ("program", "said", "found"),
    [
        ("print(date(2026, 1, 14) - today())", "until 14 January?", {"year": "2026", "day": "14 January"}),
        ("d = datetime.datetime(2023, 12, 20, 9)", "faltan para el 20?", {"year": "2023", "day": "20 December"}),
        ("print(date(2026, 1, 14))", "from 14 January 2026", {}),
        ("print(age(date(1985, 5, 3)))", "I was born on 3 May '85", {}),
        ("print(age(date(2005, 5, 3)))", "geboren am 3.5.05", {}),
        ("print(age(date(1990, 5, 3)))", "born in May 90", {}),
        ("print(date(2026, 12, 26))", "until 26 December", {"year": "2026", "day": "26 December"}),
        ("print(date(year, 1, 14), date(2026, 1), date(2026, 13, 1))", "14 January", {}),
        ("d = datetime.strptime('4 September', '%d %B')", "4 September", {"year": "1900", "day": "4 September"}),
        ("d = datetime.strptime('4 May 2027 9:30', '%d %B %Y %H:%M')", "4 May 2027", {}),
        ("d = datetime.strptime(day, '%d %B'); t = datetime.strptime('9:30', '%H:%M'); date()", "4 May", {}),
        (
            "t = datetime.strptime('9 November 2023', '%d %B %Y')",
            "born 9 november",
            {"year": "2023", "day": "9 November"},
        ),
        ("print(days_since('2023-11-09'))", "born 9 november", {"year": "2023", "day": "9 November"}),
        ("print(days_since('9 November 2023'))", "born 9 november 2023", {}),
        ("print(1 +", "14 January", {}),
        ("print(days_between('14 January', today()))", "14 January", {}),
    ],
)
def test_a_year_that_a_program_made_up_is_found(program: str, said: str, found: dict[str, str]) -> None:
    assert unsaid_year(program, said) == found


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("print('Ljubljana')", False),
        ("name = 'Ljubljana'\nprint(f'It is {name}.')", False),
        ("print(3 * 4)", True),
        ("n = 3\nn += 4\nprint(n)", True),
        ("print(weekday('3 May'))", True),
        ("print(sorted(['b', 'a'])[0])", True),
        ("print(", True),
    ],
)
def test_a_program_that_prints_what_is_written_in_it_computes_nothing(program: str, wanted: bool) -> None:
    assert computes(program) is wanted


# -- places in documents


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


# -- what was told before


REX = Note("rex", "turn", "My dog is called Rex.", 1.0, speaker="user")
BERLIN = Note("home", "fact", "user, lives in: Berlin (I live in Berlin)", 1.0, about={"value": "Berlin"})
PIE = Note("diet", "fact", "user, likes: pie (I like pie)", 1.0, about={"value": "pie"})
TWO = Note("two", "fact", "user, children: 2 (I have 2 children)", 1.0, about={"value": "2"})
SUM = Note("sum", "result", "What is 387 times 46?", 1.0, "17802")


@pytest.mark.parametrize(
    ("said", "reply", "notes"),
    [
        ("What is my dog called?", "Your dog is called Rex.", ["rex"]),
        ("Where do I live?", "You live in Berlin.", ["home"]),
        ("Berlin is cold today", "Berlin can be cold.", []),
        ("What shall I bake?", "A pie, since you like it.", ["diet"]),
        ("How much was that sum?", "It was 17,802.", ["sum"]),
        ("How are you?", "I am fine, thanks.", []),
        ("Tell me all", "Rex lives in Berlin and eats pie.", ["rex", "home", "diet"]),
    ],
)
def test_names_figures_and_values_that_the_person_did_not_just_say(said: str, reply: str, notes: list[str]) -> None:
    assert resting(reply, said, [REX, BERLIN, PIE, SUM]) == notes


def test_a_value_within_another_word_or_figure_is_none() -> None:
    assert resting("Children need 9 to 12 hours.", "how much sleep?", [TWO]) == []
    assert resting("You have 2 children.", "how many children?", [TWO]) == ["two"]
    tokyo = Note("tokyo", "fact", "user, lives in: 東京", 1.0, about={"value": "東京"})
    assert resting("あなたは東京に住んでいます。", "どこに住んでいる？", [tokyo]) == ["tokyo"]


@pytest.mark.parametrize(
    ("program", "found", "question", "before", "wanted"),
    [
        ("print(300 / 4 * 7)", "525", "and if we are 7?", "300 g of rice for 4", True),
        ("print(300 / 4 * 7)", "525", "300 g of rice for 4, and if we are 7?", "300 g of rice for 4", False),
        ("print(f'It is {18 * 23}.')", "It is 414.", "what is 18 times 23", "It is 12 boxes.", False),
        ('print(distance("Porto", "Berlin"))', "2310.5", "how far is it", "Ana lives in Porto, I in Berlin", True),
        ('print(distance("Porto", "Berlin"))', "2310.5", "how far is porto from berlin", "Ana lives in Porto", False),
        ("x = 1", "It is in Österreich.", "where is it?", "Österreich is lovely", True),
        ("x = 1", "It is lovely.", "how is it?", "It is lovely in Porto", False),
        ("", "", "", "", False),
    ],
)
def test_what_was_worked_out_with_what_was_told_before_is_no_answer_elsewhere(
    program: str, found: str, question: str, before: str, wanted: bool
) -> None:
    step = Step(Move("", ()), found, Call("python", {"program": program}))
    assert leans([step], question, [before]) is wanted
