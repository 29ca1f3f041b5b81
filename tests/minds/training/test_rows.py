"""Files of JSON, a row a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from minds.training.rows import rows_of, stored


def test_a_mistake_in_a_file_that_people_made_is_no_row_less(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text('{"id": 1}\n{"id": 2\n', encoding="utf-8")
    assert list(stored(path)) == [{"id": 1}]
    with pytest.raises(ValueError, match=r"line 2 of .* is no JSON"):
        rows_of(path)
