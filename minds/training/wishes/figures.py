"""How well the weights for wishes decide and choose, as they are run, on the sentences that were kept apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memory.embedder import Embedder
from minds.policies.wishes import HEADS, OVER, TURNS, Floats, Wishes, likeliest
from minds.training.rows import Row
from minds.training.wishes.data import Labelled, Lists
from tools.worlds.actions import action_space

MISSED = {"wish": 0.015, "meant": 0.01, "over": 0.05}
"""Of what is wanted, that its threshold may miss: the model that is then asked may still say no."""
MOST = {"wish": 0.5, "meant": 0.8, "over": 0.5}
"""Of a threshold: of wordings that nobody thought of, and of other languages, the fit is less sure than of those kept
apart; and of few turns of talk it is that sure."""
Found = tuple[str, Sequence[str], Sequence[str]]
"""The likeliest, all that are shown, and which would be right."""


def decisions(wishes: Wishes, lists: Lists) -> tuple[dict[str, object], tuple[float, ...]]:
    """Is it a wish, is it meant for the open world, for one that is over; does the person want to act."""
    apart = [row for row in lists.turns if row.apart and row.counts]
    acts = {row["says"] for row, far in lists.sentences if far and row["expect"]}
    wished, none = ([row.says for row in apart if row.wish == of] for of in (True, False))
    talk = [says for says in none if says not in acts]
    behind = [row for row in lists.behind if row.apart]
    about = [row.says for row in behind if row.means != OVER[0]]
    kinds: dict[str, tuple[Callable[[str], float], Sequence[str], Sequence[str]]] = {
        "wish": (lambda says: wishes.wish(says).p, none, wished),
        "meant": (lambda says: wishes.meant(says)[0], talk, sorted(acts)),
        "over": (lambda says: 1 - wishes.over(says)[0][OVER[0]], talk, about),
    }
    found = {
        key: _threshold(key, *(np.array(list(map(odds, of))) for of in some)) for key, (odds, *some) in kinds.items()
    }
    figures: dict[str, object] = dict(found) | {"drive": heard(wishes.drives, lists.drives(apart=True))}
    figures["turns"] = heard(wishes.turn, lists.turns_in_worlds(apart=True))
    figures["over_first"] = _share([likeliest(wishes.over(row.says)[0])[0] == row.means for row in behind])
    return figures, tuple(float(of["threshold"]) for of in found.values())


def heard(odds: Callable[[str], dict[str, float]], rows: Labelled) -> dict[str, object]:
    """Of each label: how often it is the likeliest where it is right."""
    found: dict[str, list[bool]] = {}
    for text, means in rows:
        found.setdefault(means, []).append(likeliest(odds(text))[0] == means)
    return {**{means: _share(right) for means, right in found.items()}, "n": len(rows)}


def _threshold(key: str, talk: Floats, wanted: Floats) -> dict[str, float | int]:
    """The highest that misses no more than MISSED of what is wanted, but not over MOST."""
    at = min(MOST[key], float(np.quantile(wanted, MISSED[key], method="lower")))
    told = {"needless": _share(talk >= at), "missed": _share(wanted < at)}
    return {"threshold": at, **told, "talk": len(talk), "wanted": len(wanted)}


def chosen(wishes: Wishes, lists: Lists) -> dict[str, object]:
    """How often the right one is the first, and among those that are shown."""
    figures: dict[str, object] = {}
    for key, of in (("kinds", lambda r: r.kinds), ("things", lambda r: (r.thing,)), ("places", lambda r: (r.place,))):
        rows = [row for row in lists.turns if row.apart and row.wish and len(of(row)) == 1 and of(row)[0]]
        near = [list(getattr(wishes.wish(row.says), key)) for row in rows]
        figures[key] = _found([(names[0], names, of(row)) for row, names in zip(rows, near, strict=True)])
    embed, found = Embedder().embed, defaultdict[str, list[Found]](list)
    for row in (row for row, far in lists.sentences if far):
        ranked = wishes.ranked(row["says"], action_space(tuple(row["admissible"])), row.get("recent", []), embed)
        first, _ = likeliest({**ranked.actions, **ranked.instead})
        found[row["world"]].append((first, [*ranked.near(), *ranked.instead], row["expect"] or _instead(row)))
    return figures | {world: _found(of) for world, of in found.items()}


def _found(rows: Sequence[Found]) -> dict[str, float]:
    first = [one in right for one, _, right in rows]
    shown = [not {*right}.isdisjoint(near) for _, near, right in rows]
    return {"first": _share(first), "shown": _share(shown), "n": len(rows)}


def _instead(row: Row) -> Sequence[str]:
    """What is right where no action is: what was labelled; or that nothing there can be done, or is meant."""
    return [row["control"]] if "control" in row else [HEADS[0], TURNS[0]]


def _share(of: Any) -> float:
    return round(float(np.mean(of)), 3)
