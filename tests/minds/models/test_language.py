"""What a model can do, as the minds reckon with it."""

from __future__ import annotations

import pytest

from minds.models.language import Abilities


@pytest.mark.parametrize(
    ("able", "room"),
    [
        (Abilities(), 40),
        (Abilities(limit=9), 40),
        (Abilities(strong=True), 4_000),
        (Abilities(strong=True, limit=900), 900),
        (Abilities(strong=True, limit=9), 40),
        (Abilities(strong=True, context=4_096), 1_024),
    ],
)
def test_a_strong_model_has_room_to_think_before_a_short_answer(able: Abilities, room: int) -> None:
    assert able.room(40) == room
