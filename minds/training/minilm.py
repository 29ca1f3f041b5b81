"""MiniLM's layers (memory/bert.py) in torch, in batches: frozen, with what is learned to be added to their matrices.

A reader with upper layers of its own, changed by little for one question about a text alone, hears what is not to be
heard on the states that many heads read together: who is to act ("let me watch", "let me do it"), or that one who says
"could you carry on from here" hands over.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from memory.bert import HEADS, LAYERS, WIDTH, Floats, embedded, through
from memory.embedder import Embedder, folder
from minds.training.processes import descend, shuffled

Tensor: TypeAlias = Any
"""torch.Tensor, which the type checker does not read."""
FROZEN, LOW = 3, 16
"""Layers that stay as they are in an encoder, and the rank of what is added to each matrix of the others."""
TOKENS = 72
"""Of a text; what lies beyond is not fitted on."""
SIZE, RATE, WARM, DROPPED, SURE = 16, 1e-3, 40, 0.1, 0.05
"""Of a reader: texts at once, the largest step and the steps until it is reached; dropped of the states; the share of
each label that is spread over all."""


class Added(nn.Module):  # type: ignore[misc]
    """A linear layer, and what is added to it (LoRA, Hu et al. 2021)."""

    def __init__(self, base: Mapping[str, Floats], name: str) -> None:
        super().__init__()
        self.name = name
        self.weight, self.bias = (torch.from_numpy(base[f"{name}.{part}"].copy()) for part in ("weight", "bias"))
        out, wide = self.weight.shape
        self.a = nn.Parameter(torch.randn(LOW, wide) / wide**0.5)
        self.b = nn.Parameter(torch.zeros(out, LOW))

    def forward(self, x: Tensor) -> Tensor:
        low = nn.functional.linear(nn.functional.linear(x, self.a), self.b)
        return nn.functional.linear(x, self.weight, self.bias) + low

    def low(self) -> dict[str, Tensor]:
        """Named as the embedder reads them."""
        return {f"low.{self.name}.a": self.a, f"low.{self.name}.b": self.b}


class Layer(nn.Module):  # type: ignore[misc]
    """One of MiniLM's layers."""

    def __init__(self, base: Mapping[str, Floats], number: int) -> None:
        super().__init__()
        at = f"encoder.layer.{number}."
        parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
        self.qkv = nn.ModuleList(Added(base, part) for part in parts)
        self.out, self.up, self.down = (
            Added(base, at + name) for name in ("attention.output.dense", "intermediate.dense", "output.dense")
        )
        norms = [f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm"]
        self.norms = [[torch.from_numpy(base[f"{n}.{p}"].copy()) for p in ("weight", "bias")] for n in norms]

    def forward(self, x: Tensor, there: Tensor) -> Tensor:
        """x: (texts, tokens, 384); there: as `masked` makes it."""
        n, length, _ = x.shape
        qkv = torch.cat([part(x) for part in self.qkv], -1)
        q, k, v = qkv.view(n, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        taken = ((q @ k.transpose(2, 3)) / (WIDTH / HEADS) ** 0.5 + there).softmax(-1) @ v
        x = self._norm(0, self.out(taken.transpose(1, 2).reshape(n, length, WIDTH)) + x)
        return self._norm(1, self.down(nn.functional.gelu(self.up(x))) + x)

    def _norm(self, which: int, x: Tensor) -> Tensor:
        return nn.functional.layer_norm(x, (WIDTH,), *self.norms[which], eps=1e-12)


def low_of(net: Any) -> dict[str, Tensor]:
    """What was learned for all layers of a network, in torch."""
    return {name: row for part in net.modules() if isinstance(part, Added) for name, row in part.low().items()}


def padded(rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """As one, and which of it is there."""
    x = pad_sequence(list(rows), batch_first=True)
    return x, torch.arange(x.shape[1])[None] < torch.tensor([len(row) for row in rows])[:, None]


def masked(there: Tensor) -> Tensor:
    """(texts, tokens) -> what is added to the scores of the attention."""
    return torch.where(there, 0.0, -1e4)[:, None, None]


class Encoder:
    """MiniLM: its lower layers as they are (what they give is kept), in the upper ones something is learned."""

    def __init__(self, tokens: int = TOKENS) -> None:
        torch.manual_seed(0)
        self._base = Embedder(threads=os.cpu_count() or 1).weights
        self.upper = nn.ModuleList(Layer(self._base, number) for number in range(FROZEN, LAYERS))
        self._tokenizer = Tokenizer.from_file(str(folder() / "tokenizer.json"))
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.no_padding()
        self._kept: dict[str, Any] = {}

    def states(self, texts: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens' states (texts, tokens, 384), which of them there are, and their mean."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._kept]:
            self._kept |= zip(new, self._low(new), strict=True)
        x, there = padded([self._kept[text].float() for text in texts])
        for layer in self.upper:
            x = layer(x, masked(there))
        mean = (x * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return x, there, mean

    def _low(self, texts: Sequence[str]) -> Iterator[Any]:
        """What the lower layers give."""
        ids = [np.array(one.ids) for one in self._tokenizer.encode_batch(list(texts))]
        lengths = list(map(len, ids))
        low = through(self._base, range(FROZEN), embedded(self._base, ids), lengths)
        yield from (torch.from_numpy(row).half() for row in np.split(low, np.cumsum(lengths)[:-1]))


def fit_reader(rows: Sequence[tuple[str, int]], classes: int, epochs: int, tokens: int = TOKENS) -> dict[str, Floats]:
    """What is learned for the layers ("low.LAYER"), and on their states "head" (classes, 3 * 384) and "bias"."""
    encoder, head = Encoder(tokens), nn.Linear(3 * WIDTH, classes)
    nn.init.zeros_(head.weight)
    whole = nn.ModuleList([encoder.upper, head])
    best = torch.optim.AdamW(whole.parameters(), lr=RATE, weight_decay=0.01)
    steps = epochs * math.ceil(len(rows) / SIZE)
    pace = torch.optim.lr_scheduler.LambdaLR(best, lambda done: min(1, done / WARM) * max(0.02, 1 - done / steps))
    wanted, drop = torch.tensor([label for _, label in rows]), nn.Dropout(DROPPED)

    def loss(drawn: Any) -> Tensor:
        x, there, mean = encoder.states([rows[n][0] for n in drawn])
        largest = x.masked_fill(~there[..., None], -1e4).amax(1)
        scores = head(drop(torch.cat([x[:, 0], mean, largest], 1)))
        return nn.functional.cross_entropy(scores, wanted[drawn], label_smoothing=SURE)

    batches = shuffled(len(rows), SIZE, map(np.random.default_rng, range(epochs)))
    descend(best, batches, loss, pace, clipped=True)
    learned = low_of(encoder.upper) | {"head": head.weight, "bias": head.bias}
    return {name: row.detach().numpy().astype(np.float16) for name, row in learned.items()}
