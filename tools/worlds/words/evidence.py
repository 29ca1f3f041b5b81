"""What speaks for an action, and what for doing nothing, in a sentence: features for the back-off."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from tools.worlds.words.choose import Chooser
from tools.worlds.words.clauses import ENDS
from tools.worlds.words.courtesies import FILLERS, QUESTION
from tools.worlds.words.frames import Frame
from tools.worlds.words.mentions import BINDERS, match, mention
from tools.worlds.words.nouns import DETERMINERS, KINDS, NUMBERS, PRONOUNS, words
from tools.worlds.words.spots import Cue, Heard, Spot, things
from tools.worlds.words.surroundings import Act, Surroundings
from tools.worlds.words.text import number, singular
from tools.worlds.words.vocabulary import COPULAS

BOTH = ("move", "connect", "pour", "dunk", "use", "put", "insert", "slice", "lock", "unlock")
"""Nothing of these is to be guessed: each argument has to be spoken of."""
LATER = words("later tomorrow tonight someday sometime eventually afterwards soon")
NOT = words("not never without avoid no cannot nor")
ASKING = words("forget hesitate mind only you we fail")
"""Behind `not` these forbid nothing: `don't forget to open it`, `could you not open it`."""
TURN = words("actually wait rather instead no sorry scratch mean meant correction pardon oops whoops nope nah thoughts")
ASIDE = words("i he she they was were had did used yesterday once last always if why because when")
IDLE = (
    DETERMINERS
    | BINDERS
    | FILLERS
    | ENDS
    | PRONOUNS
    | frozenset(NUMBERS)
    | words(
        "i you we he she they me us my your our is are was be been do does and or so but then of up off out over down"
        " would could can will want need like have has had not no get go if when what that there here"
    )
)
COMMON = words("get have see use set take give make run hit look put hold try move read need want let like")
WHETHER = words("is are was were did does do have has had am")
WHICH = words("what who where why when which how whose")
MUSING = words("think wonder like love hate know forgot guess believe remember thought see feel")
WISHES = words("want need like fancy wish love require please wanna gotta gimme")
PLACING = words("in into on onto to inside at")
SPARED = ("leave", "skip", "ignore", "except", "besides", "forget", "rather than", "instead of", "apart from", "not")
"""Directly before a name: that thing is not meant (`take the fork, leave the knife`)."""
SOME = words("a an any some one another either every each whichever")
Features = dict[str, float]


class View:
    """One sentence in one world, for the features."""

    def __init__(self, sentence: Heard, here: Surroundings) -> None:
        self.said, self.here = sentence, here
        self.chooser = Chooser(here, here.recent)
        self.by_name: dict[str, Spot] = {}
        for spot in sentence.spots:
            for text, fit in spot.fits.items():
                old = self.by_name.get(text)
                if old is None or fit >= old.fits[text] or spot.what.number is not None:
                    self.by_name[text] = spot
        self.pronouns = [i for i, word in enumerate(sentence.words) if word in ("it", "that", "this", "them", "one")]
        self.turns = [i for i, word in enumerate(sentence.words) if word in TURN and i]
        spotted = {i for spot in sentence.spots for i in range(spot.start, spot.end)}
        of_none = {i for i, w in enumerate(sentence.words) if w in KINDS and i + 1 not in spotted}
        known = things()
        self.strange = [i for i, w in enumerate(sentence.words) if i not in spotted and (w in known or i in of_none)]
        cued = {i for cue in sentence.cues for i in range(cue.start, cue.end)}
        self.content = {
            i for i, w in enumerate(sentence.words) if i not in spotted | cued and w not in IDLE and w.isalpha()
        }

    def speaks_of(self, act: Act) -> bool:
        named = [arg in self.by_name for arg in act.args]
        if len(set(act.args)) < len(act.args) or (len(named) > 1 and all(named) and self._one_spot(act)):
            return False
        if len(act.args) > 1 and act.verb in BOTH:
            given = any(cue.intent.given for cue in self.said.cues)
            here = act.args[1] == self.here.place and not PLACING & set(self.said.words)
            return all(named) or (any(named) and (bool(self.pronouns) or given or here))
        return any(named) or (bool(self.pronouns) and act.args[0] in self.chooser.antecedents[:2])

    def _one_spot(self, act: Act) -> bool:
        return self.by_name[act.args[0]] is self.by_name[act.args[1]]

    def forbidden(self, act: Act) -> bool:
        spot = self.by_name.get(act.args[0])
        return bool(spot and self.negated(spot.start))

    def ways(self, verb: str) -> list[tuple[Frame | None, Cue | None]]:
        """The verb phrases that may mean the verb; none at all is a way too."""
        cued = [(f, cue) for cue in self.said.cues for f in cue.intent.frames if f.verb == verb]
        return [*cued, (None, None)]

    # -- features

    def nothing(self) -> Features:
        said = self.said.words
        text = " ".join(said)
        return {
            "nothing": 1.0,
            "long": math.log1p(len(said)),
            "question": float(bool(QUESTION.match(text))),
            "asked": float("?" in said),
            "nothing spoken of": float(not self.said.spots),
            "no verb": float(not self.said.cues),
            "strange": float(len(self.strange) > 0),
            "not": float(bool(NOT & set(said))),
            "aside": float(bool(ASIDE & set(said))),
            "later": float(bool(LATER & set(said)) or "not now" in text or "not yet" in text),
            "no such number": float(self._unnumbered()),
            "copula": float(self._copula()),
            "whether": float(bool(said) and said[0] in WHETHER),
            "which": float(bool(said) and said[0] in WHICH),
            "i think": float(bool(MUSING & set(said[:3]))),
            "told past": float(len(said) > 1 and said[1].endswith("ed") and said[0] in ASIDE | {"you"}),
            "wish": float(bool(WISHES & set(said))),
            "please": float("please" in said),
            "only content": float(bool(self.content) and not self.said.spots and not self.said.cues),
            "content": math.log1p(len(self.content)),
            "spots": float(min(len(self.said.spots), 3)),
            "first aside": float(bool(said) and said[0] in ASIDE),
        }

    def _unnumbered(self) -> bool:
        """`drawer 7`, where the last is drawer 6."""
        numbered = {(*name.base, name.number) for name in self.here.names if name.number is not None}
        kinds = {key[:-1] for key in numbered}
        said = self.said.words
        pairs = (((singular(word),), number(after)) for word, after in pairwise(w for w in said if w != "number"))
        return any(base in kinds and value is not None and (*base, value) not in numbered for base, value in pairs)

    def _copula(self) -> bool:
        """`the egg looks fresh`: something is said of it."""
        return any(word in COPULAS for spot in self.said.spots for word in self.said.words[spot.end : spot.end + 2])

    def alone(self, key: str, start: int, size: int) -> Features:
        return {
            "alone": 1.0,
            "alone " + key: 1.0,
            "alone size": float(min(size, 4)),
            "alone one word": float(size == 1),
            "alone negated": float(self.negated(start)),
            "alone but spoken of": float(bool(self.said.spots)),
            "alone before turn": float(any(at > start for at in self.turns)),
        }

    def features(self, act: Act, frame: Frame | None, cue: Cue | None) -> Features:
        roles = dict(zip(frame.roles, act.args, strict=False)) if frame else {}
        spots = [self.by_name.get(arg) for arg in act.args]
        found: Features = {"act": 1.0, "verb " + act.verb: 1.0}
        found |= self._cue(cue, frame, spots, roles, act)
        found |= self._arguments(act, spots)
        found |= self._coverage(act, cue, spots)
        covered = {id(spot) for spot in spots if spot}
        found["left over"] = float(sum(id(s) not in covered and not covered & _kin(s, spots) for s in self.said.spots))
        return {name: value for name, value in found.items() if value}

    def _coverage(self, act: Act, cue: Cue | None, spots: list[Spot | None]) -> Features:
        """How much of the sentence the action accounts for."""
        cues = {
            i for c in self.said.cues for i in range(c.start, c.end) if not cue or i not in range(cue.start, cue.end)
        }
        inside = {i for s in self.said.spots for i in range(s.start, s.end)}
        left = self.content | {i for i in cues - inside if self.said.words[i] not in IDLE}
        wish = bool(WISHES & set(self.said.words))
        first, second = (*spots, None, None)[:2]
        joined = first and second and first.end < second.start and not self._content_in(first.end, second.start)
        return {
            "all said": float(not left),
            "left": math.log1p(len(left)),
            "no cue, all said": float(not left and cue is None),
            "no cue, wish": float(wish and cue is None),
            "no cue, wish " + act.verb: float(wish and cue is None),
            "no cue, joined": float(bool(joined) and cue is None),
            "joined": float(bool(joined)),
            "no cue, behind": float(cue is None and self._behind_unknown(first)),
            "no cue, behind " + act.verb: float(cue is None and self._behind_unknown(first)),
        }

    def _content_in(self, start: int, end: int) -> bool:
        return any(i in self.content or self.said.words[i] in ENDS for i in range(start, end))

    def _behind_unknown(self, spot: Spot | None) -> bool:
        """`whack the wood`: a word no table knows, and the thing."""
        at = spot.start - 1 if spot else -1
        while at > 0 and self.said.words[at] in DETERMINERS:
            at -= 1
        return at in self.content

    def _cue(
        self, cue: Cue | None, frame: Frame | None, spots: list[Spot | None], roles: dict[str, str], act: Act
    ) -> Features:
        first = next((spot for spot in spots if spot), None)
        if cue is None or frame is None:
            return {"no cue": 1.0, "no cue " + act.verb: 1.0, "no cue but verbs": float(bool(self.said.cues))}
        at = first.start if first else next((i for i in self.pronouns if i >= cue.start), cue.start - 1)
        between = range(min(cue.end, at), max(cue.end, at))
        head = self.said.words[cue.start]
        return {
            "cue": 1.0,
            "cue size": float(min(cue.size, 3)),
            "cue common": float(cue.size == 1 and head in COMMON),
            "cue plain": float(cue.plain),
            "cue penalty": frame.penalty,
            "cue behind": float(at < cue.start),
            "cue far": float(min(8, sum(i in self.content for i in between))),
            "cue other clause": float(any(self.said.words[i] in ENDS for i in between)),
            "cue strange": float(any(i in between or i == at - 1 for i in self.strange)),
            "cue other thing": float(any(s is not first and s.start in between for s in self.said.spots)),
            "cue negated": float(self.negated(cue.start)),
            "cue first": float(cue.start == 0),
            "cue before turn": float(any(i > cue.start for i in self.turns)),
            "cue inside name": float(any(s.start <= cue.start < s.end for s in self.said.spots)),
            "cue told": float(cue.start > 0 and self.said.words[cue.start - 1] in ASIDE),
            "cue wrong tool": float(self._wrong_tool(cue, roles)),
            "cue needs": float(bool(frame.needs) and roles.get(frame.needs) not in self.by_name),
            "strange behind": float(bool(self._strange_object(cue))),
        }

    def _strange_object(self, cue: Cue) -> bool:
        """`take the kettle`, where none is."""
        behind = range(cue.end, min(cue.end + 4, len(self.said.words)))
        first = next((i for i in behind if self.said.words[i] not in DETERMINERS | BINDERS), -1)
        return first in self.strange or (first in self.content and self.said.words[first - 1] in DETERMINERS)

    def _arguments(self, act: Act, spots: list[Spot | None]) -> Features:
        found: Features = {}
        for place, (arg, spot) in enumerate(zip(act.args, spots, strict=True)):
            key = f"arg{min(place, 1)}"
            if spot:
                found[key + " fit"] = spot.fits[arg]
                found[key + " numbered"] = float(spot.what.number is not None)
                found[key + " negated"] = float(self.negated(spot.start))
                found[key + " before turn"] = float(any(i > spot.start for i in self.turns))
                found[key + " article"] = float(self._before(spot) in DETERMINERS)
                found[key + " some"] = float(self._some(spot))
                found[key + " spared"] = float(self._spared(spot))
                found[key + " odd"] = float(self._odd(spot))
                before = self._before(spot, 2) if self._before(spot) in DETERMINERS else self._before(spot)
                found[key + " in"] = float(before in ("in", "on", "inside", "into", "onto", "under"))
                found[key + " to"] = float(before in ("to", "toward", "towards", "into", "at", "near", "by"))
                found[key + " from"] = float(before in ("from", "off", "of", "out"))
                found[key + " with"] = float(before in ("with", "using"))
                found[key + " others"] = 1.0 - 1.0 / sum(fit >= spot.fits[arg] for fit in spot.fits.values())
            elif self.pronouns and arg in self.chooser.antecedents:
                found[key + " pronoun"] = 1.0 / (1 + self.chooser.antecedents.index(arg))
            else:
                found[key + " unsaid"] = 1.0
            found[key + " here"] = float(arg == self.here.place)
            found[key + " held"] = float(arg in self.here.holding)
        if len(spots) > 1 and spots[0] and spots[1]:
            found["turned"] = float(spots[0].start > spots[1].start)
            found["same"] = float(spots[0] is spots[1])
        return found

    def _before(self, spot: Spot, back: int = 1) -> str:
        return self.said.words[spot.start - back] if spot.start >= back else ""

    def _some(self, spot: Spot) -> bool:
        """`a mug`, `any of the mugs`: whichever; not the one that was spoken of."""
        before = self.said.words[max(0, spot.start - 3) : spot.start]
        return self._before(spot) in SOME or ("of" in before and bool(SOME & set(before)))

    def _spared(self, spot: Spot) -> bool:
        at = spot.start
        while at and self.said.words[at - 1] in DETERMINERS:
            at -= 1
        return " ".join(self.said.words[:at]).endswith(tuple(f" {word}" for word in SPARED)) or (
            at == 1 and self.said.words[0] in SPARED
        )

    def _odd(self, spot: Spot) -> bool:
        """`the slow clock`: a quality that its name does not tell."""
        return spot.start - 1 in self.content and self._before(spot, 2) in DETERMINERS

    def negated(self, at: int) -> bool:
        start = max(0, at - 5)
        for i in range(at - 1, start - 1, -1):
            if self.said.words[i] in ENDS or self.said.words[i] in (",", "but"):
                return False
            if self.said.words[i] in NOT:
                behind, before = self.said.words[i + 1 : i + 2], self.said.words[max(0, i - 2) : i]
                return not (behind and behind[0] in ASKING) and "why" not in before
        return False

    def _wrong_tool(self, cue: Cue, roles: dict[str, str]) -> bool:
        """`microwave it` wants the microwave."""
        given = ((roles.get(role), mention(what.split())) for role, what in cue.intent.given.items())
        return any(arg and what and not match(what, self.here.name(arg)) for arg, what in given)


def _kin(spot: Spot, spots: Iterable[Spot | None]) -> set[int]:
    """Spots of the action that speak of the same thing."""
    return {id(other) for other in spots if other and set(other.fits) & set(spot.fits)}
