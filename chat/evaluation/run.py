"""Runs a suite: plays what is not played yet, grades what is not graded yet, then sums up. Killed, it goes on.

dialogues.jsonl   one row a dialogue; a failed one is played again at the next start
grades.jsonl      one row a grade: {key, of, metric, score, by, reason, quote, turn, error}; the last one counts
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from chat.evaluation.folder import RunFolder, progress, provenance
from chat.evaluation.play import UNCHANGED, Cue, Starved, Theatre, own_duet
from chat.evaluation.record import DIALOGUES, Key, played, to_row
from chat.evaluation.rubric import AS_DATA, Rubric
from chat.evaluation.scripts import Script, Suite
from chat.evaluation.systems import System
from chat.faults import ChatFault
from chat.services import Swaps
from chat.settings import Settings
from minds.models.language import LanguageModel

SAID = ("without", "instructions", "length")
"""Settings that a config holds where they are not empty: folders of before they were told are gone on with."""
LATER = ("judge",)
"""What may be named once all is played."""
TRIES = 2
"""How often a failing dialogue is played in one start."""
SILENT = 3
"""So many dialogues in a row that are void end the start."""


@dataclass(frozen=True)
class Plan:
    """What a run is of."""

    suite: Suite
    rubric: Rubric
    systems: tuple[System, ...]
    seeds: tuple[int, ...]
    scripts: tuple[Script, ...]
    settings: Settings
    judge: str = ""
    """Spec; empty: nothing is judged."""
    person: str = ""
    """Spec of the model that plays simulated people."""
    jobs: int = 1

    def wanted(self) -> list[Key]:
        """Every dialogue, the core's first and script by script: a run broken off has all systems on the same ones."""
        return [
            Key(script.id, system.name, seed)
            for seed in dict.fromkeys(self.seeds)
            for script in sorted(self.scripts, key=lambda script: not script.core)
            for system in self.systems
            if script.core or not system.core_only
        ]

    def config(self) -> dict[str, Any]:
        """Everything that is needed to repeat it."""
        options = self.settings.options
        return {
            "suite": self.suite.name,
            "suite_sha256": digest(self.suite.folder),
            "domain": self.suite.domain,
            "now": self.suite.now.isoformat(),
            "rubric": AS_DATA.dump_python(self.rubric, mode="json"),
            "systems": [system.name for system in self.systems],
            "core_only": sorted(system.name for system in self.systems if system.core_only),
            "seeds": list(self.seeds),
            "scripts": [script.id for script in self.scripts],
            "fast_model": options.fast_model,
            "slow_model": options.slow_model,
            "strategy": options.strategy,
            "temperature": options.temperature,
            **{name: said for name in SAID if (said := getattr(self.settings, name))},
            "limits": [self.settings.max_steps, self.settings.max_tokens, self.settings.max_seconds],
            "judge": self.judge,
            "person": self.person,
            "about": provenance("langchain-core", "xllamacpp", "chromadb", "openai", "transformers")
            | {"jobs": self.jobs, "folder": self.suite.folder.name},
        }


def digest(folder: Path) -> str:
    """Of all files of a suite, their names included."""
    whole = sha256()
    for file in sorted(path for path in folder.rglob("*.y*ml") if path.is_file()):
        whole.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()


def scripts_of(suite: Suite, *, core: bool, limit: int | None) -> tuple[Script, ...]:
    """All of them, those of the core, or the first so many of each intent in turn. Raises ChatFault for none."""
    found = [script for script in suite.dialogues if script.core or not core]
    before = [[each.intent for each in found[:place]].count(script.intent) for place, script in enumerate(found)]
    first = sorted(range(len(found)), key=before.__getitem__)[: None if limit is None else max(limit, 0)]
    if not first:
        raise ChatFault("No dialogue of this suite is left to run: leave out --core or raise --limit.")
    return tuple(found[place] for place in sorted(first))


def missing(plan: Plan, folder: RunFolder) -> list[Key]:
    """What is not played yet, or broke off."""
    there = played(folder)
    return [key for key in plan.wanted() if str(key) not in there or there[str(key)].fault]


# -- what it will ask of models, told before it asks

SLOW_SHARE, STEPS, TOKENS, PERSON_TOKENS = {"fast": 0.0, "both": 0.5, "slow": 1.0}, 3, 2_500, 1_000
"""Of a system's turns; of a slow run; of a call, the policy of a desk and the tools among them; and of a simulated
person's, who reads only what was said. Rules of thumb, from runs of our suites; a provider's cache makes it cheaper."""


def expected(plan: Plan, left: Sequence[Key]) -> list[str]:
    """A sentence for each model that plays the dialogues that are `left`."""
    shares = {system.name: SLOW_SHARE[system.minds] for system in plan.systems}
    scripts = {script.id: script for script in plan.scripts}
    fast = slow = person = 0.0
    for key in left:
        goals, share = [turn.goal for turn in scripts[key.script].turns], shares[key.system]
        turns = sum(goal.most if goal else 1 for goal in goals)
        slow += turns * share * STEPS
        fast += turns * (1 + share) if share < 1 else 0  # heard, and what the slow mind found is worded
        person += sum(goal.most for goal in goals if goal)
    return [
        *calls_told("The fast mind", plan.settings.options.fast_model, round(fast)),
        *calls_told("The slow mind", plan.settings.options.slow_model, round(slow)),
        *calls_told("Simulated people", plan.person, round(person), PERSON_TOKENS),
    ]


def calls_told(doing: str, spec: str, calls: int, tokens: int = TOKENS) -> list[str]:
    """The sentence of one use of a model; none where it is not asked."""
    whole = calls * tokens
    said = f"{whole / 1e6:.1f} million" if whole >= 950_000 else f"{max(1, round(whole / 1000))} thousand"
    return [f"{doing}: about {calls:,} calls of {spec}, {said} tokens."] if spec and calls else []


# -- playing


async def perform(plan: Plan, folder: RunFolder, swaps: Swaps = UNCHANGED, cue: Cue | None = None) -> None:
    """Plays all that is missing, all over one Duet; what fails in a dialogue is its own row. Raises ChatFault, also
    where one dialogue after the other finds that a model cannot be asked.

    `swaps`: what is put into the Duet; `cue`: hears every turn before it is said.
    """
    if not (left := missing(plan, folder)):
        return
    systems = {system.name: system for system in plan.systems}
    scripts = {script.id: script for script in plan.scripts}
    queue, total, silent = iter(left), len(plan.wanted()), list[str]()

    async def worker() -> None:
        while len(silent) < SILENT and (key := next(queue, None)):
            random.seed(key.seed)  # whatever draws without a seed of its own draws the same
            for _ in range(TRIES):
                dialogue = await theatre.play(scripts[key.script], systems[key.system], key.seed)
                if not dialogue.fault:
                    break
            folder.append(DIALOGUES, to_row(dialogue))
            silent[:] = [*silent, dialogue.fault] if dialogue.void else []
            advance(f"{key}{'  FAILED: ' + dialogue.fault[:80] if dialogue.fault else ''}")

    with progress(total, total - len(left)) as advance:
        async with opened(plan, folder.path / "home", swaps, cue) as theatre:
            await asyncio.gather(*(worker() for _ in range(min(plan.jobs, len(left)))))
    if len(silent) >= SILENT and next(queue, None):
        raise Starved(silent[-1])


@asynccontextmanager
async def opened(plan: Plan, home: Path, swaps: Swaps, cue: Cue | None) -> AsyncIterator[Theatre]:
    """A Duet of its own, at the suite's time."""
    async with (
        own_duet(plan.settings, home, lambda: plan.suite.now, swaps) as duet,
        opened_model(plan.settings, plan.person, swaps) as person,
    ):
        yield Theatre(duet, plan.suite, home / "desks", person, cue)


@asynccontextmanager
async def opened_model(settings: Settings, spec: str, swaps: Swaps = UNCHANGED) -> AsyncIterator[LanguageModel | None]:
    """A model beside the two minds: a judge, a simulated person; None for an empty spec. Raises ModelFault."""
    model = swaps.models(spec, settings.model_settings, "slow") if spec else None
    try:
        yield model
    finally:
        if model:
            await model.close()
