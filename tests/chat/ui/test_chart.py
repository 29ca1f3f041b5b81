"""Which outputs become a chart: their structure says so, not their words."""

from __future__ import annotations

import pytest

from chat.ui import thread

PAIRS = "[('Jan', 3), ('Feb', -4.5), ('Mar', 12)]"


@pytest.mark.parametrize(
    "output",
    [
        PAIRS,
        '[["Jan", 3], ["Feb", -4.5], ["Mar", 12]]',
        '{"Jan": 3, "Feb": -4.5, "Mar": 12}',
        "('Jan', 3)\n('Feb', -4.5)\n('Mar', 12)",
        '[{"month": "Jan", "rain": 3}, {"month": "Feb", "rain": -4.5}, {"month": "Mar", "rain": 12}]',
    ],
)
def test_labels_with_numbers_are_drawn_however_they_are_written(output: str) -> None:
    found = thread.table(output)
    assert found and found.labels == ("Jan", "Feb", "Mar") and found.columns[0][1] == (3.0, -4.5, 12.0)


@pytest.mark.parametrize(
    "output",
    [
        f"Sum: 10.5, mean 3.5\n{PAIRS}\n(3 months)",
        'Rain by month: [["Jan", 3], ["Feb", -4.5], ["Mar", 12]]',
        'Here:\n[\n  {"in": "Jan", "mm": 3},\n  {"in": "Feb", "mm": -4.5},\n  {"in": "Mar", "mm": 12}\n]\nTotal 10.5',
        f"{{'kept': 'as text'}}\n[1, 2, 3, 4]\n{PAIRS}",
    ],
)
def test_they_are_drawn_beside_words_too(output: str) -> None:
    found = thread.table(output)
    assert found and found.labels == ("Jan", "Feb", "Mar") and found.columns[0][1] == (3.0, -4.5, 12.0)


def test_numbers_alone_are_counted_and_each_column_has_its_chart() -> None:
    alone = thread.table("[1, 4, 9, 16]")
    assert alone and alone.labels == ("1", "2", "3", "4") and alone.columns == (("", (1.0, 4.0, 9.0, 16.0)),)
    rows = thread.draw(
        '[{"year": 2024, "in": 1, "out": 2}, {"year": 2025, "in": 3, "out": 4}, {"year": 2026, "in": 5, "out": 6}]'
    )
    assert rows.count('class="diagram"') == 2 and rows.count("<tr>") == 4


@pytest.mark.parametrize(
    "output",
    [
        "", "17802", "'a text'", "Jan 3\nFeb 4\nMar 5", "[1, 2]", "[('a', 1), ('b', 2)]", "[True, False, True]",
        "[('a', 1), ('b', 'c'), ('d', 2)]", "[('a', 1), ('b',), ('d', 2)]", "[('a', 1), {'b': 2}, ('c', 3)]",
        '[NaN, 1, 2]', "[1e999, 1, 2]", "[10**20, 1, 2]", "[100000000000000000000, 1, 2]", "[" * 5000,
        "[([1], 2), ([3], 4), ([5], 6)]", "Primes: [2, 3, 5, 7]",
        "sum\n{{2}}", "x = {{1}, {2}}", "a {[1]: 2}", "{{1}, {2}}", f"[{'9' * 400}, 1, 2]",
        f"[(0x{'f' * 5000}, 1), ('b', 2), ('c', 3)]",
        "Chosen parameters:\n{'seed': 7, 'year': 2024, 'id': 12}\nresult 5",
        "[1,\n" * 4000, str(list(range(500))), '[{"a": 1}, {"b": 2}, {"c": 3}]',
    ],
)  # fmt: skip
def test_everything_else_stays_what_it_is(output: str) -> None:
    assert thread.draw(output) == ""


def test_a_label_is_a_label_to_the_page_and_to_the_drawing() -> None:
    evil = '<img src=x onerror=alert(1)>"] %%{init: {"theme": "x"}}%% `b`\n  bar [1]'
    shown = thread.draw(repr([(evil, 1), ("b", 2), ("", 3)]))
    assert "<img" not in shown
    found = thread.table(repr([(evil, 1), ("b", 2), ("", 3)]))
    assert found
    code = thread._mermaid(found.labels, found.columns[0][1])
    assert len(code.splitlines()) == 4 and "%%" not in code and code.count('"') == 6


def test_bars_begin_at_nought_so_what_is_below_it_is_a_line() -> None:
    assert "\nbar [" in thread._mermaid(("a", "b", "c"), (1.0, 2.0, 3.0))
    assert "\nline [" in thread._mermaid(("a", "b", "c"), (1.0, -2.0, 3.0))
    assert "\nline [" in thread._mermaid(tuple("abcdefghijklmnopq"), (1.0,) * 17)
