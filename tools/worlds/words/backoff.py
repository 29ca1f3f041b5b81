"""Where the rules find no action in a talkative sentence: every admissible action is scored by the words there are.

A choice model (conditional logit): each action with each verb phrase that may mean it has features, to do nothing has
features of the sentence; the weights were fitted to the development sentences (`backoff_fit`).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.worlds.words.alone import ALONE
from tools.worlds.words.evidence import Features, View
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Act, Surroundings


@dataclass(frozen=True)
class Scored:
    """An action (empty: to do nothing) by the features of one way to find it in the sentence."""

    action: str
    features: Features
    act: Act | None = None


@dataclass(frozen=True)
class Found:
    """The likeliest action, how likely it is that it is meant, and others that are just as likely."""

    action: str = ""
    chance: float = 0.0
    ties: tuple[str, ...] = ()


@cache
def fitted() -> Features:
    """The weights that `backoff_fit` wrote."""
    table: Features = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return table


def find(says: str, here: Surroundings, weights: Features | None = None) -> Found:
    """The likeliest of all; `action` is empty where to do nothing is."""
    weights = fitted() if weights is None else weights
    scored = options(says, here)
    raised = [sum(weights.get(name, 0.0) * value for name, value in one.features.items()) for one in scored]
    top = max(raised)
    chances: dict[str, float] = {}
    for one, value in zip(scored, raised, strict=True):
        chances[one.action] = chances.get(one.action, 0.0) + math.exp(value - top)
    total = sum(chances.values())
    best = max(chances, key=lambda action: chances[action])
    same = tuple(a for a, chance in chances.items() if a and a != best and chance > 0.97 * chances[best])
    return Found(best, chances[best] / total, same)


def options(says: str, here: Surroundings) -> list[Scored]:
    """Each action that anything is said of, once for each verb phrase that may mean it; to do nothing comes first."""
    sentence = heard(says, here)
    view = View(sentence, here)
    found = [Scored("", view.nothing())]
    for key, start, size in sentence.alone:
        action = next((action for action in ALONE[key][0] if action in here.admissible), "")
        if action:
            found.append(Scored(action, view.alone(key, start, size)))
    for verb in here.verbs:
        acts = [act for act in here.acts(verb) if act.args and view.speaks_of(act)]
        ways = view.ways(verb)
        for act in acts:
            if not view.forbidden(act):
                allowed = [(f, c) for f, c in ways if c is None or not view.negated(c.start)]
                found += [Scored(act.text, view.features(act, frame, cue), act) for frame, cue in allowed]
    return _lonely(found)


def _lonely(found: list[Scored]) -> list[Scored]:
    """Marks what has another beside it that differs in nothing but its number."""
    seen: dict[tuple[object, ...], set[str]] = {}
    for one in found:
        if one.act:
            seen.setdefault(_kind(one), set()).add(one.action)
    for one in found:
        if one.act and len(seen[_kind(one)]) > 1:
            one.features["tie"] = 1.0
    return found


def _kind(one: Scored) -> tuple[object, ...]:
    return one.act.verb if one.act else "", tuple(sorted(one.features.items()))
