"""What the minds are told of a dialogue."""

from __future__ import annotations

from minds.dialogue import Dialogue, Turn, talk


def test_talk_is_what_was_said_beside_text_worlds() -> None:
    said, done = Turn("user", "take the mug"), Turn("fast", "**take mug 1**", world=True)
    before, after = (Turn("user", "hi"), Turn("fast", "Hello!")), (Turn("user", "thanks"), Turn("fast", "Gladly."))
    calls = (Turn("fast", "One moment.", invoke=True), Turn("slow", "**take mug 1**"))
    whole = Dialogue("s", "ada", (*before, said, *calls, done, said, done, *after))
    assert talk(whole).turns == (*before, *after)
