"""Writes out the short forms of chats and mends swapped letters in the words that the gate listens for."""

from __future__ import annotations

import re

SHORT = {
    "u": "you", "ur": "your", "r": "are", "y": "why", "n": "and", "pls": "please", "plz": "please",
    "thx": "thanks", "ty": "thanks", "tmrw": "tomorrow", "tmr": "tomorrow", "tomoz": "tomorrow",
    "2moro": "tomorrow", "2day": "today", "2nite": "tonight", "b4": "before", "wat": "what", "wot": "what",
    "wut": "what", "whats": "what's", "wats": "what's", "hw": "how", "hwmny": "how many", "abt": "about",
    "bc": "because", "cuz": "because", "coz": "because", "cos": "because", "idk": "I don't know",
    "dunno": "don't know", "rn": "right now", "gonna": "going to", "wanna": "want to", "gotta": "have to",
    "gimme": "give me", "lemme": "let me", "tho": "though", "thru": "through", "ppl": "people",
    "msg": "message", "bday": "birthday", "yr": "year", "yrs": "years", "wk": "week", "wks": "weeks",
    "mth": "month", "hrs": "hours", "min": "minutes", "mins": "minutes", "im": "I'm", "ive": "I've",
    "dont": "don't", "doesnt": "doesn't", "cant": "can't", "didnt": "didn't", "isnt": "isn't",
    "thats": "that's", "hows": "how's", "wheres": "where's", "whos": "who's", "whens": "when's", "ya": "you",
    "yer": "your", "k": "ok", "ofc": "of course", "rly": "really", "prob": "probably", "def": "definitely",
    "w": "with", "w/o": "without", "teh": "the", "adn": "and", "hte": "the", "fav": "favourite",
    "convo": "conversation", "calc": "calculate",
}  # fmt: skip
_HEARD = [
    "what", "which", "when", "where", "whose", "how", "much", "many", "long", "often", "about", "from", "with",
    "between", "after", "before", "until", "times", "plus", "minus", "divided", "percent", "total", "each", "left",
    "remaining", "average", "cost", "price", "calculate", "convert", "change", "compare", "cheaper", "better",
    "larger", "metres", "miles", "feet", "inches", "pounds", "gallons", "litres", "degrees", "kilos", "grams",
    "minutes", "hours", "days", "weeks", "months", "years", "weekday", "today", "tomorrow", "document", "contract",
    "handbook", "manual", "page", "section", "policy", "lease", "file", "find", "search", "look", "check",
    "remember", "said", "told", "mentioned", "name", "would", "could", "should", "does", "have", "been", "there",
    "their", "thanks", "please", "hello", "good", "great", "really", "person", "recommend", "because", "think",
    "feel", "weather", "believe", "people", "birthday", "temperature", "bedroom", "kitchen", "open", "close",
    "clean", "heat", "cool", "into", "order", "plan", "schedule",
]  # fmt: skip
_SWAPPED = {
    word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word
    for word in _HEARD
    for i in range(len(word) - 1)
    if word[i] != word[i + 1]
}
_MENDED = {
    wrong: word for wrong, word in _SWAPPED.items() if wrong not in _HEARD and wrong not in {"form", "three", "there"}
}
_WORD = re.compile(r"[\w/']+")


def respell(text: str) -> str:
    """The text with short forms written out; nothing else is touched."""
    return _WORD.sub(_mend, text)


def _mend(match: re.Match[str]) -> str:
    word = match.group()
    low = word.lower()
    return SHORT.get(low) or _MENDED.get(low) or word
