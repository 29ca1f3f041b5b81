"""What a sentence comes to before any action is looked at: is anything asked for, and which verbs would do it.

Several attentions and triples of tokens read the encoder's vectors together with the last action's verb: `nice and
cold now` after `cool` asks for nothing, at a closed fridge it may. The decision takes it for one sign among others.
Fitted by `train grounding` (minds/training/grounding/gist.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.worlds.words.surroundings import verb_of

Floats = NDArray[np.float32]
Network = Mapping[str, Floats]
HEADS = 16
"""Attentions over the tokens."""
LEAST = -8.0
"""The logarithm of a verb's chance where there is next to none, or where the fit has not seen the verb."""


@dataclass(frozen=True)
class Gist:
    """Of one sentence."""

    asked: float
    """Log odds that something is to be done now."""
    verbs: Mapping[str, float]
    """The logarithm of each verb's chance to be one that does it."""

    def of(self, verbs: Sequence[str]) -> list[float]:
        """The logarithms for these verbs."""
        return [max(self.verbs.get(verb, LEAST), LEAST) for verb in verbs]


def beside(recent: Sequence[str], world: str, remark: bool) -> tuple[str, tuple[float, float]]:
    """What is read beside the words: the last action's verb (empty where there was none); whether the world is the
    laboratory, whether the form is that of a remark.
    """
    return verb_of(recent[-1]) if recent else "", (float(world == "scienceworld"), float(remark))


def gist(said: Floats, last: str, aside: Sequence[float], nets: Sequence[Network], verbs: Mapping[str, int]) -> Gist:
    """By several networks. `said`: centred token vectors, shape (tokens, 384); `last`, `aside`: as of `beside`."""
    others = np.array(aside, np.float32)
    asked, heard = zip(*(_read(said, verbs.get(last, 0), others, net) for net in nets), strict=True)
    each = np.mean(heard, axis=0)
    return Gist(float(np.mean(asked)), dict(zip(verbs, each.tolist(), strict=True)))


def _read(said: Floats, last: int, aside: Floats, net: Network) -> tuple[float, Floats]:
    attention = said @ net["attend"].T + net["attend_bias"]
    attention = np.exp(attention - attention.max(0))
    value = (said @ net["value"].T + net["value_bias"]).reshape(len(said), HEADS, -1)
    pooled = np.einsum("th,thv->hv", attention / attention.sum(0), value).ravel()
    nothing = np.zeros_like(said[:1])
    triples = np.concatenate([np.concatenate([nothing, said[:-1]]), said, np.concatenate([said[1:], nothing])], 1)
    triple = np.maximum(triples @ net["triple"].T + net["triple_bias"], 0).max(0)
    whole = np.concatenate([pooled, triple, net["last"][last], aside])
    hidden = np.maximum(net["hidden"] @ whole + net["hidden_bias"], 0)
    odds = net["verb"] @ hidden + net["verb_bias"]
    chances: Floats = -np.logaddexp(0, -odds)
    return float((net["asked"] @ hidden + net["asked_bias"])[0]), chances
