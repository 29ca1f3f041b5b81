# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Sums told in sentences, read by what the figures are of: rates whose units cancel, stocks that rise and fall, lists.

`I work 7.5 hours a day, 5 days a week. How many hours is that in 4 weeks?` has one product whose unit is hours. A
story is read only where every figure has its place and one reading alone gives what is asked; any other is left.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from tools.numerals import digits

_N = r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)"
_WORD = r"[a-z][a-z'-]+"
_MONEY = r"(?:euros?|eur|dollars?|usd|pounds? sterling|gbp|bucks|quid|francs?|chf)"
_SKIP = r"(?:(?:square|cubic|of|new|more|my|the|red|blue|small|large|big|full|good|whole|other|different) )*"
_CHANGING = re.compile(
    r"\b(?:half|twice|double|triple|percent|per cent|discount|off|less|fewer|except|without|change|free|minus|plus|both|average|"
    r"than|tax|tip|vat|fee|deposit|left|remain\w*|profit|difference|older|younger|third|quarter|ago|until|since|born|reduced|way|only|lose|loses|gain|grow|grows|shrink)\b|%|\band (?:an?|one) (?=[a-z]+\b[^.]*$)"
)
_ASKS_MONEY = re.compile(
    r"\b(?:how much|what)\b.*\b(?:pay|paid|cost|costs|bill|total|price|earn|earned|worth|spend|spent|owe|rent|together|come to|make|pay|wage|salary|altogether|money)\b|\bhow much (?:is|are|for) \d"
)
_EACH = re.compile(rf"\b(?:an?|one|each|every|the) (?:(?!costs?\b){_WORD} ){{0,2}}?(?:of (?:{_WORD} ){{1,2}})?")
_GAIN = r"gets?|got on|gets on|got|added|adds?|buys?|bought|receives?|received|finds?|found|earn(?:s|ed)?|wins?|won|collect(?:s|ed)?|more|joined|arrived?|came|new|picked"
_LOSS = r"got off|gets off|deleted|gives?|gave|loses?|lost|spends?|spent|eats?|ate|sells?|sold|uses?|used|threw|broke|left|leaves?|removed|donated|cut|took out|pay|paid|lent|watched|read|drank|drove"
_STOCK = re.compile(
    rf"(?:.*?\b(?:had|has|have|there (?:were|are|was)|is|starts? with|started with)\b) (?P<first>{_N}) ?(?P<rest>.*)[.,;!] ?(?:and |so )?"
    r"(?P<ask>(?:how (?:many|much)|what)\b[^.]*\b(?:left|now|remain\w*|does (?:he|she|it) have|do (?:i|we|they) have|are there|still)\b[^.]*)"
)
_LIST = re.compile(
    r"\b(?:in total|altogether|in all|how far (?:was|is) that|how (?:many|much) (?:\w+ )?(?:is|was|are) (?:that|it)|all together|together)\b|add up to|what(?:'s| is) the (?:sum|total)"
)


@dataclass(frozen=True)
class Rate:
    """A figure with what it counts, and per what: `7.5 hours a day`."""

    figure: str
    of: str
    per: str = ""


def read_story(said: str) -> tuple[str, bool] | None:
    """The expression that `said` tells, and whether only a whole number answers it; None where it is not clear."""
    text = _plain(said)
    return _stock(text) or _listed(text) or _cancelled(text)


def _plain(said: str) -> str:
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", said.lower())
    text = re.sub(r"[$€£]\s?(\d+(?:\.\d+)?)", r"\1 euros", digits(text))
    text = re.sub(rf"(?<=\d) ?{_MONEY}\b", " euros", text)
    text = re.sub(r"(?<![\d.] )\b1 (?=[a-z])", "one ", text)
    return " ".join(re.sub(r"(?<=\d)(?=[a-z])", " ", text.replace("?", " ")).split())


def _stock(text: str) -> tuple[str, bool] | None:
    """`I had 320, deleted 47 and added 129 new ones. How many do I have now?`"""
    found = _STOCK.fullmatch(text)
    if (
        not found
        or re.search(r"\d", found["ask"])
        or re.search(r"\b(?:each|per|every|times|half|twice|%|rows?|pieces)\b", text)
    ):
        return None
    expression, verb, count = found["first"], "", 0
    for word in re.finditer(
        rf"(?P<number>{_N}) ?(?P<after>got off|got on|(?:{_GAIN}|{_LOSS})\b)?|\b(?P<verb>{_LOSS}|{_GAIN})\b",
        found["rest"],
    ):
        if word["verb"]:
            verb = word["verb"]
            continue
        sign = (
            word["after"]
            if word["after"] and (word["after"].startswith("got") or (word["after"] == "more" and not verb))
            else verb
        )
        if not sign:
            return None
        expression += f" {'-' if re.fullmatch(_LOSS, sign) else '+'} {word['number']}"
        count += 1
    return (expression, False) if count else None


def _listed(text: str) -> tuple[str, bool] | None:
    """`We cycled 84 km on Saturday and 67 km on Sunday. How far was that in total?`"""
    found = [_noun(match[1]) for match in re.finditer(rf"{_N} ?({_WORD})?", text)]
    figures = re.findall(_N, text)
    units = {unit for unit in found if unit}
    if len(figures) < 2 or not _LIST.search(text) or _CHANGING.search(text):
        return None
    if re.search(
        r"\b(?:each|per|every|apiece|an? (?:day|week|month|year|hour|tin|pack|piece|box)|at|by|times|for)\b", text
    ):
        return None
    bare = len(figures) > 2 and bool(re.search(r"add up to|\bsum\b|\btotal of\b", text))
    same = len(found) == len([unit for unit in found if unit]) and len(units) == 1
    of_first = found[0] and all(not unit or unit in ("on", "in", "and", found[0]) for unit in found[1:])
    return (" + ".join(figures), False) if bare or same or of_first else None


def _cancelled(text: str) -> tuple[str, bool] | None:
    """The one product or quotient of all figures whose unit is what is asked for."""
    if _CHANGING.search(text):
        return None
    rates, target = _rates(text), _target(text)
    if not target or not 2 <= len(rates) <= 4 or len(rates) != len(re.findall(_N, text)):
        return None
    found = []
    for signs in itertools.product((1, -1), repeat=len(rates)):
        unit = Counter[str]()
        for rate, sign in zip(rates, signs, strict=True):
            unit[rate.of] += sign
            if rate.per:
                unit[rate.per] -= sign
        if {name: power for name, power in unit.items() if power} == target:
            found.append(signs)
    if len(found) != 1 or 1 not in found[0]:
        return None
    over = [rate.figure for rate, sign in zip(rates, found[0], strict=True) if sign > 0]
    under = [rate.figure for rate, sign in zip(rates, found[0], strict=True) if sign < 0]
    asked = next(name for name, power in target.items() if power > 0)
    whole = (
        bool(under) and len(target) == 1 and asked not in ("euro", "kg", "km", "metre", "litre", "hour", "gram", "mile")
    )
    return " / ".join([" * ".join(over), *under]), whole


def _rates(text: str) -> list[Rate]:
    """Each figure with its unit; `each` and a subject such as `a bag` say per what."""
    rates: list[Rate] = []
    for clause in re.split(r"[.,;!:](?= |$)| and ", text):
        subject = _subject(clause)
        for found in re.finditer(
            rf"(?P<n>{_N})(?: {_SKIP}(?P<of>{_WORD}))?(?P<rest>(?: of {_WORD})?(?: (?:per|an?|each|every|for each|in each|for every)\b(?: of)? ?(?:(?P<per>{_WORD})|(?={_N})))?)",
            clause,
        ):
            of, per = _noun(found["of"]), _noun(found["per"])
            if of in ("a", "an", "per", "each", "every", "apiece", "in", "on", "for", "at", "with", "is", ""):
                per, of = (_noun(found["per"]) if of else per), "euro" if _is_money(clause, found.start(), of) else ""
            each = re.search(r"\b(?:each|apiece)\b", clause[found.start() :])
            if not per and each and not re.search(_N, clause[found.end() :]):
                earlier = [rate for rate in rates if not rate.per]
                per = earlier[-1].of if earlier else ""
            elif (
                not per
                and re.search(r"\b(?:for|in) each of ", found[0] + clause[found.end() : found.end() + 14])
                and (after := re.search(rf"of {_N} ({_WORD})", clause[found.end() :]))
            ):
                per = _noun(after[1])
            elif not per and subject and of != subject:
                per = subject
            rates.append(Rate(found["n"], of, per if per != of else ""))
    owners = [rate.per for rate in rates if rate.per]
    return [
        rate if rate.of else Rate(rate.figure, owners[0] if owners and not rate.per else "euro", rate.per)
        for rate in rates
    ]


def _is_money(clause: str, at: int, of: str) -> bool:
    return bool(re.search(r"\b(?:at|costs?|is|for|are|rent|price|pay)\b[^\d]*$", clause[:at]))


def _subject(clause: str) -> str:
    """`a bag of cement weighs`: bag."""
    found = re.match(
        rf"(?:if |and |when |so )*(?:an?|one|each|every) (?:{_WORD} )??(?P<head>{_WORD})(?: of (?:{_WORD} ?){{1,2}})? (?:costs?|weighs?|holds?|covers?|has|contains?|needs?|is|takes?|eats?|makes?|prints?|uses?|fits|lasts|seats?|with|gets?|produces?|fills?)\b",
        clause.strip(),
    )
    return _noun(found["head"]) if found else ""


def _target(text: str) -> dict[str, int]:
    """What is asked for, as a unit: `{"apple": 1, "crate": -1}` for how many apples are in each crate."""
    asked = re.findall(
        rf"\b(?:how many|how much) {_SKIP}({_WORD})[^.]*?(?:(?:in|per|for|does) (?:each|every|one|an?) ({_WORD})|(each)\b)?[^.]*$",
        text,
    )
    if (
        re.search(r"\bhow (?:many|much)\b", text)
        and asked
        and asked[-1][0] not in ("do", "does", "is", "are", "did", "will", "in", "would", "money")
    ):
        of, per, each = asked[-1]
        if re.search(r"\b(?:weigh|cost)\b", text[text.rfind("how ") :]):
            return {}
        return {} if each else {_noun(of): 1} | ({_noun(per): -1} if per else {})
    if re.search(r"\bwhat (?:do|does|would) [^.]* weigh\b|how much (?:do|does) [^.]* weigh\b|how heavy", text):
        return next(({unit: 1} for unit in ("kg", "gram", "pound", "tonne") if re.search(rf"\d {unit}", text)), {})
    if re.search(r"\bhow far\b", text):
        return next(({unit: 1} for unit in ("km", "mile", "metre") if re.search(rf"\d {unit}", text)), {})
    if not _ASKS_MONEY.search(text):
        return {}
    asking = text[max(text.rfind(cue) for cue in ("how ", "what")) :]
    per = re.search(r"\b(?:in|an?|per|each|every) (day|week|month|year)\b|\b(week|month|year)ly\b", asking)
    spread = per and re.search(rf"\b(?:a|per|each|every) {per[1] or per[2]}\b", text[: text.rfind(asking)])
    return {"euro": 1} | ({per[1] or per[2]: -1} if per and spread else {})


_SPELT = {
    "kilometre": "km",
    "kilometer": "km",
    "kilo": "kg",
    "kilogram": "kg",
    "meter": "metre",
    "liter": "litre",
    "person": "people",
    "child": "children",
    "g": "gram",
    "l": "litre",
    "m": "metre",
}


def _noun(word: str | None) -> str:
    """One form for singular and plural."""
    plain = re.sub(r"(?<=[sx])es$|(?<=[cs]h)es$|(?<=[^s])s$", "", word or "")
    return _SPELT.get(plain, plain)
