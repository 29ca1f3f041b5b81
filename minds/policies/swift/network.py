"""The trained networks without torch: the same sums in numpy, a few milliseconds a step on one core.

A policy is one or more networks of one shape, trained apart on the same steps; they are run as one, since arrays carry
them as first axis. They are given a step's features by number. Weights are a safetensors file of half-precision arrays;
what is known by number is its metadata.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.bert import gelu, softmax
from minds.policies.arrays import Floats as Floats
from minds.policies.arrays import read
from minds.policies.swift.features import State

BASE, NAME, ASKED, GOAL = 0, 1, 2, 3
"""Kinds of features: always there; a thing's name; the name of what the goal asks for; the goal's own words."""


@dataclass(frozen=True)
class Lexicon:
    """What the network knows by number."""

    features: Mapping[str, int]
    patterns: tuple[str, ...]
    rooms: tuple[str, ...]


def encode(now: State, known: Lexicon) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """Ids, tokens, kinds of all known features of a step."""
    ids, token, kind = list[int](), list[int](), list[int]()
    get = known.features.get
    for index, one in enumerate(now.tokens):
        sort = GOAL if index == 0 else ASKED if one.mentioned else NAME
        for features, its in ((one.base, BASE), (one.names, sort)):
            found = [number for feature in features if (number := get(feature)) is not None]
            ids += found
            token += [index] * len(found)
            kind += [its] * len(found)
    return np.array(ids, np.int32), np.array(token, np.int16), np.array(kind, np.int8)


@dataclass(frozen=True)
class Network:
    """Arrays by torch's names, each (K, ...) for K networks; `embed.weight` is (vocabulary, K, width)."""

    arrays: Mapping[str, Floats]
    heads: int
    layers: int
    known: Lexicon

    def tokens(self, now: State) -> Floats:
        """(K, size, width): every token in the light of all others. Token 0 is the whole."""
        a, size = self.arrays, len(now.tokens)
        ids, token, _ = encode(now, self.known)
        summed = np.zeros((size, *a["embed.weight"].shape[1:]), np.float32)
        starts = np.flatnonzero(np.diff(token, prepend=-1))
        if len(ids):
            summed[token[starts]] = np.add.reduceat(a["embed.weight"][ids], starts, axis=0)
        kinds = a["kind.weight"]
        x = summed.transpose(1, 0, 2) + kinds[:, 1:]
        x[:, 0] += kinds[:, 0] - kinds[:, 1]
        x = gelu(self._linear("enter.1", self._norm("enter.0", x))) + x
        for layer in range(self.layers):
            x = self._block(f"blocks.{layer}", x)
        return self._norm("leave", x)

    def patterns(self, tokens: Floats) -> Floats:
        """(K, patterns) log-probabilities."""
        return _log_softmax(self._two("pattern", tokens[:, :1])[:, 0])

    def first(self, tokens: Floats, pattern: int) -> Floats:
        """(K, size) log-probabilities of the first pointer."""
        return self._point(0, [tokens[:, 0], self.arrays["chosen.weight"][:, pattern]], tokens, ())

    def second(self, tokens: Floats, pattern: int, first: int) -> Floats:
        """(K, size) log-probabilities of the second pointer; never the first again."""
        about = [tokens[:, 0], self.arrays["chosen.weight"][:, pattern], tokens[:, first]]
        return self._point(1, about, tokens, (first,))

    def _point(self, slot: int, about: Sequence[Floats], tokens: Floats, but: tuple[int, ...]) -> Floats:
        query = self._two(f"ask.{slot}", np.concatenate(about, -1)[:, None])
        keys = self._linear(f"answer.{slot}", tokens)
        logits = (query @ keys.transpose(0, 2, 1))[:, 0] / np.float32(tokens.shape[-1] ** 0.5)
        logits[:, [0, *but]] = -1e4
        return _log_softmax(logits)

    def _block(self, name: str, x: Floats) -> Floats:
        many, size, width = x.shape
        qkv = self._linear(f"{name}.qkv", self._norm(f"{name}.before", x)).reshape(many, size, 3, self.heads, -1)
        q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        mixed = softmax(q @ k.swapaxes(-1, -2) / np.float32((width // self.heads) ** 0.5)) @ v
        x = x + self._linear(f"{name}.join", mixed.transpose(0, 2, 1, 3).reshape(x.shape))
        out: Floats = x + self._two(f"{name}.feed", self._norm(f"{name}.then", x))
        return out

    def _linear(self, name: str, x: Floats) -> Floats:
        out: Floats = x @ self.arrays[f"{name}.weight"].swapaxes(1, 2) + self.arrays[f"{name}.bias"][:, None]
        return out

    def _two(self, name: str, x: Floats) -> Floats:
        return self._linear(f"{name}.2", gelu(self._linear(f"{name}.0", x)))

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        out: Floats = scaled * self.arrays[f"{name}.weight"][:, None] + self.arrays[f"{name}.bias"][:, None]
        return out


def together(logs: Floats) -> Floats:
    """The log of the mean probability over the first axis: what the networks say as one."""
    top = logs.max(0)
    out: Floats = top + np.log(np.exp(logs - top).mean(0))
    return out


def _log_softmax(x: Floats) -> Floats:
    shifted = x - x.max(-1, keepdims=True)
    out: Floats = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return out


def load(path: Path) -> Network:
    """The networks of a file. Raises FileNotFoundError."""
    arrays, told = read(path)
    arrays["embed.weight"] = np.ascontiguousarray(arrays["embed.weight"].transpose(1, 0, 2))
    meta = json.loads(told["meta"])
    names = zlib.decompress(b64decode(told["features"])).decode().split("\n")
    known = Lexicon({n: i + 1 for i, n in enumerate(names)}, tuple(meta["patterns"]), tuple(meta["rooms"]))
    return Network(arrays, meta["heads"], meta["layers"], known)
