# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Bills: what things cost together, with a rate off or on, shared, or taken from what was handed over."""

from __future__ import annotations

import re

from tools.frames.text import N, Reading, Text, W

_PEOPLE = r"people|persons?|friends|of us|of them|roommates|flatmates|housemates|colleagues|kids|children|adults|siblings|brothers|sisters|guests|mates|students|players|members|families|ways|women|men|girls|boys|neighbours|cousins|workers|coworkers|housesharers|pals|guys|grandchildren"


def _bill(text: str) -> str:
    """What things cost together: `4 adults at 11.50 each and 3 kids at 7 each`; empty where a figure has no place."""
    terms: list[str] = []

    def times(found: re.Match[str]) -> str:
        if found["n"] != found["p"]:
            terms.append(f"{found['n']} * {found['p']}")
        return " | "

    for rate in re.finditer(rf"(?P<p>{N})(?: euros)? (?:a|an|per|each|every) (?P<u>{W})", text):
        count = re.search(
            rf"\b(?P<n>{N}) (?:(?:full|whole) )?{re.escape(rate['u'])}s?\b(?: (?:a|per|each|every|this|last) (?:day|week|month))?",
            text,
        )
        if count and not rate.start() <= count.start() < rate.end():
            terms.append(f"{count['n']} * {rate['p']}")
            for piece in sorted((rate.span(), count.span()), reverse=True):
                text = f"{text[: piece[0]]} | {text[piece[1] :]}"
            break
    each = r"(?: euros)? ?(?:each|apiece|a piece|a pop|per piece|per person|per head)"
    per = rf"(?: euros)? (?:a|an|per|each|every|for an?|for one|for each) {W}"
    some = rf"(?: (?!(?:at|for|and|plus|is|was|euros|each|per)\b){W}){{0,5}}?"
    for pattern in (
        rf"(?P<n>{N}){some}(?:,| and|\.|;)? (?:each(?: one)?|every one|they|all) (?:is|are|costs?|was|were) (?P<p>{N})(?: euros)?(?: each)?",
        rf"(?P<n>{N}){some},? (?:at|for|@|costing|which cost|that cost|cost|costs|of|x)? ?(?P<p>{N}){each}",
        rf"(?P<n>{N}) (?!euros|a |an |per |% ){W}{some} (?:at|@|x) (?P<p>{N})(?:{per}|(?: euros)?)",
        rf"(?P<n>{N}) (?!euros|a |an |per |% ){W}{some} (?:for|costing) (?P<p>{N}){per}",
        rf"\b(?:one|an?|every|each|the) (?:{W} )??(?P<u>{W})(?: of {W})? (?:is|costs?|for|at|comes to|goes for|sells for) (?P<p>{N})(?: euros)?(?:[^\d|]*)\b(?P<n>\d+(?!\.?\d))(?: of (?:them|those|these)\b| (?:{W} )?(?P=u)(?:e?s)?\b| more\b|(?= ?(?:[.,;|]|$|costs?\b|come\b)))",
        rf"\b(?P<n>{N}) (?P<u>{W}?)(?:e?s)?\b[^\d|.]*[.,;] ?[^\d|]*\b(?:one|an?|every|each|per) (?P=u)\b(?: of {W})?[^\d|]*?(?P<p>{N})",
        rf"(?:\b(?:is|are|at|costs?) )(?P<p>{N}){each}(?:[^\d|]*)\b(?P<n>{N})(?: of (?:them|those|these))?",
    ):
        text = re.sub(pattern, times, text)
    text = re.sub(
        rf"\b(?P<n>{N}) (?:months?|weeks?|hours?|days?|nights?) (?:at|for) (?P<p>{N})(?: euros)?", times, text
    )
    lone = rf"(?:\b(?:for|at|is|was|are|were|costs?|cost me|of|to|plus|and an?|another|came to|comes to|pay|paid|by|worth|spend|spent|owe|total|and|shoes|price|bill) |(?=\d+(?:\.\d\d?)? euros)|(?=\d+\.\d\d?\b)|(?<=\|) *)(?P<p>{N})(?: euros| (?=[a-z-]+ (?:fee|deposit|charge|delivery|shipping))|(?= fee| for (?:the|an?)\b| delivery| shipping| postage| deposit| joining| on top| extra| and\b| plus\b| with\b| (?:an?|per|each|every) (?:day|week|month|year)\b| (?:altogether|total|in total|before)\b|[.,;:|! ]*$|[.,;:!|] | \|))"
    for found in re.finditer(lone, text):
        terms.append(found["p"])
    return " + ".join(terms) if len(re.findall(N, re.sub(lone, " ", text))) == 0 else ""


OFF = r"off|minus|coupon|voucher|discount|discounted|reduced|reduction|rebate|cheaper|sale|less|down|dropped|fell|falls|drops|decreased|decreases|lower|cut|loses"


_ON = r"tax|vat|gst|tip|service|on top|surcharge|markup|interest|raise|rise|rises|rose|raised|increase|increased|increases|goes up|went up|go up"
_MAYBE_ON = r"up|more|extra|added|add|plus"


def _rated(text: str, asked: str) -> tuple[str, str, bool] | None:
    """The text without its `15% off`, what to multiply with, and whether only the part itself is asked for."""
    rates = list(re.finditer(rf"(?:\b(?:an?|with|at|plus|by|of|and|is|of a) )*({N}) % ?", text))
    if not rates:
        return text, "", False
    if len(rates) > 1:
        return None
    rate = rates[0][1]
    near = text[max(0, rates[0].start() - 24) : rates[0].end() + 24]
    down, up = (bool(re.search(rf"\b(?:{words})\b", text)) for words in (OFF, _ON))
    up = up or (not down and bool(re.search(rf"\b(?:{_MAYBE_ON})\b", near)))
    part = re.search(
        r"(?:how much|what|what's) (?:is |would |will |do |does |did )*(?:the |my |a |i |we |you )*(?:tip|discount|tax|vat|saving|save|deposit|commission|reduction|interest)\b",
        asked,
    )
    rest = f"{text[: rates[0].start()]} | {text[rates[0].end() :]}"
    if part:
        return rest, f"{rate} / 100", True
    if down == up:
        return None
    return rest, f"(1 {'-' if down else '+'} {rate} / 100)", False


_PAID = re.compile(
    rf"\b(?:(?:hand(?:ed|ing)?(?: (?:over|them|him|her|the \w+))?|pay(?:ing)?(?: (?:with|by))?|paid(?: with)?|give|gave|giving|with|from|out of|got|have|had|have got|took|take|brought) )(?:(?:the|them|him|her|over|an?|my|one|{W}er|with) ){{0,4}}?(?P<n>{N})(?: euros)?(?: ?-?(?:note|bill))?(?: on me| in my (?:wallet|pocket|purse)| with me)?"
)


_ASKS_CHANGE = re.compile(r"\bchange\b|\bget back\b|\bgive (?:me )?back\b|\bback\b|\bleft\b|\bremain")


_ASKS_MONEY = re.compile(
    r"\b(?:part|portion|head|worth|pay|pays|cost|costs|total|price|owe|owes|spend|spent|bill|come to|comes to|altogether|in all|earn|make|share|charge[sd]?|money|paid|due|each|salary|wage|rent|get|chip in|expensive|much|fee)\b"
)


_ASKS_SHARE = re.compile(
    rf"\b(?:my share|each(?: (?:of us|person|one|friend|kid|child))?|every(?:one|body)?(?: \w+)?|per (?:person|head)|a head|one (?:person|friend|of us)|apiece|my part|{'i'} owe)\b|\bi (?:pay|owe)\b"
)


def money(text: Text) -> Reading | None:
    """`[handed over -] bill [* rate] [/ people]`."""
    said = text.all
    if re.match(r"how (?:many|long|far|old)\b", text.asked) or re.search(
        r"\b(?:half|twice|double|triple|third|quarter|dozen|except|without|free|average|ratio|older|younger|profit|left over|every \d|litres?|km|kg|g|miles?|grams?|perimeter|area|pages?|speed|what %|by how|percentage)\b(?! (?:shared?|ways))|% (?:is|has|did|of)\b|(?:what|how many|how much|which|as an?) %|\d % .*\d %",
        said,
    ):
        return None
    rated = _rated(said, text.asked)
    if not rated:
        return None
    rest, factor, _ = rated
    change = bool(_ASKS_CHANGE.search(text.asked))
    if not (change or _ASKS_MONEY.search(text.asked)):
        return None
    paid = people = ""
    if change:
        found = next((m for m in _PAID.finditer(rest) if "." not in m["n"] or m.start() == 0), None)
        if not found:
            return None
        paid, rest = found["n"], f"{rest[: found.start()]} | {rest[found.end() :]}"
    else:
        split = re.search(
            rf"\b(?:(?:split|shared?|sharing|divided?|between|among|amongst|by|we're|we are|we were|there are|there were|there're|with|of|us) )*(?P<n>\d+) (?:{W} )?(?:{_PEOPLE})\b",
            rest,
        )
        sharing = re.search(
            r"\b(?:split|splits|splitting|shared?|shares|sharing|divided?|between|among|amongst|go even|evenly|equally|chip(?:s|ping)? in|my share|my part|my portion|my bit|a head|per head|flatmates|roommates|housemates)\b|there are \d+ of us|we(?:'re| are) \d+",
            said,
        )
        if split and sharing:
            people, rest = split["n"], f"{rest[: split.start()]} | {rest[split.end() :]}"
        elif re.search(r"\b(?:each|everyone|my share|split|shared?)\b", text.asked) and re.search(
            r"\beach\b(?!.*\beach\b)", text.asked
        ):
            return None
    bill = _bill(re.sub(r" (?:for|with|by|between|among|amongst|and|of|get|gets) +\|", " |", rest))
    if not bill:
        return None
    single = len(re.findall(N, rest)) == 1 and not (factor or people or paid)
    if single:
        return None
    value = f"({bill})" if "+" in bill and (factor or people or paid) else bill
    value = f"{value} * {factor}" if factor else value
    if people:
        value = f"{value} / {people}"
    return Reading(f"{paid} - {value}" if paid else value)
