"""`train goals [--out FILE]`: reads what sets the laboratory's variations of a task apart (tools/worlds/goal.py).

Opens all of ScienceWorld's 7,207 variations, about ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from minds.training.processes import say
from tools.worlds.goal import GOALS, spaced


def main(arguments: Sequence[str]) -> None:
    ask = argparse.ArgumentParser(prog="main.py train goals", description=__doc__)
    ask.add_argument("--out", type=Path, default=GOALS)
    out = ask.parse_args(arguments).out
    held = {task: set_apart(told) for task, told in _read()}
    out.write_text(json.dumps(held, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(json.dumps({task: len(of["own"]) for task, of in held.items()}))


def _read() -> Iterator[tuple[str, dict[str, str]]]:
    """Of each task the descriptions of its variations, by number."""
    from scienceworld import ScienceWorldEnv

    env = ScienceWorldEnv("", envStepLimit=1)
    for task in env.task_names:
        told = dict[str, str]()
        for number in range(env.get_max_variations(task)):
            env.load(task, number, "easy")
            told[str(number)] = env.get_task_description()
        say(f"{task}: {len(told)}")
        yield task, told
    env.close()


def set_apart(told: Mapping[str, str]) -> dict[str, Any]:
    """The words that all descriptions have, and those that each has beside them: its first variation's number -> words.

    Tasks that all read alike have none of their own.
    """
    words = {number: list(dict.fromkeys(spaced(text).split())) for number, text in told.items()}
    common = set.intersection(*map(set, words.values()))
    shared = [word for word in next(iter(words.values())) if word in common]
    own: dict[str, str] = {}
    for number, row in words.items():
        apart = " ".join(word for word in row if word not in common)
        if apart not in own.values():
            own[number] = apart
    return {"shared": " ".join(shared), "own": own if len(own) > 1 else {}}
