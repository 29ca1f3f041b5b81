"""Figures that stand nowhere else: written in any way, and no figure of lists and code."""

from __future__ import annotations

import pytest

from minds.figures import computes, numbers, readings, unsaid_year, unsupported


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
