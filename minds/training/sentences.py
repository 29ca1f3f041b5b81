"""The labelled sentences of data/, each in the state in which it is said; a state is stored once.

grounding_states.jsonl.gz     first a list of all actions, then a state a line: world, observation, and its admissible
                              actions in the list's order, each as how far it stands behind the one before
grounding_sentences.jsonl.gz  a sentence a line: whose it is (file), the number of its state, says, expect, and
                              perhaps recent, steps and id; done: how many of the recent actions it had asked for itself
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import Any

from minds.training.rows import lines

Row = dict[str, Any]
"""file, world, observation, admissible, says, expect; perhaps recent, steps, id, and control: what it is instead."""


def rows(file: str) -> list[Row]:
    """The sentences of `dev`, `dev2`, ... `dev41`; none of any other."""
    known = _states()
    return [{**known[state], **row, "file": file} for state, row in _sentences().get(file, ())]


def files() -> tuple[str, ...]:
    """All there are, oldest first."""
    return tuple(_sentences())


@cache
def _states() -> tuple[Row, ...]:
    actions, *states = lines("grounding_states")
    return tuple({**row, "admissible": [actions[n] for n in accumulate(row["admissible"])]} for row in states)


@cache
def _sentences() -> dict[str, list[tuple[int, Row]]]:
    """File -> its sentences, each with the number of its state."""
    by_file: dict[str, list[tuple[int, Row]]] = {}
    for row in lines("grounding_sentences"):
        by_file.setdefault(row.pop("file"), []).append((row.pop("state"), row))
    return by_file
