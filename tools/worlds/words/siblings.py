"""What tells an action from others of its kind: numbers, letters, `the highest`, `any`, what was used before."""

from __future__ import annotations

from collections.abc import Sequence

from tools.worlds.words.evidence import Features, View
from tools.worlds.words.nouns import ORDINALS, words
from tools.worlds.words.surroundings import Act
from tools.worlds.words.text import number

HIGH = words("highest higher last largest biggest")
LOW = words("lowest lower first smallest")
ANY = words("any either whichever whatever anyone some random matter mind care no-matter")
AGAIN = words("again same more another still repeat too also likewise next other")
BACK = words("back return again previous before earlier")
POINTING = words("the that this other any last another which each no every")
LETTERS = frozenset("bcdefghjklmnopqrstuvwxyz")


class Siblings:
    """One sentence's signs, and the acts that differ in a number or a letter alone."""

    def __init__(self, view: View) -> None:
        here, said = view.here, view.said.words
        self.view = view
        counted = [(i, value) for i in range(len(said)) if (value := _value(said, i)) is not None]
        self.numbers = [value for _, value in counted]
        after = [value for i, value in counted if i > max(view.turns, default=-1)]
        self.corrected = {value for value in self.numbers if value not in after} if after else set()
        self.letters = {word for word in said if word in LETTERS}
        self.squashed = "".join(word for word in said if word.isalpha())
        self.high, self.low = bool(HIGH & set(said)), bool(LOW & set(said))
        self.any, self.back = bool(ANY & set(said)), bool(BACK & set(said))
        self.again = bool(AGAIN & set(said))
        self.last = here.parse(here.recent[-1]) if here.recent else None
        self.gone = [act.args[0] for text in here.recent if (act := here.parse(text)).verb == "go to" and act.args]
        self.other = "other" in said
        self.before = {here.place, *(self.last.args if self.last else ())}
        self.kinds = {_bare(arg) for arg in self.before if arg}
        self._kin: dict[tuple[str, ...], list[int]] = {}
        for verb in here.verbs:
            for act in here.acts(verb):
                if act.args and (value := _number(act.args[0])) is not None:
                    self._kin.setdefault(_kind(act), []).append(value)

    def features(self, act: Act) -> Features:
        """Of one action; the names say what each is."""
        found: Features = {"verb literal": float(act.verb in self.view.said.words)}
        found |= self._history(act)
        spots = self.view.said.spots
        for place, arg in enumerate(act.args[:2]):
            key = f"arg{place}"
            spot = self.view.by_name.get(arg)
            found |= self._number(key, arg) | self._letter(key, arg)
            if spot and len(spots) > 1:
                found[key + " first spot"] = float(spot is spots[0])
                found[key + " last spot"] = float(spot is spots[-1])
            core = "".join(part for part in arg.split() if part.isalpha())
            found[key + " squashed"] = float(not spot and len(core) > 4 and core in self.squashed)
        if act.args and (value := _number(act.args[0])) is not None:
            kin = self._kin.get(_kind(act), [value])
            found["only of its kind"] = float(len(kin) == 1)
            found["highest"] = float(self.high and value == max(kin))
            found["lowest"] = float(self.low and value == min(kin))
            found["any, lowest"] = float(self.any and value == min(kin))
            told = value in self.numbers or act.args[0] in self.view.chooser.antecedents[:3]
            found["one of several, untold"] = float(len(kin) > 1 and not told)
        return {name: value for name, value in found.items() if value}

    def _history(self, act: Act) -> Features:
        recent, view = self.view.here.recent, self.view
        found: Features = {}
        if self.last:
            found["same as last"] = float(act.text == recent[-1])
            found["done before"] = float(act.text in recent[:-1])
            found["verb as last"] = float(act.verb == self.last.verb)
            found["same as last, again"] = float(self.again and act.text == recent[-1])
            found["verb as last, again"] = float(self.again and act.verb == self.last.verb)
            found["verb as last, none said"] = float(act.verb == self.last.verb and not view.said.cues)
        for place, arg in enumerate(act.args[:2]):
            key = f"arg{place}"
            found[key + " of last"] = float(bool(self.last) and arg in self.last.args) if self.last else 0.0
            if arg in view.chooser.antecedents:
                found[key + " antecedent"] = 1 / (1 + view.chooser.antecedents.index(arg))
            found[key + " other one"] = float(self.other and arg not in self.before and _bare(arg) in self.kinds)
            found[key + " seen"] = float(arg in view.here.observation)
            found[key + " gone to"] = float(arg in self.gone)
            found[key + " back to"] = float(self.back and arg in self.gone and arg != view.here.place)
        return found

    def _number(self, key: str, arg: str) -> Features:
        values = {int(part) for part in arg.split() if part.isdigit()}
        if not values or not self.numbers:
            return {}
        return {
            key + " number said": float(bool(values & set(self.numbers))),
            key + " number said last": float(self.numbers[-1] in values),
            key + " other number": float(not values & set(self.numbers)),
            key + " number corrected": float(bool(values & self.corrected)),
        }

    def _letter(self, key: str, arg: str) -> Features:
        letters = {part for part in arg.split() if part in LETTERS}
        if not letters or not self.letters:
            return {}
        return {
            key + " letter said": float(bool(letters & self.letters)),
            key + " other letter": float(not letters & self.letters),
        }


def _value(said: Sequence[str], at: int) -> int | None:
    """The number at a place; not the `one` of `that one`, nor how many there are (`of the two`), nor what is not."""
    before = said[at - 1] if at else ""
    if said[at] == "one" and (
        not at or before in POINTING or before in ORDINALS or before.endswith(("st", "nd", "rd"))
    ):
        return None
    if ("of" in said[max(0, at - 2) : at] and said[at] not in ORDINALS) or _excluded(said[max(0, at - 4) : at]):
        return None
    return number(said[at])


def _excluded(before: Sequence[str]) -> bool:
    """Behind a `not`: `but not fork 2`."""
    return "not" in before and not {",", "but", "wait", "sorry", "rather"} & {*before[before.index("not") :]}


def _number(arg: str) -> int | None:
    return next((int(part) for part in arg.split() if part.isdigit()), None)


def _bare(arg: str) -> str:
    return " ".join(part for part in arg.split() if not part.isdigit() and part not in LETTERS)


def _kind(act: Act) -> tuple[str, ...]:
    """The verb, what the first argument is called, and the others."""
    return (act.verb, " ".join(part for part in act.args[0].split() if not part.isdigit()), *act.args[1:])
