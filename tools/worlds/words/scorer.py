"""How likely each admissible action is what a sentence asks for: small networks over signs and word vectors.

An option has signs (words of the tables, names, numbers: `options.py`) and, where a sentence encoder is at hand, how
well its verb and its names go with the sentence's token vectors (late interaction; a verb has an attention of its
own). Choosing among all options, to do nothing among them, is a conditional logit. Fitted by `train grounding`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.worlds.words.options import Option
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import parts

Floats = NDArray[np.float32]
Tokens = Callable[[str], Floats]
"""A text's token vectors, shape (tokens, 384): of the encoder of sentences."""
WEIGHTS = Path(__file__).with_name("scorer.safetensors")
SHARP = 8.0
"""What a cosine of a name and a word is multiplied by."""
NONE, UNKNOWN = "", "?"
"""The verb of doing nothing, and any that the fit has not seen."""
Network = Mapping[str, Floats]


@dataclass(frozen=True)
class Weights:
    """What was fitted, and what its rows stand for."""

    nets: tuple[Network, ...]
    gists: tuple[Network, ...]
    deciders: Mapping[str, tuple[Network, ...]]
    """By whether there are vectors: `seeing`, `blind`."""
    features: Mapping[str, int]
    verbs: Mapping[str, int]
    heard: Mapping[str, int]
    """Verbs of a gist, the last action's among them."""
    names: Mapping[str, Floats]
    """Mean token vectors of names, the usual ones."""
    signs: Mapping[str, int]
    """Of a candidate for the decision (`deciding.py`)."""
    mean: Floats


@cache
def stored() -> Weights:
    """The project's own."""
    return load(WEIGHTS)


def load(path: Path) -> Weights:
    """From a file that `train grounding` wrote."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        about: dict[str, list[str]] = {key: json.loads(text) for key, text in file.metadata().items()}
        tensors = {key: file.get_tensor(key).astype(np.float32) for key in file.keys()}  # noqa: SIM118
    groups: dict[str, dict[str, Floats]] = {}
    for key, tensor in tensors.items():
        group, _, name = key.rpartition(".")
        groups.setdefault(group, {})[name] = tensor
    of = {
        kind: tuple(groups[g] for g in sorted(groups) if g.startswith(kind))
        for kind in ("net", "gist", "seeing", "blind")
    }
    index = {key: {name: i for i, name in enumerate(about[key])} for key in ("features", "verbs", "heard", "signs")}
    names = dict(zip(about["names"], tensors["names"], strict=True))
    deciders = {kind: of[kind] for kind in ("seeing", "blind")}
    return Weights(of["net"], of["gist"], deciders, **index, names=names, mean=tensors["mean"])


def verbal(name: str) -> str:
    """A name as it is spoken, without its number: `stoveburner 2` -> stove burner."""
    return " ".join(part for word in re.sub(r" \d+$", "", name).split() for part in parts(word))


def centred(says: str, tokens: Tokens, weights: Weights) -> Floats:
    """The token vectors of a sentence without the mean of all, shape (tokens, 384)."""
    found: Floats = tokens(says.lower()) - weights.mean
    return found


def chances(
    said: Floats | None, found: Sequence[Option], here: Surroundings, tokens: Tokens | None, weights: Weights
) -> dict[str, float]:
    """The logarithm of each action's probability; of doing nothing under the empty text. `said`: as of `centred`."""
    actions = list(dict.fromkeys(option.action for option in found))
    acts = [here.parse(action) if action else None for action in actions]
    verbs = [weights.verbs.get(act.verb, weights.verbs[UNKNOWN]) if act else weights.verbs[NONE] for act in acts]
    spoken = [[verbal(arg) for arg in act.args[:2]] if act else [] for act in acts]
    table = _table(found, weights.features)
    of = np.array([actions.index(option.action) for option in found])
    names = list(dict.fromkeys(name for pair in spoken for name in pair))
    vectors = np.stack([_vector(name, tokens, weights) for name in names]) if names and tokens else None
    total = np.zeros(len(actions))
    for net in weights.nets:
        meaning = _meaning(net, said, vectors, verbs, [[names.index(name) for name in pair] for pair in spoken])
        total += _shares(_scores(net, table, meaning[of]), of, len(actions))
    return dict(zip(actions, np.log(total / len(weights.nets) + 1e-9).tolist(), strict=True))


def _table(found: Sequence[Option], index: Mapping[str, int]) -> list[tuple[NDArray[np.int64], Floats]]:
    rows = []
    for option in found:
        known = [(index[name], value) for name, value in option.features.items() if name in index]
        rows.append((np.array([i for i, _ in known], np.int64), np.array([v for _, v in known], np.float32)))
    return rows


def _vector(name: str, tokens: Tokens, weights: Weights) -> Floats:
    return weights.names[name] if name in weights.names else _new_vector(name, tokens) - weights.mean


@lru_cache(maxsize=2048)
def _new_vector(name: str, tokens: Tokens) -> Floats:
    found: Floats = tokens(name).mean(0)
    return found


def _meaning(
    net: Network, said: Floats | None, names: Floats | None, verbs: list[int], args: list[list[int]]
) -> Floats:
    """Of each action: how well its verb and its two arguments go with the sentence, and whether it has two."""
    found = np.zeros((len(verbs), 4), np.float32)
    if said is None:
        return found
    attention = said @ net["attend"].T + net["attend_bias"]
    attention = np.exp(attention - attention.max(0))
    value = said @ net["value"].T + net["value_bias"]
    found[:, 0] = ((attention / attention.sum(0)) * value).sum(0)[verbs]
    if names is not None:
        near = 2 * SHARP * _unit(said @ net["words"]) @ _unit(names @ net["names"]).T
        top = near.max(0)
        fits = (np.log(np.exp(near - top).sum(0)) + top) / 2 - SHARP / 2
        for place in (0, 1):
            found[:, 1 + place] = [fits[pair[place]] if len(pair) > place else 0.0 for pair in args]
    found[:, 3] = [float(len(pair) > 1) for pair in args]
    return found


def _unit(rows: Floats) -> Floats:
    found: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return found


def _scores(net: Network, table: list[tuple[NDArray[np.int64], Floats]], meaning: Floats) -> Floats:
    signs = np.stack([values @ net["signs"][rows] for rows, values in table])
    hidden = np.maximum(signs[:, 1:] + net["signs_bias"], 0)
    mixed = np.maximum(np.concatenate([hidden, meaning], 1) @ net["mix"].T + net["mix_bias"], 0)
    direct = meaning @ net["direct"].T + net["direct_bias"]
    found: Floats = signs[:, 0] + direct[:, 0] + (mixed @ net["top"].T + net["top_bias"])[:, 0]
    return found


def _shares(scores: Floats, of: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    raised = np.exp(scores.astype(np.float64) - scores.max())
    summed: NDArray[np.float64] = np.zeros(count, np.float64)
    np.add.at(summed, of, raised)
    return summed / float(summed.sum())
