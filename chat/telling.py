"""An episode in sentences: told from the log, never from a model, so that it is true."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from chat.episodes import Deed, Record
from minds.dialogue import Answer, Move, Step
from minds.strategies import WORLD_STRATEGIES
from tools.worlds.seen import Sight
from tools.worlds.world import Simulator, WorldFault, WorldSpec

USAGE = (
    "Say `/play WORLD TASK`, with `--variation N`, `--strategy NAME` or `--human` behind it, such as "
    "`/play scienceworld boil --variation 3` or `/play alfworld household/pick_and_place_simple --human`."
)


def count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


def deed_line(deed: Deed) -> str:
    return f"`{deed.action}`"


def short_goal(record: Record) -> str:
    """The goal's first sentence: a laboratory's has many."""
    return re.split(r"(?<=[.!?])\s", plain_goal(record))[0].rstrip(".")


def plain_goal(record: Record) -> str:
    """The goal without the words that every goal of ScienceWorld begins with."""
    return re.sub(r"^Your task is to ", "", record.goal.strip())


def standing(record: Record) -> str:
    """Goal, place, steps and score as they stand."""
    score = f", score {record.last.score:g} of 100" if record.last.score is not None else ""
    state = "It is done." if record.last.won else "It is over." if record.last.done else ""
    place = f" Place: {record.here.place}." if record.here.place else ""
    return f"Goal: {short_goal(record)}. So far {count(len(record.deeds))}{score}.{place} {state}".rstrip()


def ending(record: Record, answer: Answer | None = None, before: int = 0, *, oracle: bool = False) -> str:
    """How it went, by the engine's own word."""
    score = f"the score is {record.last.score:g} of 100" if record.last.score is not None else "there is no score"
    by = " (played from the simulator's own solution, not thought out)" if oracle else ""
    after = f"after {count(len(record.deeds))}"
    if record.last.won:
        return f"Done{by}: {short_goal(record)}. The world says that it is solved, {after}; {score}."
    if record.last.done:
        return f"It failed: the world ended this task {after}; {score}. Say “undo that” to take the last step back."
    if answer is None:
        return f"It was not finished: {after}, {score}."
    why = {
        "gave up": answer.text,
        "steps": f"I took the {count(len(record.deeds) - before)} that I may take in one run.",
        "tokens": "I used up the tokens of one run.",
        "time": "I used up the time of one run.",
        "finished": answer.text,
    }[answer.why]
    last = f" The last thing I did: {deed_line(record.deeds[-1])}." if record.deeds else ""
    return f"I did not get it done{by}. {why}{last} It stands {after}; {score}. Say “go on”, or “let me” to take over."


def done_so_far(record: Record, shown: int = 30) -> str:
    """The steps taken, a line each."""
    if not record.deeds:
        return "Nothing was done here yet."
    first = max(0, len(record.deeds) - shown)
    lines = [
        f"{number}. {deed.action} ({'you' if deed.by == 'person' else 'me'}): {_short(deed.seen.text)}"
        for number, deed in enumerate(record.deeds[first:], first + 1)
    ]
    more = f"The last {shown} of {count(len(record.deeds))}:\n" if first else ""
    return more + "\n".join(lines)


def reason(record: Record, about: str) -> str:
    """Why something was done, from the trace: the thought of that step."""
    wanted = _words(about)
    fits = [(len(wanted & _words(deed.action)), number) for number, deed in enumerate(record.deeds, 1)]
    best, number = max(fits, default=(0, 0))
    if best == 0:
        return "I did not do that here. Ask “what have you tried?” for the steps."
    deed = record.deeds[number - 1]
    if deed.by == "person":
        return f"You did that yourself, at step {number}: {deed_line(deed)}."
    why = f"I thought: “{deed.thought}”" if deed.thought else "it was my policy's choice, without a thought in words"
    return f"At step {number} I did {deed_line(deed)}; {why}"


def sights(record: Record) -> list[Sight]:
    """What was seen, with its step: the opening is step 0."""
    first = Sight(0, "", record.opening.text, record.scene)
    return [first, *(Sight(n, d.action, d.seen.text, d.scene) for n, d in enumerate(record.deeds, 1))]


def steps_of(record: Record) -> tuple[Step, ...]:
    """The deeds as the slow loop knows steps."""
    return tuple(Step(Move(d.thought, d.action), d.seen.text, seen=d.seen) for d in record.deeds)


def which(records: Sequence[Record], about: str) -> Record | None:
    """The episode that `the first`, `2`, `the other` or `scienceworld` means; None where there is none."""
    word = about.lower()
    if not records:
        return None
    by_number = sorted(records, key=lambda record: record.number)
    if word in ("other", "previous", "earlier"):
        return records[-2] if len(records) > 1 else None
    if word in ("first", "second", "third", "last"):
        index = {"first": 0, "second": 1, "third": 2, "last": len(by_number) - 1}[word]
        return by_number[index] if index < len(by_number) else None
    if word.isdigit():
        return next((record for record in records if record.number == int(word)), None)
    world = {"lab": "scienceworld", "house": "alfworld"}.get(word, word)
    return next((record for record in reversed(records) if record.spec.world == world), None)


def pick(said: str, choices: Sequence[str]) -> str:
    """The choice that answers a question just asked: `the second`, `2`, `mug 2`, `the blue one`; empty for none."""
    text = " ".join(said.lower().strip(" .!?").split())
    if not choices or not text or len(text) > 60:
        return ""
    ordinals = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": len(choices) - 1}
    core = re.sub(r"^(?:the|that|take|i mean|i meant)\s+|\s+(?:one|please)$", "", text)
    if core in ordinals and ordinals[core] < len(choices):
        return choices[ordinals[core]]
    words = _words(core)
    fits = [choice for choice in choices if words and words <= _words(choice)]
    if len(fits) == 1:
        return fits[0]
    return choices[int(core) - 1] if not fits and core.isdigit() and 0 < int(core) <= len(choices) else ""


def spec_of_play(said: str, home: Callable[[str], Simulator]) -> tuple[WorldSpec, str, bool]:
    """`/play WORLD TASK ...`: the episode, the strategy ("" for the default) and whether the person drives.

    Raises WorldFault with what can be said instead.
    """
    try:
        words = shlex.split(said.strip())[1:]
    except ValueError:
        raise WorldFault(USAGE) from None
    named, flags = _flags(words)
    if not named or len(named) > 2:
        raise WorldFault(USAGE)
    tasks = home(named[0]).tasks()
    if len(named) == 1:
        listed = ", ".join(task.name for task in tasks)
        raise WorldFault(f"Which task of {named[0]}? Say `/play {named[0]} TASK`; the tasks are: {listed}.")
    strategy = flags.get("strategy", "")
    if strategy and strategy != "auto" and strategy not in WORLD_STRATEGIES:
        raise WorldFault(f"There is no strategy `{strategy}`; choose one of: auto, {', '.join(WORLD_STRATEGIES)}.")
    variation = flags.get("variation", "0")
    if not variation.isdigit():
        raise WorldFault(f"The variation is `{variation}`; it must be a whole number from 0.")
    options = tuple(
        word for word in flags.get("options", "easy" if named[0] == "scienceworld" else "").split(",") if word
    )
    return WorldSpec(named[0], named[1], int(variation), options), strategy, "human" in flags


def _flags(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    named: list[str] = []
    flags: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--human":
            flags["human"] = "yes"
        elif word in ("--variation", "--strategy", "--options") and rest:
            flags[word[2:]] = rest.pop(0)
        elif word.startswith("--"):
            raise WorldFault(USAGE)
        else:
            named.append(word)
    return named, flags


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower())) - {"the", "a", "an", "to", "from", "in", "on", "with", "one"}


def _short(text: str, limit: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rstrip() + " …"
