"""Which of many questions are read beside a new one; how far an answer carries, in numpy as it was fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest

from memory import sameness
from memory.embedder import Reading
from memory.pairs import Tokens
from memory.sameness import LONGEST, NEAREST, SCOPES, Sameness, equal, scores
from tests.memory.test_pairs import tokens


class Vectors:
    """An embedder: what begins alike is near."""

    def __init__(self) -> None:
        self.weights: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.array([[text.startswith("what"), len(text) % 7 / 100, 0.1] for text in texts], np.float32)
        unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


class Counting:
    """A comparison that keeps what it was given."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def odds(self, one: Tokens, others: Sequence[Tokens]) -> list[float]:
        self.read += [other.text for other in others]
        return [3.0] * len(others)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> tuple[Sameness, Counting]:
    compare, counted = Sameness(Vectors()), Counting()  # type: ignore[arg-type]
    compare._net = counted  # type: ignore[assignment]
    monkeypatch.setattr(compare, "_tokens", lambda texts: [tokens(text) for text in texts])
    return compare, counted


def test_only_the_nearest_are_read(counting: tuple[Sameness, Counting]) -> None:
    compare, counted = counting
    others = [f"what{'x' * n}" for n in range(9)] + ["something else", "what" * LONGEST]
    chances = compare.same("what now", others)
    assert len(counted.read) == NEAREST == sum(chance > 0.9 for chance in chances)
    assert chances[-2:] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("What is the time", "what  is the time?", True),
        ("WHO WROTE EMMA?", "who wrote Emma", True),
        ("who wrote emma", "Who wrote Emma?", True),
        ("5 MB in KB", "5 Mb in KB", False),
        ("Reverse 'Hello'", "Reverse 'hello'", False),
        ("5!", "5", False),
    ],
)
def test_what_is_written_alike(one: str, other: str, alike: bool) -> None:
    assert equal(one, other) is alike is equal(other, one)


def test_the_same_words_need_no_reading(counting: tuple[Sameness, Counting]) -> None:
    compare, counted = counting
    assert compare.same("What now?", ["what else", "  what now"]) == [0.0, 1.0]
    assert compare.same(" ", ["what", ""]) == [0.0, 1.0]
    assert counted.read == []


def test_what_others_push_out_meanwhile_is_still_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sameness, "_KEPT", 3)
    reading, others_read = Event(), Event()

    class Reads(Vectors):
        def read(self, texts: Sequence[str], beneath: int) -> Iterator[Reading]:
            if "slow" in texts:
                reading.set()
                assert others_read.wait(20)
            states = np.ones((3, 4), np.float32)
            return (Reading(np.arange(3), [(0, 0), (0, 1), (0, 0)], states, states, states) for _ in texts)

    compare = Sameness(Reads())  # type: ignore[arg-type]
    compare._tokens(["old", "b", "c"])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(compare._tokens, ["old", "slow"])
        assert reading.wait(20)
        compare._tokens(["another user's"])
        others_read.set()
        assert [each.text for each in slow.result(20)] == ["old", "slow"]


def test_what_is_told_is_weighed_by_its_own_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = {f"{head}{seed}.in.weight": np.zeros(1, np.float32) for head in ("scope", "tells") for seed in (0, 1)}
    compare = Sameness(Vectors())  # type: ignore[arg-type]
    compare._weights = heads
    monkeypatch.setattr(compare, "_tokens", lambda texts: [tokens(text) for text in texts])
    of_nets = iter([np.log([0.2, 0.8]), np.log([0.4, 0.6])])
    monkeypatch.setattr(sameness, "scores", lambda net, _: next(of_nets))
    assert compare.tells("my sister lives in Cork") == pytest.approx(1 / (1 + np.sqrt(0.2 * 0.4 / 0.8 / 0.6)))
    assert list(of_nets) == [], "each seed was asked"
    heard: list[str] = []

    def hearing(_: object, of: Tokens) -> np.ndarray:
        heard.append(of.text)
        return np.log([0.5, 0.5])

    monkeypatch.setattr(sameness, "scores", hearing)
    compare.tells("w" * LONGEST + "my sister moved")
    assert heard[::2] == ["w" * LONGEST, "my sister moved"], "what stands behind a long question is read as well"
    heard.clear()
    compare.tells("What is 12*9? By the way, my sister moved.")
    assert heard[2::2] == ["What is 12*9?", "By the way, my sister moved."], "each sentence is, beside the whole"
    monkeypatch.setattr(compare, "_tokens", lambda _: [tokens("")])
    assert compare.tells("") == 0.0


def test_scopes_are_computed_as_they_were_fitted() -> None:
    torch = pytest.importorskip("torch")
    from minds.training.sameness.net import TurnNet

    torch.manual_seed(1)
    scope = TurnNet(len(SCOPES)).eval()
    net = {name: w.numpy() for name, w in scope.state_dict().items()}
    some = [tokens("what is it"), tokens("and how far is Rome from here then")]
    with torch.no_grad():
        expected = torch.log_softmax(scope(some), 1).numpy()
    assert np.allclose([scores(net, one) for one in some], expected, atol=1e-3)
    assert expected.shape == (2, len(sameness.SCOPES)) == (2, len(SCOPES))
