"""What helps a small model with text worlds: is a turn a wish for a task, is it meant for the open world, which kinds
of tasks, things, places and actions are near to it. It says how likely each is and chooses nothing.

Learned from labelled sentences (minds/training/wishes): MiniLM's layers, changed by little (LoRA), and small heads on
its states; names of things and actions are compared with each token of the sentence (late interaction, ColBERT 3.2)
and by the letters that they share with it. No language's words are written down here. Run in numpy.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from text_to_num import alpha2digit

from memory.bert import softmax
from minds.policies.arrays import Floats as Floats
from minds.policies.arrays import read, taken
from tools.worlds.actions import ActionSpace, bare, parts_of
from tools.worlds.goal import EVEN
from tools.worlds.kinds import KINDS

Embed = Callable[[Sequence[str]], Floats]
"""Texts to unit rows, shape (n, 384)."""
States = Callable[[str], Floats]
"""A text to its tokens' states, shape (tokens, 384)."""
WEIGHTS = Path(__file__).parent / "weights" / "wishes.safetensors"
HIDDEN, NEAR, BEST = 96, 64, 16
SHARE, MOST = 0.98, 5
ACTIONS_SHARE, ACTIONS_SHOWN = 0.99, 6
"""Of what all are worth together, that those which are shown hold; and how many at most: names, and actions."""
ALIKE = 0.8
"""Of the odds of the likeliest, what those of another that differs from it in a number alone have, if nothing was said
that tells them apart."""
PLAIN = 0.8
"""Odds of what a turn is, by its words alone, from which it is about the task that stands."""
HERE = 0.4
"""On sentences kept apart actions are heard as well as with 1, handing over and leaving twice as often."""
TINY = 1e-5
MAYBE, ASKED, TOGETHER = 0.3, 0.6, 0.9
"""Odds from which an action behind another may have been asked for; from which it was, by these alone, and by them and
a model's trained layers: what nobody wanted is worse than what has to be said again."""
MOVE = "go to {object}"
LATELY, NEVER = 2, -1e4
"""Actions before a turn that are read beside it; the score of what cannot be."""
NAMED = 8
"""Features of a name beside a sentence, in the order of `likenesses`."""
HEADS = ("NONE", "UNDO", "ASSISTANT", "PERSON", "LEAVE", "STORY", "DONE")
"""What a turn in a world may be instead of an action; DONE: behind actions that it asked for, no further one."""
TURNS = ("TALK", "ACTION", "ASSISTANT", "PERSON", "LEAVE", "UNDO", "STORY", "AGAIN", "OTHER")
"""What a turn may be while a task stands, open or over, by its words alone: about something else; an action; that the
assistant acts from here on, or the person; out of it; a step back; a question about it; the same from its beginning;
that another task is meant or wanted."""
WISHED = ("TALK", "WISH")
"""What a turn may be where no world is open."""
DRIVES = ("assistant", "person", "both")
"""Who is to act in a task that is wished for; both: the assistant begins, the person takes over."""
OWN: dict[str, tuple[str, ...]] = {"task": WISHED, "drive": DRIVES, "turn": TURNS}
"""What is read by layers of its own; a wish for a task, who acts, and what a turn is."""
IN_BOTH = ("drive", "turn")
"""What is read in a person's own language as well as in English; whether it is a wish at all is heard worse there."""
OVER = ("NONE", "STORY", "AGAIN", "ON", "LEAVE", "UNDO", "ACTION", "OTHER")
"""What a turn may want of a task that is over: nothing, to hear of it, the same anew, to go on, to be done with it, a
step back or one more, or that another task was meant or is wanted."""
SURELY = 0.9
"""Odds of a wish and of its kind, from which a turn that hands over or begins anew rather wants another task."""
HALF = 0.5
PLAINLY, SAID = 0.9, ("UNDO", "ASSISTANT", "PERSON", "LEAVE", "STORY", "AGAIN")
"""Odds of one of these by the words alone, from which the state takes nothing from them (of 634 turns and 500 sentences
of authors kept apart, 249 were so, 239 rightly)."""
SPELT = 2.0
"""From it on numbers are read in words as well ("drawer nine", "the second shelf"): one and first seldom name any."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\b\d+\b")


class Retold(str):
    """What a model put into English, beside the person's `own` words: who hands over or leaves is heard better in both
    (of 31 turns in six languages 24 in their own words, 27 in English, 31 by the mean)."""

    def __new__(cls, english: str, own: str) -> Retold:
        made = super().__new__(cls, english)
        made.own = own
        return made

    own: str


class WishesFault(Exception):
    """The weights cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Likely:
    """What a turn may wish for where no world is open, the likeliest first, each with its probability."""

    p: float
    """That it is a wish for a task in a text world."""
    wished: bool
    """p is over the threshold."""
    kinds: Mapping[str, float]
    """As many as hold nearly all that is likely; so are the others."""
    things: Mapping[str, float]
    places: Mapping[str, float]
    drive: str = DRIVES[0]
    """Who is likeliest to act, as a task's goal names it."""


@dataclass(frozen=True)
class Ranked:
    """The actions of a state, the likeliest first, and what else may be meant, with their probabilities."""

    actions: Mapping[str, float]
    instead: Mapping[str, float]
    """By HEADS (NONE: an action that is not possible), and TALK, AGAIN and OTHER of TURNS."""

    def near(self) -> dict[str, float]:
        """The nearest actions with their odds: as few as hold nearly all of what is likely.

        Of those that differ in a number alone, where the odds hardly know a difference, the likeliest stands for all,
        with the odds of all: any sink is a sink."""
        firsts, whole = dict[str, str](), dict[str, float]()
        for action, p in self.actions.items():
            first = firsts.setdefault(_NUMBER.sub("", action) or action, action)
            one = first if p >= ALIKE * self.actions[first] else action
            whole[one] = whole.get(one, 0.0) + p
        near, enough = dict[str, float](), ACTIONS_SHARE * sum(whole.values())
        for action in sorted(whole, key=lambda one: -whole[one])[:ACTIONS_SHOWN]:
            near[action] = whole[action]
            if sum(near.values()) >= enough and len(near) > 1:
                break
        return near


class Wishes:
    """The fitted weights; holds no dialogue, so all conversations may share it."""

    def __init__(
        self,
        weights: dict[str, Floats],
        names: dict[str, tuple[str, ...]],
        states: States,
        own: Mapping[str, States],
    ) -> None:
        """`own`: states for OWN, which have layers of their own."""
        self._w, self._names, self._states = weights, names, lru_cache(maxsize=256)(states)
        self._own_states = {name: lru_cache(maxsize=256)(of) for name, of in own.items()}
        self._at = {name: number for number, name in enumerate(names["names"])}
        self._verbs = {verb: number for number, verb in enumerate(names["verbs"])}

    @classmethod
    def load(cls, states: Callable[[Mapping[str, Floats]], States], path: Path | None = None) -> Wishes:
        """`states` makes the encoder with what was learned added to its layers. Raises WishesFault."""
        from safetensors import SafetensorError

        try:
            weights, told = read(path or WEIGHTS)
        except (OSError, SafetensorError) as fault:
            raise WishesFault("The weights for wishes cannot be read: run `python main.py train wishes`.") from fault
        names = {key: tuple(value.split("\n")) for key, value in told.items()}
        shared, own = taken(weights, "low."), {name: states(taken(weights, f"{name}.low.")) for name in OWN}
        return cls(weights, names, states(shared), own)

    def wish(self, said: str, share: float = SHARE, most: int = MOST, *, retold: bool = False) -> Likely:
        """Of a turn where no world is open; of kinds, things and places those that hold this `share`, at `most`.
        retold: a model put it into English, and may have lost a word: all are possible, and their odds differ less."""
        states = self._states(said)
        share, most, even = (1.0, sys.maxsize, EVEN) if retold else (share, most, 1.0)
        p = self.own("task", said)["WISH"]
        kinds = nearest(self._names["kinds"], self._head("kinds", states.mean(0)) / even, share, most)
        things, places = (
            nearest(
                self._names[key], self._near(side, self._w[key] * self._w["names.step"], states) / even, share, most
            )
            for key, side in (("things", "thing"), ("places", "place"))
        )
        drive, _ = likeliest(self.drives(said))
        return Likely(p, p >= float(self._w["thresholds"][0]), kinds, things, places, drive)

    def mean(self, said: str) -> Floats:
        """What the heads read of a text: shape (384,)."""
        row: Floats = self._states(said).mean(0)
        return row

    def drives(self, said: str) -> dict[str, float]:
        """Of a wish for a task: the probabilities of DRIVES."""
        return self.own("drive", said)

    def driver(self, said: str, *, on: bool = False) -> str | None:
        """Who is to act in a task that is taken up again; `on`: where it was left, in which whoever acted there goes on
        (None) where nothing is said of it."""
        if not on:
            return likeliest(self.drives(said))[0]
        of = self.turn(said)
        return next((name.lower() for name in ("ASSISTANT", "PERSON") if of[name] > HALF), None)

    def turn(self, said: str) -> dict[str, float]:
        """Of a turn while a task stands: the probabilities of TURNS."""
        return self.own("turn", said)

    def another(self, said: str, goal: str) -> bool:
        """Whether a task is surely wished for that is of quite another kind than this goal; of a household, with
        another thing as well."""
        wish, of = self.wish(said), self.wish(goal)
        (kind, p), (thing, named) = likeliest(wish.kinds), likeliest(wish.things)
        before, its_thing = likeliest(of.kinds)[0], likeliest(of.things)[0]
        if min(wish.p, p) < SURELY:
            return False
        if KINDS[kind].world != "household":
            return before not in wish.kinds
        return named >= SURELY and kind != before and thing != its_thing

    def over(self, said: str, *, left: bool = False) -> tuple[dict[str, float], bool]:
        """Of a turn behind a task that is over: the probabilities of OVER, and whether the task may be meant. Of one
        that was `left` unfinished nothing is done or taken back but by going on; who speaks of leaving, or of the same
        again, may as well mean that: the words alone are not enough."""
        of = self.turn(said)
        odds = {"NONE": of["TALK"], "ON": of["ASSISTANT"] + of["PERSON"], **of}
        if left:
            shared = {name: odds[name] / 2 for name in ("LEAVE", "AGAIN")}
            odds |= {**shared, "ON": odds["ON"] + odds["ACTION"] + odds["UNDO"] + sum(shared.values())}
            odds |= {"ACTION": 0.0, "UNDO": 0.0}
        return {name: odds[name] for name in OVER}, 1 - of["TALK"] >= float(self._w["thresholds"][2])

    def meant(self, said: str) -> tuple[float, bool]:
        """P(the turn is meant for the open world), and whether that is over its threshold."""
        p = float(1 / (1 + np.exp(-float(self._head("meant", self.mean(said))[0]))))
        return p, p >= float(self._w["thresholds"][1]) or self.turn(said)["TALK"] <= 1 - PLAIN

    def ranked(self, said: str, space: ActionSpace, recent: Sequence[str], embed: Embed) -> Ranked:
        """All admissible actions of the state; `recent` are the last actions taken there."""
        p = self._scored(said, space, recent, embed)
        here = {action: p[action] for action in list(p)[: -len(HEADS)]}
        return agreed(here, {name: p[name] for name in HEADS[:-1]}, self.turn(said))

    def further(
        self, said: str, space: ActionSpace, recent: Sequence[str], done: int, embed: Embed
    ) -> dict[str, float]:
        """The actions that words may ask for behind the last `done` of the recent ones, which were taken for their
        sake, the likeliest first, and DONE; empty where none is likely, or the first would take the last one back: open
        a fridge, close it."""
        p = self._scored(said, space, recent, embed, done)
        near = [*p][: min(len(space.admissible), ACTIONS_SHOWN - 1)]
        best = near[0]
        last, then = parts_of(recent[-1]), parts_of(best)
        back = (then.object, then.other) == (last.object, last.other) and last.verb != MOVE
        if p[best] < MAYBE or back or best in recent[-done:]:
            return {}
        return {action: p[action] for action in [*near, "DONE"]}

    def nearest_actions(
        self, said: str, space: ActionSpace, recent: Sequence[str], embed: Embed, done: int = 0
    ) -> list[str]:
        """All that are admissible, the likeliest first; `done`: of the recent ones those for these very words."""
        return list(self._scored(said, space, recent, embed, done))[: -len(HEADS)]

    def _scored(
        self, said: str, space: ActionSpace, recent: Sequence[str], embed: Embed, done: int = 0
    ) -> dict[str, float]:
        """The probabilities of all actions, the likeliest first, and behind them of HEADS."""
        states = self._states(told(said, recent, done))
        names = tuple(dict.fromkeys((*space.objects, *space.others)))
        rows, shared = self.vectors([bare(name) for name in names], embed), likenesses(said, names, recent)
        at, verbs = {name: n for n, name in enumerate(names)}, self._of_verbs(states.mean(0), space.verbs)
        parts = [space.parts(action) for action in space.admissible]
        score = np.array([verbs[part.verb] for part in parts], np.float32)
        instead = self._head("instead", states.mean(0))
        for side, of in (("object", [p.object for p in parts]), ("other", [p.other for p in parts])):
            scores = self._near(side, rows, states) + shared @ self._w[f"near.{side}.shared"]
            scores = np.append(scores + self._w[f"near.{side}.bias"][0], np.float32(0))  # the last one: no name
            if side == "object" and names:  # whether it can be done here hangs on the name that is nearest
                best = int(scores[:-1].argmax())
                instead[0] += self._head("none", np.append(scores[best], shared[best]))[0]
            score = score + scores[[at.get(name, -1) for name in of]]
        score = score + self._w["again"][0] * np.array([action in recent[-1:] for action in space.admissible])
        instead[-1] += 0 if done else NEVER
        p = softmax(np.concatenate([score, instead]))
        order = np.argsort(-p[: len(parts)], kind="stable")
        heads = dict(zip(HEADS, p[len(parts) :].tolist(), strict=True))
        return {space.admissible[n]: float(p[n]) for n in order} | heads

    def vectors(self, names: Sequence[str], embed: Embed) -> Floats:
        """Of names, as MiniLM has them; those known from the fit are kept with the weights: a state costs no time."""
        new = [name for name in dict.fromkeys(names) if name not in self._at]
        rows = dict(zip(new, embed(new), strict=True)) if new else {}
        rows |= {name: self._w["names"][self._at[name]] * self._w["names.step"] for name in self._at.keys() & names}
        return np.array([rows[name] for name in names], np.float32).reshape(-1, 384)

    def _near(self, side: str, rows: Floats, states: Floats) -> Floats:
        """Of each name its best likeness to a token: shape (names,)."""
        like = (rows @ self._w[f"near.{side}.name"]) @ (states @ self._w[f"near.{side}.said"]).T
        best: Floats = like.max(1)
        return best

    def _of_verbs(self, mean: Floats, verbs: Sequence[str]) -> dict[str, float]:
        """Those unknown are worth as much as the least."""
        known = self._head("verbs", mean)
        return {verb: float(known[self._verbs.get(verb, known.argmin())]) for verb in verbs}

    def head(self, name: str) -> tuple[Floats, ...]:
        """Of a head: weights and bias of its hidden layer and of its last."""
        return tuple(self._w[f"{name}.{part}"] for part in ("in", "bias", "out", "shift"))

    def own(self, name: str, said: str) -> dict[str, float]:
        """The probabilities of OWN[name]: read by a head on states of layers of its own."""
        texts = [str(said), said.own] if name in IN_BOTH and isinstance(said, Retold) else [str(said)]
        heads = [self._w[f"{name}.head"] @ pooled(self._own_states[name](text)) for text in texts]
        odds = [softmax((head + self._w[f"{name}.bias"]) / self._w[f"{name}.temperature"][0]) for head in heads]
        return dict(zip(OWN[name], np.mean(odds, axis=0).tolist(), strict=True))

    def _head(self, name: str, mean: Floats) -> Floats:
        inner, bias, out, shift = self.head(name)
        scores: Floats = np.maximum(mean @ inner + bias, 0) @ out + shift
        return scores


def both(first: float, second: float) -> float:
    """A product of experts, HERE of the exponent for the first."""
    return float((first + TINY) ** HERE * (second + TINY) ** (1 - HERE))


def agreed(here: Mapping[str, float], instead: Mapping[str, float], turn: Mapping[str, float]) -> Ranked:
    """What the state and the words say together with what the words say alone, which know more of how people hand over
    and leave. `here`: actions -> odds."""
    act = sum(here.values()) + instead["NONE"]
    found = {name: both(p, turn[name]) for name, p in instead.items() if name != "NONE"}
    found |= {name: both(instead["NONE"], turn[name]) for name in ("TALK", "AGAIN", "OTHER")}
    acts = both(act, turn["ACTION"])
    whole = acts + sum(found.values())
    share = acts / whole / act
    others = {"NONE": instead["NONE"] * share, **{name: p / whole for name, p in found.items()}}
    name, plain = likeliest(turn)
    left = 1.0
    if name in SAID and plain >= max(PLAINLY, others[name]):
        left = (1 - plain) / (1 - others[name])
        others = {other: p * left for other, p in others.items()} | {name: plain}
    return Ranked({action: p * share * left for action, p in here.items()}, others)


def told(said: str, recent: Sequence[str], done: int = 0) -> str:
    """What is read of a turn in a world: "it" and "back" lean on what was done last, of which the last `done` were for
    these very words."""
    lately = list(recent)[::-1][: max(LATELY, done)]
    return said + "".join(f" {'>' if n < done else '|'} {action}" for n, action in enumerate(lately))


def pooled(states: Floats) -> Floats:
    """The first of a text's states, their mean and their largest: (tokens, 384) to (3 * 384,)."""
    return np.concatenate([states[0], states.mean(0), states.max(0)])


def nearest(names: Sequence[str], scores: Floats, share: float = SHARE, most: int = MOST) -> dict[str, float]:
    """The likeliest with their probabilities, as few as hold this share of what is likely; at least two."""
    p = softmax(scores)
    order = np.argsort(-p, kind="stable")
    kept = int(np.searchsorted(np.cumsum(p[order]), share)) + 1
    return {names[n]: float(p[n]) for n in order[: min(most, max(2, kept))]}


# -- what two texts share, in any language


def likenesses(said: str, names: Sequence[str], recent: Sequence[str]) -> Floats:
    """Of each name beside a sentence and the actions before it, shape (names, NAMED):

    the share of its three-letter runs that the sentence has, and the sentence's that it has, weighted by how few names
    here have them; whether its number is said, or another one; whether it stands in the last action or in the two
    before; whether others here are called alike and no number says which one is meant; 1.
    """
    here, digits = _threes(said), set(numbers(said))
    runs = [_threes(bare(name)) for name in names]
    rare = _rarity(runs)
    whole = sum(rare.get(run, 1.0) for run in here) or 1.0
    alike = Counter(map(bare, names))
    last, before = " ".join(recent[-1:]), " ".join(recent[-3:-1])
    rows = np.zeros((len(names), NAMED), np.float32)
    for row, name, own in zip(rows, names, runs, strict=True):
        shared = sum(rare[run] for run in own & here)
        own_digits = set(re.findall(r"\d+", name))
        row[0] = shared / (sum(rare[run] for run in own) or 1.0)
        row[1] = shared / whole
        row[2] = bool(own_digits & digits)
        row[3] = bool(digits and own_digits and not own_digits & digits)
        row[4], row[5] = name in last, name in before
        row[6] = alike[bare(name)] > 1 and not own_digits & digits
        row[7] = 1.0
    return rows


def numbers(said: str, spelt: float = SPELT) -> list[str]:
    """Those of a text, in figures; in words those above this one."""
    return re.findall(r"\d+", alpha2digit(said, "en", spelt))


def _rarity(runs: Sequence[frozenset[str]]) -> dict[str, float]:
    distinct = set(runs)
    counts = Counter(run for own in distinct for run in own)
    return {run: float(np.log1p(len(distinct) / count)) for run, count in counts.items()}


@lru_cache(maxsize=4096)
def _threes(text: str) -> frozenset[str]:
    """Runs of three letters of the words written as one: `soap bottle` and `soapbottle` share them."""
    joined = "".join(_WORD.findall(text.casefold()))
    return frozenset(joined[n : n + 3] for n in range(max(1, len(joined) - 2)))


def likeliest(odds: Mapping[str, float]) -> tuple[str, float]:
    return max(odds.items(), key=lambda one: one[1])
