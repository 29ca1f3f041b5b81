"""Which weights `embedded` is: the larger ones where the machine has room for them.

The room is asked about once, when weights are fetched; from then on what is here decides, so that a moment's lack of
memory changes nothing between two starts. The step from the smaller to the larger ones is made by `models fetch` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from minds.models.catalogue import Weights, entry, named
from minds.models.language import Missing
from minds.models.spec import Spec

Get = Callable[[Weights, Path], Path]
"""Fetches weights into a folder, as `weights.fetch` does."""
LARGE, SMALL = entry("1.5b"), entry("0.5b")
ROOM = LARGE.room
"""Bytes of free memory that the larger weights want: with room for both minds' contexts, up to 0.3 GB for other
conversations' prompts, and the rest of Duet beside them."""
_CONTAINER = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where Linux writes what a container may use at most."""


def default(models_dir: Path) -> Weights:
    """What `embedded` is on this machine: the larger weights where they are here, else the smaller, else `fitting`."""
    return next((weights for weights in (LARGE, SMALL) if weights.here(models_dir)), None) or fitting()


def weights_of(spec: Spec, models_dir: Path) -> Weights | None:
    """The weights that a spec names, here or not; None where it names a file or no weights. Raises BadSpec, Missing."""
    if spec.kind == "embedded":
        return entry(spec.name) if spec.name else default(models_dir)
    return named(spec.name, models_dir) if spec.kind == "gguf" and spec.name.startswith("hf:") else None


def fitting() -> Weights:
    """What the machine has room for now."""
    return LARGE if free_memory() >= ROOM else SMALL


def free_memory() -> int:
    """Bytes that programs can still have, those of files that need not stay in memory among them."""
    import psutil

    allowed = [int(text) for path in _CONTAINER if (text := _read(path)).isdigit()]
    return min([int(psutil.virtual_memory().available), *allowed])


def fetch_default(models_dir: Path, get: Get, tell: Callable[[str], object]) -> Weights:
    """Fetches what fits, or the larger weights that are here already; where they cannot be had, the smaller will do.

    `tell` hears why it is the smaller then. Raises Missing where those cannot be had either.
    """
    wanted = LARGE if LARGE.here(models_dir) else fitting()
    try:
        get(wanted, models_dir)
    except Missing as fault:
        if wanted is SMALL:
            raise
        tell(str(fault))
        wanted = SMALL
        get(wanted, models_dir)
    return wanted


def meant(spec: str, models_dir: Path) -> str:
    """A spec by the size that `embedded` has here."""
    plain, mark, options = spec.partition("?")
    return f"{default(models_dir).spec}{mark}{options}" if plain == "embedded" else spec


def called(spec: str, models_dir: Path) -> str:
    """A spec as it is told to people: of `embedded` which one it is, and why where it is the smaller."""
    if spec.partition("?")[0] != "embedded":
        return spec
    weights = default(models_dir)
    name = meant(spec, models_dir)
    if weights is LARGE:
        return name
    if fitting() is LARGE:
        return f"{name} (the smaller one; `python main.py models fetch embedded` brings embedded:{LARGE.name})"
    return f"{name} (the smaller one; embedded:{LARGE.name} wants {ROOM / 1e9:.0f} GB of free memory)"


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
