"""Which language a text is in, as far as a few letters tell (langid.py, Lui & Baldwin 2012)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import py3langid
from babel import Locale
from babel.localedata import exists

FOREIGN, CERTAIN = 3.0, 10.0
"""Natural log odds of another language, from which a text is not taken for English; and from which it is named: a few
English words with a name or a figure among them ("Einstein age", "Whats 3/8") may reach 9."""
KIN = {"wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar"}
"""What is told apart by few letters, and written alike."""
SPOKEN = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr", "ru", "ar", "hi", "zh", "ja")
"""Those that Duet's own sentences are in."""
_WORD = re.compile(r"[^\W\d_]+")


def foreign(said: str) -> bool:
    """Whether a text is likely in another language than English."""
    odds = _odds(said)
    return max(odds.values()) - odds["en"] >= FOREIGN


def name(said: str) -> str:
    """The language that a text is likeliest in, as English calls it; English where that is not certain."""
    code, *_ = odds = _odds(said)
    return _called(code) if odds[code] - odds["en"] >= CERTAIN else "English"


def newest(turns: Sequence[str]) -> str:
    """The language of the newest of a person's turns, which comes first, or of one before it where that is too short to
    tell. English where none is certain, or where it is none of those that Duet's own sentences are in."""
    found = next(filter(None, map(_certain, turns)), "") or (name(turns[0]) if turns else "")
    return found if found in map(_called, SPOKEN) else "English"


def _certain(said: str) -> str:
    """The language of a text, where none that Duet speaks is nearly as likely; else empty."""
    code, *_ = odds = _odds(said)
    nearest = max(odds[other] for other in SPOKEN if other != KIN.get(code, code))
    return _called(code) if odds[code] - nearest >= CERTAIN else ""


@cache
def _called(code: str) -> str:
    return str(Locale("en").languages.get(KIN.get(code, code), "my language"))


def comma(said: str) -> bool:
    """Whether a text is surely in a language that parts whole and decimals by a comma (CLDR, by babel)."""
    code, *_ = odds = _odds(said)
    known = odds[code] - odds["en"] >= CERTAIN and exists(code)
    return known and Locale(code).number_symbols.get("latn", {}).get("decimal") == ","


def certainly(said: str) -> bool:
    """Whether it is certain that a text is English, or that it is not."""
    odds = _odds(said)
    return abs(odds["en"] - max(of for code, of in odds.items() if code != "en")) >= CERTAIN


def strange(said: str, answer: str) -> bool:
    """Whether an answer is rather in English, where what was said is in another language."""
    words = " ".join(_WORD.findall(answer))  # figures look like any language
    if not words or not foreign(said):
        return False
    told, (likeliest, *_) = _odds(words), _odds(said)
    return told["en"] > told[likeliest]


def _odds(text: str) -> dict[str, float]:
    """Of each language by its code, in natural logarithms, the likeliest first."""
    return dict(py3langid.rank(text))
