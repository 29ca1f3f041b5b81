"""The curve's rows, and that each is trained once, played in a folder of its own and put into the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.bench import Ask, curve
from chat.bench.curve import FILE, HELD_OUT, Row, named, rows, run
from chat.bench.episodes.play import Outcome
from chat.bench.episodes.protocols import Case
from chat.faults import ChatFault
from chat.settings import read_settings
from minds.policies.swift.policy import WEIGHTS
from minds.training.swift import command as train_swift
from tools.worlds import simulator


class Paper:
    """Plays without an engine: types that end in `plant` are lost."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def outcomes(self, chosen: Sequence[Case]) -> Any:
        for case in chosen:
            self._seen.append(case.id)
            won = not case.type.endswith("plant")
            score = 100.0 if won else 0.0
            counts = {"final": score, "highest": score, "clamped": score, "stop_rule": score, "stopped_at": 1.0}
            row = {"id": case.id, "type": case.type, "goal": "", "steps": 1, "won": won, "ended": "won", "tries": 1}
            step = {"id": case.id, "step": 1, "action": "look", "said": "", "score": score, "confidence": 1.0}
            times = {"policy_ms": 1.0, "processor_ms": 1.0, "simulator_ms": 1.0, "tokens": 0, "won": won, "done": True}
            yield Outcome(case, row | counts | {"said": "", "tokens": 0, "seconds": 0.1}, (step | times,))


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return Ask(read_settings({"home": tmp_path / "home"}), limit=26, out=tmp_path / "out")


def test_types_held_out_are_thirteen_that_exist() -> None:
    known = {info.name for info in simulator("scienceworld").tasks()}
    assert len(HELD_OUT) == len(set(HELD_OUT) & known) == 13


def test_there_is_a_row_for_every_rule() -> None:
    from minds.policies.swift.play import Rules

    names = [row.name for row in rows()]
    assert [name for name in names if name.startswith("without ")] == [f"without {rule}" for rule in vars(Rules())]
    assert len(names) == len(set(names)) == len({row.folder for row in rows()})


def test_rows_can_be_named(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text("held out\n\n2 variations\n")
    assert [row.name for row in named(file)] == ["held out", "2 variations"]
    file.write_text("all of it\n")
    with pytest.raises(ChatFault, match="no row `all of it`"):
        named(file)


def test_each_row_is_trained_once_and_played_in_its_folder(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask.out is not None
    trainings: list[list[str]] = []
    seen: list[str] = []

    def train(arguments: list[str]) -> int:
        trainings.append(arguments)
        out = Path(arguments[arguments.index("--out") + 1])
        (out / FILE).write_bytes((WEIGHTS / FILE).read_bytes())
        return 0

    monkeypatch.setattr(train_swift, "main", train)
    monkeypatch.setattr(curve, "engine", lambda setup, jobs: Paper(seen))
    held = next(row for row in rows() if row.name == "held out")
    monkeypatch.setattr(curve, "rows", lambda: [held, Row("without guard", without=("guard",))])
    figures: Any = run(ask)["rows"]
    assert len(seen) == 52 and {name.split("/")[0] for name in seen[:26]} == set(HELD_OUT)
    assert figures["held out"]["final"] == pytest.approx(100 * 11 / 13, abs=0.01)
    assert trainings[0][:2] == ["--leave-out", "melt"]
    assert "| held out | 84.62 |" in (ask.out / "table.md").read_text()
    run(ask)
    assert len(seen) == 52 and len(trainings) == 1, "what is done is skipped"


def test_without_demonstrations_it_says_so(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUET_HOME", str(ask.out))
    monkeypatch.setattr(curve, "rows", lambda: [Row("1 variations", ("--most", "1"))])
    with pytest.raises(ChatFault, match="--collect"):
        run(ask)
    with pytest.raises(ChatFault, match="--out"):
        run(replace(ask, out=None))
