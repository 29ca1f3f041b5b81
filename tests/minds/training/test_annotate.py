"""Sub-goals by a chat model: reading them, aligning them with the path, asking again, learning from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from minds import models
from minds.models import ModelSettings, open_model
from minds.models.language import Abilities, Garbled
from minds.policies.swift.mentions import Text
from minds.policies.swift.play import CRITICAL
from minds.training.rows import records
from minds.training.subgoals.annotate import ATTEMPTS, TOKENS, Annotation, Annotator, _annotated, align, gaps, read
from minds.training.subgoals.train import aims, annotated, of_call, segmented
from tests.fakes import FakeModel, in_turn
from tests.strong.server import serving

BOIL = "Your task is to boil water."
PATH = (
    "go to kitchen",
    "open cupboard",
    "pick up pot",
    "activate sink",
    "pick up pot",
    "activate stove",
    "wait",
    "wait",
)
WHOLE = """1- navigate_to(kitchen): {'go to kitchen'}
2- find(pot): {'open cupboard', 'pick up pot'}
3- fill(pot, water): {'activate sink', 'pick up pot'}
4- boil(water): {'activate stove', 'wait', 'wait'}"""
DEMONSTRATIONS = Path(__file__).parents[2] / "data" / "annotated_demonstrations.jsonl"
RECORDED = Path(__file__).parents[2] / "strong" / "annotate.jsonl"


def answers(*said: str) -> FakeModel:
    return FakeModel(in_turn(*said), abilities=Abilities())


async def annotation(*said: str, known: Sequence[Annotation] = ()) -> tuple[Annotation, FakeModel]:
    model = answers(*said)
    return await Annotator(model, list(known)).annotate("boil", 0, BOIL, PATH), model


def names(one: Annotation) -> list[str]:
    return [name for name, _ in one.parts()]


def test_sub_goals_are_read_in_function_form_whatever_stands_around() -> None:
    said = "Here:\n1- Navigate_To( kitchen ): {'go to kitchen'}\n2. move(egg,red box): {\"move egg to red box\"}"
    assert read(said) == [
        ("navigate_to(kitchen)", ("go to kitchen",)),
        ("move(egg, red box)", ("move egg to red box",)),
    ]
    assert read("I cannot.") == []
    for form in ("1- **go_to(kitchen)**: {'go'}", "1. `go_to(kitchen)`: {'go'}", "1. go_to(kitchen): ['go']"):
        assert read(form) == [("go_to(kitchen)", ("go",))]


async def test_what_is_written_as_it_stands_in_the_path_needs_one_request() -> None:
    one, model = await annotation(WHOLE)
    assert names(one) == ["navigate_to(kitchen)", "find(pot)", "fill(pot, water)", "boil(water)"]
    assert (one.asked, one.added, one.left_out, one.unnamed) == (1, 0, 0, 0)
    assert one.written() == WHOLE
    last = model.heard[0].last
    assert BOIL in last and ", ".join(PATH) in last and "functional format" in last


def test_alignment_takes_the_fewest_edits_and_tells_what_is_missing_and_what_was_added() -> None:
    written = read("""1- navigate_to(kitchen): {'look around', 'go to kitchen', 'look around'}
        2- fill(pot, water): {'pick up pot', 'activate sink', 'pick up pot'}
        3- boil(water): {'wait', 'wait', 'wait'}""")
    owners, added = align(written, PATH)
    fill, boil = "fill(pot, water)", "boil(water)"
    assert owners == ["navigate_to(kitchen)", "", fill, fill, fill, "", boil, boil]
    assert [list(gap) for gap in gaps(owners)] == [[1], [5]]
    assert added == 3, "look around twice, and a wait where the stove is missing"


def test_a_changed_action_costs_no_other_its_sub_goal() -> None:
    assert align([("g()", ("a", "b"))], ["b", "c"]) == (["g()", ""], 1)


async def test_a_demonstration_that_is_answered_with_nothing_is_left_to_the_next_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    left: list[Any] = [Garbled("All thinking."), WHOLE]
    model = FakeModel(lambda _: [left.pop(0)], abilities=Abilities(strong=True))
    monkeypatch.setattr(models, "open_model", lambda *_, **__: model)
    rows = [{"text": action, "learn": True} for action in PATH]
    episodes = [{"task": "boil", "variation": n, "goal": BOIL, "rows": rows} for n in (0, 1)]
    await _annotated(episodes, tmp_path / "a" / "b" / "c", "fake")
    (line,) = (tmp_path / "a" / "b" / "c").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["variation"] == 1 and model.heard[0].limit == model.abilities.room(TOKENS) > TOKENS


async def test_actions_that_were_added_are_dropped() -> None:
    one, _ = await annotation(WHOLE.replace("'activate stove'", "'look around', 'activate stove', 'dance'"))
    assert one.path == PATH and names(one)[-1] == "boil(water)"
    assert (one.asked, one.added) == (1, 2)


async def test_for_what_is_missing_the_model_is_asked_again_group_by_group() -> None:
    first = "1- navigate_to(kitchen): {'go to kitchen'}\n2- fill(pot, water): {'activate sink', 'pick up pot'}"
    one, model = await annotation(
        first, "1- find(pot): {'open cupboard', 'pick up pot'}", "1- boil(water): {'activate stove', 'wait', 'wait'}"
    )
    assert names(one) == ["navigate_to(kitchen)", "find(pot)", "fill(pot, water)", "boil(water)"]
    assert (one.asked, one.left_out, one.unnamed) == (3, 5, 0)
    again = [heard.last for heard in model.heard[1:]]
    assert "have no sub-task yet: open cupboard, pick up pot\n" in again[0]
    assert "behind `go to kitchen`, before `activate sink`" in again[0]
    assert "have no sub-task yet: activate stove, wait, wait\n" in again[1] and "at the end" in again[1]


async def test_after_ten_requests_what_is_left_belongs_to_the_sub_goal_behind_it() -> None:
    first = "1- navigate_to(kitchen): {'go to kitchen'}\n2- boil(water): {'activate stove', 'wait', 'wait'}"
    one, model = await annotation(first, *["I do not know."] * 20)
    assert (one.asked, len(model.heard)) == (ATTEMPTS, ATTEMPTS) and one.unnamed == 4
    assert one.subgoals == ("navigate_to(kitchen)", *["boil(water)"] * 7)


async def test_two_examples_of_the_nearest_tasks_are_shown_and_what_was_annotated_becomes_one() -> None:
    near = Annotation("boil", 3, "Your task is to boil lead.", ("wait",), ("boil(lead)",))
    own = Annotation("boil", 0, BOIL, ("wait",), ("boil(water)",))
    odd = Annotation("boil", 4, "Your task is to boil tin.", ("wait",), ("boil(tin)",), unnamed=1)
    _, model = await annotation(WHOLE, known=[near, own, odd])
    messages = [str(message.content) for message in model.heard[0].messages]
    assert len(messages) == 6 and messages[0].startswith("You are a helpful assistant.")
    assert "boil lead" in messages[3] and messages[4] == "1- boil(lead): {'wait'}", "the nearest stands last"
    assert "boil(water)" not in messages[4] and all("boil tin" not in said for said in messages)


def test_a_call_becomes_a_sub_goal_of_the_policies_named_by_its_parts_in_the_task() -> None:
    goal = Text("Your task is to find a(n) plant. First, focus on the thing. Move it to the red box.", "goal")
    assert of_call("focus_on(apple tree)", goal).pattern == CRITICAL
    moved = of_call("move(apple tree, red box)", goal)
    assert (moved.pattern, moved.parts[0]) == ("move {} {}", "tree") and moved.parts[1].startswith("@")
    assert of_call("look_around()", goal).name == "look around"


def episode() -> dict[str, Any]:
    """Three rows, the second a detour that nobody is to learn."""
    kitchen = "This room is called the kitchen. In it, you see: \n\ta thermometer\n\tan orange"

    def row(text: str, pattern: str, args: Sequence[int], room: str, learn: bool) -> dict[str, Any]:
        view = {"look": kitchen, "inv": "In your inventory, you see:\n\tnothing", "said": "Done.", "score": 0.0}
        return {**view, "text": text, "act": [pattern, list(args), room], "learn": learn}

    walk = row("teleport to kitchen", "teleport to {}", (), "kitchen", True)
    rows = [walk, row("wait1", "wait1", (), "", False), row("pick up thermometer", "pick up {}", (0,), "", True)]
    return {"task": "boil", "variation": 0, "goal": BOIL, "rows": rows, "score": 100.0}


def test_both_policies_learn_from_what_was_written_row_by_row() -> None:
    path = ("teleport to kitchen", "pick up thermometer")
    one = Annotation("boil", 0, BOIL, path, ("navigate_to(kitchen)", "pick_up(thermometer)"))
    (known,) = annotated([episode(), {**episode(), "variation": 1}], [one])
    want = ["navigate to {}|kitchen", "pick up {}|thermometer", "pick up {}|thermometer"]
    assert segmented(known) == want
    assert [act.pattern for _, act in aims(known, ("kitchen",))] == [want[0], want[2]]
    assert segmented(episode()) != want, "cut by rule without"


def test_a_demonstration_whose_path_is_another_now_is_left_out() -> None:
    assert annotated([episode()], [Annotation("boil", 0, BOIL, ("wait",), ("boil(water)",))]) == []


async def test_a_strong_models_sub_goals_of_five_train_demonstrations() -> None:
    want = list(records(DEMONSTRATIONS, Annotation))
    with serving(file=RECORDED) as strong:
        model = open_model(strong.spec, ModelSettings(Path()), role="slow")
        annotator = Annotator(model)
        made = [await annotator.annotate(one.task, one.variation, one.goal, one.path) for one in want]
        await model.close()
    assert [asdict(one) for one in made] == [asdict(one) for one in want] and len(made) == 5
    assert all(one.unnamed == 0 for one in made) and strong.unmatched == []
    assert {"navigate_to(kitchen)", "focus_on(salt water)", "fill(metal pot, water)"} <= set(made[1].subgoals)


@pytest.mark.parametrize("said", ["", "1- : {}", "{{{", "1- f(: {'a'}"])
def test_what_cannot_be_read_is_nothing(said: str) -> None:
    assert read(said) == []
