"""Worked examples that are nearest in meaning to a request (few-shot by retrieval, Liu et al. 2022).

They are data: a file of exchanges under prompts/, to which anybody can add, in any language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from prompts import examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]

Example = tuple[str, str]
"""What was asked, and what was answered to it."""


class Nearest:
    """One file of examples; for all conversations."""

    def __init__(self, name: str, embed: Embed) -> None:
        """`embed`: texts to unit rows, shape (n, width)."""
        self._name, self._embed = name, embed

    def of(self, asked: str, number: int) -> list[Example]:
        """The nearest of them, the nearest last: beside the request it counts most. Reads the file at its first use."""
        all_, rows = self._read
        likeness = rows @ self._embed([asked])[0]
        return [all_[n] for n in np.argsort(likeness, kind="stable")[-number:]]

    @cached_property
    def _read(self) -> tuple[list[Example], NDArray[np.float32]]:
        all_ = examples(self._name)
        return all_, self._embed([asked for asked, _ in all_])
