# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""How people type when they chat, made plain: `whats teh avg`, `i got a tenner`, `pls`, greetings and asides."""

from __future__ import annotations

import re

_SPELT = {
    "teh": "the", "wot": "what", "wat": "what", "whats": "what's", "hows": "how's", "thats": "that's", "im": "i'm",
    "ive": "i've", "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "thx": "thanks",
    "avg": "average", "puting": "putting", "recieve": "receive", "much's": "much is", "bout": "about",
    "percents": "percent", "precent": "percent", "pct": "percent", "totel": "total", "altogther": "altogether",
    "rn": "right now", "hw": "how", "didnt": "didn't", "dont": "don't", "theres": "there's", "gonna": "going to",
    "wanna": "want to", "gotta": "have to", "cos": "because", "tho": "though", "nd": "and", "mins": "minutes",
    "hrs": "hours", "yrs": "years",
}  # fmt: skip
_NOTES = {"fiver": 5, "tenner": 10}
_WORD = re.compile(rf"(?<![\w'.-])(?:{'|'.join(_SPELT)})(?![\w'-])", re.IGNORECASE)
_GREETING = re.compile(
    r"^(?:(?:(?:hi|hello|hey|hiya|yo|good morning|good evening|good afternoon)(?: there| mate| guys| everyone| duet)?"
    r"|ok|okay|so|well|right|alright|um+|uh|quick (?:one|question|sum|maths)|question|please|sorry)\b[\s,.!:;-]*)+(?=\S)",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:[\s,.!?]+(?:please|thanks|thank you|cheers|ta|mate|lol|haha|tho|though|then|for me|would (?:you|ya)|will you"
    r"|could you|can you|quickly|real quick|by any chance|do you know|kindly|(?:many|so) thanks))+(?P<mark>[\s.?!]*)$",
    re.IGNORECASE,
)
_INNER = re.compile(
    r",? (?:please|kindly|by the way|if you can|if possible)(?:,(?= )|(?= (?:tell|say|give|what|how|to)\b))|\b(?:please|kindly) ",
    re.IGNORECASE,
)  # fmt: skip


def tidy(text: str) -> str:
    """`text` in one line in the spelling of the dictionary, without greetings and thanks; figures and names stay."""
    text = _WORD.sub(lambda found: _SPELT[found[0].lower()], " ".join(text.split()))
    text = re.sub(rf"\b(?:an? )?({'|'.join(_NOTES)})\b", lambda m: str(_NOTES[m[1].lower()]), text, flags=re.I)
    text = re.sub(r"([?!])[?!]+", r"\1", _INNER.sub(" ", text))
    text = re.sub(r"(\?) [^?\d]*$", r"\1", text)
    text = _ENDING.sub(lambda found: "?" if "?" in found["mark"] else "", _GREETING.sub("", text))
    return " ".join(text.split()) or text
