"""The invoke gate: what it reads, what it decides, how it is fitted, and that the shipped weights fit the code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minds.dialogue import Dialogue, Turn
from minds.gate import FACT, KNOWN, TURN, WEIGHTS, Gate, GateFault, before, doubtful, heard, read
from minds.policies.wishes import Floats, States
from minds.training import gate as training
from minds.training.calibrate import MISSED, auc, calibration_error, choose_threshold, figures, platt
from minds.training.gate import FIT, TEST, Labelled, read_turns

EMPTY = Dialogue("s", "ada")


def said(*texts: str) -> Dialogue:
    """A dialogue in which person and assistant take turns."""
    return Dialogue("s", "ada", tuple(Turn(("user", "fast")[i % 2], text) for i, text in enumerate(texts)))


def digits(text: str) -> Floats:
    """A text whose only feature is how many digits it has."""
    row = np.zeros((1, 384), np.float32)
    row[0, 0] = sum(letter.isdigit() for letter in text)
    return row


def counting(_: Mapping[str, Floats]) -> States:
    return digits


def a_gate(slope: float = 1.0, shift: float = -1.5, threshold: float = 0.5) -> Gate:
    """It invokes where there are two digits or more."""
    head = np.zeros((3, 3 * 384), np.float32)
    head[2, 0] = 1
    calibration = np.array([slope, shift, threshold], np.float32)
    return Gate({"head": head, "bias": np.array([0, -9, 0], np.float32), "calibration": calibration}, digits)


def turn(text: str, invoke: bool, style: str = "plain") -> Labelled:
    return Labelled(text, style, EMPTY, text, invoke, "")


# the labelled turns


def test_the_fit_half_is_large_balanced_and_has_histories() -> None:
    every = read_turns(FIT)
    assert len(every) >= 2000
    assert 0.4 < np.mean([turn.invoke for turn in every]) < 0.6
    assert sum(bool(turn.dialogue.turns) for turn in every) > 800
    assert len({turn.id for turn in every}) == len(every)
    assert len({(turn.dialogue.turns, turn.text) for turn in every}) == len(every)


def test_a_history_ends_with_the_assistant() -> None:
    past = [turn.dialogue.turns for turn in read_turns(FIT) if turn.dialogue.turns]
    assert {turns[-1].speaker for turns in past} == {"fast"}
    assert {turn.speaker for turns in past for turn in turns} == {"user", "fast"}


def test_fit_and_test_half_share_no_style_and_no_turn() -> None:
    fit, test = read_turns(FIT), read_turns(TEST)
    assert not {turn.style for turn in fit} & {turn.style for turn in test}
    assert not {(t.text, t.dialogue.turns) for t in fit} & {(t.text, t.dialogue.turns) for t in test}


# what is read


@pytest.mark.parametrize(
    "text", ["", " ", "\x00\x07", "ünïcödé 😀", "<script>alert(1)</script>", "a" * 100_000, "9" * 5000]
)
def test_any_text_can_be_read_and_of_a_long_one_both_ends(text: str) -> None:
    found = read(text, said(text, text))
    assert found and len(found) < 3 * (TURN + 10)
    assert read("b" + "a" * 1000 + "c", EMPTY).startswith("b") and read("b" + "a" * 1000 + "c", EMPTY).endswith("c")


def test_the_turn_stands_before_what_it_answers() -> None:
    assert read("and 5 more?", said("12 plus 7?", "19.")) == "and 5 more? | 19. | 12 plus 7?"
    assert read("hello", EMPTY) == "hello"


def test_whose_conversation_it_is_is_not_read() -> None:
    here = said("hi", "Hello!")
    assert read("and 5 more?", here) == read("and 5 more?", replace(here, session="x", user="y"))


def test_results_of_the_slow_mind_count_once() -> None:
    turns = (
        Turn("user", "7*6"),
        Turn("fast", "Let me see.", invoke=True),
        Turn("slow", "42"),
        Turn("fast", "It is 42."),
    )
    assert [turn.text for turn in heard(replace(EMPTY, turns=turns))] == ["7*6", "It is 42."]
    assert before(replace(EMPTY, turns=turns)) == ("7*6", "It is 42.")


def test_an_interim_reply_is_heard_while_it_is_the_last() -> None:
    turns = (Turn("user", "7*6"), Turn("fast", "Let me see.", invoke=True))
    assert [turn.text for turn in heard(replace(EMPTY, turns=turns))] == ["7*6", "Let me see."]


# decisions


def test_what_is_above_the_threshold_invokes() -> None:
    yes, no = a_gate().decide("12 and 7", EMPTY), a_gate().decide("1 of us", EMPTY)
    assert (yes.invoke, no.invoke) == (True, False)
    assert yes.p == pytest.approx(1 / (1 + np.exp(-1.5)), abs=1e-4)
    assert a_gate(threshold=0.9).decide("12 and 7", EMPTY).invoke is False


def test_calibration_and_threshold_are_chosen_on_turns_kept_apart() -> None:
    held = [turn(f"{'9' * (n % 5)} {n % 7 * 'a'}", n % 5 >= 2) for n in range(200)]
    calibration, found = training.calibrated(held, a_gate())
    assert found["accuracy"] == 1 and found["missed"] == 0
    again = a_gate(*calibration.tolist())
    assert again.decide("99", EMPTY).invoke and not again.decide("9", EMPTY).invoke


def test_whole_styles_are_kept_apart() -> None:
    every = read_turns(FIT)
    ours, held = training.apart(every)
    assert len(ours) + len(held) == len(every) and len(held) > 150
    assert not {turn.style for turn in ours} & {turn.style for turn in held}


@pytest.mark.real
def test_what_is_fitted_separates_turns_that_it_has_not_seen() -> None:
    every = read_turns(FIT)[::4]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "EPOCHS", 4)
        gate = training.opened(training.weights(every[::2]))
    _, found = training.calibrated(every[1::2], gate)
    assert found["auc"] > 0.8


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
    assert [measured[name] for name in ("accuracy", "missed", "needless", "auc")] == [0.5, 0.5, 0.5, 0.75]
    assert [*measured["styles"]["a"].values()] == [2, 0.5, 0.5, 0.0]
    assert [*measured["styles"]["b"].values()] == [2, 0.5, 0.0, 0.5]


def test_auc_counts_ties_half() -> None:
    assert auc(np.array([0.5, 0.5]), np.array([True, False])) == 0.5


def test_calibration_error_of_a_boaster() -> None:
    assert calibration_error(np.array([0.95] * 4), np.array([True, True, False, False])) == pytest.approx(0.45)


# the shipped weights


@pytest.mark.real
@pytest.mark.parametrize(
    ("text", "invoke"),
    [("What is 64 times 58?", True), ("I ran 10 km today and feel great", False), ("thanks, that helps", False)],
)
def test_the_shipped_gate_decides_plain_turns(embedder: Callable[..., States], text: str, invoke: bool) -> None:
    assert Gate.load(embedder).decide(text, EMPTY).invoke is invoke


@pytest.fixture(scope="module")
def embedder() -> Callable[[Mapping[str, Floats]], States]:
    from memory.embedder import Embedder

    return Embedder().changed


def test_the_shipped_weights_are_small_and_have_a_card() -> None:
    gate = Gate.load(counting)
    assert 0 <= gate.decide("12 and 7", EMPTY).p <= 1
    assert WEIGHTS.stat().st_size < 1_000_000 and WEIGHTS.with_suffix(".md").exists()


@pytest.mark.parametrize("kept", [b"no weights at all", None])
def test_missing_and_broken_weights_are_refused(tmp_path: Path, kept: bytes | None) -> None:
    path = tmp_path / "gate.safetensors"
    if kept:
        path.write_bytes(kept)
    with pytest.raises(GateFault, match="train gate"):
        Gate.load(counting, path)


def test_weights_of_something_else_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"points": np.zeros(3, np.float32)}, tmp_path / "gate.safetensors")
    with pytest.raises(GateFault, match="cannot be read"):
        Gate.load(counting, tmp_path / "gate.safetensors")


@pytest.mark.real
def test_the_gate_runs_without_heavy_packages() -> None:
    heavy: Sequence[str] = ("torch", "chromadb", "sklearn", "transformers")
    code = (
        "import sys; from memory.embedder import Embedder; from minds.gate import Gate; from minds.dialogue import "
        f"Dialogue; Gate.load(Embedder().changed).decide('hi', Dialogue('', '')); print([m for m in {heavy} if m in "
        "sys.modules])"
    )
    root = Path(training.__file__).parents[2]
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
    assert MISSED < 0.03


# -- doubt


@pytest.mark.parametrize(
    ("fact", "logprobs", "doubt"),
    [
        (FACT, [-0.1, KNOWN - 0.1, -0.1], True),
        (FACT, [-0.1, KNOWN, -0.1], False),
        (FACT - 0.1, [KNOWN - 2], False),
        (1.0, [], False),
    ],
)
def test_one_token_that_was_a_guess_makes_a_fact_doubtful(fact: float, logprobs: Sequence[float], doubt: bool) -> None:
    assert doubtful(fact, logprobs) is doubt
