"""Of many examples of a prompt those that are nearest to what is said: a model does as the few that it sees do.

Demonstrations chosen for each input (Liu et al. 2022, "What makes good in-context examples?", 3), here by the letters
that they share: SQLite's trigram index finds a word in another form, and in any language.
"""

from __future__ import annotations

import sqlite3
from functools import cache

from prompts import examples

RUN, MANY = 3, 6
"""Letters of a trigram, and examples."""


def nearest(name: str, said: str, many: int = MANY) -> list[tuple[str, str]]:
    """That many of the prompt's exchanges, the nearest last, where a model heeds it most."""
    runs = {said[at : at + RUN].casefold().replace('"', " ") for at in range(len(said) - RUN + 1)}
    wanted = " OR ".join(f'"{run}"' for run in sorted(runs))
    order = "SELECT said, reply FROM example WHERE said MATCH ? ORDER BY bm25(example), rowid LIMIT ?"
    return _index(name).execute(order, (wanted, many)).fetchall()[::-1] if runs else []


@cache
def _index(name: str) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute("CREATE VIRTUAL TABLE example USING fts5(said, reply UNINDEXED, tokenize='trigram')")
    index.executemany("INSERT INTO example VALUES (?, ?)", examples(name))
    return index
