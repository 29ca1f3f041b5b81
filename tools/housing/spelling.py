"""Turns as people type them, put so that patterns can read them: `wich hous has a gardin`, `whats`, `thatll do`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

_SHORT = {
    "whats": "what's", "wheres": "where's", "whos": "who's", "hows": "how's", "thats": "that's", "theres": "there's",
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wont": "won't", "isnt": "isn't",
    "arent": "aren't", "wasnt": "wasn't", "couldnt": "couldn't", "wouldnt": "wouldn't", "havent": "haven't",
    "im": "I'm", "ive": "I've", "youre": "you're", "theyre": "they're", "thatll": "that'll", "itll": "it'll",
    "wich": "which", "wen": "when", "wat": "what", "hav": "have", "bilt": "built", "u": "you", "pls": "please",
    "plz": "please", "ty": "thank you", "thx": "thanks", "chers": "cheers", "tmrw": "tomorrow", "sqm": "m2",
    "appt": "appointment", "apt": "apartment", "bdrm": "bedroom", "br": "bedroom", "yr": "year", "yrs": "years",
    "hous": "house", "wot": "what", "thay": "they", "agen": "again", "tel": "tell", "sed": "said", "wher": "where",
    "havnt": "haven't", "tmr": "tomorrow", "mins": "minutes", "rm": "room", "sth": "something",
    "idk": "I don't know", "gonna": "going to", "wanna": "want to", "gimme": "give me", "lemme": "let me",
    "gotta": "have to",
}  # fmt: skip
_WORDS = """
    garden balcony parking garage bedroom bedrooms bathroom bathrooms apartment apartments house houses studio
    penthouse townhouse flat energy class service charge mortgage monthly payment payments interest deposit income
    salary afford price prices budget district neighbourhood school schools station minutes commute viewing viewings
    appointment cancel booking available address agent compare difference cheaper expensive bigger larger smaller
    quiet noisy noise floor built building lift elevator square metres history reduced notary contract advice
    question beautiful brilliant lovely perfect interested better please thanks thank tomorrow monday tuesday
    wednesday thursday friday saturday sunday morning afternoon evening university hospital airport would could
    should which about another something nothing actually otherwise because really little looking
"""
_KEYS = tuple(_WORDS.split())
_NEAR = 0.83
"""Likeness from which a word that is none of the desk's is taken for one that is."""


def spelled(said: str) -> str:
    """The same words, those of a typist mended; names and words with capitals stay."""
    plain = said.replace("’", "'")
    return re.sub(r"(?<![\w'@.-])[A-Za-z]+(?![\w'@-])", lambda found: _mended(found[0]), plain)


def _mended(word: str) -> str:
    low = word.lower()
    if low in _SHORT:
        mended = _SHORT[low]
        return mended[0].upper() + mended[1:] if word[0].isupper() else mended
    if len(word) < 5 or word != low or low in _known():
        return word
    near = next(iter(get_close_matches(low, _KEYS, 1, _NEAR)), word)
    return word if _stem(low) == _stem(near) else near


def _stem(word: str) -> str:
    """`charged` is no mistake for `charge`."""
    return re.sub(r"(?:e?s|e?d|e?r|ing|ly|e|n|y)$", "", word)


@cache
def _known() -> frozenset[str]:
    """Words that are no mistakes: those of the desk's own texts."""
    from tools.domains import words

    texts = " ".join(words("housing", file) for file in ("acts.txt", "answers.txt", "smalltalk.txt", "policy.md"))
    return frozenset(re.findall(r"[a-z]{4,}", texts.lower()))
