"""What is read without learning (figures, names, the order of words), and that numpy computes what was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from memory.bert import LAYERS, WIDTH
from memory.embedder import Reading
from memory.pairs import BENEATH, MARKS, Together, Tokens, beside, figures, rearranged

NO_FIGURE, NO_NAME = 5, 7
EQUAL_FIGURES, TURNED_FIGURES, TURNED, REPLACED = 6, 7, 8, 9


def tokens(text: str) -> Tokens:
    """A token a word, with states that depend on the word alone; no real vocabulary."""
    spans, at = [(0, 0)], 0
    for word in text.split():
        spans.append((at, at + len(word)))
        at += len(word) + 1
    ids = np.array([101, *(1000 + sum(map(ord, word.strip("?").lower())) % 9000 for word in text.split()), 102])
    rows = np.stack([np.random.default_rng(int(id_)).normal(size=WIDTH) for id_ in ids]).astype(np.float32)
    return Tokens(text, Reading(ids, [*spans, (0, 0)], rows, rows, rows))


def lost(one: str, other: str, which: int) -> list[str]:
    """The words of `one` that have this mark beside `other`."""
    marks, _, _ = beside(tokens(one), tokens(other))
    return [word for word, mark in zip(one.split(), marks[1:-1, which], strict=True) if mark]


def shared(one: str, other: str) -> list[float]:
    return list(map(float, beside(tokens(one), tokens(other))[2]))


def test_figures_are_compared_by_value() -> None:
    assert figures("12,000 and 3.50") == figures("12000, 3,5") == ["12000", "3.5"]
    assert lost("what is 387 times 46", "46 times 388?", NO_FIGURE) == ["387"]
    assert lost("1,200 metres in km", "1200 m in km", NO_FIGURE) == []


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("Where does my sister Ingrid live?", "Where does my sister Jane live?", ["Ingrid"]),
        ("What is error E12?", "What is error E13?", ["E12?"]),
        ("How far is it from Paris to Rome?", "rome to paris, how far", []),
        ("WHAT IS THE TIME", "when", []),
    ],
)
def test_names_that_only_one_has_are_marked(one: str, other: str, name: list[str]) -> None:
    assert lost(one, other, NO_NAME) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("40 minus 12", "12 minus 40"),
        ("did the cat chase the dog", "did the dog chase the cat"),
        ("Can tenants sublet", "must tenants sublet"),
    ],
)
def test_other_orders_are_other_questions(one: str, other: str) -> None:
    assert rearranged(tokens(one), tokens(other)) and rearranged(tokens(other), tokens(one))
    assert not rearranged(tokens(one), tokens(f"{one} then"))
    assert rearranged(tokens("5 MB"), tokens("5 Mb"))


def test_what_both_share_as_wholes() -> None:
    assert shared("40 minus 12", "what is 40 minus 12?")[EQUAL_FIGURES]
    assert shared("40 minus 12", "12 minus 40")[TURNED_FIGURES]
    assert shared("did the cat chase the dog", "did the dog chase the cat")[TURNED]
    assert shared("Can tenants sublet", "must tenants sublet")[REPLACED]
    assert not shared("tenants sublet", "must tenants sublet")[REPLACED]


def layers(seed: int) -> dict[str, np.ndarray]:
    """MiniLM's upper layers in small numbers of chance."""
    rng, found = np.random.default_rng(seed), {}
    sizes = {
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (1536, WIDTH),
        "output.dense": (WIDTH, 1536),
    }
    sizes |= {f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
    for number in range(BENEATH, LAYERS):
        at = f"encoder.layer.{number}."
        for name, size in sizes.items():
            found[f"{at}{name}.weight"] = rng.normal(0, 0.05, size).astype(np.float32)
            found[f"{at}{name}.bias"] = rng.normal(0, 0.1, size[0]).astype(np.float32)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{at}{name}.weight"], found[f"{at}{name}.bias"] = (
                np.ones(WIDTH, np.float32),
                np.zeros(WIDTH, np.float32),
            )
    return found


def test_numpy_computes_what_torch_fitted_whichever_comes_first() -> None:
    torch = pytest.importorskip("torch")
    from minds.training.sameness.net import Batch, PairNet

    torch.manual_seed(1)
    net = PairNet(layers(1)).eval()
    for value in net.parameters():
        torch.nn.init.normal_(value, std=0.05)
    one, *others = map(tokens, ("how far is Rome from Paris", "Rome to Paris", "how far is it from 2 to 12 then", "x"))
    with torch.no_grad():
        wanted = net(Batch([(one, other) for other in others])).numpy()
    together = Together(layers(1), net.weights())
    assert net.marks.weight.shape == (WIDTH, MARKS)
    assert together.odds(one, others) == pytest.approx(wanted, abs=1e-3)
    assert [together.odds(other, [one])[0] for other in others] == pytest.approx(wanted, abs=1e-3)
    assert np.ptp(wanted) > 0.01
