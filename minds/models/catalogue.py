"""What weights there are: the catalogue (catalogue.toml), and files of the hub that a person named.

`gguf:hf:REPO/FILE` names any GGUF file of the hub. Its size and its sum are the ones that the hub published when it was
first asked for; they are noted beside the weights, and from then on the file is pinned like the catalogue's own.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from minds.models.language import BadSpec, Missing

HUB = "https://huggingface.co"
BESIDE = 1_500_000_000
"""Bytes of free memory wanted beside a named file's own: both minds' contexts, and the rest of Duet."""
_NOTED = "hub.json"
_SUM = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[\w.-]+/[\w.-]+(/[\w.-]+)+\.gguf", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Weights:
    """A weights file that Duet knows by its sum."""

    name: str
    """As in `embedded:0.5b`; of a file that a person named, `hf:REPO/FILE`."""
    title: str
    licence: str
    repo: str
    revision: str
    file: str
    """Its path in the repository."""
    size: int
    """Bytes."""
    sha256: str
    memory: int
    """Bytes that it takes, with both minds' contexts."""
    room: int
    """Bytes of free memory that it wants, with the rest of Duet beside it."""
    package: str = ""
    """PyPI packages that together hold the same bytes: `{package}{n}`, n from 1."""
    parts: int = 0
    version: str = ""

    @property
    def spec(self) -> str:
        return f"gguf:{self.name}" if self.name.startswith("hf:") else f"embedded:{self.name}"

    @property
    def local(self) -> str:
        """The file's name here; one of the hub's carries its repository, so that no two are taken for one."""
        whole = f"{self.repo}/{self.file}" if self.name.startswith("hf:") else self.file
        return whole.replace("/", "--")

    @property
    def url(self) -> str:
        return f"{hub()}/{self.repo}/resolve/{self.revision}/{self.file}"

    def path(self, models_dir: Path) -> Path:
        return models_dir / self.local

    def here(self, models_dir: Path) -> bool:
        return self.path(models_dir).is_file()


def hub() -> str:
    """Where weights are fetched from; HF_ENDPOINT names a mirror."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or HUB


CATALOGUE = tuple(
    Weights(**row) for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["model"]
)


def entry(name: str) -> Weights:
    """Raises BadSpec with the names there are."""
    for weights in CATALOGUE:
        if name.lower() == weights.name:
            return weights
    names = [f"embedded:{weights.name}" for weights in CATALOGUE]
    raise BadSpec(f"There is no embedded model {name!r}: write {', '.join(names[:-1])} or {names[-1]}.")


def known(models_dir: Path) -> tuple[Weights, ...]:
    """The catalogue, and behind it the files of the hub that were asked for here."""
    return (*CATALOGUE, *_noted(models_dir))


def named(name: str, models_dir: Path) -> Weights:
    """`hf:REPO/FILE`, as it was noted when it was fetched. Raises BadSpec, Missing."""
    split_name(name)
    for weights in _noted(models_dir):
        if weights.name == name:
            return weights
    raise Missing(f"The weights {name} are not here: run `python main.py models fetch gguf:{name}`.")


def split_name(name: str) -> tuple[str, str]:
    """(repository, file) of `hf:OWNER/NAME/FILE.gguf`. Raises BadSpec."""
    path = name.removeprefix("hf:")
    if not name.startswith("hf:") or not _NAME.fullmatch(path) or ".." in path.split("/"):
        raise BadSpec(f"{name!r} names no GGUF file of the hub: write gguf:hf:OWNER/NAME/FILE.gguf.")
    owner, repo, file = path.split("/", 2)
    return f"{owner}/{repo}", file


def published(name: str, told: object) -> Weights:
    """The weights that the hub's own answer about a repository (`?blobs=true`) describes. Raises BadSpec, Missing."""
    repo, file = split_name(name)
    found = told if isinstance(told, dict) else {}
    files = found.get("siblings")
    rows = [one for one in files if isinstance(one, dict)] if isinstance(files, list) else []
    listed = [one for one in rows if one.get("rfilename") == file]
    if not listed:
        raise Missing(f"The hub's repository {repo} has no file {file}: look at its list of files there.")
    lfs = listed[0].get("lfs")
    blob = lfs if isinstance(lfs, dict) else {}
    size, sha256, revision = blob.get("size"), str(blob.get("sha256")), str(found.get("sha"))
    if not isinstance(size, int) or size <= 0 or not _SUM.fullmatch(sha256) or not revision.isalnum():
        raise Missing(f"The hub publishes no SHA-256 for {name}, so it cannot be checked and is not fetched.")
    if re.search(r"-\d{5}-of-\d{5}\.gguf$", file, re.IGNORECASE):
        raise Missing(f"{file} is one of several parts of a model: choose a file of the hub that is whole.")
    card = found.get("cardData")
    licence = str(card.get("license") or "") if isinstance(card, dict) else ""
    memory = size + size // 4 + BESIDE // 2
    return Weights(
        name, Path(file).stem, licence or "not told", repo, revision, file, size, sha256, memory, memory + BESIDE
    )


def note(weights: Weights, models_dir: Path) -> None:
    """From now on this file is known here by its published sum."""
    models_dir.mkdir(parents=True, exist_ok=True)
    others = [asdict(one) for one in _noted(models_dir) if one.name != weights.name]
    text = json.dumps([*others, asdict(weights)], indent=1)
    beside = models_dir / f"{_NOTED}.new"
    beside.write_text(text, "utf-8")
    beside.replace(models_dir / _NOTED)


def _noted(models_dir: Path) -> tuple[Weights, ...]:
    try:
        return tuple(Weights(**row) for row in json.loads((models_dir / _NOTED).read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return ()
