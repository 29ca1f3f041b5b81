"""Episodes told again in other values."""

from __future__ import annotations

from typing import Any

from minds.policies.swift.mentions import Text
from minds.policies.swift.reading import things
from minds.training.swift.demonstrations import (
    asked_of,
    asks_of_a_value,
    effective,
    renamed,
    renumbered,
    revalued,
    with_others,
)

LOOK = (
    "This room is called the greenhouse. In it, you see: \n\ta red box (containing nothing)\n\ta green box (containing "
    "nothing)\n\ta flower pot 1 (containing a round green  pea seed, soil)\nYou also see:\n"
)
GOAL = (
    "Your task is to determine whether green seed color is a dominant or recessive trait in the pea plant. If the "
    "trait is dominant, focus on the red box. If the trait is recessive, focus on the green box."
)


def episode() -> dict[str, Any]:
    row: dict[str, Any] = {
        "look": LOOK,
        "inv": "In your inventory, you see:\n\tan orange\n",
        "act": ["focus on {}", [1], ""],
    }
    row |= {"text": "focus on red box", "said": "You focus on the red box.", "score": 100.0, "learn": True}
    return {"task": "mendelian-genetics-known-plant", "variation": 3, "goal": GOAL, "rows": [row], "score": 100.0}


def boxes(told: dict[str, Any]) -> list[str]:
    row = told["rows"][0]
    return [thing.name for thing in things(row["look"], row["inv"]) if thing.name.endswith("box")]


def test_values_change_everywhere_alike_and_nothing_else_does() -> None:
    before = episode()
    for seed in range(1, 6):
        told = revalued(before, seed)
        red, green = boxes(told)
        assert red != green and told["rows"][0]["text"] == f"focus on {red}"
        assert told["goal"].endswith(f"dominant, focus on the {red}. If the trait is recessive, focus on the {green}.")
        value = Text(told["goal"], "goal").question
        assert value is not None and value[0] == green.removesuffix(" box")
        assert f" {value[0]}  pea seed" in told["rows"][0]["look"]
        assert told["rows"][0]["inv"] == before["rows"][0]["inv"]
        assert told["rows"][0]["act"] == before["rows"][0]["act"]
    assert before == episode()


def test_a_seed_tells_the_same_each_time_and_seeds_tell_differently() -> None:
    assert revalued(episode(), 1) == revalued(episode(), 1)
    assert len({revalued(episode(), seed)["goal"] for seed in range(1, 9)}) > 3


def test_only_what_asks_of_a_value_is_told_again() -> None:
    other = episode() | {"goal": "Your task is to boil water."}
    assert asks_of_a_value(GOAL) and not asks_of_a_value(other["goal"])
    assert with_others([other, episode()], 2) == [other, episode(), revalued(episode(), 1), revalued(episode(), 2)]
    assert with_others([episode()], 0) == [episode()]


def test_steps_that_put_a_thing_where_it_is_are_left_out() -> None:
    told = episode()
    away = {**told["rows"][0], "act": ["move {} to {}", [3, 0], ""], "text": "move round green pea seed to red box"}
    vain = {**away, "act": ["move {} to {}", [3, 2], ""], "text": "move round green pea seed to flower pot 1"}
    assert things(LOOK, told["rows"][0]["inv"])[3].name == "round green pea seed"
    assert effective({**told, "rows": [away, vain, *told["rows"]]})["rows"] == [away, *told["rows"]]


BOXES = "This room is called the shed. In it, you see: \n\ta red box\n\ta blue box\n"
ROOM = BOXES + "\ta pot (containing a substance called {})\n"
ROD = "In your inventory, you see:\n\ta thermometer, currently reading a temperature of 10 degrees celsius\n"
MELTING = (
    "If the melting point of lead is above 150.0 degrees celsius, focus on the red box. If the melting point of lead "
    "is below 150.0 degrees celsius, focus on the blue box."
)


def melting(last: str = "liquid lead") -> dict[str, Any]:
    """Lead reads 213, then something 368, and the red box is chosen."""
    said = "the thermometer measures a temperature of {} degrees celsius"
    use: dict[str, Any] = {"inv": ROD, "act": ["use {} on {}", [4, 3], ""], "text": "", "score": 0.0, "learn": True}
    first = use | {"look": ROOM.format("lead"), "said": said.format(213)}
    rows = [first, use | {"look": ROOM.format(last), "said": said.format(368)}]
    focus = {**rows[1], "act": ["focus on {}", [0], ""], "said": "You focus on the red box."}
    return {"task": "melting", "variation": 1, "goal": MELTING, "rows": [*rows, focus], "score": 100.0}


def test_another_number_is_asked_about_and_the_same_thing_is_right() -> None:
    told = [renumbered(melting(), seed) for seed in range(40)]
    texts = {one["goal"] for one in told if one}
    for text in texts:
        goal = Text(text, "goal")
        sign, number = goal.condition("red box") or (0, 0.0)
        assert not 213 <= number <= 368 and ((213 + 368) / 2 - number) * sign > 0 and set(goal.numbers) == {number}
    assert len(texts) > 20 and any("below" in text.partition("red box")[0] for text in texts)


def test_what_has_not_changed_yet_may_do_so_behind_the_last_reading() -> None:
    told = [renumbered(melting("lead"), seed) for seed in range(20)]
    assert all("above" in one["goal"].partition("red box")[0] for one in told if one) and any(told)


def test_what_the_readings_do_not_say_is_not_told_again() -> None:
    wrong = melting()
    wrong["rows"][-1]["act"] = ["focus on {}", [1], ""]
    assert renumbered(wrong, 1) is None and renumbered(episode(), 1) is None


def test_what_is_found_out_about_a_thing_is_told_of_another() -> None:
    goal = "Your task is to determine if round green pea seed is electrically conductive."
    asked = episode() | {"goal": goal}
    assert asked_of(goal) == "round green pea seed" and asked_of(GOAL) == ""
    told = renamed(asked, asked_of(goal), ["red box", "plastic fork"], 1)  # a red box is in view
    assert told["goal"] == "Your task is to determine if plastic fork is electrically conductive."
    other = asked | {"goal": goal.replace("round green pea seed", "flower pot 1")}
    assert "flower pot 1" not in renamed(other, "flower pot 1", ["plastic fork"], 1)["rows"][0]["look"]
