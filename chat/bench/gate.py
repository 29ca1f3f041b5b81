"""`bench gate`: the invoke decision on the half of the labelled turns that it was not fitted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat.bench import Ask

if TYPE_CHECKING:
    from minds.training.gate.figures import Figures


def run(ask: Ask) -> dict[str, object]:
    """Shares with the model's flag, as the embedded default decides, and `_without_flag`, as other models have it."""
    from minds.training.gate.bench import bench_test_half

    measured = bench_test_half(ask.settings.models_dir, ask.limit)
    with_flag, without = measured["with_flag"], measured["without_flag"]
    return {"turns": with_flag.turns, **flat(with_flag), **flat(without, "_without_flag")}


def flat(found: Figures, suffix: str = "") -> dict[str, float]:
    """accuracy, missed, needless and auc, each name with the suffix."""
    names = ("accuracy", "missed", "needless", "auc")
    return {name + suffix: round(getattr(found, name), 4) for name in names}
