"""What the minds are told from memory: which notes, in what order, and how each is quoted."""

from __future__ import annotations

from chat.turn_context import BUDGET, FACT, SHOWN, WHOLE, told, within_budget
from memory.memory import Note, Recall

OLD = {"subject": "user", "attribute": "allergy", "value": "walnuts", "until": "2026-11-30"}
TABLE = "For 7 people:\n| Part | Cost |\n|---|---:|\n" + "\n".join(f"| Salmon {n} | 38.70 € |" for n in range(30))


def test_a_result_with_a_table_is_told_with_its_rows() -> None:
    found = Recall(Note("s:1:found", "result", "Dinner for 7: what does it cost?", 1.0, TABLE), 1.0, 0.8)
    [(line, _)] = within_budget([found], (), BUDGET, WHOLE)
    assert f"gave \n~~~~\n{TABLE}\n~~~~" in line


def fact(id_: str, quote: str, **about: str) -> Recall:
    note = Note(id_, "fact", f"user, allergy: walnuts ({quote})", 1.0, about={**OLD, "quote": quote, **about})
    return Recall(note, 1.0, 0.8, [(note, None)])


def test_what_is_no_longer_so_is_told_once() -> None:
    ended, end = fact("s:1:fact0", "walnuts make me ill", by="s:2:fact0"), fact("s:2:fact0", "walnuts are fine")
    for found in ([ended, end], [end, ended]):
        [(line, _)] = within_budget(found, (), BUDGET)
        assert "walnuts make me ill" in line and line.endswith('("walnuts" is no longer so, as was told on 2026-11-30)')
    assert within_budget([end], (), BUDGET), "what it ends was never told"


def test_only_what_a_turn_names_is_called_over_behind_it() -> None:
    old = fact("s:1:fact0", "walnuts make me ill", by="s:2:fact0").former
    said = Note("s:1:said", "turn", "walnuts make me ill", 1.0, speaker="user")
    replied = Note("s:1:reply", "turn", "I am sorry to hear that.", 1.0, speaker="assistant")
    lines = [
        line for line, _ in within_budget([Recall(said, 1.0, 0.8, old), Recall(replied, 1.0, 0.8, old)], (), BUDGET)
    ]
    assert ["no longer so" in line for line in lines] == [True, False]


def test_a_task_in_a_text_world_is_recalled_with_what_worked() -> None:
    about = {"worked": "teleport to workshop; focus on tin", "failed": "focus on pot"}
    task = Recall(Note("s:1:episode1", "episode", "melt tin: solved.", 0.0, about=about), 1.0, 0.9)
    assert told(task, SHOWN).endswith(
        'you did: "melt tin: solved. What worked: teleport to workshop; focus on tin. What failed: focus on pot."'
    )
    assert told(task, FACT).endswith('you did: "melt tin: solved."'), "nobody asked for it"
