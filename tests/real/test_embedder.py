"""The embedder on its real weights, and the learned comparison of questions on its vectors."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory.bert import WIDTH
from memory.embedder import Embedder, folder

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
TEXTS = ["What is 387 times 46?", "Wie spät ist es in Tokyo? 🙂 " * 60, "", "the cat sat on the mat", "x" * 9000]
REFERENCE = """
import sys, json
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu")
print("ROWS" + json.dumps(model.encode(json.loads(sys.argv[2]), normalize_embeddings=True).tolist()))
"""


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_equal_to_sentence_transformers(embedder: Embedder) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REFERENCE, str(folder()), json.dumps(TEXTS)],
        capture_output=True, text=True, check=True, env={"HF_HUB_OFFLINE": "1", "PATH": ""},
    )  # fmt: skip
    reference = np.array(json.loads(run.stdout.partition("ROWS")[2]))
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), WIDTH)
    assert rows.dtype == np.float32
    assert np.abs(rows - reference).max() < 1e-5


def test_rows_are_of_unit_length_and_do_not_depend_on_their_batch(embedder: Embedder) -> None:
    texts = [f"what is {n} times {n + 1}" + " and more" * (n % 5) for n in range(70)]
    together = Embedder().embed(texts)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.allclose(together[7], embedder.embed([texts[7]])[0], atol=1e-5)
    assert embedder.embed([]).shape == (0, WIDTH)


def test_paraphrases_are_near_and_others_far(embedder: Embedder) -> None:
    a, b, c = embedder.embed(["How tall is the Eiffel Tower?", "The height of the Eiffel tower?", "Boil an egg"])
    assert a @ b > 0.9
    assert a @ c < 0.2


def test_many_threads_and_any_text(embedder: Embedder) -> None:
    texts = ["a", "\ud800", "\0", "🙂" * 500, "word " * 100_000] * 4
    with ThreadPoolExecutor(16) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert all(np.allclose(rows[n], rows[n % 5], atol=1e-5) for n in range(len(texts)))


def test_what_is_kept_is_bounded() -> None:
    small = Embedder(kept=3)
    first = small.embed(["one", "two", "three", "four", "five"])
    assert len(small._cache) == 3
    assert np.allclose(first, small.embed(["one", "two", "three", "four", "five"]), atol=1e-5)
