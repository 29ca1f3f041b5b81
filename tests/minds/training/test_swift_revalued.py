"""Episodes told again in other values."""

from __future__ import annotations

from typing import Any

from minds.policies.swift.mentions import Text
from minds.policies.swift.reading import things
from minds.training.swift.demonstrations import asks_of_a_value, effective, revalued, with_others

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
