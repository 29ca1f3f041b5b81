"""From a clause's readings to admissible actions: scores, ties, and what a pronoun stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tools.worlds.words.frames import Frame, Intent
from tools.worlds.words.mentions import Mention, Name, match
from tools.worlds.words.readings import Reading
from tools.worlds.words.surroundings import Act, Surroundings

TERMINAL = re.compile(r"(?:(?:anode|cathode|terminal \d) in (.+)|(.+) (?:anode|cathode|terminal \d))")
GOOD = 0.5
"""Below this no action is meant."""
TIE = 0.03
"""Scores so near to each other say nothing about which was meant."""
CALLED = {"big": "large", "huge": "large", "little": "small", "tiny": "small"}
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


class Chooser:
    """Matches readings with one world at one moment."""

    def __init__(self, here: Surroundings, recent: Sequence[str]) -> None:
        self.here = here
        self._fits: dict[tuple[Mention, str, tuple[bool, bool]], float] = {}
        self._by_contents = self._wide = self._connecting = False
        self._best: dict[Mention, float] = {}
        self.antecedents = tuple(self._antecedents(recent))
        last = here.parse(recent[-1]) if recent else None
        self.poured = last.args[0] if last and last.verb in ("move", "pour") and len(last.args) > 1 else ""

    def _antecedents(self, recent: Sequence[str]) -> Iterable[str]:
        """What a pronoun may stand for, the likeliest first."""
        seen = [arg for action in reversed(recent[-6:]) for arg in self.here.parse(action).args]
        place = [self.here.place] if self.here.place else []
        told = [*seen, *self.here.told, *self.here.holding, *place]
        self._alike = frozenset(self.here.holding) - {*seen, *self.here.told}
        return dict.fromkeys(text for arg in told for text in (arg, *_behind(arg)))

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

    def fit(self, what: Mention, arg: str, strict: bool = False) -> float:
        """0 to 1; 0 also where something else that is known here fits clearly better."""
        key = (what, arg, (self._by_contents, self._connecting))
        if key not in self._fits:
            self._fits[key] = self._fit(what, self.here.name(arg))
        found = self._fits[key]
        if found and strict and what.where and not self._rest_fits(what, arg):
            return 0.0
        return found

    def _rest_fits(self, what: Mention, arg: str) -> bool:
        name = self.here.name(arg)
        return set(what.where) <= set(self.here.room.split()) | name.rest | set(name.base) | set(what.base)

    def _fit(self, what: Mention, thing: Name) -> float:
        if what.held and thing.text not in self.here.holding:
            return 0.0
        if what.other and thing.text in self.antecedents[:3] and not what.pronoun:
            return 0.0
        if what.pronoun:
            return self._stands_for(what, thing)
        if what.next and not self._follows(thing):
            return 0.0
        found = match(what, thing)
        if not found:
            return self._door(what, thing) or (self._connecting and 0.9 * self._terminal(what, thing))
        if what not in self._best:
            self._best[what] = max((match(what, name) for name in self.here.names), default=0.0)
        inside = self._by_contents and bool(what.base) and set(what.base) <= thing.contents
        return found if found >= self._best[what] - 0.1 or inside else 0.0

    def _follows(self, thing: Name) -> bool:
        """The next drawer is the one after that where the agent stands, or that was used last."""
        before = (self.here.name(text) for text in (self.here.place, *self.antecedents) if text)
        origin = next((name for name in before if name.base == thing.base and name.number is not None), None)
        return origin is None or thing.number == (origin.number or 0) + 1

    def _door(self, what: Mention, thing: Name) -> float:
        """`open the door` of what has one, where nothing is called a door."""
        if what.base not in (("door",), ("lid",)) or any(name.base[-1:] == ("door",) for name in self.here.names):
            return 0.0
        return 0.75 * any(f"{verb} {thing.text}" in self.here.admissible for verb in ("open", "close"))

    def _terminal(self, what: Mention, thing: Name) -> float:
        """`connect the battery to the red wire`: to one of its ends."""
        return match(what, self.here.name(whole)) if (whole := _whole(thing.text)) and not what.pronoun else 0.0

    def _stands_for(self, what: Mention, thing: Name) -> float:
        """`it` is what was acted on last; `the other one`, `the red one`, `number 2` are of its kind."""
        if what.number is None and not what.base and not what.other and not what.last and not what.every:
            if thing.text not in self.antecedents:
                return 0.0
            alike = thing.text in self._alike
            rank = next(
                i for i, text in enumerate(self.antecedents) if text == thing.text or (alike and text in self._alike)
            )
            return 0.96 - 0.04 * min(rank, 8)
        if what.every and not what.base:
            return 0.9
        told = {CALLED.get(word, word) for word in what.base}
        for rank, text in enumerate(self.antecedents):
            kind = self.here.name(text)
            if what.other and thing.text == text:
                continue
            if not told <= {*thing.base, *thing.rest, *(word for alias in thing.aliases for word in alias)}:
                continue
            asked = replace(what, base=(*what.base, *kind.base[-1:]) if what.base else kind.base, pronoun=False)
            if found := match(asked, thing):
                return found - 0.04 * min(rank, 8)
        if not self.antecedents and not what.base and (what.base or what.number is not None) and not what.other:
            asked = replace(what, base=what.base or thing.base, pronoun=False)
            return 0.85 * bool(
                set(what.base) <= set(thing.base) | thing.rest and match(replace(asked, base=thing.base), thing)
            )
        return 0.85 * bool(
            told
            and not what.other
            and told <= {*thing.base, *thing.rest, *(word for alias in thing.aliases for word in alias)}
        )

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
        if top.act.verb == "connect" and len({tuple(map(_whole, c.act.args)) for c in near}) == 1:
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


def _whole(text: str) -> str:
    """What a terminal belongs to: `anode in battery`, `red wire terminal 1`; the empty text for anything else."""
    found = TERMINAL.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def _container(way: Reading) -> Reading | None:
    """`pour the water from the jug` where only the jug can be poured."""
    if way.intent.name != "pour" or not way.others or not way.direct or not way.direct[0].rest:
        return None
    return replace(way, direct=(replace(way.direct[0], base=way.direct[0].rest, rest=(), where=()),))


def _behind(text: str) -> list[str]:
    """The room that a door leads to: who opened the door goes into that."""
    return [text[8:]] if text.startswith("door to ") else [text[:-5]] if text.endswith(" door") else []


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
