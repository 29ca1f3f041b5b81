"""How notes are ranked for some words: BM25, cosine, the turns beside them and their conversation's best, fused.

The weights are round numbers chosen on three of LoCoMo's conversations; each may be halved or doubled at a loss of
about two hundredths of recall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.memory import PERSON, Wanted
from memory.notes import Row

Floats = NDArray[np.float64]

WORDS, VECTOR, BESIDE, SESSION_WORDS, SESSION_VECTOR = 0.5, 1.0, 0.3, 0.3, 0.3
SPEAKER, TIME, ASKS, LENGTH, FACT, PINNED = 0.25, 0.25, -0.1, 0.1, 0.1, 0.1


@dataclass(frozen=True)
class Query:
    """What is looked for."""

    text: str
    row: NDArray[np.float32]
    """Its vector, unit length."""
    words: Mapping[int, float]
    """seq -> BM25 of what shares words with it."""
    wanted: Wanted
    spans: Sequence[tuple[float, float]] = ()
    """Times that the text names, in seconds since 1970."""


def ranked(rows: Mapping[int, Row], query: Query) -> list[tuple[Row, float, float]]:
    """(row, score, cosine), the best first. `rows` also has the turns beside those that are ranked."""
    if not rows:
        return []
    listed = list(rows.values())
    cosine = _cosines(listed, query.row)
    words = _words(listed, query.words)
    scores = WORDS * words + VECTOR * cosine + BESIDE * _beside(listed, cosine)
    scores += SESSION_WORDS * _best(listed, words) + SESSION_VECTOR * _best(listed, cosine)
    scores += _priors(listed, query)
    order, wanted = np.argsort(-scores, kind="stable"), query.wanted
    return [
        (row, float(scores[i]), float(cosine[i]))
        for i, row in ((i, listed[i]) for i in order)
        if row.kind in wanted.kinds and (not wanted.session or row.session == wanted.session)
    ]


def _cosines(rows: Sequence[Row], query: NDArray[np.float32]) -> Floats:
    """Where a vector is still to be made, the mean of the others."""
    known = [i for i, row in enumerate(rows) if row.vector]
    out = np.zeros(len(rows))
    if known:
        joined = np.frombuffer(b"".join(rows[i].vector or b"" for i in known), np.float16).astype(np.float32)
        found = joined.reshape(len(known), -1) @ query
        out[:] = found.mean()
        out[known] = found
    return out


def _words(rows: Sequence[Row], found: Mapping[int, float]) -> Floats:
    most = max(found.values(), default=0.0) or 1.0
    return np.array([max(found.get(row.seq, 0.0), 0.0) / most for row in rows])


def _beside(rows: Sequence[Row], cosine: Floats) -> Floats:
    """Mean cosine of a turn and the turns before and after it."""
    at = {row.seq: i for i, row in enumerate(rows)}
    near = np.array([(i, at.get(row.before, -1), at.get(row.after, -1)) for i, row in enumerate(rows)])
    here = near >= 0
    beside: Floats = (cosine[near] * here).sum(1) / here.sum(1)
    return beside


def _best(rows: Sequence[Row], values: Floats) -> Floats:
    """Each note's conversation by its best note."""
    best: dict[str, float] = {}
    for row, value in zip(rows, values, strict=True):
        best[row.session] = max(best.get(row.session, -1.0), float(value))
    return np.array([best[row.session] for row in rows])


def _priors(rows: Sequence[Row], query: Query) -> Floats:
    """What speaks for each beside likeness: who said it, when, how much it says."""
    wanted, spans = query.wanted, [*query.spans]
    if wanted.since or wanted.until:
        spans.append((wanted.since, wanted.until or 1e12))
    speakers = {name: _speaks(name, query) for name in {row.speaker for row in rows}}
    scores = LENGTH * np.log1p([len(row.text.split()) for row in rows])
    scores += [ASKS * ("?" in row.text[-40:]) + FACT * (row.kind == "fact") + PINNED * row.pinned for row in rows]
    scores += [SPEAKER * speakers[row.speaker] for row in rows]
    at = np.array([row.at for row in rows])
    scores += TIME * np.any([(start <= at) & (at < end) for start, end in spans], axis=0)
    return scores


def _speaks(name: str, query: Query) -> bool:
    """Whether what is looked for may be this speaker's."""
    named = name.lower()
    if query.wanted.speaker:
        return named == query.wanted.speaker.lower()
    return named == PERSON or (bool(named) and named in query.text.lower())
