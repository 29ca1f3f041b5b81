"""SayCan (Ahn et al. 2022, as SwiftSage 2.3 and 4.2 adapt it): the model ranks candidates, a value function re-ranks.

A model that can weigh gives the log-probability of each possible action as its next line; another one is asked for its
five best actions in order. The value of a possible action is its likeness (sentence vectors) to the five, each weighed
by what the model gave it; the best is taken.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from rapidfuzz import fuzz, process

from minds.dialogue import Episode, Move, in_world
from minds.models.language import Usage
from minds.strategies.lines import MARK, bare, lines_of, thought_of
from minds.strategies.nearest import answer, space_of, taken, valid
from minds.strategies.transcript import room_for
from minds.strategies.world_react import WorldAct
from prompts import render

if TYPE_CHECKING:
    from memory.embedder import Embedder

BEST = 5
"""Generations that the value function looks at (SwiftSage 4.2)."""
LIST_TOKENS = 120
NEAR = 20
"""Possible actions near in letters to each of them, whose likeness in meaning is reckoned."""
SHARP = 8.0
"""How much likeness counts: a cosine of 0.9 is worth half of the same action."""


class SayCan(WorldAct):
    """One episode's strategy."""

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault, WorldFault."""
        usage = Usage()
        await self._hear(episode)
        space = await asyncio.to_thread(space_of, self._world)
        options = space.admissible
        ranked = await self._ranked(episode, options, usage)
        best = max(ranked, key=lambda one: ranked[one], default="")
        told = f"Candidates: {'; '.join(f'{one} {odds:.0%}' for one, odds in ranked.items())}." if ranked else ""
        if not options or not ranked or answer(best, episode.steps):
            return taken(told, best, space, episode.steps).paid(usage)
        values = await asyncio.to_thread(values_of, ranked, options)
        action = max(values, key=lambda one: values[one])
        wrote = None if best in options or valid(best, space) else best
        return in_world(told, action, wrote=wrote).paid(usage)

    async def _ranked(self, episode: Episode, options: Sequence[str], usage: Usage) -> dict[str, float]:
        """The best generations, with how likely each is, the likeliest first; none where nothing can be read."""
        model, system = self._bench.model, await self.system()
        now = self._transcript.text(room_for(model, system), [*episode.task.steering, episode.notice])
        if options and model.abilities.prefix and model.abilities.logprobs:
            asked: list[BaseMessage] = [SystemMessage(system), HumanMessage(now)]
            weighed = await model.weigh(asked, f"{MARK} ", [f"{one}\n" for one in options], usage)
            return _share({one.rstrip("\n"): odds for one, odds in weighed.items()})
        asked = [SystemMessage(system), HumanMessage(f"{now}\n\n{render('strategies/saycan', count=str(BEST))}")]
        written = await self._bench.said(asked, usage, max_tokens=LIST_TOKENS)
        listed = dict.fromkeys(bare(line) for line in lines_of(written) if thought_of(line) is None)
        return _share({one: -math.log(n) for n, one in enumerate([*listed][:BEST], 1)})

    @property
    def _form(self) -> str:
        return "lines"  # candidates are lines, whatever the model could be held to


def _share(odds: Mapping[str, float]) -> dict[str, float]:
    """The best, their odds (natural logarithms) as shares of one."""
    best = sorted(odds, key=lambda one: odds[one], reverse=True)[:BEST]
    weights = {one: math.exp(odds[one] - odds[best[0]]) for one in best}
    return {one: weight / sum(weights.values()) for one, weight in weights.items()}


def values_of(ranked: Mapping[str, float], options: Sequence[str]) -> dict[str, float]:
    """Possible action -> its likeness to what the model would do. Only those near in letters are looked at."""
    near = [found[0] for one in ranked for found in process.extract(one, options, scorer=fuzz.ratio, limit=NEAR)]
    candidates = list(dict.fromkeys(near))
    vectors = embedder().embed([*ranked, *candidates])
    likeness = vectors[len(ranked) :] @ vectors[: len(ranked)].T
    values = np.exp(SHARP * (likeness.astype(float) - 1)) @ np.array([*ranked.values()])
    return dict(zip(candidates, values.tolist(), strict=True))


@lru_cache(maxsize=1)
def embedder() -> Embedder:
    """Kept between steps: most actions of a state were possible in the one before."""
    from memory.embedder import Embedder

    return Embedder()
