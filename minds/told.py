"""What a person told to be kept, said back by rule: a small model repeats it as its own ("I'm allergic to nuts").

Only for models that are not strong, and only within the conversation; what was told in others the memory looks up.
"""

from __future__ import annotations

import re

from minds.dialogue import Dialogue
from prompts import render

TOLD = re.compile(
    r"^(?:please\s+|can you\s+)?(?:remember|note|keep in mind|don['’]t forget)\b"
    r"(?!.*\b(?:what|who|where|which|how|when)\b)[^?]*$",
    re.IGNORECASE | re.DOTALL,
)
"""Something told to be kept: every turn is, so that there is nothing to look up."""
_ASK_TO_KEEP = re.compile(
    r"^(?:please\s+|can you\s+)?(?:remember|note|keep in mind|don['’]t forget)\b(?:\s+(?:down|that|this))*[\s:,]*", re.I
)
_OWN = re.compile(
    r"^(?:(?:by the way|btw|well|so|hi|hello|hey|ok|okay|also|oh)[\s,!]+)*"
    r"(?:my|our|i am|i['’]m|im|i have|i['’]ve|i live|i work|i was born|i drive|i play|call me"
    r"|we are|we['’]re|we live|we have)\b",
    re.IGNORECASE,
)
"""A sentence about oneself."""
_ASKS = re.compile(
    r"^(?:(?:and|so|ok|okay|hey|sorry|please)[\s,]+)*(?:(?:can|could|do) you )?(?:(?:please )?(?:tell|remind) me,? )?"
    r"(?:what|what['’]?s|whats|who|who['’]?s|where|where['’]?s|when|when['’]?s|which|how (?:old|many|much|tall|big))\b",
    re.IGNORECASE,
)
_OF_ONES_OWN = re.compile(r"\b(?:my|i|i['’]m|me|we|our|us|mine)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b(?i:my name is|my name['’]s|call me|i['’]m|i am) ([A-Z][\w'’-]+)")
_FLIPS = {
    "i'm": "you're", "im": "you're", "i've": "you've", "i'll": "you'll", "i'd": "you'd", "i": "you", "me": "you",
    "my": "your", "mine": "yours", "myself": "yourself", "we": "you", "we're": "you're", "we've": "you've",
    "our": "your", "ours": "yours", "us": "you",
}  # fmt: skip
_WORDLESS = frozenset(
    re.findall(
        r"\S+",
        "a an the of in on at to for is are was were be am do does did can could will would i i'm me my we our us you "
        "your what what's whats who who's where where's when when's which how again please tell told remind remember "
        "said say it that this called and so ok okay hey sorry have has had",
    )
)
SHORT = 300
"""Characters; a longer turn is no note."""


def noted(said: str) -> str:
    """A reply to something told to be kept; empty where `said` is none."""
    if not TOLD.match(said) or len(said) > SHORT or not (what := _ASK_TO_KEEP.sub("", said).strip()):
        return ""
    return render("fast/noted", what=_to_the_person(what))


def recalled(said: str, dialogue: Dialogue) -> str:
    """The reply to a question that something told earlier in this conversation answers; else empty.

    All that is asked about must be in what was told: "how many days until my appointment" is no matter of recall.
    """
    if len(said) > SHORT or not _ASKS.match(said) or not (asked := _stems(said)):
        return ""
    own = bool(_OF_ONES_OWN.search(said))
    for turn in reversed(dialogue.turns):
        if turn.speaker != "user" or "?" in turn.text or len(turn.text) > SHORT:
            continue
        kept = bool(TOLD.match(turn.text))
        for sentence in re.split(r"(?<=[.!])\s+", _ASK_TO_KEEP.sub("", turn.text) if kept else turn.text):
            if asked == {_stem("name")} and own and (name := _NAMED.search(sentence)):
                return render("fast/recalled", what=f"your name is {name[1]}")
            if (kept or (own and _OWN.match(sentence))) and asked <= _stems(sentence):
                return render("fast/recalled", what=_to_the_person(sentence))
    return ""


def echoes(reply: str, said: str) -> bool:
    """Whether a reply only says again what the person said."""
    return bool(_plain(reply)) and _plain(reply) == _plain(said)


def may_echo(begun: str, said: str) -> bool:
    """While a reply that has begun so may still become an echo; "hello" may be answered by "Hello"."""
    return len(said.split()) > 2 and _plain(said).startswith(_plain(begun))


def in_place_of_echo(said: str) -> str:
    """What is said where the model would only repeat the person."""
    if "?" in said or _ASKS.match(said):
        return render("fast/unknown")
    return render("fast/noted", what=_to_the_person(said)) if _OWN.match(said) else render("fast/heard")


def _to_the_person(what: str) -> str:
    flipped = re.sub(r"[A-Za-z]+(?:['’][a-z]+)?", lambda word: _flip(word[0]), what.strip().rstrip(".! "))
    flipped = re.sub(r"\byou (am|was)\b", lambda verb: {"am": "you are", "was": "you were"}[verb[1]], flipped)
    flipped = re.sub(r"^((?:your|the) [\w ]{1,40}): (?=\S)", r"\1 is ", flipped)
    return flipped[:1].lower() + flipped[1:] if flipped.startswith(("You", "Your")) else flipped


def _flip(word: str) -> str:
    return _FLIPS.get(word.replace("’", "'").casefold(), word)


def _stems(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+(?:['’][a-z]+)?", text.casefold())
    return frozenset(_stem(word) for word in words if word.replace("’", "'") not in _WORDLESS)


def _stem(word: str) -> str:
    word = re.sub(r"['’]s$", "", word)
    return re.sub(r"(?<=\w{3})(?:ing|ed|es|s|e)$", "", word)


def _plain(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    return " ".join(words[1:] if words[:1] == ["please"] else words)
