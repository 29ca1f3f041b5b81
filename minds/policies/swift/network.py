"""The trained network without torch: the same sums in numpy, a few milliseconds a step on one core.

Weights are a safetensors file of half-precision arrays; what the network knows by number is in its metadata.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minds.policies.swift.dataset import Lexicon

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """Arrays by torch's names, ready to use."""

    arrays: Mapping[str, Floats]
    heads: int
    layers: int

    def tokens(self, ids: Ints, token: Ints, size: int) -> Floats:
        """(size, width): every token in the light of all others. Token 0 is the whole."""
        a = self.arrays
        summed = np.zeros((size, a["embed.weight"].shape[1]), np.float32)
        starts = np.flatnonzero(np.diff(token, prepend=-1))
        if len(ids):
            summed[token[starts]] = np.add.reduceat(a["embed.weight"][ids], starts, axis=0)
        x = summed + a["kind.weight"][1]
        x[0] += a["kind.weight"][0] - a["kind.weight"][1]
        x = _gelu(self._linear("enter.1", self._norm("enter.0", x))) + x
        for layer in range(self.layers):
            x = self._block(f"blocks.{layer}", x)
        return self._norm("leave", x)

    def patterns(self, tokens: Floats) -> Floats:
        """(patterns,) log-probabilities."""
        return _log_softmax(self._two("pattern", tokens[0]))

    def first(self, tokens: Floats, pattern: int) -> Floats:
        """(size,) log-probabilities of the first pointer."""
        return self._point(0, np.concatenate([tokens[0], self.arrays["chosen.weight"][pattern]]), tokens, ())

    def second(self, tokens: Floats, pattern: int, first: int) -> Floats:
        """(size,) log-probabilities of the second pointer; never the first again."""
        query = np.concatenate([tokens[0], self.arrays["chosen.weight"][pattern], tokens[first]])
        return self._point(1, query, tokens, (first,))

    def _point(self, slot: int, query: Floats, tokens: Floats, but: tuple[int, ...]) -> Floats:
        keys = self._linear(f"answer.{slot}", tokens)
        logits = keys @ self._two(f"ask.{slot}", query) / np.float32(tokens.shape[1] ** 0.5)
        logits[[0, *but]] = -1e4
        return _log_softmax(logits)

    def _block(self, name: str, x: Floats) -> Floats:
        size, width = x.shape
        qkv = self._linear(f"{name}.qkv", self._norm(f"{name}.before", x)).reshape(size, 3, self.heads, -1)
        q, k, v = (qkv[:, i].transpose(1, 0, 2) for i in range(3))
        scores = q @ k.transpose(0, 2, 1) / np.float32((width // self.heads) ** 0.5)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        x = x + self._linear(f"{name}.join", mixed.transpose(1, 0, 2).reshape(size, width))
        out: Floats = x + self._two(f"{name}.feed", self._norm(f"{name}.then", x))
        return out

    def _linear(self, name: str, x: Floats) -> Floats:
        out: Floats = x @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]
        return out

    def _two(self, name: str, x: Floats) -> Floats:
        return self._linear(f"{name}.2", _gelu(self._linear(f"{name}.0", x)))

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        out: Floats = scaled * self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"]
        return out


def _log_softmax(x: Floats) -> Floats:
    shifted = x - x.max()
    out: Floats = shifted - np.log(np.exp(shifted).sum())
    return out


def _gelu(x: Floats) -> Floats:
    """The exact one; erf after Abramowitz and Stegun 7.1.26, right to 1.5e-7."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + np.float32(0.3275911) * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - poly * np.exp(-z * z))
    out: Floats = (0.5 * x * (1 + erf)).astype(np.float32)
    return out


def save(path: Path, arrays: Mapping[str, Floats], known: Lexicon, heads: int, layers: int) -> None:
    """Writes weights in half precision with what the network knows by number."""
    from safetensors.numpy import save_file

    names = sorted(known.features, key=known.features.__getitem__)
    packed = b64encode(zlib.compress("\n".join(names).encode(), 9)).decode()
    meta = {"patterns": known.patterns, "rooms": known.rooms, "heads": heads, "layers": layers}
    metadata = {"features": packed, "meta": json.dumps(meta)}
    save_file({k: np.ascontiguousarray(v.astype(np.float16)) for k, v in arrays.items()}, str(path), metadata)


def load(path: Path) -> tuple[Network, Lexicon]:
    """A network and its lexicon. Raises FileNotFoundError."""
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
    meta = json.loads(metadata["meta"])
    names = zlib.decompress(b64decode(metadata["features"])).decode().split("\n")
    known = Lexicon({n: i + 1 for i, n in enumerate(names)}, tuple(meta["patterns"]), tuple(meta["rooms"]))
    return Network(arrays, meta["heads"], meta["layers"]), known
