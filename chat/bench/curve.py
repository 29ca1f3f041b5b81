"""`bench curve`: what Swift's data, task types and rules are worth in ScienceWorld; a folder that can be gone on with.

N variations    one network, trained from at most N variations of each type of task; played on dev
held out        likewise, trained without the types that sub-goal distillation (Table 11) tests on; their test episodes
not held out    the same episodes with the project's weights
without RULE    the project's weights with one rule at inference left out; played on dev

Every row is a training (its weights are kept) and a run as `bench scienceworld --out` makes it, in folders of their
own; `table.md` sums up. `--limit` counts the episodes of each row (60); `--data FILE` names rows, one a line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chat.bench import Ask
from chat.bench.episodes.crew import engine
from chat.bench.episodes.protocols import cases
from chat.bench.episodes.run import config, played, rules_of, setup_of
from chat.evaluation.folder import RunFolder
from chat.faults import ChatFault

WORLD = "scienceworld"
LIMIT = 60
FILE = "swift_scienceworld.safetensors"
HELD_OUT = (
    "melt",
    "change-the-state-of-matter-of",
    "measure-melting-point-unknown-substance",
    "power-component-renewable-vs-nonrenewable-energy",
    "test-conductivity-of-unknown-substances",
    "find-plant",
    "find-animal",
    "grow-fruit",
    "chemistry-mix-paint-secondary-color",
    "lifespan-longest-lived-then-shortest-lived",
    "identify-life-stages-2",
    "inclined-plane-friction-unnamed-surfaces",
    "mendelian-genetics-unknown-plant",
)
"""The paper marks its 17 types to train on by a colour; these are the others of the choice of one or two types a topic
(two where there are three or more) whose four averages are those of its Table 11."""
EPOCHS = {1: 16, 2: 12, 5: 10, 10: 10}
"""Variations of a type -> epochs: with few data an epoch is short, ten would be too few steps."""
ALL = "10"
FIGURES = ("final", "stop_rule", "success", "types_solved", "types", "episodes", "steps_per_episode")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    training: tuple[str, ...] = ()
    """Options of `train swift`; none: the project's own weights."""
    split: str = "dev"
    only: tuple[str, ...] = ()
    """Types of task that are played; all unless told."""
    without: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        return self.name.replace(" ", "_")


def rows() -> list[Row]:
    """All of them, the quickest trainings first."""
    from minds.policies.trained import listed

    made = [Row(f"{n} variations", ("--most", str(n), "--epochs", str(epochs))) for n, epochs in EPOCHS.items()]
    made.append(Row("all variations", ("--epochs", ALL)))
    made.append(Row("held out", ("--leave-out", *HELD_OUT, "--epochs", ALL), "test", HELD_OUT))
    made.append(Row("not held out", (), "test", HELD_OUT))
    return made + [Row(f"without {rule.name}", without=(rule.name,)) for rule in listed(rules_of("swift", WORLD)[0])]


def run(ask: Ask) -> dict[str, object]:
    """Each row's figures, by name. Raises ChatFault."""
    if ask.out is None:
        raise ChatFault("Name the folder of the run with --out; the same folder goes on where it was.")
    wanted = named(ask.data)
    found: dict[str, object] = {}
    for row in wanted:
        figures = measured(ask, row, ask.out / row.folder)
        found[row.name] = {name: figures.get(name) for name in FIGURES}
        (ask.out / "table.md").write_text(table(found), encoding="utf-8")
    return {"rows": found}


def named(file: Path | None) -> list[Row]:
    """The rows that a file names, in its order; all without one. Raises ChatFault."""
    known = {row.name: row for row in rows()}
    if file is None:
        return list(known.values())
    names = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    for name in names:
        if name not in known:
            raise ChatFault(f"There is no row `{name}`; there are: {', '.join(known)}.")
    return [known[name] for name in names]


def measured(ask: Ask, row: Row, folder: Path) -> dict[str, Any]:
    """Trains where there are no weights yet, plays what is not played yet. Raises ChatFault."""
    weights = trained(row, folder / "weights") if row.training else ask.episodes.weights
    asked = replace(ask.episodes, world=WORLD, strategy="swift", weights=weights, without=row.without, split=row.split)
    setup = setup_of(replace(ask, episodes=asked))
    home = setup.simulator(WORLD)
    try:
        every = cases(home, WORLD, row.split, setup.protocol)
    finally:
        home.close()
    chosen = [case for case in every if not row.only or case.type in row.only]
    runs = RunFolder.open(folder / "run", config(setup, row.split) | {"types": list(row.only)})
    try:
        return played(runs, chosen[: ask.limit or LIMIT], engine(setup, ask.episodes.jobs))
    finally:
        runs.close()


def trained(row: Row, folder: Path) -> Path:
    """The folder of a row's weights. Raises ChatFault where there are no demonstrations."""
    from minds.training.swift.command import main

    if not (folder / FILE).exists():
        folder.mkdir(parents=True, exist_ok=True)
        if main([*row.training, "--networks", "1", "--seed", "0", "--jobs", "1", "--out", str(folder)]):
            raise ChatFault("Collect demonstrations first: python main.py train swift --world scienceworld --collect")
    return folder


def table(found: dict[str, Any]) -> str:
    """The rows as Markdown."""
    head = ("row", *FIGURES)
    lines = [f"| {' | '.join(name.replace('_', ' ') for name in head)} |", "|---" * len(head) + "|"]
    lines += [f"| {name} | {' | '.join(str(value) for value in one.values())} |" for name, one in found.items()]
    return "\n".join(lines) + "\n"
