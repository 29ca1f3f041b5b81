"""Is a reply right? The scorer of the question sets in tests/data.

An item says what its final reply must hold: `expect`, groups of alternatives of which each group must be met;
`number`, a figure with a tolerance; `reject`, strings that must not appear. Spelling is forgiven (case,
dashes, thousands separators, Markdown emphasis, `5:30 p.m.`), other figures are not: 17802 is not in 178025.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

_DASHES = re.compile("[\u2010-\u2015\u2212]")
_EMPHASIS = re.compile(r"[*_`]")
_THOUSANDS = re.compile("(?<![\\d.,])\\d{1,3}(?:[,'\u2019\u00a0\u202f\u2009]\\d{3})+(?!\\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b(?: of\b)?")
_NOON_HALF = re.compile(r"(?<=\d) ?([ap])\.? ?m\b\.?(?=\W|$)")
_NUMBER = re.compile(r"(?:(?<![\w)])-)?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+)")


def right(item: Mapping[str, object], reply: str) -> bool:
    """Whether `reply` answers `item`. Raises ValueError for an item that asks for nothing."""
    groups = cast(Sequence[Sequence[str]], item.get("expect") or ())
    number = cast("Mapping[str, float] | None", item.get("number"))
    if not groups and not number:
        raise ValueError(f"item {item.get('id')!r} expects nothing, so no reply could be wrong")
    said = normal(reply)
    if any(holds(said, bad) for bad in cast(Sequence[str], item.get("reject") or ())):
        return False
    if not all(any(holds(said, way) for way in group) for group in groups):
        return False
    return number is None or any(abs(found - number["value"]) <= number["tolerance"] + 1e-9 for found in numbers(said))


def normal(text: str) -> str:
    """Lower case, plain dashes, single spaces; `17,802` as 17802, `5:30 p.m.` as 5:30pm, `1st of` as 1."""
    text = _DASHES.sub("-", _EMPHASIS.sub("", text.lower()))
    text = _THOUSANDS.sub(lambda match: re.sub(r"\D", "", match[0]), text)
    text = " ".join(text.replace("\u2019", "'").split())
    return _NOON_HALF.sub(r"\1m", _ORDINAL.sub("", text))


def numbers(said: str) -> Iterator[float]:
    """The figures of a normalised text; a dash counts as a sign only where it does not join two words."""
    return (float(match) for match in _NUMBER.findall(said))


def holds(said: str, expected: str) -> bool:
    """Whether a normalised text holds `expected` as whole words: 12 is in 12.00km, not in 12.5."""
    want = normal(expected)
    before = r"(?<!\w)" if want[:1].isalnum() else ""
    after = r"(?!\w)" if want[-1:].isalpha() else ""
    if want[:1].isdigit():  # not the tail of a decimal, of a clock time or of a negative figure
        before += r"(?<!\d[.,:])(?<![^\w)]-)"
    if want[-1:].isdigit():
        after += r"(?!\d)(?!\.\d*[1-9])(?!,\d)(?!:\d)(?![ap]m\b)"
    return re.search(before + re.escape(want) + after, f" {said} ") is not None
