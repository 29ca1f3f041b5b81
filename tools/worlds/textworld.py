"""Any TextWorld or Z-machine game file a person names (`game.z8`): the smallest adapter of an engine.

A game plays in a process of its own: its interpreter calls exit() on a bad file, and what else it does is not known.
One JSON line asks, one answers. `FarGame` is the World that others see; `child` is the other side.

`world.py` says what each method promises. A world without an engine is best begun from `tests/toyworld.py`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from tools.apart import bare_environment, command, limit
from tools.worlds.world import SETUP, Observation, Scene, TaskInfo, UnknownTask, WorldFault, WorldLost, WorldSpec

OPEN, STEP = 40.0, 15.0
"""Seconds for opening a game, which imports its engine, and for anything else."""
PROCESSOR = 1800
"""Seconds of the processor in one episode."""
MEMORY = 2_000_000_000
LINE = 4_000_000
"""Bytes of an answer."""
T = TypeVar("T")


class FarGame:
    """One episode. Raises WorldLost where its process ended or took too long; opening it again starts another."""

    def __init__(self, spec: WorldSpec, path: Path) -> None:
        self.spec, self.goal, self.steps = spec, "", 0
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
            command("tools.worlds.textworld"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=bare_environment(), bufsize=0, start_new_session=True,
        )  # fmt: skip
        try:
            self._ask(bool, "open", str(path.resolve()), seconds=OPEN)
        except WorldLost as lost:
            raise WorldFault(f"{path} cannot be played (its interpreter ended); name another game file.") from lost
        except WorldFault:
            self.close()
            raise

    def reset(self) -> Observation:
        seen, self.goal = self._ask(tuple[Observation, str], "reset")
        self.steps = 0
        return seen

    def step(self, action: str) -> Observation:
        seen = self._ask(Observation, "step", action[:1000])
        self.steps += 1
        return seen

    def admissible(self) -> tuple[str, ...]:
        return self._ask(tuple[str, ...], "admissible")

    def look(self) -> str:
        return self._ask(str, "look")

    def inventory(self) -> str:
        return self._ask(str, "inventory")

    def scene(self) -> Scene:
        return self._ask(Scene, "scene")

    def gold(self) -> tuple[str, ...]:
        return self._ask(tuple[str, ...], "gold")

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):
                        pipe.close()

    def _ask(self, gives: type[T], what: str, *arguments: str, seconds: float = STEP) -> T:
        with self._lock:
            if self._process is None:
                raise WorldFault("This game is closed; open it again.")
            try:
                answer = _asked(self._process, {"do": what, "with": arguments}, time.monotonic() + seconds)
                if "fault" not in answer:
                    return TypeAdapter(gives).validate_python(answer["made"])
            except (OSError, ValueError, TypeError) as error:
                self.close()
                raise WorldLost(
                    "The game broke and its process ended; open it again and replay the actions."
                ) from error
        raise (WorldLost if answer.get("lost") else WorldFault)(str(answer["fault"])[:500])


def _asked(process: subprocess.Popen[bytes], question: dict[str, Any], until: float) -> dict[str, Any]:
    """Raises OSError (also where the time is over) and ValueError."""
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(question).encode() + b"\n")
    heard = b""
    while not heard.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
        piece = os.read(process.stdout.fileno(), 65536) if ready else b""
        heard += piece
        if not piece or len(heard) > LINE:
            raise OSError("no answer")
    answer = json.loads(heard)
    if not isinstance(answer, dict) or not answer.keys() & {"made", "fault"}:
        raise ValueError("no answer")
    return answer


# -- the other side


def child(words: Sequence[str]) -> None:
    """Plays until nobody asks any more. The engine's own printing goes nowhere."""
    limit(PROCESSOR, MEMORY, writes=True)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        player = Player()
        for line in sys.stdin:
            asked = json.loads(line)
            out.write(json.dumps(player.answer(asked["do"], asked["with"]), default=asdict) + "\n")
            out.flush()
    os._exit(0)


class Player:
    """The game and what may be asked of it."""

    def __init__(self) -> None:
        self._game: Any = None

    def answer(self, what: str, arguments: Sequence[Any]) -> dict[str, Any]:
        own: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "reset": lambda: (self._game.reset(), self._game.goal),
        }
        try:
            made = (own.get(what) or getattr(self._game, what))(*arguments)
        except WorldFault as fault:
            return {"fault": str(fault), "lost": isinstance(fault, WorldLost)}
        return {"made": made}

    def _open(self, path: str) -> bool:
        from tools.worlds.textworld_game import TextWorld

        self._game = TextWorld(WorldSpec("textworld", path), Path(path))
        return True


KINDS = (".z3", ".z4", ".z5", ".z6", ".z8")


class TextWorlds:
    """Opens game files. Its tasks are whatever files a person has, so none are listed."""

    name = "textworld"

    def ready(self) -> str:
        return "" if find_spec("textworld") else f"TextWorld games need textworld; run `{SETUP}`."

    def tasks(self) -> tuple[TaskInfo, ...]:
        return ()

    def variations(self, task: str, split: str) -> Sequence[WorldSpec]:
        """A game file is one episode, in every split."""
        return (WorldSpec(self.name, str(_file(task))),)

    def open(self, spec: WorldSpec) -> FarGame:
        if missing := self.ready():
            raise WorldFault(missing)
        return FarGame(spec, _file(spec.task))

    def close(self) -> None:
        """Each game ends its own process, which ends with us too."""


def _file(task: str) -> Path:
    try:
        return _found(Path(task).expanduser(), task)
    except (OSError, RuntimeError):  # too long, or in the home of nobody
        raise UnknownTask(f"There is no game file {task[:80]!r}; give the path of a .z8.") from None


def _found(path: Path, task: str) -> Path:
    if path.suffix == ".json" and path.with_suffix(".z8").is_file():
        path = path.with_suffix(".z8")
    if not path.is_file():
        near = ", ".join(sorted(str(p) for kind in KINDS for p in path.parent.glob(f"*{kind}"))[:3])
        raise UnknownTask(
            f"There is no game file {task!r}; {f'there are {near}' if near else 'give the path of a .z8'}."
        )
    if path.suffix not in KINDS:
        raise UnknownTask(f"{task!r} is no game file that can be played; name one that ends with {', '.join(KINDS)}.")
    return path
