"""`train adapter [--kind KIND] [--minutes M] [--further] [--out DIR]`: trains an adapter of embedded:1.5b.

KIND is `adapter`, which reads wishes, actions and pairs of questions, `facts`, which notes what a person tells,
`story`, which answers questions about a task, `past`, which answers from what the person told before, or `beyond`,
which hears what neither mind can do; these four change fewer matrices. LoRA (rank 8) on the upper layers, the weights
of the GGUF file beneath it in the type of numbers that this processor multiplies faster; the loss is of the answer
alone. It stops when its minutes are over, writes every four, and with `--further` goes on from what there is.
Some 150 to 190 tokens a second on two cores that multiply bfloat16 (4 GB), some 20 on two that do not (12 GB).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import cycle, islice, takewhile
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from memory.embedder import Embedder
from minds.models.adapted import BEYOND, FOLDER, KINDS, NOTES, READS, RECALLS, RECOUNTS
from minds.models.catalogue import entry
from minds.models.default import free_memory
from minds.policies.wishes import Wishes
from minds.training import Unready
from minds.training.adapter.data import Example, beyond, examples, of_lives, recounted, told
from minds.training.processes import descend, write
from prompts import render

MODEL = "1.5b"
RANK, LOWEST = 8, 12
"""Of the adapter; the first layer that it changes, of 28."""
RATE, WARM, LEAST = 4e-4, 12, 0.05
"""The step's size at most, steps until then, and the share of it that is left at the end (a cosine between)."""
TOKENS, WINDOW, SAVE = 1100, 160, 240.0
"""Of a step; examples that are sorted by length together; seconds between two writings."""
DECIDES = 3.0
"""What a token weighs that decides, beside one of the wording."""
WIDE = 13_000_000_000
"""Bytes of free memory from which the weights may stand in float32."""
SEES = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v"}
GIVES = {"o_proj": "attn_output", "down_proj": "ffn_down"}
FEEDS = {"gate_proj": "ffn_gate", "up_proj": "ffn_up"}
CHANGED = {READS: SEES | GIVES | FEEDS, NOTES: GIVES, RECOUNTS: SEES | GIVES, RECALLS: SEES | GIVES, BEYOND: GIVES}
"""The matrices that each kind changes: transformers' names and llama.cpp's."""


def main(arguments: Sequence[str]) -> None:
    """Raises Unready."""
    ask = argparse.ArgumentParser(prog="main.py train adapter", description=__doc__)
    ask.add_argument("--kind", choices=KINDS, default=READS)
    ask.add_argument("--minutes", type=float, default=90.0)
    ask.add_argument("--further", action="store_true", help="go on from the adapter there is")
    ask.add_argument("--after", type=int, default=0, help="steps of earlier trainings, whose examples come last")
    ask.add_argument("--models", type=Path, required=True, help="folder of model weights")
    ask.add_argument("--out", type=Path, default=FOLDER)
    given = ask.parse_args(arguments)
    weights = entry(MODEL).path(given.models)
    if not weights.is_file():
        raise Unready(f"No weights {weights}: name their folder with --models, or run `main.py models fetch {MODEL}`.")
    path = given.out / f"{weights.stem}.{given.kind}.safetensors"
    if given.further and not path.is_file():
        raise Unready(f"No adapter {path} to go on from: put a copy there, or leave out --further.")
    training = _Training(weights, _rows(given.kind), path, CHANGED[given.kind])
    if given.further:
        training.take_up()
    print(json.dumps(training.run(given.minutes, given.after)))


def _rows(kind: str) -> Sequence[Example]:
    if kind == READS:
        embedder = Embedder()
        return examples(Wishes.load(embedder.changed), embedder.embed)
    return {NOTES: told, RECOUNTS: recounted, RECALLS: of_lives, BEYOND: beyond}[kind]()


class _Training:
    """One model with the adapter's layers beside its own."""

    def __init__(self, weights: Path, examples: Sequence[Example], path: Path, names: Mapping[str, str]) -> None:
        from transformers import AutoTokenizer

        self._path = path
        self._tokenizer: Any = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
        together = defaultdict[str, list[Example]](list)
        for number, example in enumerate(examples):
            together[example.shared or str(number)].append(example)
        self._rows = [self._encoded(some) for some in together.values()]
        self._model, self._low = _with_adapter(weights, names)

    def take_up(self) -> None:
        for name, tensor in load_file(self._path).items():
            self._low[name].data = tensor.float()

    def save(self) -> None:
        write(self._path, {name: tensor.detach().half().numpy() for name, tensor in self._low.items()})

    def run(self, minutes: float, after: int = 0) -> dict[str, float]:
        """Figures of the training, which begins behind the examples of so many steps."""
        began = self._saved = time.monotonic()
        batches = self._batches()

        def share() -> float:
            return (time.monotonic() - began) / (60 * minutes)

        def pace(done: int) -> float:
            return min(1, (done + 1) / WARM) * max(LEAST, (1 + math.cos(math.pi * share())) / 2)

        best = torch.optim.AdamW(self._low.values(), lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
        paced = torch.optim.lr_scheduler.LambdaLR(best, pace)
        drawn = takewhile(lambda _: share() < 1, islice(cycle(batches), after, None))
        steps, loss = descend(best, drawn, self._loss, paced, clipped=True, behind=self._kept)
        self.save()
        seen = sum(map(self._examples, islice(cycle(batches), after, after + steps)))
        there = self._examples(range(len(self._rows)))
        return {"minutes": minutes, "steps": steps, "examples": seen, "of": there, "loss": round(loss, 3)}

    def _kept(self) -> None:
        if time.monotonic() - self._saved > SAVE:
            self._saved = time.monotonic()
            self.save()

    def _examples(self, batch: Iterable[int]) -> int:
        return sum(len(self._rows[number].branches) for number in batch)

    def _loss(self, batch: Sequence[int]) -> torch.Tensor:
        """Of the answers' tokens, summed, an example. What fills a row up stands behind it, where nothing sees it."""
        rows = [self._rows[number] for number in batch]
        longest = max(row.length for row in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        at, wanted, weighs = list[int](), list[int](), list[float]()
        for number, row in enumerate(rows):
            ids[number, : row.length] = torch.tensor(row.ids)
            at += [number * longest + place - 1 for place in row.answered]
            wanted += [row.ids[place] for place in row.answered]
            weighs += [DECIDES if place in row.decides else 1.0 for place in row.answered]
        apart = rows[0].apart(self._model.dtype) if len(rows[0].branches) > 1 else {}
        states = self._model.model(ids, use_cache=False, **apart).last_hidden_state.flatten(0, 1)[at]
        scores = self._model.lm_head(states).float()
        losses = torch.nn.functional.cross_entropy(scores, torch.tensor(wanted), reduction="none")
        return losses @ torch.tensor(weighs) / self._examples(batch)

    def _batches(self) -> list[list[int]]:
        """Of rows of like length, TOKENS with what fills them up; one of several examples stands alone."""
        found = list[list[int]]()
        sizes = [row.length if len(row.branches) == 1 else TOKENS for row in self._rows]
        for start in range(0, len(sizes), WINDOW):
            window = sorted(range(start, min(start + WINDOW, len(sizes))), key=lambda number: sizes[number])
            here: list[list[int]] = [[]]
            for number in window:
                if here[-1] and (len(here[-1]) + 1) * sizes[number] > TOKENS:
                    here.append([])
                here[-1].append(number)
            random.Random(start).shuffle(here)
            found += here
        return found

    def _encoded(self, together: Sequence[Example]) -> Row:
        """Questions that begin alike and their answers as the model's chat template has them."""
        texts = [self._exchanges(render(example.head), example) for example in together]
        shared = together[0].shared
        begun = texts[0][0].index(shared) + len(shared) if shared else 0
        branches = [[self._ids(text) for text in (first[begun:], *others)] for first, *others in texts]
        return Row(self._ids(texts[0][0][:begun]), branches, [len(self._ids(one.decided)) for one in together])

    def _exchanges(self, head: str, example: Example) -> list[str]:
        """What is asked and what is answered, by turns."""
        found, said, whole = list[str](), [{"role": "system", "content": head}], ""
        for asked, answer in ((example.asked, example.answer), *filter(None, (example.further,))):
            said.append({"role": "user", "content": asked})
            text = self._tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
            found += [text[len(whole) :], f"{answer}{self._tokenizer.eos_token}"]
            whole = f"{text}{found[-1]}"
            said.append({"role": "assistant", "content": answer})
        return found

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False).input_ids
        return found


class Row:
    """What several questions share, and behind it each with its answer, as tokens: none sees another.

    branches: of each what is asked and what is answered, by turns; decided: how many tokens of its first answer decide.
    """

    def __init__(self, shared: list[int], branches: Sequence[Sequence[list[int]]], decided: Sequence[int] = ()) -> None:
        self.branches = branches
        self.ids, self.answered, self.decides = list(shared), list[int](), set[int]()
        self._branch, self._places = [-1] * len(shared), list(range(len(shared)))
        for number, parts in enumerate(branches):
            begun = len(self.ids)
            answer = begun + len(parts[0])
            self.decides |= {*range(answer, answer + (decided[number] if decided else 0))}
            for turn, part in enumerate(parts):
                self.answered += range(len(self.ids), len(self.ids) + len(part)) if turn % 2 else ()
                self.ids += part
            self._branch += [number] * (len(self.ids) - begun)
            self._places += range(len(shared), len(shared) + len(self.ids) - begun)
        self.length = len(self.ids)

    def apart(self, dtype: torch.dtype) -> dict[str, torch.Tensor]:
        """For a model in such numbers: where each token stands in its own text, and what it sees."""
        branch = torch.tensor(self._branch)
        seen = (branch[None] == branch[:, None]) | (branch[None] == -1)
        seen &= torch.ones(self.length, self.length, dtype=torch.bool).tril()
        mask = torch.zeros(self.length, self.length, dtype=dtype).masked_fill(~seen, -torch.inf)
        return {"attention_mask": mask[None, None], "position_ids": torch.tensor([self._places])}


def _with_adapter(weights: Path, names: Mapping[str, str]) -> tuple[Any, dict[str, Any]]:
    """The model, and the adapter's layers by llama.cpp's names of them."""
    from transformers import AutoModelForCausalLM, GgufConfig

    dense = GgufConfig(gguf_file=weights.name, dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        weights.parent, gguf_file=weights.name, dtype=_quickest(), quantization_config=dense
    )
    model.requires_grad_(False)
    low = dict[str, Any]()
    for number, layer in enumerate(model.model.layers[LOWEST:], LOWEST):
        for name, theirs in names.items():
            linear = getattr(layer.self_attn, name, None) or getattr(layer.mlp, name)
            down = torch.nn.Parameter(torch.randn(RANK, linear.in_features) / math.sqrt(linear.in_features))
            up = torch.nn.Parameter(torch.zeros(linear.out_features, RANK))
            linear.register_forward_hook(partial(_added, down, up))
            low |= {f"blk.{number}.{theirs}.weight.lora_a": down, f"blk.{number}.{theirs}.weight.lora_b": up}
    return model, low


def _quickest() -> torch.dtype:
    """The numbers in which a matrix of the model's size is multiplied faster, where there is memory for them: a
    processor without bfloat16 takes seven times as long for it."""

    def seconds(dtype: torch.dtype) -> float:
        some, weights = torch.zeros(256, 1536, dtype=dtype), torch.zeros(8960, 1536, dtype=dtype)
        torch.nn.functional.linear(some, weights)
        began = time.monotonic()
        torch.nn.functional.linear(some, weights)
        return time.monotonic() - began

    roomy = free_memory() > WIDE
    return min((torch.bfloat16, torch.float32) if roomy else (torch.bfloat16,), key=seconds)


def _added(down: torch.Tensor, up: torch.Tensor, _: object, given: tuple[torch.Tensor], out: torch.Tensor) -> object:
    """What a linear layer gives with the adapter's; twice, as the file for llama.cpp says."""
    states = given[0]
    return out + 2 * (states @ down.T.to(states.dtype)) @ up.T.to(states.dtype)
