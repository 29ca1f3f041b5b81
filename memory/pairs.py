"""Two questions read together: MiniLM's upper layers, changed a little (LoRA), see the tokens of both.

The lower layers read each question alone, once. In the upper ones what a token takes from the other question is marked
by a learned vector, so that neither comes first and one pass is enough. Into the first of them goes what each token is
beside the other question - found there or not, with its neighbours or without, a figure, a name - and beside the
states at the end what both share as a whole: all read from how it is written, in any language.
Fitted by minds/training/sameness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from memory.bert import HEADS, LAYERS, WIDTH, Floats, Mix, added, apart, heads, linear, softmax, through
from memory.embedder import Reading

BENEATH = 2
"""Layers that read each question alone."""
MARKS, SHARED = 9, 12
"""Features of a token beside the other question, and of both as wholes."""
_REARRANGED = slice(7, 10)
"""Of the latter: figures in another order, words in another order, one word for another."""
_UNPARTED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
"""Letters of scripts that put no blanks between words."""


def within(value: str, text: str) -> bool:
    """Whether a value stands in a text, in any case: as whole words, where its script parts them."""
    given = value.casefold().strip()
    begins = "" if re.match(f"[{_UNPARTED}]", given) else r"(?<!\w)"
    ends = "" if re.search(f"[{_UNPARTED}]$", given) else r"(?!\w)"
    return bool(given and re.search(f"{begins}{re.escape(given)}{ends}", text.casefold()))


class Tokens:
    """A question, read by itself."""

    def __init__(self, text: str, read: Reading) -> None:
        self.text, self.ids, self.low, self.states = text, read.ids, read.low, unit(read.states)
        self.plain = unit(read.words)
        self.whole: Floats = unit(read.states.mean(0))
        self.rarity: Floats = (np.log1p(read.ids) / 10.4).astype(np.float32)  # the vocabulary is ordered by frequency
        self.figures = figures(text)
        said = words(text)
        named = anchors(said)
        self.lower = [word.lower() for word in said]
        self.names = [word for word in self.lower if word in named]
        """In their order."""
        self.figure_of = _of(read.spans, [(m.span(), _value(m[0])) for m in _FIGURE.finditer(text)])
        """The figure that each token is of, or nothing."""
        given = [(m.span(), m[0].lower()) for m in _WORD.finditer(text)]
        self.name_of = _of(read.spans, [(span, word) for span, word in given if word in named])
        """The name that each token is of, or nothing."""


def _of(tokens: Sequence[tuple[int, int]], spans: Sequence[tuple[tuple[int, int], str]]) -> list[str]:
    return [next((what for (a, b), what in spans if a <= at < b), "") if to else "" for at, to in tokens]


class Together:
    """The fitted weights. May be called from any thread."""

    def __init__(self, base: Mapping[str, Floats], weights: Mapping[str, Floats]) -> None:
        low = {name.removeprefix("low."): value for name, value in weights.items() if name.startswith("low.")}
        self._own, self._net = added(base, low), weights

    def odds(self, one: Tokens, others: Sequence[Tokens]) -> list[float]:
        """The log-odds that each of the others asks the same."""
        if not others:
            return []
        shared, x = [], []
        for other in others:
            left, right, both = beside(one, other)
            shared.append(both)
            x += [t.low + marks @ self._net["marks"].T for t, marks in ((one, left), (other, right))]
        sizes = [(len(one.ids), len(other.ids)) for other in others]
        out = through(self._own, range(BENEATH, LAYERS), np.concatenate(x), self._across(sizes))
        parts = np.split(out, np.cumsum(sizes)[:-1])
        rows = [pooled(a, b, both) for a, b, both in zip(parts[::2], parts[1::2], shared, strict=True)]
        inner = np.maximum(linear(self._net, "inner", np.stack(rows)), 0)
        return [float(row[0]) for row in linear(self._net, "outer", inner)]

    def _across(self, sizes: Sequence[tuple[int, int]]) -> Mix:
        """The tokens of a pair attend to all of it; what comes from the other question is marked."""

        def mix(number: int, *states: Floats) -> Floats:
            firsts = iter(first for first, _ in sizes)
            marks = self._net[f"across.{number}.key"], self._net[f"across.{number}.value"]
            return apart([*map(sum, sizes)], states, lambda q, k, v: _attend(next(firsts), q, k, v, *marks))

        return mix


def _attend(first: int, query: Floats, key: Floats, value: Floats, keyed: Floats, valued: Floats) -> Floats:
    """`first`: tokens of the first question; keyed, valued: (384,), what marks a token of the other one."""
    q, k, v = heads(query), heads(key), heads(value)
    mine = np.arange(len(query)) < first
    other = (mine[:, None] != mine[None]).astype(np.float32)
    scores = q @ k.transpose(0, 2, 1) + other * (q @ keyed.reshape(HEADS, -1, 1))
    shares = softmax(scores / np.float32((WIDTH / HEADS) ** 0.5))
    taken = shares @ v + (shares * other).sum(-1, keepdims=True) * valued.reshape(HEADS, 1, -1)
    mixed: Floats = taken.transpose(1, 0, 2).reshape(len(query), WIDTH)
    return mixed


def pooled(a: Floats, b: Floats, shared: Floats) -> Floats:
    """What the head reads of a pair: the same whichever comes first."""
    means = a.mean(0), b.mean(0)
    top = np.maximum(a.max(0), b.max(0))
    parts = [top, a[0] + b[0], np.abs(a[0] - b[0]), means[0] + means[1], np.abs(means[0] - means[1]), shared]
    return np.concatenate(parts)


def beside(a: Tokens, b: Tokens) -> tuple[Floats, Floats, Floats]:
    """(marks of a's tokens, (n, MARKS); of b's; what both share, (SHARED,))."""
    equal, alike = (a.ids[:, None] == b.ids[None]).astype(np.float32), a.plain @ b.plain.T
    left, right = _marks(a, b, equal, alike), _marks(b, a, equal.T, alike.T)
    return left, right, _shared(a, b, left, right)


def _marks(a: Tokens, b: Tokens, equal: Floats, alike: Floats) -> Floats:
    found, run = equal.max(1), np.zeros(len(a.ids), np.float32)
    run[1:] = (equal[1:, 1:] * equal[:-1, :-1]).max(1)
    after = np.append(run[1:], np.float32(0))
    said = [(bool(f), bool(f) and f not in b.figures) for f in a.figure_of]
    named = [(bool(n), bool(n) and n not in b.lower) for n in a.name_of]
    columns = [found, alike.max(1), run, after, *zip(*said, strict=True), *zip(*named, strict=True)]
    return np.stack([*columns, a.rarity * (1 - found)], 1).astype(np.float32)


def _shared(a: Tokens, b: Tokens, left: Floats, right: Floats) -> Floats:
    """What does not depend on the learned states: figures and names that only one has, words in another order."""
    figures = [sum(f not in other.figures for f in one.figures) for one, other in ((a, b), (b, a))]
    names = [len({*one.names}.difference(other.lower)) for one, other in ((a, b), (b, a))]
    mine, theirs = ([word for word in one.lower if word not in ".?!:"] for one in (a, b))
    found = [
        float((m[:, 0] * t.rarity)[1:-1].sum() / max(t.rarity[1:-1].sum(), 1e-3)) for m, t in ((left, a), (right, b))
    ]
    values = [
        float(a.whole @ b.whole),
        abs(len(a.ids) - len(b.ids)) / max(len(a.ids), len(b.ids)),
        *(min(value, 3) / 3 for value in (min(figures), max(figures), min(names), max(names))),
        bool(a.figures) and a.figures == b.figures,
        a.figures != b.figures and sorted(a.figures) == sorted(b.figures),
        mine != theirs and sorted(mine) == sorted(theirs),
        len(mine) == len(theirs) and sum(x != y for x, y in zip(mine, theirs, strict=True)) == 1,  # can and must
        min(found),
        max(found),
    ]
    return np.array(values, np.float32)


def rearranged(a: Tokens, b: Tokens) -> bool:
    """Whether the same words or figures stand in another order, or one word in the place of another.

    Who bites whom, what is taken from what; the learned odds alone see that too seldom. Neither do they see what
    differs in capitals alone.
    """
    return np.array_equal(a.ids, b.ids) or bool(beside(a, b)[2][_REARRANGED].any())


# -- how a text is written

_FIGURE = re.compile(r"\d+(?:[.,:'\u202f\u00a0]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W_]+")


def figures(text: str) -> list[str]:
    """The numbers of a text in digits, in their order: `12,000` is 12000, and `3,50` is 3.5."""
    return [_value(found) for found in _FIGURE.findall(text)]


def _value(figure: str) -> str:
    plain = _THOUSANDS.sub("", figure).replace(",", ".")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain


def words(text: str) -> list[str]:
    """Words, and the marks that end a sentence."""
    return re.findall(r"[^\W_]+|[.?!:]", text)


def anchors(words: Sequence[str]) -> set[str]:
    """Words written like names, with a capital within a sentence, and words with digits; lower case."""
    shouting = all(word.isupper() for word in words if word.isalpha())
    inner = {w for before, w in pairwise(words) if before not in ".?!:" and w[0].isupper()}
    digits = {word for word in words if not word.isalpha() and any(c.isalpha() for c in word)}
    return {word.lower() for word in (set() if shouting else inner) | digits if len(word) > 1}


def unit(x: Floats) -> Floats:
    out: Floats = x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-9)
    return out
