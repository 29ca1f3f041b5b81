"""Reads a question into what may be compared: figures in one notation, names as they are, words in one form."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memory.figures import MONTHS, dates, numbers, opening, operations
from memory.tokens import scan, words

LONGEST = 400
"""Characters; longer questions are compared as they stand."""


@dataclass(frozen=True)
class Wording:
    """A question, read. Two questions with equal wordings (names apart) ask the same."""

    asks: str
    """What kind of answer: what, who, when, where, why, how, how many, how much, how long, whether."""
    tokens: tuple[str, ...]
    """In the order of the text; light words are gone, operations are in one notation, words in one form."""
    spelt: tuple[str, ...]
    """The tokens as they were written, lower case: what a name is compared by."""
    names: frozenset[str]
    """Words written like names; lower case."""
    quoted: tuple[str, ...]
    links: dict[tuple[str, str], str]
    """What light words stood between two neighbours: (`capital`, `france`): `of`."""
    calculation: bool
    """True where nothing but figures is left: how the question was dressed does not matter."""


def tidy(text: str) -> str:
    """One kind of quotes, spaces, and dashes; no control characters. Case stays."""
    text = text[:LONGEST].replace("²", " squared").replace("³", " cubed").replace("½", " 1/2 ")
    text = text.translate(str.maketrans("’‘“”−–—×✕·÷⁄", "''\"\"---***//"))
    text = unicodedata.normalize("NFKC", text)
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in text)
    text = re.sub(r"\bper cents?\b", "percent", text, flags=re.I)
    return " ".join(text.split())


_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|um|uh|please|quick question|one more|sorry|excuse me|duet"
    r"|and yes|great|thanks?|"
    r"thank you|alright)\b[\s,:.!-]*"
    r"|(?:can|could|would|will) (?:you|u)(?: please| kindly| quickly| maybe| possibly| just| also)*"
    r"(?: (?:tell|give|show|let|help)(?: me| us)?(?: know| out)?(?: with)?(?= )(?! \d))?\s*"
    r"|(?:please )?(?:tell|remind|give|show) (?:me|us)\b(?: again)?[\s,:]*|let me know\b\s*"
    r"|(?:do|would) you (?:happen to )?know\b\s*|any idea\b\s*|do you have any idea\b\s*"
    r"|i(?: would|'d)? (?:also )?(?:just )?(?:really )?(?:like|want|need|love) (?:you )?to (?:know"
    r"|find out|ask|calculate|"
    r"work out|compute|understand|convert|tell me|see)\b[\s,:]*(?:about )?"
    r"|i (?:am|was) (?:just )?(?:wondering|curious|trying to (?:find out|work out|figure out|remember"
    r"|understand|calculate))"
    r"\b[\s,:]*(?:about )?|i wonder\b\s*|i(?: would|'d)? appreciate knowing\s*|may i ask\b\s*|can i ask\b\s*"
    r"|(?:i )?(?:do not|don't) know\b\s*|i forgot\b\s*|i have forgotten\b\s*"
    r"|quickly,?\s+|help me (?:to )?(?=calculate|work|figure|find|compute|convert))",
    re.I,
)
_END = r"(?:[\s,.?;]|(?<!\d)!|:(?!\w)|(?<=[:;])-?\))*"  # `5!` is a factorial, `:)` is a smile
_TRAILING = re.compile(
    _END + r"(?:\b(?:please|thanks|thank you|for me|for us|again|cheers|by the way|btw|i wonder|do you know|"
    r"can you tell me|could you tell me|quickly|exactly|mate|if you (?:can|could|do not mind|don't mind)|"
    r"right now please|i forgot|tell me)\b)?" + _END + "$",
    re.I,
)


def bare(text: str) -> str:
    """The question without greeting and courtesy: `Could you tell me what 2+2 is, please?` -> `what 2+2 is`."""
    text = _spelt_out(tidy(text))
    for _ in range(8):  # `please please please ...` has no end
        text = _TRAILING.sub("", _POLITE.sub("", text, count=1) or text) or text
    return text


def _spelt_out(text: str) -> str:
    spelt = words().spelt

    def expanded(match: re.Match[str]) -> str:
        whole = match[0].lower()
        found = spelt.get(whole) or (whole[:-3] + " not" if whole.endswith("n't") else "")
        if not found:
            return match[0]
        return found.capitalize() if match[0][0].isupper() else found

    return re.sub(r"(?<![\w@.-])[A-Za-z]+(?:'[A-Za-z]+|/o)?(?![\w@-])", expanded, text)


def read(text: str) -> Wording:
    """A question's wording. Takes any text."""
    if len(text) > LONGEST:
        return Wording("what", tuple(text.split()), tuple(text.split()), frozenset(), (), {}, calculation=False)
    plain, quoted = _unquoted(bare(text))
    plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))  # café
    names = _names(plain)
    line = " ".join(scan(plain, names))
    line = opening(operations(dates(numbers(line))))
    asks, line = _asked(line)
    operated = any(token[0] == "@" for token in line.split())
    kept, spelt, links = _kept(line.split(), names, operated)
    calculation = operated and all(token[0] in "#~@()" for token in kept)
    if calculation:
        asks, kept = (asks if asks in ("how", "why", "when", "where", "who") else "what"), _commuted(kept)
        spelt = kept
    return Wording(asks, tuple(kept), tuple(spelt), frozenset(names), quoted, links, calculation)


def _unquoted(text: str) -> tuple[str, tuple[str, ...]]:
    pattern = re.compile(r"\"([^\"]+)\"|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)")
    found = tuple(next(group for group in match.groups() if group is not None) for match in pattern.finditer(text))
    return pattern.sub(' " ', text), found


def _names(text: str) -> set[str]:
    """Words with a capital where English wants none, and codes; lower case."""
    shouting = sum(c.isupper() for c in text) > 0.6 * max(1, sum(c.isalpha() for c in text))
    found = {m[0].lower() for m in re.finditer(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z]+[\w]*(?:-\w+)*", text)}
    if shouting:
        return found
    common = words().light | words().figuring | _CALENDAR | _ASKING
    for match in re.finditer(r"(?<![\w'])[^\W\d_]\w*", text):
        word = match[0]
        starts = not re.search(r"[\w,;)'\"]\s*$", text[: match.start()])
        if (word.isupper() and len(word) > 1 and word.lower() not in words().short and word.lower() not in _TIMES) or (
            word[0].isupper() and not starts and word.lower() not in common
        ):
            found.add(word.lower())
    return found


_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_CALENDAR = frozenset([*MONTHS, *_WEEKDAYS, *(f"{name}s" for name in _WEEKDAYS)]) | {
    name[:3] for name in MONTHS + _WEEKDAYS
}
_TIMES = {"am", "pm"}
_ASKING = frozenset(["who", "when", "where", "why", "how", "what", "which", "whose", "whom", "i"])
_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"\bhow much (?:is|are|does|do|would|will)\b(?=.*\bcost\b)|\bwhat (?:does|do|is|are)\b(?=.*\bcost\b)", "what", ""),
    (r"\bhow much (?:is|are)\b(?! #)(?=.)(?!.*(?:left|off|@|in\b))", "what", "cost"),
    (r"\bhow many\b|\b(?:what is )?the number of\b|\bnumber of\b", "how many", ""),
    (r"\bhow (?:tall|high|old|far|heavy|wide|deep|big|large|fast|hot|cold)\b", "what", "\\0"),
    (r"\b(?:at )?what (?:time|hour)\b|\bwhen\b", "when", ""),
    (r"\bhow come\b|\bfor what reason\b|\bwhat (?:is|was) the reason\b|\bwhy\b", "why", ""),
    (r"\bhow (?:much|long|often|soon)\b", "\\0", ""),
    (r"\bhow\b", "how", ""),
    (r"\b(?:who|whose|whom)\b", "\\0", ""),
    (r"\bwhere\b", "where", ""),
    (r"\b(?:what|which)\b", "what", ""),
    (r"^(?:if|whether) (?!.*(?:,|\b(?:how|what|when|who|where|which)\b))", "if", ""),
    (r"^(?:is|are|am|do|does|did|can|could|will|would|should|has|have|had|was|were|must|may|might)\b", "whether", ""),
)


def _asked(line: str) -> tuple[str, str]:
    """What kind of answer is wanted, and the line without the words that said so."""
    found = [(m.start(), n, m) for n, (pattern, _, _) in enumerate(_KINDS) if (m := re.search(pattern, line))]
    if not found:
        return "what", line
    start, n, match = min(found, key=lambda each: (each[0], each[1]))
    _, kind, added = _KINDS[n]
    asks = match[0] if kind == "\\0" else kind
    rest = (match[0].split()[-1] if added == "\\0" else added) + " "
    if kind == "whether":
        rest = match[0] + " "
    if kind == "if":
        asks = "whether"
    after = line[match.end() :]
    if asks == "how many" and after.lstrip().startswith("~"):
        asks = "what"  # the unit says it
    if asks == "when":
        after = re.sub(r"\b(?:what time|when)\b", "", after)
    return asks, line[:start] + rest + after


_PAST, _FUTURE = {"was", "were", "did", "had"}, {"will", "shall"}


_ATTRIBUTES = {
    "cost",
    "height",
    "weight",
    "age",
    "distance",
    "size",
    "length",
    "depth",
    "width",
    "speed",
    "name",
    "open",
}


def _kept(
    tokens: list[str], names: set[str], operated: bool
) -> tuple[list[str], list[str], dict[tuple[str, str], str]]:
    """Canonical tokens, measures first (`ticket cost`, `cost of ticket`), their spellings, what stood between."""
    kept: list[tuple[str, str]] = []
    links: dict[tuple[str, str], str] = {}
    between: list[str] = []
    helped = False
    for at, token in enumerate(tokens):
        canonical = _canonical(token, names, operated)
        if token in ("do", "does"):  # the first helps another verb; `what does a pump do` has its own
            canonical = "do" if helped or at == len(tokens) - 1 else ""
            helped = True
        if not canonical:
            between.append(token)
            continue
        if kept:
            links[kept[-1][0], canonical] = " ".join(between)
        kept.append((canonical, token))
        between = []
    if not any(canonical[0] in "#@" for canonical, _ in kept):
        kept.sort(key=lambda pair: pair[0] not in _ATTRIBUTES or pair[1] in names)
    return [canonical for canonical, _ in kept], [token for _, token in kept], links


def _canonical(token: str, names: set[str], operated: bool) -> str:
    known = words()
    if token[0] in '#~@()"' or token in names:
        return token
    if token in (",", "'s") or token in known.light or (operated and token in known.figuring):
        return ""
    if token in _PAST | _FUTURE:
        return "" if operated else ("past" if token in _PAST else "future")
    return known.same.get(token) or known.same.get(stem(token)) or stem(token)


def stem(word: str) -> str:
    """Plural and -ing off; a final e too, so that `baking` and `bake` meet."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", word):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing") and re.search(r"[aeiouy]", word[:-3]):
        word = re.sub(r"([bdgmnprt])\1$", r"\1", word[:-3])
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _commuted(tokens: list[str]) -> list[str]:
    """The operands of a plain product or sum, sorted."""
    operations = {token for token in tokens if token[0] in "@()"}
    if len(operations) != 1 or not operations <= {"@times", "@plus"}:
        return tokens
    operation = operations.pop()
    operands = " ".join(tokens).split(f" {operation} ")
    return f" {operation} ".join(sorted(operands)).split()
