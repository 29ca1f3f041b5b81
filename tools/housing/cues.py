"""Which tool a person's words can go to as they stand: a hint for models that choose badly."""

from __future__ import annotations

import re

from tools.housing.listings import home_ids

_ONE, _NONE = True, False
"""Whether a home must be named, or must not."""
_CUES: tuple[tuple[str, str, bool | None], ...] = (
    ("cancel_viewing", r"\b(?:cancel|call off)\b", None),
    ("viewing_slots", r"\b(?:when can|what times?|which times?|free times?|slots?|available times?|availability)\b",
     _ONE),
    ("book_viewing", r"\b(?:book|arrange|schedule|reserve|make an appointment|set up)\b", _ONE),
    ("viewing_slots", r"\b(?:viewing|visit|see it|view it)\b", _ONE),
    ("commute", r"\b(?:commute|how (?:long|far)|get to|travel|minutes (?:to|from))\b", _ONE),
    ("price_history", r"\b(?:history|sold for|last sold|previous(?:ly)?|price (?:changes?|drops?)|reduced|earlier)\b",
     _ONE),
    ("compare", r"\b(?:compare|comparison|versus|vs|or|difference|which is)\b", _ONE),
    ("affordability", r"\b(?:afford|income|salary|earn)\b", None),
    ("mortgage", r"\b(?:mortgages?|loan|monthly (?:payment|cost|rate)s?|per month|a month|interest|instal?ments?)\b",
     None),
    ("leave_contact", r"@|\b(?:my (?:phone|number|email)|call me|contact me|reach me)\b", None),
    ("details", r"", _ONE),
    ("search", r"\b(?:flats?|apartments?|houses?|studios?|lofts?|penthouses?|townhouses?|bed ?rooms?|homes?)\b.*"
     r"\b(?:in|under|with|near|for|up to|at least|bed ?rooms?|euros?)\b|\b\d[ -]?bed", _NONE),
    ("district", r"\b(?:what is|what's|how is|tell me about|like|schools? in|neighbou?rhood|district|area)\b", _NONE),
)  # fmt: skip


def understands(text: str) -> tuple[str, ...]:
    """Names of tools, the likeliest first; none where no cue is in the words."""
    homes, low = home_ids(text), text.lower()
    names = [
        name
        for name, cue, needs in _CUES
        if (needs is None or needs == bool(homes)) and re.search(cue, low) and (name != "compare" or len(homes) > 1)
    ]
    return tuple(dict.fromkeys(names))
