"""`bench gate`: the invoke decision on the half of the labelled turns that it was not fitted on."""

from __future__ import annotations

from chat.bench import Ask


def run(ask: Ask) -> dict[str, object]:
    """Shares of the learned head, as small models decide by it."""
    from minds.training.gate.bench import bench_test_half

    found = bench_test_half(ask.limit)
    names = ("accuracy", "missed", "needless", "auc")
    return {"turns": found.turns, **{name: round(getattr(found, name), 4) for name in names}}
