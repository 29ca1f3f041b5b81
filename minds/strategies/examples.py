"""Solved tasks for prompts, of the same type of task: worked examples, and exemplars that hold helpers' words, too.

Files under prompts/strategies/examples are steps with a thought before each action, made from the simulators' own
solutions of train variations and shortened; the observations are the engines' own. The type of a task is told by its
goal alone: in a household by how the games word it, in a laboratory by the example whose goals are most like it.

Files under prompts/strategies/exemplars are two trajectories each, as ReAct (Yao et al. 2023, C.4) and InterAct
(appendix A) show them, played in the simulators: games of the generator, train variations. They hold InterAct's marks,
`[[egg]]`, its sorter's orders and, before a ` | `, what its checker says in place of the world; whoever has no such
helper is shown them without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from rapidfuzz import fuzz, process, utils

from prompts import FOLDER, render
from tools.worlds.household import KINDS

EXAMPLES = FOLDER / "strategies" / "examples"
PLACES = {"alfworld": "household", "scienceworld": "laboratory"}
"""Worlds that there are exemplars for, and what an agent is told of where it is."""
OTHER = "scienceworld"
"""Whose exemplars another world's tasks are shown."""
MARKED = re.compile(r"\[\[([^\[\]\n]+)\]\]")
TWO_WORDS = re.compile(r"^(.*?) \| (.*)$", re.MULTILINE)
"""The checker's, the world's."""
SORTING = re.compile(r"^> sorting\(.*\n\[.*\n", re.MULTILINE)
SORTED = "Based on the sorting provided, "


@dataclass(frozen=True)
class ShownStep:
    """One step as a prompt shows it."""

    thought: str
    action: str
    observation: str


@dataclass(frozen=True)
class Example:
    """One solved task."""

    name: str
    spec: tuple[str, ...]
    """What was played: world, task, variation, simplifications."""
    like: tuple[str, ...]
    """Goals of the types of task that it is an example of."""
    goal: str
    opening: str
    steps: tuple[ShownStep, ...]


def examples_for(world: str, goal: str) -> list[Example]:
    """Of the goal's type of task; none where the world has none."""
    known = all_examples(world)
    kind = task_type(world, goal)
    if named := [example for example in known if example.name == kind]:
        return named
    likes = [(like, example) for example in reversed(known) for like in example.like]
    goals, plain = [like for like, _ in likes], utils.default_process
    found = process.extractOne(goal, goals, scorer=fuzz.token_sort_ratio, processor=plain)
    return [likes[found[2]][1]] if found else []


@cache
def all_examples(world: str) -> tuple[Example, ...]:
    """Of a world, by name."""
    return tuple(_read(world, path.stem) for path in sorted((EXAMPLES / world).glob("*.txt")))


def _read(world: str, name: str) -> Example:
    head, *blocks = render(f"strategies/examples/{world}/{name}").split("\n\n")
    fields = [line.partition(": ")[::2] for line in head.splitlines()]
    only = dict(fields)
    like = tuple(value for key, value in fields if key == "Like")
    return Example(name, tuple(only["Played"].split()), like, only["Goal"], only["Opening"], tuple(map(_step, blocks)))


def _step(block: str) -> ShownStep:
    said = dict(line.partition(": ")[::2] for line in block.splitlines())
    return ShownStep(said.get("Thought", ""), said["Action"], said.get("Obs", ""))


# -- exemplars


def exemplars(world: str, goal: str, *, checker: bool = False, sorter: bool = False) -> str:
    """The two, with the helpers that there are; with none of them they are ReAct's."""
    shown = render(f"strategies/exemplars/{task_type(world, goal)}")
    shown = TWO_WORDS.sub(r"\1" if checker else r"\2", shown)
    if not sorter:
        shown = SORTING.sub("", shown).replace(SORTED, "")
    return shown if sorter or checker else MARKED.sub(r"\1", shown)


def task_type(world: str, goal: str) -> str:
    """ALFWorld: the one of its six types that words its goals so, or most nearly so. Elsewhere one for all."""
    if world != "alfworld":
        return OTHER
    said = goal.strip().rstrip(".").lower()
    forms = _forms()
    word = {"obj": r"\w+", "recep": r"\w+", "toggle": r"\w+"}
    if exact := next((kind for form, kind in forms.items() if re.fullmatch(form.format(**word), said)), ""):
        return exact
    near, _, _ = process.extractOne(said, list(forms), scorer=fuzz.token_set_ratio)
    return forms[near]


@cache
def _forms() -> dict[str, str]:
    """How the games word their goals -> type of task."""
    return {form.rstrip("."): name for name, kind in KINDS.items() for form in kind.goals}
