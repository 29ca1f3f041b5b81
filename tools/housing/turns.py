"""Reads a turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.desk import Deed, Desk
from tools.domains import Call, Plan
from tools.housing.cues import understands


def plan(desk: Desk, folder: Path) -> Plan:
    return Plan(tuple(Call(name, desk.said) for name in understands(desk.said)[:1]))


def afterwards(desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
    return Plan()
