"""What the minds are told of a dialogue."""

from __future__ import annotations

import pytest

from minds.dialogue import Dialogue, Turn, question_of, talk


def test_talk_is_what_was_said_beside_text_worlds() -> None:
    said, done = Turn("user", "take the mug"), Turn("fast", "**take mug 1**", world=True)
    before, after = (Turn("user", "hi"), Turn("fast", "Hello!")), (Turn("user", "thanks"), Turn("fast", "Gladly."))
    calls = (Turn("fast", "One moment.", invoke=True), Turn("slow", "**take mug 1**"))
    whole = Dialogue("s", "ada", (*before, said, *calls, done, said, done, *after))
    assert talk(whole).turns == (*before, *after)


@pytest.mark.parametrize("reply, asked", [
    ("Fine. How old are they?", "How old are they?"), ("**Wie alt sind sie?**", "Wie alt sind sie?"),
    ("好的。您住在哪里？", "您住在哪里？"), ("**Fine.** Is it 3.5 km to example.org?", "Is it 3.5 km to example.org?"),
    ('He said "Yes." Is that right?', "Is that right?"), ("OK (really.) Shall I go on?", "Shall I go on?"),
    ("« Oui. » Et vous ?", "Et vous ?"), ("他说“好。”对吗？", "对吗？"),
    ("Fine. “It” is who?", "“It” is who?"),
    ("Listen!\nWhy?", "Why?"), ("Why?!?", "Why?!?"), ("Really? I see.", ""), ("", ""),
])  # fmt: skip
def test_a_question_is_what_a_reply_ends_with(reply: str, asked: str) -> None:
    assert question_of(reply) == asked
