# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""Things that repeat or are measured: so many of so many, groups that come out whole, shapes, journeys."""

from __future__ import annotations

import re

from tools.frames.text import OTHER, N, Reading, Text, W, asks_for_others, plurals, stem


def shape(text: Text) -> Reading | None:
    """The area or the way around of a square or a rectangle."""
    said, figures = text.all, text.figures
    around = re.search(
        r"\b(?:perimeter|all the way around|way round|fence|fencing|border|around|edging|skirting|circumference)\b",
        said,
    )
    area = re.search(r"\b(?:area|square (?:met|feet|foot|cent)|surface|how big|floor space|m2|sqm)\b", said)
    if re.search(r"%|\b(?:each|per|half|triangle|costs?|circle|round table|radius|diameter|volume)\b", said) or bool(
        around
    ) == bool(area):
        return None
    if len(figures) == 1 and re.search(r"\ba? ?square\b(?! (?:met|feet|foot|cm|km|inch|mile|yard))", said):
        return Reading(f"4 * {figures[0]}" if around else f"{figures[0]} * {figures[0]}")
    if (
        len(
            {
                stem(unit)
                for unit in re.findall(rf"{N} (m|met(?:er|re)s?|feet|foot|ft|cm|km|miles?|yards?|inch(?:es)?)\b", said)
            }
            - {"met", "metr"}
        )
        > 1
    ):
        return None
    if len(figures) == 2 and re.search(r"\b(?:by|x|wide|width|sides?|rectang\w+|broad|long|length)\b|\*", said):
        return Reading(f"2 * ({figures[0]} + {figures[1]})" if around else f"{figures[0]} * {figures[1]}")
    return None


def groups(text: Text) -> Reading | None:
    """`130 pupils, each bus takes 40: how many buses`; `left over after filling boxes of 12`."""
    said = text.all
    if len(text.figures) != 2 or OTHER.search(said) or re.search(r"\beuros\b", said):
        return None
    one, other = text.figures
    if re.search(r"\b(?:left over|leftover|remain\w*|over)\b", text.asked) and re.search(
        r"\b(?:full|groups? of|boxes of|cartons of|bags of|packs of|rows of|teams of|tables of|trays of|bundles of|stacks of|packed|equally|evenly|shared?|between)\b",
        said,
    ):
        return Reading(f"{one} % {other}") if float(one) >= float(other) else Reading(f"{other} % {one}")
    asked = re.search(rf"\bhow many ({W}?)(?:es|s)?\b", text.asked)
    per = re.search(
        rf"\b(?:each|every|an?|one|per) (?:{W} )??({W}) (?:takes?|holds?|fits?|seats?|carr(?:y|ies)|has (?:room|space) for|has|contains?|covers?|sits|makes?|serves?|feeds?|is|can \w+)\b[^\d]*({N})|\b({W}?)(?:es|s)? (?:of|that hold|which hold|hold|holding|seat|seating|take|for|with|come in) ({N})|({N}) (?:{W} )*?(?:per|a|to an?|in an?|in each|on each) ({W})",
        said,
    )
    if (
        not asked
        or not per
        or not re.search(
            r"\b(?:need\w*|fill|make|require\w*|buy|order|can|take|takes|get|use|pack\w*|must|necessary|book|want)\b",
            text.asked,
        )
    ):
        return None
    size = next(g for g in (per[2], per[4], per[5]) if g)
    unit = next(g for g in (per[1], per[3], per[6]) if g)
    if stem(asked[1]) != stem(unit):
        return None
    total = other if size == one else one
    down = re.search(r"\b(?:full|complete|whole|fill|can|make)\b", text.asked) and not re.search(
        r"\bneed|require|must|order|book", text.asked
    )
    return Reading(f"{'floor' if down else 'ceil'}({total} / {size})")


def pace(text: Text) -> Reading | None:
    """Speed, distance and time of one journey."""
    said = text.all
    if (OTHER.sub("", said) != said and not re.search(r"\baverage\b", said)) or len(text.figures) != 2:
        return None
    way = re.search(
        rf"({N}) (?:km|miles?|met(?:re|er)s|m|kilomet(?:re|er)s)\b(?! ?(?:/|per|an hour|a day|a week|h\b))", said
    )
    time = re.search(rf"({N}) (?:hours?|h|minutes|days|seconds)\b", said)
    speed = re.search(
        rf"({N}) (?:km ?/ ?h|km ?per hour|kmh|kph|mph|miles (?:an|per) hour|kilomet(?:re|er)s (?:an|per) hour|km an hour)",
        said,
    )
    if (
        way
        and time
        and re.search(r"\b(?:speed|how fast|pace|km ?/ ?h|per hour|an hour|mph|kmh)\b", text.asked + " " + said[:14])
    ):
        return Reading(f"{way[1]} / {time[1]}")
    if speed and way and ("mile" in way[0]) != (speed[0][-3:][0] == "m" or "mile" in speed[0]):
        return None
    if speed and time and re.search(r"\b(?:how far|distance|how many (?:km|miles|kilomet))", text.asked):
        return Reading(f"{speed[1]} * {time[1]}")
    if speed and way and re.search(r"\b(?:how long|how many hours|time)\b", text.asked):
        return Reading(f"{way[1]} / {speed[1]}")
    return None


def repeated(text: Text) -> Reading | None:
    """`A platter has 16 of them. We'd take 23 platters. How many?`; `85 a month for 14 months`."""
    said = text.all
    if (
        len(text.figures) != 2
        or asks_for_others(text)
        or OTHER.search(said)
        or re.search(r"\b(?:left|remain\w*|more|change|plus|already|than|need to|until|lose|loses|lost)\b", said)
    ):
        return None
    one, other = text.figures
    if re.search(r"\bweigh", text.asked) and not re.search(
        r"\bweigh.* what|\bweighs?\b.*\bwhat|\d (?:kg|g|kilos?|grams|tonnes?|lbs?|pounds|euros)\b",
        said[: said.rfind(text.asked)],
    ):
        return None
    a_time = re.search(
        rf"({N})(?: (?!for\b){W}){{0,3}}? (?:a|an|per|each|every) (day|week|month|year|hour|night|minute|{W})\b",
        said,
    )
    if a_time:
        count = other if a_time[1] == one else one
        if re.search(rf"\b{re.escape(count)} {plurals(a_time[2])}\b", said):
            return Reading(f"{one} * {other}")
    held = re.search(
        rf"\b(?:each|every|an?|one|per) (?P<u>{W})(?: of {W})? (?:takes?|holds?|fits?|seats?|has|contains?|comes with|is|costs?|weighs?|needs?|gets?|makes?|gives?)\b[^\d]*(?P<p>{N})",
        said,
    )
    if held:
        count = other if held["p"] == one else one
        if re.search(rf"\b{re.escape(count)} (?:{W} )?{re.escape(held['u'])}(?:e?s)?\b", said) and not re.search(
            rf"\bhow many {re.escape(held['u'])}", said
        ):
            return Reading(f"{one} * {other}")
    return None


def held(text: Text) -> Reading | None:
    """`6 shelves with 23 books on each`, `3 sandwiches per person for 14 people`: nothing else happens."""
    if (
        len(text.figures) != 2
        or asks_for_others(text)
        or OTHER.search(text.all)
        or re.search(r"\b(?:left|remain\w*|change|plus|already|than|need to|until|total of|in total there)\b", text.all)
    ):
        return None
    one, other = text.figures
    said = re.search(
        rf"{N} (?:{W} )?(?:of|with|containing|holding|having|each with|that hold|which hold|and) (?:about )?{N} ?(?:{W} )*?(?:each|apiece|in each|on each|per {W}|in every {W}|on every {W})\b",
        text.all,
    )
    each = re.search(
        rf"{N} ?(?:{W} )*?(?:per|for each|for every|each) (?:{W} )?(?:for|and|with|we are|there are) {N}", text.all
    )
    asks = re.search(r"^(?:how many|how much|how far|total|what's the total|what is the total|what)\b", text.asked)
    return Reading(f"{one} * {other}") if (said or each) and asks and not re.search(N, text.asked) else None


_MANY_IN = {("second", "minute"): 60, ("minute", "hour"): 60, ("hour", "day"): 24, ("day", "week"): 7, ("day", "year"): 365,
            ("week", "year"): 52, ("month", "year"): 12}  # fmt: skip


def over_time(text: Text) -> Reading | None:
    """`3 litres an hour. How much is that in a day?`"""
    if len(text.figures) != 1 or OTHER.search(text.all):
        return None
    unit = "second|minute|hour|day|week|month|year"
    rate = re.search(rf"{N}(?: {W}){{0,4}}? (?:an?|per|each|every) ({unit})\b", text.all)
    asked = re.search(
        rf"\b(?:in|per|an?|each|every|for|over|one|during) (?:an?|one|the|whole|full|entire|{W} )? ?({unit})\b|\b(week|month|year|hour)ly\b",
        text.asked,
    )
    if not rate or not asked:
        return None
    old, new = rate[1], asked[1] or asked[2]
    if many := _MANY_IN.get((old, new)):
        return Reading(f"{text.figures[0]} * {many}")
    many = _MANY_IN.get((new, old))
    return Reading(f"{text.figures[0]} / {many}") if many else None
