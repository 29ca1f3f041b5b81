"""Fits words to actions: how likely each action is (scorer), and what is done in the end (decider).

`python main.py train grounding` reads the labelled sentences of data/grounding_*. An author's sentences are scored by
networks that saw none of them, so that the decider learns how far to trust scores and rules on the next author's; the
rules' verdicts on them are those of the rules as they are. What is reported is measured on whole authors left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import pickle
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from minds.training.grounding.cases import FRESH, GROUPS, Case, read_cases
from minds.training.grounding.said import Said, chat, made, spoken_names
from tools.worlds import words
from tools.worlds.words import scorer
from tools.worlds.words.scorer import NONE, UNKNOWN

if TYPE_CHECKING:
    from minds.training.grounding.choice import Choices
    from minds.training.grounding.gist import Reader
    from minds.training.grounding.net import Shown
    from tools.worlds.words.gist import Gist

T = TypeVar("T")
TURNS = 450
"""Turns of ordinary chat among the sentences."""
RARE = 5
"""Signs that fewer sentences have are left out."""
FRESHLY = 4.0
"""How much a sentence of a fresh author counts, against one that the rules were mended by."""
CARD = "scorer.md"
KEPT = Path.home() / ".cache" / "duet" / "grounding"


def main(arguments: Sequence[str]) -> int:
    """Exit code."""
    asked = argparse.ArgumentParser(prog="main.py train grounding", description=__doc__)
    asked.add_argument("--out", type=Path, default=scorer.WEIGHTS.parent, help="folder for the weights and their card")
    asked.add_argument("--limit", type=int, help="at most so many sentences of each file")
    asked.add_argument("--seeds", type=int, default=3, help="networks whose chances are averaged")
    asked.add_argument(
        "--cache", type=Path, default=KEPT, help="folder for signs and vectors, so that refits are quick"
    )
    given = asked.parse_args(list(arguments))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    cases = read_cases(given.limit)
    if not cases:
        print("There are no development sentences in minds/training/data: run it in a checkout.")
        return 1
    fitting = Fitting(cases, given.seeds, Kept(given.cache))
    print(f"{len(cases)} labelled sentences, {len(fitting.more)} more; vectors and signs are ready", flush=True)
    choices = fitting.left_out()
    figures = measured(choices)
    given.out.mkdir(parents=True, exist_ok=True)
    size = fitting.store(given.out / scorer.WEIGHTS.name, choices)
    (given.out / CARD).write_text(card(fitting, figures, size), encoding="utf-8")
    print(json.dumps(figures), flush=True)
    return 0


class Kept:
    """What takes long to make, in a folder; made anew when a rule, a table or a sentence has changed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        sources = sorted(Path(words.__file__).parent.glob("*.py"))
        self.code = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()

    def get(self, name: str, of: object, make: Callable[[], T]) -> T:
        """By name and by what it is made of."""
        mark = hashlib.sha256(f"{self.code} {of!r}".encode()).hexdigest()[:16]
        path = self.folder / f"{name}.pickle"
        if path.exists():
            try:
                marked, kept = pickle.loads(path.read_bytes())
            except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, TypeError, ValueError):
                marked = ""  # half written, or of other classes: made anew
            if marked == mark:
                found: T = kept
                return found
        made_now = make()
        path.write_bytes(pickle.dumps((mark, made_now)))
        return made_now


class Fitting:
    """The sentences as numbers, and what is fitted to them."""

    def __init__(self, cases: Sequence[Case], seeds: int, kept: Kept) -> None:
        from memory.embedder import Embedder
        from minds.training.grounding.gist import Gists, read_of
        from minds.training.grounding.net import Index, Vectors, coded

        self.cases, self.seeds = cases, seeds
        tuned = [case.said for case in cases if case.file not in FRESH] or [case.said for case in cases]
        self.more = [*made(tuned), *chat(tuned, min(TURNS, len(cases)))]
        self.shown = [*_shown([case.said for case in cases], kept, "labelled"), *_shown(self.more, kept, "made")]
        tokens = Embedder().tokens
        spoken = kept.get("names", [case.said for case in cases], lambda: spoken_names(case.said for case in cases))
        self.names = sorted({*spoken, *(name for ways in self.shown for args in ways[0].args for name in args)})
        texts = sorted({ways[0].says for ways in self.shown})
        said = kept.get("said", texts, lambda: {text: tokens(text) for text in texts})
        mean = np.concatenate([said[text][1:-1] for text in texts[::4]]).mean(0)
        table = kept.get("named", self.names, lambda: np.stack([tokens(name).mean(0) for name in self.names]))
        self.vectors = Vectors(said, table, mean)
        often = Counter(name for ways in self.shown[: len(cases)] for name in set(ways[0].signs))
        self.features = sorted(name for name, count in often.items() if count >= min(RARE, len(cases) // 20 + 1))
        verbs = sorted({verb for ways in self.shown for verb in ways[0].verbs} - {NONE, UNKNOWN})
        self.verbs = [NONE, UNKNOWN, *verbs]
        self.index = Index(*({name: i for i, name in enumerate(n)} for n in (self.features, self.verbs, self.names)))
        self.rows = [tuple(coded(way, self.index) for way in ways) for ways in self.shown]
        self.gists = Gists([read_of(case) for case in cases], self.vectors, _told)

    def nets(self, without: Sequence[str], seeds: int) -> list[Any]:
        """Scorers fitted to all but some files."""
        from minds.training.grounding.net import fit_scorer

        files = [case.file for case in self.cases] + [""] * len(self.more)
        kept = [(row, FRESHLY if file in FRESH else 1.0) for row, file in zip(self.rows, files, strict=True)
                if file not in without]  # fmt: skip
        rows, weights = zip(*kept, strict=True)
        return [fit_scorer(rows, weights, self.vectors, self.index, seed, _told) for seed in range(seeds)]

    def readers(self, without: Sequence[str], seeds: int) -> list[Reader]:
        """Of the gist, likewise."""
        at = [i for i, case in enumerate(self.cases) if case.file not in without]
        fresh = [case.file in FRESH for case in self.cases]
        return [self.gists.fitted(at, fresh, seed) for seed in range(seeds)]

    def left_out(self) -> dict[str, Choices]:
        """Everyone's candidates, with vectors and without, by networks that saw no sentence of theirs."""
        from minds.training.grounding.choice import Choices
        from minds.training.grounding.net import likely

        guesses: dict[str, dict[int, dict[str, float]]] = {"seeing": {}, "blind": {}}
        about: dict[int, Gist] = {}
        for group in GROUPS:
            at = [i for i, case in enumerate(self.cases) if case.file in group]
            nets = self.nets(group, self.seeds) if at else []
            for kind, guess in guesses.items():
                each = [likely(net, [self.rows[i][0] for i in at], self.vectors, kind == "seeing") for net in nets]
                guess.update((i, averaged([one[n] for one in each])) for n, i in enumerate(at))
            readers = self.readers(group, self.seeds) if at else []
            about.update(zip(at, self.gists.read(readers, at) if readers else (), strict=True))
        every = range(len(self.cases))
        return {
            kind: Choices(
                self.cases, [guess[i] for i in every], [about[i] if kind == "seeing" else None for i in every]
            )
            for kind, guess in guesses.items()
        }

    def store(self, path: Path, choices: Mapping[str, Choices]) -> int:
        """Fits to everything and writes it; bytes."""
        from safetensors.numpy import save_file

        from minds.training.grounding.net import tensors

        found: dict[str, NDArray[Any]] = {"mean": self.vectors.mean.astype(np.float16)}
        found["names"] = (self.vectors.names - self.vectors.mean).astype(np.float16)
        for i, net in enumerate(self.nets((), self.seeds)):
            found |= tensors(net, f"net{i}")
        for i, reader in enumerate(self.readers((), self.seeds)):
            found |= tensors(reader, f"gist{i}")
        signs = sorted({sign for table in choices.values() for sign in table.signs})
        for kind, table in choices.items():
            for i, net in enumerate(table.fitted(signs=signs)):
                found |= tensors(net, f"{kind}{i}")
        about = {"features": self.features, "verbs": self.verbs, "names": self.names, "signs": signs}
        about["heard"] = self.gists.verbs
        save_file(found, path, {key: json.dumps(value) for key, value in about.items()})
        return path.stat().st_size


def _told(text: str) -> None:
    print(text, flush=True)


def _shown(said: Sequence[Said], kept: Kept, name: str) -> list[tuple[Shown, ...]]:
    from minds.training.grounding.net import shown

    return kept.get(name, said, lambda: [shown(one) for one in said])


def averaged(guesses: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The logarithm of the mean chance."""
    return {a: math.log(sum(math.exp(g[a]) for g in guesses) / len(guesses) + 1e-9) for a in guesses[0]}


def measured(choices: Mapping[str, Choices]) -> dict[str, Any]:
    """Share right on each fresh author, whom neither scorer nor decider nor rules saw."""
    seeing = choices["seeing"]
    counts: dict[str, Counter[str]] = {}
    for group in GROUPS:
        files = [file for file in group if file in FRESH and file in seeing.files]
        nets = {kind: table.fitted(group) for kind, table in choices.items() if files}
        for file in files:
            cases = [case for case in seeing.cases if case.file == file]
            ruled = [case.heard.whole for case in cases]
            counts[file] = Counter(sentences=len(cases))
            counts[file]["rules"] = sum(
                case.right(v.actions * (v.kind == "did")) for case, v in zip(cases, ruled, strict=True)
            )
            counts[file]["decided"] = seeing.right(nets["seeing"], file)
            counts[file]["blind"] = choices["blind"].right(nets["blind"], file)
    total = sum(counts.values(), Counter[str]())
    found = {file: _shares(count) for file, count in sorted(counts.items())}
    return found | ({"all": _shares(total)} if total else {})


def _shares(count: Counter[str]) -> dict[str, float]:
    shares = {kind: round(count[kind] / count["sentences"], 4) for kind in ("rules", "blind", "decided")}
    return {"sentences": count["sentences"], **shares}


def card(fitting: Fitting, figures: Mapping[str, Any], size: int) -> str:
    """What the weights are."""
    from minds.training.grounding.choice import MEMBERS

    authors = "\n".join(
        f"| {file} ({row['sentences']}) | {row['rules']:.1%} | {row['blind']:.1%} | {row['decided']:.1%} |"
        for file, row in figures.items()
    )
    return f"""# Words to actions

`scorer.safetensors` ({size // 1000} kB) is read by tools/worlds/words/scorer.py and deciding.py. Fitted by
`python main.py train grounding`, seeds fixed; {fitting.seeds} scorers of {len(fitting.features)} signs and
{len(fitting.verbs)} verbs, as many readers of a sentence's gist, {MEMBERS} deciders with the vectors and
{MEMBERS} without them; token vectors of all-MiniLM-L6-v2, those of {len(fitting.names)} usual names stored.

Data: {len(fitting.cases)} labelled sentences of several authors (minds/training/data/grounding_*),
{len(fitting.more)} made from own phrases over the same lists of actions and from turns of ordinary chat.

Share right on authors of whom nothing was seen, neither by the rules nor by the networks (left out in turn, some
at a time):

| author | rules alone | decided without an encoder | decided |
|---|---|---|---|
{authors}

Authors 36 to 41 wrote for the same brief as the examiners of the blind sets; their misses were read before this fit
(how the screen calls things and how earlier actions are named was mended by them), so that theirs is no blind figure.
In dev15 to dev41 the lists leave out `connect` between things that are no electrical parts. Authors 24 and 35 describe
things by use, look or place and seldom name them: what such sentences take, the vectors of a small encoder do not have.

Limits: English; two worlds. What takes knowledge of the world beyond its words is often missed.
"""
