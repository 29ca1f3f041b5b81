"""What a turn is to the memory: how far its answer carries, and whether it tells something that lasts.

Two small networks on MiniLM's states, in numpy, in some milliseconds; fitted by minds/training/turns.
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

if TYPE_CHECKING:
    from memory.embedder import Embedder, Reading

WEIGHTS = Path(__file__).parent / "weights" / "turns.safetensors"
SCOPES = ("anywhere", "day", "moment", "person", "dialogue", "telling", "memory")
"""What the answer to a question holds for: always; a day; only now; this person; only where it was said. The last two
are no questions: the person tells something; the person wants something done with what is kept of them."""
TELLS = ("nothing", "something")
"""What a turn tells that will last of the person's own life: people, places, tastes, plans, or the end of such."""
LONGEST, PARTS = 400, 4
"""Characters that are read at once, and how many times that of what is told."""
SENTENCES = 12
"""So many of them are read for what is told beside the whole: a fact behind a question is lost in the whole."""
_KEPT = 512
_SENTENCE = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？])")


class Tokens:
    """A text's states and words, (tokens, 384), and their mean, of unit length."""

    def __init__(self, read: Reading) -> None:
        self.states, self.plain, self.whole = map(unit, (read.states, read.words, read.states.mean(0)))


class TurnReader:
    """The two networks, for any thread. Loads on first use. Raises MemoryFault where its weights are damaged."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._read: OrderedDict[str, Tokens] = OrderedDict()
        self._lock = Lock()

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
            raise MemoryFault("The weights that hear what a turn is are damaged: install Duet again.") from fault

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        with self._lock:
            known = {text: self._read[text] for text in texts if text in self._read}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        read = self._embedder.read([text[:LONGEST] for text in new])  # outside of the lock
        known |= {text: Tokens(each) for text, each in zip(new, read, strict=True)}
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


def unit(x: Floats) -> Floats:
    out: Floats = x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-9)
    return out
