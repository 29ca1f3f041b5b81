"""The fit, in torch: MiniLM's own layers, changed by little (LoRA, Hu et al. 2021), and small heads on its states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minds.policies.wishes import BEST, HEADS, HIDDEN, NAMED, NEAR, Floats

FROZEN, LOW = 3, 16
"""Layers that stay as they are, and the rank of what is added to each matrix of the others."""
CANDIDATES = 100
"""Actions of a state that a sentence is fitted on: the right ones and others drawn from the rest."""
TOKENS = 72
"""Of a text; what lies beyond is not fitted on."""
LEAST = -20.0
"""The score of the nearest name where a state names nothing."""
ALIKE = 12
"""Batches whose rows are sorted by length together."""
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A sentence in a state: its actions by the numbers of verb, object and other."""

    text: str
    names: Ints
    """Of the state's names, in the table of all."""
    shared: Floats
    """What each has in common with the sentence: (names, NAMED)."""
    verbs: Ints
    objects: Ints
    """Into `names`, -1 for none; one of each action, like `others`."""
    others: Ints
    again: NDArray[np.bool_]
    right: NDArray[np.bool_]
    instead: int
    """Where no action is right: which of INSTEAD is."""


class Low:
    """A linear layer of MiniLM's, frozen, and what is learned to be added to it."""

    @staticmethod
    def of(linear: Any) -> Any:
        import torch

        class Added(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.base = linear
                self.a = torch.nn.Parameter(torch.randn(LOW, linear.in_features) / linear.in_features**0.5)
                self.b = torch.nn.Parameter(torch.zeros(linear.out_features, LOW))

            def forward(self, x: Any) -> Any:
                return self.base(x) + (x @ self.a.T) @ self.b.T

        return Added()


class Encoder:
    """MiniLM: its lower layers as they are (what they give is kept), in the upper ones something is learned."""

    def __init__(self, folder: str, tokens: int = TOKENS) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import BertModel

        torch.manual_seed(0)
        self._bert = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
        self._bert.requires_grad_(False)
        self.upper = torch.nn.ModuleList(self._bert.encoder.layer[FROZEN:])
        for layer in self.upper:
            own = layer.attention.self
            own.query, own.key, own.value = Low.of(own.query), Low.of(own.key), Low.of(own.value)
            for part in (layer.attention.output, layer.intermediate, layer.output):
                part.dense = Low.of(part.dense)
        self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.no_padding()
        self._kept: dict[str, Any] = {}

    def states(self, texts: Sequence[str]) -> tuple[Any, Any, Any]:
        """Tokens' states (texts, tokens, 384), which of them there are, and their mean."""
        import torch

        with torch.no_grad():
            self._read([text for text in dict.fromkeys(texts) if text not in self._kept])
        x, there = _padded([self._kept[text].float() for text in texts])
        x = _through(self.upper, x, there)
        mean = (x * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return x, there, mean

    def _read(self, texts: Sequence[str]) -> None:
        """What the lower layers give is kept."""
        import torch

        if not texts:
            return
        ids = [torch.tensor(one.ids) for one in self._tokenizer.encode_batch(list(texts))]
        padded, there = _padded(ids)
        x = _through(self._bert.encoder.layer[:FROZEN], self._bert.embeddings(padded), there)
        self._kept |= {text: row[: len(own)].half() for text, row, own in zip(texts, x, ids, strict=True)}


def _padded(rows: Sequence[Any]) -> tuple[Any, Any]:
    """As one, and which of it is there."""
    import torch

    x = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    return x, torch.arange(x.shape[1])[None] < torch.tensor([len(row) for row in rows])[:, None]


def _through(layers: Any, x: Any, there: Any) -> Any:
    import torch

    mask = torch.where(there, 0.0, -1e9)[:, None, None]
    for layer in layers:
        found = layer(x, mask)
        x = found[0] if isinstance(found, tuple) else found
    return x


def reader(folder: str, tables: dict[str, Floats], verbs: int) -> Any:
    """The whole network. `tables`: frozen vectors of the names in worlds, of things and of places."""
    import torch

    from tools.worlds.kinds import KINDS

    class Reader(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = Encoder(folder)
            self.upper = self.encoder.upper
            self.tables = {key: torch.from_numpy(table) for key, table in tables.items()}
            sizes = {"meant": 1, "kinds": len(KINDS), "verbs": verbs, "instead": len(HEADS)}
            self.heads = torch.nn.ModuleDict({key: _head(size) for key, size in sizes.items()})
            sides = ("object", "other", "thing", "place")
            self.said, self.name = (
                torch.nn.ModuleDict({side: torch.nn.Linear(384, NEAR, bias=False) for side in sides}) for _ in range(2)
            )
            for module in (*self.said.values(), *self.name.values()):
                torch.nn.init.normal_(module.weight, std=0.06)
            self.shared = torch.nn.ModuleDict({side: torch.nn.Linear(NAMED, 1) for side in ("object", "other")})
            self.again = torch.nn.Parameter(torch.zeros(1))
            self.none = torch.nn.Sequential(torch.nn.Linear(NAMED + 1, BEST), torch.nn.ReLU(), torch.nn.Linear(BEST, 1))

        def near(self, side: str, rows: Any, x: Any, there: Any) -> Any:
            """Of each name its best likeness to a token: rows (batch or 1, names, 384) -> (batch, names)."""
            said = self.said[side](x).masked_fill(~there[..., None], 0)
            like = torch.einsum("bnr,btr->bnt", self.name[side](rows).expand(len(x), -1, -1), said)
            return like.masked_fill(~there[:, None], -1e4).max(2).values

        def wish(self, texts: Sequence[str]) -> dict[str, Any]:
            x, there, mean = self.encoder.states(texts)
            found = {"kinds": self.heads["kinds"](mean)}
            for key, side in (("things", "thing"), ("places", "place")):
                found[key] = self.near(side, self.tables[key][None], x, there)
            return found

        def of(self, head: str, texts: Sequence[str]) -> Any:
            """What one of the heads on the mean says."""
            return self.heads[head](self.encoder.states(texts)[2])

        def rank(self, texts: Sequence[str], batch: dict[str, Any]) -> Any:
            """Scores of the actions, behind them of what is said instead of one."""
            x, there, mean = self.encoder.states(texts)
            score = self.heads["verbs"](mean).gather(1, batch["verbs"]) + self.again * batch["again"]
            rows = self.tables["names"][batch["names"]]
            for side, at in (("object", batch["objects"]), ("other", batch["others"])):
                of_name = self.near(side, rows, x, there) + self.shared[side](batch["shared"])[..., 0]
                of_name = torch.cat([of_name, torch.zeros(len(of_name), 1)], 1)
                score = score + of_name.gather(1, torch.where(at < 0, of_name.shape[1] - 1, at))
                if side == "object":
                    best = self.best(of_name[:, :-1].masked_fill(~batch["named"], -1e4), batch["shared"])
            score = score.masked_fill(~batch["there"], -1e9)
            instead = self.heads["instead"](mean)
            return torch.cat([score, instead[:, :1] + self.none(best), instead[:, 1:]], 1)

        @staticmethod
        def best(scores: Any, shared: Any) -> Any:
            """The score and the features of the name that is nearest: (batch, 1 + NAMED)."""
            score, at = scores.max(1)
            return torch.cat([score[:, None].clamp(min=LEAST), shared[torch.arange(len(at)), at]], 1)

    return Reader()


def _head(size: int) -> Any:
    import torch

    return torch.nn.Sequential(
        torch.nn.Dropout(0.15), torch.nn.Linear(384, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, size)
    )


def batches(lengths: Ints, size: int, seed: int) -> Iterator[Ints]:
    """Rows in an order of chance, those of a batch of about one length, so that little is padded."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(lengths))
    found = []
    for start in range(0, len(order), ALIKE * size):
        window = order[start : start + ALIKE * size]
        window = window[np.argsort(lengths[window], kind="stable")]
        found += [window[at : at + size] for at in range(0, len(window), size)]
    yield from (found[n] for n in rng.permutation(len(found)))


def together(cases: Sequence[Case], rng: np.random.Generator | None) -> dict[str, Any]:
    """Cases of different lengths as one batch; with `rng` only some of the actions of each."""
    import torch

    kept = [_some(case, rng) if rng else np.arange(len(case.verbs)) for case in cases]
    width, most = max(map(len, kept)), max(1, *(len(case.names) for case in cases))
    size = len(cases)
    found: dict[str, Any] = {
        "names": np.zeros((size, most), np.int64),
        "shared": np.zeros((size, most, NAMED), np.float32),
        "named": np.zeros((size, most), bool),
        "again": np.zeros((size, width), np.float32),
        "there": np.zeros((size, width), bool),
        "right": np.zeros((size, width + len(HEADS)), np.float32),
        "verbs": np.zeros((size, width), np.int64),
        **{key: np.full((size, width), -1, np.int64) for key in ("objects", "others")},
    }
    for row, (case, keep) in enumerate(zip(cases, kept, strict=True)):
        here = slice(0, len(keep))
        found["names"][row, : len(case.names)], found["shared"][row, : len(case.names)] = case.names, case.shared
        found["named"][row, : len(case.names)] = True
        for key in ("verbs", "objects", "others", "again"):
            found[key][row, here] = getattr(case, key)[keep]
        found["there"][row, here], found["right"][row, here] = True, case.right[keep]
        if not case.right.any():
            found["right"][row, width + case.instead] = 1
    return {key: torch.from_numpy(value) for key, value in found.items()}


def ranking_loss(scores: Any, right: Any) -> Any:
    """Minus the log of the probability that the right ones have together."""
    import torch

    held = scores.masked_fill(right == 0, -1e9)
    return (torch.logsumexp(scores, 1) - torch.logsumexp(held, 1)).mean()


def low_of(upper: Any) -> dict[str, Any]:
    """What was learned for the layers, in torch, named as the embedder reads it."""
    found: dict[str, Any] = {}
    for name, module in upper.named_modules():
        if hasattr(module, "a") and hasattr(module, "b"):
            number, _, rest = name.partition(".")
            at = f"low.encoder.layer.{int(number) + FROZEN}.{rest}"
            found |= {f"{at}.a": module.a, f"{at}.b": module.b}
    return found


def weights_of(net: Any) -> dict[str, Floats]:
    """Named as minds/policies/wishes.py reads them."""
    return {key: value.detach().numpy().copy() for key, value in named(net).items()}


def named(net: Any) -> dict[str, Any]:
    """What was learned, in torch."""
    found = low_of(net.upper)
    for key, head in net.heads.items():
        found |= {f"{key}.in": head[1].weight.T, f"{key}.bias": head[1].bias}
        found |= {f"{key}.out": head[3].weight.T, f"{key}.shift": head[3].bias}
    for side in net.said:
        found |= {f"near.{side}.said": net.said[side].weight.T, f"near.{side}.name": net.name[side].weight.T}
    for side, linear in net.shared.items():
        found |= {f"near.{side}.shared": linear.weight[0], f"near.{side}.bias": linear.bias}
    found |= {"none.in": net.none[0].weight.T, "none.bias": net.none[0].bias}
    found |= {"none.out": net.none[2].weight.T, "none.shift": net.none[2].bias}
    found["again"] = net.again
    return found


def take_up(net: Any, path: Path, verbs: Sequence[str]) -> None:
    """Puts weights that were fitted before into the network; what they do not know stays as it is."""
    import torch
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        held = {name: file.get_tensor(name).float() for name in list(file.keys())}
        at = {verb: n for n, verb in enumerate(file.metadata()["verbs"].split("\n"))}
    kept = torch.tensor([at.get(verb, -1) for verb in verbs])
    here = named(net)
    with torch.no_grad():
        for name in ("verbs.out", "verbs.shift"):  # the verbs of now, in their order
            held[name] = torch.where(kept >= 0, held[name][..., kept], here[name])
        for name, row in here.items():
            row[tuple(slice(size) for size in held[name].shape)] = held[name]  # there may be more heads now


def _some(case: Case, rng: np.random.Generator) -> Ints:
    """The right actions, and others."""
    if len(case.right) <= CANDIDATES:
        return np.arange(len(case.right))
    right, rest = np.flatnonzero(case.right), np.flatnonzero(~case.right)
    return np.concatenate([right, rng.choice(rest, max(1, CANDIDATES - len(right)), replace=False)])
