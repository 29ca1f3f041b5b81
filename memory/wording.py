"""Reads a question into tokens that may be compared: figures in one notation, names as they are, words in one form.

A token's first character says what it is: `#387` number, `~km` unit, `@times` operation, `"` a quoted text, else a word.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

LONGEST = 4000
"""Characters; longer questions are compared as they stand."""


@dataclass(frozen=True)
class Words:
    """memory/words.toml, turned around: spelling to canonical word."""

    light: frozenset[str]
    figuring: frozenset[str]
    same: dict[str, str]
    units: dict[str, str]
    short: dict[str, str]
    spelt: dict[str, str]


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


@lru_cache(maxsize=1)
def words() -> Words:
    """The lists, read on first use."""
    with open(Path(__file__).with_name("words.toml"), "rb") as file:
        lists = tomllib.load(file)

    def turned(table: dict[str, str], itself: bool = True) -> dict[str, str]:
        pairs = {spelling: name for name, spellings in table.items() for spelling in spellings.split()}
        return pairs | ({name: name for name in table} if itself else {})

    return Words(
        light=frozenset(lists["light"].split()),
        figuring=frozenset(lists["figuring"].split()),
        same=turned(lists["same"]),
        units=turned(lists["units"]),
        short=turned(lists["short"], itself=False),
        spelt=turned(lists["spelt"], itself=False),
    )


def tidy(text: str) -> str:
    """One kind of quotes, spaces, and dashes; no control characters. Case stays."""
    text = text[:LONGEST].replace("²", " squared").replace("³", " cubed").replace("½", " 1/2 ")
    text = text.translate(str.maketrans("’‘“”−–—×✕·÷⁄", "''\"\"---***//"))
    text = unicodedata.normalize("NFKC", text)
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in text)
    text = re.sub(r"\bper cents?\b", "percent", text, flags=re.I)
    return " ".join(text.split())


_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|um|uh|please|quick question|one more|sorry|excuse me|duet|and yes|great|thanks?|"
    r"thank you|alright)\b[\s,:.!-]*"
    r"|(?:can|could|would|will) (?:you|u)(?: please| kindly| quickly| maybe| possibly| just| also)*"
    r"(?: (?:tell|give|show|let|help)(?: me| us)?(?: know| out)?(?: with)?(?= )(?! \d))?\s*"
    r"|(?:please )?(?:tell|remind|give|show) (?:me|us)\b(?: again)?[\s,:]*|let me know\b\s*"
    r"|(?:do|would) you (?:happen to )?know\b\s*|any idea\b\s*|do you have any idea\b\s*"
    r"|i(?: would|'d)? (?:also )?(?:just )?(?:really )?(?:like|want|need|love) (?:you )?to (?:know|find out|ask|calculate|"
    r"work out|compute|understand|convert|tell me|see)\b[\s,:]*(?:about )?"
    r"|i (?:am|was) (?:just )?(?:wondering|curious|trying to (?:find out|work out|figure out|remember|understand|calculate))"
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
    text, before = _spelt_out(tidy(text)), ""
    while text != before:
        before = text
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
    line = " ".join(_scan(plain, names))
    line = _opening(_operations(_dates(_numbers(line))))
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
    return pattern.sub(" \" ", text), found


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
        if word.isupper() and len(word) > 1 and word.lower() not in words().short and word.lower() not in _TIMES:
            found.add(word.lower())
        elif word[0].isupper() and not starts and word.lower() not in common:
            found.add(word.lower())
    return found


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_CALENDAR = frozenset([*_MONTHS, *_WEEKDAYS, *(f"{name}s" for name in _WEEKDAYS)]) | {name[:3] for name in _MONTHS + _WEEKDAYS}
_TIMES = {"am", "pm"}
_ASKING = frozenset("who when where why how what which whose whom i".split())
_TOKEN = re.compile(
    r"(?P<address>https?://\S+|[\w.+-]+@[\w-]+\.[\w.]+)"
    r"|(?P<iso>\d{4}-\d{2}-\d{2}\b)"
    r"|(?P<time>\b\d{1,2}(?::\d{2})\s?(?:[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?)"
    r"|(?P<nth>\d+(?:st|nd|rd|th)\b)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d_]+(?:[\w]*\d\w*(?:-\w+)*|-\w*\d[\w-]*)|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)?)"
    r"|(?P<possessive>'s?(?!\w))"
    r"|(?P<sign>\*\*|[-+*/^%=()!√$€£¥°<>,\"&#|~@])"
)
_SIGNS = {
    "*": "@times", "/": "@over", "+": "@plus", "**": "@power", "^": "@power", "=": "@equals", "√": "@sqrt",
    "!": "@bang", "<": "@less", ">": "@more", "&": "and", "|": "@or", "(": "(", ")": ")", ",": ",", '"': '"',
    "-": "@minus", "#": "@hash", "~": "@tilde", "@": "@at",
}  # fmt: skip


def _scan(text: str, names: set[str]) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if kind == "number":
            found.append("#" + str(Fraction(token.replace(",", ""))))
        elif kind == "nth":
            found.append("#" + token[:-2] + "th")
        elif kind == "iso":
            found.append("#d:" + token)
        elif kind == "time":
            found.append("#t:" + _clock(token))
        elif kind == "address":
            found.append(token.lower().rstrip(".,?!"))
        elif kind == "word":
            last = not re.search(r"[^\W_]", re.sub(r"^\s*/\s*\w+", "", text[match.end() :]))
            found.append(_word(token, found, names, glued=before.isdigit(), last=last))
        elif kind == "possessive":
            found.append("'s")
        elif kind == "sign":
            found.extend(_sign(token, before, after, found))
    return found


def _clock(text: str) -> str:
    digits = re.findall(r"\d+", text)
    half = re.search(r"([ap])\.?m", text.lower())
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    return f"{hour:02}:{minute:02}" + ("" if half or hour > 12 else "?")


def _word(token: str, found: list[str], names: set[str], glued: bool, last: bool) -> str:
    """A unit where one may stand, else the word in lower case."""
    lower, known = token.lower(), words()
    counted = bool(found) and found[-1].startswith("#")
    if glued and lower == "x":
        return "@times"
    if len(token) == 2 and token[1] in "bBwW" and lower[0] in "kmgtp":
        return "~" + token  # Mb is no MB
    target = bool(found) and (found[-1] in ("@over", "~degree") or last and found[-1] in ("to", "into", "in", "as"))
    if lower in known.short and (counted or target):
        return "~" + known.short[lower]
    if lower in known.units and not (lower in names and not counted and lower in ("bar", "stone", "newton")):
        return "~" + known.units[lower]
    return lower


def _sign(sign: str, before: str, after: str, found: list[str]) -> list[str]:
    known = words()
    if sign in known.units:
        return ["~" + known.units[sign]]
    if sign == "-" and before.isalnum() and after.isalnum() and not (before.isdigit() and after.isdigit()):
        return []  # twenty-five, well-known
    if sign == "!" and not before.isdigit():
        return []
    if sign == "/" and not (found and found[-1][0] in "#)~"):
        return ["or"]
    return [_SIGNS[sign]]


_SMALL = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5,
          "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10}  # fmt: skip


def _numbers(line: str) -> str:
    """Number words become numbers: `a dozen`, `two hundred and five`, `1.5 million`, `three quarters of`."""
    line = re.sub(r"\bhalf a dozen\b", "#6", line)
    line = re.sub(r"(?:\b(?:a|an|one) )?\bdozen\b(?: of\b)?", "#12", line)
    line = re.sub(r"\b(?:a|an) (?=(?:hundred|thousand|million|billion)\b)", "one ", line)
    line = re.sub(r"\b(which|that|this|the|any|no|each|every|another|other|some) one\b(?! \w*(?:hundred|thousand))",
                  r"\1 one_", line)  # fmt: skip
    tokens, kept, at = line.split(), [], 0
    while at < len(tokens):
        value, size = _spoken_number(tokens, at)
        kept.append(tokens[at] if value is None else f"#{value}")
        at += size
    line = " ".join(kept)
    parts = "|".join(_PARTS)
    line = re.sub(rf"#(\d+) ({parts})\b(?: of\b)?", lambda m: f"#{Fraction(int(m[1]), _PARTS[m[2]])} of", line)
    line = re.sub(rf"\b(?:a|an) ({parts}) of\b", lambda m: f"#{Fraction(1, _PARTS[m[1]])} of", line)
    line = re.sub(r"\bhalf (?:of )?(?=(?:the )?#)", "#1/2 of ", line)
    line = re.sub(r"#(\d+) @over #(\d+) of\b", lambda m: f"#{Fraction(int(m[1]), int(m[2]) or 1)} of", line)
    return re.sub(r"(?<!@)\b(?:negative|minus) (?=#)", "@minus ", line)


def _spoken_number(tokens: list[str], at: int) -> tuple[Fraction | None, int]:
    """The number that starts at `at` and how many tokens it takes; None and 1 where there is none."""
    total, group, end, last = Fraction(0), Fraction(0), at, ""
    while end < len(tokens):
        token = tokens[end]
        if token[0] == "#" and re.fullmatch(r"#\d+(/\d+)?", token) and end == at:
            group, last = Fraction(token[1:]), "digits"
        elif token in _SMALL and last in ("", "hundred", "scale", "and") or token in _SMALL and last == "ten" and (
            0 < _SMALL[token] < 10
        ):
            group, last = group + _SMALL[token], "small"
        elif token in _TENS and last in ("", "hundred", "scale", "and"):
            group, last = group + _TENS[token], "ten"
        elif token == "hundred" and last in ("small", "digits") and group:
            group, last = group * 100, "hundred"
        elif token in _SCALES and token != "hundred" and last not in ("", "scale", "and"):
            total, group, last = total + group * _SCALES[token], Fraction(0), "scale"
        elif token == "and" and last in ("hundred", "scale") and tokens[end + 1 : end + 2] and (
            tokens[end + 1] in _SMALL or tokens[end + 1] in _TENS
        ):
            last = "and"
        else:
            break
        end += 1
    if end == at:
        return None, 1
    if tokens[end : end + 1] == ["point"]:
        digits = [str(_SMALL[word]) for word in tokens[end + 1 : end + 8] if _SMALL.get(word, 10) < 10]
        if digits:
            return total + group + Fraction("." + "".join(digits)), end + 1 + len(digits) - at
    return total + group, end - at


def _dates(line: str) -> str:
    """`1 May 2024`, `May 1st, 2024`, `2024-05-01` in one notation: #d:2024-05-01, with `-` where no year is given."""
    month = "|".join(_MONTHS) + "|" + "|".join(f"{name[:3]}" for name in _MONTHS) + "|sept"

    def dated(day: str, name: str, year: str | None) -> str:
        number = [m[:3] for m in _MONTHS].index(name[:3]) + 1
        return f"#d:{year or ''}-{number:02}-{int(day.removesuffix('th')):02}"

    day, year = r"#(\d{1,2}(?:th)?)(?![\d:/])", r"(?: ,?\s*#(\d{4})(?![\d:/]))?"
    line = re.sub(rf"(?:\bthe )?{day} (?:of )?({month})\b{year}", lambda m: dated(m[1], m[2], m[3]), line)
    line = re.sub(rf"\b({month}) (?:the )?{day}{year}", lambda m: dated(m[2], m[1], m[3]), line)
    return re.sub(rf"\b(in|of|until|since|from|by|during|this|next|last) ({month})\b",
                  lambda m: f"{m[1]} month:{m[2][:3]}", line)  # fmt: skip


_N = r"(#\S+(?: ~\S+)*)"
_U = r"((?:~\S+ ?)+)"
_IS = r"(?: (?:is|are|was|be|do|does|there|equal|equals|make|makes|made|go|goes|come|comes|fit|fits|you|we|get|contain))*"
_REWRITES: tuple[tuple[str, str], ...] = (
    (r"~usd (#\S+)|~eur (#\S+)|~gbp (#\S+)|~yen (#\S+)", "money"),
    (r"~degree ~(celsius|fahrenheit|kelvin)", r"~\1"),
    (r"\b(?:per cent|percent)(?!\w)", "~percent"),
    (r"(~\S+) @over (~\S+)", r"\1 ~per \2"),
    (r"(~\S+) (?:per|an|a) (~\S+)", r"\1 ~per \2"),
    (r"\bmph(?!\w)", "~mile ~per ~hour"),
    (r"\b(?:kph|kmh)(?!\w)", "~km ~per ~hour"),
    (r"(?<=\bin )(?:a|an|one|each|#1) (?=~)", "#1 "),
    (r"(?<=\bis )(?:a|an) (?=~)", "#1 "),
    # products
    (r"\b(?:multiplied|timesed) (?:by|with)|\btimes(?: by)?(?= [#(@])|\bx(?= [#(])", "@times"),
    (rf"\b(?:multiply(?:ing)?|multiplication of|product of|multiple of) {_N} (?:by|with|and|times|@times|,) {_N}",
     r"\1 @times \2"),
    (rf"{_N} and {_N} (?:multiplied|@times)(?: together)?(?= |$)", r"\1 @times \2"),
    (rf"\btimes {_N} (?:by|and|with) {_N}", r"\1 @times \2"),
    # sums
    (r"\b(?:added (?:to|with)|plus)(?![\w])", "@plus"),
    (rf"\b(?:add(?:ing)?|addition of|sum of|sum up|sum|total of) {_N} (?:to|and|with|plus|@plus) {_N}(?! ,| and #)",
     r"\1 @plus \2"),
    (rf"\b(?:add(?:ing)?(?: up)?|sum of|sum up|total of) {_N} , {_N} (?:, )?and {_N}(?! ,| and #)",
     r"\1 @plus \2 @plus \3"),
    (rf"{_N} and {_N} (?:added|summed)(?: together| up)?(?= |$)", r"\1 @plus \2"),
    # differences
    (r"\bminus(?!\w)", "@minus"),
    (rf"\b(?:subtract(?:ing)?|take(?: away)?|taking|deduct) {_N} (?:away )?from {_N}", r"\2 @minus \1"),
    (rf"{_N} (?:subtracted|taken|deducted)(?: away)? from {_N}", r"\2 @minus \1"),
    (rf"{_N} (?:take away|less) {_N}", r"\1 @minus \2"),
    (rf"\bdifference between {_N} and {_N}", r"@difference \1 \2"),
    # quotients
    (r"\bdivided (?:up )?(?:by|with)(?!\w)|\bover(?= [#(])", "@over"),
    (rf"\b(?:divide|dividing|division of|split) {_N} (?:by|@over) {_N}", r"\1 @over \2"),
    (rf"\bquotient of {_N} (?:and|by|@over) {_N}", r"\1 @over \2"),
    (rf"\b(?:remainder|rest|leftover)(?: (?:of|when|if|from|after|is|left|dividing|you|divide))* {_N}"
     rf"(?: (?:is|gets|are))? (?:@over|by) {_N}", r"\1 @mod \2"),
    (rf"{_N} @over {_N} (?:remainder|leaves what remainder)", r"\1 @mod \2"),
    (r"\b(?:mod|modulo|modulus)(?= #)", "@mod"),
    # powers and roots
    (rf"\b(?:square root of|sqrt(?: of)?|sq root of|root of) (?:\( )?{_N}(?: \))?", r"@sqrt \1"),
    (rf"@sqrt (?:\( )?{_N}(?: \))?", r"@sqrt \1"),
    (rf"\bcube root of {_N}", r"@cbrt \1"),
    (rf"{_N} (?:squared|to the square)(?= |$)|\b(?:square of|square) {_N}", r"\1\2 @power #2"),
    (rf"{_N} cubed(?= |$)|\b(?:cube of) {_N}", r"\1\2 @power #3"),
    (rf"{_N} (?:raised )?to (?:the )?(?:power(?: of)?)? ?#(\d+)(?:th)?(?: power)?(?= |$)", "power"),
    (rf"{_N} @bang|\b(?:factorial of) {_N}|{_N} factorial(?= |$)", r"@factorial \1\2\3"),
    # shares
    (r"#(\S+) ~percent of(?: the)?(?= #)", r"#\1 ~percent @times"),
    (r"#(\d+/\d+) of(?: the)?(?= #)", r"#\1 @times"),
    (rf"\bwhat (?:~percent|percentage)(?: of)? {_N} (?:is|are|equals) {_N}", r"\2 @share \1"),
    (rf"\bwhat (?:~percent|percentage) (?:is|are) {_N} of {_N}", r"\1 @share \2"),
    (rf"{_N} (?:is|are|as) (?:what|which|a) (?:~percent|percentage) of {_N}", r"\1 @share \2"),
    # conversions
    (rf"\b(?:convert|change|turn|express|conversion of|converting|translate) {_N}"
     rf" (?:to|into|in|as) {_U}", r"\1 @to \2"),
    (rf"{_N} (?:when |if )?(?:converted|expressed|measured) (?:to|into|in|as) {_U}", r"\1 @to \2"),
    (rf"{_N} (?:is|are|equals?|makes?|comes to) (?:how many|how much in|what in) {_U}", r"\1 @to \2"),
    (rf"{_N} (?:(?:is|are) )?(?:to|into|in|as) {_U}(?=$|\?|[a-z,])", r"\1 @to \2 "),
    (rf"\bhow (?:many|much) {_U}{_IS} ?(?:in |to |for |into )?{_IS} ?{_N}(?={_IS}$)", r"\2 @to \1"),
    (rf"\bnumber of {_U}{_IS} ?in {_N}(?=$)", r"\1 @to \2".replace(r"\1", "§").replace(r"\2", r"\1").replace("§", r"\2")),
    (rf"\bwhat is {_N} in {_U}(?= |$)", r"\1 @to \2"),
    # dates
    (r"\b(?:between|from) (#d:\S+) (?:and|to|until|till|@minus) (#d:\S+)", r"from \1 until \2"),
)


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    # A word rule must not find `times` in `@times`.
    return tuple((re.compile(re.sub(r"\\b(?=\(\?:|[a-z])", r"(?<![\\w@~#])", pattern)), after) for pattern, after in _REWRITES)


def _operations(line: str) -> str:
    """Operations in one notation, whatever the phrase: `subtract #3 from #10` -> `#10 @minus #3`."""
    line = re.sub(r"\s+", " ", line)
    for pattern, after in _rules():
        if after == "money":
            line = pattern.sub(lambda m: f"{next(g for g in m.groups() if g)} {m[0].split()[0]}", line)
        elif after == "power":
            line = pattern.sub(lambda m: f"{m[1]} @power #{m[2]}" if "power" in m[0] or "th" in m[0] else m[0], line)
        else:
            line = re.sub(r"\s+", " ", pattern.sub(after, line)).strip()
    if not re.search(r"@(?:times|over|plus|minus|power|sqrt|mod)", line):
        line = re.sub(r" ?[()]", " ", line)
    line = re.sub(r"( @equals| what| =)+$", "", line)
    return re.sub(r"^\( (.*) \)$", r"\1", line) if line.count("(") == 1 else line


def _opening(line: str) -> str:
    """`What are the opening hours of X` asks when X is open."""
    shorter = re.sub(r"\b(?:opening|business) (?:~hour|times|time)", "open", line)
    return line if shorter == line else "when " + re.sub(r"^(?:what|when) (?:is|are) ", "", shorter)


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


_ATTRIBUTES = {"cost", "height", "weight", "age", "distance", "size", "length", "depth", "width", "speed", "name", "open"}


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
