"""What is done in the end: the rules' verdicts on a sentence and its pieces, and what the words alone make likely.

Each reading is a candidate: what the rules do, ask about or hold for possible, in the whole and in each run of its
pieces; the actions that the scorer finds likeliest; to do nothing. A small network fitted to sentences that the
rules had not seen weighs them against each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tools.worlds.words.gist import Gist, beside, gist
from tools.worlds.words.options import options
from tools.worlds.words.outcomes import Actions, Grounded, Impossible, NotAnAction, Unclear
from tools.worlds.words.scorer import Floats, Network, Tokens, Weights, centred, chances
from tools.worlds.words.signs import NEVER, Candidate, Heard, Verdict, candidates
from tools.worlds.words.spans import spans
from tools.worlds.words.spots import Heard as Sentence
from tools.worlds.words.spots import heard
from tools.worlds.words.surroundings import Surroundings, verb_of

Read = Callable[[str], Grounded]
EVEN = math.log(0.5)
LASTING = {"heat", "cool", "clean", "slice", "eat"}
FETCHING = {"take", "get", "grab", "fetch", "put", "check"}
TURNING = ("open", "close", "activate", "deactivate")
EITHER = "Which: "
"""So begins the question where the person named both: `fork 2 or fork 3`."""
LEFT = "All right, I leave that."
"""So begins the answer to what is forbidden."""
FORBIDDING = re.compile(
    r"\W*(?:(?:please|ok|okay|hey|no|and|now|also|but) ?,? ?)*(?:do not|don.?t|never|(?:you )?must(?: not|n.t)) "
    r"(?!(?:you|we|forget|hesitate|mind|worry|care|let|stand|just|only|be)\b)"
    r"(?!.*\b(?:but|just|only|rather|instead|until|unless|without|before|after|anymore|leave)\b)[^,.;:!?]*"
    r"(?:, ?(?:love|dear|darling|honey|mate|buddy|pal|man|please|thanks|ok|okay))?\W*"
)
"""Nothing but a prohibition: `please do not go to the fridge`."""
TAGGED = re.compile(r".*, (?:is|are|was|does|do|did|has|have)(?: not|n.t)? (?:it|they|there)(?: not)? ?\?$")
"""A remark that asks for assent: `the mug is nice, isn't it?`"""
REMARK = re.compile(
    r"\W*(?:(?:i|we) (?:think|like|love|wonder|hate|guess|believe)\b(?!.*\b(?:you|we|us|let)\b)|"
    r"(?:is|are|was|were|did|does) |which [a-z]+ ?\?|.*, (?:is|are|was|does|do|did|has|have)(?: not|n.t)? (?:it|"
    r"they|there)(?: not)? ?\?$|(?:my|his|her|he|she|they|someone|somebody|yesterday)\b"
    r"(?!.*\b(?:you|we|us|let|please)\b)|.*\bi (?:guess|think|suppose)\W*$)"
)


def verdict(done: Grounded) -> Verdict:
    """Of what the rules said."""
    if isinstance(done, Actions):
        return Verdict("did", done.actions, done.rest)
    if isinstance(done, Unclear):
        return Verdict("ask", done.options)
    if isinstance(done, Impossible):
        return Verdict("no", done.possible, already=done.already, absent=done.absent)
    return Verdict("none")


def decide(
    says: str, done: Grounded, read: Read, here: Surroundings, tokens: Tokens | None, weights: Weights
) -> Grounded:
    """The likeliest reading. `done`: the rules' verdict on the whole; `read` gives theirs on a piece of it."""
    if isinstance(done, Unclear) and done.question.startswith(EITHER):
        return done  # the person left it open; nobody else is to choose
    if isinstance(done, Unclear) and done.question.startswith(LEFT) and FORBIDDING.fullmatch(says.lower()):
        return done
    if isinstance(done, NotAnAction) and TAGGED.match(says.lower()):
        return done
    sentence = heard(says, here)
    if isinstance(done, Actions) and _set_phrase(sentence):
        return done
    said = judged(says, done, read)
    vectors = centred(says, tokens, weights) if tokens else None
    likely = chances(vectors, options(sentence, here), here, tokens, weights)
    about = _about(vectors, said, here, weights) if vectors is not None else None
    found = [one for one in candidates(said, likely, here.world, about) if not _guessed(one, sentence, here)]
    best = found[int(np.argmax(weigh(found, weights, tokens is not None)))]
    if isinstance(done, Impossible) and done.already and len(best.steps) == 1 and verb_of(best.steps[0]) in TURNING:
        return done  # what is open already is not to be closed
    if isinstance(done, Impossible) and done.absent and tokens is None:
        return done  # without vectors nothing tells a sword from a mug by another name
    if best.steps:
        if isinstance(done, Actions) and done.actions == best.steps:
            return done
        return Actions(best.steps, (says,) if _first(best, done) else best.rest)
    if isinstance(done, Actions) and _leads(done) and not said.remark:
        return done  # nineteen of twenty such sentences wanted it
    if isinstance(done, Actions) and likely.get("", NEVER) > EVEN and likely.keys() & {*done.actions}:
        return _asked(likely)
    return done


def _about(vectors: Floats, said: Heard, here: Surroundings, weights: Weights) -> Gist:
    """The sentence's gist after what was done last."""
    return gist(vectors, *beside(here.recent, here.world, said.remark), weights.gists, weights.heard)


def _set_phrase(sentence: Sentence) -> bool:
    """`where am i`, `what do i have`: no more than that was said."""
    words = sum(word.isalnum() for word in sentence.words)
    return any(size == words for _, _, size in sentence.alone)


def _guessed(reading: Candidate, sentence: Sentence, here: Surroundings) -> bool:
    """It would change a thing for good, and what the sentence says is another verb: `take it` is not to heat it."""
    spoken = {frame.verb for cue in sentence.cues for frame in cue.intent.frames}
    again = bool(here.recent) and reading.steps == (here.recent[-1],)
    return bool(spoken) and not again and any(verb_of(step) in LASTING - spoken for step in reading.steps)


def _leads(done: Actions) -> bool:
    """It only opens what the sentence is about (`take the egg from the fridge`, at a closed one), or only goes to where
    more than to take or to put is to be done (`open the fridge`, `wash the mug`, elsewhere).
    """
    if not done.rest or len(done.actions) > 1:
        return False
    verb = verb_of(done.actions[0])
    return verb == "open" or (verb == "go to" and done.rest[0].split()[0] not in FETCHING)


def _first(best: Candidate, done: Grounded) -> bool:
    """It only leads to where the sentence can be followed: `put the mug in the fridge`, over there."""
    return "possible" in best.signs and isinstance(done, Impossible) and "is out of reach" in done.why


def judged(says: str, done: Grounded, read: Read) -> Heard:
    """The sentence with the rules' verdicts on it and on its pieces."""
    pieces = tuple((span, verdict(read(span.text))) for span in spans(says))
    return Heard(verdict(done), pieces, remark(says))


def remark(says: str) -> bool:
    """Whether it has the form of one."""
    return bool(REMARK.match(says.lower()))


def _asked(likely: Mapping[str, float]) -> Grounded:
    """In place of what the rules would do: which of the likely ones, or nothing."""
    near = sorted((action for action, chance in likely.items() if action and chance > -3.0), key=lambda a: -likely[a])
    if len(near) < 2 or likely.get("", NEVER) > math.log(0.9):
        return NotAnAction()
    return Unclear(f"What is meant: {', '.join(near[:-1])} or {near[-1]}?", tuple(near))


def weigh(found: Sequence[Candidate], weights: Weights, seeing: bool) -> Floats:
    """A score for each candidate."""
    table = np.zeros((len(found), len(weights.signs)), np.float32)
    for row, candidate in zip(table, found, strict=True):
        for name, value in candidate.signs.items():
            if name in weights.signs:
                row[weights.signs[name]] = value
    scores = [_score(net, table) for net in weights.deciders["seeing" if seeing else "blind"]]
    total: Floats = np.sum(scores, axis=0, dtype=np.float32)
    return total


def _score(net: Network, table: Floats) -> Floats:
    bent = np.tanh(table @ net["hidden"].T + net["hidden_bias"]) @ net["top"].T + net["top_bias"]
    found: Floats = (table @ net["direct"].T + net["direct_bias"] + bent)[:, 0]
    return found
