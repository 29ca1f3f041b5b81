"""`evaluate`: makes and checks a suite; what plays one, or reads a run, is loaded where it is asked for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chat.evaluation.suite_reader import SUITE, read_suite
from chat.faults import ChatFault
from chat.settings import Settings

EXAMPLE = Path(__file__).parent / "suites" / "example"
ACTIONS = {"init": (1, 1), "check": (1, 1), "report": (1, 1), "diff": (2, 2), "pool": (2, 99), "grade": (1, 1)}
"""Besides playing a suite: the fewest and the most names that each takes."""


def evaluate(settings: Settings, what: str, more: Sequence[str], given: Mapping[str, Any]) -> int:
    """The exit code: 0, or 1 where something is below `--fail-under`, broke off or is wrong. Raises ChatFault."""
    if what not in ACTIONS and more:
        raise ChatFault(f"`{more[0]}` is too much: `evaluate FOLDER` takes one folder, the rest are flags.")
    least, most = ACTIONS.get(what, (0, 0))
    if not least <= len(more) <= most:
        count = f"{least} name{'s' if least > 1 else ''}" + (" or more" if most > least else "")
        raise ChatFault(f"`evaluate {what}` takes {count}; see `evaluate --help`.")
    if what == "init":
        folder = init(more[0], Path(given.get("out") or "."))
        print(f"{folder} is a suite to start from: change it, then `evaluate check {folder}` and `evaluate {folder}`.")
        return 0
    if what == "check":
        problems = read_suite(Path(more[0]), bases_of(settings))[1]
        print("\n".join(map(str, problems)) or f"{more[0]} can be run.")
        return int(bool(problems))
    from chat.evaluation.run_command import RunCommand

    command = RunCommand(settings, given, bases_of(settings))
    code: int = getattr(command, what)(*more) if what in ACTIONS else command.run(Path(what))
    return code


def bases_of(settings: Settings) -> Path:
    """Where the databases of suites are kept: built once a seed."""
    return settings.home / "evaluation" / "bases"


def init(name: str, out: Path) -> Path:
    """Makes out/name, a small suite that runs, with comments. Raises ChatFault."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise ChatFault(f"`{name[:60]}` is no name for a suite: use letters, digits, - and _.")
    folder = out / name
    if folder.exists():
        raise ChatFault(f"{folder} is there already: choose another name, or delete it.")
    try:
        shutil.copytree(EXAMPLE, folder, copy_function=shutil.copyfile)
        text = (folder / SUITE).read_text(encoding="utf-8")
        (folder / SUITE).write_text(re.sub(r"(?m)^name: .*$", f"name: {name}", text, count=1), encoding="utf-8")
    except OSError as error:
        raise ChatFault(f"{folder} cannot be written ({error.strerror}): choose another folder with --out.") from error
    return folder
