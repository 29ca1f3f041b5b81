"""Trains the two-level policy (`python main.py train subgoals`) from the demonstrations that Swift learns from.

Two small networks of Swift's kind learn which sub-goal comes next, and which action serves it. Cut by rule a segment of
an episode ends where the engine's score rises, and before and after a walk to another room; with `--annotated` the
sub-goals are those that a chat model wrote (annotate.py). Weights and their card are written.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from minds.policies.subgoals.play import AIMS, DEEDS
from minds.policies.subgoals.segment import Progress, Subgoal, overall, part, subgoal, towards
from minds.policies.swift.features import State
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.reading import things
from minds.policies.swift.wording import ROOMS, Act
from minds.training import Unready
from minds.training.processes import card, mapped, say
from minds.training.rows import records
from minds.training.subgoals import until
from minds.training.subgoals.annotate import FILE, Annotation, path_of
from minds.training.swift.command import ELSEWHERE, WORLD, fit, learning
from minds.training.swift.dataset import Episode, Steps, gather, learned, lived
from minds.training.swift.demonstrations import data_folder, demonstrations, rooms, told_of, with_others

CARD = "subgoals_scienceworld.md"
CAP = 30
"""The most steps of one pattern (or sub-goal) in one task in an epoch."""
WRITTEN = "subgoals"
"""Field of an episode: the name of every row's sub-goal, where a chat model wrote it."""
UNTOLD = 7
"""The action generator learns one step of so many without its sub-goal, for when that is a wrong one."""


def annotated(episodes: Sequence[Episode], annotations: Sequence[Annotation]) -> list[dict[str, Any]]:
    """The demonstrations that were annotated, with their sub-goals; others have other names for theirs: left out."""
    known = {(one.task, one.variation): one for one in annotations}
    found = [(episode, known.get((episode["task"], episode["variation"]))) for episode in episodes]
    return [{**one, WRITTEN: _by_row(one, its)} for one, its in found if its and path_of(one) == its.path]


def _by_row(episode: Episode, annotation: Annotation) -> list[str]:
    """The name of every row's sub-goal; a row that is not learned from serves the next one that is."""
    goal, calls = Text(episode["goal"], "goal"), iter(annotation.subgoals)
    return until([of_call(next(calls), goal).name if row["learn"] else "" for row in episode["rows"]])


def of_call(call: str, goal: Text) -> Subgoal:
    """`focus_on(dove egg)` is `focus on {}`; its things are named by their part in the task."""
    name, _, rest = call.rstrip(")").partition("(")
    named = [one for one in rest.split(", ") if one]
    pattern = " ".join([*name.split("_"), *["{}"] * len(named)])
    return Subgoal(pattern, tuple(part(one, goal) for one in named))


def segmented(episode: Mapping[str, Any]) -> list[str]:
    """The sub-goal that each row of a demonstration serves; empty behind the last one."""
    if WRITTEN in episode:
        return list(episode[WRITTEN])
    goal, rows = Text(episode["goal"], "goal"), episode["rows"]
    led = [i for i, row in enumerate(rows) if row["learn"]]
    ends = [""] * len(rows)
    for here, after in zip_longest(led, led[1:], fillvalue=-1):
        row = rows[here]
        rose = row["score"] > (rows[here - 1]["score"] if here else 0.0)
        walks = row["act"][0] == ROOMS or after < 0 or rows[after]["act"][0] == ROOMS
        if rose or walks:
            act = Act.of(row["act"])
            seen = things(row["look"], row["inv"]) if act.args else []
            ends[here] = subgoal(act, [seen[i].name for i in act.args], goal).name
    return until(ends)


def aims(episode: Episode, rooms: Sequence[str]) -> Iterator[tuple[State, Act]]:
    """The steps as the sub-goal generator learns them: the act is a sub-goal's name."""
    for memory, progress, current, _ in _steps(episode):
        yield overall(memory, progress, rooms), Act(current)


def deeds(episode: Episode, rooms: Sequence[str]) -> Iterator[tuple[State, Act]]:
    """The steps as the action generator learns them."""
    for number, (memory, progress, current, act) in enumerate(_steps(episode)):
        now = overall(memory, progress, rooms)
        yield (now if number % UNTOLD == UNTOLD - 1 else towards(now, memory, Subgoal.of(current))), act


def _steps(episode: Episode) -> Iterator[tuple[Memory, Progress, str, Act]]:
    memory, progress = Memory(Text(episode["goal"], "goal")), Progress()
    for (row, act), current in zip(lived(episode, memory), segmented(episode), strict=False):
        if current and learned(row, act, memory):
            yield memory, progress, current, act
        progress.took(act, row["said"], row["score"], memory, current)


UNNAMED = "No demonstration has sub-goals of a chat model yet: python main.py train annotate --model SPEC"
FILES: dict[str, tuple[Steps, int, str]] = {AIMS: (aims, 96, "sub-goals"), DEEDS: (deeds, 128, "actions")}
"""File -> the steps it is trained on, its width, what it chooses among."""


def main(arguments: Sequence[str]) -> None:
    """The command line. Raises Unready, WorldFault."""
    says = "Trains the two-level policy of ScienceWorld: one network for sub-goals, one for actions."
    parser = argparse.ArgumentParser(prog="main.py train subgoals", description=says, epilog=ELSEWHERE)
    parser = learning(parser, epochs=7)
    parser.add_argument("--annotated", action="store_true", help="with the sub-goals that `train annotate` asked for")
    parser.add_argument("--jobs", type=int, default=2, help="processes: with two, both networks are trained at once")
    asked, folder = parser.parse_args(list(arguments)), data_folder(WORLD)
    episodes = demonstrations(folder, asked.most, asked.leave_out)
    named = annotated(episodes, list(records(folder / FILE, Annotation))) if asked.annotated else with_others(episodes)
    if not named:
        raise Unready(UNNAMED)
    sizes = list(mapped(asked.jobs, fitted, list(FILES), [named] * len(FILES), [asked] * len(FILES)))
    made = {"seed": asked.seed, "epochs": asked.epochs, "networks": sizes, **told_of(named)}
    card(asked.out / CARD, "Sub-goals, ScienceWorld", made)


def fitted(file: str, episodes: Sequence[dict[str, Any]], asked: argparse.Namespace) -> str:
    """Trains one of the two networks and writes it; what it learned from, for the card."""
    import torch

    torch.set_num_threads(1)
    steps, width, chooses = FILES[file]
    places, name = rooms(episodes), file.format(world=WORLD)
    data, known = gather(episodes, places, steps)
    size = f"{name}: {len(data)} steps, {len(known.features)} features, {len(known.patterns)} {chooses}"
    say(size)
    recipe = {"seed": asked.seed, "epochs": asked.epochs, "width": width, "cap": CAP}
    fit(asked.out / name, data, known, [recipe])
    return size
