"""The invoke gate: what it hears, what it decides, how it is fitted, and that the shipped weights fit the code."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minds.dialogue import Dialogue, Turn
from minds.gate import WEIGHTS, Gate, GateFault, likeness
from minds.policies.spelling import respell
from minds.policies.turn_features import features, heard, last_clause, names, texts_to_embed
from minds.training.calibrate import MISSED, calibration_error, choose_threshold, platt
from minds.training.gate import train as training
from minds.training.gate.figures import auc, figures
from minds.training.gate.turns import DATA, Labelled, Seen, look, read_turns

EMPTY = Dialogue("s", "ada")


def said(*texts: str) -> Dialogue:
    """A dialogue in which person and assistant take turns."""
    return Dialogue("s", "ada", tuple(Turn(("user", "fast")[i % 2], text) for i, text in enumerate(texts)))


def feature(name: str, text: str, dialogue: Dialogue = EMPTY) -> float:
    return float(features(text, dialogue)[names().index(name)])


def hashed(texts: Sequence[str]) -> np.ndarray:
    """Bags of words as unit rows of 384: enough to tell wishes apart, no model needed."""
    rows = np.zeros((len(texts), 384), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 384] += 1
        row /= max(float(np.linalg.norm(row)), 1.0)
    return rows


@pytest.fixture(scope="module")
def turns() -> list[Labelled]:
    """Every fourth turn of the fit half: all styles, both answers."""
    return read_turns(training.FIT)[::4]


@pytest.fixture(scope="module")
def seen(turns: list[Labelled]) -> Seen:
    return look(turns, hashed)


@pytest.fixture(scope="module")
def fitted(seen: Seen) -> training.Fitted:
    return training.fit_head(seen, say=lambda _: None)


@pytest.fixture(scope="module")
def gate(fitted: training.Fitted) -> Gate:
    return Gate(fitted.head)


def decide(gate: Gate, text: str, dialogue: Dialogue = EMPTY) -> tuple[bool, float]:
    decision = gate.decide(text, dialogue, hashed(gate.texts_to_embed(text, dialogue)))
    return decision.invoke, decision.p


# the labelled turns


def test_the_fit_half_is_large_balanced_and_has_histories() -> None:
    every = read_turns(training.FIT)
    assert len(every) >= 600
    assert 0.4 < np.mean([turn.invoke for turn in every]) < 0.6
    assert sum(bool(turn.dialogue.turns) for turn in every) > 300
    assert len({turn.id for turn in every}) == len(every)
    assert len({(turn.dialogue.turns, turn.text) for turn in every}) == len(every)


def test_a_history_ends_with_the_assistant() -> None:
    past = [turn.dialogue.turns for turn in read_turns(training.FIT) if turn.dialogue.turns]
    assert {turns[-1].speaker for turns in past} == {"fast"}
    assert {turn.speaker for turns in past for turn in turns} == {"user", "fast"}


def test_fit_and_test_half_share_no_style_and_no_turn() -> None:
    fit, test = read_turns(training.FIT), read_turns(DATA / "gate_test.jsonl")
    assert not {turn.style for turn in fit} & {turn.style for turn in test}
    assert not {(t.text, t.dialogue.turns) for t in fit} & {(t.text, t.dialogue.turns) for t in test}


# features


def test_features_have_names_and_bounds() -> None:
    row = features("What is 12% of 80,000 and 3 km in miles? " * 50, said("a?", "12 km (file.pdf, page 3)"))
    assert row.shape == (len(names()),) and row.dtype == np.float32
    assert np.isfinite(row).all() and np.abs(row).max() <= 10


@pytest.mark.parametrize(
    "text", ["", " ", "\x00\x07", "ünïcödé 😀", "<script>alert(1)</script>", "a" * 100_000, "9" * 5000]
)
def test_any_text_can_be_seen(text: str) -> None:
    assert np.isfinite(features(text, said(text, text))).all()
    assert all(part.strip() or part == " " for part in texts_to_embed(text, said(text, text)))
    assert max(len(part) for part in texts_to_embed(text, EMPTY)) < 2000


def test_style_and_id_are_not_seen() -> None:
    here, there = (
        replace(said("hi", "Hello!"), session="plain-001"),
        replace(said("hi", "Hello!"), session="x", user="y"),
    )
    assert (features("and 5 more?", here) == features("and 5 more?", there)).all()


def test_a_figure_without_a_wish_is_told_from_a_wish() -> None:
    assert feature("no_wish_digit", "I'm 34 and I love hiking.") == 1
    assert feature("no_wish_digit", "How much is 34 times 2?") == 0


def test_asking_what_was_said_needs_a_dialogue() -> None:
    past = said("My room is Aspen.", "Noted.")
    assert feature("what_was_said", "which room did I say?", past) == 1
    assert feature("what_was_said", "which room did I say?") == 0
    assert feature("what_was_said", "which room did I say last year?", past) == 0


def test_results_of_the_slow_mind_count_once() -> None:
    turns = (
        Turn("user", "7*6"),
        Turn("fast", "Let me see.", invoke=True),
        Turn("slow", "42"),
        Turn("fast", "It is 42."),
    )
    assert [turn.text for turn in heard(replace(EMPTY, turns=turns))] == ["7*6", "It is 42."]
    assert feature("numeric_reply", "and now?", replace(EMPTY, turns=turns)) == 1


def test_an_interim_reply_is_heard_while_it_is_the_last() -> None:
    turns = (Turn("user", "7*6"), Turn("fast", "Let me see.", invoke=True))
    assert [turn.text for turn in heard(replace(EMPTY, turns=turns))] == ["7*6", "Let me see."]


def test_the_last_clause_of_a_long_turn() -> None:
    long = "We drove all day and my wife was cross, you know her, so how many litres did we use for that?"
    assert last_clause(long) == "so how many litres did we use for that?"
    assert last_clause("how many litres?") == "how many litres?"


def test_short_forms_are_written_out_and_words_left_alone() -> None:
    assert respell("waht time r u here tmrw") == "what time are you here tomorrow"
    assert respell("The form has three pages, from there on") == "The form has three pages, from there on"


# heads


def test_likeness_falls_with_distance() -> None:
    a = np.array([[0.0, 0.0], [1.0, 0.0]], np.float32)
    assert likeness(a, a) == pytest.approx(np.array([[1, np.exp(-1)], [np.exp(-1), 1]]))


def test_a_head_learns_and_its_probability_is_calibrated() -> None:
    rows = np.array([[0.0], [0.1], [1.0], [1.1]], np.float32)
    head = training.ridge_head(rows, np.array([False, False, True, True]), np.ones(1, np.float32), 0.01)
    low, high = head.score(np.array([[0.05], [1.05]], np.float32))
    assert low < -0.5 < 0.5 < high
    steep = replace(head, slope=10.0)
    assert steep.probability(float(low)) < 0.05 and steep.probability(float(high)) > 0.95


def test_fitted_on_plain_words_it_separates_held_out_styles(fitted: training.Fitted) -> None:
    assert fitted.held_out.auc > 0.9
    assert fitted.held_out.missed <= MISSED + 0.01


def test_fitting_twice_gives_the_same_gate(seen: Seen, fitted: training.Fitted) -> None:
    again = training.fit_head(seen, say=lambda _: None)
    assert (again.head.weights == fitted.head.weights).all()
    assert again.head.threshold == fitted.head.threshold


def test_what_is_saved_decides_the_same(seen: Seen, fitted: training.Fitted, tmp_path: Path) -> None:
    path = tmp_path / "gate.safetensors"
    gate = Gate(training.fit_head(seen, say=lambda _: None).head)
    training.save(gate, training.table(seen), path)
    loaded = Gate.load(path)
    for text in ("what is 7 times 6?", "thanks a lot", "and in km?"):
        assert decide(loaded, text)[1] == pytest.approx(decide(gate, text)[1], abs=1e-4)


def test_the_threshold_puts_missed_invokes_first() -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
    labels = np.array([False, False, True, False, True, True])
    assert 0.2 < choose_threshold(p, labels, missed=0.0) < 0.3
    late = np.array([True, False, False, False, True, True])
    assert 0.4 < choose_threshold(p, late, missed=0.34) < 0.6
    assert choose_threshold(p, late, missed=0.0) == 0.0


def test_calibration_finds_slope_and_shift() -> None:
    chance = np.random.default_rng(3)
    scores = chance.normal(0, 2, 20_000)
    labels = chance.random(20_000) < 1 / (1 + np.exp(-(1.5 * scores - 0.5)))
    slope, shift = platt(scores.astype(np.float32)[:, None], labels)
    assert slope == pytest.approx(1.5, abs=0.1) and shift == pytest.approx(-0.5, abs=0.1)


def test_figures_by_hand() -> None:
    p, labels = np.array([0.9, 0.4, 0.6, 0.1]), np.array([True, True, False, False])
    measured = figures(p, p > 0.5, labels, np.array(["a", "a", "b", "b"]))
    assert (measured.accuracy, measured.missed, measured.needless, measured.auc) == (0.5, 0.5, 0.5, 0.75)
    assert measured.styles["a"] == (2, 0.5, 0.5, 0.0)
    assert measured.styles["b"] == (2, 0.5, 0.0, 0.5)


def test_auc_counts_ties_half() -> None:
    assert auc(np.array([0.5, 0.5]), np.array([True, False])) == 0.5


def test_calibration_error_of_a_boaster() -> None:
    assert calibration_error(np.array([0.95] * 4), np.array([True, True, False, False])) == pytest.approx(0.45)


def test_the_shipped_gate_fits_the_code() -> None:
    gate = Gate.load()
    assert gate.head.points.shape[1] == 2 * 384 + len(names())
    assert 0 < gate.head.threshold < 1
    assert len(gate.head.points) == len(read_turns(training.FIT)), "refit: python main.py train gate"
    assert WEIGHTS.stat().st_size < 2_500_000 and WEIGHTS.with_suffix(".md").exists()


def test_missing_and_foreign_weights_are_refused(tmp_path: Path, seen: Seen, gate: Gate) -> None:
    with pytest.raises(GateFault, match="train gate"):
        Gate.load(tmp_path / "none.safetensors")
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no weights at all")
    with pytest.raises(GateFault, match="cannot be read"):
        Gate.load(broken)
    foreign = tmp_path / "foreign.safetensors"
    training.save(gate, training.table(seen), foreign)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minds.gate.names", lambda: ["another"])
        with pytest.raises(GateFault, match="other features"):
            Gate.load(foreign)


@pytest.mark.real
def test_the_gate_runs_without_heavy_packages() -> None:
    heavy = ("torch", "chromadb", "sklearn", "langchain_core")
    code = f"import sys; from minds.gate import Gate; Gate.load(); print([m for m in {heavy} if m in sys.modules])"
    root = Path(training.__file__).parents[3]
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
