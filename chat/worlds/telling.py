"""An episode in sentences: told from the log, never from a model, so that it is true."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf

from chat.worlds.episodes import Deed, Record
from minds import reading
from minds.dialogue import Answer, Step, clip, in_world
from minds.models.language import Abilities
from prompts import spoken
from tools.worlds.actions import AMBIGUOUS, FOCUS, parts_of, refused
from tools.worlds.kinds import KINDS
from tools.worlds.world import Scene

SEEN, THOUGHT, OPENING = 160, 120, 700
"""Characters of a step's observation and thought, and of the opening, in a story; where all steps fit a strong model's
so many are told of each of these."""
BRIEF = 60
"""Characters of what is said of a move, under which it does not tell what is there."""
SAID_SEEN, SAID_STORY = 320, 9000
"""Of an observation and of a whole story for layers that read the beginning of each step, and of the few that a
question is about all."""
STORY = 5600
"""Characters of a whole story: less than is kept of an observation."""
LONG_STORY = 20_000
"""Of a whole story for a strong model, which reads it quickly: some 150 steps."""
THINGS = 1200
"""Of these, characters of what became of each thing."""
NAMES, SAID = {"person": "the person", "slow": "the assistant"}, {"person": "you", "slow": "I"}
"""Who acts, for a model that is told of both; and as the assistant says it to the person."""
LISTED = 24
"""Actions that are told of what was done in one go."""
PUT = "put in or on {other}"
HANDLED = {
    "take {object} from {other}": "found at {other} and taken",
    "take {object}": "found at {place} and taken",
    "pick up {object}": "found at {place} and taken",
    "put down {object}": "put down at {place}",
    "drop {object}": "put down at {place}",
    "move {object} to {other}": PUT,
    "put {object} on {other}": PUT,
    "put {object} in {other}": PUT,
    "insert {object} into {other}": PUT,
    "pour {object} into {other}": "poured into {other}",
    "heat {object} with {other}": "heated with {other}",
    "cool {object} with {other}": "cooled with {other}",
    "clean {object} with {other}": "cleaned with {other}",
    "slice {object} with {other}": "sliced with {other}",
    "use {object} on {other}": "used on {other}",
    "use {object}": "used",
    "mix {object}": "mixed",
    "activate {object}": "switched on",
    "deactivate {object}": "switched off",
}
"""The simulators' actions that do something with a thing, as a history of that thing tells them."""
MOVED = frozenset(verb for verb in HANDLED if verb.split()[0] in ("take", "pick", "put", "drop", "move", "insert"))
"""Those by which a thing is elsewhere, or nothing was done."""

FINDS = frozenset(kind.task for kind in KINDS.values() if kind.finds)
BOXES, READING = re.compile(r"If (.+?), (?:place it in|focus on) the (\w+ box)"), "measures a temperature"
"""In a laboratory's goal: what a box stands for; what its thermometer says."""


def count(steps: int, language: str = "English") -> str:
    """The bare figure in another language: the sentences there are such as need no plural."""
    return f"{steps} step{'' if steps == 1 else 's'}" if language == "English" else str(steps)


def short_goal(record: Record) -> str:
    """The goal's first sentence: a laboratory's has many."""
    return re.split(r"(?<=[.!?])\s", plain_goal(record))[0].rstrip(".")


def plain_goal(record: Record) -> str:
    """The goal without the words that every goal of ScienceWorld begins with."""
    return re.sub(r"^Your task is to ", "", record.goal.strip())


def standing(record: Record, language: str = "English") -> str:
    """Goal, place, steps and score as they stand."""
    steps, score = count(len(record.deeds), language), _score(record, language)
    so_far = spoken("worlds/standing", language, goal=short_goal(record), steps=steps, score=score)
    place = spoken("worlds/place", language, place=record.here.place) if record.here.place else ""
    return " ".join(filter(None, (so_far, place, _over(record, language))))


def ending(
    record: Record, answer: Answer | None = None, before: int = 0, *, oracle: bool = False, language: str = "English"
) -> str:
    """How it went, by the engine's own word; `before`: the steps taken before the run that the answer is of."""
    after = {"steps": count(len(record.deeds), language), "score": _scored(record, language)}
    by = f" {spoken('worlds/oracle', language)}" if oracle else ""
    if record.last.won:
        done = spoken("worlds/done", language, goal=short_goal(record), oracle=by, **after)
        found = finding(record)
        return f"{done} {spoken('worlds/found', language, found=found)}" if found else done
    if record.last.done:
        return spoken("worlds/lost", language, **after)
    if answer is None:
        return spoken("worlds/unfinished", language, **after)
    why = _why(answer, len(record.deeds) - before, language)
    own = bool(record.deeds) and record.deeds[-1].by == "slow"
    last = f" {spoken('worlds/last', language, action=record.meant[-1])}" if own else ""
    return spoken("worlds/not_done", language, oracle=by, why=why, last=last, **after)


def finding(record: Record) -> str:
    """What a task that is done to know something found out, in its world's own words; empty for others.

    The last action chose it: a box that the goal says the meaning of, or the things that were focused on.
    """
    if record.spec.task not in FINDS or not record.last.won:
        return ""
    chosen = [parts_of(action).object for action in record.actions if parts_of(action).verb == FOCUS]
    means = [says for says, box in BOXES.findall(record.goal) if box in record.meant[-1]]
    read = [deed.seen.text for deed in record.deeds if READING in deed.seen.text]
    measured = f" ({_line(read[-1])})" if read and means else ""
    return (means[0] if means else ", ".join(chosen)) + measured


def _why(answer: Answer, steps: int, language: str) -> str:
    """Why a run of so many steps ended: a limit, a last step that was taken back, or what was said there."""
    if answer.why in ("steps", "tokens", "time"):
        return spoken(f"worlds/limit_{answer.why}", language, steps=count(steps, language))
    return spoken("worlds/stuck", language) if answer.why == "lost" else answer.text


def taken_back(before: Record, after: Record, language: str = "English") -> str:
    """The assistant's own steps that ended the task unsolved and were taken back in the meantime, told."""
    lost = dict.fromkeys(f"`{action}`" for _, action in after.lost[len(before.lost) :])
    return f" {spoken('worlds/back', language, actions=', '.join(lost))}" if lost else ""


def deeds_since(record: Record, before: int) -> str:
    """The actions behind the first so many, the same one several times in a row once; of many the last. `nothing` where
    there is none."""
    times = [(action, len([*same])) for action, same in groupby(record.named[before:])]
    told = [f"`{action}`" + (f" ({count} times)" if count > 1 else "") for action, count in times[-LISTED:]]
    return "; ".join([*(["..."] if len(times) > LISTED else []), *told]) or "nothing"


def your_turn(record: Record, language: str) -> str:
    """The person acts from where it stands."""
    return f"{spoken('worlds/your_turn', language)} {standing(record, language)}"


def again(record: Record, language: str) -> str:
    """A task that was taken up where it stands."""
    return f"{spoken('worlds/again', language, number=str(record.number))} {standing(record, language)}"


def undone(record: Record, action: str, language: str) -> str:
    """The steps from this action on were taken back."""
    step = str(len(record.deeds) + 1)
    return f"{spoken('worlds/undone', language, step=step, action=action)} {standing(record, language)}"


def left(record: Record, language: str) -> str:
    """A task that was left, and how it went."""
    return f"{spoken('worlds/left', language, number=str(record.number))} {ending(record, language=language)}"


def story(record: Record, limit: int = STORY) -> str:
    """All of an episode for a model that is asked about it: what was wanted, done, seen and thought, and by whom.

    Where that is too long, less of each step is told, and then the first steps are left out.
    """
    person, assistant = (len(steps) for steps in shares(record))
    opening = f"Opening: {clip(_line(record.opening.text), OPENING)}"
    shared = f"The person asks; of the steps {person} are the person's own, {assistant} the assistant's."
    whole = _story(_with_views(record), shared, [opening], NAMES, inf, OPENING, OPENING)
    return whole if len(whole) <= limit else _story(record, shared, [opening], NAMES, limit)


def _with_views(record: Record) -> Record:
    """With what came into view by each step to another place: a laboratory only says that one moved."""
    deeds, place = list[Deed](), record.scene.place
    for deed in record.deeds:
        things, text = ", ".join(deed.scene.things), deed.seen.text
        if deed.scene.place != place and things and len(text) < BRIEF:
            deed = replace(deed, seen=replace(deed.seen, text=f"{text} In view: {things}."))
        deeds.append(deed)
        place = deed.scene.place
    return replace(record, deeds=tuple(deeds))


def said_story(record: Record, *, whole: bool = False) -> str:
    """The same as the assistant says it to the person: "you" is the person there, "I" the assistant; `whole`: for
    layers that read single steps again."""
    limit, seen = (SAID_STORY, SAID_SEEN) if whole else (STORY, SEEN)
    return _story(record, both(record), [], SAID, limit, seen)


def _story(
    record: Record,
    shared: str,
    opening: Sequence[str],
    names: Mapping[str, str],
    limit: float,
    seen: int = SEEN,
    thought: int = THOUGHT,
) -> str:
    head = [
        f"Task {record.number} ({record.spec.world}): {plain_goal(record)}",
        shared,
        f"{outcome(record)}. {'' if record.last.done else f'Who acts: {names[record.wheel]}. '}{_scene(record.here)}",
        *([f"How the person wanted it: {record.how}"] if record.how else []),
        *opening,
        *(f"Trial {n} failed. {clip(_line(learnt), SEEN)}" for n, learnt in enumerate(record.learnt, 1)),
    ]
    lines, before = [], ""
    for number, (named, deed) in enumerate(zip(record.named, record.deeds, strict=True), 1):
        lines.append(_told(number, replace(deed, action=named), before, names[deed.by], seen, thought))
        before = _gist(deed.thought)
    became = things(record, names is SAID)
    behind = [reading.THINGS, *_last(became, THINGS)] if became else []
    kept = _last(lines, limit - sum(map(len, [*head, *behind])))
    if len(kept) < len(lines):
        head.append(f"The first {count(len(lines) - len(kept))} are left out here.")
    end = ["With that the world's own goal was reached: it says that the task is solved."] if record.last.won else []
    end += [spoken("worlds/found", found=found)] if (found := finding(record)) else []
    return "\n".join([*head, *(kept or ["Nothing was done here yet."]), *behind, *end])


def room(abilities: Abilities) -> int:
    """Characters of a story for a model; a strong one is given about a quarter of its context."""
    return max(STORY, min(LONG_STORY, abilities.context)) if abilities.strong else STORY


def things(record: Record, who: bool = False) -> list[str]:
    """What became of each thing, a line each; the thing that was handled last comes last. Of much there is where it
    came from and where it is. `who`: by whom, as the assistant says it to the person."""
    ends = {
        name: told if len(told) <= 5 else [told[0], "...", *told[-3:]] for name, told in handled(record, who).items()
    }
    return [f"{name}: {'; '.join(told)}." for name, told in ends.items()]


def handled(record: Record, who: bool = False) -> dict[str, list[str]]:
    """What was done with each thing, in order; the thing that was handled last comes last."""
    things: dict[str, list[str]] = {}
    place, before = record.scene.place, record.scene
    for number, (action, deed) in enumerate(zip(record.meant, record.deeds, strict=True), 1):
        parts = parts_of(action)
        here = (deed.scene.things, deed.scene.holding)
        stayed = parts.verb in MOVED and here == (before.things, before.holding)
        nothing = stayed or refused(deed.seen.text) or deed.seen.text.startswith(AMBIGUOUS)
        if parts.verb in HANDLED and not nothing:
            told = HANDLED[parts.verb].format(other=parts.other, place=place or "hand")
            by = f", by {'you' if deed.by == 'person' else 'me'}" if who else ""
            things[parts.object] = [*things.pop(parts.object, []), f"{told} (step {number}{by})"]
        place, before = deed.scene.place, deed.scene
    return things


def shares(record: Record) -> tuple[list[int], list[int]]:
    """Numbers of the steps that the person took, and the assistant."""
    numbered = [(number, deed.by == "person") for number, deed in enumerate(record.deeds, 1)]
    return [number for number, own in numbered if own], [number for number, own in numbered if not own]


def both(record: Record, language: str = "English") -> str:
    """Who took which steps, as the assistant says it to the person."""
    to = " to " if language == "English" else "–"
    person, assistant = ((count(len(steps), language) + _in_words(steps, to)) for steps in shares(record))
    return spoken("worlds/both", language, person=person, own=assistant)


def _in_words(steps: Sequence[int], to: str) -> str:
    """Those behind one another as their first and last: ` (1 to 3, 7)`."""
    runs = list[list[int]]()
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], step]
        else:
            runs.append([step])
    return f" ({', '.join(to.join(map(str, run)) for run in runs)})" if runs else ""


def outcome(record: Record) -> str:
    """In a few words: solved or not, after how many steps, with which score."""
    left = "left unfinished" if record.state == "closed" else "not finished yet"
    word = "solved" if record.last.won else "ended, not solved" if record.last.done else left
    return f"{word} after {count(len(record.deeds))}{_score(record)}"


def state_lines(open_: Record | None, others: Sequence[Record]) -> str:
    """For whoever answers the person: the open world in two lines, the other tasks in one; empty for none."""
    lines = []
    if open_:
        lines = [
            f"A text world is open, task {open_.number} ({open_.spec.world}): {short_goal(open_)}. {_stands(open_)}."
            f" Who acts: {NAMES[open_.wheel]}. {_scene(open_.here)}"
        ]
        if open_.deeds:
            last = open_.deeds[-1]
            lines.append(f"Last done there: {open_.named[-1]} ({NAMES[last.by]}). {clip(_line(last.seen.text), 240)}")
    if others:
        told = "; ".join(f"task {record.number}, {short_goal(record)}: {_stands(record)}" for record in others[-5:])
        lines.append(f"{'Other tasks' if open_ else 'No text world is open. Tasks'} in text worlds: {told}.")
    return "\n".join(lines)


def _stands(record: Record) -> str:
    """Its outcome; of a game also whose it is."""
    alone = f" (a game, in which {NAMES[record.wheel]} plays this alone)" if record.game else ""
    return f"{outcome(record)}{alone}"


def steps_of(record: Record) -> tuple[Step, ...]:
    """The deeds as the slow loop knows steps."""
    return tuple(Step(in_world(d.thought, d.action), d.seen.text, seen=d.seen) for d in record.deeds)


def _score(record: Record, language: str = "English") -> str:
    """Behind the steps; empty where there is none."""
    score = record.last.score
    return spoken("worlds/points", language, score=f"{score:g}") if score is not None else ""


def _scored(record: Record, language: str) -> str:
    """At the end of a sentence."""
    if (score := record.last.score) is None:
        return spoken("worlds/no_score", language)
    return spoken("worlds/score", language, score=f"{score:g}")


def _over(record: Record, language: str) -> str:
    if record.last.won:
        return spoken("worlds/solved", language)
    return spoken("worlds/over", language) if record.last.done else ""


def _scene(scene: Scene) -> str:
    held = ", ".join(scene.holding) or "nothing"
    return f"Place: {scene.place or 'unknown'}. In hand: {clip(held, 160)}."


def _told(number: int, deed: Deed, before: str, who: str, limit: int, thought: int) -> str:
    """A policy says the same of step after step: told once. `before`: the gist of the thought before. As it is said to
    the person, the thought comes last: of a long line a small model is given the beginning."""
    new = deed.thought and _gist(deed.thought) != before
    why = f" [{clip(_line(deed.thought), thought)}]" if new else ""
    did, seen = f"{number}. {deed.action} ({who})", clip(_line(deed.seen.text), limit)
    return f"{did}: {seen}{why}" if who in SAID.values() else f"{did}{why}: {seen}"


def _gist(thought: str) -> str:
    """Without its figures: how sure a policy is differs from step to step."""
    return re.sub(r"\d+", "", thought)


def _last(lines: Sequence[str], limit: float) -> list[str]:
    """As many of the last lines as there is room for; always the last one."""
    kept: list[str] = []
    for line in reversed(lines):
        if kept and sum(map(len, kept)) + len(line) > limit:
            break
        kept.insert(0, line)
    return kept


def _line(text: str) -> str:
    return " ".join(text.split())
