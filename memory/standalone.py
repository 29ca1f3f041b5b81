"""Whether a turn can be understood, and holds, outside its conversation: pronouns, ellipsis, the person's own facts."""

from __future__ import annotations

import re

from memory.wording import bare

_PERSONAL = re.compile(r"\b(?:my|mine|our|ours|myself|ourselves|i|we|me|us)\b", re.I)


def personal(text: str) -> bool:
    """Whether the text speaks of the person (`my`, `I`, `our`), courtesy apart: it holds in its session only."""
    plain = bare(text)
    plain = re.sub(r"\bUS\b", " ", plain)
    plain = re.sub(r"\b(?:give|tell|show|remind|help|let|to|for|lend) (?:me|us)\b"
                   r"|\bdo (?:i|we|you) (?:multiply|convert|"
                   r"calculate|say|spell|divide|add|write|get to)\b|\bif (?:i|we) (?:multiply|add"
                   r"|divide|subtract|convert)\b"
                   r"|\bdo (?:we|i) get\b", " ", plain, flags=re.I)  # fmt: skip
    return bool(_PERSONAL.search(plain))


_BACK = re.compile(
    r"^(?:and|or|but|also|then|plus|minus|times|divided|multiplied|instead|same|now|only|except|with"
    r"|without|because|"
    r"what about|how about|what if|why not|yes|no|yeah|yep|nope|sure|right|exactly|wrong|correct|more"
    r"|less|again|another|"
    r"both|neither|either|all|none|really|in (?:celsius|fahrenheit|kelvin|euros?|dollars?|pounds?"
    r"|miles?|km|kilomet\w+|"
    r"minutes|hours|days|weeks|seconds|total|words|that case|binary|hex\w*|percent|english|french"
    r"|german|spanish)"
    r"|to (?:celsius|fahrenheit|euros?|dollars?|pounds?|miles?|km)|by \S+|for \S+|as (?:a|an) \w+"
    r"|(?:squared?|cubed?|double|"
    r"halve|triple|round|repeat|explain|shorten|translate|summari[sz]e)(?: (?:it|this|that|them))?"
    r"|[+*/x^]\s*\d[\d.,]*|-\s+\d[\d.,]*)"
    r"(?=\W|$)",
    re.I,
)
_CORRECTS = re.compile(
    r"^(?:ah|oh|oops|sorry|actually|no, sorry|no, i meant?|i (?:actually )?meant?|correction)\b", re.I
)
_FINE_START = re.compile(
    r"^(?:double|halve|triple|squared?|cubed?|round|all|both|no(?!,)|now|with|without|only|for|in|by"
    r"|right|times|repeat|"
    r"translate|explain|summari[sz]e|shorten)\b",
    re.I,
)
_POINTING = re.compile(
    r"\b(?:that|those|these|this|it|its|they|them|their|theirs|he|she|him|her|his|hers|itself"
    r"|themselves)\b",
    re.I,
)
_HARMLESS = re.compile(
    r"\bhow (?:long|far|much) is it (?:from|until|to)\b|"
    r"\b(?:this|that) (?:year|month|week|weekend|morning|afternoon|evening|document|file|pdf|handbook"
    r"|report|christmas|"
    r"summer|winter|spring|autumn|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\bwhat (?:time|day|date|year|month|weekday) (?:is|was|will) it\b|\bwill it (?:be|rain|snow)\b"
    r"|\b(?:is|was) it (?:\w+ )?(?:raining|snowing|possible|true|ok|okay|safe|legal|allowed|necessary"
    r"|normal|a leap year) (?=\w)"
    r"|\b(?:does|do|did|would|will|can) it (?:take|cost|mean|matter) (?:to|for|when|if)\b|\bit (?:is"
    r"|takes) (?:true |legal )?"
    r"(?:\d[\d:.]*|that|to|noon|midnight|for)\b|\b(?:so|such|given|say|says|said|told|know|knows|think|sure"
    r"|means?|is it true) that\b"
    r"|\b(?:word|words|number|numbers|one|ones|person|people|document|book|country|city|planet|animal"
    r"|thing|something|"
    r"date|day|year|all|everything|(?!(?:is|was|does|has|costs?) )\w+s) that (?=\w)",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\b(?:the (?:same|other|former|latter|above|previous|result|answer|total|second one|first one"
    r"|last one|rest|"
    r"other one|difference)(?: (?:one|number|thing|amount|again|question|answer|result|city"
    r"|place))?(?!\s+(?:of|between|from|"
    r"when|in|for|to|if)\b)(?! \w)|the same\b|previous (?:answer|result|question|one|number)|(?:above"
    r"|earlier|just said|"
    r"you (?:just )?(?:said|gave|told|found|mentioned|calculated))|(?:first|second|third|last|next"
    r"|other|bigger|smaller|"
    r"cheaper|which|that|another|red|blue) one\b(?! of)|anything else|what else|who else|where else"
    r"|instead|as well|"
    r"too)\s*[?.!]*$|\b(?:the same (?:thing|in|for|with|but|as before|again|question)|as before"
    r"|like before|that many|"
    r"the (?:previous|former|latter)|you (?:just )?(?:said|gave me|told me|found|mentioned|calculated)"
    r"|last (?:answer|"
    r"result|question|number)|(?:multiply|divide|double|halve|square|round|convert|add|subtract) (?:the"
    r"|this|that) "
    r"(?:result|answer|total|number))\b",
    re.I,
)
_DANGLING = re.compile(
    r"^(?:then |now |and |so )*(?:what is |what's )?(?:times|multiply by|multiplied by|divide by"
    r"|divided by|plus|minus|add|"
    r"subtract|take away|take|over|x|\+|-|\*|/)\s*(?:another )?[\d.,]+\s*(?:percent|%"
    r"|[a-z]+)?\s*(?:to the \w+)?[?.!]*$",
    re.I,
)
_BETTER = re.compile(
    r"\b(?:which|who|what)(?: (?:one|of \w+))? (?:is|was|are|has|costs?|weighs?) (?:the )?(?:more|less"
    r"|better|worse|\w+er)"
    r"(?: \w+)?\s*[?.!]*$",
    re.I,
)


def stands_alone(text: str) -> bool:
    """Whether a turn can be understood without the dialogue. In doubt it cannot."""
    plain = _last_said(bare(text).rstrip("?!. "))
    if not plain or _CORRECTS.match(text.strip()):
        return False
    if _LEFT_OUT.search(plain) or _DANGLING.match(plain) or _BETTER.search(plain):
        return False
    for sentence in {plain, re.split(r"(?<=[.!?;])\s+", plain)[-1]}:
        start = _BACK.match(sentence)
        if start and not (_FINE_START.match(sentence) and _full(sentence[start.end() :])):
            return False
    if len(plain.split()) < 2 and not re.search(r"\d\s*[-+*/^x%÷×]{1,2}\s*\d|\d[a-z]|[\w√]\(?\d", plain):
        return False
    if re.search(r"\bthere$|\bthen$|\b(?:over|out|in|up|down|live|go|get|time|weather) there\b", plain, re.I):
        return False
    return not _points_back(re.sub(r"\bIT\b", "", _HARMLESS.sub(" ", plain)))


_TOLD = re.compile(r"\d|\b(?:my|our|an?) [a-z]{3,}|(?<=[a-z] )[A-Z][a-z]+", re.I)
_REMARK = re.compile(r"\b(?:thanks?|thank you|great|nice|good|cool|perfect|wrong|correct|right|sorry|ok|okay)\b", re.I)
_ITS_SUBJECT = re.compile(
    r"\b(?:it|that|this|they|them|the (?:total|result|sum|difference|answer|rest|average))\b(?= |$)", re.I
)


def _last_said(plain: str) -> str:
    """What has to stand alone: `I buy 4 lamps at 41 euros. What is the total?` tells first what it asks about."""
    *told, last = re.split(r"(?<=[.!?;])\s+", plain)
    before = " ".join(told)
    at_home = len(before.split()) >= 4 and _TOLD.search(before) and not _REMARK.search(before)
    if not at_home or _POINTING.search(_HARMLESS.sub(" ", before)):
        return plain
    return before + " " + _ITS_SUBJECT.sub("what was told", last)


def _full(rest: str) -> bool:
    """Whether what follows a word such as `for` or `in` is a question of its own: `In which year did ...`."""
    if re.match(r"\s*[\d.,]+\W*$", rest):  # `double 45`
        return True
    return len(rest.split()) >= 3 and bool(
        re.search(
            r"\b(?:what|which|how|who|when|where|why|is|are|does|do|did|convert|calculate|of)\b"
            r"|\d\S*\s.*\d",
            rest,
            re.I,
        )
    )


def _points_back(plain: str) -> bool:
    """A pronoun is at home where the same text named its thing before, in an earlier clause."""
    for match in _POINTING.finditer(plain):
        before = plain[: match.start()]
        word = match[0].lower()
        clauses = re.split(r"[,.;:?]|\b(?:and|but|if|when|because|while|then|so)\b", before)
        earlier = " ".join(clauses[:-1]) if len(clauses) > 1 else ""
        if word in ("that", "this", "those", "these"):
            if not (
                word == "that"
                and re.match(r" \w", plain[match.end() :])
                and re.search(r"\b(?:a|an|the|any|all|some|(?!Wh|How)[A-Z]\w+) [\w-]+(?: \w+)?\s$", before)
            ):
                return True
        elif not re.search(r"\b(?:[Aa]n?|one|\d+|two|three|four|five) [a-z]{3,}|(?!^)\b[A-Z][a-z]+"
                           r"|^[A-Z][a-z]+ (?:is|was|has|"
                           r"had|buys|bought|runs|drives|earns|reads|walks)\b", earlier):  # fmt: skip
            return True
    return False
