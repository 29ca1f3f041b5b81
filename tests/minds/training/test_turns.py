"""What a fit of turns depends on."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from minds.training.turns import train


def test_texts_of_one_length_are_read_in_the_order_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set's order hangs on the seed of hashes, and with it how the sums of a batch are rounded."""
    heard: list[str] = []

    def read(texts: Sequence[str]) -> Sequence[str]:
        heard.extend(texts)
        return texts

    monkeypatch.setattr(train, "Tokens", str)
    reader = train.Reader()
    monkeypatch.setattr(reader, "embedder", SimpleNamespace(read=read))
    texts = [f"text {number}" for number in range(10, 40)]
    assert len(reader(["a longer one", *texts, texts[0]])) == len(texts) + 2
    assert heard == [*texts, "a longer one"]
