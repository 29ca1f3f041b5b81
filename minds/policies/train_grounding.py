"""Fits words to actions: how likely each action is (scorer), and what is done in the end (decider).

`python main.py train grounding` reads the development sentences of tests/data and data/grounding_*. An author's
sentences are scored by networks that saw none of them, so that the decider learns how far to trust scores and rules
on the next author's; the rules' verdicts on them are those of the rules as they were before they were mended by
these very sentences (data/grounding_verdicts.jsonl). What is reported is measured on whole authors left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.policies.grounding_said import DATA, SENTENCES, Said, chat, labelled, made, spoken_names
from tools.worlds.grounding import by_rules
from tools.worlds.words import scorer
from tools.worlds.words.deciding import Candidate, Heard, Verdict, candidates, judged, remark
from tools.worlds.words.scorer import NONE, UNKNOWN, Floats
from tools.worlds.words.spans import Span

AUTHORS = (
    ("dev", "dev2", "dev5", "dev11"),
    ("dev3", "dev4", "dev6", "dev7", "dev8", "dev9", "dev10"),
    ("dev12",), ("dev13",), ("dev14",),
)  # fmt: skip
"""Who is left out together."""
FRESH = frozenset(["dev12", "dev13", "dev14"])
"""Authors by whose sentences no rule was ever mended: they count more, and are what is reported."""
TURNS = 450
"""Turns of ordinary chat among the sentences."""
RARE = 5
"""Signs that fewer sentences have are left out; of candidates, four times as many."""
MEMBERS = 3
"""Deciders whose scores are added."""
CARD = "scorer.md"


@dataclass(frozen=True)
class Case:
    """A labelled sentence, whose it is, and what the rules said before they knew it."""

    file: str
    said: Said
    heard: Heard

    def right(self, steps: Sequence[str]) -> bool:
        """As `bench grounding` counts."""
        return bool(steps) == bool(self.said.expect) and set(steps) <= set(self.said.expect)


def main(arguments: Sequence[str]) -> int:
    """Exit code."""
    asked = argparse.ArgumentParser(prog="main.py train grounding", description=__doc__)
    asked.add_argument("--out", type=Path, default=scorer.WEIGHTS.parent, help="folder for the weights and their card")
    asked.add_argument("--limit", type=int, help="at most so many sentences of each file")
    asked.add_argument("--seeds", type=int, default=1, help="networks whose chances are averaged")
    given = asked.parse_args(list(arguments))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    cases = read_cases(given.limit)
    if not cases:
        print(f"There are no development sentences in {SENTENCES.name}: run it in a checkout.")
        return 1
    fitting = Fitting(cases, given.seeds)
    print(f"{len(cases)} labelled sentences, {len(fitting.more)} more; vectors and signs are ready", flush=True)
    guesses = fitting.left_out()
    figures = measured(cases, guesses, fitting)
    given.out.mkdir(parents=True, exist_ok=True)
    size = fitting.store(given.out / scorer.WEIGHTS.name, guesses)
    (given.out / CARD).write_text(card(cases, fitting, figures, size), encoding="utf-8")
    print(json.dumps(figures), flush=True)
    return 0


def read_cases(limit: int | None = None) -> list[Case]:
    """Of all files; verdicts that are not stored are those of the rules as they are, who never saw the sentence."""
    stored: dict[tuple[str, int], Heard] = {}
    for line in (DATA / "grounding_verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        stored[row["file"], row["line"]] = _unpacked(row)
    found = []
    for file in (name for group in AUTHORS for name in group):
        path = SENTENCES / f"grounding_{file}.jsonl"
        for at, said in enumerate(labelled(path)[:limit] if path.exists() else ()):
            known = stored.get((file, at))
            found.append(Case(file, said, replace(known, remark=remark(said.says)) if known else _judged(said)))
    return found


def _unpacked(row: Mapping[str, Any]) -> Heard:
    def of(packed: Sequence[Any]) -> Verdict:
        kind, actions, rest, already, absent = packed
        return Verdict(kind, tuple(actions), tuple(rest), already, absent)

    pieces = tuple((Span(first, last, count, ""), of(rest)) for first, last, count, *rest in row["pieces"])
    return Heard(of(row["whole"]), pieces)


def _judged(said: Said) -> Heard:
    here = said.here
    return judged(said.says, by_rules(said.says, here), lambda piece: by_rules(piece, here))


Guesses = tuple[list[dict[str, float]], list[dict[str, float]]]
"""Chances of each case's actions, with vectors and without."""


class Fitting:
    """The sentences as numbers, and what is fitted to them."""

    def __init__(self, cases: Sequence[Case], seeds: int) -> None:
        from memory.embedder import Embedder
        from minds.policies.grounding_net import Index, Vectors, shown

        self.cases, self.seeds = cases, seeds
        tuned = [case.said for case in cases if case.file not in FRESH] or [case.said for case in cases]
        self.more = [*made(tuned), *chat(tuned, min(TURNS, len(cases)))]
        self.rows = [shown(case.said) for case in cases]
        self.others = [shown(said) for said in self.more]
        everything = [*self.rows, *self.others]
        tokens = Embedder().tokens
        names = sorted({name for ways in everything for name in (n for args in ways[0].args for n in args)})
        self.names = sorted({*names, *spoken_names(case.said for case in cases)})
        said = {text: tokens(text) for text in {ways[0].says for ways in everything}}
        mean = np.concatenate([vectors[1:-1] for vectors in list(said.values())[:1500]]).mean(0)
        self.vectors = Vectors(said, {name: tokens(name).mean(0) for name in self.names}, mean)
        often = Counter(name for ways in self.rows for name in set(ways[0].signs))
        features = sorted(name for name, count in often.items() if count >= min(RARE, len(cases) // 20 + 1))
        verbs = sorted({verb for ways in everything for verb in ways[0].verbs} - {NONE, UNKNOWN})
        self.features, self.verbs = features, [NONE, UNKNOWN, *verbs]
        self.index = Index(_numbered(self.features), _numbered(self.verbs))

    def nets(self, without: Sequence[str]) -> list[Any]:
        """Scorers fitted to all but some files."""
        from minds.policies.grounding_net import fit_scorer

        kept = [(case, ways) for case, ways in zip(self.cases, self.rows, strict=True) if case.file not in without]
        twice = [ways for case, ways in kept if case.file in FRESH]
        rows = [*(ways for _, ways in kept), *twice, *self.others]
        return [
            fit_scorer(rows, self.vectors, self.index, seed, lambda text: print(text, flush=True))
            for seed in range(self.seeds)
        ]

    def left_out(self) -> Guesses:
        """Chances by networks that saw no sentence of the author."""
        from minds.policies.grounding_net import likely

        found: Guesses = ([{} for _ in self.cases], [{} for _ in self.cases])
        for group in AUTHORS:
            chosen = [i for i, case in enumerate(self.cases) if case.file in group]
            nets = self.nets(group) if chosen else []
            for table, seeing in zip(found, (True, False), strict=True):
                each = [
                    likely(net, [self.rows[i][0] for i in chosen], self.vectors, self.index, seeing) for net in nets
                ]
                for at, i in enumerate(chosen):
                    table[i] = averaged([guess[at] for guess in each])
        return found

    def store(self, path: Path, guesses: Guesses) -> int:
        """Fits to everything and writes it; bytes."""
        from safetensors.numpy import save_file

        from minds.policies.grounding_net import tensors

        found: dict[str, NDArray[Any]] = {"mean": self.vectors.mean.astype(np.float16)}
        found["names"] = np.stack([self.vectors.names[name] - self.vectors.mean for name in self.names]).astype(
            np.float16
        )
        for i, net in enumerate(self.nets(())):
            found |= tensors(net, f"net{i}")
        signs = signs_of(self.cases, guesses)
        for kind, guess in zip(("seeing", "blind"), guesses, strict=True):
            for i, net in enumerate(deciders(self.cases, guess, signs)):
                found |= tensors(net, f"{kind}{i}")
        about = {"features": self.features, "verbs": self.verbs, "names": self.names, "signs": signs}
        save_file(found, path, {key: json.dumps(value) for key, value in about.items()})
        return path.stat().st_size


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def averaged(guesses: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The logarithm of the mean chance."""
    return {a: math.log(sum(math.exp(g[a]) for g in guesses) / len(guesses) + 1e-9) for a in guesses[0]}


# -- the decision


def weighed(case: Case, likely: Mapping[str, float]) -> list[Candidate]:
    """A case's candidates."""
    return candidates(case.heard, likely, case.said.world)


def signs_of(cases: Sequence[Case], guesses: Guesses) -> list[str]:
    """Every sign of a candidate that is not too rare."""
    often = Counter(
        sign
        for case, likely in zip(cases, guesses[0], strict=True)
        for candidate in weighed(case, likely)
        for sign in candidate.signs
    )
    return sorted(sign for sign, count in often.items() if count > min(4 * RARE, len(cases) // 5))


def deciders(cases: Sequence[Case], guesses: Sequence[Mapping[str, float]], signs: Sequence[str]) -> list[Any]:
    """Fitted to what is right; where several readings are, to the longest."""
    from minds.policies.grounding_net import fit_decider

    index = _numbered(signs)
    table, row, right = [], [], []
    for i, (case, likely) in enumerate(zip(cases, guesses, strict=True)):
        found = weighed(case, likely)
        good = [case.right(candidate.steps) for candidate in found]
        most = max((len(c.steps) for c, ok in zip(found, good, strict=True) if ok), default=0)
        table += [_row(candidate, index) for candidate in found]
        row += [i] * len(found)
        right += [ok and len(c.steps) == most for c, ok in zip(found, good, strict=True)]
    weight = np.array([3.0 if case.file in FRESH else 1.0 for case in cases], np.float32)
    return [fit_decider(np.stack(table), np.array(row), np.array(right), weight, seed) for seed in range(MEMBERS)]


def _row(candidate: Candidate, index: Mapping[str, int]) -> Floats:
    row = np.zeros(len(index), np.float32)
    for sign, value in candidate.signs.items():
        if sign in index:
            row[index[sign]] = value
    return row


def measured(cases: Sequence[Case], guesses: Guesses, fitting: Fitting) -> dict[str, Any]:
    """Share right on each fresh author, whom neither scorer nor decider nor rules saw."""
    signs = signs_of(cases, guesses)
    found: dict[str, Any] = {}
    total: Counter[str] = Counter()
    for file in sorted({case.file for case in cases} & FRESH):
        kept = [i for i, case in enumerate(cases) if case.file != file]
        held = [i for i, case in enumerate(cases) if case.file == file]
        ruled = [cases[i].heard.whole for i in held]
        counts = {"sentences": len(held)}
        counts["rules"] = sum(cases[i].right(v.actions * (v.kind == "did")) for i, v in zip(held, ruled, strict=True))
        for kind, guess in zip(("decided", "blind"), guesses, strict=True):
            nets = deciders([cases[i] for i in kept], [guess[i] for i in kept], signs)
            counts[kind] = sum(cases[i].right(_chosen(nets, cases[i], guess[i], signs)) for i in held)
        found[file] = {kind: round(counts[kind] / len(held), 4) for kind in ("rules", "decided", "blind")}
        total.update(counts)
    return found | {kind: round(total[kind] / max(1, total["sentences"]), 4) for kind in ("rules", "decided", "blind")}


def _chosen(nets: Sequence[Any], case: Case, likely: Mapping[str, float], signs: Sequence[str]) -> tuple[str, ...]:
    import torch

    found = weighed(case, likely)
    table = torch.from_numpy(np.stack([_row(candidate, _numbered(signs)) for candidate in found]))
    with torch.no_grad():
        scores = sum(net(table) for net in nets)
    return found[int(torch.as_tensor(scores).argmax())].steps


def card(cases: Sequence[Case], fitting: Fitting, figures: Mapping[str, Any], size: int) -> str:
    """What the weights are."""
    authors = "\n".join(
        f"| {file} | {row['rules']:.1%} | {row['blind']:.1%} | {row['decided']:.1%} |"
        for file, row in figures.items()
        if isinstance(row, dict)
    )
    return f"""# Words to actions

`scorer.safetensors` ({size // 1000} kB) is read by tools/worlds/words/scorer.py and deciding.py. Fitted by
`python main.py train grounding`, seeds fixed; {fitting.seeds} scorer(s) of {len(fitting.features)} signs and
{len(fitting.verbs)} verbs with the token vectors of all-MiniLM-L6-v2, {MEMBERS} deciders with and {MEMBERS} without
them; vectors of {len(fitting.names)} usual names.

Data: {len(cases)} labelled sentences of several authors (tests/data/grounding_dev*.jsonl), {len(fitting.more)} made
from own phrases over the same lists of actions and from turns of ordinary chat.

Share right on authors of whom nothing was seen, neither by the rules nor by the networks (each left out in turn):

| author | rules alone | decided without an encoder | decided |
|---|---|---|---|
{authors}
| all | {figures["rules"]:.1%} | {figures["blind"]:.1%} | {figures["decided"]:.1%} |

Limits: English; two worlds. What takes knowledge of the world beyond its words is often missed.
"""
