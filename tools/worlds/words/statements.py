"""Statements that are orders: `the mug goes on the shelf`, `the egg needs heating`, `give the fork a good wash`."""

from __future__ import annotations

import re
from functools import cache

from tools.worlds.words.nouns import pairs

PLACED = re.compile(
    r"^(?P<thing>(?:(?:the|that|this|my|your|a|an|all) ?.*?|(?!it |he |she |who |what |everyone |nobody |someone |"
    r"that )[a-z]+)) (?:goes|belongs|should go|must go|can go|"
    r"has to go|needs to go|"
    r"wants to go|ought to go|is to go|should sit|"
    r"is supposed to (?:go|be)|should live)"
    r"(?: back)? (?P<where>(?:in|on|into|onto|inside|under|at|over|up|down|near)\b.*)$"
)
NEEDED = re.compile(
    r"^(?P<thing>(?:the|that|this|my|your|it|all|these|those) ?.*?) (?:needs|wants|requires|could do with|"
    r"could use|need|deserves)"
    r"(?: a| an| to be| some)?(?: good| quick| proper| nice| bit of)? (?P<deed>[a-z]+)(?P<rest>.*)$"
)
BE = re.compile(
    r"^(?P<thing>(?:the|that|this|my|your|it|all|these|those) ?.*?) (?:gets (?=[a-z]+ed)|(?:should|must|shall|will|can|"
    r"could|has to|have to|"
    r"ought to|may|might)"
    r"(?: now)? (?:be|get) )(?P<deed>[a-z]+)(?P<rest>.*)$"
)
GIVEN = re.compile(
    r"^give (?P<thing>.+?) (?:a|an|another|the|one) (?:[a-z]+ )??(?P<deed>[a-z]+)(?P<rest>(?: (?:in|with|"
    r"under|using) .*)?)$"
)
HAD = re.compile(
    r"^(?:have|take|do|get|make|try) (?:a|an|another|some) (?:[a-z]+ )??(?P<deed>[a-z]+) (?:of|at|on|"
    r"from) (?P<thing>.+)(?P<rest>)$"
)
HAVE = re.compile(
    r"^(?:have|get|see|take) (?P<thing>(?:(?:the|that|this|my|your|a|an) [a-z0-9 ]+?|"
    r"it)) (?P<deed>[a-z]{3,}ed|cut|taken|frozen)"
    r"(?P<rest>(?: (?:up|down|off|on|out|in|with|using|by|at)\b.*)?)$"
)
STATED = re.compile(
    r"^(?P<thing>(?:the|that|this|my|your|it) ?.*?) (?:needs to be|should be|must be|has to be|ought to be|"
    r"is to be|wants to be)"
    r"(?: turned| switched)? (?P<state>on|off|open|shut|closed)$"
)
AIM = re.compile(
    r"^(?:the|your|our|my) (?:next |first |new )?(?:destination|stop|goal|place to go) (?:is|"
    r"will be) (?P<thing>.+)$"
)
FOCUSED = re.compile(
    r"^(?:the|your|our|my) (?:focus|target|focal point) (?:is|should be|will be|must be|"
    r"shall be) (?P<thing>.+)$"
)
STATES = {"on": "turn on", "off": "turn off", "open": "open", "shut": "close", "closed": "close"}
FORMS = (NEEDED, BE, GIVEN, HAD, HAVE)
IRREGULAR = pairs(
    "took = take, went = go, got = get, gave = give, taken = take, put = put, shut = shut, cut = cut, "
    "frozen = freeze, brought = bring, thrown = throw, held = hold, "
    "gotten = get, moved = move, lit = light, eaten = eat, drunk = drink, read = read, set = set, left = leave, "
    "closed = close, hot = heat, cold = cool, warm = heat, warmed = warm, clean = clean, open = open, blast = heat, "
    "zap = heat, bath = wash, shower = wash, chilling = chill, gone = throw, nibble = nibble, try = try"
)
"""Participles, and adjectives that say what is to become of something, with the verb that does it."""


@cache
def participles() -> dict[str, str]:
    """`heated` -> heat, `dropped` -> drop; with the forms in ing and the bare verbs themselves."""
    from tools.worlds.words.vocabulary import gerunds, heads

    table = dict(gerunds())
    for verb in heads():
        stem = verb[:-1] + "i" if verb.endswith("y") else verb
        for form in (verb, stem + "ed", verb.removesuffix("e") + "ed", verb + verb[-1] + "ed"):
            table.setdefault(form, verb)
    return table | IRREGULAR


def ordered(text: str) -> str:
    """The command that the statement amounts to; the text itself where it is none."""
    if found := STATED.match(text):
        return f"{STATES[found['state']]} {found['thing']}"
    if found := FOCUSED.match(text):
        return f"focus on {found['thing']}"
    if found := AIM.match(text):
        return f"go to {found['thing']}"
    if found := PLACED.match(text):
        return f"put {found['thing']} {found['where']}"
    for form in FORMS:
        found = form.match(text)
        verb = participles().get(found["deed"]) if found else None
        if found and verb:
            return f"{verb} {found['thing']}{found['rest']}"
    return text
