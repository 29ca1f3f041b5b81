"""Readings of a sentence as candidates for the decision, and the signs by which they are weighed.

A candidate comes from the rules' verdict on the whole or on a run of its pieces, or from what the scorer finds
likeliest. Its signs say where it comes from and how likely each of its actions is by the words alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.worlds.words.evidence import Features
from tools.worlds.words.gist import Gist
from tools.worlds.words.spans import Span
from tools.worlds.words.surroundings import verb_of

Steps = tuple[str, ...]
NEVER = -14.0
"""The logarithm of a chance that is none."""
BEST = 6
"""Actions that the scorer may name."""


@dataclass(frozen=True)
class Verdict:
    """What the rules made of some words, for the decision; as JSON it is what the fit is shown."""

    kind: str
    """did, ask, no or none."""
    actions: Steps = ()
    """Done, asked about, or possible in place of what is not."""
    rest: Steps = ()
    already: bool = False
    absent: bool = False


@dataclass(frozen=True)
class Heard:
    """The verdicts on a sentence and on its pieces."""

    whole: Verdict
    pieces: tuple[tuple[Span, Verdict], ...] = ()
    remark: bool = False
    """By its form it says or asks how things are."""


@dataclass
class Candidate:
    """A reading: actions (none: to do nothing) with its signs, and later clauses that have to wait."""

    steps: Steps
    signs: Features = field(default_factory=dict)
    rest: Steps = ()


def candidates(said: Heard, likely: Mapping[str, float], world: str, about: Gist | None = None) -> list[Candidate]:
    """Every reading with its signs; to do nothing is the first. `about`: none where there is no encoder."""
    found: dict[Steps, Candidate] = {(): Candidate(())}
    _of_the_whole(said.whole, likely, found)
    for span, piece in said.pieces:
        _of_a_piece(span, piece, likely, found)
    for action in sorted(likely, key=lambda action: -likely[action])[:BEST]:
        if action and likely[action] > -7:
            _add(found, (action,), {"top": 1.0})
    shared = _shared(said, world)
    for candidate in found.values():
        _signs(candidate, said, likely, shared)
        if about:
            candidate.signs |= _gist(candidate.steps, about)
    return list(found.values())


def _add(found: dict[Steps, Candidate], steps: Sequence[str], signs: Features, rest: Steps = ()) -> Candidate:
    key = tuple(dict.fromkeys(steps))
    candidate = found.setdefault(key, Candidate(key, rest=rest))
    for name, value in signs.items():
        candidate.signs[name] = max(candidate.signs.get(name, 0.0), value)
    return candidate


def _of_the_whole(whole: Verdict, likely: Mapping[str, float], found: dict[Steps, Candidate]) -> None:
    if whole.kind == "did":
        _add(found, whole.actions, {"did": 1.0, "did, rest": float(bool(whole.rest))}, whole.rest)
        return
    floor, signs = (-7, {"asked": 1.0, "asked, of few": 1 / max(1, len(whole.actions))})
    if whole.kind == "no":
        floor, signs = (-9, {"possible": 1.0})
    for action in whole.actions:
        if likely.get(action, -99.0) > floor:
            _add(found, (action,), signs)


def _of_a_piece(span: Span, piece: Verdict, likely: Mapping[str, float], found: dict[Steps, Candidate]) -> None:
    if piece.kind == "did":
        signs = {
            "piece did": 1.0,
            "piece long": (span.last - span.first + 1) / span.count,
            "piece last": float(span.last == span.count - 1),
            "piece first": float(span.first == 0),
            "piece single": float(span.first == span.last),
            "piece, rest": float(bool(piece.rest)),
        }
        candidate = _add(found, piece.actions, signs, piece.rest)
        candidate.signs["pieces"] = candidate.signs.get("pieces", 0.0) + 1
        return
    floor, name = (-5, "piece asked") if piece.kind == "ask" else (-6, "piece possible")
    for action in piece.actions:
        if likely.get(action, -99.0) > floor:
            _add(found, (action,), {name: 1.0})


def _shared(said: Heard, world: str) -> Features:
    count = max(1, len(said.pieces))
    whole = said.whole
    kind = whole.kind + ("+" if whole.already else "") + ("?" if whole.absent else "")
    return {
        f"whole {kind}": 1.0,
        "bias": 1.0,
        "laboratory": float(world == "scienceworld"),
        "remark": float(said.remark),
        "pieces did": sum(piece.kind == "did" for _, piece in said.pieces) / count,
        "pieces count": min(max((span.count for span, _ in said.pieces), default=1), 5) / 5,
    }


def _signs(candidate: Candidate, said: Heard, likely: Mapping[str, float], shared: Features) -> None:
    kind = "act" if candidate.steps else "nothing"
    candidate.signs |= {f"{kind}: {name}": value for name, value in shared.items()}
    candidate.signs |= _acting(candidate, said, likely) if candidate.steps else _idle(said, likely)


def _gist(steps: Steps, about: Gist) -> Features:
    kind = "act" if steps else "nothing"
    found = {f"{kind}: asked": max(-5.0, min(5.0, about.asked)) / 2, f"{kind}: hardly asked": float(about.asked < 0)}
    if steps:
        each = about.of([verb_of(step) for step in steps])
        best = max(about.verbs.values())
        found |= {"verb heard": max(each) / 2, "verb least": min(each) / 2, "verb beaten": (best - max(each)) / 2}
    return found


def _idle(said: Heard, likely: Mapping[str, float]) -> Features:
    ranked = sorted((chance for action, chance in likely.items() if action), reverse=True)
    none, whole, count = likely.get("", -20.0), said.whole, max(1, len(said.pieces))
    return {
        "idle chance": max(none, -12) / 4,
        "idle margin": max(-10, min(10, none - (ranked[0] if ranked else -20.0))) / 4,
        "idle gap": min(6, ranked[0] - ranked[1]) / 4 if len(ranked) > 1 else 1.5,
        "idle options": min(8, len(whole.actions)) / 8 if whole.kind == "ask" else 0.0,
        "idle pieces asked": sum(piece.kind == "ask" for _, piece in said.pieces) / count,
        "idle asked of none": float(whole.kind == "ask" and not whole.actions),
    }


def _acting(candidate: Candidate, said: Heard, likely: Mapping[str, float]) -> Features:
    steps, old, whole = candidate.steps, candidate.signs, said.whole
    each = [max(likely.get(action, NEVER), NEVER) for action in steps]
    mass = math.log(sum(math.exp(chance) for chance in each) + 1e-9)
    others = max((c for action, c in likely.items() if action not in steps), default=NEVER)
    rivals = max((c for action, c in likely.items() if action and action not in steps), default=NEVER)
    low, several = min(each) / 4, float(len(steps) > 1)
    before = sum(chance > each[0] for chance in likely.values())
    found = {
        "mass": max(mass, -12) / 4,
        "least": low,
        "first": each[0] / 4,
        "margin": max(-10, min(10, mass - others)) / 4,
        "act margin": max(-10, min(10, mass - rivals)) / 4,
        "best": float(before == 0),
        "second": float(before <= 1),
        "several": several,
        "many": float(len(steps) > 2),
        "several, least": several * low,
        "pieces": old.get("pieces", 0.0) / max(1, len(said.pieces)),
    }
    size = min(max((span.count for span, _ in said.pieces), default=1), 5) / 5
    if "did" in old:
        found |= {"did, least": low, "did, several": several, "did, count": size, "did, best": found["best"]}
    if "asked" in old:
        found |= {"asked, least": low, "asked, margin": found["act margin"]}
    if "piece did" in old:
        found |= {"piece, least": low, "piece, several": several}
        found |= {"piece, whole refused": float(whole.kind in ("no", "none")), "piece, other": float("did" not in old)}
    if "did" not in old and "piece did" not in old:
        found |= {"words alone": 1.0, "words alone, least": low, "words alone, against": float(whole.kind == "did")}
    done = set(whole.actions) if whole.kind == "did" else set()
    found |= {"within": float(bool(done) and set(steps) < done), "beyond": float(bool(done) and set(steps) > done)}
    return found
