"""Whether two questions ask the same, and how far an answer carries: learned, in numpy, in a few milliseconds.

The tokens of both questions are laid beside each other (each with what it is most like in the other one); what is left
without a fellow - a name, a number, a `not`, a unit - is what makes two questions two. Fitted by
minds/training/sameness/train.py on pairs of paraphrases and near misses; unequal in doubt: a miss costs a slow run, a
false hit a wrong answer.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.memory import MemoryFault

if TYPE_CHECKING:
    from memory.embedder import Embedder

Floats = NDArray[np.float32]
WEIGHTS = Path(__file__).parent / "weights" / "sameness.safetensors"
SCOPES = ("anywhere", "day", "moment", "person", "dialogue", "telling")
"""What the answer to a question holds for: always; a day; only now; this person; only where it was said. The last is no
question: the person tells something."""
LONGEST = 400
"""Characters; longer questions are compared as they stand."""
_KEPT = 512


def plain(question: str) -> str:
    """Without capitals, spare blanks and the mark at its end."""
    return " ".join(question.casefold().split()).rstrip("?!. ")


class Compares(Protocol):
    """What the memory needs of a comparison. May be called from any thread."""

    @property
    def bar(self) -> float:
        """From this probability on a result may be given again."""
        ...

    @property
    def hint(self) -> float:
        """From this one on it is a hint."""
        ...

    def same(self, one: str, others: Sequence[str]) -> list[float]:
        """How probable it is that each of the others asks the same as `one`."""
        ...

    def scope(self, text: str) -> str:
        """One of SCOPES."""
        ...


class Sameness:
    """The learned comparison. Loads on first use. Raises MemoryFault where its weights cannot be read."""

    def __init__(self, embedder: Embedder, weights: Mapping[str, Floats] | None = None) -> None:
        self._embedder, self._given = embedder, weights
        self._read: OrderedDict[str, Tokens] = OrderedDict()
        self._lock = Lock()

    @property
    def bar(self) -> float:
        return float(self._weights["bar"][0])

    @property
    def hint(self) -> float:
        return float(self._weights["bar"][1])

    def same(self, one: str, others: Sequence[str]) -> list[float]:
        """How probable it is that each of the others asks the same; 0 where their figures or names differ."""
        self._tokens([one, *others])
        return [self._pair(one, other) for other in others]

    def scope(self, text: str) -> str:
        """One of SCOPES; in doubt a narrower one."""
        tokens = self._tokens([text])[0]
        scores = sum(scope_scores(net, tokens) for net in self._nets("scope"))
        return SCOPES[int(np.argmax(scores))]

    def _pair(self, one: str, other: str) -> float:
        if plain(one) == plain(other):
            return 1.0
        if max(len(one), len(other)) > LONGEST or apart(one, other):
            return 0.0
        a, b = self._tokens([one, other])
        scores = [float(pair_score(net, a, b)) for net in self._nets("pair")]
        return float(1 / (1 + np.exp(-sum(scores) / len(scores))))

    def _nets(self, name: str) -> list[dict[str, Floats]]:
        """One for each seed: their mean is surer of itself than each of them."""
        found: list[dict[str, Floats]] = []
        while any(key.startswith(f"{name}{len(found)}.") for key in self._weights):
            start = f"{name}{len(found)}."
            found.append({key.removeprefix(start): w for key, w in self._weights.items() if key.startswith(start)})
        return found

    @property
    def _weights(self) -> Mapping[str, Floats]:
        if self._given is None:
            from safetensors.numpy import load_file

            try:
                self._given = {name: w.astype(np.float32) for name, w in load_file(WEIGHTS).items()}
            except Exception as fault:  # safetensors raises bare Exceptions of its own
                raise MemoryFault("The weights that compare questions are damaged: install Duet again.") from fault
        return self._given

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._read]
        made = [Tokens(*read) for read in self._embedder.tokens([text[:LONGEST] for text in new])]
        with self._lock:
            self._read.update(zip(new, made, strict=True))
            found = [self._read[text] for text in texts]
            while len(self._read) > _KEPT:
                self._read.popitem(last=False)
        return found


class Tokens:
    """A question's tokens: ids (n,), their contextual states and their plain word vectors, unit length (n, 384)."""

    def __init__(self, ids: NDArray[np.int64], states: Floats, plain: Floats) -> None:
        self.ids = ids[1:-1]
        self.states, self.plain = _unit(states[1:-1]), _unit(plain[1:-1])
        mean = states.mean(0)
        self.whole: Floats = mean / (np.linalg.norm(mean) + 1e-9)
        self.rarity: Floats = (np.log1p(self.ids) / 10.4).astype(np.float32)  # the vocabulary is in order of frequency


def figures(text: str) -> list[str]:
    """The numbers of a text in digits, in their order: `12,000` is 12000."""
    joined = re.sub(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))", "", text)
    found = re.findall(r"\d+(?:[.,:]\d+)*", joined)
    return [each.rstrip("0").rstrip(".") if "." in each else each for each in found]


def apart(one: str, other: str) -> bool:
    """Whether figures or names differ, or stand in another order: by how they are written, in any language."""
    if figures(one) != figures(other):
        return True
    a, b = _words(one), _words(other)
    if list(map(str.lower, a)) != list(map(str.lower, b)) and sorted(map(str.lower, a)) == sorted(map(str.lower, b)):
        return True  # the same words in another order: who bites whom, what is converted to what
    if _one_for_one(a, b):
        return True
    in_both = set(map(str.lower, a)) & set(map(str.lower, b))
    anchors = _anchors(a) | _anchors(b)
    if anchors - in_both:
        return True
    return [w.lower() for w in a if w.lower() in anchors] != [w.lower() for w in b if w.lower() in anchors]


def _one_for_one(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether a single word stands in the place of another and all else is equal: can and must, even and odd."""
    mine, theirs = ([word.lower() for word in words if word.isalnum()] for words in (a, b))
    apart = [(x, y) for x, y in zip(mine, theirs, strict=True) if x != y] if len(mine) == len(theirs) else []
    return len(apart) == 1


def _words(text: str) -> list[str]:
    """Words, and the marks that end a sentence."""
    return re.findall(r"[^\W_]+|[.?!:]", text)


def _anchors(words: Sequence[str]) -> set[str]:
    """Words written like names, with a capital within a sentence, and words with digits; lower case."""
    shouting = all(word.isupper() for word in words if word.isalpha())
    inner = {w for before, w in pairwise(words) if before not in ".?!:" and w[0].isupper()}
    digits = {word for word in words if not word.isalpha() and any(c.isalpha() for c in word)}
    return {word.lower() for word in (set() if shouting else inner) | digits if len(word) > 1}


def pair_score(net: Mapping[str, Floats], a: Tokens, b: Tokens) -> float:
    """The log-odds that both ask the same."""
    likeness = (a.states @ b.states.T, a.plain @ b.plain.T, (a.ids[:, None] == b.ids[None]).astype(np.float32))
    projected = _projected(net, a), _projected(net, b)
    left = _aligned(net, *projected, *likeness, a.rarity)
    states, plain, equal = likeness
    right = _aligned(net, projected[1], projected[0], states.T, plain.T, equal.T, b.rarity)
    pooled = [np.maximum(left.max(0), right.max(0)), left.mean(0) + right.mean(0), np.abs(left.mean(0) - right.mean(0))]
    inner = np.maximum(np.concatenate([*pooled, _whole(a, b)]) @ net["out1.weight"].T + net["out1.bias"], 0)
    return float(inner @ net["out2.weight"][0] + net["out2.bias"][0])


def scope_scores(net: Mapping[str, Floats], tokens: Tokens) -> Floats:
    """Log-probabilities of SCOPES, shape (6,)."""
    each = np.maximum(np.concatenate([tokens.states, tokens.plain], 1) @ net["in.weight"].T + net["in.bias"], 0)
    scores = np.concatenate([each.max(0), each.mean(0), tokens.whole]) @ net["out.weight"].T + net["out.bias"]
    shifted: Floats = scores - np.log(np.exp(scores - scores.max()).sum()) - scores.max()
    return shifted


def _aligned(
    net: Mapping[str, Floats], own: Floats, theirs: Floats, states: Floats, plain: Floats, equal: Floats, rarity: Floats
) -> Floats:
    """What each token of one question is like beside its fellow in the other: (n, hidden). `states`, `plain`, `equal`:
    how like the tokens are, (n, m)."""
    weights = _softmax(np.exp(net["sharp"][0]) * states + np.exp(net["sharp"][1]) * plain + net["sharp"][2] * equal)
    fellow = weights @ theirs
    before, after = np.zeros_like(plain), np.zeros_like(plain)
    before[1:, 1:], after[:-1, :-1] = plain[:-1, :-1], plain[1:, 1:]
    likeness = [
        states.max(1),
        plain.max(1),
        equal.max(1),
        *((weights * each).sum(1) for each in (states, before, after)),
    ]
    scalars = np.stack([*likeness, rarity, weights.max(1), _moved(weights)], 1)
    joined = np.concatenate([own, fellow, own * fellow, np.abs(own - fellow), scalars], 1)
    compared: Floats = np.maximum(joined @ net["compare.weight"].T + net["compare.bias"], 0)
    return compared


def _projected(net: Mapping[str, Floats], tokens: Tokens) -> Floats:
    joined: Floats = np.concatenate([tokens.states @ net["state.weight"].T, tokens.plain @ net["plain.weight"].T], 1)
    return joined


def _moved(weights: Floats) -> Floats:
    """How far from its own place, as a share of the question, each token's fellow stands."""
    n, m = weights.shape
    there = weights @ (np.arange(m, dtype=np.float32) / max(m - 1, 1))
    moved: Floats = np.abs(there - np.arange(n, dtype=np.float32) / max(n - 1, 1))
    return moved


def _whole(a: Tokens, b: Tokens) -> Floats:
    lengths = abs(len(a.ids) - len(b.ids)) / max(len(a.ids), len(b.ids), 1)
    return np.array([a.whole @ b.whole, lengths], np.float32)


def _softmax(x: Floats) -> Floats:
    shifted = np.exp(x - x.max(-1, keepdims=True))
    out: Floats = shifted / shifted.sum(-1, keepdims=True)
    return out


def _unit(x: Floats) -> Floats:
    out: Floats = x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-9)
    return out
