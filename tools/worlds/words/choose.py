"""From a clause's readings to admissible actions: scores, and which of several that fit alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tools.worlds.words.fits import Fits, whole
from tools.worlds.words.frames import Frame, Intent
from tools.worlds.words.mentions import Mention
from tools.worlds.words.readings import Reading
from tools.worlds.words.surroundings import Act

GOOD = 0.5
"""Below this no action is meant."""
TIE = 0.03
"""Scores so near to each other say nothing about which was meant."""
OPEN_ROLE = 0.97
OPEN_OBJECT = 0.8
OPEN = {"target": 0.8}
"""What a role costs that the person left open."""


@dataclass(frozen=True)
class Candidate:
    """An action with how well it fits, and what fills its roles."""

    act: Act
    score: float
    roles: dict[str, str] = field(hash=False, default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """What became of one thing to be done: actions, or those between which the person has to choose."""

    actions: tuple[str, ...] = ()
    between: tuple[Candidate, ...] = ()
    role: str = ""
    """The role in which the candidates differ."""


class Chooser(Fits):
    """Matches readings with one world at one moment."""

    def candidates(self, reading: Reading, which: int = 0) -> list[Candidate]:
        """Every admissible action that fits the reading at all."""
        roles = reading.roles(which)
        self._connecting = reading.intent.name == "connect" and len(roles) > 1
        self._by_contents = self._wide or reading.intent.name in ("pour", "dunk", "measure", "mix")
        found = []
        for frame in reading.intent.frames:
            if (frame.only_without and frame.only_without in roles) or (frame.needs and frame.needs not in roles):
                continue
            asked = self._asked(frame, roles)
            for act in self.here.acts(frame.verb):
                if len(act.args) == len(frame.roles):
                    filled = dict(zip(frame.roles, act.args, strict=True))
                    if act.verb == "teleport to" and act.args[0] == self.here.place:
                        continue
                    if reading.intent.name == "mix" and any(" with " in what.said for what in reading.direct):
                        continue  # two things that are not yet in one vessel
                    score = self._score(reading.intent, frame, asked, filled)
                    if reading.intent.name == "mix" and act.args[0] == self.poured:
                        score -= 0.1
                    if reading.intent.name == "read" and act.args[0] == self.here.place:
                        score -= 0.1
                    if score >= GOOD:
                        found.append(Candidate(act, score, filled))
        return found

    def _asked(self, frame: Frame, roles: dict[str, Mention]) -> dict[str, Mention]:
        """A role that the frame lacks describes the thing itself: `pick up the orange from the bowl`."""
        asked = {role: what for role, what in roles.items() if role in frame.roles}
        extra = [what for role, what in roles.items() if role not in frame.roles and role in ("place", "from")]
        if extra and "object" in asked and not asked["object"].pronoun:
            words = tuple(
                word for what in extra for word in (*what.words, *([str(what.number)] if what.number else []))
            )
            asked["object"] = replace(asked["object"], rest=asked["object"].rest + words)
        return asked

    def _score(self, intent: Intent, frame: Frame, asked: dict[str, Mention], filled: dict[str, str]) -> float:
        score = 1.0 - frame.penalty
        if frame.verb == "move" and self.here.world == "scienceworld" and not set(frame.roles) <= asked.keys():
            return 0.0  # nearly everything can be moved there, so that both have to be said
        if frame.verb in ("take", "pick up") and "object" not in asked:
            return 0.0
        if frame.verb in ("pour", "dunk") and "object" not in asked:
            return 0.0
        if frame.verb in ("pour", "connect") and len(set(filled.values())) == 1:
            return 0.0
        for role, arg in filled.items():
            if role not in asked:
                score *= OPEN.get(role, OPEN_ROLE) if role != frame.roles[0] else OPEN_OBJECT
                continue
            strict = role == "place" or (
                role == intent.direct and (frame.verb == "take" or intent.name != "take") and has_places(intent)
            )
            score *= self.fit(asked[role], arg, strict)
            if score < GOOD:
                return 0.0
        return score

    # -- choosing

    def choose(self, ways: Sequence[Reading]) -> Choice:
        """The best of all readings; a choice without anything where none fits."""
        several = [way for way in ways if len(way.direct) > 1 and way.intent.name != "mix"]
        for way in several:
            choices = [self._settle(self.candidates(way, i), [way], i) for i in range(len(way.direct))]
            if all(choice.actions for choice in choices):
                return Choice(tuple(dict.fromkeys(a for choice in choices for a in choice.actions)))
            unclear = next((c for c in choices if c.between), None)
            if unclear and all(c.actions or c.between for c in choices):
                return unclear
        single = [way for way in ways if len(way.direct) <= 1]
        pooled = [(candidate, way) for way in single for candidate in self.candidates(way)]
        if not pooled and (lone := self._only(single)):
            return Choice((lone,))
        if not pooled:
            self._wide = True
            pooled = [
                (candidate, way) for way in single if way.intent.name == "put" for candidate in self.candidates(way)
            ]
            self._wide = False
        if not pooled:
            single = [way for way in map(_container, single) if way]
            pooled = [(candidate, way) for way in single for candidate in self.candidates(way)]
        if not pooled:
            return self._nth([way for way in ways if len(way.direct) <= 1])
        best = max(candidate.score for candidate, _ in pooled)
        near = [(candidate, way) for candidate, way in pooled if candidate.score >= best - TIE]
        return self._settle([c for c, _ in near], [w for _, w in near], 0)

    def _only(self, ways: Sequence[Reading]) -> str:
        """`shut it` where one thing alone can be shut; empty where that is not so."""
        for way in ways:
            if way.direct and way.direct[0].pronoun and not way.direct[0].base and not way.direct[0].other:
                found = self.candidates(replace(way, direct=()))
                if len({c.act.args[:1] for c in found}) == 1:
                    return found[0].act.text
                takes = self.here.acts("take") if way.intent.name == "take" and not way.others else ()
                if len(takes) == 1 and not self.here.holding:
                    return takes[0].text
        return ""

    def _nth(self, ways: Sequence[Reading]) -> Choice:
        """`the second mug` where there is no mug 2: the second of those that are here."""
        for way in ways:
            if way.direct and way.direct[0].nth and way.direct[0].number:
                free = replace(way, direct=(replace(way.direct[0], number=None, nth=False),))
                found = _in_order(_best_of(self.candidates(free)))
                if len(found) > 1 and way.direct[0].number <= len(found):
                    return Choice((found[way.direct[0].number - 1].act.text,))
        return Choice()

    def _settle(self, found: list[Candidate], ways: Sequence[Reading], which: int) -> Choice:
        """One action of those that fit best, all of them where all are meant, else the tie."""
        near = list({c.act.text: c for c in _best_of(found)}.values())
        if len(near) <= 1:
            return Choice(tuple(c.act.text for c in near))
        top = max(near, key=lambda c: c.score)
        way = ways[0] if len(ways) == 1 else ways[min(found.index(top), len(ways) - 1)]
        roles = way.roles(which)
        near = [c for c in near if c.act.verb == top.act.verb]
        near = _exact(near, roles)
        near = [c for c in near if not any(map(self.here.hidden, c.act.args))] or near
        for role in top.roles:
            near = self._narrow(near, role, roles.get(role))
        near = _rooms(near)
        near = (
            near
            if top.act.verb != "mix"
            else [c for c in near if all(o.act.args[0].endswith(c.act.args[0]) for o in near)] or near
        )
        if len(near) == 1:
            return Choice((near[0].act.text,))
        if top.act.verb == "connect" and len({tuple(map(whole, c.act.args)) for c in near}) == 1:
            return Choice((_in_order(near)[0].act.text,))
        for role, what in roles.items():
            if what.every and role in top.roles:
                return Choice(tuple(c.act.text for c in self._one_each(_in_order(near), role)))
            if what.count and what.count == len({c.roles.get(role) for c in near}):
                return Choice(tuple(c.act.text for c in self._one_each(_in_order(near), role)))
            if what.any and role in top.roles:
                return Choice((_in_order(near)[0].act.text,))
            if what.last and role in top.roles:
                return Choice((_in_order(near)[-1].act.text,))
            if what.nth and what.number and what.number <= len(near):
                return Choice((_in_order(near)[what.number - 1].act.text,))
        differ = next((r for r in top.roles if len({c.roles.get(r) for c in near}) > 1), "")
        return Choice(between=tuple(_in_order(near)), role=differ)

    def _narrow(self, near: list[Candidate], role: str, what: Mention | None) -> list[Candidate]:
        """Where only this role differs, its filler may be told by where the agent stands."""
        others = {tuple(arg for r, arg in c.roles.items() if r != role) for c in near}
        if len(near) == 1 or len(others) > 1 or (what and (what.every or what.other or what.any or what.last)):
            return near
        if what and what.that:
            spoken = next((text for text in self.antecedents if any(c.roles.get(role) == text for c in near)), "")
            near = [c for c in near if c.roles.get(role) == spoken] or near
        here = [c for c in near if c.roles.get(role) == self.here.place]
        if len(here) == 1 and (role == "place" or what is not None) and not (what and what.nth):
            return here
        source = near[0].act.verb == "take" and role == "place"
        return near[:1] if source or (role == "tool" and what is None) else near

    def _one_each(self, near: list[Candidate], role: str) -> list[Candidate]:
        kept: dict[str, Candidate] = {}
        for candidate in near:
            arg = candidate.roles.get(role, "")
            if arg not in kept or (
                self.here.place in candidate.roles.values() and self.here.place not in kept[arg].roles.values()
            ):
                kept[arg] = candidate
        return list(kept.values())


def _container(way: Reading) -> Reading | None:
    """`pour the water from the jug` where only the jug can be poured."""
    if way.intent.name != "pour" or not way.others or not way.direct or not way.direct[0].rest:
        return None
    return replace(way, direct=(replace(way.direct[0], base=way.direct[0].rest, rest=(), where=()),))


def _exact(near: list[Candidate], roles: dict[str, Mention]) -> list[Candidate]:
    """What is called just as was said goes before a longer name: `red paint`, `red paint in cup`."""
    for role, what in roles.items():
        same = [c for c in near if c.roles.get(role, "") == " ".join(what.base)]
        near = same if same and not what.every and not what.other else near
    return near


def _rooms(near: list[Candidate]) -> list[Candidate]:
    """To go to a room and to go to its door are one wish."""
    rooms = {arg for c in near for arg in c.act.args} if all(c.act.verb == "go to" for c in near) else set()
    doors = {door for room in rooms for door in (f"door to {room}", f"{room} door")}
    return [c for c in near if c.act.args[0] not in doors] if rooms else near


def has_places(intent: Intent) -> bool:
    """Words behind a preposition fill a role of their own; then they must not be passed over."""
    return any(role != intent.direct for role in intent.prepositions.values())


def _best_of(found: Sequence[Candidate]) -> list[Candidate]:
    best = max((c.score for c in found), default=0.0)
    return [c for c in found if c.score >= best - TIE]


def _in_order(near: Sequence[Candidate]) -> list[Candidate]:
    """Numbers as numbers: drawer 2 before drawer 10."""
    return sorted(near, key=lambda candidate: in_order(candidate.act.text))


def in_order(text: str) -> list[tuple[int, str]]:
    """A key for sorting by numbers."""
    return [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", text)]
