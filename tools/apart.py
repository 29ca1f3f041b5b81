"""Work on files of strangers, done by a child process with limits of time and memory: what ends it ends nothing else.

The child is handed bytes and answers with one JSON line; nothing that it says is run. It writes no files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MEMORY = 1_500_000_000
"""Bytes of address space, libraries included."""
ANSWER = 80_000_000
"""Bytes that a child may answer with."""
FILES = 64
BEHIND = 10
"""A file of one person is not to keep the turns of others waiting."""


class Died(Exception):
    """The child ended without an answer: by its limits, by its parser, or by the file."""


class Unreadable(Exception):
    """The child's own word on why the file cannot be read: what its function raised ValueError with."""


def apart(work: str, data: bytes, *, seconds: float, memory: int = MEMORY) -> Any:
    """What `work` ("module:function", bytes to JSON) makes of the data. Raises Died, Unreadable."""
    try:
        done = subprocess.run(
            command("tools.apart", work, str(int(seconds) + 1), str(memory)),
            input=data, capture_output=True, timeout=seconds, env=bare_environment(), cwd="/", check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout[:ANSWER])
    except (subprocess.TimeoutExpired, ValueError, OSError) as error:
        raise Died(work) from error
    if not isinstance(answer, dict) or "made" not in answer:
        raise Unreadable(str(answer.get("wrong", "")) if isinstance(answer, dict) else "")
    return answer["made"]


def command(module: str, *words: str) -> list[str]:
    """Runs a module of ours in a Python of its own, whatever folder one is in."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import child; child(sys.argv[1:])"
    return [sys.executable, "-P", "-c", start, *words]


def bare_environment() -> dict[str, str]:
    """Without keys and tokens."""
    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV", "HOME", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ}


def limit(seconds: int, memory: int, *, writes: bool = False) -> None:
    """Of this process, for good: seconds of the processor, bytes of memory; without `writes` no file grows."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # Windows has none
        import resource

        os.nice(BEHIND)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
        if not writes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        if sys.platform != "darwin":  # which refuses it
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def child(words: Sequence[str]) -> None:
    """The other side."""
    from importlib import import_module

    work, seconds, memory = words
    module, _, function = work.partition(":")
    limit(int(seconds), int(memory))
    try:
        answer = {"made": getattr(import_module(module), function)(sys.stdin.buffer.read())}
    except ValueError as error:
        answer = {"wrong": str(error)}
    text = json.dumps(answer)
    if len(text) <= ANSWER:
        print(text, flush=True)
    os._exit(0)
