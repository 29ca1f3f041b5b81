"""What an adapter is trained on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from chat.facts import stands
from minds.dialogue import SaidBefore
from minds.policies.wishes import OVER, TURNS
from minds.reading import ALIKE, BEYOND, ELSE, NONE, NOTHING, UNCLEAR, answer_of, facts_of
from minds.training.adapter import data
from minds.training.adapter.data import Example
from minds.training.adapter.train import Row
from minds.training.rows import lines
from minds.training.turns.data import APART, by_people
from minds.training.wishes.data import APART_FILES, lists
from tests.fakes import flat
from tools.worlds.actions import ActionSpace
from tools.worlds.kinds import KINDS

CAPITALS = {*TURNS, *OVER, "DONE", UNCLEAR, NOTHING}


class FakeWishes:
    """All actions are as near as they are listed."""

    def nearest_actions(self, said: str, space: ActionSpace, recent: object, embed: object, done: int) -> list[str]:
        return list(space.admissible)


@pytest.fixture(scope="module")
def examples() -> Sequence[Example]:
    """A few of each author's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "FIRST", {"": 5})
        patch.setattr(data, "BESIDE", dict.fromkeys(data.BESIDE, 5))
        return data.examples(FakeWishes(), flat)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_right_action_stands_among_those_that_are_shown(examples: Sequence[Example]) -> None:
    acts = [example for example in examples if example.asked.startswith("Seen: ")]
    assert len(acts) > 200
    for example in acts:
        [possible] = [line for line in example.asked.splitlines() if line.startswith("Possible: ")]
        shown = possible.removeprefix("Possible: ").split(" | ")
        assert example.answer in (CAPITALS if example.answer.isupper() else shown)


def test_a_wish_is_answered_by_a_kind_that_there_is_in_lines(examples: Sequence[Example]) -> None:
    wishes = [example for example in examples if example.asked.startswith("Wish: ")]
    assert len(wishes) > 2000
    for example in wishes:
        first, *slots = example.answer.splitlines()
        kind = first.removeprefix("kind: ")
        assert kind == "none" or kind in KINDS
        assert [slot.partition(":")[0] for slot in slots] in ([], ["thing", "place"])


def test_pairs_of_questions_are_of_both_kinds_and_of_no_author_kept_apart(examples: Sequence[Example]) -> None:
    asked = [example for example in examples if example.asked.startswith("First: ")]
    assert {example.answer for example in asked} == set(ALIKE)
    assert not any("{" in example.asked for example in asked), "slots are filled"
    by_author = {apart: [group for group in by_people() if (group.author == APART) == apart] for apart in (True, False)}
    theirs, others = ({text for group in some for text in group.same} for some in by_author.values())
    apart = {text for text in theirs - others if not any(text.casefold() == other.casefold() for other in others)}
    said = {line.partition(": ")[2] for example in asked for line in example.asked.splitlines()}
    assert apart and len(said) > 3000 and not apart & said


def test_turns_of_other_languages_are_put_into_english(examples: Sequence[Example]) -> None:
    foreign = [example for example in examples if example.asked.startswith("English: ")]
    assert len(foreign) > 800 and all(example.answer.strip() for example in foreign)


def test_nothing_of_an_author_kept_apart_is_learned(examples: Sequence[Example]) -> None:
    apart = {row["says"] for row, far in lists(None).sentences if far}
    assert apart and APART_FILES
    said = {example.asked.rpartition("Said: ")[2] for example in examples if example.asked.startswith("Seen: ")}
    assert not apart & said


def test_facts_stand_in_the_words_of_the_turn_and_many_turns_tell_none() -> None:
    found = data.told()
    nothing = [example for example in found if example.answer == NONE]
    assert len(found) > 400 and len(found) / 5 < len(nothing) < len(found) / 2
    for example in found:
        facts = facts_of(example.answer)
        assert bool(facts) is (example not in nothing), example
        assert all(stands(fact, example.asked) for fact in facts), example


def test_questions_about_a_task_share_its_story_and_their_answers_are_none_of_a_templates() -> None:
    found = data.recounted()
    assert len(found) > 500 and len({example.shared for example in found}) < len(found) / 3
    for example in found:
        assert example.asked.startswith(example.shared) and example.shared.startswith("Task ")
        assert example.asked.rpartition("\n")[2].startswith("Question: ")
        assert example.further is not None and all(text.strip() for text in example.further)
        assert example.answer == "Steps: none" or example.further[0][0].isdigit(), "the steps are there"
        assert example.shared.endswith("\nQuestion:"), "a word's token begins with the blank before it"
        assert "You took " in example.shared.splitlines()[1], "as the assistant tells it to the person"
    assert len({example.further for example in found}) > 0.95 * len(found)


@pytest.mark.slow
def test_questions_about_lives_name_lines_that_are_shown_and_others_stand_among_them() -> None:
    found = data.of_lives()
    assert len(found) > 2000 and len({example.shared for example in found}) < len(found) / 8
    elsewhere = [example for example in found if example.answer == ELSE]
    untold = [example for example in found if example.answer.startswith(f"{NONE}: ")]
    assert len(found) / 15 < len(elsewhere) < len(found) / 5 and len(untold) > len(found) / 10
    for example in found:
        *lines, today, _ = example.asked.splitlines()
        assert example.asked.startswith(f"{example.shared} ") and example.shared.endswith("\nQuestion:")
        assert today.startswith("Today: ") and [line.partition(".")[0] for line in lines] == [
            str(number) for number in range(1, len(lines) + 1)
        ]
        told = [SaidBefore("", line) for line in lines]
        assert answer_of(example.answer, told)[0] or example in elsewhere


def test_what_is_beyond_both_minds_stands_beside_what_sounds_like_it_and_as_many_other_turns() -> None:
    found, near = data.beyond(), lines("beyond_examples")
    assert len(near) > 600 and len(found) == 2 * len(near) == len({example.asked for example in found})
    assert {row["said"] for row in near if row["beyond"]} == {
        example.asked.removeprefix("Beyond: ") for example in found if example.answer == BEYOND[0]
    }
    assert 0.2 < sum(example.answer == BEYOND[0] for example in found) / len(found) < 0.3


def test_what_questions_share_is_read_once_and_none_sees_another() -> None:
    row = Row([1, 2, 3], [[[4], [5, 6]], [[7], [8]]])
    assert row.ids == [1, 2, 3, 4, 5, 6, 7, 8] and row.answered == [4, 5, 7]
    apart = row.apart(torch.float32)
    assert apart["position_ids"].tolist() == [[0, 1, 2, 3, 4, 5, 3, 4]]
    seen = apart["attention_mask"][0, 0] == 0
    assert seen[7].tolist() == [True, True, True, False, False, False, True, True]
    assert seen[4].tolist() == [True, True, True, True, True, False, False, False]


def test_what_is_shown_behind_an_answer_is_not_learned() -> None:
    row = Row([1], [[[2], [3], [4, 5], [6, 7]], [[8], [9]]], [1, 0])
    assert row.decides == {2}
    assert row.ids == [1, 2, 3, 4, 5, 6, 7, 8, 9] and row.answered == [2, 5, 6, 8]
    assert row.apart(torch.float32)["position_ids"].tolist() == [[0, 1, 2, 3, 4, 5, 6, 1, 2]]
