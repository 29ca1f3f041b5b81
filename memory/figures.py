"""Figures in one notation: number words, dates and operations, rewritten in a line of tokens (see `wording`)."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

_SMALL = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * n
    for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5,
          "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10}  # fmt: skip


def numbers(line: str) -> str:
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
        elif (token in _SMALL and last in ("", "hundred", "scale", "and")) or (
            token in _SMALL and last == "ten" and (0 < _SMALL[token] < 10)
        ):
            group, last = group + _SMALL[token], "small"
        elif token in _TENS and last in ("", "hundred", "scale", "and"):
            group, last = group + _TENS[token], "ten"
        elif token == "hundred" and last in ("small", "digits") and group:
            group, last = group * 100, "hundred"
        elif token in _SCALES and token != "hundred" and last not in ("", "scale", "and"):
            total, group, last = total + group * _SCALES[token], Fraction(0), "scale"
        elif (
            token == "and"
            and last in ("hundred", "scale")
            and tokens[end + 1 : end + 2]
            and (tokens[end + 1] in _SMALL or tokens[end + 1] in _TENS)
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


def dates(line: str) -> str:
    """`1 May 2024`, `May 1st, 2024`, `2024-05-01` in one notation: #d:2024-05-01, with `-` where no year is given."""
    month = "|".join(MONTHS) + "|" + "|".join(f"{name[:3]}" for name in MONTHS) + "|sept"

    def dated(day: str, name: str, year: str | None) -> str:
        number = [m[:3] for m in MONTHS].index(name[:3]) + 1
        return f"#d:{year or ''}-{number:02}-{int(day.removesuffix('th')):02}"

    day, year = r"#(\d{1,2}(?:th)?)(?![\d:/])", r"(?: ,?\s*#(\d{4})(?![\d:/]))?"
    line = re.sub(rf"(?:\bthe )?{day} (?:of )?({month})\b{year}", lambda m: dated(m[1], m[2], m[3]), line)
    line = re.sub(rf"\b({month}) (?:the )?{day}{year}", lambda m: dated(m[2], m[1], m[3]), line)
    return re.sub(rf"\b(in|of|until|since|from|by|during|this|next|last) ({month})\b",
                  lambda m: f"{m[1]} month:{m[2][:3]}", line)  # fmt: skip


_N = r"(#\S+(?: ~\S+)*)"
_U = r"((?:~\S+ ?)+)"
_IS = (
    r"(?: (?:is|are|was|be|do|does|there|equal|equals|make|makes|made|go|goes|come|comes|fit|fits|you"
    r"|we|get|contain))*"
)
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
    (
        rf"\b(?:multiply(?:ing)?|multiplication of|product of|multiple of) {_N} (?:by|with|and|times"
        rf"|@times|,) {_N}",
        r"\1 @times \2",
    ),
    (rf"{_N} and {_N} (?:multiplied|@times)(?: together)?(?= |$)", r"\1 @times \2"),
    (rf"\btimes {_N} (?:by|and|with) {_N}", r"\1 @times \2"),
    # sums
    (r"\b(?:added (?:to|with)|plus)(?![\w])", "@plus"),
    (
        rf"\b(?:add(?:ing)?|addition of|sum of|sum up|sum|total of) {_N} (?:to|and|with|plus"
        rf"|@plus) {_N}(?! ,| and #)",
        r"\1 @plus \2",
    ),
    (
        rf"\b(?:add(?:ing)?(?: up)?|sum of|sum up|total of) {_N} , {_N} (?:, )?and {_N}(?! ,| and #)",
        r"\1 @plus \2 @plus \3",
    ),
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
    (
        rf"\b(?:remainder|rest|leftover)(?: (?:of|when|if|from|after|is|left|dividing|you|divide))* {_N}"
        rf"(?: (?:is|gets|are))? (?:@over|by) {_N}",
        r"\1 @mod \2",
    ),
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
    (
        rf"\b(?:convert|change|turn|express|conversion of|converting|translate) {_N}"
        rf" (?:to|into|in|as) {_U}",
        r"\1 @to \2",
    ),
    (rf"{_N} (?:when |if )?(?:converted|expressed|measured) (?:to|into|in|as) {_U}", r"\1 @to \2"),
    (rf"{_N} (?:is|are|equals?|makes?|comes to) (?:how many|how much in|what in) {_U}", r"\1 @to \2"),
    (rf"{_N} (?:(?:is|are) )?(?:to|into|in|as) {_U}(?=$|\?|[a-z,])", r"\1 @to \2 "),
    (rf"\bhow (?:many|much) {_U}{_IS} ?(?:in |to |for |into )?{_IS} ?{_N}(?={_IS}$)", r"\2 @to \1"),
    (rf"\bnumber of {_U}{_IS} ?in {_N}(?=$)", r"\2 @to \1"),
    (rf"\bwhat is {_N} in {_U}(?= |$)", r"\1 @to \2"),
    # dates
    (r"\b(?:between|from) (#d:\S+) (?:and|to|until|till|@minus) (#d:\S+)", r"from \1 until \2"),
)


@lru_cache(maxsize=1)
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    # A word rule must not find `times` in `@times`.
    return tuple(
        (re.compile(re.sub(r"\\b(?=\(\?:|[a-z])", r"(?<![\\w@~#])", pattern)), after) for pattern, after in _REWRITES
    )


def operations(line: str) -> str:
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


def opening(line: str) -> str:
    """`What are the opening hours of X` asks when X is open."""
    shorter = re.sub(r"\b(?:opening|business) (?:~hour|times|time)", "open", line)
    return line if shorter == line else "when " + re.sub(r"^(?:what|when) (?:is|are) ", "", shorter)
