"""How the house stands: files, lines, circles, lengths of functions, the walk of a turn (`make structure`)."""

from __future__ import annotations

import ast
import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from types import FrameType

from rich.console import Console
from rich.table import Table

from chat.counter import Counters
from minds.dialogue import Event
from minds.models.language import ToolCall
from tests.chat.ground import Talk, a_talk, reply
from tests.fakes import Heard, Piece
from tests.test_house import ROOMS, ROOT, circles, graph, sources

READERS = (
    "tools/expression.*",
    "tools/sums.py",
    "tools/*/examples.txt",
    "tools/worlds/goal.py",
    "tools/worlds/kinds.*",
    "tools/worlds/laboratory_goals.json",
    "memory/turns.py",
    "memory/written.py",
    "memory/times.py",
    "minds/gate.py",
    "minds/policies/wishes.py",
    "minds/layers.py",
    "minds/looking_up.py",
    "minds/recounting.py",
    "minds/reading.py",
    "minds/small_model/*.py",
    "prompts/small/*.txt",
    "chat/one_call.py",
    "minds/about.py",
    "minds/grounds.py",
    "minds/written_numbers.py",
)
"""What reads people's words by rule, by learned weights or for small models alone, with its tables of words."""
WIDTH = 120
"""Characters of a line: a table in one long line counts as what it would take."""


def main() -> None:
    console = Console()
    console.print(by_package())
    console.print(figures())
    for walk, files in walks().items():
        console.print(f"\n{walk}: {len(files)} files\n  " + "\n  ".join(files), highlight=False)


def by_package() -> Table:
    table = Table("package", "files", "lines")
    files, lines = Counter[str](), Counter[str]()
    for path in sources():
        package = package_of(path)
        files[package] += 1
        lines[package] += len(lines_of(path))
    for package in sorted(lines):
        table.add_row(package, str(files[package]), f"{lines[package]:,}")
    table.add_section()
    table.add_row("all", str(files.total()), f"{lines.total():,}")
    return table


def package_of(path: Path) -> str:
    """`chat/ui` and its kin; what lies in a room itself is counted under the room."""
    return "/".join(path.relative_to(ROOT).parts[:-1][:2]) or path.name


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def figures() -> Table:
    texts = [lines_of(path) for path in sources()]
    functions = lengths()
    rows = {
        "import circles": f"{len(circles(graph()))}",
        "functions": f"{len(functions):,}; median {median(functions):g} lines, 90% at most {tenth(functions):g}",
        "modules": f"median {median(map(len, texts)):g} lines, 90% at most {tenth([len(text) for text in texts]):g}",
        "characters of a line": f"median {median(len(line) for text in texts for line in text if line):g}",
        "what reads people's words": f"{sum(weight(path) for path in readers()):,} lines in {len(readers())} files",
    }
    table = Table("what", "figure")
    for what, figure in rows.items():
        table.add_row(what, figure)
    return table


def lengths() -> list[int]:
    """Lines of each function, its decorators left out."""
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def tenth(values: Sequence[int]) -> float:
    """What nine of ten are at most."""
    return quantiles(values, n=10, method="inclusive")[-1]


def readers() -> list[Path]:
    return sorted({path for pattern in READERS for path in ROOT.glob(pattern)})


def weight(path: Path) -> int:
    """Lines, those that are longer than a line may be by what they would take."""
    return sum(max(1, -(-len(line) // WIDTH)) for line in lines_of(path))


# -- the walk of a turn


def walks() -> dict[str, list[str]]:
    """What is said -> files of ours in which something ran, from the server's side of the page to the closed turn.

    The model is scripted and strong, and the memory's vectors are made up; the tools are the real ones.
    """
    return asyncio.run(_walks())


async def _walks() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    ran: set[str] = set()
    with TemporaryDirectory() as folder, watching(ran):
        async with a_talk(Path(folder)) as talk:
            talk.counters.tools = partial(Counters.tools, talk.counters)  # type: ignore[method-assign]
            session = talk.session()
            for said, answered in (("good morning", "Hello"), ("I ran 12 km today.", "Hello"), (MILES, "7.456")):
                ran.clear()
                events = await asked(talk, session, said)
                found[said] = sorted(ran)
                assert answered in reply(events)["text"], reply(events)
    return found


MILES = "how far is that in miles?"


async def asked(talk: Talk, session: str, said: str) -> list[Event]:
    talk.fast.says = says
    talk.slow.steps = steps
    return await talk.say(session, said)


def says(heard: Heard) -> Sequence[Piece]:
    """Thinks about the miles, and answers all else at once."""
    if heard.found:
        return [heard.found]
    if heard.said == MILES:
        return ["Let me see. ", ToolCall("think", {"request": "Convert 12 km to miles."})]
    return ["Hello."]


def steps(heard: Heard) -> Sequence[ToolCall | str]:
    if heard.found:
        return [heard.found]
    return [ToolCall("convert", {"amount": 12, "unit": "km", "to": "miles"})]


@contextmanager
def watching(ran: set[str]) -> Iterator[None]:
    """Notes the files whose functions are called, in this thread and in those begun meanwhile."""
    beginnings = tuple(f"{ROOT / room}/" for room in ROOMS)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(beginnings):
            ran.add(Path(code.co_filename).relative_to(ROOT).as_posix())

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


if __name__ == "__main__":
    main()
