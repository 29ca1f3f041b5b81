# ruff: noqa: E501  (alternatives read better in long lines)
"""The form of a turn: does it ask somebody to act? Questions, stories and reports do not; decided without a model."""

from __future__ import annotations

import re

_OPENERS = re.compile(
    r"^(?:(?:so|and|but|well|ok(?:ay)?|hey|hi|hello|oh|um+|btw|right|alright|now|please|pls|plz|duet|yes|yeah|then|just)\b[,! ]*)+"
)
_SEGMENT = re.compile(r"[.?!;:,\n]+(?:\s+|$)|\s[-–—]\s")
_QUESTION = re.compile(
    r"(?:what|whats|what's|who|whose|who's|when|where|where's|which|how|how's|why)\b"
    r"(?! about (?:you|we|some|\w+ing)\b|n't you| don'?t you| not\b| if you\b| i(?:'d|d| would| want| need| wish))"
    r"|(?:is|are|am|was|were|does|did|has|had|isn't|aren't|doesn't|don't you|didn't)\b(?! (?:it possible|there (?:any|a) (?:way|chance)))"
    r"|(?:do|have) (?:you|i|we|they|people|plants|animals|metals|dogs|cats|scientists|all|any)\b"
    r"|(?:should|shall|would|could|can|will|may|might|must) (?!you\b|u\b|ya\b|we\b|love\b|like you\b|appreciate\b|it be\b|the .* be\b)"
    r"|(?:can|could|would|will) (?:you|u) (?:please |pls |kindly )?(?:tell me|explain|describe|say|recommend|suggest|remind|"
    r"translate|write|list|give me|define|feel|summari[sz]e|calculate|convert|think|like|rather|remember|help me (?:understand|with|study))\b"
)
_TALK = re.compile(
    r"(?:tell me|explain|describe|define|definition|translate|write|rewrite|remind|recommend|suggest|list|name (?:a|an|some|three|two|five|the)|"
    r"summari[sz]e|quiz|calculate|convert (?!.*\bstate)|compute|solve|remember|note (?:down|that)|forget|draft|compose|recipe|tips|ideas|"
    r"steps|meaning|set (?:an?|the) (?:alarm|timer|reminder|tone)|give me (?:\w+ ){0,3}(?:list|tips?|facts?|recipes?|examples?|ideas|advice)|"
    r"help me (?:with|study|understand|decide|choose|plan)|should|thanks?|thank you|bye|sorry)\b"
)
_REPORT = re.compile(
    r"(?:(?:he|she|they|it|it's|there's|there is|there are|that's|that is|this is|these are|someone|people|yesterday|"
    r"last (?:week|night|year|summer|month)|once|my|our|his|her|their)\b"
    r"|(?:i|we) (?:just |once |already |recently |never |really |always |usually |often |also )*(?!need|want|\w+ you)"
    r"(?:\w+ed|put|bought|read|made|found|left|lost|was|were|am|are|have (?!to)|had|got|went|saw|took|love|like|hate|feel|dreamt|think|"
    r"work|can't|cannot|don't|didn't|live|know|grew|said|told|ate|drank|heard|forgot|broke|burnt|cut|set|kept|did)\b"
    r"|(?:i'm|im|i've|ive|we're|we've)\b|the (?:\w+ ){1,4}?(?:is|are|was|were|has|had|got|costs?|broke|keeps?|went|looks|needs|fell|chewed)\b"
    r"|(?:if|when) (?:i|we) )"
)
_ACTS = re.compile(
    r"(?:please|pls|plz|then|go|can you|could you|would you|will you|let's|lets|i want|i'd like|i need|you (?:have|need) to|"
    r"find|test|check|measure|see|put|place|move|take|get|bring|carry|grab|pick|heat|warm|cook|microwave|cool|chill|refrigerate|clean|"
    r"wash|rinse|slice|cut|boil|melt|freeze|change|turn|make|mix|create|build|connect|wire|power|hook|light|grow|plant|raise|breed|"
    r"cross|cultivate|identify|focus|determine|compare|figure|work out|run|do|try|use|experiment|slide|roll|locate|look for|search|"
    r"show|point|start|open|play|begin|track|hunt|catch|examine|inspect|hold|throw|drop|fill|produce|prepare|combine|blend|read the (?:recipe|thermometer))\b"
)


_THANKS = re.compile(r"(?:thanks?|thank you|thx|ta|cheers|that'?ll do|that'?s (?:all|enough))\b")
_AMOUNT = re.compile(
    r"\d[\d.,]*\s?(?:[mkc]?m|[mck]?l|k?g|mg|(?:milli|centi|kilo)?(?:lit|met)(?:er|re)s?|(?:kilo|milli)?gram(?:me)?s?|miles?|inch(?:es)?|feet|ft|"
    r"yards?|ounces?|oz|pounds?|lbs?|gallons?|pints?|cups?|euros?|dollars?|hours?|minutes?|°?[cf]|celsius|fahrenheit)\s+(?:in|into|to|as)\b"
)


def asks_to_act(said: str) -> bool:
    """False where every part of what was said is a question, talk or a report; True says it may be a request."""
    parts = [_OPENERS.sub("", part.strip()) for part in _SEGMENT.split(said.lower().replace("’", "'")) if part.strip()]
    parts = [part for part in parts if part]
    if not parts or _TALK.match(parts[0]) or _AMOUNT.search(said.lower()):
        return False
    if len(parts) > 1 and len(parts[0].split()) <= 2 and _THANKS.match(parts[1]):
        return False
    if not _idle(parts[0]):
        return True
    return any(_ACTS.match(part) and not _idle(part) for part in parts[1:])


def _idle(part: str) -> bool:
    return bool(_QUESTION.match(part) or _TALK.match(part) or _REPORT.match(part))
