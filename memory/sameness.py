"""Whether two questions ask the same, and how far an answer carries: learned, in numpy, in some milliseconds.

Both questions are read together (memory/pairs.py); unequal in doubt: a miss costs a slow run, a false hit a wrong
answer. Fitted by minds/training/sameness/train.py on paraphrases and near misses that people wrote.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from memory.bert import Floats
from memory.memory import MemoryFault
from memory.pairs import BENEATH, Together, Tokens, rearranged

if TYPE_CHECKING:
    from memory.embedder import Embedder

WEIGHTS = Path(__file__).parent / "weights" / "sameness.safetensors"
SCOPES = ("anywhere", "day", "moment", "person", "dialogue", "telling", "memory")
"""What the answer to a question holds for: always; a day; only now; this person; only where it was said. The last two
are no questions: the person tells something; the person wants something done with what is kept of them."""
TELLS = ("nothing", "something")
"""What a turn tells that will last of the person's own life: people, places, tastes, plans, or the end of such."""
LONGEST, PARTS = 400, 4
"""Characters; longer questions are compared as they stand. How many times that is read for what is told."""
SENTENCES = 12
"""So many of them are read for what is told beside the whole: a fact behind a question is lost in the whole."""
NEAREST, NEAR = 3, 0.4
"""So many of the others are read, the nearest by their vectors, and none that is farther off."""
_KEPT = 512
_SENTENCE = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


def equal(one: str, other: str) -> bool:
    """Whether both are written alike but for spare blanks, a mark at the end and capitals where one has none.

    `MB` is not `Mb`, "Hello" not "hello" and `5!` not 5.
    """
    a, b = (" ".join(text.split()).rstrip("?. ") for text in (one, other))
    careless = a.islower() or b.islower() or a.isupper() or b.isupper()
    return a.casefold() == b.casefold() and (careless or a[1:] == b[1:])


class Sameness:
    """The learned comparison, for any thread. Loads on first use. Raises MemoryFault where its weights are damaged."""

    likely = 0.02
    """From this probability on it is worth being asked about."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._read: OrderedDict[str, Tokens] = OrderedDict()
        self._lock = Lock()

    @property
    def bar(self) -> float:
        """From this probability on a result may be given again."""
        return float(self._weights["bar"][0])

    def same(self, one: str, others: Sequence[str]) -> list[float]:
        """How probable it is that each of the others asks the same.

        0 for what is far off, too long to be read, or says the same words or figures in another order.
        """
        found = [float(equal(one, other)) for other in others]
        if read := [] if 1.0 in found else self._near(one, others):
            tokens = self._tokens([one, *(others[i] for i in read)])
            all_odds = self._net.odds(tokens[0], tokens[1:])
            for i, other, odds in zip(read, tokens[1:], all_odds, strict=True):
                found[i] = 0.0 if rearranged(tokens[0], other) else float(1 / (1 + np.exp(-odds)))
        return found

    def _near(self, one: str, others: Sequence[str]) -> list[int]:
        """The numbers of those to be read."""
        fit = [i for i, other in enumerate(others) if max(len(one), len(other)) <= LONGEST]
        if not fit or not one.strip():
            return []
        rows = self._embedder.embed([one, *(others[i] for i in fit)])
        near = sorted(zip(rows[1:] @ rows[0], fit, strict=True), reverse=True)[:NEAREST]
        return [i for cosine, i in near if cosine >= NEAR]

    def scope(self, text: str) -> str:
        """One of SCOPES; in doubt a narrower one."""
        found = self._scores("scope", [text])
        return SCOPES[int(np.argmax(found[0]))] if found else "dialogue"

    def tells(self, text: str) -> float:
        """How probable it is that a person tells something in it that lasts."""
        found = self._scores("tells", _parts(text))
        return max((float(1 / (1 + np.exp(nothing - something))) for nothing, something in found), default=0.0)

    def _scores(self, head: str, texts: Sequence[str]) -> list[Floats]:
        """The means of its networks' log-probabilities, of the texts in which anything can be read."""
        readable = [tokens for tokens in self._tokens(texts) if len(tokens.states) > 2]  # more than its ends
        return [np.mean([scores(net, tokens) for net in self._nets(head)], axis=0) for tokens in readable]

    def _nets(self, head: str) -> list[dict[str, Floats]]:
        """One for each seed: their mean is surer of itself than each of them."""
        starts = sorted({name.partition(".")[0] for name in self._weights if name.startswith(head)})
        return [{k.removeprefix(f"{s}."): w for k, w in self._weights.items() if k.startswith(f"{s}.")} for s in starts]

    @cached_property
    def _weights(self) -> Mapping[str, Floats]:
        from safetensors.numpy import load_file

        try:
            return {name: w.astype(np.float32) for name, w in load_file(WEIGHTS).items()}
        except Exception as fault:  # safetensors raises bare Exceptions of its own
            raise MemoryFault("The weights that compare questions are damaged: install Duet again.") from fault

    @cached_property
    def _net(self) -> Together:
        return Together(self._embedder.weights, self._weights)

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        with self._lock:
            known = {text: self._read[text] for text in texts if text in self._read}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        read = self._embedder.read([text[:LONGEST] for text in new], BENEATH)  # outside of the lock
        known |= {text: Tokens(text[:LONGEST], each) for text, each in zip(new, read, strict=True)}
        with self._lock:
            self._read.update((text, known[text]) for text in new)
            while len(self._read) > _KEPT:
                self._read.popitem(last=False)
        return [known[text] for text in texts]


def _parts(text: str) -> list[str]:
    """The whole, in pieces where it is long, and its sentences."""
    pieces = [text[at : at + LONGEST] for at in range(0, min(len(text), PARTS * LONGEST), LONGEST)]
    short = [sentence for sentence in _SENTENCE.split(text) if sentence.strip() and len(sentence) <= LONGEST]
    return list(dict.fromkeys((*pieces, *short[:SENTENCES])))


def scores(net: Mapping[str, Floats], tokens: Tokens) -> Floats:
    """Log-probabilities of what a small network tells apart: of SCOPES, shape (7,), or of TELLS, shape (2,)."""
    read = np.concatenate([tokens.states, tokens.plain], 1)[1:-1]
    each = np.maximum(read @ net["in.weight"].T + net["in.bias"], 0)
    found = np.concatenate([each.max(0), each.mean(0), tokens.whole]) @ net["out.weight"].T + net["out.bias"]
    shifted: Floats = found - np.log(np.exp(found - found.max()).sum()) - found.max()
    return shifted
