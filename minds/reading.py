"""What a small model is asked when it reads a turn: of text worlds the same by examples and where its layers were
trained for it (minds/training/adapter)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import SaidBefore, clip
from prompts import render

LATELY, SEEN, STEP, MOST = 2, 160, 120, 5
"""Of what was done and seen last: actions, and characters that the model reads; of each step of a story, and how many
of its steps are read again, whole, before an answer."""
THINGS = "Thing by thing:"
"""In a story, before what became of each thing."""
CONTROLS = {
    "UNDO": "world_undo",
    "ASSISTANT": "world_go_on",
    "PERSON": "world_hand_over",
    "LEAVE": "world_leave",
    "STORY": "world_story",
    "AGAIN": "world_return",
}
"""Of worlds, with their tools. In capitals: no action begins so, and a small model decides with the first letters."""
UNCLEAR, NOTHING, OTHER, NONE, ANY = "UNCLEAR", "NOTHING", "OTHER", "none", "any"
"""Beside actions and the controls of worlds: an action that cannot be done or known, talk, another task; of a
wish that it is none, and that nothing is named."""


ALIKE, INVOKE, BEYOND = ("same", "different"), ("True", "False"), ("True", "False")
ELSE = "else"
"""A turn that asks for something else than what was said before."""
_ANSWERED = re.compile(
    r"(none|\d{1,3}(?:, ?\d{1,3})*): *(?:\d{1,3}: +)*(?:[-+*/().\d ]+ = -?[\d.]+\. +)?(\S.*)", re.DOTALL
)
"""The numbers of lines, one of them at times told twice; a sum, which the answer says in words; the answer."""


def wish(said: str) -> str:
    """Where no world is open: answered in lines, `kind: ...` and of a household's tasks `thing: ...`, `place: ...`."""
    return f"Wish: {said}"


def pair(one: str, other: str) -> str:
    """Whether two questions ask for the very same: answered by one of ALIKE."""
    return f"First: {one}\nSecond: {other}"


def invoking(said: str, asked: str, reply: str) -> str:
    """Whether a turn needs the slow mind, behind what was asked and answered before it: answered by one of INVOKE."""
    before = [f"Person: {asked}", f"Duet: {reply}"] if asked or reply else []
    return "\n".join([*before, f"Invoke: {said}"])


def beyond(said: str) -> str:
    """Whether a turn wants what neither mind can do or know, as today's weather or an alarm: answered by one of
    BEYOND."""
    return f"Beyond: {said}"


def other(task: str, said: str) -> str:
    """What is said of a task where another one is meant: answered by the whole wish."""
    return f"Task: {task}\nOther: {said}"


def foreign(said: str) -> str:
    """Of another language: answered by the same in English."""
    return f"English: {said}"


FACT = ("quote", "subject", "attribute", "value", "since", "ended")


def noted(facts: Iterable[Mapping[str, Any]]) -> str:
    """What a person told, as the layers that were trained for it write it: a line each, NONE where there is nothing."""
    rows = (["yes" if fact[name] is True else str(fact[name] or "") for name in FACT] for fact in facts)
    return "\n".join(" | ".join(row) for row in rows) or NONE


def facts_of(text: str) -> list[dict[str, Any]]:
    """The facts of such lines; what is no whole line is none."""
    rows = ([part.strip() for part in line.split("|")] for line in text.splitlines())
    found = (dict(zip(FACT, row, strict=True)) for row in rows if len(row) == len(FACT))
    return [{**fact, "ended": fact["ended"] == "yes"} for fact in found]


def action(said: str, seen: str, recent: Sequence[str], possible: Iterable[str], done: int = 0) -> str:
    """In an open one: answered by an action, or a word in capitals. `done`: of the recent actions those that were done
    for these very words."""
    before, here = recent[: len(recent) - done], recent[len(recent) - done :]
    lines = [f"Seen: {clip(' '.join(seen.split()), SEEN)}", f"Done: {' | '.join(before[-LATELY:])}"]
    lines += [f"Done for this: {' | '.join(here)}"] if here else []
    return "\n".join([*lines, f"Possible: {' | '.join(possible)}", f"Said: {said}"])


def story(told: str, said: str, *, trained: bool = False) -> list[BaseMessage]:
    """A question about a task. Layers that were trained for it first name the steps that the answer rests on."""
    return [
        SystemMessage(render("small/world_recount" if trained else "small/world_story")),
        HumanMessage(recounting(told, said)),
    ]


def named(told: str, wrote: str) -> list[BaseMessage]:
    """Behind the question: the steps that were named, to be read again."""
    return [AIMessage(wrote), HumanMessage(again(told, wrote))]


def recounting(told: str, said: str) -> str:
    """Of each step the beginning: what was done stands there, what was seen behind it."""
    lines = [clip(line, STEP) if line[:1].isdigit() else line for line in told.splitlines()]
    return "\n".join([*lines, f"Question: {said}"])


def past(lines: Sequence[SaidBefore], now: str, said: str) -> str:
    """A question about what was said before, oldest first: answered by the numbers of the lines that the answer rests
    on and the answer, `2, 5: You ...`, a sum with what it comes to before it, `2, 5: 60 - 25 = 35. You ...`; by
    `none: ...` where none tells it, by ELSE where it asks for something else."""
    told = [f"{number}. {line.day}{', you' * line.mine}: {line.words}" for number, line in enumerate(lines, 1)]
    return "\n".join([*told, f"Today: {now}", f"Question: {said}"])


def answered(numbers: Iterable[int], answer: str, worked: str = "") -> str:
    """An answer behind the numbers of the lines that it rests on, as the layers write it. `worked`: the sum with what
    it comes to, where there is one."""
    return f"{', '.join(map(str, numbers)) or NONE}: {worked}{'. ' * bool(worked)}{answer}"


def answer_of(wrote: str, lines: Sequence[SaidBefore]) -> tuple[str, list[SaidBefore]]:
    """Such an answer and its lines: none where nobody told it; both empty for ELSE and what is of no such form."""
    found = _ANSWERED.fullmatch(wrote.strip())
    numbers = [int(number) for number in re.findall(r"\d+", found[1])] if found else [0]
    if not found or not all(0 < number <= len(lines) for number in numbers):
        return "", []
    return found[2], [lines[number - 1] for number in dict.fromkeys(numbers)]


def steps(numbers: Iterable[int]) -> str:
    """On which steps an answer rests, as the layers write it."""
    return f"Steps: {', '.join(map(str, numbers)) or NONE}"


def again(told: str, wrote: str) -> str:
    """The steps of such a line, whole."""
    named = numbers(wrote)
    return "\n".join(line for line in told.splitlines() if line.partition(". ")[0] in named) or NONE


def below(story: str, wrote: str, told: Sequence[str]) -> list[str]:
    """What stands below an answer: in place of the things that are `told` of those that the named steps did something
    with, where there are any; who took which steps stays."""
    named, things = numbers(wrote), story.partition(f"{THINGS}\n")[2].splitlines()
    about = [line for line in things if {*re.findall(r"\(step (\d+)", line)}.intersection(named)]
    rest = [line for line in told if line.removeprefix("- ") not in things]
    return [*(f"- {line}" for line in about), *rest] if about else [*told]


def numbers(wrote: str) -> list[str]:
    """Of the steps that such a line names."""
    return re.findall(r"\d+", wrote.partition("Steps:")[2])[:MOST]
