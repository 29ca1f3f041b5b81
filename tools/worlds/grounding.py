"""Words to actions: "grab the mug from the desk please" becomes the admissible `take mug 1 from desk 1`.

No language model is asked; it takes milliseconds. What people say about verbs and nouns is in the tables of
`tools/worlds/words`; what there is to act on comes from the admissible actions alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.worlds.words import nouns
from tools.worlds.words.alone import IDIOM, NEVER
from tools.worlds.words.backoff import find
from tools.worlds.words.choose import Choice, Chooser
from tools.worlds.words.clauses import read
from tools.worlds.words.constructions import constructed
from tools.worlds.words.courtesies import TALK as CHAT
from tools.worlds.words.frames import MOTIONS
from tools.worlds.words.mentions import BINDERS, mention, noun_words
from tools.worlds.words.nouns import DETERMINERS
from tools.worlds.words.readings import Reading, alone, readings
from tools.worlds.words.reasons import listed, reason
from tools.worlds.words.steps import carried, exits, first
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import number, singular, tidy
from tools.worlds.world import Scene

OPENED = ("open", "shut", "closed", "ajar")
THROUGH = {"in", "inside", "through", "on", "into", "it", "there"}
TALK = frozenset(["chef", "stop", "full", "pretty", "love", "liquid"])
"""Parts of names that are no things by themselves."""
ENOUGH = 0.45
"""So likely has an action to be that the rules did not find."""
REMARK = re.compile(
    r"\W*(?:(?:i|we) (?:think|like|love|wonder|hate|guess|believe)\b(?!.*\b(?:you|we|us|let)\b)|"
    r"(?:is|are|was|were|did|does) |which [a-z]+ ?\?|.*, (?:is|are|was|does|do|did|has|have)(?: not|n.t)? (?:it|"
    r"they|there)(?: not)? ?\?$|(?:my|his|her|he|she|they|someone|somebody|yesterday)\b"
    r"(?!.*\b(?:you|we|us|let|please)\b)|.*\bi (?:guess|think|suppose)\W*$)"
)
"""Says or asks how things are; no more is to be looked for in it."""
OUT = re.compile(
    r"(?:leave|exit|get out|go out|head out|walk out|step out|get from|go from|head from|walk from)(?: (?:from "
    r")?(.+))?$"
)
FLOOR = re.compile(
    r"\b(?:put|drop|leave|set|throw|place|toss|lay)\b.*\b(?:on|onto|to) the (?:floor|ground)\b(?! lamp)", re.IGNORECASE
)
DONE = re.compile(r"you (heat|cool|clean) the ([a-z]+ \d+) using the ([a-z]+ \d+)")
POLITE = re.compile(r"\b(?:please|now|ok|okay|and|then|pls|just)\b|,")
NOT = re.compile(r"\bnot\b", re.IGNORECASE)
AGAIN = frozenset(
    (
        "again",
        "do it again",
        "do that again",
        "repeat",
        "repeat that",
        "repeat it",
        "do it",
        "do again",
        "do that",
        "same again",
        "do the same again",
        "one more time",
        "do it one more time",
    )
)
MOVING = ("go to", "teleport to", "open", "close")
"""After these the list of what is possible is another one, so that later clauses have to wait for it."""


@dataclass(frozen=True)
class Actions:
    """Admissible actions in order. `rest`: later clauses, in words, that need what the actions bring about first;
    ground them again (each with the actions taken so far as `recent`) once the world has answered."""

    actions: tuple[str, ...]
    rest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unclear:
    """Several actions fit; the person is asked. `options` are admissible actions (none where words are missing)."""

    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Impossible:
    """A command that cannot be followed here: why, in one sentence, and admissible actions that may help."""

    why: str
    possible: tuple[str, ...] = ()
    already: bool = False
    """It is so without doing anything: the fridge is open, the mug is held."""
    absent: bool = False
    """What was named and is not here may as well have been no name (`stove on, chef`)."""


@dataclass(frozen=True)
class NotAnAction:
    """A remark or a question: nothing that the world could do."""


Grounded = Actions | Unclear | Impossible | NotAnAction


def ground(
    says: str,
    world: str,
    admissible: Sequence[str],
    observation: str = "",
    scene: Scene | None = None,
    recent: Sequence[str] = (),
) -> Grounded:
    """What the person wants done now. `recent`: actions taken so far, the last one last; pronouns refer to them."""
    here = Surroundings(world, admissible, observation, scene, recent)
    literal = next((action for action in here.admissible if action.lower() == says.strip(" .!").lower()), None)
    if literal:
        return Actions((literal,))
    if world == "alfworld" and FLOOR.search(says):
        return Impossible("Nothing can be put on the floor here: name a place that is here.")
    if POLITE.sub(" ", says.lower()).strip(" .!,?") in AGAIN and (last := _last(here, recent)):
        return Actions((last,))
    words = frozenset(word for name in here.names for word in (*name.text.split(), *name.base) if word.isalpha())
    done = _narrowed(_read(says, words, here, bold=False), says, words, here)
    if isinstance(done, Actions | Unclear):
        return done
    again = _read(says, words, here, bold=True)
    return again if isinstance(again, Actions) else _backed(says, done, here)


def _narrowed(done: Grounded, says: str, words: frozenset[str], here: Surroundings) -> Grounded:
    """Without what the person said is not meant: `a pencil, not pencil 1`."""
    sentence = read(says, words) if isinstance(done, Unclear) and NOT.search(says) else None
    if sentence is None or not isinstance(done, Unclear):
        return done
    chooser = Chooser(here, here.recent)
    barred = [what for excluded in sentence.excluded if (what := mention(excluded))]
    left = [o for o in done.options if not any(chooser.fit(what, a) for what in barred for a in here.parse(o).args)]
    return Actions(tuple(left)) if len(left) == 1 and barred else done


def _backed(says: str, done: Grounded, here: Surroundings) -> Grounded:
    """What the rules left open, by the words alone; what they refused for a reason stays refused."""
    if not isinstance(done, NotAnAction) and not (isinstance(done, Impossible) and done.absent):
        return done
    if REMARK.match(says.lower()) or CHAT.match(tidy(says).strip(" .!?,")):
        return done
    found = find(says, here)
    if not found.action or found.chance < ENOUGH:
        return done
    if found.ties:
        options = (found.action, *found.ties)
        return Unclear(f"What is meant: {listed(options, 'or')}?", options)
    return Actions((found.action,))


def _read(says: str, words: frozenset[str], here: Surroundings, bold: bool) -> Grounded:
    sentence = read(says, words, bold)
    if sentence is None:
        return NotAnAction()
    if sentence.perhaps and not sentence.clauses:
        return _perhaps(sentence.perhaps, here)
    if not sentence.clauses:
        asked = (
            "That depends: what shall I do now?"
            if sentence.unsure
            else "All right, I leave that. What shall I do instead?"
        )
        return Unclear(asked)
    done = _in_turn([list(clause) for clause in sentence.clauses], here)
    perhaps = _perhaps(sentence.perhaps, here, True) if sentence.perhaps and not isinstance(done, Actions) else done
    return perhaps if isinstance(perhaps, Actions) else done


def _perhaps(words: tuple[str, ...], here: Surroundings, walking: bool = False) -> Grounded:
    """`laundry hamper`: what is named and nothing else is to be gone to or taken, if it is certainly here."""
    named = {part for name in here.names for part in (*name.base, *name.rest, *name.text.split())}
    known = named | noun_words() | BINDERS | DETERMINERS | nouns.EVERY | nouns.ANY | nouns.OTHER | {"next", "last"}
    if words[0] == "want" and not all(singular(w) in known or w in known or number(w) is not None for w in words[1:]):
        return NotAnAction()
    done = _clause(list(words), here, here.recent)
    found = isinstance(done, Actions) and (walking or not done.rest or words[:2] == ("look", "in"))
    return done if found or (isinstance(done, Unclear) and done.options) else NotAnAction()


def _in_turn(clauses: list[list[str]], here: Surroundings) -> Grounded:
    """Grounds clause after clause, until one has to wait for what the actions before it bring about."""
    taken: list[str] = []
    spoken_of: list[str] = []
    for i, clause in enumerate(clauses):
        if i + 1 < len(clauses) and (clause in (["go"], ["come"], ["get"]) or IDIOM.match(" ".join(clause))):
            continue
        rest = tuple(" ".join(words) for words in clauses[i:])
        done = _clause(clause, here, (*here.recent, *spoken_of, *taken))
        waits = taken and here.parse(taken[-1]).verb in MOVING and (not _moves(done, here) or _onward(clause))
        if isinstance(done, Actions) and not waits:
            taken += [action for action in done.actions if action not in taken]
            if done.rest:
                return Actions(tuple(taken), done.rest + rest[1:])
        elif isinstance(done, Impossible) and done.already and i + 1 < len(clauses):
            spoken_of += done.possible[:1]
        elif (
            i + 1 < len(clauses) and (isinstance(done, NotAnAction) or (isinstance(done, Impossible) and done.absent))
        ) or (clause[0] == "leave" and isinstance(done, Impossible) and i + 1 < len(clauses)):
            continue
        elif taken:
            return Actions(tuple(taken), rest)
        else:
            return done
    return Actions(tuple(taken))


def _onward(clause: Sequence[str]) -> bool:
    """`go in`, `head through`: into what was just opened."""
    return clause[0] in MOTIONS and set(clause[1:]) <= THROUGH


def _moves(done: Grounded, here: Surroundings) -> bool:
    return (
        isinstance(done, Actions)
        and not done.rest
        and all(here.parse(action).verb in MOVING for action in done.actions)
    )


def _clause(words: list[str], here: Surroundings, recent: Sequence[str]) -> Grounded:
    for action in alone(words):
        if action in here.admissible:
            return Actions((action,))
    if IDIOM.match(" ".join(words)):
        return Impossible(f"I cannot {' '.join(words)}; I can {listed(here.verbs)}.")
    if "for" in words[2:-1] and not _named(words[words.index("for") + 1 :], here):
        words = words[: words.index("for")]
    if "or" in words[1:-1]:
        return _either(words, here, recent)
    if _out(words, here):
        return _leave(here)
    ways = readings(["go", "to", "it"] if _onward(words) and len(words) > 1 else words)
    chooser = Chooser(here, recent)
    if steps := carried(words, ways, chooser):
        return Actions(steps)
    choice = chooser.choose(constructed(words)) if words[-1] in OPENED else Choice()
    if not choice.actions:
        choice = chooser.choose(ways) if ways else Choice()
    if not choice.actions and not choice.between:
        choice = chooser.choose(constructed(words))
    if not ways and not choice.actions:
        return _unknown(words, here)
    if choice.actions:
        return Actions(choice.actions)
    if choice.between:
        return _ask(choice, ways)
    if _says_nothing(ways):
        return _what(ways[0], here)
    step, finished = first(words, ways, chooser)
    if step:
        return Actions((step,), () if finished else (" ".join(words),))
    why, possible = reason(here, chooser, sorted(ways, key=lambda way: not way.others))
    if why.startswith("The door to ") and ways[0].intent.name == "go":
        return Actions(possible, (" ".join(words),))
    return Impossible(why, possible, already=" already " in why, absent=_fluff(why, here))


def _last(here: Surroundings, recent: Sequence[str]) -> str:
    """What was done last, if it can be done once more; without a record of it, what the observation tells."""
    told = DONE.match(here.observation)
    last = recent[-1] if recent else f"{told[1]} {told[2]} with {told[3]}" if told else ""
    return last if last in here.admissible else ""


def _named(words: Sequence[str], here: Surroundings) -> bool:
    """Something in these words may be a name of this world."""
    known = {part for name in here.names for part in (*name.base, *name.rest)}
    return any(singular(word) in known or word in known or number(word) is not None for word in words)


def _either(words: list[str], here: Surroundings, recent: Sequence[str]) -> Grounded:
    """`drawer 1 or 2`: the person decides, but where any will do."""
    done = _clause(["and" if word == "or" else word for word in words], here, recent)
    if not isinstance(done, Actions) or (len(done.actions) < 2 and not done.rest):
        return done
    if nouns.ANY & set(words):
        return Actions(done.actions[:1], done.rest)
    return Unclear(f"Which: {listed(done.actions, 'or')}?", done.actions)


def _out(words: Sequence[str], here: Surroundings) -> bool:
    """`leave`, `exit the room`, `get out of the workshop`."""
    said = " ".join(word for word in words if word not in DETERMINERS)
    found = OUT.match(said)
    if found is None or not found[1]:
        return found is not None and words[0] in ("leave", "exit")
    return (
        here.room == f"in {found[1]}"
        or _is_room(found[1], here)
        or found[1] in ("room", "place", "here", "area", here.place)
    )


def _is_room(said: str, here: Surroundings) -> bool:
    """The room in which the agent is, as far as one can tell: it was just moved to and nobody can go to it."""
    return f"you move to the {said}." in here.observation and f"go to {said}" not in here.admissible


def _leave(here: Surroundings) -> Grounded:
    ways = exits(here)
    if here.world == "alfworld" or not ways:
        return Impossible("There is no way out of here.")
    return Actions(ways) if len(ways) == 1 else Unclear(f"Which way: {listed(ways, 'or')}?", ways)


def _fluff(why: str, here: Surroundings) -> bool:
    """What is absent is perhaps no thing at all: `there is no sink chef order here`."""
    absent = re.match(r"There is no (.+?) here;", why)
    known = noun_words() | {word for name in here.names for word in (*name.base, *name.rest)} | {"terminal"}
    known = known - TALK
    words = absent[1].split() if absent else []
    return not all(word in known or len(word) == 1 or word.isdigit() for word in words)


def _unknown(words: list[str], here: Surroundings) -> Grounded:
    if alone(words):
        return Impossible(f"`{' '.join(words)}` is not possible here; I can {listed(here.verbs)}.")
    if words[0] in NEVER:
        return Impossible(f"I cannot {words[0]} here; I can {listed(here.verbs)}.")
    return NotAnAction()


def _says_nothing(ways: Sequence[Reading]) -> bool:
    return all(not way.direct and not way.others for way in ways)


def _what(way: Reading, here: Surroundings) -> Grounded:
    possible = tuple(act.text for frame in way.intent.frames for act in here.acts(frame.verb))[:8]
    if not possible:
        return Impossible(f"There is nothing to {way.verb} here; I can {listed(here.verbs)}.")
    return Unclear(f"What shall I {way.verb}?", possible)


def _ask(choice: Choice, ways: Sequence[Reading]) -> Unclear:
    """`Which mug: mug 1 or mug 2?`"""
    things = list(dict.fromkeys(candidate.roles.get(choice.role, candidate.act.text) for candidate in choice.between))
    options = tuple(candidate.act.text for candidate in choice.between)
    if len(things) < 2:
        return Unclear(f"What is meant: {listed(options, 'or')}?", options)
    kinds = {" ".join(word for word in thing.split() if not word.isdigit()) for thing in things}
    said = _said(choice.role, ways)
    which = kinds.pop() if len(kinds) == 1 else said
    return Unclear(f"Which {which or 'one'}: {listed(things, 'or')}?", options)


def _said(role: str, ways: Sequence[Reading]) -> str:
    """The person's own noun for a role."""
    for way in ways:
        what = way.roles(0).get(role)
        if what and what.base:
            return " ".join(what.base)
    return ""


def candidates(says: str, admissible: Sequence[str], k: int = 8) -> list[tuple[str, float]]:
    """The `k` admissible actions nearest to the words, with scores of 0 to 1: for a strong model to pick from."""
    from rapidfuzz import fuzz, process

    here = Surroundings("", admissible)
    words = frozenset(word for name in here.names for word in name.text.split() if word.isalpha())
    sentence = read(says, words)
    chooser = Chooser(here, ())
    fits = {
        candidate.act.text: candidate.score
        for clause in (sentence.clauses if sentence else ())
        for way in readings(list(clause))
        for which in range(max(1, len(way.direct)))
        for candidate in chooser.candidates(way, which)
    }
    alike = process.extract(says.lower(), here.admissible, scorer=fuzz.token_set_ratio, limit=k)
    for action, ratio, _ in alike:
        fits.setdefault(action, ratio / 250)
    return sorted(fits.items(), key=lambda pair: -pair[1])[:k]


def pick(says: str, options: Sequence[str]) -> str | None:
    """The option that an answer to `Unclear` names ("the second one", "mug 2"); None where it names none or several."""
    from tools.worlds.words.text import tokens

    words = [word for word in tokens(tidy(says)) if word.isalnum()]
    what = mention(words) if words else None
    if what is None:
        return None
    here = Surroundings("", options)
    whole = [option for option in options if says.strip(" .!").lower() == option.lower()]
    if whole:
        return whole[0]
    chooser = Chooser(here, ())
    args = {option: here.parse(option).args for option in options}
    named = [
        option
        for option, filled in args.items()
        if any(not what.pronoun and chooser.fit(what, arg) > 0.7 for arg in filled)
    ]
    if len(named) == 1:
        return named[0]
    return options[what.number - 1] if what.number and 0 < what.number <= len(options) and what.pronoun else None
