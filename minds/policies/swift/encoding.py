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
