"""What a turn is to the memory, in numpy as it was fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from memory import turns
from memory.bert import WIDTH
from memory.embedder import Reading
from memory.turns import LONGEST, SCOPES, Tokens, TurnReader, scores


class Reads:
    """An embedder: a token a word, with states that depend on the word alone."""

    def read(self, texts: Sequence[str]) -> Iterator[Reading]:
        for text in texts:
            words = ["", *text.split(), ""]
            rows = [np.random.default_rng(sum(map(ord, word))).normal(size=WIDTH) for word in words]
            yield Reading(np.array(rows, np.float32), np.array(rows, np.float32))


def tokens(*texts: str) -> list[Tokens]:
    return list(map(Tokens, Reads().read(texts)))


def test_what_others_push_out_meanwhile_is_still_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_KEPT", 3)
    reading, others_read = Event(), Event()

    class Slow(Reads):
        def read(self, texts: Sequence[str]) -> Iterator[Reading]:
            if "slow" in texts:
                reading.set()
                assert others_read.wait(20)
            return super().read(texts)

    reader = TurnReader(Slow())  # type: ignore[arg-type]
    old, *_ = reader._tokens(["old", "b", "c"])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(reader._tokens, ["old", "slow"])
        assert reading.wait(20)
        reader._tokens(["another user's"])
        others_read.set()
        found = slow.result(20)
    assert found[0] is old
    assert np.allclose(found[1].states, tokens("slow")[0].states)


def test_what_is_told_is_weighed_by_its_own_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = {f"{head}{seed}.in.weight": np.zeros(1, np.float32) for head in ("scope", "tells") for seed in (0, 1)}
    reader, read = TurnReader(Reads()), list[str]()  # type: ignore[arg-type]
    reader._weights = heads

    def counted(texts: Sequence[str]) -> list[Tokens]:
        read.extend(texts)
        return tokens(*texts)

    monkeypatch.setattr(reader, "_tokens", counted)
    of_nets = iter([np.log([0.2, 0.8]), np.log([0.4, 0.6])])
    monkeypatch.setattr(turns, "scores", lambda *_: next(of_nets))
    assert reader.tells("my sister lives in Cork") == pytest.approx(1 / (1 + np.sqrt(0.2 * 0.4 / 0.8 / 0.6)))
    assert list(of_nets) == [], "each seed was asked"
    monkeypatch.setattr(turns, "scores", lambda *_: np.log([0.5, 0.5]))
    read.clear()
    reader.tells("w" * LONGEST + "my sister moved")
    assert read == ["w" * LONGEST, "my sister moved"], "what stands behind a long question is read as well"
    read.clear()
    reader.tells("What is 12*9? By the way, my sister moved.")
    assert read[1:] == ["What is 12*9?", "By the way, my sister moved."], "each sentence is, beside the whole"
    assert reader.tells("") == 0.0


def test_scopes_are_computed_as_they_were_fitted() -> None:
    torch = pytest.importorskip("torch")
    from minds.training.turns.train import TurnNet

    torch.manual_seed(1)
    scope = TurnNet(len(SCOPES)).eval()
    net = {name: w.numpy() for name, w in scope.state_dict().items()}
    some = tokens("what is it", "and how far is Rome from here then")
    with torch.no_grad():
        expected = torch.log_softmax(scope(some), 1).numpy()
    assert np.allclose([scores(net, one) for one in some], expected, atol=1e-3)
    assert expected.shape == (2, len(SCOPES))
