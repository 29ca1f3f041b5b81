"""What the minds are told from memory: which notes, in what order, and how each is quoted."""

from __future__ import annotations

from chat.turn_context import BUDGET, WHOLE, within_budget
from memory.memory import Note, Recall

TABLE = "For 7 people:\n| Part | Cost |\n|---|---:|\n" + "\n".join(f"| Salmon {n} | 38.70 € |" for n in range(30))


def test_a_result_with_a_table_is_told_with_its_rows() -> None:
    found = Recall(Note("s:1:found", "result", "Dinner for 7: what does it cost?", 1.0, TABLE), 1.0, 0.8)
    [(line, _)] = within_budget([found], (), BUDGET, WHOLE)
    assert f"gave \n~~~~\n{TABLE}\n~~~~" in line
