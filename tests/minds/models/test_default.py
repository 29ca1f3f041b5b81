"""Which weights `embedded` is, and that a moment's lack of memory changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from minds.models import ModelSettings, default, open_model
from minds.models.catalogue import Weights
from minds.models.default import LARGE, ROOM, SMALL, called, fetch_default
from minds.models.embedded import EmbeddedModel
from minds.models.language import Missing


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the machine has free; a test may change it."""
    bytes_free = [ROOM]
    monkeypatch.setattr(default, "free_memory", lambda: bytes_free[0])
    return bytes_free


class Shop:
    """Gives weights, but for those that are out."""

    def __init__(self, *out: Weights) -> None:
        self.out, self.asked, self.told = out, list[Weights](), list[str]()

    def get(self, weights: Weights, models_dir: Path) -> Path:
        self.asked.append(weights)
        if weights in self.out and not weights.path(models_dir).is_file():
            raise Missing(f"no {weights.name} today")
        return here(models_dir, weights)

    def fetch(self, models_dir: Path) -> Weights:
        return fetch_default(models_dir, self.get, self.told.append)


def here(models_dir: Path, weights: Weights) -> Path:
    path = weights.path(models_dir)
    path.touch()
    return path


def test_the_larger_where_there_is_room(free: list[int], tmp_path: Path) -> None:
    assert default.default(tmp_path) is LARGE and Shop().fetch(tmp_path) is LARGE
    assert called("embedded", tmp_path) == "embedded:1.5b"
    free[0] = 0
    assert default.default(tmp_path) is LARGE and Shop().fetch(tmp_path) is LARGE, "what is here stays"


def test_the_smaller_says_what_it_is(free: list[int], tmp_path: Path) -> None:
    free[0] = ROOM - 1
    assert Shop().fetch(tmp_path) is default.default(tmp_path) is SMALL
    assert called("embedded?strong=1", tmp_path).startswith("embedded:0.5b?strong=1 (the smaller one; embedded:1.5b")
    assert "4 GB of free memory" in called("embedded", tmp_path)
    free[0] = ROOM
    assert default.default(tmp_path) is SMALL and "models fetch embedded" in called("embedded", tmp_path)
    assert Shop().fetch(tmp_path) is LARGE
    assert called("embedded:0.5b", tmp_path) == "embedded:0.5b" and called("openai:embedded", tmp_path) == (
        "openai:embedded"
    )


def test_the_smaller_where_the_larger_cannot_be_had(free: list[int], tmp_path: Path) -> None:
    shop = Shop(LARGE)
    assert shop.fetch(tmp_path) is SMALL
    assert shop.asked == [LARGE, SMALL] and shop.told == ["no 1.5b today"]
    nothing = Shop(LARGE, SMALL)
    assert nothing.fetch(tmp_path) is SMALL, "what is here will do"
    SMALL.path(tmp_path).unlink()
    with pytest.raises(Missing, match=r"no 0\.5b"):
        nothing.fetch(tmp_path)


def test_a_container_may_have_less_than_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(default, "_CONTAINER", (limit, tmp_path / "none"))
    whole = default.free_memory()
    assert whole > 100_000_000
    limit.write_text("max\n")
    assert default.free_memory() > 100_000_000
    limit.write_text("1000\n")
    assert default.free_memory() == 1000


async def test_a_mind_opens_what_is_here(free: list[int], tmp_path: Path) -> None:
    here(tmp_path, SMALL)
    model = open_model("embedded", ModelSettings(models_dir=tmp_path))
    assert isinstance(model, EmbeddedModel) and model.server.weights.name == SMALL.file
    await model.close()
