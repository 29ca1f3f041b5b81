"""Sub-goals by a chat model (sub-goal distillation, Hashemzadeh et al. 2024, 3.2 and A.1): asked, aligned, asked again.

The model is shown two annotated demonstrations of the nearest tasks and then a path; it answers with sub-goals in
function form, each with its actions: `1- navigate_to(kitchen): {'teleport to kitchen'}`. What it wrote is aligned with
the path by the smallest number of edits: what it added is dropped, for what it left out it is asked again, at most ten
times a demonstration. What is left then belongs to the sub-goal behind it. Every annotated demonstration is a line of
JSON under DUET_HOME, and an example for those that come; `python main.py train subgoals --annotated` learns from them.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from minds.models.answers import whole
from minds.models.language import Garbled, LanguageModel
from minds.training import Unready
from minds.training.processes import say
from minds.training.rows import append, records, stored
from minds.training.subgoals import until
from minds.training.swift.command import WORLD
from minds.training.swift.demonstrations import NOTHING, data_folder, told_again
from prompts import examples, render

FILE = "annotated.jsonl"
ATTEMPTS = 10
"""Requests for one demonstration, at most (4.4)."""
SHOWN = 2
"""Annotated demonstrations in a prompt."""
TOKENS = 3000
ASKED, MISSING = "strategies/subgoals/asked", "strategies/subgoals/missing"
Written = tuple[str, tuple[str, ...]]
"""A sub-goal in function form, and the actions that the model gave it."""
_SUBGOAL = re.compile(r"([A-Za-z_]\w*\s*\([^()]*\))[*`]*\s*:[*`]*\s*[{\[](.*?)[}\]]", re.DOTALL)
_ACTION = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")


@dataclass(frozen=True)
class Annotation:
    """A demonstration with its sub-goals."""

    task: str
    variation: int
    goal: str
    path: tuple[str, ...]
    subgoals: tuple[str, ...]
    """Of every action of the path, in function form."""
    asked: int = 0
    """Requests that it took."""
    added: int = 0
    """Actions that the model added, and that were dropped."""
    left_out: int = 0
    """Actions without a sub-goal after the first answer."""
    unnamed: int = 0
    """Those that no answer gave one: they belong to the sub-goal behind them."""

    def parts(self) -> list[Written]:
        """The sub-goals in their order, each with its actions."""
        pairs = groupby(zip(self.subgoals, self.path, strict=True), key=lambda pair: pair[0])
        return [(name, tuple(action for _, action in group)) for name, group in pairs]

    def written(self) -> str:
        """As the model writes it."""
        return "\n".join(
            f"{number}- {name}: {{{', '.join(repr(action) for action in actions)}}}"
            for number, (name, actions) in enumerate(self.parts(), 1)
        )


def path_of(episode: Mapping[str, Any]) -> tuple[str, ...]:
    """A demonstration's actions in words, of the rows that are learned from."""
    return tuple(row["text"] for row in episode["rows"] if row["learn"])


def read(said: str) -> list[Written]:
    """The sub-goals of an answer. Names differ in blanks and capitals only: they are made alike."""
    return [
        (_plain(call), tuple(one or other for one, other in _ACTION.findall(actions)))
        for call, actions in _SUBGOAL.findall(said)
    ]


def _plain(call: str) -> str:
    name, _, rest = call.partition("(")
    arguments = [argument.strip() for argument in rest.rstrip(")").split(",") if argument.strip()]
    return f"{name.strip().lower()}({', '.join(arguments)})"


def align(written: Sequence[Written], path: Sequence[str]) -> tuple[list[str], int]:
    """The sub-goal of every action, empty where none was written, and how many were written that are not there: by the
    smallest number of insertions and removals; a changed action is one of each."""
    made = [(name, action) for name, actions in written for action in actions]
    edits = Indel.opcodes([action for _, action in made], list(path), processor=None)
    owners, added = [""] * len(path), len(made)
    for block in edits.as_matching_blocks():
        owners[block.b : block.b + block.size] = [name for name, _ in made[block.a : block.a + block.size]]
        added -= block.size
    return owners, added


def gaps(owners: Sequence[str]) -> list[range]:
    """Runs of actions without a sub-goal."""
    missing = [number for number, owner in enumerate(owners) if not owner]
    runs = groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0])
    return [range(run[0][1], run[-1][1] + 1) for run in (list(group) for _, group in runs)]


@dataclass
class Annotator:
    """Asks a model, and learns from what it was told: accepted annotations are the examples of those that follow."""

    model: LanguageModel
    known: list[Annotation] = field(default_factory=list)

    async def annotate(self, task: str, variation: int, goal: str, path: Sequence[str]) -> Annotation:
        """Raises ModelFault."""
        shown = list(self._shown(task, variation, goal))
        owners, added = align(read(await self._asked(shown, render(ASKED, goal=goal, path=", ".join(path)))), path)
        asked, left_out = 1, owners.count("")
        while "" in owners and asked < ATTEMPTS:
            for gap in gaps(owners)[: ATTEMPTS - asked]:
                missing = [path[number] for number in gap]
                where = _where(path, gap)
                said = await self._asked(shown, render(MISSING, goal=goal, path=", ".join(missing), where=where))
                owners[gap.start : gap.stop], more = align(read(said), missing)
                asked, added = asked + 1, added + more
        last = next((owner for owner in reversed(owners) if owner), "act()")
        named, unnamed = tuple(until(owners, last)), owners.count("")  # by those behind, else by those before
        done = Annotation(task, variation, goal, tuple(path), named, asked, added, left_out, unnamed)
        self.known.append(done)
        return done

    def _shown(self, task: str, variation: int, goal: str) -> Iterator[BaseMessage]:
        """The two nearest that are known, the nearer one last; never the demonstration itself."""
        own = [one for one in self.known if (one.task, one.variation) != (task, variation) and not one.unnamed]
        pairs = [(one.goal, ", ".join(one.path), one.written()) for one in own]
        pairs += [(*said.split("\n", 1), reply) for said, reply in examples("strategies/subgoals/annotate_examples")]  # type: ignore[misc]
        near = sorted(pairs, key=lambda pair: fuzz.token_sort_ratio(pair[0], goal))[-SHOWN:]
        for its_goal, its_path, reply in near:
            yield HumanMessage(render(ASKED, goal=its_goal, path=its_path))
            yield AIMessage(reply)

    async def _asked(self, shown: Sequence[BaseMessage], request: str) -> str:
        asked = [SystemMessage(render("strategies/subgoals/annotate")), *shown, HumanMessage(request)]
        return await whole(self.model.stream(asked, max_tokens=self.model.abilities.room(TOKENS)))


def _where(path: Sequence[str], gap: range) -> str:
    before = f"behind `{path[gap.start - 1]}`" if gap.start else "at the beginning"
    return f"{before}, before `{path[gap.stop]}`" if gap.stop < len(path) else f"{before}, at the end"


def main(arguments: Sequence[str]) -> None:
    """The demonstrations that have no sub-goals yet; can be stopped and started. Raises Unready, ModelFault."""
    says = "Asks a chat model for the sub-goals of ScienceWorld's demonstrations (train variations only)."
    parser = argparse.ArgumentParser(prog="main.py train annotate", description=says)
    parser.add_argument("--model", default="embedded", help="spec of the model that is asked")
    asked, folder = parser.parse_args(list(arguments)), data_folder(WORLD)
    if not (episodes := [told_again(row) for row in stored(folder / "oracle.jsonl")]):
        raise Unready(NOTHING.format(WORLD))
    asyncio.run(_annotated(episodes, folder / FILE, asked.model))


async def _annotated(episodes: Sequence[Mapping[str, Any]], file: Path, spec: str) -> None:
    from minds.models import ModelSettings, open_model

    known = list(records(file, Annotation))
    have = {(one.task, one.variation) for one in known}
    model = open_model(spec, ModelSettings(file.parents[2] / "models"), role="slow")
    try:
        annotator = Annotator(model, known)
        for episode in episodes:
            task, variation, path = episode["task"], episode["variation"], path_of(episode)
            if (task, variation) not in have:
                try:
                    done = await annotator.annotate(task, variation, episode["goal"], path)
                except Garbled as fault:  # the next start asks again
                    say(f"{task} {variation}: {fault}")
                    continue
                append(file, asdict(done))
                say(f"{task} {variation}: {len(done.parts())} sub-goals for {len(path)} actions, {done.asked} asked")
    finally:
        await model.close()
