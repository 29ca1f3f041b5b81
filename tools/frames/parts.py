# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Parts of a whole: percentages, fractions, shares, prices of one, proportions."""

from __future__ import annotations

import re

from tools.events import LOSSES
from tools.frames.bills import OFF
from tools.frames.text import OTHER, N, Reading, Text, W, asks_for_others, stem

_PARTS = {
    "half": "1/2",
    "third": "1/3",
    "quarter": "1/4",
    "fifth": "1/5",
    "sixth": "1/6",
    "eighth": "1/8",
    "tenth": "1/10",
}


def percentage(text: Text) -> Reading | None:
    """`58 out of 232`, `used to be 2.40 and now it's 3.00`: what is asked for is a percentage."""
    if (
        not re.search(
            r"\b(?:what|which|how much|how many|how big|as an?)(?: \w+){0,4}? %|\b% .*\b(?:is|was) (?:that|it)\b|in %",
            text.all,
        )
        or len(text.figures) != 2
    ):
        return None
    if re.search(rf"{N} ?%|\b(?:half|twice|double|each|third|dozen)\b", text.all):
        return None
    one, other = text.figures
    share = re.search(
        rf"{N} (?:{W} )*?(?:out of|of|from|from the|in)(?: (?:the|a total of|my|our|all))? {N}\b", text.all
    )
    moved = re.search(
        r"\b(?:change[ds]?|rises?|rose|risen|raised|increase[sd]?|grow(?:n|s)?|grew|went up|gone up|goes? up|going up|climb(?:ed)?|jump(?:ed)?|more expensive|dearer|drop(?:s|ped)?|fall(?:s|en)?|fell|decrease[sd]?|went down|gone down|goes? down|cheaper|lost|lose|less|save[ds]?|saving|discount|reduc\w+|shr[aiu]nk|markup|profit|gain(?:ed)?|higher|lower|off)\b|\bup\b|\bdown\b",
        text.all,
    )
    if moved:
        back = re.search(
            rf"\bfrom {N}|\bwas {N}|used to|\b(?:is|are|costs?) (?:now )?{N}[^\d]*\b(?:was|were|before|last|used)",
            text.all,
        )
        now_first = re.match(
            rf".*?\b(?:now|today|this \w+)\b[^\d]*{N}[^\d]*\b(?:was|were|before|last|used to|up from|down from|from|instead of)\b[^\d]*{N}",
            text.all,
        )
        old, new = (
            (other, one)
            if now_first
            or (
                re.search(rf"{N}[^\d]*\b(?:up|down|instead of)(?: from)? {N}", text.all)
                and not re.search(rf"from {N}[^\d]* to {N}", text.all)
            )
            else (one, other)
        )
        sign = f"({new} - {old})" if float(new) >= float(old) else f"({old} - {new})"
        return Reading(f"{sign} / {old} * 100", "%") if back or not share else None
    if share:
        return Reading(f"{one} / {other} * 100", "%")
    if float(one) != float(other) and re.search(
        r"\b(?:there are|have|has|had|of the|of them|of those|of these|total|class|team|were|got|scored|them)\b",
        text.all,
    ):
        small, large = sorted((one, other), key=float)
        return Reading(f"{small} / {large} * 100", "%")
    return None


def part_of(text: Text) -> Reading | None:
    """`There are 300 seats, 60% are taken. How many are taken?`; `how many are not`."""
    rate = re.search(rf"({N}) %", text.all)
    if (
        not rate
        or len(text.figures) != 2
        or not re.search(r"\bhow many\b", text.asked)
        or re.search(
            rf"\b(?:{OFF.replace('|off', '').replace('off|', '')}|tax|vat|tip|increase\w*|more|half|interest)\b",
            text.all,
        )
    ):
        return None
    whole = next((figure for figure in text.figures if figure != rate[1]), "")
    kind = re.search(
        rf"% (?:of (?:them|the {W}|those|these|it|all {W}) )?(?:are|is|were|was|have|has|had)? ?({W})", text.all
    )
    if not whole or not kind:
        return None
    word = kind[1][:5]
    denied = re.search(
        r"\b(?:not|aren't|isn't|weren't|don't|doesn't|didn't|haven't|without|left|remain\w*|free|other|rest|still)\b",
        text.asked,
    )
    if denied:
        return Reading(f"{whole} * (1 - {rate[1]} / 100)")
    return (
        Reading(f"{rate[1]} / 100 * {whole}") if word in text.asked or re.search(r"\bis that\b", text.asked) else None
    )


def fraction(text: Text) -> Reading | None:
    """`18 sweets, a third given away`: the part, or what is left of the whole."""
    if (
        len(text.figures) > 2
        or asks_for_others(text)
        or re.search(r"\band (?:an?|one|\d+) (?:half|third|quarter)\b", text.all)
    ):
        return None
    part = re.search(
        rf"\b(?P<n>a|an|one|\d+)?[ -]?(?P<d>half|{'|'.join(_PARTS)})(?:s|ves)?\b(?: of (?:them|it|these|those|the|her|his|my|which|that))?",
        text.all,
    )
    figures = [figure for figure in text.figures if not (part and part["n"] == figure)]
    if not part or len(figures) != 1 or "%" in text.all:
        return None
    many = part["n"] if (part["n"] or "").isdigit() else "1"
    share = f"{many} / {_PARTS[part['d']].split('/')[1]}"
    gone = re.search(
        rf"\b(?:{LOSSES}|ill|sick|away|absent|missing|broken|taken|off|empty|rotten|wears?|wear)\b", text.all
    )
    rest = re.search(r"\b(?:left|remain\w*|keep|here|still|over|aren't|not|don't|doesn't|present|to go)\b", text.asked)
    if rest:
        return Reading(f"{figures[0]} * (1 - {share})") if gone else None
    return Reading(f"{figures[0]} * {share}")


def shared_things(text: Text) -> Reading | None:
    """`72 crayons, split equally over 8 boxes: how many in each`; `a pack of 6 costs 4.50, what's one?`"""
    said = text.all
    if len(text.figures) != 2 or OTHER.search(said):
        return None
    one, other = text.figures
    if (
        re.search(
            r"\b(?:price|cost|costs|much|what's)\b.*\b(?:of one|one|each|apiece|a piece|per (?!cent)\w+|single|of an?|for an?|for one|an?)\b",
            text.asked,
        )
        and re.search(rf"^[^\d]*{N}[^\d]*\b(?:costs?|is|are|for|was|were|at|come to|came to|pay|paid)\b[^\d]*{N}", said)
        and not re.search(r"\beach\b.*\d|\d(?: euros)? each\b|\d(?: euros)? (?:an?|per|each) [a-z]+\b|\bper\b", said)
    ):
        return Reading(f"{other} / {one}")
    each = re.search(rf"\b(?:in each|each|every|per|go in|get|goes in|apiece|one {W} get)\b", text.asked)
    even = re.search(
        r"\b(?:split|splits|share|shares|shared|sharing|divide[sd]?|equally|evenly|between|among|amongst|distribut\w+|spread|spreads|put|puts|pack\w*|arrange\w*|into|over|same number|deal\w*)\b",
        said,
    )
    whose = re.search(rf"\bhow many (?:{W} )?(?:does|do|will|would|can|should) (?:every|each)", text.asked)
    if each and (even or whose) and float(one) != float(other) and not re.search(r"\beach\b.*\d|\bper .*\d", said):
        high, low = sorted((one, other), key=float, reverse=True)
        first = one if whose or float(one) > float(other) else other
        return Reading(f"{first} / {low if first == high else high}")
    return None


def per_one(text: Text) -> Reading | None:
    """`8,400 over 24 months. How much is that monthly?`, `480 km on 32 litres. How many km per litre?`"""
    if (
        len(text.figures) != 2
        or OTHER.search(text.all)
        or re.search(
            rf"\b(?:each|per|every|a|an) (?:{W} )?\b[^.?]*{N}[^.?]*$|{N} (?:{W} )?(?:an|per|each|every)\b", text.all
        )
    ):
        return None
    asked = re.search(rf"\b(?:per|each|every|an?|one) ({W})$|\b(dai|week|month|year|hour)ly$|\bper ({W})\b", text.asked)
    if not asked or re.search(N, text.asked):
        return None
    unit = stem(next(g for g in asked.groups() if g).replace("dai", "day"))
    counted = [m[1] for m in re.finditer(rf"({N}) ({W})", text.all) if stem(m[2]) == unit]
    if len(counted) != 1:
        return None
    other = text.figures[1] if counted[0] == text.figures[0] else text.figures[0]
    return Reading(f"{other} / {counted[0]}")


def proportion(text: Text) -> Reading | None:
    """`6 litres for 100 km. How many for 350 km?`: two figures of one kind, and one of another."""
    said = text.all
    if (
        len(text.figures) != 3
        or asks_for_others(text)
        or OTHER.search(said)
        or re.search(r"\b(?:left|change|plus|then|each|fee|than|more|extra|already|have \d)\b", said)
    ):
        return None
    a, b, c = ([m[1], stem(m[2] or "")] for m in re.finditer(rf"({N})(?: ?({W}))?", said))
    if not re.search(N, text.asked):
        return None
    (x, ux), (y, uy), (z, uz) = a, b, c
    apart = not re.search(rf"{re.escape(x)}[^.,;:?!]*{re.escape(y)}", said)
    if uy in ("on", "in", "at", "and", "to", "by") or apart or re.search(r"\blast\b", text.asked):
        return None
    hands = r"worker|people|person|men|man|women|painter|pump|machine|printer|gardener|builder|cleaner|tap|tractor|oven|robot|cook|mower|plumber"
    if re.fullmatch(hands, ux) and re.search(r"\bhow (?:long|many (?:hours|days|minutes|weeks))\b", text.asked):
        return Reading(f"{x} * {y} / {z}") if uz == ux and uy in ("hour", "day", "minut", "week", "month") else None
    bare = uz in ("", "cost", "of", "need", "for")
    if uz == uy and ux != uy and not bare:
        return Reading(f"{x} / {y} * {z}")
    if (
        (uz == ux or bare)
        and ux != uy
        and re.search(
            r"\b(?:costs?|is|are|need|needs|for|takes?|makes?|give|gives|weighs?|uses?|at|does|travels|prints|pay|paid)\b",
            said,
        )
    ):
        return Reading(f"{y} / {x} * {z}")
    return None
