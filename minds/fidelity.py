"""Does a reply keep what the slow mind found? Figures, dates, names and quotes are held against the result.

A reply that loses, changes or invents one of them is not shown; the result itself is (DUMA 3.1.1 trains against this
fault; a check at run time works with any model).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,  ]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\d])", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'’-]*[A-Za-z0-9]\b|\b[A-Z]{2,}\b")
_QUOTE = re.compile(r"[\"“]([^\"”]{4,})[\"”]")
_MONTHS = [
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
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NEGATION = re.compile(r"\b(?:not|no|never|none|without|cannot|nothing|neither)\b|n['’]t\b", re.IGNORECASE)
# Words that begin a sentence are capitalised without being names.
_OPENERS = frozenset(
    [
        "a",
        "an",
        "and",
        "the",
        "this",
        "that",
        "these",
        "those",
        "it",
        "its",
        "is",
        "are",
        "was",
        "were",
        "be",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "to",
        "of",
        "if",
        "so",
        "as",
        "or",
        "but",
        "yes",
        "no",
        "not",
        "i",
        "you",
        "your",
        "we",
        "our",
        "he",
        "she",
        "they",
        "there",
        "here",
        "what",
        "when",
        "where",
        "which",
        "who",
        "how",
        "why",
        "let",
        "please",
        "sure",
        "okay",
        "great",
        "converting",
        "according",
        "based",
        "result",
        "answer",
        "total",
        "difference",
        "current",
        "today",
        "tomorrow",
        "yesterday",
        "handbook",
        "document",
        "file",
    ]
)


def figures(text: str) -> list[str]:
    """The numbers of a text in one form each (1,234.50 -> 1234.5), in order; ISO dates and times count part by part."""
    return [_canonical(match) for match in _NUMBER.findall(_spread(text))]


def names(text: str) -> set[str]:
    """Capitalised words that are no sentence openers, lowercased; months and weekdays among them."""
    found = {m.group().lower() for m in _NAME.finditer(text) if m.group().lower() not in _OPENERS}
    return found | {word for word in _words(text) if word in _MONTHS or word in _DAYS}


def unfaithful(reply: str, result: str, known: Iterable[str] = ()) -> str:
    """Why `reply` must not stand for `result`, in a few words; empty when it may.

    `known` are texts whose figures and names the reply may use as well (the question, the dialogue).
    """
    allowed = " ".join([result, *known])
    said, found, may = set(figures(reply)), figures(result), set(figures(allowed))
    if lost := [f for f in found if f not in said and f not in _month_numbers(reply)]:
        return f"lost {lost[0]}"
    if added := [f for f in said if f not in may and f not in _month_numbers(allowed)]:
        return f"added {added[0]}"
    words = set(_words(reply))
    if lost_names := [n for n in names(result) if n not in words]:
        return f"lost {lost_names[0]}"
    allowed_words = set(_words(allowed))
    if new := [n for n in _inner_names(reply) if n not in allowed_words and not _month_of(n, allowed)]:
        return f"added {new[0]}"
    if any(quote.lower() not in _flat(allowed) for quote in map(_flat, _QUOTE.findall(reply))):
        return "changed a quote"
    if bool(_NEGATION.search(reply)) != bool(_NEGATION.search(result)):
        return "changed a negation"
    return ""


def invented(text: str, known: Iterable[str]) -> list[str]:
    """Figures of `text` that stand in none of `known` (an interim reply must not guess)."""
    may = set(figures(" ".join(known)))
    return [f for f in figures(text) if f not in may]


def _spread(text: str) -> str:
    """Separates what is written together: 2026-11-21, 14:30, 5km, £20."""
    text = re.sub(r"(?<=\d)[-/:](?=\d)", " ; ", text)
    text = re.sub(r"(?<=\d)(?=[A-Za-z%°€£$])", " ", text)
    return re.sub(r"(?<=[A-Za-z€£$(\[{])(?=\d)", " ", text)


def _canonical(number: str) -> str:
    number = re.sub(r"(?<=\d)[,  ](?=\d{3}(?:\D|$))", "", number.replace("−", "-")).strip()
    number = number.replace(",", "").replace(" ", "")
    try:
        value = float(number)
    except ValueError:
        return number
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'’-]*\w", text.lower())


def _flat(text: str) -> str:
    return " ".join(text.split()).lower()


def _inner_names(text: str) -> set[str]:
    """Names of a reply that do not begin a sentence."""
    inner = re.sub(r"(^|[.!?:;\[(]\s*|\n\s*|[\"“]\s*)[A-Z]\w*", r"\1", text)
    return {m.group().lower() for m in _NAME.finditer(inner) if m.group().lower() not in _OPENERS}


def _month_numbers(text: str) -> set[str]:
    """The numbers of the months that a text names: a reply may say `March` for `-03-`."""
    return {
        str(i) for i, month in enumerate(_MONTHS, 1) if re.search(rf"\b{month[:3]}(?:{month[3:]})?\b", text.lower())
    }


def _month_of(name: str, allowed: str) -> bool:
    """True where `name` is a month that `allowed` gives as a number."""
    return name in _MONTHS and str(_MONTHS.index(name) + 1) in figures(allowed)
