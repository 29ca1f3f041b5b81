"""The sums that a small model may write for a word problem: each figure of the question once, and no other figure.

A model of this size knows which sign a story asks for far better than when to stop, which figure it has used already,
or how to copy one. So a pattern holds it to the sums that can be meant: all orders of the figures, all signs, the few
ways to put brackets; a hundred, a dozen, a week only where the words call for one. No thought is written before it:
measured on word problems, thoughts of a model of this size lead it astray more often than they help.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from minds.fidelity import figures
from tools.asides import tidy
from tools.numerals import digits

MOST = 5
"""Figures of a question that a pattern can be made for."""
_ANY, _LINE, _POINT = " [-+*/] ", " [-+] ", " [*/] "
_SHAPES = {
    2: ("{a}" + _ANY + "{b}",),
    3: (
        "{a}" + _ANY + "{b}" + _ANY + "{c}",
        "[(]{a}" + _LINE + "{b}[)]" + _POINT + "{c}",
        "{a} [-*/] [(]{b}" + _LINE + "{c}[)]",
    ),
    4: (
        "{a}" + _ANY + "{b}" + _ANY + "{c}" + _ANY + "{d}",
        "[(]{a}" + _LINE + "{b}[)]" + _POINT + "{c}" + _ANY + "{d}",
        "[(]{a}" + _ANY + "{b}" + _LINE + "{c}[)]" + _POINT + "{d}",
        "{a} [-*/] [(]{b}" + _ANY + "{c}" + _LINE + "{d}[)]",
        "{a}" + _ANY + "{b}" + _POINT + "[(]{c}" + _LINE + "{d}[)]",
    ),
    5: (
        "{a}" + _ANY + "{b}" + _ANY + "{c}" + _ANY + "{d}" + _ANY + "{e}",
        "{a} - [(]{b} [*] {c} [+] {d} [*] {e}[)]",
        "[(]{a} [*] {b} [-+] {c} [*] {d}[)]" + _POINT + "{e}",
    ),
}
"""By the number of figures."""
_CALLED_FOR = {
    "100": r"%|per ?cent",
    "12": r"\bmonths?\b.*\byear|\byear.*\bmonth|\bdozen|\byearly\b.*\bmonth|\bmonthly\b",
    "7": r"^(?!.*\d days?\b).*(?:\bdays?\b.*\bweek|\bweek.*\bday|\bdaily\b)",
    "52": r"\bweeks?\b.*\byear|\byear.*\bweek|\bweekly\b.*\byear",
    "60": r"\bminutes?\b.*\bhour|\bhours?\b.*\bminute|\bseconds?\b.*\bminute",
    "24": r"\bhours?\b.*\bday|\bday.*\bhour",
    "2": r"\bhalf\b|\btwice\b|\bdouble|\bperimeter\b|\baround\b|\bboth\b|\breturn\b|\bpair",
    "3": r"\bthird|\btriple",
    "4": r"\bquarter",
}  # fmt: skip
"""Figures that words bring in: a dozen, a week, a percentage."""
_RATE = re.compile(r"(\d[\d.,]*)\s?(?:%|per ?cent\b)", re.IGNORECASE)
_BELOW = re.compile(r"\bdegrees?\b|\bbelow\b|\bbalance\b|\boverdraft\b|\bfloors?\b|\bminus\b", re.IGNORECASE)
_OTHER_TOOLS = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d"
    r"|\b(?:weekday|date|clock|time in|convert|time zone|o'clock)\b|\d:\d\d|\b\d{1,2} ?[ap]m\b",
    re.IGNORECASE,
)


def told(question: str) -> bool:
    """Whether a question that no tool reads can only be a sum: it has figures, and nothing of dates in it."""
    must, may, extra = _parts(question)
    return len(must) + len(may) + bool(extra) >= 2 and not _OTHER_TOOLS.search(question)


def sums_of(question: str) -> str:
    """A pattern for all sums that `question` can mean; empty where it has too few or too many figures."""
    must, may, extra = _parts(question)
    rates = set(figures(" ".join(_RATE.findall(tidy(question)))))
    wholes = {tuple(chosen) for chosen in _choices(must, may)}
    forms = [form for chosen in sorted(wholes) for form in _forms(chosen, extra, bool(_BELOW.search(question)))]
    for rate in rates & set(must):
        part = f"([(]1 [-+] {re.escape(rate)} / 100[)]|{re.escape(rate)} / 100)"
        alone = re.compile(rf"(?<![\d.]){re.escape(re.escape(rate))}(?![\d.])")
        forms = [part.join(alone.split(form)) for form in forms]
    return f"^({'|'.join(dict.fromkeys(forms))})$" if forms else ""


def plain(question: str) -> str:
    """The question as the model reads it: in one spelling, numbers as digits."""
    return digits(tidy(question))


def _parts(question: str) -> tuple[list[str], list[str], list[str]]:
    """Figures that must stand in the sum; small ones in words, which may; those that words call for."""
    said = tidy(question).lower()
    written, every = figures(said), figures(digits(said))
    words = list((Counter(every) - Counter(written)).elements())
    may = [figure for figure in words if float(figure) <= 3]
    must = written + [figure for figure in words if figure not in may]
    extra = [figure for figure, called in _CALLED_FOR.items() if re.search(called, said) and figure not in must]
    if _RATE.search(said):
        extra = [figure for figure in extra if figure != "100"]
    return must, [figure for figure in may if figure != "1"], extra


def _choices(must: Sequence[str], may: Sequence[str]) -> Iterator[list[str]]:
    for size in range(len(may) + 1):
        for some in itertools.combinations(may, size):
            if len(must) + size <= MOST:
                yield [*must, *some]


def _forms(chosen: Sequence[str], extra: Sequence[str], below: bool) -> Iterator[str]:
    """All sums with these figures, and those with one more at the end that words call for.

    Of two figures the smaller is only taken from the larger, except where it may come out below zero.
    """
    for order in sorted(set(itertools.permutations(map(re.escape, chosen)))):
        names = dict(zip("abcde", order, strict=False))
        shapes = _SHAPES.get(len(order), ())
        if len(order) == 2 and not below and float(order[0].replace("\\", "")) < float(order[1].replace("\\", "")):
            shapes = ("{a} [+*/] {b}",)
        yield from (shape.format(**names) for shape in shapes)
        if extra and len(order) < 4:
            more = f" [*/] ({'|'.join(extra)})"
            whole = f"{order[0]}" if len(order) == 1 else ""
            yield from (
                form.format(**names) + more
                for form in ((whole,) if whole else (_SHAPES[len(order)][0], f"[(]{_SHAPES[len(order)][0]}[)]"))
            )
