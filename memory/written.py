"""How a text is written, in any language: its words, figures and names, and whether another is written alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_FIGURE = re.compile(r"\d+(?:[.,:'\u202f\u00a0]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))")
_UNPARTED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
"""Letters of scripts that put no blanks between words."""


def equal(one: str, other: str) -> bool:
    """Whether both are written alike but for spare blanks, a mark at the end and capitals where one has none.

    `MB` is not `Mb`, "Hello" not "hello" and `5!` not 5.
    """
    a, b = (" ".join(text.split()).rstrip("?. ") for text in (one, other))
    careless = a.islower() or b.islower() or a.isupper() or b.isupper()
    return a.casefold() == b.casefold() and (careless or a[1:] == b[1:])


def within(value: str, text: str) -> bool:
    """Whether a value stands in a text, in any case: as whole words, where its script parts them."""
    given = value.casefold().strip()
    begins = "" if re.match(f"[{_UNPARTED}]", given) else r"(?<!\w)"
    ends = "" if re.search(f"[{_UNPARTED}]$", given) else r"(?!\w)"
    return bool(given and re.search(f"{begins}{re.escape(given)}{ends}", text.casefold()))


def figures(text: str) -> list[str]:
    """The numbers of a text in digits, in their order: `12,000` is 12000, and `3,50` is 3.5."""
    return [_value(found) for found in _FIGURE.findall(text)]


def _value(figure: str) -> str:
    plain = _THOUSANDS.sub("", figure).replace(",", ".")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain


def words(text: str) -> list[str]:
    """Words, and the marks that end a sentence."""
    return re.findall(r"[^\W_]+|[.?!:]", text)


def anchors(words: Sequence[str]) -> set[str]:
    """Words written like names, with a capital within a sentence, and words with digits; lower case."""
    shouting = all(word.isupper() for word in words if word.isalpha())
    inner = {w for before, w in pairwise(words) if before not in ".?!:" and w[0].isupper()}
    digits = {word for word in words if not word.isalpha() and any(c.isalpha() for c in word)}
    return {word.lower() for word in (set() if shouting else inner) | digits if len(word) > 1}
