"""What a person calls a thing against what the world calls it: how well a mention fits each name here and now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tools.worlds.words.mentions import Mention, Name, match
from tools.worlds.words.surroundings import Surroundings

TERMINAL = re.compile(r"(?:(?:anode|cathode|terminal \d) in (.+)|(.+) (?:anode|cathode|terminal \d))")
CALLED = {"big": "large", "huge": "large", "little": "small", "tiny": "small"}


class Fits:
    """Mentions and names in one world at one moment; what a pronoun stands for."""

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
        return match(what, self.here.name(end)) if (end := whole(thing.text)) and not what.pronoun else 0.0

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


def whole(text: str) -> str:
    """What a terminal belongs to: `anode in battery`, `red wire terminal 1`; the empty text for anything else."""
    found = TERMINAL.fullmatch(text)
    return (found[1] or found[2]) if found else ""


def _behind(text: str) -> list[str]:
    """The room that a door leads to: who opened the door goes into that."""
    return [text[8:]] if text.startswith("door to ") else [text[:-5]] if text.endswith(" door") else []
