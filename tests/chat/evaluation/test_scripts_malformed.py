"""Suites with one mistake each: the file, the line and what to change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chat.evaluation.marked_yaml import FileFault
from chat.evaluation.suite_reader import load, read_suite

MALFORMED = Path(__file__).parents[2] / "data" / "evaluation" / "malformed"
TALK, SUITE = "talk.yaml", "suite.yaml"
EXPECTED: dict[str, tuple[str, int, str]] = {
    "a_list": (TALK, 1, "Here a dialogue is expected, as keys and values such as `id: ...`."),
    "bad_condition": (TALK, 4, "SQLite finds no column `stat` in `homes`: did you mean `status`?"),
    "bad_invite": (TALK, 7, "`invite` is `perhaps`: it should be one of right, wrong, allowed."),
    "bad_invoke": (TALK, 7, "`invoke` is `maybe`: it should be true or false."),
    "bad_pattern": (
        TALK,
        9,
        "`(euros` is no regular expression (missing ), unterminated subpattern at position 0): "
        "mend it, or put \\ before its signs.",
    ),
    "bad_seeds": (SUITE, 8, "`seeds` is `two`: it should be a whole number."),
    "behind_else": (
        TALK,
        16,
        "This branch can never be reached: branch 2 holds whenever it does. Change one of them, or their order.",
    ),
    "branches_first": (TALK, 6, "The first turn has no reply before it to branch on: give it `person: ...`."),
    "circle": (TALK, 9, "Turn 2 cannot repeat turn 3: name an earlier turn."),
    "clock_without_zone": (
        SUITE,
        8,
        "`now` is `2026-11-22 10:00`: write a time with its zone, such as 2026-11-22T10:00+01:00.",
    ),
    "colon_in_words": (
        TALK,
        10,
        'A colon stands inside a value: put the value into quotes, such as person: "It is this: a flat".',
    ),
    "core_perhaps": (TALK, 3, "`core` is `perhaps`: it should be true or false."),
    "covered_branch": (
        TALK,
        15,
        "This branch can never be reached: branch 1 holds whenever it does. Change one of them, or their order.",
    ),
    "empty_file": (TALK, 1, "The file is empty: write a dialogue, or delete the file."),
    "empty_turns": (TALK, 5, "`turns` is empty: add at least one `- person: ...`."),
    "finds_nothing": (
        TALK,
        4,
        "The query `home` finds nothing: change its condition, or write `count: 0` if that is meant.",
    ),
    "grade_outside": ("rubric.yaml", 8, "`scores` needs a criterion for each of [0, 1, 2]."),
    "half_a_change": (TALK, 11, "`kind` is missing in a change: add `kind: ...`."),
    "id_twice": (TALK, 1, "The id `talk` is taken by other.yaml: choose another."),
    "key_twice": (TALK, 3, "`id` stands here for the second time (first in line 1): keep one."),
    "later_branches": (TALK, 6, "Who comes back does not go on from the last reply: give the turn `person: ...`."),
    "later_first": (
        TALK,
        5,
        "Nobody comes back with the first turn: move `later: true` to the turn after a break.",
    ),
    "later_perhaps": (TALK, 7, "`later` is `tomorrow`: it should be true or false."),
    "names_no_id": (
        TALK,
        9,
        "`Lakeside` is no id such as H-0421, and only those are seen in a reply: look for it with `says`.",
    ),
    "no_dialogues": (SUITE, 1, "The suite has no dialogue: add a YAML file for each beside it."),
    "no_else": (TALK, 12, "The last branch must be `else`, for when no other holds: add `- else: ...`."),
    "no_suite": (
        SUITE,
        1,
        "There is no suite.yaml in this folder: name a suite's folder, or make one with `evaluate init`.",
    ),
    "no_turns": (TALK, 1, "`turns` is missing in a dialogue: add `turns: ...`."),
    "not_absent": (TALK, 3, "H-0001 is in this database, so it is not `absent`: choose an id that is not there."),
    "not_utf8": (TALK, 10, "This line is not UTF-8: save the file with the encoding UTF-8."),
    "open_bracket": (
        TALK,
        9,
        "This is not YAML (expected ',' or ']', but got '}'): check quotes, brackets and indentation here.",
    ),
    "pick_too_high": (TALK, 4, "`pick` is 3, but `home` finds only 1: choose a smaller number."),
    "refused_call": (
        TALK,
        5,
        "details refuses {'home': 'H-4711'}: There is no home H-4711; the numbers go from H-0001 to H-2000.",
    ),
    "repeat_of_later": (TALK, 7, "Turn 1 cannot repeat turn 2: name an earlier turn."),
    "repeat_of_nothing": (TALK, 11, "Turn 3 cannot repeat turn 9: name an earlier turn."),
    "silent_turn": (TALK, 10, "Turn 3 says nothing: give it one of `person`, `branches` or `goal`."),
    "tab": (TALK, 9, "A tab indents this line: use spaces."),
    "two_documents": (TALK, 12, "A second document begins here (`---`): write one a file."),
    "two_ways": (TALK, 10, "Turn 3 has `person` and `goal`: give it one of `person`, `branches` or `goal`."),
    "undefined_name": (TALK, 8, "`hom` is not defined under `let`: did you mean `home`?"),
    "unknown_demand": (TALK, 7, "`bugdet` has no sign under `signs: asks:` in suite.yaml: did you mean `budget`?"),
    "unknown_domain": (SUITE, 2, "There is no domain `hausing`: did you mean `housing`?"),
    "unknown_fact": (TALK, 9, "`home.prize` is no fact: did you mean `price`?"),
    "unknown_home": (
        TALK,
        10,
        "There is no H-4711 in this database: take one from a query, or list it under `absent`.",
    ),
    "unknown_key": (TALK, 10, "`persn` is no key of a turn: did you mean `person`?"),
    "unknown_offer": (TALK, 13, "`visit` has no sign under `signs: offers:` in suite.yaml; there are: viewing."),
    "unknown_rubric": (SUITE, 8, "There is no rubric `mine`: name a file, or one of: duma."),
    "unknown_system": (SUITE, 8, "There is no system `duel`: did you mean `dual`?"),
    "unknown_table": (TALK, 4, "There is no table `house` in the domain `housing`: did you mean `homes`?"),
    "unknown_tool": (TALK, 9, "There is no tool `detials` in the domain `housing`: did you mean `details`?"),
    "words_as_list": (TALK, 10, "`person` should be words, not a list or a mapping: write `person: ...` in one line."),
}
"""Folder -> file, line, sentence."""


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bases")


def test_each_has_its_folder() -> None:
    assert sorted(EXPECTED) == sorted(folder.name for folder in MALFORMED.iterdir())
    assert len(EXPECTED) >= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_said_where_the_mistake_is_and_what_to_change(name: str, bases: Path, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(MALFORMED / name, folder)
    for file in folder.glob("*.latin1"):  # kept under another name: whoever reads the project reads UTF-8
        file.rename(file.with_suffix(""))
    problems = read_suite(folder, bases)[1]
    assert [(Path(p.file).name, p.line, p.sentence) for p in problems] == [EXPECTED[name]]
    assert Path(problems[0].file).parent == folder


def test_all_mistakes_are_told_at_once(bases: Path, tmp_path: Path) -> None:
    for name in ("unknown_key", "unknown_home", "bad_pattern"):
        shutil.copy(MALFORMED / name / TALK, tmp_path / f"{name}.yaml")
    text = (MALFORMED / "bad_seeds" / SUITE).read_text(encoding="utf-8")
    (tmp_path / SUITE).write_text(text, encoding="utf-8")
    with pytest.raises(FileFault) as fault:
        load(tmp_path, bases)
    told = [(Path(p.file).name, p.line) for p in fault.value.problems]
    assert told == [
        (SUITE, 8),
        ("bad_pattern.yaml", 9),
        ("unknown_home.yaml", 1),
        ("unknown_home.yaml", 10),
        ("unknown_key.yaml", 1),
        ("unknown_key.yaml", 10),
    ]
    assert str(fault.value).splitlines()[0] == f"{tmp_path / SUITE}:8: {EXPECTED['bad_seeds'][2]}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[" * 5000, "nested too deeply"),
        ("id: talk\nintent: x\nturns: *a\n", "alias"),
        ("id: talk\nintent: \x07x\n", "control character"),
        (
            "id: talk\nintent: x\nturns:\n  - person: Hi.\n    expect: {says: 'a{99999999999}'}\n",
            "no regular expression",
        ),
        ("id: talk\nintent: x\nseed: " + "9" * 6000 + "\nturns: [{person: Hi.}]\n", "should be a whole number"),
        ("id: talk\nintent: x\nturns: {person: Hi.}\nlet: [1, 2]\n", "the names under `let`"),
        ("id: talk\nintent: x\nturns: [1, null, []]\n", "Here a turn is expected"),
        ("id: talk\nintent: x\n? [a, b]\n: c\nturns: [{person: Hi.}]\n", "in the place of a key"),
        (
            "id: talk\nintent: x\nlet: {a: {from: homes, where: '1; DROP TABLE homes'}}\nturns: [{person: Hi.}]\n",
            "SQLite",
        ),
    ],
)
def test_rubbish_is_refused_too(bases: Path, tmp_path: Path, text: str, sentence: str) -> None:
    shutil.copy(MALFORMED / "empty_file" / SUITE, tmp_path / SUITE)
    (tmp_path / TALK).write_text(text, encoding="utf-8")
    problems = read_suite(tmp_path, bases)[1]
    assert any(sentence in problem.sentence for problem in problems), problems
    assert all("\n" not in problem.sentence for problem in problems)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    assert [p.sentence for p in read_suite(tmp_path / "nowhere", tmp_path)[1]] == [EXPECTED["no_suite"][2]]
