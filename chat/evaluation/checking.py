"""`evaluate init` and `evaluate check`: a suite of one's own to begin with, and what is wrong in one."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from chat.evaluation.marked_yaml import Problem
from chat.evaluation.suite_reader import SUITE, read_suite
from chat.faults import ChatFault

EXAMPLE = Path(__file__).parent / "suites" / "example"


def check(folder: Path) -> list[Problem]:
    """Everything that is wrong in a suite; nothing where it can be run."""
    with TemporaryDirectory() as bases:
        return read_suite(folder, Path(bases))[1]


def init(name: str, out: Path) -> Path:
    """Makes out/name, a small suite that runs, with comments. Raises ChatFault."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise ChatFault(f"`{name[:60]}` is no name for a suite: use letters, digits, - and _.")
    folder = out / name
    if folder.exists():
        raise ChatFault(f"{folder} is there already: choose another name, or delete it.")
    try:
        folder.mkdir(parents=True)
        for file in sorted(EXAMPLE.glob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            if file.name == SUITE:
                text = re.sub(r"(?m)^name: .*$", f"name: {name}", text, count=1)
            (folder / file.name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ChatFault(f"{folder} cannot be written ({error.strerror}): choose another folder with --out.") from error
    return folder
