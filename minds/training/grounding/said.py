"""Sentences to fit words to actions: labelled ones over real lists, made ones over the same lists, and mere chat.

The labelled ones are development sentences of several authors. Made ones fill the phrases of data/grounding_fit.txt
with what is to be acted on in those situations, named in other words now and then (data/grounding_names.txt).
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from minds.training.grounding.sentences import DATA, rows
from tools.worlds.words import nouns
from tools.worlds.words.scorer import verbal
from tools.worlds.words.surroundings import Act, Surroundings
from tools.worlds.words.text import parts

EACH = 11
"""Made sentences in each situation."""
IDLE = 0.17
"""Share of them that ask for nothing."""
USUAL = {
    "look": 0.05, "look around": 0.05, "inventory": 0.1, "task": 0.05, "wait": 0.1, "wait1": 0.1, "examine": 0.4,
    "go to": 2.0, "take": 3.0, "pick up": 3.0, "move": 3.0, "open": 1.5, "close": 1.5, "connect": 0.6,
    "disconnect": 0.2, "mix": 0.4, "look at": 0.6, "eat": 0.6,
}  # fmt: skip
"""How often a verb is wanted, against the others."""
ELECTRIC = re.compile("wire|terminal|anode|cathode|battery|bulb|motor|buzzer|generator|panel|switch")
WHOLE = re.compile(r"\b(?:to|eat|you|with|where|when|one)\b")
AROUND = (
    *("{}",) * 6, "please {}", "{}, thanks", "hey, {}", "ok {}", "{} lol", "um, {}", "so, {}",
    "sorry to bother you, but {}", "I've got guests coming, so {}", "{} because dinner is soon",
    "{}, we are in a hurry", "alright then. {}", "{} if you don't mind", "my mum is watching, {}",
    "phew, that was hard work! {}", "{} ... and mind the step", "next thing: {}", "I think we should do this now: {}",
    "right, {}", "{} before I forget", "it's late already and I want to go to bed, {}",
    "could you do me a favour: {}", "{} pls", "as the task says, {}", "wow ok {}", "{}, good buddy",
    "since there's nothing else to do, {}", "you know what? {}", "{} and thank you very much",
)  # fmt: skip
TURNED = (
    "{o}, no wait, {x}",
    "{o}... no, {x}",
    "{x}, not {o}",
    "{o}, I mean {x}",
    "not {o} but {x}",
    "{o} - sorry, {x}",
)
TOPIC = ("{x} is right here. ", "about {x}: ", "I see {x}, ", "there is {x}! ", "{x} it is, ")
ABSENT = (
    "the trampoline", "a violin", "the piano", "the dishwasher", "a hammer", "the ladder", "an umbrella", "my guitar",
    "the helicopter", "a pineapple", "the bicycle", "some cheese", "the curtains", "a hairdryer", "the printer",
    "a broom", "the vacuum cleaner", "a strawberry", "the dog", "the aquarium", "a screwdriver", "a magnet",
    "the microscope", "a balloon", "the garage", "the attic", "the balcony", "a snowman", "scissors", "the tent",
)  # fmt: skip
NTH = ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
SPELT = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@dataclass(frozen=True)
class Said:
    """A sentence in a situation, and what is acceptable to do (nothing, where it is empty)."""

    says: str
    world: str
    observation: str
    admissible: tuple[str, ...]
    recent: tuple[str, ...]
    expect: tuple[str, ...]

    @property
    def here(self) -> Surroundings:
        """The situation, for the rules."""
        return Surroundings(self.world, self.admissible, self.observation, None, self.recent)


def labelled(file: str) -> list[Said]:
    """The sentences of one file."""
    return [
        Said(
            row["says"],
            row["world"],
            row["observation"],
            tuple(row["admissible"]),
            tuple(row.get("recent", ())),
            tuple(row["expect"]),
        )
        for row in rows(file)
    ]


def chat(situations: Sequence[Said], count: int, seed: int = 3) -> list[Said]:
    """Turns of ordinary conversation, which ask a world for nothing."""
    chance = Random(seed)
    lines = (DATA / "gate_fit.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    chosen = chance.sample(texts, min(count, len(texts)))
    return [replace(chance.choice(situations), says=text, expect=()) for text in chosen]


@cache
def phrases() -> dict[str, list[str]]:
    """Verb -> ways to say it."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in (DATA / "grounding_fit.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            verb, _, phrase = line.partition(": ")
            found[verb].append(phrase)
    return dict(found)


@cache
def others() -> dict[str, tuple[str, ...]]:
    """A thing -> other words for it."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in (DATA / "grounding_names.txt").read_text(encoding="utf-8").splitlines():
        thing, _, said = line.partition(": ")
        found[thing] += [part for part in said.split(", ") if len(part.split()) <= 3 and not WHOLE.search(part)]
    for line in nouns.SAME:
        for thing in (alike := [part.strip() for part in line.split(",")]):
            found[thing] += [other for other in alike if other != thing]
    return {thing: tuple(dict.fromkeys(said)) for thing, said in found.items()}


def made(situations: Iterable[Said], seed: int = 7) -> list[Said]:
    """Phrases filled in each situation, rare verbs as often as there is occasion."""
    maker = _Maker(Random(seed))
    distinct = {(said.world, said.observation, said.admissible): said for said in situations}
    return [one for said in distinct.values() for _ in range(EACH) if (one := maker.one(said))]


class _Maker:
    """Draws verbs, things, phrases and the talk around them."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.counts: Counter[str] = Counter()

    def one(self, said: Said) -> Said | None:
        here = said.here
        names = [name.text for name in here.names]
        if self.chance.random() < IDLE and names:
            text = self.chance.choice(phrases()["none"]).replace("{x}", f"the {_base(self.chance.choice(names))}")
            text = text.replace("{q}", self.chance.choice(ABSENT))
            return replace(said, says=self._spoken(text), expect=())
        verbs = [verb for verb in here.verbs if _key(verb, here) in phrases()]
        shares = [USUAL.get(verb, 1.0) / (1 + self.counts[verb]) ** 0.4 for verb in verbs]
        if not verbs:
            return None
        verb = self.chance.choices(verbs, shares)[0]
        acts = self._acts(verb, here)
        if not acts:
            return None
        self.counts[verb] += 1
        return self._asked(said, self.chance.choice(acts), acts, names)

    def _acts(self, verb: str, here: Surroundings) -> list[Act]:
        aside = ("agent", "air", "inventory")
        acts = [
            act
            for act in here.acts(verb)
            if len(set(act.args)) == len(act.args)
            and not any(arg in aside or arg.endswith(" in inventory") for arg in act.args)
        ]
        if verb in ("connect", "disconnect"):
            acts = [act for act in acts if all(ELECTRIC.search(arg) for arg in act.args)]
        if verb == "move" and here.world == "scienceworld":
            held = set(here.holding)
            acts = [act for act in acts if len(act.args) > 1 and (act.args[0] in held or self.chance.random() < 0.02)]
        return acts

    def _asked(self, said: Said, act: Act, acts: Sequence[Act], names: Sequence[str]) -> Said | None:
        here, recent = said.here, said.recent
        key = _key(act.verb, here, act)
        if key not in phrases():
            return None
        phrase = self.chance.choice(phrases()[key])
        first = self._name(act.args[0], names) if act.args else ""
        second = self._name(act.args[1], names) if len(act.args) > 1 else ""
        if second and "{y}" not in phrase and sum(other.args[0] == act.args[0] for other in acts) > 1:
            phrase += {"move": " in {y}"}.get(act.verb, " with {y}")
        rivals = [o.args[0] for o in acts if o.args and act.args and o.args[0] != act.args[0]]
        turn = self.chance.random()
        if turn < 0.07 and rivals:
            other = self._name(self.chance.choice(rivals), names)
            first = self.chance.choice(TURNED).replace("{o}", other).replace("{x}", first)
        elif turn < 0.15 and "{x}" in phrase and act.args:
            phrase = self.chance.choice(TOPIC) + phrase.replace("{x}", "it")
        elif turn < 0.17 and act.args:
            looks = [o.text for verb in ("examine", "look at") for o in here.acts(verb) if o.args[0] == act.args[0]]
            if looks:
                recent, first = (*recent, looks[0]), self.chance.choice(("it", "that", "this one"))
        text = phrase.replace("{x}", first).replace("{y}", second)
        return replace(said, says=self._spoken(text), recent=recent, expect=tuple(_equal(act, here)))

    def _name(self, arg: str, names: Sequence[str]) -> str:
        """As a person says it, with its number where there are others."""
        base, number = _base(arg), next(iter(re.findall(r" (\d+)$", arg)), "")
        alike = [name for name in names if _base(name) == base]
        core = re.split(r" (?:in|containing|on) ", base)[0]
        if len(alike) < 2 and sum(re.split(r" (?:in|containing|on) ", _base(name))[0] == core for name in names) < 2:
            base = core
        kinds = {_base(name) for name in names}
        alias = [word for word in others().get(base, ()) if sum(word in others().get(kind, ()) for kind in kinds) == 1]
        said = self.chance.choice(alias) if alias and self.chance.random() < 0.3 else base
        if number and len(alike) > 1:
            return self._numbered(said, int(number))
        return self.chance.choice(("the ", "the ", "the ", "that ", "", "my ", "this ")) + said

    def _numbered(self, said: str, number: int) -> str:
        way = self.chance.random()
        if way < 0.5 or number > 10 or not number:
            return f"{self.chance.choice(('', 'the ', ''))}{said} {number}"
        if way < 0.65:
            return f"the {NTH[number]} {said}"
        spelt = SPELT[number] if way < 0.9 else str(number)
        return f"{said} {'number ' if way >= 0.8 else ''}{spelt}"

    def _spoken(self, text: str) -> str:
        """Among talk, in some spelling."""
        text = self.chance.choice(AROUND).format(text)
        way = self.chance.random()
        if way < 0.15:
            return text.lower().replace("'", "")
        if way < 0.3:
            return text.lower()
        if way < 0.5:
            return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")
        at = self.chance.randrange(max(1, len(text) - 2))
        slip = way > 0.92 and text[at : at + 2].isalpha()
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :] if slip else text


def _key(verb: str, here: Surroundings, act: Act | None = None) -> str:
    """Under which name the phrases of a verb stand."""
    if verb != "use":
        return verb
    if here.world == "alfworld":
        return "use1"
    return "thermometer" if act and "thermometer" in act.args[0] else "use2"


def _base(arg: str) -> str:
    return " ".join(part for word in arg.split() if not word.isdigit() for part in parts(word))


def _equal(act: Act, here: Surroundings) -> list[str]:
    """Every admissible action that does the same."""
    found = [act.text]
    if act.verb == "pick up":
        found.append(f"move {act.args[0]} to inventory")
    if act.verb == "go to":
        room = re.sub(r"^door to | door$", "", act.args[0])
        found += [f"go to {room}", f"go to door to {room}", f"go to {room} door"]
    return [action for action in dict.fromkeys(found) if action in here.admissible]


def spoken_names(said: Iterable[Said]) -> list[str]:
    """Every name that is acted on, as it is spoken."""
    acts = (act for one in said for verb in one.here.verbs for act in one.here.acts(verb))
    return sorted({verbal(arg) for act in acts for arg in act.args})
