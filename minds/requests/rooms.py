"""The homes that household games are played in: which of them a description fits.

A game is a household task in one home. What stands there has names of its own (the shelf of one bathroom is "the
radiator cover", the cabinet of one kitchen is green), so a home that fits speaks for the tasks that can be done in it.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.requests.loglinear import Floats, LogLinear
from minds.requests.words import Ints, room_grams

SIZE = 1 << 11
"""Buckets of the hashed features."""


@dataclass(frozen=True)
class Rooms:
    """What the fitted games add to their tasks; G games of the first K tasks."""

    model: LogLinear
    """Choices: games; their labels: the home, and the place in it."""
    tasks: Ints
    """The task of each game by its number, shape (G,)."""
    homes: Ints
    """The home of each game (AI2-THOR's number of its floor plan), shape (G,)."""

    def gained(self, said: str, vector: Floats, here: list[bool | Collection[int]]) -> Floats:
        """Log-odds that each task gains by its games, shape (len(here),); -inf for a task that is not here.

        here: for each task whether it can be opened, or the homes in which it can. A task that can, though it was
        fitted on no game there, gains as much as the middle one of the others.
        """
        fits = self.model.scores(room_buckets(said), vector)
        most = fits.max(initial=0)
        open_ = [_within(home, here[task]) for task, home in zip(self.tasks.tolist(), self.homes.tolist(), strict=True)]
        raised = np.zeros(len(here))
        np.add.at(raised, self.tasks, np.exp(fits - most) * np.array(open_, np.float64))
        known = raised > 0
        usual = np.log(np.median(raised[known])) + most if known.any() else 0.0
        gained = np.where(known, np.log(np.where(known, raised, 1)) + most, usual)
        possible = np.array([bool(homes) for homes in here], bool)
        return np.where(possible, gained, -np.inf).astype(np.float32)

    def packed(self) -> dict[str, NDArray[Any]]:
        """Tensors to store."""
        games = np.stack([self.tasks, self.homes], 1).astype(np.int16)
        return {**self.model.packed("rooms"), "rooms_games": games}

    @classmethod
    def unpacked(cls, stored: dict[str, NDArray[Any]]) -> Rooms:
        """What `packed` stored."""
        games = stored["rooms_games"].astype(np.int64)
        return cls(LogLinear.unpacked(stored, "rooms"), games[:, 0], games[:, 1])


def _within(home: int, homes: bool | Collection[int]) -> bool:
    return homes if isinstance(homes, bool) else home in homes


def room_buckets(said: str) -> Ints:
    """Which of the SIZE features are on: their numbers, each once, ascending, shape (n,)."""
    return np.unique([zlib.crc32(gram.encode()) % SIZE for gram in room_grams(said)]).astype(np.int64)
