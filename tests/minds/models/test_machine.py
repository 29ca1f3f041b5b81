"""What this machine can carry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minds.models import default, machine
from minds.models.catalogue import entry
from minds.models.server import cores


def test_the_probe_is_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[float] = []

    def read(seconds: float) -> float:
        rounds.append(seconds)
        return 10e9 + len(rounds)

    monkeypatch.setattr(machine, "_read_for", read)
    assert machine.kept(tmp_path) == 0.0
    assert machine.probed(tmp_path) == machine.probed(tmp_path) == machine.kept(tmp_path) == 10e9 + 3
    assert rounds == [1.0, 1.0, 1.0], "three seconds, the quickest counts"
    noted = json.loads((tmp_path / "speed.json").read_text())
    (tmp_path / "speed.json").write_text(json.dumps(noted | {"cores": 999}))
    assert machine.kept(tmp_path) == 0.0, "another machine"
    assert machine.probed(tmp_path / "nowhere") > 10e9, "where it cannot be kept it is measured again"


def test_what_an_earlier_probe_read_out_of_the_caches_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "speed.json").write_text(json.dumps({"bytes_per_second": 73e9, "cores": cores()}))
    assert machine.kept(tmp_path) == 0.0


@pytest.mark.slow
def test_it_really_reads_memory() -> None:
    assert 1e8 < machine._read_for(0.05) < 1e13


def test_the_larger_the_slower() -> None:
    small, large = machine.expected(entry("0.5b"), 25e9), machine.expected(entry("4b"), 25e9)
    assert 8 < large < 10 and 25 < small < 30


def test_what_is_promised_is_what_was_measured_on_two_cores() -> None:
    assert 30 < machine.expected(entry("0.5b"), 40e9) < 36, "31 to 34 measured"
    assert 20 < machine.expected(entry("1.5b"), 40e9) < 24, "21.6 measured"


def test_nothing_is_promised_where_the_speed_is_not_known() -> None:
    assert machine.expected(entry("4b"), 0.0) == 0.0


def test_memory_of_models_that_would_make_way_counts_as_free(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setattr(machine, "free_memory", lambda: 1000)
    assert machine.room() == 1000
    monkeypatch.setattr(machine, "server_pids", lambda: [os.getpid(), 2**22 + 1])
    assert machine.room() > 1000 + 1_000_000
    assert default.free_memory() > 0
