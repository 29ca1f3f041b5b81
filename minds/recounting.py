"""The answer to a question about a task in a text world: what a small model's layers say, where its story bears that
out, and below it the steps that it rests on, in the world's own words, which are always true."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minds import reading
from minds.choosing import Lines, Reader, recounted
from minds.models.language import LanguageModel, Usage
from minds.strategies.steps import shown
from prompts import spoken
from tools.worlds.actions import bare, parts_of

ASKS = REASON, COUNT, ELSE = "reason", "count", "else"
"""What a question about a task is for, as far as code knows better than a small model, which mostly knows no reason,
counts badly, and makes up both."""
EVEN = dict.fromkeys(ASKS, 1 / len(ASKS))
LISTED = 8
"""Steps that are told in the world's words; of more only how many there are, and their numbers."""
WHO = ("you", "I")
_WHY = re.compile(r" \[[^][]+\]$")
_CLAIM = re.compile(r"\b(I|you)\b|\bsteps? (\d+(?:(?:,| and| to| or) \d+)*)", re.IGNORECASE)
_FIGURE = re.compile(r"\d+")


@dataclass(frozen=True)
class Told:
    """A step as the story tells it."""

    number: int
    action: str
    who: str
    """Of WHO, as the assistant says it to the person."""
    seen: str

    def line(self, language: str, *, why: bool) -> str:
        """For the person; `why`: with what whoever acted thought."""
        by = spoken("worlds/by_you" if self.who == "you" else "worlds/by_me", language)
        seen = self.seen if why else _WHY.sub("", self.seen)
        return f"- {self.number} ({by}): **{self.action}**: {seen}"


async def answer(
    model: LanguageModel, story: str, told: Sequence[str], said: str, language: str, usage: Usage
) -> tuple[str, str]:
    """On which steps it rests, and the answer. `told`: how the task stands, what became of its things, and who took
    which steps, for the person. Raises ModelFault."""
    named, text = await recounted(model, story, said, usage)
    if model.recounts is None:
        return named, _whole(text, told)
    steps = steps_of(story)
    mine = [steps[number] for number in map(int, reading.numbers(named)) if number in steps]
    asks = await Lines(await Reader.of(model, shown("small/world_asked")), str(said), usage).chosen("asks", EVEN)
    heard = asks == ELSE and language == "English" and bears(text, mine, story)
    if asks == COUNT and 1 in steps and mine:
        mine = like(mine, steps)
    elif asks == REASON:
        mine = [steps[n] for n in sorted(around(mine)) if n in steps]
    lines = _shown(mine, language, asks)
    below = reading.below(story, named, told[1:]) if heard else [*dict.fromkeys((*told[:1], *told[-1:]))]
    return named, _whole(text if heard else spoken("worlds/as_told", language), [*lines, *below])


def _shown(steps: Sequence[Told], language: str, asks: str) -> list[str]:
    lines = [step.line(language, why=asks == REASON) for step in steps]
    if len(steps) > LISTED:
        return [f"**{len(steps)} ×** {', '.join(str(step.number) for step in steps)}", lines[0], lines[-1]]
    return [f"**{len(steps)} ×**", *lines] if asks == COUNT and len(steps) > 1 else lines


def steps_of(story: str) -> dict[int, Told]:
    """The steps that a story tells."""
    found = map(_step, story.partition(f"{reading.THINGS}\n")[0].splitlines())
    return {step.number: step for step in found if step}


def _step(line: str) -> Told | None:
    number, _, rest = line.partition(". ")
    cut, who = min(((at, who) for who in WHO if (at := rest.find(f" ({who}): ")) > 0), default=(0, ""))
    return Told(int(number), rest[:cut], who, rest[cut + len(f" ({who}): ") :]) if cut and number.isdigit() else None


def bears(text: str, steps: Sequence[Told], story: str) -> bool:
    """Whether nothing in the layers' answer is against the steps that it rests on: who took each, as far as it says
    so, and every figure; what rests on no step is borne out by none."""
    by, who = {step.number: step.who.lower() for step in steps}, ""
    for said, told in _CLAIM.findall(text):
        who = said.lower() or who
        if any(by.get(int(number)) not in (who or "you", who or "i") for number in _FIGURE.findall(told)):
            return False
    rest = [line for line in story.splitlines() if not _step(line)]
    there = " ".join([*rest, *(f"{step.action} {step.seen}" for step in steps)])
    claimed, told = (_FIGURE.findall(_CLAIM.sub("", one)) for one in (text, there))
    return bool(steps) and {*claimed} <= {*told}


def like(steps: Sequence[Told], every: Mapping[int, Told]) -> list[Told]:
    """All steps that do the same as the first of these; with things of one kind, where these all have one."""
    first = parts_of(steps[0].action)
    same = [step for step in steps if parts_of(step.action).verb == first.verb]
    one = {bare(parts_of(step.action).object) for step in same} == {bare(first.object)} and len(same) > 1
    return [
        step
        for step in every.values()
        if (parts := parts_of(step.action)).verb == first.verb and (not one or bare(parts.object) == bare(first.object))
    ]


def around(steps: Sequence[Told]) -> set[int]:
    """The first of these with the one before and the one behind it: what was seen before it, and what came of it."""
    return {steps[0].number + by for by in (-1, 0, 1)} if steps else set()


def _whole(head: str, lines: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (head, "\n".join(lines))))
