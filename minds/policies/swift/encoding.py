"""A step's features under the network's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    ids: list[int] = []
    token: list[int] = []
    kind: list[int] = []
    get = known.features.get
    for index, one in enumerate(now.tokens):
        for feature in one.base:
            if (number := get(feature)) is not None:
                ids.append(number)
                token.append(index)
                kind.append(BASE)
        sort = GOAL if index == 0 else ASKED if one.mentioned else NAME
        for feature in one.names:
            if (number := get(feature)) is not None:
                ids.append(number)
                token.append(index)
                kind.append(sort)
    return np.array(ids, np.int32), np.array(token, np.int16), np.array(kind, np.int8)
