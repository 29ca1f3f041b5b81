"""Marks that LangChain's standard tests carry; the plugins they belong to are switched off here."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    for mark in ("benchmark", "vcr"):
        config.addinivalue_line("markers", f"{mark}: carried by langchain-tests, without effect here")
