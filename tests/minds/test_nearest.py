"""Of many examples those that share letters with what is said."""

import pytest

from minds.nearest import MANY, nearest
from minds.strategies.steps import shown

PROMPT = "small/world_other"
PAIRS = f"{PROMPT}_examples"


def test_a_word_is_found_in_another_form_and_the_nearest_stands_last() -> None:
    found = nearest(PAIRS, "no, alarmclocks i said")
    assert len(found) == MANY and "alarm clock" in found[-1][0]


@pytest.mark.parametrize("said", ['"', 'a" OR b*', "NEAR(", "ab", ""])
def test_no_sign_of_a_search_is_read_as_one(said: str) -> None:
    assert all(wish for _, wish in nearest(PAIRS, said, 2))


def test_a_prompt_shows_the_few_that_are_like_what_is_said() -> None:
    messages = shown(PROMPT, like="Said: the plastic fork, not the metal one")
    assert len(messages) == 1 + 2 * MANY
    assert any("plastic fork" in str(message.content) for message in messages)
