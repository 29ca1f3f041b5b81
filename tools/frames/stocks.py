# ruff: noqa: E501  (one pattern a line reads better than folded ones)
"""What there was, came, went and is: stocks, differences, profits, savings."""

from __future__ import annotations

import re

from tools.events import GAINS, LOSSES
from tools.frames.text import OTHER, N, Reading, Text, W

_GROUPED = re.compile(
    rf"(?P<n>{N}) (?P<w>(?!euros|%){W})(?: (?!(?:and|but|then)\b){W}){{0,3}}? (?:with|of|holding|containing|having|each with|that hold|which hold|x|at|has|have|hold)? ?(?P<m>{N})(?: (?!each|per\b|in\b){W}){{0,2}}? (?:each|apiece|per {W}|in each|a {W}|to each|for each|in every \w+)\b"
)


_GROUPED_EACH = re.compile(
    rf"(?P<n>{N}) (?P<w>(?!euros|%){W})(?:,| and|\.|;)? (?:each|every|all)(?: {W}){{0,3}}? (?P<m>{N})(?: {W})?"
)


_NOW = re.compile(
    r"\b(?:balance|left|remain\w*|now|still|over|keep|are there|does (?:it|he|she) have|do (?:i|we|they) have|stay|free|empty|unsold|after (?:that|this)|in the end|end up|to go|weigh)\b"
)


def stock(text: Text) -> Reading | None:
    """What was there, less what went, plus what came: `9 coaches with 52 seats each ... 31 people cancelled`."""
    told = text.all[: text.all.rfind(text.asked)] if text.asked in text.all else text.all
    behind = re.search(rf"\b(?:after|if|when|once)\b.*{N}.*", text.asked)
    if not _NOW.search(text.asked) or (re.search(N, text.asked) and not behind):
        return None
    story = f"{told} , {behind[0]}" if behind else told
    if re.search(
        r"\b(?:half|twice|double|triple|third|quarters?|dozen|average|older|younger|%|percent|save|a (?:day|week|month|year|hour)|per (?:day|week|month|year|hour)|every (?:day|week|month|hour)|boxes of|cartons of|how old|times|than|rate|ratio)\b|%",
        text.all,
    ):
        return None
    groups: list[str] = []

    def group(found: re.Match[str]) -> str:
        groups.append(f"{found['n']} * {found['m']}")
        return f"G{len(groups) - 1}# {found['w']}"

    story = _GROUPED_EACH.sub(group, _GROUPED.sub(group, story))
    result, verb = "", 0
    for clause in re.split(r"[.,;:!?] |\b(?:and|but|then|so|while|before)\b", story):
        moves = [
            (m.start(), 1 if re.fullmatch(GAINS, m[0]) else -1)
            for m in re.finditer(rf"\b(?:{LOSSES}|{GAINS})\b", clause)
        ]
        amounts = list(re.finditer(rf"G(\d+)#|{N}", clause))
        if moves:
            verb = min(moves, key=lambda move: abs(move[0] - (amounts[0].start() if amounts else 0)))[1]
        more = re.search(r"\b(?:another|more)\b", clause)
        for amount in amounts:
            value = groups[int(amount[1])] if amount[1] else amount[0]
            if not result:
                result = value
                if not re.search(r"\b(?:eat|ate|sold|lost|gave)\b", clause):
                    verb = 0
            elif verb or more:
                result += f" {'+' if verb > 0 or (more and not verb) else '-'} {value}"
            else:
                return None
    return Reading(result) if len(re.findall(r" [-+] ", result)) else None


def compared(text: Text) -> Reading | None:
    """`How many more`, `the difference`, `8 years younger than Leo, who is 31`."""
    said = text.all
    if len(text.figures) != 2 or re.search(r"%|\b(?:each|per|half|third|quarter|dozen)\b", said):
        return None
    one, other = text.figures
    high, low = sorted((one, other), key=float, reverse=True)
    if re.search(r"^by how (?:many|much)\b(?!.*%)|\bwhen (?:i|he|she|we) (?:was|were) born\b", text.asked):
        return Reading(f"{high} - {low}")
    if re.search(
        rf"\bhow (?:many|much|far)(?: {W}){{0,3}}? (?:more|fewer|less|older|younger|taller|shorter|longer|heavier|lighter|higher|further|farther|cheaper|warmer|colder|bigger|faster|difference)\b|\b(?:difference|profit)\b|\bhow much (?:do|did|would|will|have) (?:i|we|you) save",
        text.asked,
    ) and not re.search(r"\b(?:than|times|if)\b.*\d", text.asked):
        return Reading(f"{high} - {low}")
    times = re.search(rf"\b({N}|twice|double|three|four) times\b|\b(?:twice|double)\b", said)
    if times:
        return (
            Reading(f"{one} * {other}")
            if re.search(r"\btimes as\b", said)
            and not re.search(r"\b(?:than|total|together|altogether|sum|they|in \d+ years|ago)\b", said)
            else None
        )
    step = re.search(
        rf"(?P<d>{N}) (?:{W} )?(?P<way>more|older|taller|longer|heavier|higher|warmer|dearer|faster|hotter|less|fewer|younger|shorter|lighter|lower|colder|cheaper|slower|cooler)\b",
        said,
    )
    if step and not re.search(r"\b(?:together|total|altogether|in all|both)\b", text.asked):
        base = other if step["d"] == one and said.find(one) == step.start("d") else one
        up = re.fullmatch(r"more|older|taller|longer|heavier|higher|warmer|dearer|faster|hotter", step["way"])
        turned = re.search(
            rf"\b(?:who|which|that|she|he|it|this) (?:is|are|was|has)\b[^\d]*{step['d']}\b", said
        ) and re.search(r"how (?:old|tall|many|much|heavy)", text.asked)
        if turned and re.search(r"\bthan\b", said):
            return None
        return Reading(f"{base} {'+' if up else '-'} {step['d']}")
    return None


def saving(text: Text) -> Reading | None:
    """`I need 1,500, have 600 and save 75 a month: how many months`."""
    said = text.all
    rate = re.search(rf"({N})(?: euros)?(?: {W}){{0,2}}? (?:a|per|each|every) (day|week|month|year)\b", said)
    if (
        not rate
        or not re.search(rf"\bhow (?:many {rate[2]}s|long)\b", text.asked)
        or OTHER.search(re.sub(r"\bpaid off\b", "", said))
    ):
        return None
    others = [figure for figure in text.figures if figure != rate[1]]
    have = re.search(rf"\b(?:have|has|got|saved|already)(?: (?:got|saved|already|a))* ({N})", said)
    if len(others) == 2 and have and have[1] in others:
        goal = others[0] if others[1] == have[1] else others[1]
        return Reading(f"({goal} - {have[1]}) / {rate[1]}", whole=False) if float(goal) > float(have[1]) else None
    return Reading(f"{others[0]} / {rate[1]}") if len(others) == 1 and float(others[0]) > float(rate[1]) else None


def profit(text: Text) -> Reading | None:
    """`Bought for 120, sold for 165. What's my profit?`"""
    found = re.search(
        rf"\b(?:buy|bought|buys|make|cost|costs)\b[^\d]*({N})[^\d]*\b(?:sell|sold|sells)\b[^\d]*({N})(?:[^\d]*({N}))?",
        text.all,
    )
    if not found or not re.search(r"\b(?:profit|earn|make|made|gain|loss)\b", text.asked) or "%" in text.all:
        return None
    return Reading(f"({found[2]} - {found[1]})" + (f" * {found[3]}" if found[3] else ""))
