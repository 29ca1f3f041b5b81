"""Words to actions: "grab the mug from the desk please" becomes the admissible `take mug 1 from desk 1`.

No language model is asked; it takes milliseconds. What people say about verbs and nouns is in the tables of
`tools/worlds/words`; what there is to act on comes from the admissible actions alone. Rules read the sentence and its
pieces; what they make of them is weighed, by what was learned, against all that is possible (`words/deciding.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.worlds.words import nouns
from tools.worlds.words.acting import acted, last_done, onward
from tools.worlds.words.alone import IDIOM
from tools.worlds.words.choose import Chooser
from tools.worlds.words.clauses import read
from tools.worlds.words.deciding import LEFT, decide
from tools.worlds.words.mentions import BINDERS, mention, noun_words
from tools.worlds.words.nouns import DETERMINERS
from tools.worlds.words.outcomes import Actions, Grounded, Impossible, NotAnAction, Unclear
from tools.worlds.words.readings import readings
from tools.worlds.words.retold import retold, surely
from tools.worlds.words.scorer import Tokens, stored
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings
from tools.worlds.words.text import TWINS, number, singular, spelled, tidy, tokens
from tools.worlds.world import Scene

__all__ = ["Actions", "Grounded", "Impossible", "NotAnAction", "Unclear", "candidates", "ground", "pick"]
FLOOR = re.compile(
    r"\b(?:put|drop|leave|set|throw|place|toss|lay)\b.*\b(?:on|onto|to) the (?:floor|ground)\b(?! lamp)", re.IGNORECASE
)
POLITE = re.compile(r"\b(?:please|now|ok|okay|and|then|pls|just)\b|,")
NOT = re.compile(r"\bnot\b", re.IGNORECASE)
AGAIN = frozenset(
    nouns.phrases(
        "again, do it again, do that again, repeat, repeat that, repeat it, do again, same again, do the same again, "
        "one more time, do it one more time"
    )
)
MEASURED = re.compile(
    r"(?=.*\b(?:again|once more|one more|another|same|re ?measure|re ?check|keep|continue)\b)"
    r".*\b(?:temps?|temperatures?|readings?|measure|measuring|measurement|re ?measure|thermometer)\b"
)
"""`check its temperature again`, `one more reading`."""
FOUND = re.compile(r"\bwhere (?:you|we|i)(?: just| first)? (?:found|got|took|picked|had)\b")
MOVING = ("go to", "teleport to", "open", "close")
"""After these the list of what is possible is another one, so that later clauses have to wait for it."""


def ground(
    says: str,
    world: str,
    admissible: Sequence[str],
    observation: str = "",
    scene: Scene | None = None,
    recent: Sequence[str] = (),
    tokens: Tokens | None = None,
) -> Grounded:
    """What the person wants done now. `recent`: actions taken so far, the last one last; pronouns refer to them.

    `tokens`: the encoder of sentences; without it paraphrases are found less often.
    """
    here = Surroundings(world, admissible, observation, scene, recent)
    bare = " ".join(POLITE.sub(" ", says.lower()).split())
    spoken = {says.strip(" .!").lower(), bare.strip(" .!")}
    if literal := next((action for action in here.admissible if action.lower() in spoken), None):
        return Actions((literal,))
    done = by_rules(says, here)
    return decide(says, done, lambda piece: by_rules(piece, here), here, tokens, stored())


def by_rules(says: str, here: Surroundings) -> Grounded:
    """What the tables make of it, without anything learned."""
    if here.world == "alfworld" and FLOOR.search(says):
        return Impossible("Nothing can be put on the floor here: name a place that is here.")
    if " ".join(POLITE.sub(" ", says.lower()).split()).strip(" .!,?") in AGAIN:
        if last := last_done(here, here.recent):
            return Actions((last,))
        if here.recent:
            return Impossible(f"That cannot be done again here now: {here.recent[-1]}.")
    if measured := _measured(says, here):
        return Actions((measured,))
    words = frozenset(word for name in here.names for word in (*name.text.split(), *name.base) if word.isalpha())
    if told := surely(says, words):
        meant = _read(told, words, here, bold=False)
        if isinstance(meant, Actions):
            return meant
    done = _found(_narrowed(_read(says, words, here, bold=False), says, words, here), says, here)
    if isinstance(done, Actions):
        return done
    if not isinstance(done, Unclear):
        again = _read(says, words, here, bold=True)
        if isinstance(again, Actions):
            return again
    return _anew(says, words, here) or done


def _measured(says: str, here: Surroundings) -> str:
    """The last measuring where it is asked for once more, and of nothing else; else the empty text."""
    last = next((action for action in reversed(here.recent) if action.startswith("use thermometer on ")), "")
    if last not in here.admissible or not MEASURED.match(says.lower()):
        return ""
    about = {*here.parse(last).args, "thermometer"}
    return last if all(about & spot.fits.keys() for spot in heard(says, here).spots) else ""


def _anew(says: str, words: frozenset[str], here: Surroundings) -> Actions | None:
    """What comes of the sentence told in another way."""
    for told, spoken in retold(says, words, here):
        recent = (*here.recent, *(f"examine {name}" for name in spoken))
        there = Surroundings(here.world, here.admissible, here.observation, here.scene, recent) if spoken else here
        done = _read(told, words, there, bold=False)
        if isinstance(done, Actions):
            return done
    return None


def _found(done: Grounded, says: str, here: Surroundings) -> Grounded:
    """`back where you found it`: of several, the one from which something was taken."""
    if not isinstance(done, Unclear) or not FOUND.search(says.lower()):
        return done
    taken = {act.args[1] for text in here.recent if (act := here.parse(text)).verb == "take" and len(act.args) > 1}
    left = [option for option in done.options if taken & set(here.parse(option).args)]
    return Actions(tuple(left)) if len(left) == 1 else done


def _narrowed(done: Grounded, says: str, words: frozenset[str], here: Surroundings) -> Grounded:
    """Without what the person said is not meant: `a pencil, not pencil 1`."""
    sentence = read(says, words) if isinstance(done, Unclear) and NOT.search(says) else None
    if sentence is None or not isinstance(done, Unclear):
        return done
    chooser = Chooser(here, here.recent)
    barred = [what for excluded in sentence.excluded if (what := mention(excluded))]
    left = [o for o in done.options if not any(chooser.fit(what, a) for what in barred for a in here.parse(o).args)]
    return Actions(tuple(left)) if len(left) == 1 and barred else done


def _read(says: str, words: frozenset[str], here: Surroundings, bold: bool) -> Grounded:
    sentence = read(says, words, bold)
    if sentence is None:
        return NotAnAction()
    if sentence.perhaps and not sentence.clauses:
        return _perhaps(sentence.perhaps, here)
    if not sentence.clauses:
        asked = "That depends: what shall I do now?" if sentence.unsure else f"{LEFT} What shall I do instead?"
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
    done = acted(list(words), here, here.recent)
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
        done = acted(clause, here, (*here.recent, *spoken_of, *taken))
        waits = taken and here.parse(taken[-1]).verb in MOVING and (not _moves(done, here) or onward(clause))
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


def _moves(done: Grounded, here: Surroundings) -> bool:
    return (
        isinstance(done, Actions)
        and not done.rest
        and all(here.parse(action).verb in MOVING for action in done.actions)
    )


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
    here = Surroundings("", options)
    known = frozenset(word for name in here.names for word in name.text.split())
    words = [spelled(word, known, known) if word in TWINS else word for word in tokens(tidy(says)) if word.isalnum()]
    what = mention(words) if words else None
    if what is None:
        return None
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
