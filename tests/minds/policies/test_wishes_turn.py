"""What a turn is while a task stands: two experts, one of which sees the state."""

import pytest

from minds.policies.wishes import HEADS, TURNS, agreed

HERE = {"open fridge 1": 0.4, "go to desk 1": 0.2}
INSTEAD = dict.fromkeys(HEADS[:-1], 0.05) | {"NONE": 0.2}


def said(of: str, p: float = 0.93) -> dict[str, float]:
    return {name: p if name == of else (1 - p) / (len(TURNS) - 1) for name in TURNS}


def test_what_is_possible_keeps_its_order_and_all_add_up() -> None:
    found = agreed(HERE, INSTEAD, said("ACTION"))
    assert list(found.actions) == list(HERE) and set(found.instead) == {*HEADS[:-1], "TALK", "AGAIN", "OTHER"}
    assert sum(found.actions.values()) + sum(found.instead.values()) == pytest.approx(1)
    assert found.actions["open fridge 1"] == pytest.approx(2 * found.actions["go to desk 1"])


@pytest.mark.parametrize("control", ["ASSISTANT", "LEAVE", "AGAIN", "TALK", "OTHER"])
def test_words_that_hand_over_or_leave_are_heard_though_the_state_knows_no_such_words(control: str) -> None:
    found = agreed(HERE, INSTEAD, said(control))
    assert max({**found.actions, **found.instead}.items(), key=lambda one: one[1])[0] == control


def test_the_state_is_heard_where_the_words_alone_do_not_say() -> None:
    unsure = dict.fromkeys(TURNS, 1 / len(TURNS))
    found = agreed({"open fridge 1": 0.85, "look": 0.05}, dict.fromkeys(HEADS[:-1], 0.1 / len(HEADS)), unsure)
    assert max({**found.actions, **found.instead}.items(), key=lambda one: one[1])[0] == "open fridge 1"


@pytest.mark.parametrize("control", ["ASSISTANT", "LEAVE", "STORY", "UNDO"])
def test_what_the_words_say_plainly_no_state_takes_from_them(control: str) -> None:
    """ "Great job, you can shut down the lab now", beside a door that can be closed."""
    closing = {"close door": 0.9, "look": 0.02}
    found = agreed(closing, dict.fromkeys(HEADS[:-1], 0.08 / 6), said(control, 0.97))
    assert found.instead[control] == pytest.approx(0.97)
    assert sum(found.actions.values()) + sum(found.instead.values()) == pytest.approx(1)
    unsure = agreed(closing, dict.fromkeys(HEADS[:-1], 0.08 / 6), said(control, 0.8))
    assert unsure.instead[control] < 0.8, "less plain words are held against the state"
