"""Swift's confidence: what counts as right, that the fit makes it honest, and where its episodes come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minds.policies.swift.confidence import NAME, PLAIN, Confidence
from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.play import CRITICAL, Play, Proposal
from minds.policies.swift.policy import SwiftPolicy
from minds.policies.swift.wording import ROOMS, Act
from minds.training import Unready
from minds.training.calibrate import calibration_error
from minds.training.swift import calibrate as train_confidence
from minds.training.swift.calibrate import Choices, fit, judge, trusted
from minds.training.swift.collect import solutions
from minds.training.swift.demonstrations import told_again
from tools.worlds.world import Observation, TaskInfo, WorldFault, WorldSpec

SHED = "This room is called the shed. In it, you see: \n\ta red box\n\ta green box\n"
EMPTY = "In your inventory, you see:\n\tnothing\n"
FOCUS = [Act(CRITICAL, (i,)) for i in range(2)]
OPEN = [Act("open {}", (i,)) for i in range(2)]


class Wishing(Play):
    """Proposes what the test wishes, the same at every step."""

    wishes: tuple[tuple[Act, float], ...] = ()

    def propose(self) -> list[Proposal]:
        return [Proposal(act, chance) for act, chance in self.wishes]


def wishing(*wishes: tuple[Act, float]) -> Wishing:
    play = Wishing(Network({}, 4, 1, Lexicon({}, (), ("shed", "yard"))), "focus on a box")
    play.wishes = wishes
    return play


def solution(*acts: Act) -> dict[str, Any]:
    names = ("red box", "green box")
    rows = [
        {"look": SHED, "inv": EMPTY, "act": [act.pattern, list(act.args), act.room], "learn": True}
        | {"text": act.pattern.format(*(names[i] for i in act.args)), "said": "You do it.", "score": 0.0}
        for act in acts
    ]
    return {"task": "t", "variation": 0, "goal": "focus on a box", "rows": rows}


def test_an_act_is_right_where_the_solution_does_it_soon() -> None:
    late = judge(wishing((OPEN[1], 0.9)), solution(*[OPEN[0]] * 6, OPEN[1]))
    assert late[:, 3].tolist() == [0, 0, *[1] * 5] and not late[:, 2].any()


def test_a_critical_act_is_right_only_where_it_is_the_solutions_next_one() -> None:
    first = judge(wishing((FOCUS[0], 0.9)), solution(OPEN[0], FOCUS[0], OPEN[1], FOCUS[1]))
    assert first[:, 3].tolist() == [1, 1, 0, 0] and first[:, 2].all()
    assert judge(wishing((FOCUS[0], 0.9)), solution(OPEN[0], OPEN[1]))[:, 3].tolist() == [0, 0]


def boasting(count: int = 600, critical: float = 0.3) -> Choices:
    """Says 90% to 99% and is right in 70% (critical acts) or 90% of the cases."""
    dice = np.random.default_rng(0)
    said, ends = dice.uniform(2.2, 4.6, count), dice.random(count) < critical
    return np.column_stack([said, said, ends, dice.random(count) < np.where(ends, 0.7, 0.9)])


def test_the_fit_makes_it_honest_on_what_it_was_not_fitted_to() -> None:
    whole = boasting(3000)
    half, rest = whole[::2], whole[1::2]
    before, after = trusted(Confidence(), rest), trusted(fit(half), rest)
    assert calibration_error(before, rest[:, 3]) > 0.08
    assert calibration_error(after, rest[:, 3]) < 0.05
    critical = rest[:, 2] > 0
    assert after[critical].mean() == pytest.approx(0.7, abs=0.08) and after[~critical].mean() > 0.85


def test_what_has_no_examples_stays_as_the_network_says() -> None:
    only = boasting(critical=0.0)
    best = Proposal(FOCUS[0], 0.62)
    assert fit(only).of(best, [best]) == pytest.approx(0.62)
    assert fit(only).of(Proposal(OPEN[0], 0.98), [Proposal(OPEN[0], 0.98)]) < 0.95


def test_the_kind_of_act_counts_too(tmp_path: Path) -> None:
    rooms = [Proposal(Act(ROOMS, (), name), 0.2) for name in ("yard", "attic", "cellar")]
    kept = json.dumps({"critical": PLAIN, "other": (0.0, 1.0, 0.0)})
    (tmp_path / NAME.format(world="w")).write_text(kept, encoding="utf-8")
    assert Confidence.load("w", tmp_path).of(rooms[0], rooms) == pytest.approx(0.6)
    assert Confidence.load("nowhere", tmp_path).of(rooms[0], rooms) == pytest.approx(0.2)


def test_the_error_counts_every_choice_once() -> None:
    said, right = np.array([0.05, 0.95, 0.91, 1.0]), np.array([False, True, True, False])
    assert calibration_error(said, right) == pytest.approx((0.05 + 0.86) / 4)
    assert calibration_error(np.array([0.5, 0.5]), np.array([True, False])) == 0.0


def test_in_play_it_is_said_with_the_action() -> None:
    play = wishing((OPEN[0], 0.9))
    play.trust = Confidence(other=(0.0, 0.0, 0.0)).of
    assert play.act(SHED, EMPTY) == ("open red box", 0.5)


class Sheds:
    """A simulator with one task; a variation's solution is to focus on the box of its number."""

    name = "sheds"

    def __init__(self) -> None:
        self.opened: list[WorldSpec] = []

    def tasks(self) -> tuple[TaskInfo, ...]:
        return (TaskInfo("t", "focus on a box", 9),)

    def variations(self, task: str, split: str) -> list[WorldSpec]:
        assert split == "dev"
        return [WorldSpec("sheds", task, n) for n in (0, 1, 2)]

    def open(self, spec: WorldSpec) -> Any:
        self.opened.append(spec)
        return Solved(spec)


class Solved:
    """Its third variation has no solution."""

    def __init__(self, spec: WorldSpec) -> None:
        self.spec, self.goal = spec, "focus on a box"

    def reset(self) -> None: ...

    def gold(self) -> tuple[str, ...]:
        if self.spec.variation == 2:
            raise WorldFault("It knows no solution.")
        return ("open red box", f"focus on {('red', 'green')[self.spec.variation]} box")

    def step(self, action: str) -> Observation:
        done = action.startswith("focus")
        return Observation("You do it.", score=100.0 if done else 0.0, done=done)

    def look(self) -> str:
        return SHED

    def inventory(self) -> str:
        return EMPTY

    def close(self) -> None: ...


def test_dev_episodes_are_kept_and_weights_and_card_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Policy:
        def start(self, goal: str) -> Play:
            return wishing((FOCUS[0], 0.9))

    monkeypatch.setattr(SwiftPolicy, "load", lambda *_: Policy())
    worlds: Any = Sheds()
    for _ in range(2):
        train_confidence.run(worlds, tmp_path / "dev.jsonl", tmp_path, 3)
    assert [spec.variation for spec in worlds.opened] == [0, 1, 2, 2] and worlds.opened[0].options == ("easy",)
    assert "t 2: It knows no solution." in capsys.readouterr().out
    assert (tmp_path / "swift_sheds_confidence.json").exists()
    assert '- critical: {"choices": 4, ' in (tmp_path / train_confidence.CARD.format(world="sheds")).read_text(
        encoding="utf-8"
    )
    names = [("t", n, 0) for n in range(2)]
    kept = solutions(worlds, tmp_path / "dev.jsonl", names)
    assert [told_again(row)["variation"] for row in kept.values()] == [0, 1]
    with pytest.raises(Unready, match="higher number"):
        train_confidence.run(worlds, tmp_path / "dev.jsonl", tmp_path, 1)
