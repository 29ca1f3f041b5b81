"""Which language a text is in, as far as a few letters tell (langid.py, Lui & Baldwin 2012)."""

from __future__ import annotations

import py3langid

FOREIGN = 3.0
"""Natural log odds of another language, from which a text is not taken for English."""


def foreign(said: str) -> bool:
    """Whether a text is likely in another language than English."""
    odds: dict[str, float] = dict(py3langid.rank(said))
    return max(odds.values()) - odds["en"] >= FOREIGN


def strange(said: str, answer: str) -> bool:
    """Whether an answer is rather in English, where what was said is in another language."""
    asked: dict[str, float] = dict(py3langid.rank(said))
    told: dict[str, float] = dict(py3langid.rank(answer))
    return foreign(said) and told["en"] > told[max(asked, key=lambda name: asked[name])]
