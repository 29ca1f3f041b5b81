"""What is read without learning (figures, names), and that numpy computes what was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from memory.sameness import SCOPES, Tokens, apart, figures, pair_score, scope_scores


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is 387 times 46?", "What is 387 times 47?"),
        ("Where does my sister Ingrid live?", "Where does my sister Jane live?"),
        ("How far is it from Paris to Rome?", "How far is it from Rome to Paris?"),
        ("What is error E12?", "What is error E13?"),
        ("Who leads the sales of ACME?", "Who leads the sales?"),
        ("What was it in 2023?", "What was it?"),
        ("What is 40 minus 12?", "12 minus 40"),
        ("Can tenants sublet?", "Must tenants sublet?"),
        ("did the cat chase the dog", "did the dog chase the cat"),
    ],
)
def test_other_figures_or_names_are_another_question(one: str, other: str) -> None:
    assert apart(one, other) and apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the capital of France?", "france capital"),
        ("What are 12,000 grams in kg?", "12000 grams in kg"),
        ("What's 1.50 in cents?", "1.5 in cents?"),
        ("WHAT IS THE TIME OF ARRIVAL", "what is the time of arrival"),
        ("Thanks. What is the capital of France?", "what is the capital of France"),
    ],
)
def test_the_same_figures_and_names_are_left_to_what_was_learned(one: str, other: str) -> None:
    assert not apart(one, other) and not apart(other, one)


def test_figures_are_compared_by_value() -> None:
    assert figures("12,000 and 3.50") == figures("12000, 3.5") == ["12000", "3.5"]


def made_up(length: int, seed: int) -> Tokens:
    rng = np.random.default_rng(seed)
    states, plain = (rng.normal(size=(length + 2, 384)).astype(np.float32) for _ in range(2))
    return Tokens(rng.integers(1000, 30000, length + 2), states, plain)


def test_numpy_computes_what_torch_fitted() -> None:
    torch = pytest.importorskip("torch")
    from minds.training.sameness.train import Batch, PairNet, ScopeNet

    torch.manual_seed(1)
    pair, scope = PairNet().eval(), ScopeNet().eval()
    ones, others = [made_up(n, n) for n in (3, 9)], [made_up(n, 50 + n) for n in (7, 4)]
    nets = [{name: w.numpy() for name, w in net.state_dict().items()} for net in (pair, scope)]
    with torch.no_grad():
        wanted = pair(Batch(ones), Batch(others)).numpy()
        scores = torch.log_softmax(scope(Batch(ones)), 1).numpy()
    assert [pair_score(nets[0], a, b) for a, b in zip(ones, others, strict=True)] == pytest.approx(wanted, abs=1e-3)
    assert np.allclose([scope_scores(nets[1], one) for one in ones], scores, atol=1e-3)
    assert scores.shape == (2, len(SCOPES))
