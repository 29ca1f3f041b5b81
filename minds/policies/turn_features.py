# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Hand-made features of a turn and what came before it: what sentence vectors blur (figures, tool words, ellipsis).

A feature is a share, a count on a log scale, or 0/1, so that none is larger than about 3. `names()` and `features()` hold the
same order; a head stores the names it was fitted with and refuses others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minds.dialogue import Dialogue, Turn
from minds.policies.spelling import respell

Floats = NDArray[np.float32]

READ = 600
"""Characters of an utterance that are read: the start and the end of a long one, where the wish stands."""
PAST = 4
"""Utterances before the turn that count as context."""
TAIL = 8
"""Words that a last clause has at least."""
_BREAK = re.compile(r"(?<![.,;:!?])[.,;:!?]+\s+|\b(?=so |and |but )")

_UNITS = (
    r"(?:kilo)?met(?:er|re)s?|km/?h?|cm|mm|mph|miles?|mi|yards?|feet|foot|ft|inch(?:es)?|acres?|hectares?|lit(?:er|re)s?|ml|gallons?|"
    r"pints?|cups?|tablespoons?|teaspoons?|tbsp|tsp|ounces?|oz|fl|pounds?|lbs?|stones?|(?:kilo)?grams?|grammes?|kgs?|kilos?|tons?|tonnes?|"
    r"celsius|fahrenheit|kelvin|degrees?|psi|bar|pascals?|kpa|atm|joules?|calories|kcal|watts?|kwh|volts?|knots?|[kmgt]b|mbit/s|"
    r"centimet(?:er|re)s?|millimet(?:er|re)s?|hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|weeks?|fortnights?|months?|years?"
)
_MONTHS = r"jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NUMBER = r"\d[\d,.]*"
_WORDS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|third|quarter|twice|double"
)

PATTERNS: dict[str, str] = {
    # the form of the turn
    "asks": r"\?",
    "wh_start": r"^(?:so |and |ok(?:ay)?,? |well,? |hey,? )?(?:what|who|where|when|which|why|how)\b",
    "why_how": r"\bwhy\b|\bhow (?:do|does|did|can|could|should|would|to|come)\b",
    "explain": r"\b(?:explain|meaning|mean|means|define|definition|difference between|stand for|what(?:'s| is| are) (?:an? )?[a-z -]+\?)",
    "who_where": r"\b(?:who (?:was|is|were|wrote|invented|painted|made)|capital of|where (?:does|do|did|is|are))\b",
    "about_me": r"^(?:so |well,? |and )?(?:i|i'm|i've|we|we're|my|our|he|he's|she|she's|they|it|it's|the|this|that|there)\b",
    "let_or_please": r"\b(?:please|pls|plz|for me|can you|could you|would you|kindly)\b",
    # figures
    "digit": r"\d",
    "two_numbers": r"\d\D+\d",
    "three_numbers": r"\d\D+\d+\D+\d",
    "number_word": rf"\b(?:{_WORDS})\b",
    "operator": r"\d\s*(?:[-+*/x×÷^]|\*\*)\s*\d|\d\s*(?:times|plus|minus|divided by|over|by)\s*\d|^\s*[-+*/x×÷]\s*\d|[=]\s*\??$",
    "operator_word": r"\b(?:times|plus|minus|divided?|multipl\w+|subtract\w*|take away|add(?:ed)?|sums?|total|altogether|square root|squared|cubed|average|mean of)\b",
    "percent": r"%|\bper ?cent\b",
    "money": r"[$€£]|\b(?:euros?|dollars?|bucks|quid|pounds|cents?|cost|costs|price|pay|bill|rent|tip|vat|discount|budget|salary|invoice)\b",
    "how_many": r"\bhow (?:many|much|long|far|old|tall|big|high|heavy|fast|hot|often|late|early)\b",
    "calculate": r"\b(?:calculat\w+|comput\w+|work (?:\w+ )?out|figure out|solve|convert|count up|tot(?:al)? up|split|share)\b",
    "share_each": r"\b(?:each|per|apiece|left|remains?|remaining|in total|in all|together|a head|per person|a piece)\b",
    # units, dates
    "unit": rf"\b(?:{_UNITS})\b",
    "number_unit": rf"(?:\d|\b(?:{_WORDS}))\s?(?:°|{_UNITS})\b",
    "into_unit": rf"\b(?:in|to|into|as)\s+(?:\w+\s)?(?:{_UNITS}|°?[cf]|euros?|binary|decimal)\b",
    "month": rf"\b(?:{_MONTHS})\b|\d\s+may\b|\bmay\s+\d|\d{{4}}-\d\d-\d\d|\d(?:st|nd|rd|th)\b",
    "weekday": rf"\b(?:{_DAYS})\b|\bweek ?days?\b",
    "clock": r"\b\d{1,2}(?::|\.)\d\d\b|\b\d{1,2}\s?(?:am|pm|o'clock)\b|\bnoon\b|\bmidnight\b|\bhalf past\b|\bquarter (?:to|past)\b",
    "time_now": r"\b(?:what|which|what's the|whats the|local) (?:time|day|date|weekday|year)\b|\btoday'?s date\b|\btime (?:is it|in)\b|\bwhat day\b",
    "until": r"\b(?:until|till?|since|ago|from now|between|before|after|later|how long)\b",
    "today": r"\b(?:today|tomorrow|yesterday|tonight|now|next (?:week|month|year)|this (?:week|month|year))\b",
    # documents, memory
    "document": r"\b(?:pdfs?|documents?|docs?|files?|handbook|manual|contract|agreement|lease|policy|guide|report|minutes|paper|notes|slides|"
    r"leaflet|letter|brochure|syllabus|spreadsheet|instructions|rules|terms)\b",
    "uploaded": r"\b(?:upload\w*|attach\w*|i (?:gave|sent|put|shared|dropped)|scann?ed|according to|in the (?:pdf|doc|document|file))\b",
    "place_in_document": r"\b(?:page|section|chapter|paragraph|clause|says? about|mentions?|quote|look (?:it |that )?(?:up|in|into|through)|search|find)\b",
    "told_you": r"\b(?:i (?:told|mentioned|gave|said|asked|confessed|named)|did i (?:say|tell|mention|ask|decide|call|name)|i say|told you|tell you|we (?:talked|"
    r"discussed|settled|agreed|decided|worked|said)|you (?:told|gave|worked|computed|calculated|helped|said|found|suggested))\b",
    "remember": r"\b(?:remember|recall|remind|forgot|forgotten|memory)\b",
    "long_ago": r"\b(?:last (?:week|month|year|time|spring|summer|autumn|fall|winter|night|"
    rf"{_DAYS})|ages ago|(?:weeks?|months?|a while|some time|days?|long) ago|back (?:in|when|then)|the other (?:day|week)|earlier|once|before|in (?:{_MONTHS}|spring|"
    r"summer|autumn|winter))\b",
    "just_said": r"\b(?:just|again|sorry|you say|i just|what was that|repeat|pardon)\b",
    # reasoning, worlds
    "conditional": r"\bif\b|\bsuppose\b|\bassum\w+|\beither\b|\bneither\b",
    "puzzle": r"\b(?:riddle|puzzle|logic|prove|probability|odds|sequence|prime|who (?:is|sits|lies|lives)|taller|older|younger|left of|right of|next to|always|never)\b",
    "plan": r"\b(?:plan|schedule|timetable|slot|order|route|fit|fits|arrange|seating|itinerary|make it|rota|when (?:should|do|must|can) (?:i|we)|latest|earliest|by when)\b",
    "compare": r"\b(?:cheaper|cheapest|better (?:deal|value|buy|bargain)|bigger|larger|largest|smaller|faster|slower|more expensive|nearer|closer|higher|worth it|or)\b",
    "world_verb": r"^(?:\w+,? ){0,3}(?:go to|go|take|pick|put|place|heat|cool|clean|wash|rinse|slice|open|close|turn (?:on|off)|find|fill|boil|melt|freeze|mix|grow|measure|build|"
    r"look at|examine|move|bring)\b",
    "world_place": r"\b(?:lab|laboratory|simulat\w+|household|game|kitchen|fridge|microwave|drawer|cabinet|shelf|desk|table|sink|greenhouse|workshop|countertop|sofa|armchair|"
    r"dresser|garbage|safe|lamp|circuit|thermometer)\b",
    # what the fast mind does by itself
    "greeting": r"^\W*(?:hi+|hey+|hello+|yo|good (?:morning|evening|night|afternoon)|bye|goodbye|morning)\b",
    "thanks": r"\b(?:thanks?|thank you|thx|ty|cheers|great|perfect|cool|awesome|nice|got it|alright|ok(?:ay)?|fine|makes sense|well done|lovely)\b",
    "feeling": r"\b(?:feel\w*|sad|happy|tired|angry|scared|worried|nervous|stress\w*|lonely|love|loved|hate|miss|sorry|cry|cried|excited|proud|ugh|wow|omg|haha+|lol)\b",
    "opinion": r"\b(?:do you (?:think|like|prefer|believe|agree|find)|your (?:fav\w*|opinion|view)|would you|should i|what do you (?:think|make)|favou?rite)\b",
    "advice": r"\b(?:tips?|advice|recommend\w*|suggest\w*|ideas?|best way|how (?:do|can|should|would) i|should i|what should)\b",
    "creative": r"\b(?:jokes?|poem|story|song|haiku|limerick|write|draft|slogan|caption|name for|toast|rhyme|pun|make up|title|riff|roast|compose)\b",
    "about_you": r"\b(?:are you|r u|who made you|your name|can you (?:read|see|hear|do|book|understand)|do you (?:know|have|eat|sleep|keep|remember)|what can you)\b",
    "figurative": r"\b(?:adds? up|count me|days .{0,24}numbered|it's a date|miles? (?:ahead|away|off)|calculated risk|extra mile|end of the day|piece of cake|"
    r"on the same page|bottom line|one in a million|second chance|long time|(?:a )?million (?:times|percent|years)|1\d\d ?(?:%|percent|per cent)|hundred (?:times|and ten)|"
    r"cloud nine|to the nines|call it a day|behind the times|against the clock|numbers game|big time|no time|high time)\b",
    "emphatic": r"[!?]{2,}|[A-Z]{4,}|[\U0001F300-\U0001FAFF]",
    # ellipsis: the turn leans on the one before
    "follow_up": r"^(?:and|or|but|what about|how about|same|now|then|plus|minus|times|also|make (?:it|that)|in \w+\??$|for|with|without|no,? i meant|divided|together|per)\b",
    "pronoun": r"\b(?:it|that|this|them|those|these|there|one|ones|he|she|his|her|him|the (?:first|second|last|other|same))\b",
}  # fmt: skip
_COMPILED = {
    name: re.compile(pattern, 0 if name == "emphatic" else re.IGNORECASE) for name, pattern in PATTERNS.items()
}
_FIGURE = re.compile(_NUMBER)
_WORD = re.compile(r"[a-z']{4,}", re.IGNORECASE)


@dataclass(frozen=True)
class View:
    """A turn as the features see it."""

    text: str
    reply: str
    """What the assistant said last; "" at the start."""
    asked: str
    """What the person said before that."""
    past: str
    """All of the context in one string."""

    def has(self, name: str) -> bool:
        return bool(_COMPILED[name].search(self.text))


def view(text: str, dialogue: Dialogue) -> View:
    """The turn and its context, clipped. Results of the slow mind are left out: the reply that follows words them."""
    turns = heard(dialogue)
    reply = clip(turns[-1].text) if turns and turns[-1].speaker != "user" else ""
    asked = next((clip(turn.text) for turn in reversed(turns) if turn.speaker == "user"), "")
    return View(clip(text), reply, asked, " ".join(clip(turn.text) for turn in turns[-PAST:]))


def heard(dialogue: Dialogue) -> list[Turn]:
    """What was said aloud; of an interim and a final reply to one turn only the final one."""
    spoken = [turn for turn in dialogue.turns if turn.speaker != "slow"]
    return [
        turn
        for turn, after in zip(spoken, [*spoken[1:], None], strict=bool(spoken))
        if after is None or turn.speaker == "user" or after.speaker == "user"
    ]


def clip(text: str) -> str:
    """The start and the end of a long text, short forms written out."""
    text = respell(text.replace("’", "'").strip())
    return text if len(text) <= READ else f"{text[: READ // 2]} {text[-READ // 2 :]}"


def last_clause(text: str) -> str:
    """The last eight words or more, from where a clause starts: there a long turn says what it is after."""
    if len(text.split()) <= TAIL:
        return text
    starts = [match.end() for match in _BREAK.finditer(text)]
    fitting = [text[start:] for start in starts if len(text[start:].split()) >= TAIL]
    return fitting[-1] if fitting else text


def _figures(text: str) -> set[str]:
    return {figure.strip(".,").replace(",", "") for figure in _FIGURE.findall(text)}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _known(of: set[str], within: set[str]) -> float:
    """Share of `of` that `within` holds."""
    return len(of & within) / len(of) if of else 0.0


def _short(v: View) -> bool:
    return len(v.text.split()) <= 6


def _numeric_reply(v: View) -> bool:
    return bool(_FIGURE.search(v.reply))


_SOURCE = re.compile(
    r"\.(?:pdf|md|txt|docx?)\b|\bpage \d|\buploaded|\bdocuments?\b|\bfile\b|\bsection \d|look .{0,30}(?:into|in) (?:it|them)",
    re.I,
)
_WISH = re.compile(
    r"\?|=\s*$|\b(?:what|which|who|whom|when|where|why|how|whether|please|pls|plz|tell me|let me know|give me|show me|can you|could you|"
    r"would you|i (?:need|want|'d like|wonder)|need to know|work (?:it |that |this )?out)\b|"
    r"^(?:\w+[,.!]* ){0,3}(?:calculate|compute|convert|divide|multiply|subtract|add|sum|total|find|search|look|check|solve|plan|draw|make|"
    r"list|compare|split|scale|tell|give|say|quote|summari[sz]e|put|take|go|heat|cool|clean|open|close|turn|fill|boil|mix|write|explain)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:did (?:i|you) (?:just )?(?:say|mention|call|name|tell|write)|do i owe|you (?:just )?said|i (?:just )?said|you say|was (?:it|that|the \w+)(?: \w+)? again|"
    r"again|(?:what|which|who|where|when|how much|how many)(?: \w+){0,3} (?:was|were|did i|did you)|remember (?:his|her|my|its|their) name|the options)\b",
    re.IGNORECASE,
)
_TAIL_WH = re.compile(r"\b(?:what|which|who|when|how much|how many|how long|how far|how old)\b", re.IGNORECASE)
_TOOLISH = (
    "calculate",
    "how_many",
    "operator",
    "operator_word",
    "percent",
    "into_unit",
    "time_now",
    "number_unit",
)

CONTEXT: dict[str, Callable[[View], float]] = {
    "words": lambda v: math.log1p(len(v.text.split())) / 2,
    "figures": lambda v: math.log1p(len(_FIGURE.findall(v.text))),
    "digits_share": lambda v: sum(c.isdigit() for c in v.text) / max(1, len(v.text)),
    "short": lambda v: float(_short(v)),
    "history": lambda v: float(bool(v.past)),
    "numeric_reply": lambda v: float(_numeric_reply(v)),
    "reply_asks": lambda v: float(v.reply.endswith("?")),
    "sourced_reply": lambda v: float(bool(_SOURCE.search(v.reply))),
    "uploaded_before": lambda v: float(bool(_COMPILED["uploaded"].search(v.past) or _COMPILED["document"].search(v.asked))),
    "toolish_before": lambda v: float(any(_COMPILED[name].search(v.asked) for name in _TOOLISH)),
    "recall_before": lambda v: float(bool(_COMPILED["told_you"].search(v.asked) or _COMPILED["remember"].search(v.asked))),
    "figures_known": lambda v: _known(_figures(v.text), _figures(v.past)),
    "new_figures": lambda v: math.log1p(len(_figures(v.text) - _figures(v.past))),
    "words_known": lambda v: _known(_words(v.text), _words(v.past)),
    "no_wish": lambda v: float(not _WISH.search(v.text)),
    "no_wish_digit": lambda v: float(v.has("digit") and not _WISH.search(v.text)),
    "no_wish_unit": lambda v: float(v.has("unit") and not _WISH.search(v.text)),
    "wish_digit": lambda v: float(v.has("digit") and bool(_WISH.search(v.text))),
    "what_was_said": lambda v: float(bool(v.past) and bool(_SAID.search(v.text)) and not v.has("long_ago")),
    "what_was_said_alone": lambda v: float(not v.past and bool(_SAID.search(v.text))),
    "tail_words_known": lambda v: _known(_words(last_clause(v.text)), _words(v.reply)),
    "tail_figures": lambda v: math.log1p(len(_figures(last_clause(v.text)))),
    "tail_how_many": lambda v: float(bool(_COMPILED["how_many"].search(last_clause(v.text)))),
    "tail_wh": lambda v: float(bool(_TAIL_WH.search(last_clause(v.text)))),
    "why_or_meaning": lambda v: float((v.has("why_how") or v.has("explain")) and not v.has("how_many")),
    "document_known": lambda v: float(bool(_COMPILED["uploaded"].search(v.past) or _SOURCE.search(v.reply)) and v.has("asks")),
    "thing_asked_again": lambda v: float(_short(v) and bool(v.past) and v.has("asks") and not v.has("wh_start") and not v.has("why_how")),
    "asks_digit": lambda v: float(v.has("asks") and v.has("digit")),
    "says_digit": lambda v: float(v.has("digit") and not v.has("asks") and not v.has("how_many") and v.has("about_me")),
    "asks_unit_number": lambda v: float(v.has("number_unit") and (v.has("asks") or v.has("into_unit"))),
    "short_after_number": lambda v: float(_short(v) and _numeric_reply(v)),
    "asks_after_number": lambda v: float(v.has("asks") and _numeric_reply(v) and not v.has("why_how")),
    "follow_after_number": lambda v: float(v.has("follow_up") and _numeric_reply(v)),
    "thanks_after_number": lambda v: float(v.has("thanks") and _numeric_reply(v)),
    "asks_after_source": lambda v: float(v.has("asks") and bool(_SOURCE.search(v.reply))),
    "recall_known": lambda v: float(v.has("told_you") or v.has("remember") or v.has("just_said")) * _known(_words(v.text), _words(v.past)),
    "recall_unknown": lambda v: float(v.has("told_you") or v.has("remember")) * (1 - _known(_words(v.text), _words(v.past))),
    "recall_long_ago": lambda v: float((v.has("told_you") or v.has("remember")) and v.has("long_ago")),
    "asks_document": lambda v: float(v.has("document") and (v.has("asks") or v.has("place_in_document") or v.has("let_or_please"))),
    "world_wish": lambda v: float(v.has("world_verb") and v.has("world_place") and not v.has("asks")),
}  # fmt: skip


def names() -> list[str]:
    """Of the features, in their order."""
    return [*PATTERNS, *CONTEXT]


def features(text: str, dialogue: Dialogue) -> Floats:
    """Shape (len(names()),), float32."""
    v = view(text, dialogue)
    values: list[float] = [float(v.has(name)) for name in PATTERNS]
    values += [float(measure(v)) for measure in CONTEXT.values()]
    return np.asarray(values, np.float32)


def texts_to_embed(text: str, dialogue: Dialogue) -> list[str]:
    """What a head wants sentence vectors of: the turn, and the turn behind what it answers."""
    v = view(text, dialogue)
    before: Sequence[str] = [part for part in (v.asked, v.reply) if part]
    return [v.text or " ", " | ".join([*before, v.text]) or " "]
