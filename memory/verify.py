"""Whether a question is THE SAME as one that was answered, so that the answer may be given again (DUMA 2.4).

Unequal in doubt: a miss costs a slow run, a false hit a wrong answer. The vectors only find candidates; that `387 times 46`
is not `387 times 47` is seen here, by comparing what both say once they are in one notation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from memory.memory import Note
from memory.wording import Wording, bare, read, tidy

NEAR = 0.75
"""The least cosine of two questions that are the same (of their `spoken` forms; chosen on tests/memory/data/tuning.jsonl)."""

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


_ORDERED = {"than", "from", "to", "into", "before", "after", "by", "or", "until", "since", "past", "instead", "if", "and"}


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
    return one in ("", "'s") and other.startswith(_JOINING) or other in ("", "'s") and one.startswith(_JOINING)


_MOMENT = re.compile(
    r"\b(?:right now|at the moment|this (?:minute|second|moment)|current(?:ly)? time|time now|now in|"
    r"what(?: is|'s) the time(?! difference)|what time is it(?!.*\b(?:when|if|at)\b)|what is the (?:exact )?time in|"
    r"(?:local|the) time (?:is it )?in|how (?:long|many (?:hours|minutes|seconds)) (?:is it )?(?:until|till|to|left)|"
    r"(?:hours|minutes|seconds) (?:from now|ago|left|until|till)|"
    r"random|roll|flip a coin|toss|joke|poem|story|another|surprise me|guess|shuffle|weather|news)\b",
    re.I,
)
_TODAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|ago|current|currently|(?:this|next|last|coming|past) (?:week|weekend|month|"
    r"year|decade|quarter|mon|tues|wednes|thurs|fri|satur|sun|spring|summer|autumn|winter|january|february|march|april|may|"
    r"june|july|august|september|october|november|december|christmas|easter)(?:day)?|from now|days? (?:left|until|till)|"
    r"until (?:christmas|easter|new year|my|the)|till (?:christmas|easter)|recent(?:ly)?|latest|so far|how old|age)\b",
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
    if any(value != context.get(key) for key, value in note.depends.items()):
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


_PERSONAL = re.compile(r"\b(?:my|mine|our|ours|myself|ourselves|i|we|me|us)\b", re.I)


def personal(text: str) -> bool:
    """Whether the text speaks of the person (`my`, `I`, `our`), courtesy apart: what follows holds in its session only."""
    plain = bare(text)
    plain = re.sub(r"\bUS\b", " ", plain)
    plain = re.sub(r"\b(?:give|tell|show|remind|help|let|to|for|lend) (?:me|us)\b|\bdo (?:i|we|you) (?:multiply|convert|"
                   r"calculate|say|spell|divide|add|write|get to)\b|\bif (?:i|we) (?:multiply|add|divide|subtract|convert)\b"
                   r"|\bdo (?:we|i) get\b", " ", plain, flags=re.I)  # fmt: skip
    return bool(_PERSONAL.search(plain))


_BACK = re.compile(
    r"^(?:and|or|but|also|then|plus|minus|times|divided|multiplied|instead|same|now|only|except|with|without|because|"
    r"what about|how about|what if|why not|yes|no|yeah|yep|nope|sure|right|exactly|wrong|correct|more|less|again|another|"
    r"both|neither|either|all|none|really|in (?:celsius|fahrenheit|kelvin|euros?|dollars?|pounds?|miles?|km|kilomet\w+|"
    r"minutes|hours|days|weeks|seconds|total|words|that case|binary|hex\w*|percent|english|french|german|spanish)"
    r"|to (?:celsius|fahrenheit|euros?|dollars?|pounds?|miles?|km)|by \S+|for \S+|as (?:a|an) \w+|(?:squared?|cubed?|double|"
    r"halve|triple|round|repeat|explain|shorten|translate|summari[sz]e)(?: (?:it|this|that|them))?|[-+*/x^]\s*\d[\d.,]*)"
    r"(?=\W|$)",
    re.I,
)
_FINE_START = re.compile(
    r"^(?:double|halve|triple|squared?|cubed?|round|all|both|no|now|with|without|only|for|in|by|same|right|times|repeat|"
    r"translate|explain|summari[sz]e|shorten)\b",
    re.I,
)
_POINTING = re.compile(
    r"\b(?:that|those|these|this|it|its|they|them|their|theirs|he|she|him|her|his|hers|itself|themselves)\b", re.I
)
_HARMLESS = re.compile(
    r"\b(?:this|that) (?:year|month|week|weekend|morning|afternoon|evening|document|file|pdf|handbook|report|christmas|"
    r"summer|winter|spring|autumn|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\bwhat (?:time|day|date|year|month|weekday) (?:is|was|will) it\b|\bwill it (?:be|rain|snow)\b"
    r"|\b(?:is|was) it (?:\w+ )?(?:raining|snowing|possible|true|ok|okay|safe|legal|allowed|necessary|normal|a leap year) (?=\w)"
    r"|\b(?:does|do|did|would|will|can) it (?:take|cost|mean|matter) (?:to|for|when|if)\b|\bit (?:is|takes) (?:true |legal )?"
    r"(?:\d|that|to|noon|midnight|for)\b|\b(?:so|such|given|say|says|said|told|know|knows|think|sure|means?|is it true) that\b"
    r"|\b(?:word|words|number|numbers|one|ones|person|people|document|book|country|city|planet|animal|thing|something|"
    r"date|day|year|all|everything|\w+s) that (?=\w)",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\b(?:the (?:same|other|former|latter|above|previous|result|answer|total|second one|first one|last one|rest|"
    r"other one|difference)(?: (?:one|number|thing|amount|again|question|answer|result|city|place))?(?!\s+(?:of|between|from|"
    r"when|in|for|to|if)\b)(?! \w)|the same\b|previous (?:answer|result|question|one|number)|(?:above|earlier|just said|"
    r"you (?:just )?(?:said|gave|told|found|mentioned|calculated))|(?:first|second|third|last|next|other|bigger|smaller|"
    r"cheaper|which|that|another|red|blue) one\b(?! of)|anything else|what else|who else|where else|instead|as well|"
    r"too)\s*[?.!]*$|\b(?:the same (?:thing|in|for|with|but|as before|again|question)|as before|like before|that many|"
    r"the (?:previous|former|latter)|you (?:just )?(?:said|gave me|told me|found|mentioned|calculated)|last (?:answer|"
    r"result|question|number)|(?:multiply|divide|double|halve|square|round|convert|add|subtract) (?:the|this|that) "
    r"(?:result|answer|total|number))\b",
    re.I,
)
_DANGLING = re.compile(
    r"^(?:then |now |and |so )*(?:what is |what's )?(?:times|multiply by|multiplied by|divide by|divided by|plus|minus|add|"
    r"subtract|take away|take|over|x|\+|-|\*|/)\s*(?:another )?[\d.,]+\s*(?:percent|%|[a-z]+)?\s*(?:to the \w+)?[?.!]*$",
    re.I,
)
_BETTER = re.compile(
    r"\b(?:which|who|what)(?: (?:one|of \w+))? (?:is|was|are|has|costs?|weighs?) (?:the )?(?:more|less|better|worse|\w+er)"
    r"(?: \w+)?\s*[?.!]*$",
    re.I,
)


def stands_alone(text: str) -> bool:
    """Whether a turn can be understood without the dialogue. In doubt it cannot."""
    plain = bare(text).rstrip("?!. ")
    if not plain or _LEFT_OUT.search(plain) or _DANGLING.match(plain) or _BETTER.search(plain):
        return False
    start = _BACK.match(plain)
    if start and not (_FINE_START.match(plain) and _full(plain[start.end() :])):
        return False
    if len(plain.split()) < 2 and not re.search(r"\d\s*[-+*/^x%÷×]{1,2}\s*\d|\d[a-z]|[\w√]\(?\d", plain):
        return False
    if re.search(r"\bthere$|\bthen$|\b(?:over|out|in|up|down|live|go|get|time|weather) there\b", plain, re.I):
        return False
    return not _points_back(re.sub(r"\bIT\b", "", _HARMLESS.sub(" ", plain)))


def _full(rest: str) -> bool:
    """Whether what follows a word such as `for` or `in` is a question of its own: `In which year did ...`."""
    if re.match(r"\s*\d", rest):
        return True
    return len(rest.split()) >= 3 and bool(
        re.search(r"\b(?:what|which|how|who|when|where|why|is|are|does|do|did|convert|calculate|of)\b|\d.*\d", rest, re.I)
    )


def _points_back(plain: str) -> bool:
    """A pronoun is at home where the same text named its thing before, in an earlier clause."""
    for match in _POINTING.finditer(plain):
        before = plain[: match.start()]
        word = match[0].lower()
        clauses = re.split(r"[,.;:?]|\b(?:and|but|if|when|because|while|then|so)\b", before)
        earlier = " ".join(clauses[:-1]) if len(clauses) > 1 else ""
        if word in ("that", "this", "those", "these"):
            if not (word == "that" and re.search(r"\b(?:a|an|the|any|all|some|[A-Z]\w+) [\w-]+(?: \w+)?\s$", before)):
                return True
        elif not re.search(r"\b(?:[Aa]n?|one|\d+|two|three|four|five) [a-z]{3,}|(?!^)\b[A-Z][a-z]+|^[A-Z][a-z]+ (?:is|was|has|"
                           r"had|buys|bought|runs|drives|earns|reads|walks)\b", earlier):  # fmt: skip
            return True
    return False
