"""Whether a question is THE SAME as one that was answered, so that the answer may be given again (DUMA 2.4).

Unequal in doubt: a miss costs a slow run, a false hit a wrong answer. The vectors only find candidates; that
`387 times 46` is not `387 times 47` is seen here, by comparing what both say once they are in one notation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from memory.memory import Note
from memory.standalone import personal, stands_alone
from memory.wording import Wording, bare, read, tidy

__all__ = ["NEAR", "differs", "holds", "personal", "spoken", "stands_alone", "unlike"]

NEAR = 0.75
"""The least cosine of the `spoken` forms of two questions that are the same (chosen on the tests' tuning.jsonl)."""

_OPERATIONS = {"@times": "times", "@over": "divided by", "@to": "to", "@mod": "modulo", "@sqrt": "square root of"}
_wording = lru_cache(maxsize=4096)(read)


def spoken(question: str) -> str:
    """What is embedded: a calculation in one wording for all its variants, anything else without courtesy."""
    wording = _wording(question)
    if not wording.calculation:
        return bare(question) or question
    return " ".join(_OPERATIONS.get(token, token.lstrip("#~@")) for token in wording.tokens)


def differs(question: str, note: Note, context: Mapping[str, str], similarity: float = 1.0) -> str:
    """Why the note may not answer the question, in a few words; empty where it may.

    `context` is where the question is asked: {"date":, "session":, "documents":}.
    """
    if note.kind != "result":
        return "not a result"
    apart = unlike(question, note.question) or ("another question" if similarity < NEAR else "")
    return apart or _unfit(question, note) or _elsewhere(question, note, context)


def holds(note: Note, context: Mapping[str, str]) -> bool:
    """Whether all that a note depends on is so where it is asked for."""
    return all(value == context.get(key) for key, value in note.depends.items())


def unlike(one: str, other: str) -> str:
    """How two questions differ, in a few words; empty where they ask the same."""
    a, b = _wording(one), _wording(other)
    if not a.tokens or not b.tokens:
        return "" if tidy(one).lower() == tidy(other).lower() else "words differ"
    return _figures(a, b) or _words(a, b)


def _figures(a: Wording, b: Wording) -> str:
    for kind, name in (("#", "numbers"), ("~", "units"), ("@", "operations")):
        mine, theirs = ([token for token in w.tokens if token[0] == kind] for w in (a, b))
        if sorted(mine) != sorted(theirs):
            return f"{name} differ"
    if a.quoted != b.quoted:
        return "quoted texts differ"
    return ""


def _words(a: Wording, b: Wording) -> str:
    names = a.names | b.names
    # A name in either text is compared as it is written: `Banks` is no `bank`, yet `France` is `france`.
    mine, theirs = (
        [spelt if spelt in names else token for token, spelt in zip(w.tokens, w.spelt, strict=True)] for w in (a, b)
    )
    if sorted(mine) != sorted(theirs):
        return _first_difference(mine, theirs, names)
    if a.asks != b.asks:
        return "asks for something else"
    figured = any(token[0] in "#~@()" for token in mine)
    if (mine != theirs) if figured else _reordered(mine, theirs, a, b):
        return "order differs"
    return ""


_NEGATIONS = {"not", "no", "never", "without", "except", "nor", "neither", "unless", "none", "nothing"}


def _first_difference(mine: Sequence[str], theirs: Sequence[str], names: frozenset[str]) -> str:
    apart = set(mine) ^ set(theirs)
    if apart & _NEGATIONS:
        return "negation differs"
    if apart & names:
        return "names differ"
    return "words differ: " + " / ".join(sorted(apart)[:3]) if apart else "words differ"


_ORDERED = {
    "than",
    "from",
    "to",
    "into",
    "before",
    "after",
    "by",
    "or",
    "until",
    "since",
    "past",
    "instead",
    "if",
    "and",
}


_JOINING = ("of", "for", "in", "on", "at", "about")


def _reordered(mine: Sequence[str], theirs: Sequence[str], a: Wording, b: Wording) -> bool:
    """Whether the same words say something else in another order: `milk chocolate`, `dog bites man`, `A before B`."""
    if mine == theirs:
        return False
    names = a.names | b.names
    if len(set(mine)) < len(mine) or set(mine) & _ORDERED:
        return True
    if [token for token in mine if token in names] != [token for token in theirs if token in names]:
        return True
    place = {token: at for at, token in enumerate(theirs)}
    order = [place[token] for token in mine]
    backwards = any(
        order[i] > order[j] > order[k]
        for i in range(len(order))
        for j in range(i + 1, len(order))
        for k in range(j + 1, len(order))
    )
    swapped = [(mine[i], mine[i + 1]) for i in range(len(order) - 1) if order[i] == order[i + 1] + 1]
    return backwards or not all(_turned(pair, a, b) for pair in swapped)


def _turned(pair: tuple[str, str], a: Wording, b: Wording) -> bool:
    """Whether two swapped neighbours say the same: `capital of France` and `France's capital`."""
    one, other = a.links.get(pair), b.links.get((pair[1], pair[0]))
    if one is None or other is None:
        return False
    return (one in ("", "'s") and other.startswith(_JOINING)) or (other in ("", "'s") and one.startswith(_JOINING))


_MOMENT = re.compile(
    r"\b(?:right now|at the moment|this (?:minute|second|moment)|current(?:ly)? time|time now|now in|"
    r"what(?: is|'s) the time(?! difference)|what time is it(?!.*\b(?:when|if|at)\b)"
    r"|what is the (?:exact )?time in|"
    r"(?:local|the) time (?:is it )?in|how (?:long|many (?:hours|minutes|seconds)) (?:is it )?(?:until"
    r"|till|to|left)|"
    r"(?:hours|minutes|seconds) (?:from now|ago|left|until|till)|"
    r"random|roll|flip a coin|toss|joke|poem|story|another|surprise me|guess|shuffle|weather|news)\b",
    re.I,
)
_TODAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|ago|current|currently|(?:this|next|last|coming"
    r"|past) (?:week|weekend|month|"
    r"year|decade|quarter|mon|tues|wednes|thurs|fri|satur|sun|spring|summer|autumn|winter|january"
    r"|february|march|april|may|"
    r"june|july|august|september|october|november|december|christmas|easter)(?:day)?|from now"
    r"|days? (?:left|until|till)|"
    r"until (?:christmas|easter|new year|my|the)|till (?:christmas|easter)|recent(?:ly)?|latest|so far"
    r"|how old|age)\b",
    re.I,
)


def _unfit(question: str, note: Note) -> str:
    """Questions whose answer is new each time, or hangs on what was said before."""
    plain = bare(question)
    if _MOMENT.search(plain):
        return "the answer changes"
    if not stands_alone(question) or not stands_alone(note.question):
        return "needs the dialogue"
    return ""


def _elsewhere(question: str, note: Note, context: Mapping[str, str]) -> str:
    for key, why in (("date", "another day"), ("session", "another conversation"), ("documents", "other documents")):
        if key in note.depends and note.depends[key] != context.get(key):
            return why
    if not holds(note, context):
        return "another setting"
    if (_TODAY.search(bare(question)) or _rates(question)) and "date" not in note.depends:
        return "another day"
    if personal(question) and note.session != context.get("session"):
        return "another conversation"
    return ""


_MONEY = {"~usd", "~eur", "~gbp", "~yen"}


def _rates(question: str) -> bool:
    """Money into other money: the rate is another one tomorrow."""
    tokens = _wording(question).tokens
    return "@to" in tokens and len(_MONEY & set(tokens)) > 1
