"""Several runs as one: what systems score and cost over all their dialogues, and who beats whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chat.evaluation.figures import Scores, figures
from chat.evaluation.record import Grade, Played
from chat.evaluation.report.pages import tables
from chat.evaluation.result import Result
from chat.faults import ChatFault


def pooled(runs: Sequence[tuple[str, Scores]]) -> Scores:
    """Every dialogue of all runs; a suite's name goes before its scripts' names, since two may call a script the same.

    Raises ChatFault where the runs have different rubrics, or where two are of one suite.
    """
    rubric = runs[0][1].rubric
    dialogues, grades = dict[str, Played](), dict[tuple[str, str, str], Grade]()
    needed = dict[str, Sequence[bool | None]]()
    for suite, scores in runs:
        if scores.rubric != rubric:
            raise ChatFault(f"`{suite}` was graded by another rubric: pool runs of one rubric.")
        own = {key: replace(d.key, script=f"{suite}/{d.key.script}") for key, d in scores.dialogues.items()}
        if dialogues.keys() & set(map(str, own.values())):
            raise ChatFault(f"There are two runs of `{suite}`: pool runs of different suites.")
        for key, dialogue in scores.dialogues.items():
            dialogues[str(own[key])] = replace(dialogue, key=own[key])
            needed[str(own[key])] = scores.needed.get(key, ())
        for (key, metric, by), grade in scores.grades.items():
            if key in own:
                grades[str(own[key]), metric, by] = grade
    return Scores(rubric, dialogues, grades, needed)


def write_pool(results: Sequence[Result], folder: Path | None) -> str:
    """The tables as Markdown; with a folder also pool.md and pool.json in it."""
    scores = pooled([(result.suite.name, result.scores) for result in results])
    found = figures(scores)
    suites = ", ".join(f"{result.suite.name} ({len(result.scores.dialogues)})" for result in results)
    head = f"## {scores.rubric.title}\n\n{found['dialogues']} dialogues of several runs: {suites}.\n\n"
    text = head + tables(found, scores.rubric)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pool.md").write_text(text, encoding="utf-8")
        (folder / "pool.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return text
