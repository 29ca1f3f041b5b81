"""What memory/turns.py computes, in torch, in batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from memory.bert import WIDTH
from memory.turns import Tokens
from minds.training.minilm import Tensor, padded


class TurnNet(nn.Module):  # type: ignore[misc]
    """What a turn is, read alone: one of so many classes."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.4)
        self.add_module("in", nn.Linear(2 * WIDTH, 24))
        self.out = nn.Linear(48 + WIDTH, classes)

    def forward(self, some: Sequence[Tokens]) -> Tensor:
        x, there = padded([torch.from_numpy(np.concatenate([t.states, t.plain], 1)[1:-1]) for t in some])
        mask = there[..., None].float()
        each = torch.relu(self.get_submodule("in")(self.drop(x))) * mask
        whole = torch.from_numpy(np.stack([t.whole for t in some]))
        out: Tensor = self.out(self.drop(torch.cat([each.amax(1), each.sum(1) / mask.sum(1), whole], 1)))
        return out
