"""What helps a small model with text worlds: is a turn a wish for a task, is it meant for the open world, which kinds
of tasks, things, places and actions are near to it. It shortens what the model chooses from and chooses nothing.

Everything is learned from labelled sentences (minds/training/wishes): the two decisions by a sentence's likeness to
labelled ones (kernel ridge regression), the rest by networks of one hidden layer over its MiniLM vector, both beside
the sum of its hashed pieces, and for actions a bilinear form between the sentence's vector and
those of verb and names with what they share in letters. No language's words are written down here. Run in numpy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tools.worlds.actions import ActionSpace

Floats = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Floats]
"""Texts to unit rows, shape (n, 384)."""
WEIGHTS = Path(__file__).parent / "weights" / "wishes.safetensors"
BUCKETS, GRAM = 2048, 4
WIDTH, PIECES = 1.0, 0.5
"""Of the likeness, exp(-WIDTH * squared distance); and what the pieces count beside it."""
SHARE, MOST = 0.98, 5
NAMED = 8
"""Features of a name beside a sentence, in the order of `likenesses`."""
_WORD = re.compile(r"\w+")


class WishesFault(Exception):
    """The weights cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Likely:
    """What a turn may wish for where no world is open, the likeliest first."""

    p: float
    """That it is a wish for a task in a text world."""
    wished: bool
    """p is over the threshold."""
    kinds: tuple[str, ...]
    """As many as hold nearly all that is likely; so are the others."""
    things: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class Ranked:
    """The actions of a state, the likeliest first, with their probabilities; `none` is that it is none of them."""

    actions: tuple[str, ...]
    p: tuple[float, ...]
    none: float


class Wishes:
    """The fitted weights; holds no dialogue, so all conversations may share it."""

    def __init__(self, weights: dict[str, Floats], names: dict[str, tuple[str, ...]]) -> None:
        self._w, self._names = weights, names
        self._at = {name: number for number, name in enumerate(names["names"])}
        self._verbs = {verb: number for number, verb in enumerate(names["verbs"])}

    @classmethod
    def load(cls, path: Path | None = None) -> Wishes:
        """Raises WishesFault."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path or WEIGHTS, framework="numpy") as file:
                told = {key: tuple(value.split("\n")) for key, value in (file.metadata() or {}).items()}
                weights = {name: np.asarray(file.get_tensor(name), np.float32) for name in list(file.keys())}
        except (OSError, SafetensorError) as fault:
            raise WishesFault("The weights for wishes cannot be read: run `python main.py train wishes`.") from fault
        return cls(weights, told)

    def wish(self, said: str, vector: Floats) -> Likely:
        """Of a turn where no world is open; `vector` is the words' own, shape (384,)."""
        out = self._network("wish", vector, said)
        kinds, things, places = (self._names[key] for key in ("kinds", "things", "places"))
        at, near = 0, []
        for names in (kinds, things, places):
            near.append(nearest(names, out[at : at + len(names)]))
            at += len(names)
        return Likely(*self._decided(0, said, vector), *near)

    def meant(self, said: str, vector: Floats) -> tuple[float, bool]:
        """P(the turn is meant for the open world), and whether that is over its threshold."""
        return self._decided(1, said, vector)

    def ranked(self, said: str, vector: Floats, space: ActionSpace, recent: Sequence[str], embed: Embed) -> Ranked:
        """All admissible actions of the state; `recent` are the last actions taken there."""
        if not space.admissible:
            return Ranked((), (), 1.0)
        names = tuple(dict.fromkeys((*space.objects, *space.others)))
        of_names = self._of_names(said, vector, names, recent, embed)
        verbs = self._of_verbs(vector, space.verbs, embed)
        at, of_verb = {name: n for n, name in enumerate(names)}, {verb: n for n, verb in enumerate(space.verbs)}
        parts = [space.parts(action) for action in space.admissible]
        score = verbs[[of_verb[part.verb] for part in parts]]
        for side, names_of in enumerate(([p.object for p in parts], [p.other for p in parts])):
            scores = np.append(of_names[side], np.float32(0))  # the last one: no name
            score = score + scores[[at.get(name, -1) for name in names_of]]
        if recent:
            score = score + self._w["rank.again"][0] * np.array([action in recent[-1:] for action in space.admissible])
        none = float(self._network("none", vector, said)[0])
        order = np.argsort(-score, kind="stable")
        odds = np.exp(np.append(score[order], none) - max(float(score.max()), none))
        p = odds / odds.sum()
        return Ranked(tuple(space.admissible[n] for n in order), tuple(p[:-1].tolist()), float(p[-1]))

    def _decided(self, which: int, said: str, vector: Floats) -> tuple[float, bool]:
        """By likeness to labelled sentences: the probability, and whether it is over the threshold."""
        w = self._w
        like = np.exp(2 * WIDTH * (w["alike.points"] @ vector * w["alike.step"] - 1))
        at, worth = pieces(said)
        score = like @ w["alike.weights"][:, which] + PIECES * worth @ w["alike.pieces"][at, which]
        slope, shift, threshold = w["alike.odds"][which]
        p = _sigmoid(float(slope * (score + w["alike.mean"][which]) + shift))
        return p, p >= float(threshold)

    def _of_names(self, said: str, vector: Floats, names: Sequence[str], recent: Sequence[str], embed: Embed) -> Floats:
        """Scores of names in the place of {object} and of {other}: shape (2, names)."""
        rows = self.vectors([bare(name) for name in names], embed)
        shared = likenesses(said, names, recent)
        shared[:, 0] = rows @ vector
        scores = []
        for side in ("object", "other"):
            near = (rows @ self._w[f"rank.{side}.name"]) @ (vector @ self._w[f"rank.{side}.said"])
            scores.append(near + shared @ self._w[f"rank.{side}.shared"] + self._w[f"rank.{side}.bias"][0])
        return np.stack(scores).astype(np.float32) if names else np.zeros((2, 0), np.float32)

    def _of_verbs(self, vector: Floats, verbs: Sequence[str], embed: Embed) -> Floats:
        """Known verbs by what was learned of each, others by their words' meaning alone."""
        hidden = np.maximum(vector @ self._w["verb.in"] + self._w["verb.bias"], 0)
        known = hidden @ self._w["verb.out"] + self._w["verb.shift"]
        least = float(known.min())
        scores: Floats = np.array([known[self._verbs[v]] if v in self._verbs else least for v in verbs], np.float32)
        return scores

    def vectors(self, names: Sequence[str], embed: Embed) -> Floats:
        """Of names; those known from the fit are kept with the weights, so that a state costs no time."""
        new = [name for name in dict.fromkeys(names) if name not in self._at]
        rows = dict(zip(new, embed(new), strict=True)) if new else {}
        kept, step = self._w["names"], self._w["names.step"]
        found = [rows[name] if name in rows else kept[self._at[name]] * step for name in names]
        return np.stack(found).astype(np.float32) if found else np.zeros((0, 384), np.float32)

    def _network(self, name: str, vector: Floats, said: str) -> Floats:
        """One hidden layer over the vector, and the sum of the pieces' own weights."""
        w = self._w
        hidden = np.maximum(vector @ w[f"{name}.in"] + w[f"{name}.bias"], 0)
        at, worth = pieces(said)
        out: Floats = hidden @ w[f"{name}.out"] + worth @ w[f"{name}.pieces"][at] + w[f"{name}.shift"]
        return out


def nearest(names: Sequence[str], scores: Floats, share: float = SHARE, most: int = MOST) -> tuple[str, ...]:
    """The likeliest, as few as hold this share of what is likely; at least two."""
    order = np.argsort(-scores, kind="stable")
    odds = np.exp(scores[order] - scores.max())
    held = np.cumsum(odds) / odds.sum()
    kept = int(np.searchsorted(held, share)) + 1
    return tuple(names[n] for n in order[: min(most, max(2, kept))])


# -- what two texts share, in any language


def pieces(said: str) -> tuple[NDArray[np.int64], Floats]:
    """The buckets of a text's words, pairs of words and runs of four letters, and what each is worth (norm 1)."""
    words = _WORD.findall(said.casefold())
    found = [*words, *(" ".join(pair) for pair in pairwise(["", *words, ""]))]
    found += [run for word in words for run in _runs(f" {word} ", GRAM)]
    at, counts = np.unique([crc32(piece.encode()) % BUCKETS for piece in found] or [0], return_counts=True)
    worth = np.sqrt(counts).astype(np.float32)
    return at.astype(np.int64), worth / np.linalg.norm(worth)


def likenesses(said: str, names: Sequence[str], recent: Sequence[str]) -> Floats:
    """Of each name beside a sentence and the actions before it, shape (names, NAMED):

    cosine (filled in by the caller); the share of its three-letter runs that the sentence has, and the sentence's that
    it has, weighted by how few names here have them; whether its number is said, or another one; whether it stands in
    the last action or in the two before; 1.
    """
    here, digits = _threes(said), set(re.findall(r"\d+", said))
    runs = [_threes(bare(name)) for name in names]
    rare = _rarity(runs)
    whole = sum(rare.get(run, 1.0) for run in here) or 1.0
    last, before = " ".join(recent[-1:]), " ".join(recent[-3:-1])
    rows = np.zeros((len(names), NAMED), np.float32)
    for row, name, own in zip(rows, names, runs, strict=True):
        shared = sum(rare[run] for run in own & here)
        numbers = set(re.findall(r"\d+", name))
        row[1] = shared / (sum(rare[run] for run in own) or 1.0)
        row[2] = shared / whole
        row[3] = bool(numbers & digits)
        row[4] = bool(digits and numbers and not numbers & digits)
        row[5], row[6], row[7] = name in last, name in before, 1.0
    return rows


def bare(name: str) -> str:
    """`drawer 12` -> `drawer`: numbers are compared as numbers."""
    return name.rstrip("0123456789 ") or name


def _rarity(runs: Sequence[frozenset[str]]) -> dict[str, float]:
    distinct = set(runs)
    counts: dict[str, int] = {}
    for own in distinct:
        for run in own:
            counts[run] = counts.get(run, 0) + 1
    return {run: float(np.log1p(len(distinct) / count)) for run, count in counts.items()}


@lru_cache(maxsize=4096)
def _threes(text: str) -> frozenset[str]:
    """Runs of three letters of the words written as one: `soap bottle` and `soapbottle` share them."""
    joined = "".join(_WORD.findall(text.casefold()))
    return frozenset(_runs(joined, 3))


def _runs(text: str, length: int) -> list[str]:
    return [text[n : n + length] for n in range(max(1, len(text) - length + 1))]


def _sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))
