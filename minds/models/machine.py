"""What this machine can carry: how quickly a model would write here, and whether there is memory for it.

A model on a processor reads all its weights for each token that it writes, so a token takes the time in which the
memory gives the whole file, and the reckoning beside. What the memory gives a second is measured once, in three
seconds, and kept.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from minds.models.catalogue import Weights
from minds.models.default import free_memory
from minds.models.server import cores, server_pids

ROUNDS = 3
"""One second each; the quickest counts, for others may be at work meanwhile."""
BLOCK = 600_000_000
"""Bytes that all cores together go through: many times what a processor's own caches hold, which would flatter."""
READ = "memory_bytes_per_second"
"""Its key in the file. It was `bytes_per_second` while half of the block lay in the caches: that is not believed."""
RECKONING = 0.02
"""Seconds a token on two cores that no memory explains: attention, sampling, the server (docs/figures.md)."""


def probed(home: Path) -> float:
    """Bytes a second that all cores together read here; three seconds where it was not measured yet."""
    if not (speed := kept(home)):
        speed = max(_read_for(1.0) for _ in range(ROUNDS))
        with suppress(OSError):  # measured again next time
            _file(home).write_text(json.dumps({READ: round(speed), "cores": cores()}))
    return speed


def kept(home: Path) -> float:
    """As it was measured on this machine before; 0 where it was not."""
    try:
        noted = json.loads(_file(home).read_text())
        return float(noted[READ]) if noted["cores"] == cores() else 0.0
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0


def expected(weights: Weights, speed: float) -> float:
    """Tokens a second that it would write here, idle; 0 where the speed is not known."""
    return 1 / (weights.size / speed + RECKONING) if speed else 0.0


def room() -> int:
    """Bytes that a model can have here: what is free, and what the models that would make way for it hold."""
    import psutil

    held = 0
    for pid in server_pids():
        try:
            held += int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            continue
    return free_memory() + held


def _read_for(seconds: float) -> float:
    import numpy as np

    size = min(BLOCK, free_memory() // 4) // cores()
    blocks = [np.ones(max(size // 4, 1), dtype=np.float32) for _ in range(cores())]
    began = time.monotonic()

    def read(block: np.ndarray) -> int:
        done = 0
        while time.monotonic() < began + seconds:
            block.max()
            done += block.nbytes
        return done

    with ThreadPoolExecutor(len(blocks)) as pool:
        done = sum(pool.map(read, blocks))
    return done / (time.monotonic() - began)


def _file(home: Path) -> Path:
    return home / "speed.json"
