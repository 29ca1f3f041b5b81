"""Fits the household part of the request reader: tasks and the homes of their games at once, on people's descriptions.

The score of a game is that of its task (kind, thing, place) and of its home; a task is as probable as all its games
together. The loss is the cross-entropy of the task and, at a lower weight, that of the very game: what only one home's
things are called then teaches the home, and not the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from minds.requests import Combo, Embed
from minds.requests import rooms as homes
from minds.requests.loglinear import Floats, LogLinear
from minds.requests.rooms import Rooms, room_buckets
from minds.requests.words import SIZE, Ints, buckets, household_grams
from minds.training.requests.tables import rows_of
from minds.training.requests.turns import Game

if TYPE_CHECKING:
    import torch

UNSEEN = 2.0
"""Log-odds by which a household task that no game has is less likely than the rarest that one has."""
_LAMP = "look_at_obj_in_light"


@dataclass(frozen=True)
class Recipe:
    """How it is fitted: Adam, its rate rising over 20 steps and falling to a twentieth."""

    epochs: int = 8
    batch: int = 128
    rate: float = 0.02
    rate_rooms: float = 0.01
    decay: float = 3e-6
    """Of the squared weights of words that a batch holds, and of all weights of the vector."""
    decay_rooms: float = 1e-5
    dropped: float = 0.3
    """Share of the words of a text that an epoch does not show, so that no word is leant on alone."""
    blurred: float = 0.1
    """Share of a sentence vector that a step does not show."""
    gain: float = 3.0
    """What sentence vectors are multiplied by."""
    game: float = 0.3
    """Weight of the loss of the very game beside that of the task."""


@dataclass(frozen=True)
class Choices:
    """Tasks (K with games, then those without) and games (G), by the labels each is made of."""

    combos: list[Combo]
    parts: Ints
    """Shape (all tasks, 3)."""
    usual: Floats
    """How usual the tasks with games are, log, shape (K,)."""
    tasks: Ints
    """Shape (G,)."""
    homes: Ints
    """Shape (G,)."""
    rooms: Ints
    """Shape (G, 2): the home and the place in it."""
    often: Floats
    """How usual the games are, log, shape (G,)."""


def choices_of(described: Sequence[Game]) -> Choices:
    """The tasks and games of some descriptions."""
    seen = Counter(game.combo for game in described)
    known = sorted(seen)
    names = [name for column in zip(*known, strict=True) for name in sorted(set(column))]
    combos = [*known, *_unseen(known)]
    games = Counter((known.index(game.combo), game.home) for game in described)
    ordered = sorted(games)
    of_homes = sorted({home for _, home in ordered})
    of_places = sorted({(home, known[task][2]) for task, home in ordered})
    return Choices(
        [Combo(*combo) for combo in combos],
        np.array([[names.index(name) for name in combo] for combo in combos]),
        np.log([seen[combo] for combo in known]).astype(np.float32),
        np.array([task for task, _ in ordered]),
        np.array([home for _, home in ordered]),
        np.array(
            [[of_homes.index(home), len(of_homes) + of_places.index((home, known[task][2]))] for task, home in ordered]
        ),
        np.log([games[game] for game in ordered]).astype(np.float32),
    )


def _unseen(seen: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Every place for every kind of task with every thing that was seen with it."""
    places = sorted({place for kind, _, place in seen if kind != _LAMP})
    pairs = sorted({(kind, thing) for kind, thing, _ in seen if kind != _LAMP})
    return [(*pair, place) for pair, place in product(pairs, places) if (*pair, place) not in set(seen)]


def fit_household(
    described: Sequence[Game], embed: Embed, how: Recipe | None = None, seed: int = 0
) -> tuple[LogLinear, list[Combo], Rooms]:
    """The model of tasks, the tasks, and what their games add."""
    import torch

    how, choices = how or Recipe(), choices_of(described)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the same weights whatever the machine
    try:
        fitted = _Fit(choices, how, seed)
        fitted.run(_texts(described, embed, choices))
        return fitted.task_model(), choices.combos, fitted.rooms()
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class _Texts:
    words: torch.Tensor
    small: torch.Tensor
    vectors: torch.Tensor
    task: torch.Tensor
    game: torch.Tensor

    def part(self, which: torch.Tensor) -> _Texts:
        return _Texts(*(getattr(self, name)[which] for name in ("words", "small", "vectors", "task", "game")))


def _texts(described: Sequence[Game], embed: Embed, choices: Choices) -> _Texts:
    import torch

    texts = [game.text for game in described]
    small = rows_of([room_buckets(text) for text in texts])
    small[small == SIZE] = homes.SIZE
    tasks = {(combo.kind, combo.thing, combo.place): number for number, combo in enumerate(choices.combos)}
    games = {
        game: number for number, game in enumerate(zip(choices.tasks.tolist(), choices.homes.tolist(), strict=True))
    }
    wanted = [tasks[game.combo] for game in described]
    return _Texts(
        torch.from_numpy(rows_of([buckets(household_grams(text)) for text in texts])),
        torch.from_numpy(small),
        torch.from_numpy(embed(texts)),
        torch.tensor(wanted),
        torch.tensor([games[task, game.home] for task, game in zip(wanted, described, strict=True)]),
    )


class _Part:
    """Weights of hashed words and of a vector, for some labels."""

    def __init__(self, size: int, labels: int, width: int, how: Recipe, decay: float) -> None:
        import torch

        self.how, self.decay, self.size = how, decay, size
        self.words = torch.nn.EmbeddingBag(size + 1, labels, mode="sum", padding_idx=size)
        torch.nn.init.zeros_(self.words.weight)
        self.vector = torch.zeros(width, labels, requires_grad=True)

    def scores(self, rows: torch.Tensor, vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores of the labels with some words unseen, and what the size of the weights costs."""
        import torch

        rows = torch.where(torch.rand(rows.shape) < self.how.dropped, self.size, rows)
        share = (rows < self.size).sum(1, keepdim=True).clamp(min=1).rsqrt()
        blurred = torch.nn.functional.dropout(vectors, self.how.blurred) * self.how.gain
        cost = (self.words.weight[rows.unique()] ** 2).sum() + (self.vector**2).sum()
        return self.words(rows) * share + blurred @ self.vector, self.decay * cost

    def model(self, parts: Ints, bias: Floats) -> LogLinear:
        words = self.words.weight.detach().numpy()[: self.size]
        return LogLinear(words, self.vector.detach().numpy() * np.float32(self.how.gain), parts, bias)


class _Fit:
    """One run over the descriptions."""

    def __init__(self, choices: Choices, how: Recipe, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self.choices, self.how = choices, how
        self.parts = torch.from_numpy(choices.parts[: len(choices.usual)])
        self.tasks, self.labels = torch.from_numpy(choices.tasks), torch.from_numpy(choices.rooms)
        self.bias = torch.from_numpy(0.5 * choices.usual).requires_grad_()
        self.often = torch.from_numpy(0.5 * choices.often).requires_grad_()

    def run(self, texts: _Texts) -> None:
        import torch

        count, width, how = len(texts.task), texts.vectors.shape[1], self.how
        self.whole = _Part(SIZE, int(self.choices.parts.max()) + 1, width, how, how.decay)
        self.room = _Part(homes.SIZE, int(self.choices.rooms.max()) + 1, width, how, how.decay_rooms)
        groups: list[dict[str, Any]] = [
            {"params": [self.whole.words.weight, self.whole.vector], "lr": how.rate},
            {"params": [self.room.words.weight, self.room.vector], "lr": how.rate_rooms},
            {"params": [self.bias, self.often], "lr": 0.3 * how.rate},
        ]
        optimizer = torch.optim.Adam(groups, betas=(0.9, 0.98))
        steps = how.epochs * -(-count // how.batch)
        falling = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, (step + 1) / 20) * (1 - 0.95 * step / steps)
        )
        for _ in range(how.epochs):
            for which in torch.randperm(count).split(how.batch):
                optimizer.zero_grad()
                self._loss(texts.part(which)).backward()
                optimizer.step()
                falling.step()

    def _loss(self, batch: _Texts) -> torch.Tensor:
        import torch

        of_labels, cost = self.whole.scores(batch.words, batch.vectors)
        of_rooms, cost_rooms = self.room.scores(batch.small, batch.vectors)
        scores = (of_labels[:, self.parts].sum(-1) + self.bias)[:, self.tasks]
        scores = scores + of_rooms[:, self.labels].sum(-1) + self.often
        games = scores.log_softmax(1)
        tasks = torch.zeros(len(games), len(self.bias)).index_add(1, self.tasks, games.exp())
        right = (tasks.gather(1, batch.task[:, None]) + 1e-12).log().mean()
        return cost + cost_rooms - right - self.how.game * games.gather(1, batch.game[:, None]).mean()

    def task_model(self) -> LogLinear:
        bias = self.bias.detach().numpy()
        others = len(self.choices.parts) - len(bias)
        rare = np.full(others, bias.min() - UNSEEN, np.float32)
        return self.whole.model(self.choices.parts, np.concatenate([bias, rare]))

    def rooms(self) -> Rooms:
        model = self.room.model(self.choices.rooms, self.often.detach().numpy())
        return Rooms(model, self.choices.tasks, self.choices.homes)
