"""What children do in the tests of tools/apart.py; nothing heavy is imported, so that they do it at once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

ANSWER = 80_000_000


def ends(data: bytes) -> object:
    return os._exit(3)


def kills(data: bytes) -> object:
    os.kill(os.getpid(), signal.SIGSEGV)
    return None


def hangs(data: bytes) -> object:
    time.sleep(60)
    return None


def spins(data: bytes) -> object:
    while True:
        pass


def swells(data: bytes) -> object:
    return len([bytes(100_000_000) for _ in range(100)])


def writes(data: bytes) -> object:
    return Path(data.decode()).write_bytes(b"x")


def talks(data: bytes) -> object:
    print("nonsense" * 1000, flush=True)
    return 1


def tells(data: bytes) -> object:
    return sorted(os.environ)


def floods(data: bytes) -> object:
    return "x" * (ANSWER + 1)
