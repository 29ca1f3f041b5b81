"""The adapters' files for llama.cpp."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader
from safetensors.numpy import save_file

from minds.models import adapted


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an adapter of rank 2 for `small.gguf`, which lies there."""
    monkeypatch.setattr(adapted, "FOLDER", tmp_path)
    (tmp_path / "small.gguf").touch()
    ones = np.ones((2, 6), np.float16)
    save_file(
        {"blk.3.attn_q.weight.lora_a": ones, "blk.3.attn_q.weight.lora_b": ones.T.copy()},
        tmp_path / "small.adapter.safetensors",
    )
    return tmp_path


def test_it_is_written_once_beside_the_weights_with_its_rank_and_layers(trained: Path) -> None:
    path = adapted.adapters_of(trained / "small.gguf")[adapted.READS]
    assert path.parent == trained
    read = GGUFReader(path)
    assert {tensor.name: tuple(tensor.data.shape) for tensor in read.tensors} == {
        "blk.3.attn_q.weight.lora_a": (2, 6),
        "blk.3.attn_q.weight.lora_b": (6, 2),
    }
    assert read.fields["adapter.lora.alpha"].contents() == 4.0, "what is added counts twice"
    written = path.stat().st_mtime_ns
    assert adapted.adapters_of(trained / "small.gguf") == {adapted.READS: path}
    assert path.stat().st_mtime_ns == written


def test_one_that_was_trained_anew_is_another_file(trained: Path) -> None:
    before = adapted.adapters_of(trained / "small.gguf")[adapted.READS]
    save_file({"blk.0.attn_q.weight.lora_a": np.zeros((2, 6), np.float16)}, trained / "small.adapter.safetensors")
    assert adapted.adapters_of(trained / "small.gguf")[adapted.READS] != before
    assert before.is_file(), "another Duet's server may start again with it"
    assert not list(trained.glob("*.part"))


def test_each_kind_is_a_file_and_they_stand_in_one_order(trained: Path) -> None:
    (trained / "small.facts.safetensors").write_bytes((trained / "small.adapter.safetensors").read_bytes())
    assert [*adapted.adapters_of(trained / "small.gguf")] == [adapted.READS, adapted.NOTES]
    (trained / "small.adapter.safetensors").unlink()
    assert [*adapted.adapters_of(trained / "small.gguf")] == [adapted.NOTES]


def test_other_weights_have_none(trained: Path) -> None:
    assert adapted.adapters_of(trained / "other.gguf") == {}


def test_without_the_weights_nothing_is_written_or_told(trained: Path, caplog: pytest.LogCaptureFixture) -> None:
    (trained / "small.gguf").unlink()
    for folder in (trained, trained / "no such folder"):
        assert adapted.adapters_of(folder / "small.gguf") == {}
    assert not [*trained.glob("*.gguf")] and not caplog.records


def unwritable(*_: object) -> None:
    raise PermissionError


def test_where_no_file_can_be_written_there_is_none(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapted, "_write", unwritable)
    assert adapted.adapters_of(trained / "small.gguf") == {}
