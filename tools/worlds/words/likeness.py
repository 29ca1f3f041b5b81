"""How much of a name is in a sentence, word by word, and whether another of its place has more of it."""

from __future__ import annotations

from collections import Counter

from tools.worlds.words.evidence import Features
from tools.worlds.words.mentions import same
from tools.worlds.words.surroundings import Act, Surroundings
from tools.worlds.words.text import parts, singular


class Likeness:
    """One sentence's words against the names of what is acted on; rare words count more than common ones."""

    def __init__(self, said: tuple[str, ...], here: Surroundings) -> None:
        self.here = here
        self.words = {part for word in said if word.isalpha() for part in (singular(word), *map(singular, parts(word)))}
        kinds = {_kind(name.text): {*name.base, *name.rest} for name in here.names}
        self.often = Counter(word for words in kinds.values() for word in words)
        self._shares: dict[str, tuple[float, float, bool]] = {}
        self._most: dict[tuple[str, int], tuple[float, str]] = {}

    def features(self, act: Act) -> Features:
        """Of one action."""
        found: Features = {}
        for place, arg in enumerate(act.args[:2]):
            key = f"arg{place}"
            weight, share, own = self._share(arg)
            if weight:
                best, kind = self._best(act.verb, place)
                found[key + " share"] = share
                found[key + " head"] = float(self._head(arg))
                found[key + " own word"] = float(own)
                found[key + " outdone"] = float(best > weight + 1e-6)
                found[key + " most"] = float(kind == _kind(arg))
            elif self.words & same(self.here.name(arg).base):
                found[key + " akin"] = 1.0
        if len(act.args) > 1 and all(self._share(arg)[0] for arg in act.args[:2]):
            found["both shared"] = 1.0
        return {name: value for name, value in found.items() if value}

    def _head(self, arg: str) -> bool:
        base = self.here.name(arg).base
        return bool(base) and base[-1] in self.words

    def _share(self, arg: str) -> tuple[float, float, bool]:
        """Weight of the words of a name that are said, their share of the name, and whether one is its alone."""
        if arg not in self._shares:
            name = self.here.name(arg)
            words = {*name.base, *name.rest}
            said = words & self.words
            weight = sum(self._weight(word) for word in said)
            own = any(self.often[word] == 1 for word in said)
            self._shares[arg] = (weight, weight / (sum(map(self._weight, words)) or 1.0), own)
        return self._shares[arg]

    def _weight(self, word: str) -> float:
        return 1.0 / max(1, self.often[word])

    def _best(self, verb: str, place: int) -> tuple[float, str]:
        """The greatest weight at a place of a verb, and which kind of thing has it, where it is one alone."""
        if (verb, place) not in self._most:
            kinds: dict[str, float] = {}
            for act in self.here.acts(verb):
                if len(act.args) > place:
                    kinds[_kind(act.args[place])] = self._share(act.args[place])[0]
            best = max(kinds.values(), default=0.0)
            tops = [kind for kind, weight in kinds.items() if weight >= best - 1e-6]
            self._most[verb, place] = (best, tops[0] if len(tops) == 1 else "")
        return self._most[verb, place]


def _kind(text: str) -> str:
    return " ".join(word for word in text.split() if not word.isdigit())
