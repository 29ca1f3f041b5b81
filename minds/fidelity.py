"""Does a reply keep what the slow mind found? Figures, units, dates, names and quotes are held against the result.

A reply that loses, changes or invents one of them is not shown; the result itself is (DUMA 3.1.1 trains against this
fault; a check at run time works with any model).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from minds.quantities import MONTHS, UNITS, dates, figures, measures, month_numbers, times

__all__ = ["figures", "invented", "names", "unfaithful"]

_NAME = re.compile(r"\b[A-Z][\w'’-]*[A-Za-z0-9]\b|\b[A-Z]{2,}\b")
_QUOTE = re.compile(r"[\"“]([^\"”]{4,})[\"”]")
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NEGATION = re.compile(r"\b(?:not|no|never|none|without|cannot|nothing|neither)\b|n['’]t\b", re.IGNORECASE)
_COUNTS = "two three four five six seven eight nine ten eleven twelve"
_IN_DIGITS = {word: str(number) for number, word in enumerate(_COUNTS.split(), 2)}
_WORDED = re.compile(rf"(?<![\w-])(?:{'|'.join(_IN_DIGITS)})(?![\w-])", re.IGNORECASE)
_OPPOSITES = [
    (set(one.split()), set(other.split()))
    for one, other in (
        ("more above over exceeds larger higher greater", "less fewer below under smaller lower"),
        ("ahead", "behind"),
        ("before earlier", "after later"),
        ("least minimum", "most maximum"),
        ("open opens", "closed closes"),
        ("increase increases increased", "decrease decreases decreased"),
    )
]
_BEGINNINGS = """
a an and the this that these those it its is are was were be in on at by for from to of if so as or but yes no not
i you your we our he she they there here what when where which who how why let please sure okay great
converting according based result answer total difference current today tomorrow yesterday handbook document file
"""
_OPENERS = frozenset(_BEGINNINGS.split())
"""Words that begin a sentence are capitalised without being names."""


def names(text: str) -> set[str]:
    """Capitalised words that are no sentence openers and no units, lowercased; months and weekdays among them."""
    return _capitalised(text) | {word for word in _words(text) if word in MONTHS or word in _DAYS}


def unfaithful(reply: str, result: str, known: Iterable[str] = ()) -> str:
    """Why `reply` must not stand for `result`, in a few words; empty when it may.

    `known` are texts whose figures and names the reply may use as well (the question, the dialogue).
    """
    allowed = "\n".join([result, *known])
    return (
        _figures_differ(reply, result, allowed)
        or _units_differ(reply, result, allowed)
        or _names_differ(reply, result, allowed)
        or _sense_differs(reply, result, allowed)
    )


def _figures_differ(reply: str, result: str, allowed: str) -> str:
    said, found, may = set(figures(_in_digits(reply))), figures(_in_digits(result)), set(figures(_in_digits(allowed)))
    if lost := [f for f in found if f not in said and f not in month_numbers(reply)]:
        return f"lost {lost[0]}"
    # A word such as `two` is often about the wording itself: only digits count as added.
    if added := [f for f in figures(reply) if f not in may and f not in month_numbers(allowed)]:
        return f"added {added[0]}"
    if dates(allowed) and (wrong := dates(reply) - dates(allowed)):
        return "changed a date to " + "-".join(map(str, min(wrong)))
    if times(allowed) and (late := times(reply) - times(allowed)):
        return "changed a time to " + ":".join(map(str, min(late)))
    return ""


def _units_differ(reply: str, result: str, allowed: str) -> str:
    said, may = measures(_in_digits(reply)), measures(_in_digits(allowed))
    for figure, units in measures(_in_digits(result)).items():
        if lost := units - said.get(figure, units):
            return f"lost the {min(lost)} of {figure}"
    for figure, units in said.items():
        if may.get(figure) and (added := units - may[figure]):
            return f"made {figure} {min(added)}"
    return ""


def _names_differ(reply: str, result: str, allowed: str) -> str:
    words, allowed_words = set(_words(reply)), set(_words(allowed))
    if lost := [n for n in sorted(names(result)) if n not in words and not _month_of(n, reply)]:
        return f"lost {lost[0]}"
    if new := [n for n in sorted(_inner_names(reply)) if n not in allowed_words and not _month_of(n, allowed)]:
        return f"added {new[0]}"
    return ""


def _sense_differs(reply: str, result: str, allowed: str) -> str:
    if any(quote not in _flat(allowed) for quote in map(_flat, _QUOTE.findall(reply))):
        return "changed a quote"
    if bool(_NEGATION.search(reply)) != bool(_NEGATION.search(result)):
        return "changed a negation"
    found, said = set(_words(result)), set(_words(reply))
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one & found and not other & found and other & said and not one & said:
                return f"turned `{min(one & found)}` round"
    return ""


def invented(text: str, known: Iterable[str]) -> list[str]:
    """Figures of `text` that stand in none of `known` (an interim reply must not guess)."""
    may = set(figures("\n".join(known)))
    return [f for f in figures(text) if f not in may]


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s").removesuffix("’s") for word in re.findall(r"[\w'’-]*\w", text.lower())]


def _in_digits(text: str) -> str:
    return _WORDED.sub(lambda m: _IN_DIGITS[m.group().lower()], text)


def _flat(text: str) -> str:
    return " ".join(text.split()).lower()


def _inner_names(text: str) -> set[str]:
    """Names of a reply that do not begin a sentence."""
    inner = re.sub(r"(^|[.!?:;\[(]\s*|\n\s*|[\"“]\s*)[A-Z]\w*", r"\1", text)
    return _capitalised(inner)


def _capitalised(text: str) -> set[str]:
    return {word for m in _NAME.finditer(text) for word in _words(m.group()) if word not in _OPENERS | UNITS.keys()}


def _month_of(name: str, text: str) -> bool:
    """True where `name` is a month that `text` gives as a number."""
    return name in MONTHS and str(MONTHS.index(name) + 1) in figures(text)
