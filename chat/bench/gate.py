"""`bench gate`: the invoke decision on the half of the labelled turns that it was not fitted on."""

from __future__ import annotations

from chat.bench import Ask


def run(ask: Ask) -> dict[str, object]:
    """Figures: accuracy, share of missed invokes, and more (minds/policies/bench_gate.py)."""
    from minds.policies.bench_gate import bench_gate

    return bench_gate(ask.settings.models_dir)
