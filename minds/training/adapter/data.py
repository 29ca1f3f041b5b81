"""What an adapter is trained on: the labelled sentences of minds/training/data, asked as the minds ask them.

A sentence in a world stands beside its likeliest actions, as the odds of minds/policies/wishes.py have them, in any
order; what people say of a task is asked in states drawn for it. Nothing of an author kept apart is among them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Any

from minds import reading
from minds.dialogue import SaidBefore
from minds.gate import BEFORE, TURN, before, ends
from minds.policies.wishes import Embed, Wishes
from minds.strategies.words import EQUALS
from minds.training.gate import FIT, Labelled, read_turns
from minds.training.rows import Row, lines
from minds.training.turns.data import APART, Group, by_people, fill, kind, with_slots
from minds.training.wishes import data
from tools.calculator import come_to
from tools.worlds.actions import action_space
from tools.worlds.goal import spaced
from tools.worlds.kinds import KINDS

SHOWN = (4, 5, 6, 6)
"""How many actions a sentence stands beside, drawn for each."""
FIRST = {"th": 400, "m": 240, "yz": 60, "apqruvwx": 150, "": 35}
"""Sentences of an author, by the file's first letter: most of those who wrote what leans on the state."""
FURTHER = 0.2
"""As many of those about what comes behind an action, beside the others."""
PAIRS, FILLED = (3, 5), (2, 3)
"""Of a group of questions: pairs that ask the same and that do not; the same where it was filled with other names."""
BESIDE = {
    "TALK": 330,
    "STORY": 130,
    "AGAIN": 100,
    "OTHER": 150,
    "UNDO": 70,
    "ASSISTANT": 110,
    "PERSON": 90,
    "LEAVE": 90,
}
"""Turns of each sort that are asked in a state drawn for them."""
PART, ELSES = (0.4, 0.9), (1, 2, 3)
"""Of a life: the share of its lines that its questions are asked about the second time, and how many turns beside."""
ELSEWHERE, RECALLING = ("anywhere", "day", "moment"), ("recall of long ago", "memory")
"""Scopes of questions that nothing told before answers; and what makes turns need the slow mind that it may answer."""
OLDER, TALK = 900, 500
"""Of the requests without an author, and of talk by authors of its own."""


@dataclass(frozen=True)
class Example:
    """One question and the answer that is right."""

    asked: str
    answer: str
    head: str = "small/trained"
    """The prompt before the question."""
    shared: str = ""
    """The question's beginning, where others have the same: it is read once for all of them."""
    further: tuple[str, str] | None = None
    """What is shown behind the answer, and the answer to that."""
    decided: str = ""
    """The answer's beginning, where more hangs on it than on the wording behind it."""


def examples(wishes: Wishes, embed: Embed) -> list[Example]:
    """All there are, in one order."""
    draw = random.Random(0)
    rows = [row for row, apart in data.grounded() if not apart]
    in_worlds = [*_sentences(rows, wishes, embed, draw), *_turns(rows, wishes, embed, draw)]
    found = [*in_worlds, *_wished(draw), *_pairs(draw)]
    found += [Example(reading.foreign(row["says"]), row["english"]) for row in lines("english_examples")]
    found += [Example(reading.other(row["task"], row["says"]), row["wish"]) for row in lines("other_examples")]
    found += map(_invoking, read_turns(FIT))
    draw.shuffle(found)
    return found


def _sentences(rows: Sequence[Row], wishes: Wishes, embed: Embed, draw: random.Random) -> Iterator[Example]:
    by_author: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_author[row["file"]].append(row)
    for author, theirs in by_author.items():
        most = next(count for letters, count in FIRST.items() if not letters or author[0] in letters)
        first = [row for row in theirs if not row.get("done")]
        further = [row for row in theirs if row.get("done")]
        for some, count in ((first, most), (further, int(FURTHER * most))):
            yield from (_asked(row, wishes, embed, draw) for row in draw.sample(some, min(count, len(some))))


def _turns(rows: Sequence[Row], wishes: Wishes, embed: Embed, draw: random.Random) -> Iterator[Example]:
    states = [row for row in rows if not row.get("done")]
    said = data.lists(None).turns_in_worlds(apart=False)
    draw.shuffle(said)
    taken = Counter[str]()
    for says, means in said:
        if taken[means] < BESIDE.get(means, 0):
            taken[means] += 1
            row = {**draw.choice(states), "says": says, "expect": [], "control": means}
            yield _asked(row, wishes, embed, draw)


def _asked(row: Row, wishes: Wishes, embed: Embed, draw: random.Random) -> Example:
    """The right action is among those shown; others that would do as well stand beside it every second time."""
    space, recent, done = action_space(tuple(row["admissible"])), row.get("recent", []), row.get("done", 0)
    near = wishes.nearest_actions(row["says"], space, recent, embed, done)[: draw.choice(SHOWN)]
    right = [action for action in near if action in row["expect"]] or row["expect"][:1]
    if right:
        answer = right[0]
        near = near if answer in near else [*near[:-1], answer]
        near = [a for a in near if a == answer or a not in row["expect"]] if draw.random() < 0.5 else near
    else:
        control = row.get("control", "")
        answer = reading.NOTHING if control == "TALK" else control or reading.UNCLEAR
    draw.shuffle(near)
    return Example(reading.action(row["says"], row["observation"], recent, near, done), answer)


def _pairs(draw: random.Random) -> Iterator[Example]:
    """Two questions, in either order; those of one author are kept apart."""
    groups, slots = with_slots()
    some = [(group.same, group.near, PAIRS) for group in by_people() if group.author != APART]
    some += [(*_filled(group, slots, draw), FILLED) for group in groups]
    for same, near, counts in some:
        alike, others = list(combinations(same, 2)), [(one, other) for other in near for one in same]
        for answer, fit, count in zip(reading.ALIKE, (alike, others), counts, strict=True):
            for pair in draw.sample(fit, min(count, len(fit))):
                yield Example(reading.pair(*draw.sample(pair, 2)), answer)

    for row in lines("question_pairs"):
        yield Example(reading.pair(*draw.sample((row["one"], row["two"]), 2)), reading.ALIKE[not row["same"]])


def _filled(group: Group, slots: Mapping[str, Sequence[str]], draw: random.Random) -> tuple[list[str], list[str]]:
    """What asks the same and what does not, with values of chance, one of them another in a new near miss."""
    values = group.values(slots, draw)
    same, near = ([fill(text, values) for text in some] for some in (group.same, group.near))
    if values:
        slot = draw.choice(sorted(values))
        rest = [value for value in slots[kind(slot)] if value not in values.values()]
        text = draw.choice(group.same)
        near.append(fill(text, {**values, slot: draw.choice(rest)}))
    return same, [text for text in near if text not in same]


def told() -> list[Example]:
    """People's turns with the facts that they tell, a line each."""
    rows = lines("fact_examples")
    random.Random(0).shuffle(rows)
    return [Example(row["said"], reading.noted(row["facts"]), "memory/facts_noted") for row in rows]


def recounted() -> list[Example]:
    """Questions about a task with the steps and the answers that its story gives, as people who read it wrote them."""
    found = [_recounted(row["story"], **asked) for row in lines("story_examples") for asked in row["asked"]]
    random.Random(0).shuffle(found)
    return found


def _recounted(story: str, question: str, steps: Sequence[int], answer: str) -> Example:
    text, named = reading.recounting(story, question), reading.steps(steps)
    further = (reading.again(story, named), answer)
    return Example(text, named, "small/world_recount", text[: -len(question) - 1], further)


def of_lives() -> list[Example]:
    """Questions of people about what they told an assistant over months, as authors of such lives wrote and answered
    them; each life once whole, and once in part, with the questions that this part answers. Among them turns that ask
    for something else."""
    draw, lives = random.Random(0), lines("life_examples")
    draw.shuffle(lives)
    other = [row["says"] for row in lines("question_scopes") if row["scope"] in ELSEWHERE]
    other += [row["says"] for row in lines("talk_examples") if row["author"] not in data.APART_FILES]
    own = [turn for turn in read_turns(FIT) if turn.invoke and not turn.dialogue.turns]
    other += [turn.text for turn in own if turn.why not in RECALLING]
    found = list[Example]()
    for life in lives:
        whole = range(1, len(life["lines"]) + 1)
        for shown in (whole, sorted(draw.sample(whole, int(len(whole) * draw.uniform(*PART))))):
            found += _lived(life, shown, draw.sample(other, draw.choice(ELSES)))
    return found


def _lived(life: Row, shown: Sequence[int], other: Sequence[str]) -> Iterator[Example]:
    """What these lines of a life answer, counted from 1; what none of all its lines tells none of these does."""
    rows = [life["lines"][number - 1] for number in shown]
    told = [SaidBefore(_day(row["day"]), row["said"], mine=row["who"] != "person") for row in rows]
    shared = reading.past(told, _day(life["today"]), "").rstrip()  # the blank is a part of the word behind it
    for asked in life["asked"]:
        if {*asked["lines"]} <= {*shown}:
            rests = [shown.index(number) + 1 for number in asked["lines"]]
            answer = reading.answered(rests, asked["answer"], _worked(asked.get("sum", "")))
            yield Example(
                f"{shared} {asked['question']}", answer, "small/past", shared, decided=answer.partition(":")[0]
            )
    for says in other:
        yield Example(f"{shared} {says}", reading.ELSE, "small/past", shared, decided=reading.ELSE)


def _worked(written: str) -> str:
    """A sum with what the calculator puts in behind it."""
    return f"{written} {EQUALS} {come_to(written)}" if written else ""


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day:%A}, {day.day} {day:%B %Y}"


def beyond() -> list[Example]:
    """What people want that neither mind can do or know, what sounds like it, and as many other turns."""
    near = [(row["said"], row["beyond"]) for row in lines("beyond_examples")]
    alone = [(turn.text, False) for turn in read_turns(FIT) if not turn.dialogue.turns]
    found = near + random.Random(0).sample(alone, len(near))
    random.Random(0).shuffle(found)
    return [Example(reading.beyond(ends(said, TURN)), str(wants)) for said, wants in found]


def _invoking(turn: Labelled) -> Example:
    before_it = (ends(text, BEFORE) for text in before(turn.dialogue))
    return Example(reading.invoking(ends(turn.text, TURN), *before_it), str(turn.invoke))


def _wished(draw: random.Random) -> Iterator[Example]:
    requests = [row for row in lines("request_examples") if row.get("author") not in data.APART_FILES]
    older = [row for row in requests if "author" not in row]
    rows = [row for row in requests if "author" in row] + draw.sample(older, min(OLDER, len(older)))
    yield from (Example(reading.wish(row.get("own", row["says"])), answer) for row in rows if (answer := _goal(row)))
    talk = [row["says"] for row in lines("talk_examples") if row["author"] not in data.APART_FILES]
    yield from (
        Example(reading.wish(says), f"kind: {reading.NONE}\n") for says in draw.sample(talk, min(TALK, len(talk)))
    )


def _goal(row: dict[str, Any]) -> str:
    """A household's tasks with thing and place, where somebody labelled them; empty for a kind that there is not."""
    kind = row["kind"]
    if kind == "none" or (kind in KINDS and (KINDS[kind].world != "household" or "author" not in row)):
        return f"kind: {kind}\n"
    if kind not in KINDS:
        return ""
    thing, place = (spaced(row.get(slot, "")) or reading.ANY for slot in ("thing", "place"))
    return f"kind: {kind}\nthing: {thing}\nplace: {place}\n"
